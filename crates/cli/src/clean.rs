//! `tipstaff clean`: standard input through the sanitiser.
//!
//! Without a reader the text is cleaned while it comes, so that a server's output can go through it;
//! everything else needs the whole text first.

use std::io::Write as _;

use serde_json::{Map, Value, json};
use tipstaff_schema::sanitization::{
    Cleaner, Hidden, Removed, cut, removed, render_tool_output_for_prompt, sanitize,
    sanitize_for_display,
};

use crate::args::{CleanArgs, Reader};
use crate::exit::{self, Code, Failure, USAGE};
use crate::input::{self, Seen};
use crate::out;

/// The cap of a prompt's body where none is given.
const PROMPT_BYTES: usize = 65536;

pub(crate) fn run(args: &CleanArgs, as_json: bool) -> Result<Code, Failure> {
    if args.reader != Some(Reader::Prompt) && (args.tool.is_some() || args.label.is_some()) {
        return Err(Failure::new(
            USAGE,
            "--tool and --label are of the header of a prompt: add `--for prompt`",
        ));
    }
    if args.reader.is_none() && args.max_bytes.is_none() && !as_json {
        return stream();
    }
    let mut text = String::new();
    let seen = input::pieces(|piece| {
        text.push_str(piece);
        if text.len() > input::MOST {
            return Err(input::too_large());
        }
        Ok(())
    })?;
    let shown = shown(args, &text);
    if as_json {
        out::json(&report(args, &text, &shown, seen));
    } else if args.reader.is_some() {
        out::line(&shown);
    } else {
        write(&shown)?;
    }
    Ok(exit::OK)
}

/// Cleans what comes and passes it on at once.
fn stream() -> Result<Code, Failure> {
    let (mut cleaner, mut clean) = (Cleaner::new(), String::new());
    input::pieces(|piece| {
        cleaner.push(piece, &mut clean);
        write(&clean)?;
        clean.clear();
        Ok(())
    })?;
    cleaner.finish(&mut clean);
    write(&clean)?;
    Ok(exit::OK)
}

/// Exactly this text on standard output.
fn write(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    match written {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => {
            std::process::exit(0); // Nobody reads on.
        }
        written => written.map_err(|error| Failure::environment(&error)),
    }
}

fn shown(args: &CleanArgs, text: &str) -> String {
    match args.reader {
        Some(Reader::Prompt) => render_tool_output_for_prompt(
            args.tool.as_deref().unwrap_or("stdin"),
            text,
            args.label.as_deref().unwrap_or_default(),
            args.max_bytes.unwrap_or(PROMPT_BYTES),
        ),
        Some(Reader::Terminal) => capped(args, &sanitize_for_display(text)),
        None => capped(args, &sanitize(text)),
    }
}

fn capped(args: &CleanArgs, text: &str) -> String {
    cut(text, args.max_bytes.unwrap_or(usize::MAX)).into_owned()
}

fn report(args: &CleanArgs, text: &str, shown: &str, seen: Seen) -> Value {
    let counts = counts(&removed(text));
    let uncut = match args.reader {
        Some(Reader::Terminal) => sanitize_for_display(text).len(),
        Some(Reader::Prompt) | None => sanitize(text).len(),
    };
    let most = match args.reader {
        Some(Reader::Prompt) => args.max_bytes.unwrap_or(PROMPT_BYTES),
        Some(Reader::Terminal) | None => args.max_bytes.unwrap_or(usize::MAX),
    };
    // A display leaves nothing out; the others do.
    let what = match args.reader {
        Some(Reader::Terminal) => "spelled_out",
        Some(Reader::Prompt) | None => "removed",
    };
    json!({
        "text": shown,
        "clean": sanitize(text) == text && seen.not_utf8 == 0,
        "cut": uncut > most,
        "bytes": seen.bytes,
        "not_utf8": seen.not_utf8,
        what: counts,
    })
}

/// The characters of each sort that hides something, by name, and all together.
fn counts(removed: &Removed) -> Value {
    let by_sort = Hidden::ALL.map(|sort| (sort.as_str().to_owned(), json!(removed.count(sort))));
    let total = ("total".to_owned(), json!(removed.total()));
    Value::Object(by_sort.into_iter().chain([total]).collect::<Map<_, _>>())
}
