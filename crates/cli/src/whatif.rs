//! `tipstaff whatif -c CANDIDATE`: the recorded calls, judged again under another manifest.
//!
//! Reads the journal of a state folder, or an export; says what would be decided otherwise.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use tipstaff_gate::{Candidate, Change, Report, Tally, WhatIf, what_if};
use tipstaff_journal::from_line;
use tipstaff_manifest::{Manifest, Store};
use tipstaff_schema::sanitization::sanitize_for_display;

use crate::args::WhatIfArgs;
use crate::exit::{self, Code, ENVIRONMENT, FAILED, Failure};
use crate::{check, ground, out, place, state};

/// No line of an export is longer.
const MAX_LINE: u64 = 8 << 20;

/// How many rules that matched nothing are named in the text.
const NAMED: usize = 20;

pub(crate) async fn run(args: &WhatIfArgs, json: bool) -> Result<Code, Failure> {
    let file = place::manifest(args.config.config.as_deref())?;
    let manifest = check::load(&file)?;
    let report = match &args.journal {
        Some(export) => {
            let own = ground::named(&manifest);
            of_export(export, &candidate(manifest.builder().own(own))?)?
        }
        None => {
            let folder = place::state(args.state.state.as_deref())?;
            let named = journal_of(&manifest);
            let own = ground::of(&manifest, &folder, named.as_deref());
            let journal = state::open_named(&folder, named.as_deref())?;
            let report = what_if(&journal, &candidate(manifest.builder().own(own))?).await;
            report.map_err(|error| Failure::environment(&error))?
        }
    };
    if json {
        out::json(&report.to_json());
    } else {
        tell(&report, &file);
    }
    let same = report.changes.is_empty();
    Ok(if same { exit::OK } else { FAILED })
}

fn candidate(builder: tipstaff_gate::GateBuilder) -> Result<Candidate, Failure> {
    Candidate::new(builder).map_err(|error| Failure::environment(&error))
}

/// The journal's file as the manifest names it.
fn journal_of(manifest: &Manifest) -> Option<PathBuf> {
    match manifest.store.as_ref()? {
        Store::Sqlite(path) => Some(path.clone()),
        _ => None,
    }
}

fn of_export(file: &Path, candidate: &Candidate) -> Result<Report, Failure> {
    let failed = |error: std::io::Error| Failure::environment(&error);
    let input: Box<dyn Read> = if file == Path::new("-") {
        Box::new(std::io::stdin().lock())
    } else {
        Box::new(std::fs::File::open(file).map_err(failed)?)
    };
    let (mut input, mut line) = (BufReader::new(input), Vec::new());
    let mut what_if = WhatIf::new(candidate);
    for number in 1_u64.. {
        line.clear();
        let read = (&mut input).take(MAX_LINE).read_until(b'\n', &mut line);
        if read.map_err(failed)? == 0 {
            break;
        }
        let ended = line.ends_with(b"\n");
        let text = line.trim_ascii();
        if text.is_empty() {
            continue;
        }
        let event = std::str::from_utf8(text)
            .ok()
            .and_then(|text| from_line(text).ok());
        match event {
            Some(event) => what_if.take(&event),
            // The last line of a file that somebody still writes.
            None if !ended => break,
            None => {
                let why = format!(
                    "line {number} of the export is no event; try `tipstaff audit verify --export FILE`"
                );
                return Err(Failure::new(ENVIRONMENT, why));
            }
        }
    }
    Ok(what_if.finish())
}

