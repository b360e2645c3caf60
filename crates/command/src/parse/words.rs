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
            self.read.expanded = true;
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
                '`' => self.backquoted(),
                '*' | '?' => self.glob(c),
                '[' if !test && self.rest().contains(&']') => self.glob(c),
                '{' if self.is_brace_list() => self.read.expand("{"),
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
                self.read.expand(&format!("${{{inner}}}"));
            }
            Some('\'') if bare => {
                self.at += 1;
                self.ansi();
            }
            Some('"') if bare => self.read.expand(""), // Translated text: what it becomes is not known.
            Some(c) if c.is_ascii_alphanumeric() || "_@*#?-$!".contains(c) => {
                self.at += 1;
                let mut name = String::from(c);
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
            }
            _ => self.read.literal('$'),
        }
    }

    fn inside(&mut self, text: &str) {
        let inner = loose(text);
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
    }

    fn substitution(&mut self) {
        let inner = self.until_closed('(', ')');
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
        self.read.expand(&format!("`{inner}`"));
        self.read.commands.push(inner);
    }
}

/// Arithmetic over numbers only: a variable's value may hold an index that runs a command.
pub(crate) fn is_plain_arithmetic(text: &str) -> bool {
    text.chars()
        .all(|c| c.is_ascii_digit() || " \t\n+-*/%()<>=!&|^~?:,".contains(c))
}
