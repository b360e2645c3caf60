//! How the tour tells what happens: a few aligned lines a step for people, or one JSON object a step.
//!
//! Prints by itself rather than through `out`: when nobody reads on, the tour must still tidy up.

use std::io::Write;

use clap::builder::styling::{AnsiColor, Style};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::stop::Stop;
use crate::out;

/// For whom the tour is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    People,
    Json,
}

/// Who does something in a step.
#[derive(Debug, Clone, Copy)]
pub(super) enum Who {
    Agent,
    Tipstaff,
    Ana,
    Otto,
    Server,
    Attacker,
    Result,
}

/// How a sentence of tipstaff begins, and how strict it is.
#[derive(Debug, Clone, Copy)]
pub(super) enum Word {
    Allow,
    Ask,
    Deny,
    Refused,
    Found,
}

#[derive(Debug)]
pub(super) struct Voice {
    form: Form,
    done: usize,
    step: Option<&'static str>,
}

#[derive(Serialize)]
struct Said<'a> {
    step: &'a str,
    ok: bool,
    #[serde(flatten)]
    details: &'a Map<String, Value>,
}

#[derive(Serialize)]
struct Ended<'a> {
    demo: &'a str,
    steps: usize,
    #[serde(flatten)]
    details: &'a Map<String, Value>,
}

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();

impl Voice {
    pub(super) fn new(form: Form) -> Self {
        Self {
            form,
            done: 0,
            step: None,
        }
    }

    pub(super) fn form(&self) -> Form {
        self.form
    }

    /// How many steps came out as said.
    pub(super) fn steps(&self) -> usize {
        self.done
    }

    /// The step that is not done yet.
    pub(super) fn step(&self) -> Option<&'static str> {
        self.step
    }

    /// Begins a step: its name in JSON, and its title for people.
    pub(super) fn begin(&mut self, name: &'static str, title: &str) -> Result<(), Stop> {
        self.step = Some(name);
        let number = self.done + 1;
        self.line(&format!("{DIM}{number:>2}{DIM:#} {BOLD}{title}{BOLD:#}"))
    }

    /// What somebody does, or what came of it. The text is our own, or was cleaned.
    pub(super) fn say(&self, who: Who, text: &str) -> Result<(), Stop> {
        self.line(&format!("   {DIM}{:<9}{DIM:#} {text}", who.name()))
    }

    /// What tipstaff decides.
    pub(super) fn decide(&self, word: Word, why: &str) -> Result<(), Stop> {
        let (text, style) = word.shown();
        self.say(Who::Tipstaff, &format!("{style}{text}{style:#}: {why}"))
    }

    /// A text of several lines, marked at its left. It was cleaned.
    pub(super) fn show(&self, text: &str) -> Result<(), Stop> {
        text.lines()
            .try_for_each(|line| self.line(&format!("             {DIM}|{DIM:#} {line}")))
    }

    /// A line of its own.
    pub(super) fn line(&self, text: &str) -> Result<(), Stop> {
        match self.form {
            Form::People => put(text),
            Form::Json => Ok(()),
        }
    }

    /// The step came out as said.
    pub(super) fn done(&mut self, details: &Value) -> Result<(), Stop> {
        self.done += 1;
        self.report(true, details)
    }

    /// The step did not.
    pub(super) fn fail(&mut self, why: &str) -> Result<(), Stop> {
        self.report(false, &json!({ "why": why }))
    }

    fn report(&mut self, ok: bool, details: &Value) -> Result<(), Stop> {
        match (self.form, self.step.take(), details) {
            (Form::Json, Some(step), Value::Object(details)) => {
                put(&ascii(&Said { step, ok, details }))
            }
            (Form::Json | Form::People, ..) => Ok(()),
        }
    }

    /// The last JSON object.
    pub(super) fn end(&self, demo: &str, details: &Value) -> Result<(), Stop> {
        match (self.form, details) {
            (Form::Json, Value::Object(details)) => put(&ascii(&Ended {
                demo,
                steps: self.done,
                details,
            })),
            (Form::Json | Form::People, _) => Ok(()),
        }
    }
}

impl Who {
    const fn name(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Tipstaff => "tipstaff",
            Self::Ana => "ana",
            Self::Otto => "otto",
            Self::Server => "server",
            Self::Attacker => "attacker",
            Self::Result => "result",
        }
    }
}

impl Word {
    const fn shown(self) -> (&'static str, Style) {
        match self {
            Self::Allow => ("allow", AnsiColor::Green.on_default()),
            Self::Ask => ("ask", AnsiColor::Yellow.on_default()),
            Self::Deny => ("deny", AnsiColor::Red.on_default()),
            Self::Refused => ("refused", AnsiColor::Red.on_default()),
            Self::Found => ("found", AnsiColor::Red.on_default()),
        }
    }
}

fn ascii(value: &impl Serialize) -> String {
    out::ascii(&serde_json::to_string(value).unwrap_or_default())
}

fn put(text: &str) -> Result<(), Stop> {
    writeln!(anstream::stdout(), "{text}").map_err(|_| Stop::Unread)
}
