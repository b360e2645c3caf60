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
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Note => Level::NOTE,
        };
        let line = usize::try_from(self.place.line).unwrap_or(1);
        let shown =
            sanitize_for_display(text.lines().nth(line.saturating_sub(1)).unwrap_or_default());
        let column = usize::try_from(self.place.column)
            .unwrap_or(1)
            .saturating_sub(1);
        let start = shown
            .char_indices()
            .nth(column)
            .map_or(shown.len(), |(at, _)| at);
        let end = shown
            .char_indices()
            .nth(column + 1)
            .map_or(shown.len(), |(at, _)| at);
        let message = sanitize_for_display(&self.message);
        let snippet = Snippet::source(shown.as_str())
            .line_start(line)
            .path(self.file.as_str())
            .annotation(AnnotationKind::Primary.span(start..end));
        let mut group = Group::with_title(level.primary_title(message.as_str())).element(snippet);
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
