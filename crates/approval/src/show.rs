//! How a question is laid out for people: labelled lines, each of them one line.
//!
//! Used by terminal and console alike. Every text from outside passes `display::clean`, so that no
//! field can fake another line; the labels are ours. Nothing is cut.

use chrono::SecondsFormat;
use serde_json::Value;

use crate::display::{clean, clean_json, hides, json_hides};
use crate::{ApprovalRequest, Power, Preview, Subject, ToolReview};

/// One labelled line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// What it is; one of our own words.
    pub label: String,
    /// The text, safe to show as it is.
    pub text: String,
}

/// What an approver should know beside the call itself.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Notice {
    /// A text holds characters that cannot be seen or that move others; they are shown spelled out.
    HiddenCharacters {
        /// The label of the line.
        label: String,
    },
    /// A process starts: the content of files that it reads or runs is not part of what is approved.
    ContentNotBound,
    /// The same, but for the files whose lines say that they are bound.
    OtherContentNotBound,
}

impl std::fmt::Display for Notice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::HiddenCharacters { label } => write!(f, "{label} holds hidden characters, shown spelled out"),
            Self::ContentNotBound => {
                f.write_str("the content of files that it reads or runs is not part of what you approve and may change")
            }
            Self::OtherContentNotBound => {
                f.write_str("the content of files that it reads or runs, other than those listed as bound, is not part of what you approve and may change")
            }
        }
    }
}

/// The layout under construction: lines, and the labels of those that hide something.
#[derive(Default)]
struct Sheet {
    lines: Vec<Line>,
    notices: Vec<Notice>,
}

impl Sheet {
    fn text(&mut self, label: impl Into<String>, text: &str) {
        self.put(label.into(), clean(text), hides(text));
    }

    fn json(&mut self, label: impl Into<String>, value: &Value) {
        self.put(label.into(), clean_json(value), json_hides(value));
    }

    /// One line for each member of an object; one for any other value.
    fn members(&mut self, label: &str, value: &Value) {
        let Some(members) = value.as_object() else {
            return self.json(label, value);
        };
        for (key, value) in members {
            let member: Value = [(key.clone(), value.clone())].into_iter().collect();
            self.json(label, &member);
        }
    }

    fn put(&mut self, label: String, text: String, hidden: bool) {
        if hidden {
            self.notices.push(Notice::HiddenCharacters {
                label: label.clone(),
            });
        }
        self.lines.push(Line { label, text });
    }

    fn show(self) -> String {
        let lines = self
            .lines
            .iter()
            .map(|line| format!("{}: {}\n", line.label, line.text));
        let notices = self
            .notices
            .iter()
            .map(|notice| format!("note: {notice}\n"));
        lines.chain(notices).collect()
    }
}

impl Preview {
    fn sheet(&self) -> Sheet {
        let mut sheet = Sheet::default();
        self.write(&mut sheet);
        sheet
    }

    fn write(&self, sheet: &mut Sheet) {
        sheet.text("tool", &self.tool_id);
        sheet.text("agent", self.agent.as_str());
        if !self.summary.is_empty() {
            sheet.text("summary", &self.summary);
        }
        let count = self.commands.len();
        for (i, command) in self.commands.iter().enumerate() {
            sheet.text(format!("command {} of {count}", i + 1), command);
        }
        for path in &self.bound {
            sheet.text("content bound", path);
        }
        sheet.members("parameter", &self.structured_input);
        if self.raw_input != self.structured_input {
            sheet.json("as sent", &self.raw_input);
        }
        if let Some(folder) = &self.working_directory {
            sheet.text("folder", folder);
        }
        if let Some(placement) = &self.placement {
            sheet.text("runs on", placement.as_str());
        }
        for resource in &self.resources {
            sheet.text(
                format!("{:?}s", resource.access()).to_lowercase(),
                resource.value(),
            );
        }
        for power in &self.powers {
            if let Power::Custom(name) = power {
                sheet.text("power", name);
            } else {
                sheet.text("power", &format!("{power:?}"));
            }
        }
        sheet.text("reach", &format!("{:?}", self.side_effect_level));
        sheet.text("lasts", &format!("{:?}", self.durability));
        sheet.text("risk", &format!("{:?}", self.risk));
        for rules in &self.suggested {
            sheet.text("a rule that allows it", rules);
        }
        sheet.text("digest", &self.digest.to_string());
        if self.starts_a_process() {
            sheet.notices.push(if self.bound.is_empty() {
                Notice::ContentNotBound
            } else {
                Notice::OtherContentNotBound
            });
        }
    }

    fn starts_a_process(&self) -> bool {
        let power = |power: &Power| matches!(power, Power::ProcessExec | Power::BackgroundExec);
        !self.commands.is_empty() || self.powers.iter().any(power)
    }

    /// The preview as labelled lines, safe to show.
    #[must_use]
    pub fn lines(&self) -> Vec<Line> {
        self.sheet().lines
    }

    /// What an approver should know beside the lines.
    #[must_use]
    pub fn notices(&self) -> Vec<Notice> {
        self.sheet().notices
    }

    /// Lines and notices as one text.
    #[must_use]
    pub fn show(&self) -> String {
        self.sheet().show()
    }
}

impl ToolReview {
    fn write(&self, sheet: &mut Sheet) {
        sheet.text("tool", &self.tool_id);
        for finding in &self.findings {
            sheet.text("finding", finding);
        }
        sheet.members("definition", &self.definition);
    }
}

impl ApprovalRequest {
    fn sheet(&self) -> Sheet {
        let mut sheet = Sheet::default();
        sheet.text("approval", &self.id.to_string());
        sheet.text("asked because", &self.reason_asked);
        match &self.subject {
            Subject::Call { preview } => preview.write(&mut sheet),
            Subject::Tool { review } => {
                review.write(&mut sheet);
                sheet.text("agent", self.agent.as_str());
                sheet.text("digest", &self.digest.to_string());
            }
        }
        let until = self.expires_at.to_rfc3339_opts(SecondsFormat::Secs, true);
        sheet.text("answer before", &until);
        if self.quorum > 1 {
            sheet.text(
                "needs",
                &format!("{} people; {} so far", self.quorum, self.votes.len()),
            );
        }
        sheet
    }

    /// The whole question as labelled lines, safe to show.
    #[must_use]
    pub fn lines(&self) -> Vec<Line> {
        self.sheet().lines
    }

    /// What an approver should know beside the lines.
    #[must_use]
    pub fn notices(&self) -> Vec<Notice> {
        self.sheet().notices
    }

    /// Lines and notices as one text.
    #[must_use]
    pub fn show(&self) -> String {
        self.sheet().show()
    }
}
