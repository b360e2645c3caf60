//! Runs all tests and doctests and counts them.
//!
//! With nextest where it is installed, else with cargo's own runner; the count is read from what
//! the runner says at its end, since a run that found no test would else look like a good one.

use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::process::{self, Follow};
use crate::tally::Tally;
use crate::workspace::Workspace;

/// A file to which tests append what they could not try.
const SKIPS: &str = "TIPSTAFF_TEST_SKIPS";
/// The program under test, so that no test builds it again.
const PROGRAM: &str = "TIPSTAFF_TEST_BIN";
/// Tells a test that objects keep their order, so that a run in which they do not fails.
const KEPT_ORDER: &str = "TIPSTAFF_TEST_PRESERVE_ORDER";

/// Runs all of it.
pub(crate) fn run(ws: &Workspace) -> Result<Tally> {
    let everything = ["--workspace", "--all-features"];
    process::succeed(
        ws.cargo()
            .arg("build")
            .args(everything)
            .args(["--bin", "tipstaff"]),
    )?;
    let skips = ws.target.join("tipstaff-test-skips");
    std::fs::write(&skips, "").context("preparing the list of skipped tests")?;

    let has_nextest = ws.cargo().args(["nextest", "--version"]).output();
    let has_nextest = has_nextest.is_ok_and(|out| out.status.success());
    let mut tests = ws.cargo();
    tests
        .env(SKIPS, &skips)
        .env(PROGRAM, ws.target.join("debug/tipstaff"));
    let mut tally = if has_nextest {
        tests
            .args(["nextest", "run", "--no-fail-fast"])
            .args(everything);
        count(&mut tests, Follow::Stderr, nextest_line)?
    } else {
        tests
            .args(["test", "--no-fail-fast", "--all-targets"])
            .args(everything);
        count(&mut tests, Follow::Stdout, libtest_line)?
    };
    let mut examples = ws.cargo();
    examples
        .args(["test", "--doc", "--no-fail-fast"])
        .args(everything);
    tally.add(count(&mut examples, Follow::Stdout, libtest_line)?);
    tally.add(count(
        &mut with_kept_order(ws),
        Follow::Stdout,
        libtest_line,
    )?);

    let skipped = std::fs::read_to_string(&skips).context("reading the list of skipped tests")?;
    tally.skipped.extend(skipped.lines().map(ToOwned::to_owned));
    tally.skipped.sort();
    tally.skipped.dedup();
    if tally.passed == 0 {
        bail!("no test ran");
    }
    Ok(tally)
}

/// The tests of the lowest crate once more, as if a linked crate had made JSON objects keep the order
/// in which they were written: no digest may change. In the run above they come sorted.
fn with_kept_order(ws: &Workspace) -> Command {
    let mut tests = ws.cargo();
    tests.env(KEPT_ORDER, "1");
    tests.args(["test", "--no-fail-fast", "--package", "tipstaff-schema"]);
    tests.args([
        "--lib",
        "--all-features",
        "--features",
        "serde_json/preserve_order",
    ]);
    tests
}

type Numbers = (u64, u64);

/// Runs tests and counts them by what the runner says.
pub(crate) fn count(
    command: &mut Command,
    stream: Follow,
    read: fn(&str) -> Option<Numbers>,
) -> Result<Tally> {
    let mut tally = Tally::default();
    let status = process::follow(command, stream, |line| {
        if let Some((passed, failed)) = read(line) {
            tally.passed += passed;
            tally.failed += failed;
        }
    })?;
    if !status.success() && tally.failed == 0 {
        bail!("{} ended with {status}", process::told(command));
    }
    Ok(tally)
}

/// `     Summary [   0.006s] 5 tests run: 3 passed (1 slow), 1 failed, 1 timed out, 0 skipped`
pub(crate) fn nextest_line(line: &str) -> Option<Numbers> {
    let (_, counts) = line
        .trim_start()
        .strip_prefix("Summary [")?
        .split_once("run: ")?;
    let mut numbers = (0, 0);
    for part in counts.split(", ") {
        let (number, what) = part.split_once(' ')?;
        let number: u64 = number.parse().ok()?;
        if what.starts_with("passed") {
            numbers.0 += number;
        } else if !what.starts_with("skipped") {
            numbers.1 += number;
        }
    }
    Some(numbers)
}

/// `test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s`
pub(crate) fn libtest_line(line: &str) -> Option<Numbers> {
    let (_, counts) = line.strip_prefix("test result: ")?.split_once(". ")?;
    let number_before = |word: &str| -> Option<u64> {
        let part = counts.split("; ").find(|part| part.ends_with(word))?;
        part.split(' ').next()?.parse().ok()
    };
    Some((number_before(" passed")?, number_before(" failed")?))
}
