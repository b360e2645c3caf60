//! Reads the outline of a JSON text as it flows by, so that a message too long to keep can still be
//! told apart, answered and cut where it stays readable.
//!
//! It is no parser: it trusts nothing but the nesting, and what is kept of the text goes through the
//! strict reader afterwards.

/// Deeper texts are given up: no message of ours comes near it.
const MAX_DEPTH: usize = 512;
/// Keys and scalars longer than this are none that we look for.
const MAX_TOKEN: usize = 256;

/// Where a text that is too long may be cut, and what closes it there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cut {
    /// How many bytes of the text to keep.
    pub(crate) at: usize,
    /// What to write behind them.
    pub(crate) closing: Vec<u8>,
    /// Whether the cut falls into `result.structuredContent`.
    pub(crate) in_structured: bool,
}

/// What was seen of a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Skim {
    /// It is one whole object.
    pub(crate) complete: bool,
    /// The text of the first top-level `id`, when it is a scalar.
    pub(crate) id: Option<Vec<u8>>,
    /// There is a top-level `method`.
    pub(crate) has_method: bool,
    /// There is a top-level `result`.
    pub(crate) has_result: bool,
    /// There is a top-level `error`.
    pub(crate) has_error: bool,
    /// `result.isError` is `true`.
    pub(crate) is_error: bool,
    /// The text of `error.code`.
    pub(crate) code: Option<Vec<u8>>,
    /// Where to cut, if [`Skimmer::mark`] was called and there is a place.
    pub(crate) cut: Option<Cut>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Text {
    Outside,
    Inside,
    Escape,
    Unicode(u8),
}

/// The state of one reading.
#[derive(Debug)]
pub(crate) struct Skimmer {
    seen: Skim,
    at: usize,
    stack: Vec<u8>,
    keys: [Vec<u8>; 2],
    text: Text,
    is_key: bool,
    expect_key: bool,
    token: Vec<u8>,
    in_scalar: bool,
    after_unicode: bool,
    /// The last place inside the open string where a character ends.
    clean: usize,
    /// The end of the last whole value, and how many containers were open there.
    safe: Option<(usize, usize)>,
    started: bool,
    broken: bool,
}

impl Skimmer {
    pub(crate) fn new() -> Self {
        Self {
            seen: Skim::default(),
            at: 0,
            stack: Vec::new(),
            keys: [Vec::new(), Vec::new()],
            text: Text::Outside,
            is_key: false,
            expect_key: false,
            token: Vec::new(),
            in_scalar: false,
            after_unicode: false,
            clean: 0,
            safe: None,
            started: false,
            broken: false,
        }
    }

    /// Reads a whole text at once.
    pub(crate) fn read(bytes: &[u8]) -> Skim {
        let mut skimmer = Self::new();
        skimmer.push(bytes);
        skimmer.finish()
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        for byte in bytes {
            if self.broken {
                return;
            }
            self.step(*byte);
            self.at += 1;
        }
    }

    /// Everything that was pushed so far can be kept: remembers where it may be cut.
    pub(crate) fn mark(&mut self) {
        let in_value = self.text != Text::Outside && !self.is_key;
        let (at, depth) = match (in_value, self.safe) {
            (true, _) => (self.clean, self.stack.len()),
            (false, Some(safe)) => safe,
            (false, None) => return,
        };
        let mut closing = if in_value { vec![b'"'] } else { Vec::new() };
        closing.extend(
            self.stack
                .iter()
                .take(depth)
                .rev()
                .map(|open| if *open == b'{' { b'}' } else { b']' }),
        );
        self.seen.cut = Some(Cut {
            at,
            closing,
            in_structured: self.at_path(b"result", b"structuredContent"),
        });
    }

    pub(crate) fn finish(mut self) -> Skim {
        self.seen.complete = self.started && !self.broken && self.stack.is_empty();
        self.seen
    }

