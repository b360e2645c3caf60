//! House rules for one Rust file: its head, its size, and what must not stand in it.
//!
//! Works on tokens, so that a string or a comment that names a forbidden thing is no fault and
//! one that hides inside a macro's body is. Knows no types; clippy has those rules.

use std::str::FromStr as _;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// The wall for code lines a file; the aim is half of it.
const WALL: usize = 400;
/// File names that name no idea.
const NAMELESS: [&str; 6] = ["utils", "util", "types", "common", "helpers", "misc"];

/// Faults of the file, each as `place: what`.
pub(crate) fn judge(file: &str, text: &str) -> Vec<String> {
    let mut findings = Vec::new();
    let at = |line: usize, what: &str| format!("{file}:{line}: {what}");
    let says_something = text
        .lines()
        .next()
        .and_then(|line| line.strip_prefix("//!"))
        .is_some_and(|rest| !rest.trim().is_empty());
    if !says_something {
        findings.push(at(1, "a file starts with `//!` and what it is for"));
    }
    let lines = code_lines(text);
    if lines >= WALL {
        findings.push(format!("{file}: {lines} code lines; the wall is {WALL}"));
    }
    let name = file.rsplit('/').next().unwrap_or(file);
    let stem = name.strip_suffix(".rs").unwrap_or(name);
    if NAMELESS.contains(&stem)
        || NAMELESS
            .iter()
            .any(|bad| file.contains(&format!("/{bad}/")))
    {
        findings.push(format!("{file}: name the idea of the file"));
    }
    for (index, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("//") && line.contains("```") && line.contains("ignore") {
            findings.push(at(index + 1, "an example that is not compiled"));
        }
    }
    match TokenStream::from_str(text) {
        Ok(tokens) => scan(tokens, &mut |line, what| findings.push(at(line, what))),
        Err(error) => findings.push(format!("{file}: it cannot be parsed: {error}")),
    }
    findings
}

/// Lines that are neither empty nor only a comment.
pub(crate) fn code_lines(text: &str) -> usize {
    let lines = text.lines().map(str::trim);
    lines
        .filter(|line| !line.is_empty() && !line.starts_with("//"))
        .count()
}

fn scan(tokens: TokenStream, report: &mut impl FnMut(usize, &str)) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (index, token) in tokens.iter().enumerate() {
        let next = tokens.get(index + 1);
        let line = token.span().start().line;
        match token {
            TokenTree::Group(group) => {
                if group.delimiter() == Delimiter::Bracket && is_attribute(&tokens, index) {
                    attribute(group.stream(), line, report);
                }
                scan(group.stream(), report);
            }
            TokenTree::Ident(ident) => {
                let bang = matches!(next, Some(TokenTree::Punct(punct)) if punct.as_char() == '!');
                if bang && (ident == "todo" || ident == "unimplemented") {
                    report(line, "unfinished code");
                }
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// Whether the bracket at `index` follows `#` or `#!`.
fn is_attribute(tokens: &[TokenTree], index: usize) -> bool {
    let mark = |back: usize, wanted: char| {
        let token = index.checked_sub(back).and_then(|place| tokens.get(place));
        matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == wanted)
    };
    mark(1, '#') || (mark(1, '!') && mark(2, '#'))
}

fn attribute(tokens: TokenStream, line: usize, report: &mut impl FnMut(usize, &str)) {
    for token in tokens {
        match token {
            TokenTree::Ident(name) => match name.to_string().as_str() {
                "allow" => report(line, "`allow`: write `expect` with a reason"),
                "ignore" => report(line, "an ignored test"),
                "should_panic" => report(line, "a test that should panic: test the error"),
                _ => {}
            },
            // `cfg_attr(test, allow(..))`, but not the arguments of `derive` or `doc`: no such
            // names occur there.
            TokenTree::Group(group) => attribute(group.stream(), line, report),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}
