//! What a step found out: tests counted, faults, and what could not be tried.

use std::fmt;

/// The result of a step that could run to its end.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Tests that passed; only the test step counts any.
    pub(crate) passed: u64,
    /// Tests or checks that failed.
    pub(crate) failed: u64,
    /// What was left out and the line that brings what it needs.
    pub(crate) skipped: Vec<String>,
}

impl Tally {
    /// Prints findings, one a line, and counts each as a failure.
    pub(crate) fn of_findings<F: fmt::Display>(findings: &[F]) -> Self {
        for finding in findings {
            println!("error: {finding}");
        }
        Self {
            failed: u64::try_from(findings.len()).unwrap_or(u64::MAX),
            ..Self::default()
        }
    }

    /// Adds another step's numbers to these.
    pub(crate) fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped.extend(other.skipped);
    }
}
