//! Makes untrusted text safe to show: to a model, on a terminal, on a page.
//!
//! Text of a tool, or of whoever could write into its answer, may hide words from a person, move
//! the cursor, or pretend that the untrusted part is over. [`sanitize`] removes what hides,
//! [`sanitize_for_display`] makes it visible on one line, the two `render_` functions fence it.
//! What is hashed, pinned and judged is the raw text, never a cleaned one; and no cleaning makes
//! the *words* harmless: that they are data is what the header says.

pub(crate) mod characters;
mod clean;
mod display;
mod removed;
mod render;
mod sequences;

pub use clean::{Cleaner, is_clean, removed, sanitize};
pub use display::sanitize_for_display;
pub use removed::{Hidden, Removed};
pub use render::{
    MAX_DESCRIPTION_BYTES, cut, render_tool_description_for_prompt, render_tool_output_for_prompt,
};
