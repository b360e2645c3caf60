//! A bench's result: tables with their machine, date and command, for people, programs and the page.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde_json::{Map, Value, json};

use crate::machine::Machine;

/// The page that holds the published runs, newest first under each bench's heading.
const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/bench.md");

/// One field of a table.
#[derive(Debug, Clone)]
pub enum Cell {
    /// Words.
    Text(String),
    /// A figure, shown with so many digits after the point.
    Figure(f64, usize),
    /// Nothing to say here.
    Empty,
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl Cell {
    fn shown(&self) -> String {
        match self {
            Self::Text(text) => text.replace('|', "\\|"),
            Self::Figure(value, digits) => format!("{value:.digits$}"),
            Self::Empty => "-".to_owned(),
        }
    }

    fn value(&self) -> Value {
        match self {
            Self::Text(text) => json!(text),
            Self::Figure(value, _) => json!(value),
            Self::Empty => Value::Null,
        }
    }
}

/// A titled table; every row has as many cells as there are columns.
#[derive(Debug, Clone)]
pub struct Table {
    title: String,
    columns: Vec<String>,
    rows: Vec<Vec<Cell>>,
}

impl Table {
    /// An empty one.
    pub fn new<C: Into<String>>(
        title: impl Into<String>,
        columns: impl IntoIterator<Item = C>,
    ) -> Self {
        let columns = columns.into_iter().map(Into::into).collect();
        Self {
            title: title.into(),
            columns,
            rows: Vec::new(),
        }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        let mut cells: Vec<Cell> = cells.into_iter().collect();
        cells.resize(self.columns.len(), Cell::Empty);
        self.rows.push(cells);
    }

    fn markdown(&self) -> String {
        let bars = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let mut text = format!("**{}**\n\n", self.title);
        text += &bars(self.columns.clone());
        text += &bars(vec!["---".to_owned(); self.columns.len()]);
        for row in &self.rows {
            text += &bars(row.iter().map(Cell::shown).collect());
        }
        text
    }

    fn json(&self) -> Value {
        let object = |row: &Vec<Cell>| -> Value {
            let pairs = self
                .columns
                .iter()
                .cloned()
                .zip(row.iter().map(Cell::value));
            Value::Object(pairs.collect::<Map<_, _>>())
        };
        json!({"title": self.title, "rows": self.rows.iter().map(object).collect::<Vec<_>>()})
    }
}

/// What a bench found.
#[derive(Debug, Clone)]
pub struct Report {
    name: &'static str,
    tables: Vec<Table>,
    notes: Vec<String>,
}

impl Report {
    /// An empty one for the bench of this name.
    pub fn new(name: &'static str) -> Self {
        Self {
            name,
            tables: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Adds a table.
    pub fn table(&mut self, table: Table) {
        self.tables.push(table);
    }

    /// Adds a sentence that a reader needs to read the tables rightly.
    pub fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// Prints it, and with `record` also puts it into the page.
    ///
    /// # Errors
    /// The page cannot be read or written, or has no heading for this bench.
    pub fn publish(&self, json: bool, record: bool) -> Result<()> {
        let (machine, date) = (Machine::here(), chrono::Utc::now().format("%Y-%m-%d"));
        let command = command();
        if json {
            let tables: Vec<Value> = self.tables.iter().map(Table::json).collect();
            println!(
                "{}",
                json!({
                    "bench": self.name, "date": date.to_string(), "machine": machine,
                    "command": command, "tables": tables, "notes": self.notes,
                })
            );
        }
        let mut text = format!("### {date}: {machine}\n\n`{command}`\n");
        for table in &self.tables {
            let _ = write!(text, "\n{}", table.markdown());
        }
        for note in &self.notes {
            let _ = write!(text, "\n{note}\n");
        }
        if !json {
            print!("{text}");
        }
        if record {
            let page = std::fs::read_to_string(PAGE).context("reading docs/bench.md")?;
            let page = insert(&page, self.name, &text)
                .with_context(|| format!("docs/bench.md has no heading `## {}`", self.name))?;
            std::fs::write(Path::new(PAGE), page).context("writing docs/bench.md")?;
        }
        Ok(())
    }
}

/// As it would be typed again.
fn command() -> String {
    let words: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| word != "--record" && word != "--json")
        .collect();
    format!("cargo xtask bench {}", words.join(" "))
}

/// Puts a run before the older ones of its bench: after the heading and its introduction.
fn insert(page: &str, name: &str, run: &str) -> Option<String> {
    let heading = format!("\n## {name}\n");
    let section = page.find(&heading)? + heading.len();
    let rest = page.get(section..)?;
    let end = ["\n### ", "\n## "]
        .iter()
        .filter_map(|mark| rest.find(mark))
        .min();
    let (intro, older) = rest.split_at(end.map_or(rest.len(), |at| at + 1));
    let gap = if older.is_empty() { "" } else { "\n" };
    Some(format!(
        "{}{}\n\n{}{gap}{older}",
        page.get(..section)?,
        intro.trim_end(),
        run
    ))
}

#[cfg(test)]
mod tests {
    use super::insert;

    #[test]
    fn the_newest_run_of_a_bench_stands_first_in_its_section() {
        let page = "# Figures\n\n## a\n\nIntro.\n\n### old\n\n## b\n\nOther.\n";
        let page = insert(page, "a", "### new\n").expect("there is such a section");
        assert_eq!(
            page,
            "# Figures\n\n## a\n\nIntro.\n\n### new\n\n### old\n\n## b\n\nOther.\n"
        );
        assert_eq!(
            insert(&page, "b", "### first\n").as_deref(),
            Some(
                "# Figures\n\n## a\n\nIntro.\n\n### new\n\n### old\n\n## b\n\nOther.\n\n### first\n"
            )
        );
        assert_eq!(insert(&page, "c", "x"), None);
    }
}
