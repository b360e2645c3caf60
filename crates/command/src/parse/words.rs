//! The second pass: one word of the grammar into its text, its shape and the commands inside it.
//!
//! Of our own and linear, since the parser's word grammar doubles its work with every nested quote.
//! What it cannot be sure of it reports; it never drops a text silently.

use crate::{UnknownKind, Word, WordShape};

/// A word, read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Read {
    pub(crate) text: String,
    expanded: bool,
    glob: bool,
    /// Whether its first character is literal, so that it cannot become a flag or vanish.
    anchored: bool,
    /// Whether an expansion in it may become several words, or none.
    splits: bool,
    /// Whether an expansion in it may run what a variable's value says: `${x@P}`, `${a[$i]}`.
    pub(super) evaluates: bool,
    /// Whether it sets a variable: `${x:=y}`.
    pub(super) assigns: bool,
    /// The variables in it; of each other expansion, what it is.
    pub(super) names: Vec<String>,
    /// Texts of command and process substitutions.
    pub(crate) commands: Vec<String>,
    pub(crate) problems: Vec<UnknownKind>,
}

impl Read {
    pub(crate) fn word(&self) -> Word {
        let shape = match (self.expanded, self.glob) {
            (true, _) => WordShape::Expanded,
            (false, true) => WordShape::Glob,
            (false, false) => WordShape::Literal,
        };
        Word {
            text: self.text.clone(),
            shape,
        }
    }

    /// Whether what it becomes is one word, and no flag.
    pub(crate) fn is_one(&self) -> bool {
        !self.splits && !self.glob
    }

    /// Whether it cannot become a flag.
    pub(crate) fn is_anchored(&self) -> bool {
        self.anchored && !self.text.starts_with('-')
    }

    /// Whether nothing but text comes of its expansions.
    pub(crate) fn is_plain(&self) -> bool {
        !self.evaluates
    }

    pub(super) fn literal(&mut self, c: char) {
        if self.text.is_empty() && !self.expanded && !self.glob {
            self.anchored = true;
        }
        self.text.push(c);
    }

    fn expand(&mut self, shown: &str) {
        self.expanded = true;
        self.text.push_str(shown);
    }

    pub(super) fn problem(&mut self, kind: UnknownKind) {
        if !self.problems.contains(&kind) {
            self.problems.push(kind);
        }
    }
}

/// Reads a word of the grammar.
pub(crate) fn word(raw: &str) -> Read {
    let mut scanner = Scanner {
        chars: raw.chars().collect(),
        at: 0,
        read: Read::default(),
    };
    scanner.unquoted();
    let mut read = scanner.read;
    if read.expanded {
        read.problem(UnknownKind::Expansion);
    } else if read.glob && (!read.anchored || read.text.starts_with('-')) {
        read.problem(UnknownKind::Glob);
    }
    read
}

/// Reads a text in which quotes mean nothing (here-documents, arithmetic, the inside of `${…}`).
pub(crate) fn loose(raw: &str) -> Read {
    let mut scanner = Scanner {
        chars: raw.chars().collect(),
        at: 0,
        read: Read::default(),
    };
    scanner.loose();
    scanner.read
}

pub(super) struct Scanner {
    pub(super) chars: Vec<char>,
    pub(super) at: usize,
    pub(super) read: Read,
}

