//! A text as its reader takes it, for patterns to run over, with the way back to the text itself.
//!
//! Lower case; one blank for any run of white space; nothing that is not shown; a character that
//! passes for ASCII letters as those. Never shown to anybody.

use std::ops::Range;

use unicode_security::confusable_detection::skeleton;

/// A normalised text.
pub(super) struct Normal {
    bytes: Vec<u8>,
    // INVARIANT: as long as `bytes`: for each byte the span of the character that it came from.
    from: Vec<(u32, u32)>,
}

impl Normal {
    /// Normalises a text whose runs of unseen characters are these, in order.
    pub(super) fn of(text: &str, unseen: &[Range<usize>]) -> Self {
        let mut normal = Self {
            bytes: Vec::with_capacity(text.len()),
            from: Vec::with_capacity(text.len()),
        };
        let mut unseen = unseen.iter().peekable();
        for (at, c) in text.char_indices() {
            while unseen.next_if(|run| run.end <= at).is_some() {}
            if unseen.peek().is_some_and(|run| run.start <= at) {
                continue;
            }
            let span = (place(at), place(at + c.len_utf8()));
            if c.is_whitespace() {
                normal.blank(span);
            } else if c.is_ascii() {
                normal.push(c.to_ascii_lowercase(), span);
            } else {
                normal.look_alike(c, span);
            }
        }
        normal
    }

    /// What patterns run over.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The place in the text of a place in `bytes`; none for an empty one.
    pub(super) fn back(&self, span: Range<usize>) -> Option<Range<usize>> {
        let (start, _) = self.from.get(span.start)?;
        let (_, end) = self.from.get(span.end.checked_sub(1)?)?;
        (start < end).then_some(*start as usize..*end as usize)
    }

    fn blank(&mut self, span: (u32, u32)) {
        if self.bytes.last().is_some_and(|last| *last != b' ') {
            self.push(' ', span);
        }
    }

    fn push(&mut self, c: char, span: (u32, u32)) {
        let mut buffer = [0; 4];
        self.extend(c.encode_utf8(&mut buffer), span);
    }

    fn extend(&mut self, text: &str, span: (u32, u32)) {
        self.bytes.extend_from_slice(text.as_bytes());
        self.from.resize(self.bytes.len(), span);
    }

    fn look_alike(&mut self, c: char, span: (u32, u32)) {
        let mut buffer = [0; 4];
        let like: String = skeleton(c.encode_utf8(&mut buffer)).collect();
        if like.is_ascii() && !like.is_empty() {
            self.extend(&like.to_ascii_lowercase(), span);
        } else {
            self.push(c, span);
        }
    }
}

/// Texts are within the bounds of a definition, far below 4 GiB; what lies beyond is not looked at.
fn place(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
