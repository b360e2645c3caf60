//! What a command text turned out to be: its simple commands, their effects, and what was not understood.
//!
//! Plain data; `parse` fills it. No verdict is given here: that is policy's job.

use serde::{Deserialize, Serialize};
use tipstaff_resource::Pattern;
use tipstaff_schema::ResourceKind;

/// A command, taken apart.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CommandPlan {
    /// Every simple command anywhere in the text, wrappers opened. Each needs an allow of its own.
    pub commands: Vec<SimpleCommand>,
    /// Words that only ask, deny and guard rules are tried on: wrappers as they were written, and
    /// what is seen inside parts that are not understood.
    pub hidden: Vec<SimpleCommand>,
    /// The ends of commands whose program is not known: an ask, deny or guard rule that matches one
    /// makes the call at best ask, since the program may start it or only print it.
    pub suspects: Vec<SimpleCommand>,
    /// What the commands do. A plan without effects only computes or prints.
    pub effects: Vec<CommandEffect>,
    /// What was not understood. Never allowed without a person.
    pub unknowns: Vec<Unknown>,
    #[serde(default)]
    pub(crate) argv: Option<Vec<String>>,
}

impl CommandPlan {
    /// The words of the one plain command that the text is, so that it can be started without a
    /// shell; `None` where a shell is needed or something was not understood.
    #[must_use]
    pub fn single_argv(&self) -> Option<Vec<String>> {
        self.argv.clone()
    }
}

/// One program with its arguments.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SimpleCommand {
    /// The program's name and its arguments, quotes removed. Empty for a bare assignment or
    /// redirection, which no pattern matches.
    pub words: Vec<Word>,
    /// Assignments in front of it.
    pub assignments: Vec<Assignment>,
    /// The folder in which it starts; `None` where that is not known.
    pub cwd: Option<String>,
    /// The command as text for people, one blank between words. Untrusted: clean it to show it.
    pub text: String,
}

/// One word of a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Word {
    /// Its text without quotes; expansions stand as they were written.
    pub text: String,
    /// Whether the shell would still change it.
    pub shape: WordShape,
}

impl Word {
    /// A word that is what it says.
    #[must_use]
    pub fn literal(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            shape: WordShape::Literal,
        }
    }
}

/// Whether the shell would still change a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WordShape {
    /// It is what it says.
    Literal,
    /// It holds an unquoted glob and becomes file names.
    Glob,
    /// It holds an expansion: a variable, a substitution, arithmetic, braces, `~`.
    Expanded,
}

/// An assignment in front of a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assignment {
    /// The variable.
    pub name: String,
    /// Its value, as a word.
    pub value: Word,
}

/// One effect of one command.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CommandEffect {
    /// What happens.
    pub kind: EffectKind,
    /// To what: a canonical path, a canonical host, a program, a variable; `None` where that is not
    /// known, which no ceiling but `any` covers.
    pub value: Option<String>,
    /// Whether a path stands for itself or for all below it.
    pub extent: Extent,
    /// The command that does it, as an index into [`CommandPlan::commands`].
    pub command: usize,
    /// The path as the command has it, absolute but not folded, where it climbs by `..`: behind a
    /// symlink that leads elsewhere than `value` says. `None` everywhere else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<String>,
}

impl CommandEffect {
    /// The paths of an effect on a whole folder, as a pattern: rules must be asked whether they
    /// *overlap* it, not whether they match the folder. `None` where it is no such effect.
    #[must_use]
    pub fn tree(&self) -> Option<Pattern> {
        let folder = self
            .value
            .as_deref()
            .filter(|_| self.extent == Extent::Tree)?;
        let mut text = String::new();
        for c in folder.trim_end_matches('/').chars() {
            if !c.is_alphanumeric() && !"/._-".contains(c) {
                text.push('\\');
            }
            text.push(c);
        }
        Pattern::parse(&format!("{text}/**"), ResourceKind::Path).ok()
    }
}

/// Whether a path stands for itself or for all below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Extent {
    /// Only itself.
    One,
    /// It and everything below it.
    Tree,
}

/// The kinds of effect. Only contents count: names and metadata have none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectKind {
    /// Reads a file's content.
    Reads,
    /// Creates or changes a file.
    Writes,
    /// Removes a file.
    Deletes,
    /// Opens a connection to a host.
    Connects,
    /// Runs another program, or changes what will be run.
    Executes,
    /// Sets a variable for later commands.
    SetsEnv,
    /// Runs with more rights.
    Escalates,
    /// Anything at all: the table does not know the program or a flag. One such effect has no value;
    /// further ones carry the words that may be paths, so that guards and denies can be tried on them.
    Any,
}

/// A part that was not understood.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unknown {
    /// Why.
    pub kind: UnknownKind,
    /// The part, cut to 200 characters, with escapes for what cannot be seen.
    pub text: String,
}

/// Why a part was not understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum UnknownKind {
    /// There is no command in it.
    Empty,
    /// Too long, nested too deep, or too many parts.
    TooLarge,
    /// The shell's grammar does not read it, or reads it in a way that we cannot be sure of.
    Syntax,
    /// A control or format character, such as a carriage return.
    Control,
    /// A character that looks like another one where that matters: blanks, dashes, program names.
    LookAlike,
    /// The program's name is computed.
    Program,
    /// An argument is computed: a variable, a substitution, braces, `~`, or text from standard input.
    Expansion,
    /// An unquoted glob that may become a flag.
    Glob,
    /// Arithmetic over more than numbers, which can run commands.
    Arithmetic,
    /// A variable that changes which program runs, such as `PATH`.
    Environment,
    /// Code in another language, on another machine, or in a file: `python -c`, `ssh`, `eval`.
    Foreign,
}

impl UnknownKind {
    /// The kind as a phrase for people.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Empty => "no command",
            Self::TooLarge => "too long or nested too deep",
            Self::Syntax => "not understood as shell grammar",
            Self::Control => "control or format character",
            Self::LookAlike => "look-alike character",
            Self::Program => "computed program name",
            Self::Expansion => "computed argument",
            Self::Glob => "glob that may become a flag",
            Self::Arithmetic => "arithmetic that may run commands",
            Self::Environment => "variable that changes what runs",
            Self::Foreign => "code in another language or place",
        }
    }
}
