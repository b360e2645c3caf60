//! Negative controls: one-line faults, each of which must make its test fail.
//!
//! A test that cannot fail guards nothing. The faults live in `tests/controls.toml`, outside the
//! product's code, and are put into a scratch copy only. That the tests pass without a fault is
//! the test step's business.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use cargo_metadata::Package;
use serde::Deserialize;

use crate::process::{self, Ended};
use crate::scratch::Scratch;
use crate::step::Mode;
use crate::tally::Tally;
use crate::workspace::Workspace;

const FILE: &str = "tests/controls.toml";
/// So many run in `ci`; the rest take their turn with later commits.
const SAMPLE: usize = 24;
/// Building and running one of them on two busy cores takes under two minutes.
const LIMIT: Duration = Duration::from_mins(15);

/// The file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Controls {
    #[serde(default)]
    control: Vec<Control>,
}

/// One fault.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Control {
    /// Its name.
    pub(crate) id: String,
    /// What it attacks: `I1` to `I10`, or a rule in words.
    pub(crate) invariant: String,
    /// Where.
    pub(crate) file: String,
    /// Stands there exactly once.
    pub(crate) old: String,
    /// Takes its place.
    pub(crate) new: String,
    /// The crate whose test sees it.
    pub(crate) package: String,
    /// The test, by its last names (`tests::an_answer_is_final`).
    pub(crate) test: String,
}

/// Checks all entries and runs those that the mode wants.
pub(crate) fn run(ws: &Workspace, mode: &Mode) -> Result<Tally> {
    let Controls { control: all } = toml::from_str(&ws.read(FILE)?).context(FILE)?;
    let findings = entry_faults(ws, &all)?;
    if all.is_empty() || !findings.is_empty() {
        println!("{} controls", all.len());
        return Ok(Tally::of_findings(&findings));
    }
    let chosen = choose(ws, &all, mode)?;
    println!("{} of {} controls", chosen.len(), all.len());
    let mut findings = Vec::new();
    let scratch = Scratch::new(ws)?;
    for control in chosen {
        let package = ws.packages.iter().find(|p| p.name == control.package);
        let has_library = package
            .is_some_and(|package| package.targets.iter().any(cargo_metadata::Target::is_lib));
        let verdict = attempt(&scratch, control, has_library)?;
        println!(
            "  {}: {}",
            control.id,
            verdict.as_ref().err().map_or("caught", |_| "NOT CAUGHT")
        );
        if let Err(why) = verdict {
            findings.push(format!(
                "control `{}` ({}): {why}",
                control.id, control.invariant
            ));
        }
    }
    Ok(Tally::of_findings(&findings))
}

fn entry_faults(ws: &Workspace, all: &[Control]) -> Result<Vec<String>> {
    let mut findings = Vec::new();
    let mut ids = BTreeSet::new();
    for control in all {
        let mut fault = |what: String| findings.push(format!("control `{}`: {what}", control.id));
        if !ids.insert(&control.id) {
            fault("the id is taken twice".to_owned());
        }
        match ws.packages.iter().find(|p| p.name == control.package) {
            Some(package) if !is_written(ws, package, &control.test)? => fault(format!(
                "no file of `{}` holds the test `{}`",
                control.package, control.test
            )),
            Some(_) => {}
            None => fault(format!(
                "`{}` is no crate of the workspace",
                control.package
            )),
        }
        if !ws.files.contains(&control.file) {
            fault(format!("`{}` is no file of the project", control.file));
        } else if let Err(why) = substitute(&ws.read(&control.file)?, control) {
            fault(why);
        }
    }
    Ok(findings)
}

/// Whether a file of the package holds a test of this name, in the module that the name says.
fn is_written(ws: &Workspace, package: &Package, test: &str) -> Result<bool> {
    let folder = ws.folder(package);
    let inside = |file: &&str| Path::new(file).starts_with(&folder);
    for file in ws.files_ending(".rs").filter(inside) {
        if holds_test(file, &ws.read(file)?, test) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether the file holds a function of the test's last name, in the module before it.
pub(crate) fn holds_test(file: &str, text: &str, test: &str) -> bool {
    let mut names = test.rsplit("::");
    let function = format!("fn {}(", names.next().unwrap_or(test));
    let file = file.trim_end_matches(".rs").trim_end_matches("/mod");
    text.contains(&function)
        && names.next().is_none_or(|module| {
            file.ends_with(&format!("/{module}")) || text.contains(&format!("mod {module} {{"))
        })
}

/// The text with the fault in it.
pub(crate) fn substitute(text: &str, control: &Control) -> Result<String, String> {
    if control.old == control.new || control.old.is_empty() {
        return Err("it changes nothing".to_owned());
    }
    match text.matches(&control.old).count() {
        1 => Ok(text.replacen(&control.old, &control.new, 1)),
        times => Err(format!(
            "its old text stands {times} times in `{}`",
            control.file
        )),
    }
}

fn choose<'a>(ws: &Workspace, all: &'a [Control], mode: &Mode) -> Result<Vec<&'a Control>> {
    let mut chosen: Vec<&Control> = match mode {
        Mode::All | Mode::Write => all.iter().collect(),
        Mode::Only(ids) => {
            if let Some(id) = ids
                .iter()
                .find(|id| !all.iter().any(|control| control.id == **id))
            {
                bail!("`{id}` is no control");
            }
            all.iter()
                .filter(|control| ids.contains(&control.id))
                .collect()
        }
        Mode::Compare => {
            let tag = ws.last_tag();
            let changed = tag.and_then(|tag| ws.git(&["diff", "--name-only", &tag]));
            let commit = ws.git(&["rev-parse", "HEAD"]).unwrap_or_default();
            sample(all, changed.as_deref(), &commit)
        }
    };
    // One crate after the other: its neighbours' builds stay good.
    chosen.sort_by(|a, b| (&a.package, &a.file, &a.id).cmp(&(&b.package, &b.file, &b.id)));
    Ok(chosen)
}