fn tell(report: &Report, file: &Path) {
    out::line(&format!(
        "{} judged again by {} ({})",
        calls(report.judged),
        file.display(),
        counted(report.rules.len(), "rule")
    ));
    let row = |name: &str, tally: &Tally| {
        let counts = [tally.allow, tally.ask, tally.deny];
        let counts = counts.map(|count| count.to_string());
        [vec![name.to_owned()], counts.to_vec()].concat()
    };
    out::line("");
    let rows = [row("then", &report.then), row("now", &report.now)];
    out::table(&["", "allow", "ask", "deny"], &rows);
    out::line("");
    if report.changes.is_empty() {
        out::line("nothing would be decided otherwise");
    } else {
        out::line(&format!(
            "{} would be decided otherwise",
            calls(report.changed())
        ));
    }
    if report.by_another_rule > 0 {
        out::line(&format!(
            "{} would be decided the same by another rule",
            calls(report.by_another_rule)
        ));
    }
    for change in &report.changes {
        out::line("");
        tell_change(change);
    }
    tell_unjudged(report);
    tell_rules(report);
}

fn tell_change(change: &Change) {
    let rule = |rule: Option<&str>, otherwise: &str| match rule {
        Some(id) => format!("rule `{}`", sanitize_for_display(id)),
        None => otherwise.to_owned(),
    };
    out::line(&format!(
        "{} -> {} ({}): {} of `{}`",
        change.from,
        change.to,
        if change.widens() { "wider" } else { "stricter" },
        calls(change.calls),
        change.tool
    ));
    out::line(&format!(
        "  now by {}, then by {}",
        rule(
            change.rule.as_deref(),
            &format!("no rule ({})", change.stage.as_str())
        ),
        rule(change.was.as_deref(), "no rule")
    ));
    for example in &change.examples {
        out::line(&format!(
            "  {}  {}  {}",
            example.at.format("%Y-%m-%d %H:%M:%S"),
            example.agent,
            example.what
        ));
        out::line(&format!("    then: {}", example.then));
        out::line(&format!("    now:  {}", example.now));
    }
    let shown = u64::try_from(change.examples.len()).unwrap_or(u64::MAX);
    if change.calls > shown {
        out::line(&format!("  and {} more", change.calls - shown));
    }
}

fn tell_unjudged(report: &Report) {
    if !report.not_judged.is_empty() {
        out::line("");
        out::line(&format!(
            "{} cannot be judged again:",
            calls(report.not_judgeable())
        ));
        for group in &report.not_judged {
            out::line(&format!(
                "  {} of `{}`: {}",
                group.calls, group.tool, group.why
            ));
        }
    }
    if !report.never_reached.is_empty() {
        out::line("");
        let stages = report.never_reached.iter();
        let stages: Vec<String> = stages
            .map(|(stage, calls)| format!("{calls} at {stage}"))
            .collect();
        out::line(&format!(
            "ended before any policy was asked: {}",
            stages.join(", ")
        ));
    }
    if !report.assumed_names.is_empty() {
        out::line("");
        out::line(
            "names in the candidate's denies of which nothing was recorded; taken as they are written:",
        );
        for name in &report.assumed_names {
            out::line(&format!("  {name}"));
        }
    }
}

fn tell_rules(report: &Report) {
    let used = report.rules.iter().filter(|rule| rule.matched > 0);
    let rows: Vec<Vec<String>> = used
        .map(|rule| {
            vec![
                sanitize_for_display(&rule.id),
                rule.effect.to_string(),
                rule.matched.to_string(),
                rule.decided.to_string(),
            ]
        })
        .collect();
    if !rows.is_empty() {
        out::line("");
        out::table(&["rule", "effect", "matched", "decided"], &rows);
    }
    let never: Vec<String> = report
        .never_hit()
        .map(|rule| sanitize_for_display(&rule.id))
        .collect();
    if !never.is_empty() {
        out::line("");
        let shown: Vec<&str> = never.iter().take(NAMED).map(String::as_str).collect();
        let more = match never.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        out::line(&format!("matched no call: {}{more}", shown.join(", ")));
    }
}

fn calls(count: u64) -> String {
    counted(usize::try_from(count).unwrap_or(usize::MAX), "call")
}

fn counted(count: usize, what: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} {what}{s}")
}
