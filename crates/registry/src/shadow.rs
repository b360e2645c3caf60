//! Names that a person, or a model, would take for another: the same but for case, for characters
//! that look alike, or for characters that cannot be seen.
//!
//! Two names clash when their skeletons are equal. Rules never use skeletons: they go by the raw name.

use tipstaff_schema::sanitization::sanitize;
use unicode_security::confusable_detection::skeleton;

/// What is left of a name when case, look-alikes and invisible characters are taken away.
pub(crate) fn skeleton_of(name: &str) -> String {
    let seen = sanitize(name);
    // Lower case on both sides: `I` and `l` meet only after folding, `Κ` only after the skeleton.
    let lower = seen.to_lowercase();
    skeleton(&lower).collect::<String>().to_lowercase()
}

/// Whether a name holds characters that cannot be seen.
pub(crate) fn hides(name: &str) -> bool {
    sanitize(name) != name
}
