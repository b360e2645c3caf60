//! Finds how much of a JSON string stands for itself, sixteen bytes at a look.
//!
//! Both the canonical writer and the strict reader spend most of their time here: nearly all of
//! most strings is copied as it is.

const LOOK: usize = 16;

/// Whether a byte cannot stand in a JSON string as it is.
fn is_special(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

/// The bytes before the first that JSON escapes, or all of them.
pub(crate) fn plain_length(bytes: &[u8]) -> usize {
    let mut length = 0;
    for look in bytes.chunks_exact(LOOK) {
        // No early end inside: so the compiler looks at all of them at once.
        if look.iter().fold(false, |any, byte| any | is_special(*byte)) {
            break;
        }
        length += LOOK;
    }
    let rest = bytes.get(length..).unwrap_or_default();
    length + rest.iter().take_while(|byte| !is_special(**byte)).count()
}

/// The text before its first escaped byte, that byte, and the text after it; none if there is none.
pub(crate) fn split_special(text: &str) -> Option<(&str, u8, &str)> {
    let (plain, rest) = text.split_at_checked(plain_length(text.as_bytes()))?;
    let (special, after) = rest.split_at_checked(1)?;
    Some((plain, special.bytes().next()?, after))
}
