//! Opens wrappers: programs that start the command behind them, and shells with a literal text.
//!
//! Judging a wrapper by its own name would let `env` start anything; so the command inside is what
//! counts, and the words as written are kept for ask and deny.

use crate::matching::is_flag;
use crate::programs::{ProgramTable, WrapperSpec, listed};
use crate::{Assignment, Word, WordShape};
use tipstaff_resource::{Base, Resource};

/// What a command is, once its wrapper is looked through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Opened {
    /// No wrapper.
    Plain,
    /// A wrapper around this command.
    Inner(Inner),
    /// A shell, or something that ends in one, with this text.
    Script(String),
    /// Several commands beside the command itself, as of `find -exec`.
    Beside(Vec<Started>),
    /// Code in another language, on another machine, or from a file.
    Foreign,
}

/// The command inside a wrapper.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Inner {
    pub(crate) words: Vec<Word>,
    pub(crate) assignments: Vec<Assignment>,
    pub(crate) escalates: bool,
    /// Whether arguments are added that nobody sees.
    pub(crate) adds: bool,
}

/// A command that another program starts for what it finds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Started {
    pub(crate) words: Vec<Word>,
    /// Whether it starts in the folder of the program that starts it.
    pub(crate) stays: bool,
}

const SHELLS: [&str; 5] = ["sh", "bash", "zsh", "dash", "ksh"];

/// Looks through one wrapper.
pub(crate) fn open(words: &[Word], table: &ProgramTable) -> Opened {
    let Some((program, rest)) = words.split_first() else {
        return Opened::Plain;
    };
    let name = program.text.as_str();
    if SHELLS.contains(&name) {
        return shell(rest);
    }
    if name == "command"
        && rest
            .first()
            .is_some_and(|word| word.text == "-v" || word.text == "-V")
    {
        return Opened::Plain;
    }
    if name == "find" {
        let commands = find(rest);
        return if commands.is_empty() {
            Opened::Plain
        } else {
            Opened::Beside(commands)
        };
    }
    if let Some(marks) = table.foreign.get(name) {
        let text = |word: &Word| {
            marks
                .iter()
                .any(|mark| mark == &word.text || (mark.len() == 2 && short(mark, &word.text)))
        };
        let is_foreign = marks.iter().any(|mark| mark == "*")
            || rest.iter().any(text)
            || (rest.is_empty() && marks.iter().any(|mark| mark == "-"));
        return if is_foreign {
            Opened::Foreign
        } else {
            Opened::Plain
        };
    }
    match table.wrappers.get(name) {
        Some(spec) => wrapper(spec, rest),
        None => Opened::Plain,
    }
}

/// `-c` also inside `-Bc`.
fn short(mark: &str, word: &str) -> bool {
    let letter = mark.chars().nth(1).filter(char::is_ascii_alphanumeric);
    letter.is_some_and(|letter| is_flag(word) && !word.starts_with("--") && word.contains(letter))
}

fn shell(rest: &[Word]) -> Opened {
    let mut words = rest.iter();
    while let Some(word) = words.next() {
        if word.shape != WordShape::Literal {
            return Opened::Foreign;
        }
        match word.text.as_str() {
            "--norc" | "--noprofile" | "--posix" | "--login" | "--no-rcs" => {}
            "-o" | "+o" => {
                words.next();
            }
            flags if is_flag(flags) && flags.chars().skip(1).all(|c| "celux".contains(c)) => {
                if flags.contains('c') {
                    let text = words.next().filter(|word| word.shape == WordShape::Literal);
                    return text.map_or(Opened::Foreign, |word| Opened::Script(word.text.clone()));
                }
            }
            flags if is_flag(flags) => return Opened::Foreign,
            // A script in a file: what it does is not known, but what it is.
            _ => return Opened::Plain,
        }
    }
    Opened::Foreign // It reads its commands from standard input.
}

const EXEC: [&str; 4] = ["-exec", "-execdir", "-ok", "-okdir"];

/// The words of a `find` without the commands in it.
pub(crate) fn without_commands(rest: &[Word]) -> Vec<Word> {
    parted(rest).0
}

fn find(rest: &[Word]) -> Vec<Started> {
    parted(rest).1
}

