//! The indexes against the scans that they replace, with many more cases than a usual test run.
//!
//! Built for release: ten million decisions are minutes without optimisation, and a minute with it.

use anyhow::{Result, bail};

use crate::process::Follow;
use crate::suite::{count, libtest_line};
use crate::tally::Tally;
use crate::workspace::Workspace;

/// How many requests each index is asked, where `TIPSTAFF_CASES` does not say.
const CASES: &str = "10000000";

/// Runs the tests of I5 of policy and router, the seed shown. `TIPSTAFF_SEED` and `TIPSTAFF_CASES`
/// choose others.
pub(crate) fn run(ws: &Workspace) -> Result<Tally> {
    let cases = std::env::var("TIPSTAFF_CASES").unwrap_or_else(|_| CASES.to_owned());
    // The router makes a new catalog for few tokens, so a case of it costs ten times as much.
    let router = std::env::var("TIPSTAFF_CASES").unwrap_or_else(|_| "1000000".to_owned());
    let mut tally = Tally::default();
    for (package, cases) in [("tipstaff-policy", cases), ("tipstaff-router", router)] {
        let mut tests = ws.cargo();
        tests.args(["test", "--release", "--lib", "--package", package]);
        tests.args(["--", "i5_", "--nocapture"]);
        let ran = count(
            tests.env("TIPSTAFF_CASES", cases),
            Follow::Stdout,
            libtest_line,
        )?;
        if ran.passed + ran.failed == 0 {
            bail!("`{package}` has no test whose name begins with `i5_`");
        }
        tally.add(ran);
    }
    Ok(tally)
}
