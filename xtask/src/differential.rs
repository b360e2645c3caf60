//! The indexes against the scans that they replace, with many more cases than a usual test run.
//!
//! The crates that decide are built with optimisation in the usual profile (root `Cargo.toml`), so
//! this takes the binaries of the test step as they are and builds nothing of its own.

use anyhow::{Result, bail};

use crate::process::Follow;
use crate::suite::{count, libtest_line};
use crate::tally::Tally;
use crate::workspace::Workspace;

/// The tests, by the beginnings of their names, and how many cases each gets where `TIPSTAFF_CASES`
/// does not say: ten million requests of policy. The router makes a new catalog for few tokens, so a
/// case of it costs ten times as much.
const TESTS: [(&str, &str); 2] = [
    ("i5_the_index_decides", "10000000"),
    ("i5_the_index_equals", "1000000"),
];

/// Runs the tests of I5 of policy and router. The seed turns with the commit and is shown;
/// `TIPSTAFF_SEED` and `TIPSTAFF_CASES` choose others.
pub(crate) fn run(ws: &Workspace) -> Result<Tally> {
    let said = |name: &str| std::env::var(name).ok();
    let commit = ws.git(&["rev-parse", "HEAD"]).unwrap_or_default();
    let seed = said("TIPSTAFF_SEED").unwrap_or_else(|| seed_of(&commit).to_string());
    let mut tally = Tally::default();
    for (name, cases) in TESTS {
        let mut tests = ws.cargo();
        tests.args(["test", "--workspace", "--all-features", "--lib"]);
        tests.args(["--", name, "--nocapture"]);
        tests.env("TIPSTAFF_SEED", &seed);
        tests.env(
            "TIPSTAFF_CASES",
            said("TIPSTAFF_CASES").as_deref().unwrap_or(cases),
        );
        let ran = count(&mut tests, Follow::Stdout, libtest_line)?;
        if ran.passed + ran.failed != 1 {
            bail!(
                "not one test but {} began with `{name}`",
                ran.passed + ran.failed
            );
        }
        tally.add(ran);
    }
    Ok(tally)
}

/// A seed of the first half of the numbers that `TIPSTAFF_SEED` takes, so that those after it are some too.
pub(crate) fn seed_of(commit: &str) -> u64 {
    let digits = commit.get(..15).unwrap_or_default();
    u64::from_str_radix(digits, 16).unwrap_or(1)
}
