//! `awk` programs that compute and print. A redirection or pipe of `print` writes and runs, `system` and
//! `getline` run and read, `ENVIRON` shows the environment.
//!
//! A reader of tokens, since `>` compares in one place and writes in another, and `/` divides here and
//! begins a pattern there. Where that depends on more than the token before, it is not plain.

/// Words that are nowhere in a plain program, also not in a text or comment, so that no misread token
/// can hide one.
const REFUSED: [&str; 10] = [
    "system", "getline", "close", "ENVIRON", "PROCINFO", "ARG", "@", "/inet/", "/inet4", "/inet6",
];

/// Whether a program neither writes, reads nor runs anything by itself.
pub(crate) fn is_plain_awk(code: &str) -> bool {
    let mut reader = Reader {
        chars: code.chars().collect(),
        at: 0,
        before: Before::Operator,
        parens: Vec::new(),
        condition: false,
        printing: None,
    };
    !code.trim().is_empty()
        && !REFUSED.iter().any(|word| code.contains(word))
        && reader.all().is_some()
}

/// What the token before was, which tells a division from a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Before {
    Operand,
    Operator,
    /// `++` and `--` may end an operand or begin one.
    Either,
}

struct Reader {
    chars: Vec<char>,
    at: usize,
    before: Before,
    /// Of each open parenthesis, whether it holds the condition of an `if`, `while` or `for`.
    parens: Vec<bool>,
    /// Whether the next parenthesis holds a condition.
    condition: bool,
    /// How many parentheses were open where the present `print` stands.
    printing: Option<usize>,
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

    fn took(&mut self, c: char) -> bool {
        let took = self.peek() == Some(c);
        self.at += usize::from(took);
        took
    }

    fn all(&mut self) -> Option<()> {
        while let Some(c) = self.next() {
            self.token(c)?;
        }
        self.parens.is_empty().then_some(())
    }

    fn token(&mut self, c: char) -> Option<()> {
        match c {
            ' ' | '\t' => return Some(()),
            '\\' => return self.took('\n').then_some(()),
            '#' => {
                while self.peek().is_some_and(|c| c != '\n') {
                    self.at += 1;
                }
                return Some(());
            }
            '"' => return self.text(),
            '/' => return self.slash(),
            'a'..='z' | 'A'..='Z' | '_' => self.word(c),
            '0'..='9' | '.' => self.number(),
            ';' | '{' | '}' => {
                self.printing = None;
                self.before = Before::Operator;
            }
            '(' => {
                self.parens.push(std::mem::take(&mut self.condition));
                self.before = Before::Operator;
            }
            ')' => return self.closes(),
            ']' => self.before = Before::Operand,
            '>' => {
                let writes = self.printing == Some(self.parens.len());
                (!writes).then_some(())?;
                self.before = Before::Operator;
            }
            '|' | '&' => {
                // One alone is a pipe.
                self.took(c).then_some(())?;
                self.before = Before::Operator;
            }
            '+' | '-' => {
                self.before = if self.took(c) {
                    Before::Either
                } else {
                    Before::Operator
                };
            }
            '\n' | '$' | '[' | '*' | '%' | '^' | '!' | '~' | '=' | '<' | ',' | '?' | ':' => {
                self.before = Before::Operator;
            }
            _ => return None,
        }
        Some(())
    }

    fn number(&mut self) {
        while self
            .peek()
            .is_some_and(|c| c.is_ascii_alphanumeric() || c == '.')
        {
            self.at += 1;
        }
        self.before = Before::Operand;
    }

    /// A closing parenthesis: behind a condition stands what a statement begins with.
    fn closes(&mut self) -> Option<()> {
        let condition = self.parens.pop()?;
        self.before = if condition {
            Before::Operator
        } else {
            Before::Operand
        };
        let inside = self.printing.is_some_and(|open| open > self.parens.len());
        (!inside).then_some(())
    }

    fn word(&mut self, first: char) {
        let mut word = String::from(first);
        while let Some(c) = self
            .peek()
            .filter(|c| c.is_ascii_alphanumeric() || *c == '_')
        {
            word.push(c);
            self.at += 1;
        }
        self.before = match word.as_str() {
            "print" | "printf" => {
                self.printing = Some(self.parens.len());
                Before::Operator
            }
            "if" | "while" | "for" | "switch" => {
                self.condition = true;
                Before::Operator
            }
            "BEGIN" | "END" | "do" | "else" | "in" | "return" | "delete" | "case" | "function"
            | "func" | "exit" | "next" | "nextfile" => Before::Operator,
            _ => Before::Operand,
        };
    }

    /// A text up to its closing quote.
    fn text(&mut self) -> Option<()> {
        loop {
            match self.next()? {
                '"' => break,
                '\\' => drop(self.next()?),
                '\n' => return None,
                _ => {}
            }
        }
        self.before = Before::Operand;
        Some(())
    }

    /// A division, or a pattern up to its closing slash.
    fn slash(&mut self) -> Option<()> {
        match self.before {
            Before::Operand => {
                self.before = Before::Operator;
                return Some(());
            }
            Before::Either => return None,
            Before::Operator => {}
        }
        loop {
            match self.next()? {
                '/' => break,
                '\\' => drop(self.next()?),
                '\n' => return None,
                '[' => self.bracket()?,
                _ => {}
            }
        }
        self.before = Before::Operand;
        Some(())
    }

    /// `[…]` within a pattern; a slash in it ends the pattern for some and not for others.
    fn bracket(&mut self) -> Option<()> {
        self.took('^');
        self.took(']');
        loop {
            match self.next()? {
                ']' => return Some(()),
                '\\' => drop(self.next()?),
                '[' if self.took(':') => {
                    while self.peek().is_some_and(|c| c.is_ascii_alphabetic()) {
                        self.at += 1;
                    }
                    (self.took(':') && self.took(']')).then_some(())?;
                }
                '[' if self.peek().is_some_and(|c| c == '.' || c == '=') => return None,
                '/' | '\n' => return None,
                _ => {}
            }
        }
    }
}
