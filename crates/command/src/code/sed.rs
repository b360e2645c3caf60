//! `sed` scripts: commands that select, replace and print. `w`, `r` and `e` write, read and run.
//!
//! Read as GNU sed reads them; where others end a section elsewhere, it is not plain.

/// Whether a script neither writes, reads nor runs anything.
pub(crate) fn is_plain_sed(code: &str) -> bool {
    let mut script = Script {
        chars: code.chars().collect(),
        at: 0,
    };
    !code.is_empty() && script.all().is_some()
}

struct Script {
    chars: Vec<char>,
    at: usize,
}

impl Script {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek();
        self.at += usize::from(c.is_some());
        c
    }

    fn skip(&mut self, skips: impl Fn(char) -> bool) {
        while self.peek().is_some_and(&skips) {
            self.at += 1;
        }
    }

    fn all(&mut self) -> Option<()> {
        loop {
            self.skip(|c| c.is_ascii_whitespace() || c == ';' || c == '}');
            if self.peek().is_none() {
                return Some(());
            }
            self.command()?;
        }
    }

    /// One command with its addresses; `None` where it is not plain.
    fn command(&mut self) -> Option<()> {
        if self.address(First::Yes)? {
            self.skip(|c| c == ' ');
            if self.peek() == Some(',') {
                self.at += 1;
                self.skip(|c| c == ' ');
                self.address(First::No)?.then_some(())?;
            }
        }
        self.skip(|c| c == ' ' || c == '!');
        match self.next()? {
            '{' => Some(()),
            '#' => {
                self.skip(|c| c != '\n');
                Some(())
            }
            '=' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x' | 'z' | 'F' => {
                self.end()
            }
            'l' | 'q' | 'Q' => {
                self.skip(|c| c.is_ascii_digit() || c == ' ');
                self.end()
            }
            ':' | 'b' | 't' | 'T' => {
                self.skip(|c| c == ' ');
                self.skip(|c| c.is_ascii_alphanumeric() || c == '_');
                self.end()
            }
            'a' | 'i' | 'c' => {
                // Text up to a line's end that no backslash hides.
                while let Some(c) = self.next() {
                    match c {
                        '\\' => drop(self.next()),
                        '\n' => break,
                        _ => {}
                    }
                }
                Some(())
            }
            's' => {
                let mark = self.mark()?;
                self.pattern(mark)?;
                self.section(mark)?;
                self.skip(|c| "gpiImM".contains(c) || c.is_ascii_digit());
                self.end()
            }
            'y' => {
                let mark = self.mark()?;
                self.section(mark)?;
                self.section(mark)?;
                self.end()
            }
            _ => None,
        }
    }

    /// Whether there is an address; `None` where it cannot be read.
    fn address(&mut self, first: First) -> Option<bool> {
        match self.peek() {
            Some('$') => self.at += 1,
            Some(c) if c.is_ascii_digit() => self.skip(|c| c.is_ascii_digit() || c == '~'),
            Some('+' | '~') if first == First::No => {
                self.at += 1;
                self.skip(|c| c.is_ascii_digit());
            }
            Some('/') => {
                self.at += 1;
                self.pattern('/')?;
                self.skip(|c| c == 'I' || c == 'M');
            }
            Some('\\') => {
                self.at += 1;
                let mark = self.mark()?;
                self.pattern(mark)?;
                self.skip(|c| c == 'I' || c == 'M');
            }
            _ => return Some(false),
        }
        Some(true)
    }

    /// A character that parts sections.
    fn mark(&mut self) -> Option<char> {
        self.next().filter(|c| {
            *c != '\\' && !c.is_ascii_whitespace() && !c.is_ascii_alphanumeric() && *c != '['
        })
    }

    /// A regular expression up to its mark.
    fn pattern(&mut self, mark: char) -> Option<()> {
        let start = self.at;
        self.section(mark)?;
        let text = self.chars.get(start..self.at - 1)?;
        brackets_close(text).then_some(())
    }

    /// Anything up to the mark, which a backslash hides; a line's end only behind one.
    fn section(&mut self, mark: char) -> Option<()> {
        loop {
            match self.next()? {
                '\\' => drop(self.next()?),
                '\n' => return None,
                c if c == mark => return Some(()),
                _ => {}
            }
        }
    }

    /// Nothing more may belong to the command.
    fn end(&mut self) -> Option<()> {
        self.skip(|c| c == ' ');
        match self.peek() {
            None | Some(';' | '\n' | '}' | '#') => Some(()),
            Some(_) => None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum First {
    Yes,
    No,
}

/// Whether every `[` has its `]`: within one, a mark may be a character like any.
fn brackets_close(text: &[char]) -> bool {
    let mut chars = text.iter().copied().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            '[' => {
                chars.next_if_eq(&'^');
                chars.next_if_eq(&']');
                loop {
                    match chars.next() {
                        Some(']') => break,
                        Some('[') if chars.peek().is_some_and(|c| ":.=".contains(*c)) => {
                            let kind = chars.next();
                            let mut last = None;
                            loop {
                                match chars.next() {
                                    Some(']') if last == kind => break,
                                    Some(c) => last = Some(c),
                                    None => return false,
                                }
                            }
                        }
                        Some(_) => {}
                        None => return false,
                    }
                }
            }
            _ => {}
        }
    }
    true
}
