//! The steps of `ci`, in their order, and how a run of them is told.
//!
//! What a step checks is its own module's business; here is only who comes when, how long it
//! took and what the closing line says.

use std::fmt;
use std::time::Instant;

use anyhow::Result;

use crate::tally::Tally;
use crate::workspace::Workspace;
use crate::{bench, controls, differential, layers, process, suite, tidy, tools, wire};

/// How a step runs.
#[derive(Debug)]
pub(crate) enum Mode {
    /// Compare with what is there; for controls, the changed and sampled ones.
    Compare,
    /// Write generated files.
    Write,
    /// Every control.
    All,
    /// The controls with these ids.
    Only(Vec<String>),
}

/// One check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    Fmt,
    Layers,
    Tidy,
    Check,
    Clippy,
    Test,
    Wire,
    Docs,
    Features,
    Deny,
    Differential,
    Controls,
}

impl Step {
    /// Cheapest first. Not `check`: clippy sees all that it sees, and building twice is half the run.
    pub(crate) const ORDER: [Self; 11] = [
        Self::Fmt,
        Self::Layers,
        Self::Tidy,
        Self::Clippy,
        Self::Test,
        Self::Wire,
        Self::Docs,
        Self::Features,
        Self::Deny,
        Self::Differential,
        Self::Controls,
    ];

    fn run(self, ws: &Workspace, mode: &Mode) -> Result<Tally> {
        let everything = ["--workspace", "--all-features"];
        match self {
            Self::Fmt => {
                let args: &[&str] = match mode {
                    Mode::Write => &["fmt", "--all"],
                    Mode::Compare | Mode::All | Mode::Only(_) => &["fmt", "--all", "--check"],
                };
                process::succeed(ws.cargo().args(args))?;
                let bench = ["--manifest-path", bench::MANIFEST];
                process::succeed(ws.cargo().args(args).args(bench))
            }
            Self::Layers => layers::run(ws),
            Self::Tidy => tidy::run(ws),
            Self::Check => process::succeed(
                ws.cargo()
                    .arg("check")
                    .args(everything)
                    .arg("--all-targets"),
            ),
            Self::Clippy => {
                let mut clippy = ws.cargo();
                clippy
                    .arg("clippy")
                    .args(everything)
                    .args(["--all-targets", "--"]);
                process::succeed(clippy.args(["-D", "warnings"]))?;
                let mut benches = ws.cargo();
                benches.args(["clippy", "--locked", "--all-targets", "--all-features"]);
                benches.args(["--manifest-path", bench::MANIFEST, "--target-dir"]);
                benches.arg(&ws.target).args(["--", "-D", "warnings"]);
                process::succeed(&mut benches)
            }
            Self::Test => suite::run(ws),
            Self::Wire => wire::run(ws, mode),
            Self::Docs => {
                let mut doc = ws.cargo();
                doc.arg("doc")
                    .args(everything)
                    .arg("--no-deps")
                    .env("RUSTDOCFLAGS", "-D warnings");
                process::succeed(&mut doc)
            }
            Self::Features => tools::features(ws),
            Self::Deny => tools::deny(ws),
            Self::Differential => differential::run(ws),
            Self::Controls => controls::run(ws, mode),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Fmt => "fmt",
            Self::Layers => "layers",
            Self::Tidy => "tidy",
            Self::Check => "check",
            Self::Clippy => "clippy",
            Self::Test => "test",
            Self::Wire => "wire",
            Self::Docs => "docs",
            Self::Features => "features",
            Self::Deny => "deny",
            Self::Differential => "differential",
            Self::Controls => "controls",
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Runs all steps up to the first that fails. The last line printed is the tally and nothing else.
pub(crate) fn run_all(ws: &Workspace) -> bool {
    let mut total = Tally::default();
    let mut good = true;
    for step in Step::ORDER {
        let (tally, passed) = timed(ws, step, &Mode::Compare);
        total.add(tally);
        if !passed {
            total.failed = total.failed.max(1);
            good = false;
            break;
        }
    }
    for skip in &total.skipped {
        println!("SKIPPED: {skip}");
    }
    println!("{} passed, {} failed", total.passed, total.failed);
    good
}

/// Runs one step.
pub(crate) fn run_one(ws: &Workspace, step: Step, mode: &Mode) -> bool {
    let (tally, passed) = timed(ws, step, mode);
    if step == Step::Test {
        println!("{} passed, {} failed", tally.passed, tally.failed);
    }
    passed
}

fn timed(ws: &Workspace, step: Step, mode: &Mode) -> (Tally, bool) {
    println!("==> {step}");
    let start = Instant::now();
    let (tally, verdict) = match step.run(ws, mode) {
        Ok(tally) if tally.failed == 0 => (tally, "ok"),
        Ok(tally) => (tally, "FAILED"),
        Err(error) => {
            println!("error: {error:#}");
            (
                Tally {
                    failed: 1,
                    ..Tally::default()
                },
                "FAILED",
            )
        }
    };
    for skip in &tally.skipped {
        println!("SKIPPED: {skip}");
    }
    println!(
        "<== {step}: {verdict} in {:.1} s",
        start.elapsed().as_secs_f64()
    );
    (tally, verdict == "ok")
}
