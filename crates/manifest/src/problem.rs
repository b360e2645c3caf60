//! What is wrong with a manifest, shown as a compiler would: file, line, column, the line, a caret,
//! what is wrong and what to do.

use std::fmt;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use serde::Serialize;
use tipstaff_policy::Severity;
use tipstaff_schema::sanitization::sanitize_for_display;

/// A place in a file; lines and columns count from 1, columns in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Place {
    /// The line.
    pub line: u64,
    /// The column.
    pub column: u64,
}

impl Place {
    /// The beginning of a file.
    pub const START: Self = Self { line: 1, column: 1 };

    pub(crate) fn new(line: u64, column: u64) -> Self {
        Self {
            line: line.max(1),
            column: column.max(1),
        }
    }
}

/// One thing that is wrong, or worth knowing.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Problem {
    /// How bad it is.
    pub severity: Severity,
    /// The file.
    pub file: String,
    /// Where in it.
    #[serde(flatten)]
    pub place: Place,
    /// What is wrong.
    pub message: String,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
    /// A call that shows it, as `decide --calls` takes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub witness: Option<serde_json::Value>,
    /// The other places that it is about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<Related>,
}

/// Another place that a problem is about, such as the second of two rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Related {
    /// The file.
    pub file: String,
    /// Where in it.
    #[serde(flatten)]
    pub place: Place,
    /// What stands there.
    pub label: String,
}

impl Related {
    pub(crate) fn new(file: &str, place: Place, label: String) -> Self {
        let file = file.to_owned();
        Self { file, place, label }
    }
}

impl Problem {
    pub(crate) fn new(file: &str, place: Place, message: impl Into<String>) -> Self {
        let (file, message) = (file.to_owned(), message.into());
        Self {
            severity: Severity::Error,
            file,
            place,
            message,
            fix: None,
            witness: None,
            related: Vec::new(),
        }
    }

    pub(crate) fn fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = Some(fix.into());
        self
    }

    pub(crate) fn severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    /// The problem with its line and a caret, for a terminal; `text` is the whole text of the file.
    /// Without colour; text of the file is cleaned.
    #[must_use]
    pub fn render(&self, text: &str) -> String {
        self.render_in(&|_| text)
    }

    /// The same with every place that it is about; `texts` gives the whole text of a file.
    pub(crate) fn render_in<'t>(&self, texts: &dyn Fn(&str) -> &'t str) -> String {
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Note => Level::NOTE,
        };
        let message = sanitize_for_display(&self.message);
        let place = Marked::new(texts(&self.file), self.place);
        let others: Vec<(Marked, String)> = self
            .related
            .iter()
            .map(|other| {
                let label = sanitize_for_display(&other.label);
                (Marked::new(texts(&other.file), other.place), label)
            })
            .collect();
        let snippet = Snippet::source(place.line.as_str())
            .line_start(place.number)
            .path(self.file.as_str())
            .annotation(AnnotationKind::Primary.span(place.span.clone()));
        let mut group = Group::with_title(level.primary_title(message.as_str())).element(snippet);
        for (other, (place, label)) in self.related.iter().zip(&others) {
            let snippet = Snippet::source(place.line.as_str())
                .line_start(place.number)
                .path(other.file.as_str())
                .annotation(
                    AnnotationKind::Context
                        .span(place.span.clone())
                        .label(label.as_str()),
                );
            group = group.element(snippet);
        }
        let fix = self.fix.as_deref().map(sanitize_for_display);
        let witness = self.witness.as_ref().map(|call| {
            format!(
                "for example the call {}",
                sanitize_for_display(&call.to_string())
            )
        });
        if let Some(witness) = &witness {
            group = group.element(Level::NOTE.message(witness.as_str()));
        }
        if let Some(fix) = &fix {
            group = group.element(Level::HELP.message(fix.as_str()));
        }
        Renderer::plain().render(&[group])
    }
}

/// A line of a file as it is shown, and the character in it that is meant.
struct Marked {
    line: String,
    number: usize,
    span: std::ops::Range<usize>,
}

impl Marked {
    fn new(text: &str, place: Place) -> Self {
        let number = usize::try_from(place.line).unwrap_or(1);
        let line = sanitize_for_display(
            text.lines()
                .nth(number.saturating_sub(1))
                .unwrap_or_default(),
        );
        let column = usize::try_from(place.column).unwrap_or(1).saturating_sub(1);
        let at = |n: usize| line.char_indices().nth(n).map_or(line.len(), |(at, _)| at);
        let span = at(column)..at(column + 1);
        Self { line, number, span }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            severity,
            file,
            place: Place { line, column },
            message,
            ..
        } = self;
        write!(f, "{file}:{line}:{column}: {severity}: {message}")?;
        match &self.fix {
            Some(fix) => write!(f, "; {fix}"),
            None => Ok(()),
        }
    }
}

/// Everything that is wrong with a manifest, at once, in the order of the file.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
pub struct Problems(pub Vec<Problem>);

/// The known name that was probably meant: one that is close, or one of which the beginning was given.
pub(crate) fn near<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let far = |name: &str| strsim::damerau_levenshtein(given, name);
    let begun = |name: &str| given.len() >= 4 && name.starts_with(given);
    let close = |name: &&str| far(name) <= 1 + given.chars().count() / 4 || begun(name);
    known.into_iter().filter(close).min_by_key(|name| far(name))
}