impl Scanner {
    pub(super) fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let c = self.peek();
        self.at += usize::from(c.is_some());
        c
    }

    fn rest(&self) -> &[char] {
        self.chars.get(self.at..).unwrap_or_default()
    }

    fn unquoted(&mut self) {
        if self.peek() == Some('~') {
            // A folder's absolute name, which the shell splits no further.
            self.read.names.push("~".to_owned());
            self.read.expanded = true;
            self.read.anchored = true;
        }
        let test = self.chars == ['['] || self.chars == ['[', '['];
        while let Some(c) = self.next() {
            match c {
                '\\' => {
                    let c = self.next().unwrap_or('\\');
                    self.read.literal(c);
                }
                '\'' => self.single(),
                '"' => self.double(),
                '$' => self.dollar(true),
                '`' => {
                    self.read.splits = true;
                    self.backquoted();
                }
                '*' | '?' => self.glob(c),
                '[' if !test && self.rest().contains(&']') => self.glob(c),
                '{' if self.is_brace_list() => {
                    self.read.splits = true;
                    self.read.names.push("{".to_owned());
                    self.read.expand("{");
                }
                '(' | ')' | '<' | '>' | '|' | '&' | ';' | ' ' | '\n' | '\t' => {
                    self.read.problem(UnknownKind::Syntax);
                    self.read.literal(c);
                }
                _ => self.read.literal(c),
            }
        }
    }

    fn glob(&mut self, c: char) {
        self.read.glob = true;
        self.read.text.push(c);
    }

    /// `{a,b}` and `{1..3}` become several words; `{}` and `{a}` stay.
    fn is_brace_list(&self) -> bool {
        let rest: String = self.rest().iter().collect();
        rest.contains('}') && (rest.contains(',') || rest.contains(".."))
    }

    fn single(&mut self) {
        let before = self.read.text.len();
        loop {
            match self.next() {
                Some('\'') => break,
                Some(c) => self.read.literal(c),
                None => return self.read.problem(UnknownKind::Syntax),
            }
        }
        if self.read.text.len() == before && before == 0 {
            self.read.anchored = false; // `''*` is as free as `*`.
        }
    }

    fn double(&mut self) {
        while let Some(c) = self.next() {
            match c {
                '"' => return,
                '\\' => match self.next() {
                    Some(c @ ('$' | '`' | '"' | '\\')) => self.read.literal(c),
                    Some('\n') => {}
                    Some(c) => {
                        self.read.literal('\\');
                        self.read.literal(c);
                    }
                    None => self.read.literal('\\'),
                },
                '$' => self.dollar(false),
                '`' => self.backquoted(),
                _ => self.read.literal(c),
            }
        }
        self.read.problem(UnknownKind::Syntax);
    }

    fn loose(&mut self) {
        while let Some(c) = self.next() {
            match c {
                '\\' => {
                    self.next();
                }
                '$' => self.dollar(false),
                '`' => self.backquoted(),
                '<' | '>' if self.peek() == Some('(') => {
                    self.at += 1;
                    self.substitution();
                }
                _ => {}
            }
        }
    }

    fn dollar(&mut self, bare: bool) {
        self.read.splits |= bare && self.peek() != Some('\'');
        match self.peek() {
            Some('(') if self.rest().get(1) == Some(&'(') => {
                self.at += 2;
                let inner = self.until_closed('(', ')');
                if self.peek() == Some(')') {
                    self.at += 1;
                    self.arithmetic(&inner);
                } else {
                    // `$((a); (b))`: a substitution that begins with a subshell.
                    let rest = self.until_closed('(', ')');
                    self.read.names.push("(".to_owned());
                    self.read.expand(&format!("$(({inner}){rest})"));
                    self.read.commands.push(format!("({inner}){rest}"));
                }
            }
            Some('(') => {
                self.at += 1;
                self.substitution();
            }
            Some('[') => {
                self.at += 1;
                let inner = self.until_closed('[', ']');
                self.arithmetic(&inner);
            }
            Some('{') => {
                self.at += 1;
                let inner = self.until_closed('{', '}');
                if inner.starts_with([' ', '\t', '\n', '|']) {
                    self.read.commands.push(inner.clone());
                }
                self.inside(&inner);
                self.read.splits |= inner.contains(['@', '*']);
                self.read.evaluates |= !is_plain_parameter(&inner);
                self.read.assigns |= inner.contains('=');
                self.read.names.push(name_of(&inner));
                self.read.expand(&format!("${{{inner}}}"));
            }
            Some('\'') if bare => {
                self.at += 1;
                self.ansi();
            }
            Some('"') if bare => {
                // Translated text: what it becomes is not known.
                self.read.evaluates = true;
                self.read.expand("");
            }
            Some(c) if c.is_ascii_alphanumeric() || "_@*#?-$!".contains(c) => {
                self.at += 1;
                self.variable(c);
            }
            _ => self.read.literal('$'),
        }
    }

    /// `$name`, `$1`, `$@`.
    fn variable(&mut self, first: char) {
        self.read.splits |= first == '@';
        let mut name = String::from(first);
        while let Some(c) = self
            .peek()
            .filter(|_| name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'))
        {
            if !c.is_ascii_alphanumeric() && c != '_' {
                break;
            }
            name.push(c);
            self.at += 1;
        }
        self.read.expand(&format!("${name}"));
        self.read.names.push(name);
    }

    fn inside(&mut self, text: &str) {
        let inner = loose(text);
        self.read.evaluates |= inner.evaluates;
        self.read.assigns |= inner.assigns;
        self.read.names.extend(inner.names);
        self.read.commands.extend(inner.commands);
        inner
            .problems
            .into_iter()
            .for_each(|kind| self.read.problem(kind));
    }

    fn arithmetic(&mut self, inner: &str) {
        if !is_plain_arithmetic(inner) {
            self.read.problem(UnknownKind::Arithmetic);
        }
        self.inside(inner);
        self.read.expand(&format!("$(({inner}))"));
        self.read.names.push("((".to_owned());
    }

    fn substitution(&mut self) {
        let inner = self.until_closed('(', ')');
        self.read.names.push("(".to_owned());
        self.read.expand(&format!("$({inner})"));
        self.read.commands.push(inner);
    }

    fn backquoted(&mut self) {
        let mut inner = String::new();
        loop {
            match self.next() {
                Some('`') => break,
                Some('\\') => match self.next() {
                    Some(c @ ('`' | '\\' | '$')) => inner.push(c),
                    Some(c) => inner.extend(['\\', c]),
                    None => inner.push('\\'),
                },
                Some(c) => inner.push(c),
                None => {
                    self.read.problem(UnknownKind::Syntax);
                    break;
                }
            }
        }
        self.read.names.push("(".to_owned());
        self.read.expand(&format!("`{inner}`"));
        self.read.commands.push(inner);
    }
}