    fn step(&mut self, byte: u8) {
        match self.text {
            Text::Outside => self.outside(byte),
            Text::Inside => match byte {
                b'"' => self.end_string(),
                b'\\' => {
                    if !self.after_unicode {
                        self.clean = self.at;
                    }
                    self.keep(byte);
                    self.text = Text::Escape;
                }
                _ => {
                    if byte & 0b1100_0000 != 0b1000_0000 {
                        self.clean = self.at;
                    }
                    self.after_unicode = false;
                    self.keep(byte);
                }
            },
            Text::Escape => {
                self.after_unicode = byte == b'u';
                self.text = if byte == b'u' {
                    Text::Unicode(4)
                } else {
                    Text::Inside
                };
                self.keep(byte);
            }
            Text::Unicode(left) => {
                self.text = if left > 1 {
                    Text::Unicode(left - 1)
                } else {
                    Text::Inside
                };
                self.keep(byte);
            }
        }
    }

    fn outside(&mut self, byte: u8) {
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' => self.end_scalar(),
            b'"' => {
                self.begin_value();
                self.is_key = self.expect_key;
                self.text = Text::Inside;
                self.clean = self.at + 1;
                self.after_unicode = false;
            }
            b'{' | b'[' => {
                self.begin_value();
                self.stack.push(byte);
                self.expect_key = byte == b'{';
                if let Some(key) = self.keys.get_mut(self.stack.len() - 1) {
                    key.clear();
                }
                self.broken |= self.stack.len() > MAX_DEPTH;
            }
            b'}' | b']' => {
                self.end_scalar();
                let opened = if byte == b'}' { b'{' } else { b'[' };
                self.broken |= self.stack.pop() != Some(opened);
                self.expect_key = false;
                self.end_value(self.at + 1);
            }
            b',' => {
                self.end_scalar();
                self.expect_key = self.stack.last() == Some(&b'{');
            }
            b':' => self.end_scalar(),
            _ => {
                if !self.in_scalar {
                    self.begin_value();
                    self.in_scalar = true;
                }
                self.keep(byte);
            }
        }
    }

    fn begin_value(&mut self) {
        // One object and nothing else: anything before or after it is no message.
        self.broken |= self.stack.is_empty() && self.started;
        self.started = true;
        self.token.clear();
    }

    fn keep(&mut self, byte: u8) {
        if self.token.len() <= MAX_TOKEN {
            self.token.push(byte);
        }
    }

    fn end_string(&mut self) {
        self.text = Text::Outside;
        if !self.is_key {
            self.note_scalar(true);
            self.end_value(self.at + 1);
            return;
        }
        self.expect_key = false;
        let token = std::mem::take(&mut self.token);
        if self.stack.len() == 1 {
            match token.as_slice() {
                b"method" => self.seen.has_method = true,
                b"result" => self.seen.has_result = true,
                b"error" => self.seen.has_error = true,
                _ => {}
            }
        }
        if let Some(key) = self.keys.get_mut(self.stack.len().wrapping_sub(1)) {
            *key = token;
        }
    }

    fn end_scalar(&mut self) {
        if std::mem::take(&mut self.in_scalar) {
            self.note_scalar(false);
            self.end_value(self.at);
        }
    }

    fn end_value(&mut self, at: usize) {
        self.safe = Some((at, self.stack.len()));
    }

    fn at_path(&self, first: &[u8], second: &[u8]) -> bool {
        let [one, two] = &self.keys;
        self.stack.len() >= 2 && one == first && two == second
    }

    fn note_scalar(&mut self, quoted: bool) {
        if self.token.len() > MAX_TOKEN {
            return;
        }
        let [top, _] = &self.keys;
        if self.stack.len() == 1 && top == b"id" && self.seen.id.is_none() {
            let quote: &[u8] = if quoted { b"\"" } else { b"" };
            self.seen.id = Some([quote, &self.token, quote].concat());
        } else if self.stack.len() == 2 && self.at_path(b"result", b"isError") {
            self.seen.is_error |= !quoted && self.token == b"true";
        } else if self.stack.len() == 2 && self.at_path(b"error", b"code") && !quoted {
            self.seen.code = Some(self.token.clone());
        }
    }
}
