//! `tipstaff import`: permission rules of other agents as rules of ours, and a plain report.

use std::io::Write as _;
use std::path::Path;

use serde_json::json;
use tipstaff_manifest::import::{self, ImportOptions, Imported, Origin};
use tipstaff_schema::sanitization::sanitize_for_display;

use crate::args::ImportArgs;
use crate::exit::{self, Code, FAILED, Failure, USAGE};
use crate::{input, out};

/// The most bytes of a file of rules.
const MOST: usize = 8 * 1024 * 1024;

pub(crate) fn run(args: &ImportArgs, as_json: bool) -> Result<Code, Failure> {
    let name = args.rules.display().to_string();
    let text = read(&args.rules)?;
    let origin = match args.from {
        Some(from) => Origin::from(from),
        None => Origin::guess(&name, &text).ok_or_else(|| {
            let fix = "say it: `--from claude`, `gemini`, `opencode` or `codex`";
            Failure::new(
                USAGE,
                format!("{name}: it cannot be told whose rules these are; {fix}"),
            )
        })?,
    };
    let imported = import::import(&text, origin, &options(args)?).map_err(|error| {
        let what = sanitize_for_display(&exit::chain(&error));
        let fix = "is `--from` right?";
        Failure::new(
            USAGE,
            format!("{name}: read as {}: {what}; {fix}", origin.as_str()),
        )
    })?;
    if let Some(file) = &args.out {
        write(file, &imported.yaml)?;
    }
    if as_json {
        out::json(&json!({
            "from": origin, "file": name, "rules": imported.rules(),
            "yaml": args.out.is_none().then_some(&imported.yaml),
            "carried": imported.carried, "left_out": imported.left_out,
        }));
    } else if args.out.is_some() {
        report(&imported, origin, &name, out::line);
    } else {
        out::line(imported.yaml.trim_end());
        report(&imported, origin, &name, out::complain);
    }
    Ok(if imported.lost_a_deny_or_ask() {
        FAILED
    } else {
        exit::OK
    })
}

fn options(args: &ImportArgs) -> Result<ImportOptions, Failure> {
    let folder = |option: &str, path: &Option<std::path::PathBuf>| match path {
        None => Ok(None),
        Some(path) if path.is_absolute() => Ok(path.to_str().map(str::to_owned)),
        Some(path) => Err(Failure::new(
            USAGE,
            format!("{option} {}: write an absolute path", path.display()),
        )),
    };
    let mut options = ImportOptions::default();
    options.agent.clone_from(&args.agent);
    options.root = folder("--root", &args.root)?;
    options.home = folder("--home", &args.home)?;
    options.read.clone_from(&args.read);
    options.edit.clone_from(&args.edit);
    options.web.clone_from(&args.web);
    options.effects = args.effects.into();
    Ok(options)
}

fn read(file: &Path) -> Result<String, Failure> {
    let name = file.display();
    let bytes = if file == Path::new("-") {
        input::whole()?
    } else {
        std::fs::read(file).map_err(|error| Failure::new(USAGE, format!("{name}: {error}")))?
    };
    if bytes.len() > MOST {
        return Err(Failure::new(
            USAGE,
            format!(
                "{name}: it has {} bytes; at most {MOST} are read",
                bytes.len()
            ),
        ));
    }
    String::from_utf8(bytes).map_err(|_| Failure::new(USAGE, format!("{name}: it is not UTF-8")))
}

/// Writes a file that does not exist yet: rules that somebody has changed by hand are not lost.
fn write(file: &Path, text: &str) -> Result<(), Failure> {
    let made = std::fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(file);
    made.and_then(|mut made| made.write_all(text.as_bytes()))
        .map_err(|error| Failure::new(USAGE, format!("--out {}: {error}", file.display())))
}

fn report(imported: &Imported, origin: Origin, name: &str, line: fn(&str)) {
    let shown = |text: &str| sanitize_for_display(text);
    line(&format!(
        "{name}: read as {}: {} of {} rules carried over, as {} of ours",
        origin.as_str(),
        imported.carried.len(),
        imported.carried.len()
            + imported
                .left_out
                .iter()
                .filter(|left| left.effect.is_some())
                .count(),
        imported.rules(),
    ));
    let noted: Vec<_> = imported
        .carried
        .iter()
        .filter(|carried| !carried.notes.is_empty())
        .collect();
    if !noted.is_empty() {
        line("\ncarried over, on the strict side:");
    }
    for carried in noted {
        line(&format!(
            "  {} {} `{}`",
            shown(&carried.at),
            carried.effect,
            shown(&carried.text)
        ));
        for note in &carried.notes {
            line(&format!("      {}", shown(note)));
        }
    }
    if !imported.left_out.is_empty() {
        line("\nnot carried over:");
    }
    for left in &imported.left_out {
        let effect = left
            .effect
            .map(|effect| format!("{effect} "))
            .unwrap_or_default();
        line(&format!(
            "  {} {effect}`{}`",
            shown(&left.at),
            shown(&left.text)
        ));
        line(&format!("      {}", shown(&left.why)));
    }
    line(
        "\nwhat no rule means is asked, unless a tool's profile says otherwise; `tipstaff check` reads the rules",
    );
    if imported.lost_a_deny_or_ask() {
        line("a deny or an ask is not among the rules: read the list above before you use them");
    }
}
