//! Finds the control sequences of terminals (ANSI, OSC, DCS, APC), in pieces as in the whole.
//!
//! A terminal's parser in small. It interprets nothing: it only says of each character whether it
//! is text. A sequence that is not finished ends with its line, so that it cannot swallow what
//! comes after.

/// Where in a sequence the text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Sequences {
    /// In none.
    #[default]
    Text,
    /// After ESC.
    Escape,
    /// After ESC and an intermediate byte.
    Intermediate,
    /// In a control sequence (CSI).
    Control,
    /// In a string (OSC, DCS, APC, PM, SOS).
    String,
}

impl Sequences {
    /// Takes the next character and says whether it is text. Controls outside sequences are
    /// text here; the caller removes them.
    pub(super) fn is_text(&mut self, c: char) -> bool {
        let (next, text) = self.step(c);
        *self = next;
        text
    }

    fn step(self, c: char) -> (Self, bool) {
        match (self, c) {
            (_, '\n' | '\u{2028}' | '\u{2029}') => (Self::Text, true),
            (_, '\u{1B}') => (Self::Escape, false),
            (_, '\u{9B}') => (Self::Control, false),
            (_, '\u{90}' | '\u{98}' | '\u{9D}'..='\u{9F}') => (Self::String, false),
            // Cancel, substitute, and the other C1 controls (string terminator) end a sequence.
            (_, '\u{18}' | '\u{1A}' | '\u{80}'..='\u{9F}') => (Self::Text, false),
            (Self::Text, _) => (Self::Text, true),
            (Self::String, '\u{7}') => (Self::Text, false),
            (Self::String, _) => (Self::String, false),
            (_, '\0'..='\u{1F}' | '\u{7F}') => (self, false),
            (Self::Escape, '[') => (Self::Control, false),
            (Self::Escape, ']' | 'P' | '_' | '^' | 'X') => (Self::String, false),
            (Self::Escape | Self::Intermediate, ' '..='/') => (Self::Intermediate, false),
            (Self::Escape | Self::Intermediate, '0'..='~') => (Self::Text, false),
            (Self::Control, ' '..='?') => (Self::Control, false),
            (Self::Control, '@'..='~') => (Self::Text, false),
            (Self::Escape | Self::Intermediate | Self::Control, _) => (Self::Text, true),
        }
    }
}