/// Arithmetic over numbers only: a variable's value may hold an index that runs a command.
pub(crate) fn is_plain_arithmetic(text: &str) -> bool {
    text.chars()
        .all(|c| c.is_ascii_digit() || " \t\n+-*/%()<>=!&|^~?:,".contains(c))
}

/// `${x}`, `${#x}`, `${x%.c}`, `${x:-y}`: nothing of which is evaluated. An index, an offset, `!` and `@`
/// evaluate what a variable's value says, which can run commands.
fn is_plain_parameter(text: &str) -> bool {
    let text = text.strip_prefix('#').unwrap_or(text);
    let name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let rest = text.trim_start_matches(name);
    let index = rest
        .strip_prefix('[')
        .and_then(|rest| rest.split_once(']'))
        .filter(|(index, _)| {
            ["@", "*"].contains(index) || index.chars().all(|c| c.is_ascii_digit())
        });
    let rest = index.map_or(rest, |(_, rest)| rest);
    if rest.len() == text.len() {
        return matches!(text, "@" | "*" | "#" | "?" | "$");
    }
    let words = |rest: &str| !rest.contains(['$', '`', '[', '\\', '"', '\'']);
    rest.is_empty()
        || (rest.starts_with(['%', '#', '/', '-', '+', '^', ',']) && words(rest))
        || ([":-", ":+"].iter().any(|mark| rest.starts_with(mark)) && words(rest))
}

/// The variable that `${…}` is about.
fn name_of(text: &str) -> String {
    let text = text.strip_prefix('#').unwrap_or(text);
    let end = text
        .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .unwrap_or(text.len());
    text.get(..end).unwrap_or_default().to_owned()
}