/// The words of a `find`, and the commands in it: from `-exec` to `;`, or to `{} +`.
fn parted(rest: &[Word]) -> (Vec<Word>, Vec<Started>) {
    let (mut outside, mut commands) = (Vec::new(), Vec::new());
    let mut words = rest.iter();
    while let Some(word) = words.next() {
        if !EXEC.contains(&word.text.as_str()) {
            outside.push(word.clone());
            continue;
        }
        let mut inner: Vec<Word> = Vec::new();
        for inside in words.by_ref() {
            let hole = inner.last().is_some_and(|word| word.text == "{}");
            if inside.text == ";" || (inside.text == "+" && hole) {
                break;
            }
            let shape = if inside.text.contains("{}") {
                WordShape::Expanded
            } else {
                inside.shape
            };
            inner.push(Word {
                text: inside.text.clone(),
                shape,
            });
        }
        commands.push(Started {
            words: inner,
            stays: word.text == "-exec" || word.text == "-ok",
        });
    }
    (outside, commands)
}

/// The commands of a `find` with what it puts into them: `{}` is something below the folders in which
/// it looks, which have to be plain, and so never a flag.
pub(crate) fn found(commands: Vec<Started>, find: &[Word], cwd: Option<&str>) -> Vec<Started> {
    let expression = |word: &Word| {
        word.text.starts_with('-') || ["(", "!", ")", ","].contains(&word.text.as_str())
    };
    let starts: Vec<&Word> = find
        .iter()
        .skip(1)
        .skip_while(|word| ["-H", "-L", "-P"].contains(&word.text.as_str()))
        .take_while(|word| !expression(word))
        .collect();
    let here = Word::literal(".");
    let starts = if starts.is_empty() {
        vec![&here]
    } else {
        starts
    };
    let base = Base { cwd, root: None };
    let below = |word: &&Word| {
        let folder = (word.shape == WordShape::Literal)
            .then(|| Resource::fold_path(&word.text, &base).ok())??;
        let plain = !folder.contains(['*', '?', '[']);
        plain.then(|| Word {
            text: format!("{}/*", folder.trim_end_matches('/')),
            shape: WordShape::Glob,
        })
    };
    let Some(holes) = starts.iter().map(below).collect::<Option<Vec<Word>>>() else {
        return commands;
    };
    let fill = |started: Started| Started {
        words: started
            .words
            .into_iter()
            .flat_map(|word| {
                if word.text == "{}" {
                    holes.clone()
                } else {
                    vec![word]
                }
            })
            .collect(),
        ..started
    };
    commands.into_iter().map(fill).collect()
}

fn wrapper(spec: &WrapperSpec, rest: &[Word]) -> Opened {
    let mut inner = Inner {
        escalates: spec.escalates,
        adds: spec.adds,
        ..Inner::default()
    };
    let (mut at, mut skip) = (0, spec.skip);
    while let Some(word) = rest.get(at) {
        let text = word.text.as_str();
        if word.shape != WordShape::Literal {
            return Opened::Foreign;
        }
        let name = text.split_once('=').map_or(text, |(name, _)| name);
        if text == "--" {
            at += 1;
            break;
        } else if listed(&spec.values, text) {
            at += 2;
        } else if listed(&spec.flags, text)
            || (text.starts_with("--") && text.contains('=') && listed(&spec.values, name))
            || joined(spec, text)
        {
            at += 1;
        } else if is_flag(text) {
            return Opened::Foreign;
        } else if spec.assignments && is_name(name) && text.contains('=') {
            let value = text.split_once('=').map_or("", |(_, value)| value);
            inner.assignments.push(Assignment {
                name: name.to_owned(),
                value: Word::literal(value),
            });
            at += 1;
        } else if skip > 0 {
            skip -= 1;
            at += 1;
        } else {
            break;
        }
    }
    let words = rest.get(at..).unwrap_or_default();
    if skip > 0 || words.is_empty() {
        // It starts nothing: `env`, `nohup`.
        return if inner.assignments.is_empty() && !spec.escalates {
            Opened::Plain
        } else {
            Opened::Foreign
        };
    }
    if spec.joins {
        return joined_script(words);
    }
    inner.words = words.to_vec();
    Opened::Inner(inner)
}

fn joined_script(words: &[Word]) -> Opened {
    let literal = words.iter().all(|word| word.shape == WordShape::Literal);
    let text = words
        .iter()
        .map(|word| word.text.as_str())
        .collect::<Vec<_>>()
        .join(" ");
    if literal {
        Opened::Script(text)
    } else {
        Opened::Foreign
    }
}

/// `-n5`: a flag with its value in one word.
fn joined(spec: &WrapperSpec, text: &str) -> bool {
    let flag: String = text.chars().take(2).collect();
    !text.starts_with("--") && text.len() > 2 && listed(&spec.values, &flag)
}

/// Whether a text is a variable's name.
pub(crate) fn is_name(text: &str) -> bool {
    !text.starts_with(|c: char| c.is_ascii_digit())
        && !text.is_empty()
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
