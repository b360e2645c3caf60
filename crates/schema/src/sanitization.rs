//! Cleans untrusted text before a model, a terminal or a page sees it.

use std::borrow::Cow;

/// The most that a description's body may have, truncation mark included.
pub const MAX_DESCRIPTION_BYTES: usize = 2048;

/// Removes what hides or moves text.
#[must_use]
pub fn sanitize(text: &str) -> Cow<'_, str> {
    Cow::Owned(
        text.chars()
            .filter(|c| !c.is_control() || matches!(c, '\n' | '\t'))
            .collect(),
    )
}

/// Makes visible what hides or moves text.
#[must_use]
pub fn sanitize_for_display(text: &str) -> String {
    text.chars()
        .flat_map(|c| {
            if c.is_control() {
                c.escape_default().collect::<Vec<_>>()
            } else {
                vec![c]
            }
        })
        .collect()
}

/// A description, fenced, for a prompt.
#[must_use]
pub fn render_tool_description_for_prompt(tool: &str, description: &str, label: &str) -> String {
    render_tool_output_for_prompt(tool, description, label, MAX_DESCRIPTION_BYTES)
}

/// An output, fenced, for a prompt.
#[must_use]
pub fn render_tool_output_for_prompt(
    tool: &str,
    output: &str,
    label: &str,
    _max_bytes: usize,
) -> String {
    format!(
        "`{}` UNTRUSTED\n~~~~{label}\n{}\n~~~~{label}",
        sanitize_for_display(tool),
        sanitize(output)
    )
}
