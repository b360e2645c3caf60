//! What is checked before the grammar sees a text: its size, and what could exhaust the parser.
//!
//! The parser recurses over its input, and tries alternatives for nested `((`; so openers are counted
//! and never balanced, since a closer may stand in a quote or a pattern where nothing closes.

use brush_parser::Token;

use crate::UnknownKind;

/// Longer texts are not parsed.
const MAX_BYTES: usize = 64 * 1024;
/// `$(`, `${`, `$[` and backquotes in one text.
const MAX_EXPANSIONS: usize = 64;
/// `(` in one run of tokens: unbalanced ones cost the parser 2^n.
const MAX_PARENS: usize = 8;
/// Words that open a compound command.
const MAX_COMPOUNDS: usize = 64;

/// What in the text makes it unfit for the grammar.
pub(crate) fn too_large(text: &str) -> bool {
    let opener = |pair: &[u8]| matches!(pair, [b'$', b'(' | b'{' | b'['] | [b'<' | b'>', b'(']);
    let expansions = text
        .as_bytes()
        .windows(2)
        .filter(|pair| opener(pair))
        .count();
    let quotes = text.bytes().filter(|&byte| byte == b'`').count();
    text.len() > MAX_BYTES || expansions > MAX_EXPANSIONS || quotes > MAX_EXPANSIONS
}

/// Whether these tokens would recurse or branch too far.
pub(crate) fn too_deep(tokens: &[Token]) -> bool {
    let word = |token: &&Token| matches!(token, Token::Word(..));
    let opens = [
        "{", "if", "while", "until", "for", "case", "select", "function", "coproc", "[[", "time",
    ];
    let compounds = tokens
        .iter()
        .filter(word)
        .filter(|token| opens.contains(&token.to_str()))
        .count();
    let has_case = tokens
        .iter()
        .any(|token| word(&token) && token.to_str() == "case");
    let (mut open, mut deepest) = (0_usize, 0_usize);
    for token in tokens.iter().filter(|token| !word(token)) {
        match token.to_str() {
            "(" => open += 1,
            // In a text with `case` a `)` may close a pattern, and so nothing.
            ")" if !has_case => open = open.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(open);
    }
    compounds > MAX_COMPOUNDS || deepest > if has_case { MAX_PARENS * 2 } else { MAX_PARENS }
}

/// Characters that a person does not see as what they are.
pub(crate) fn odd_characters(text: &str) -> Vec<UnknownKind> {
    let control = |c: char| (c.is_control() && c != '\n' && c != '\t') || is_format(c);
    let alike = |c: char| {
        !c.is_ascii()
            && !is_format(c)
            && (c.is_whitespace()
                || is_dash(c)
                || ('\u{ff01}'..='\u{ff5e}').contains(&c)
                || is_quote(c))
    };
    let mut found = Vec::new();
    if text.contains(control) {
        found.push(UnknownKind::Control);
    }
    if text.contains(alike) {
        found.push(UnknownKind::LookAlike);
    }
    found
}

/// Dashes that are no `-`. Source: Unicode 16.0, Dash.
fn is_dash(c: char) -> bool {
    matches!(
        c,
        '\u{58a}' | '\u{5be}' | '\u{2010}'
            ..='\u{2015}'
                | '\u{2053}'
                | '\u{207b}'
                | '\u{208b}'
                | '\u{2212}'
                | '\u{fe31}'
                | '\u{fe32}'
                | '\u{fe58}'
                | '\u{fe63}'
    )
}

/// Quotes, separators and slashes that are none to the shell.
fn is_quote(c: char) -> bool {
    matches!(
        c,
        '\u{2018}'..='\u{201f}' | '\u{37e}' | '\u{2024}' | '\u{2044}' | '\u{2215}' | '\u{29f8}'
    )
}

/// Format characters and separators that nobody sees.
fn is_format(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Joins lines that end in a backslash, as the shell does; `None` where it is not sure whether the
/// backslash stands in a comment, a here-document or a substitution, where other rules hold.
pub(crate) fn joined(text: &str) -> Option<String> {
    if !text.contains("\\\n") {
        return Some(text.to_owned());
    }
    if text.contains("<<")
        || text.contains(['#', '`'])
        || text.contains("$(")
        || text.contains("$'")
    {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let (mut single, mut double) = (false, false);
    while let Some(c) = chars.next() {
        match c {
            '\\' if !single => match chars.next() {
                Some('\n') => {}
                next => out.extend([Some(c), next].into_iter().flatten()),
            },
            '\'' if !double => {
                single = !single;
                out.push(c);
            }
            '"' if !single => {
                double = !double;
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    Some(out)
}