/// Those whose file changed since the last release first, then the rest, each group in an order
/// that turns with the commit; no more than [`SAMPLE`].
pub(crate) fn sample<'a>(
    all: &'a [Control],
    changed: Option<&str>,
    commit: &str,
) -> Vec<&'a Control> {
    let is_changed = |control: &&Control| {
        changed.is_none_or(|names| names.lines().any(|name| name == control.file))
    };
    let (mut first, mut rest): (Vec<_>, Vec<_>) = all.iter().partition(is_changed);
    let turn = commit.bytes().fold(0_usize, |sum, byte| {
        sum.wrapping_mul(31) + usize::from(byte)
    });
    for group in [&mut first, &mut rest] {
        let by = turn.checked_rem(group.len()).unwrap_or(0);
        group.rotate_left(by);
    }
    first.into_iter().chain(rest).take(SAMPLE).collect()
}

/// Puts the fault in, runs the test, takes the fault out. The inner error says why it was not
/// caught.
fn attempt(scratch: &Scratch, control: &Control, has_library: bool) -> Result<Result<(), String>> {
    let text = scratch.read(&control.file)?;
    let faulty = match substitute(&text, control) {
        Ok(faulty) => faulty,
        Err(why) => return Ok(Err(why)),
    };
    scratch.write(&control.file, &faulty)?;
    let function = control.test.rsplit("::").next().unwrap_or(&control.test);
    let mut test = scratch.cargo();
    test.args([
        "test",
        "--package",
        &control.package,
        "--all-features",
        "--no-fail-fast",
    ]);
    if has_library {
        test.arg("--lib");
    }
    test.args(["--bins", "--tests", "--", function]);
    let ended = process::run_for(&mut test, LIMIT);
    scratch.write(&control.file, &text)?;
    Ok(judge(&ended?, &control.test))
}

/// Whether the test ran and failed.
pub(crate) fn judge(ended: &Ended, test: &str) -> Result<(), String> {
    let tail = || {
        let lines: Vec<&str> = ended.text.lines().collect();
        lines
            .get(lines.len().saturating_sub(30)..)
            .unwrap_or_default()
            .join("\n")
    };
    let verdicts: Vec<&str> = ended
        .text
        .lines()
        .filter_map(|line| verdict(line, test))
        .collect();
    if verdicts.contains(&"FAILED") || ended.text.lines().any(|line| overflowed(line, test)) {
        return Ok(());
    }
    if !verdicts.is_empty() {
        return Err(format!("`{test}` passes with the fault in"));
    }
    let Some(status) = ended.status else {
        return Err(format!(
            "it was still running after {} minutes",
            LIMIT.as_secs() / 60
        ));
    };
    if status.success() {
        return Err(format!("no test is called `{test}`"));
    }
    Err(format!(
        "`{test}` did not get to run; it ended so:\n{}",
        tail()
    ))
}

/// `test a::b::c ... FAILED` for the test `b::c`.
fn verdict<'a>(line: &'a str, test: &str) -> Option<&'a str> {
    let (name, verdict) = line.strip_prefix("test ")?.split_once(" ... ")?;
    let name = name.split(" - ").next().unwrap_or(name);
    is_called(name, test).then(|| verdict.trim())
}

/// `thread 'a::b::c' (7) has overflowed its stack`: the test ran and took its process with it, so
/// that no verdict is printed.
fn overflowed(line: &str, test: &str) -> bool {
    let named = line
        .strip_prefix("thread '")
        .and_then(|rest| rest.split_once('\''));
    named.is_some_and(|(name, rest)| {
        is_called(name, test) && rest.ends_with(" has overflowed its stack")
    })
}

/// Whether the path `name` ends with the path `test`.
fn is_called(name: &str, test: &str) -> bool {
    let before = name.strip_suffix(test);
    before.is_some_and(|before| before.is_empty() || before.ends_with("::"))
}
