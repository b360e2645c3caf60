//! Reads the text of a pattern into a tree: `*`, `?`, `**`, `[a-z]`, `{a,b}`, `\`.
//!
//! Knows the three flavours (path, host, text) and what each calls a part; knows nothing of
//! resources. `!(…)` and its like are refused, since here they would silently mean something else.

/// What separates parts, and which forms mean something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flavour {
    /// Parts between `/`; `/**` and a `/` at the end cover a folder and all below.
    Path,
    /// Parts between `.`; a leading `*.` stands for one or more labels.
    Host,
    /// Parts between `/`, with no more structure than that.
    Text,
    /// No parts at all.
    Word,
}

impl Flavour {
    pub(crate) const fn separator(self) -> char {
        match self {
            Self::Path | Self::Text => '/',
            Self::Host => '.',
            Self::Word => '\0', // No word of a command holds it.
        }
    }
}

/// One piece of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Node {
    /// This character.
    Char(char),
    /// One character that is no separator.
    One,
    /// One character of a class; never a separator.
    Class(Class),
    /// Any run without a separator.
    Star,
    /// Any run at all.
    Any,
    /// Any number of parts, each with the separator before it.
    Parts,
    /// One of these.
    Alt(Vec<Vec<Node>>),
}

/// A character class.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Class {
    pub(crate) negated: bool,
    pub(crate) ranges: Vec<(char, char)>,
}

impl Class {
    pub(crate) fn contains(&self, c: char) -> bool {
        self.ranges.iter().any(|&(low, high)| low <= c && c <= high) != self.negated
    }
}

/// Alternatives inside alternatives, at most so deep; nobody writes more.
const MAX_DEPTH: usize = 8;

/// Reads a pattern.
pub(crate) fn parse(text: &str, flavour: Flavour) -> Result<Vec<Node>, &'static str> {
    let mut reader = Reader {
        chars: text.chars().collect(),
        at: 0,
        flavour,
    };
    let mut nodes = Vec::new();
    if flavour == Flavour::Host && text.starts_with("*.") {
        reader.at = 1;
        nodes.extend([Node::Star, Node::Parts]);
    }
    nodes.extend(reader.sequence(0)?);
    Ok(nodes)
}

struct Reader {
    chars: Vec<char>,
    at: usize,
    flavour: Flavour,
}

impl Reader {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek(0);
        self.at += usize::from(c.is_some());
        c
    }

    fn sequence(&mut self, depth: usize) -> Result<Vec<Node>, &'static str> {
        let mut nodes = Vec::new();
        while let Some(c) = self.peek(0) {
            if depth > 0 && (c == ',' || c == '}') {
                break;
            }
            if "!@+?*".contains(c) && self.peek(1) == Some('(') {
                return Err(
                    "`!(…)`, `@(…)` and their like are not known here; write two rules, or `\\(` for the character",
                );
            }
            self.at += 1;
            nodes.push(match c {
                '\\' => Node::Char(
                    self.next()
                        .ok_or("it ends with `\\`; write `\\\\` for that character")?,
                ),
                '*' => self.star(),
                '?' => Node::One,
                '[' => Node::Class(self.class()?),
                '{' => self.alternatives(depth + 1)?,
                '}' => return Err("a `}` has no `{`; write `\\}` for the character"),
                '/' if self.flavour == Flavour::Path => self.separator(),
                other => Node::Char(other),
            });
        }
        Ok(nodes)
    }

    fn star(&mut self) -> Node {
        if self.peek(0) != Some('*') {
            return Node::Star;
        }
        while self.peek(0) == Some('*') {
            self.at += 1;
        }
        Node::Any
    }

    /// A `/` was read: is it the beginning of `/**`, or the end of the pattern?
    fn separator(&mut self) -> Node {
        if self.peek(0) == Some('*') && self.peek(1) == Some('*') && self.part_ends(self.at + 2) {
            self.at += 2;
            return Node::Parts;
        }
        if self.peek(0).is_none() {
            Node::Parts
        } else {
            Node::Char('/')
        }
    }

    /// Whether what follows is a separator or the end, looking past the ends of alternatives.
    fn part_ends(&self, mut at: usize) -> bool {
        loop {
            match self.chars.get(at) {
                None | Some('/') => return true,
                Some('}') => at += 1,
                Some(',') => {
                    let Some(end) = self.end_of_alternatives(at) else {
                        return false;
                    };
                    at = end;
                }
                Some(_) => return false,
            }
        }
    }

    /// The place behind the `}` that closes the alternatives in which `at` stands.
    fn end_of_alternatives(&self, mut at: usize) -> Option<usize> {
        let mut depth = 1_usize;
        loop {
            match self.chars.get(at)? {
                '\\' => at += 1,
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            at += 1;
            if depth == 0 {
                return Some(at);
            }
        }
    }

    fn class(&mut self) -> Result<Class, &'static str> {
        const OPEN: &str = "a `[` is never closed; write `\\[` for the character";
        let negated = matches!(self.peek(0), Some('!' | '^'));
        self.at += usize::from(negated);
        let mut ranges = Vec::new();
        loop {
            let low = match self.next().ok_or(OPEN)? {
                ']' if ranges.is_empty() => return Err("`[]` is an empty class"),
                ']' => return Ok(Class { negated, ranges }),
                '[' if self.peek(0) == Some(':') => {
                    return Err("`[:…:]` is not known here; write the range, such as `[a-z]`");
                }
                '\\' => self.next().ok_or(OPEN)?,
                other => other,
            };
            let mut high = low;
            if self.peek(0) == Some('-') && self.peek(1).is_some_and(|c| c != ']') {
                self.at += 1;
                high = match self.next().ok_or(OPEN)? {
                    '\\' => self.next().ok_or(OPEN)?,
                    other => other,
                };
            }
            if low > high {
                return Err("a range in `[…]` runs backwards");
            }
            if low == self.flavour.separator() || high == self.flavour.separator() {
                return Err("a class never matches a separator; take it out of `[…]`");
            }
            ranges.push((low, high));
        }
    }

    fn alternatives(&mut self, depth: usize) -> Result<Node, &'static str> {
        if depth > MAX_DEPTH {
            return Err("`{…}` is nested more than 8 deep");
        }
        let mut branches = vec![self.sequence(depth)?];
        loop {
            match self.next() {
                Some(',') => branches.push(self.sequence(depth)?),
                Some('}') => return Ok(Node::Alt(branches)),
                _ => return Err("a `{` is never closed; write `\\{` for the character"),
            }
        }
    }
}
