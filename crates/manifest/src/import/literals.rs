//! The part of Starlark that rules files are made of: calls at the top level whose arguments are texts,
//! lists of them, and names. Nothing is evaluated; whatever else stands there is said to be unread.

/// A call.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Call {
    pub(super) line: usize,
    pub(super) name: String,
    pub(super) arguments: Arguments,
    /// As written, on one line.
    pub(super) text: String,
}

/// Values, each with its name where one is written.
type Arguments = Vec<(Option<String>, Literal)>;

/// An argument.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Literal {
    Text(String),
    List(Vec<Literal>),
    /// `None`, `True`, `False`.
    Name(String),
}

impl Call {
    /// An argument by its name or its place.
    pub(super) fn argument(&self, name: &str, place: usize) -> Option<&Literal> {
        let named = self
            .arguments
            .iter()
            .find(|(own, _)| own.as_deref() == Some(name));
        let placed = self.arguments.get(place).filter(|(own, _)| own.is_none());
        named.or(placed).map(|(_, value)| value)
    }
}

/// All calls, and the lines that were not read.
pub(super) fn read(text: &str) -> (Vec<Call>, Vec<(usize, &'static str)>) {
    let mut reader = Reader {
        chars: text.chars().collect(),
        at: 0,
    };
    let (mut calls, mut unread) = (Vec::new(), Vec::new());
    loop {
        reader.blanks();
        if reader.peek().is_none() {
            return (calls, unread);
        }
        let (start, line) = (reader.at, reader.line());
        match reader.call() {
            Ok((name, arguments)) => {
                let text: String = reader
                    .chars
                    .get(start..reader.at)
                    .unwrap_or_default()
                    .iter()
                    .collect();
                let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
                calls.push(Call {
                    line,
                    name,
                    arguments,
                    text,
                });
            }
            Err(why) => {
                unread.push((line, why));
                reader.at = reader.at.max(start + 1);
                reader.skip_statement();
            }
        }
    }
}

struct Reader {
    chars: Vec<char>,
    at: usize,
}

impl Reader {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek();
        self.at += usize::from(c.is_some());
        c
    }

    fn line(&self) -> usize {
        let before = self.chars.get(..self.at).unwrap_or_default();
        before.iter().filter(|c| **c == '\n').count() + 1
    }

    /// Blanks, line ends, comments, and semicolons between statements.
    fn blanks(&mut self) {
        while let Some(c) = self.peek() {
            if c == '#' {
                while self.peek().is_some_and(|c| c != '\n') {
                    self.at += 1;
                }
            } else if c.is_whitespace() || c == ';' {
                self.at += 1;
            } else {
                return;
            }
        }
    }

    /// On to the next line that begins with something.
    fn skip_statement(&mut self) {
        while let Some(c) = self.next() {
            if c == '\n'
                && self
                    .peek()
                    .is_some_and(|c| !c.is_whitespace() && !"#)]}".contains(c))
            {
                return;
            }
        }
    }

    fn name(&mut self) -> Option<String> {
        let mut name = String::new();
        while let Some(c) = self
            .peek()
            .filter(|c| c.is_ascii_alphanumeric() || *c == '_')
        {
            name.push(c);
            self.at += 1;
        }
        let digit = name.chars().next().is_none_or(|c| c.is_ascii_digit());
        (!digit).then_some(name)
    }

    fn call(&mut self) -> Result<(String, Arguments), &'static str> {
        let name = self.name().ok_or("this is no call of a function")?;
        self.inline_blanks();
        if self.peek() != Some('(') {
            return Err("only calls with literal arguments are read");
        }
        self.at += 1;
        let mut arguments = Vec::new();
        loop {
            self.blanks();
            if self.peek() == Some(')') {
                self.at += 1;
                break;
            }
            arguments.push(self.argument()?);
            self.blanks();
            match self.peek() {
                Some(',') => self.at += 1,
                Some(')') => {}
                Some(_) | None => return Err("an argument is computed"),
            }
        }
        self.inline_blanks();
        match self.peek() {
            None | Some('\n' | '\r' | '#' | ';') => Ok((name, arguments)),
            Some(_) => Err("something is done with what the call gives"),
        }
    }

    fn inline_blanks(&mut self) {
        while self.peek().is_some_and(|c| c == ' ' || c == '\t') {
            self.at += 1;
        }
    }

    fn argument(&mut self) -> Result<(Option<String>, Literal), &'static str> {
        let start = self.at;
        if let Some(name) = self.name() {
            self.blanks();
            let equals = self.peek() == Some('=') && self.chars.get(self.at + 1) != Some(&'=');
            if equals {
                self.at += 1;
                self.blanks();
                return Ok((Some(name), self.literal(0)?));
            }
            self.at = start;
        }
        Ok((None, self.literal(0)?))
    }

    fn literal(&mut self, depth: usize) -> Result<Literal, &'static str> {
        match self.peek() {
            Some('[') if depth < 4 => {
                self.at += 1;
                let mut items = Vec::new();
                loop {
                    self.blanks();
                    if self.peek() == Some(']') {
                        self.at += 1;
                        return Ok(Literal::List(items));
                    }
                    items.push(self.literal(depth + 1)?);
                    self.blanks();
                    match self.peek() {
                        Some(',') => self.at += 1,
                        Some(']') => {}
                        Some(_) | None => return Err("an item of a list is computed"),
                    }
                }
            }
            Some(quote @ ('"' | '\'')) => {
                self.at += 1;
                self.text(quote)
            }
            _ => match self.name().as_deref() {
                Some(name @ ("None" | "True" | "False")) => Ok(Literal::Name(name.to_owned())),
                Some(_) | None => Err("an argument is no text, no list and no plain name"),
            },
        }
    }

    fn text(&mut self, quote: char) -> Result<Literal, &'static str> {
        if self.peek() == Some(quote) && self.chars.get(self.at + 1) == Some(&quote) {
            return Err("a text in three quotes");
        }
        let mut text = String::new();
        while let Some(c) = self.next() {
            match c {
                c if c == quote => {
                    return Ok(Literal::Text(text));
                }
                '\n' => return Err("a text without its end"),
                '\\' => text.push(match self.next() {
                    Some(c @ ('\\' | '"' | '\'')) => c,
                    Some('n') => '\n',
                    Some('t') => '\t',
                    Some('r') => '\r',
                    Some(_) | None => return Err("a text with an escape that is not known here"),
                }),
                c => text.push(c),
            }
        }
        Err("a text without its end")
    }
}
