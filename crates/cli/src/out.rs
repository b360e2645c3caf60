//! Printing. Standard output is for what was asked for, standard error for complaints. A reader of
//! standard output that goes away ends the program quietly; only commands that hold nothing print here.

use std::io::Write;

use serde::Serialize;

/// A line on standard output. When its reader has gone, the program ends: there is nobody to tell.
pub(crate) fn line(text: &str) {
    if writeln!(anstream::stdout(), "{text}").is_err() {
        std::process::exit(0);
    }
}

/// A value as one line of JSON in ASCII, everything else escaped.
pub(crate) fn json(value: &impl Serialize) {
    let text =
        serde_json::to_string(value).unwrap_or_else(|error| format!("{{\"error\":\"{error}\"}}"));
    line(&ascii(&text));
}

/// A line on standard error; nothing happens where nobody reads it.
pub(crate) fn complain(text: &str) {
    drop(writeln!(anstream::stderr(), "{text}"));
}

/// JSON text with every character outside ASCII as `\u`.
pub(crate) fn ascii(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let mut units = [0; 2];
    for c in json.chars() {
        if c.is_ascii() && c != '\u{7f}' {
            out.push(c);
        } else {
            for unit in c.encode_utf16(&mut units) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    out
}

/// A table: columns as wide as their widest cell, two blanks between.
pub(crate) fn table(head: &[&str], rows: &[Vec<String>]) {
    let head: Vec<String> = head.iter().map(|cell| (*cell).to_owned()).collect();
    let all = || std::iter::once(&head).chain(rows);
    let width = |column: usize| {
        all()
            .filter_map(|row| row.get(column))
            .map(|cell| cell.chars().count())
            .max()
    };
    let widths: Vec<usize> = (0..head.len())
        .map(|column| width(column).unwrap_or(0))
        .collect();
    for row in all() {
        let cells = row
            .iter()
            .zip(&widths)
            .map(|(cell, width)| format!("{cell:width$}"));
        line(cells.collect::<Vec<_>>().join("  ").trim_end());
    }
}
