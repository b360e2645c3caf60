//! `tipstaff check`: everything that is wrong with a manifest, what is dangerous in it, and its tests.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use tipstaff_gate::{Clock, Gate, Ids};
use tipstaff_host::{RandomIds, SystemClock};
use tipstaff_journal::MemoryJournal;
use tipstaff_manifest::{Analysed, Manifest, Problem, TestFailure};
use tipstaff_policy::{Budget, PolicyDiff, Severity};

use crate::args::CheckArgs;
use crate::exit::{self, Code, Failure, USAGE};
use crate::{changes, ground, limits, out, place};

pub(crate) async fn run(args: &CheckArgs, json: bool) -> Result<Code, Failure> {
    let file = place::manifest(args.config.config.as_deref())?;
    let manifest = match Manifest::load(&file) {
        Ok(manifest) => manifest,
        Err(rejected) if json => {
            out::json(&json!({ "ok": false, "problems": rejected.problems.0 }));
            return Ok(USAGE);
        }
        Err(rejected) => return Err(Failure::new(USAGE, rejected.render())),
    };
    let old = match &args.against {
        Some(old) => Some(load(&place::absolute(old)?)?),
        None => None,
    };
    let budget = match args.budget {
        Some(steps) => Budget {
            steps,
            ..Budget::default()
        },
        None => Budget::default(),
    };
    let found = Found {
        failures: failing_tests(&manifest).await?,
        analysed: manifest.analyse(&budget),
        diff: old.map(|old| manifest.changes_since(&old, &budget)),
    };
    let ok = found.is_ok(args);
    if json {
        out::json(&found.json(&manifest, ok));
    } else {
        found.print(&manifest, &file);
    }
    Ok(if ok { exit::OK } else { exit::FAILED })
}

/// What was found out about a manifest that loads.
struct Found {
    failures: Vec<TestFailure>,
    analysed: Analysed,
    diff: Option<PolicyDiff>,
}

impl Found {
    fn is_ok(&self, args: &CheckArgs) -> bool {
        let wrong = |problem: &Problem| problem.severity == Severity::Error;
        let widens = self.diff.as_ref().is_some_and(PolicyDiff::widens);
        self.failures.is_empty()
            && !self.analysed.problems.iter().any(wrong)
            && !(args.deny_widening && widens)
    }

    /// What the load warned of and the analysis does not say again.
    fn warnings<'a>(&'a self, manifest: &'a Manifest) -> impl Iterator<Item = &'a Problem> {
        let said = |warning: &&Problem| {
            let same = |problem: &Problem| {
                (&problem.file, problem.place, &problem.message)
                    == (&warning.file, warning.place, &warning.message)
            };
            self.analysed.problems.iter().any(same)
        };
        manifest
            .warnings
            .iter()
            .filter(move |warning| !said(warning))
    }

    fn json(&self, manifest: &Manifest, ok: bool) -> Value {
        let failed: Vec<_> = self
            .failures
            .iter()
            .map(|failure| &failure.problem)
            .collect();
        let mut report = json!({
            "ok": ok,
            "problems": failed,
            "findings": self.analysed.problems,
            "not_decided": self.analysed.not_decided,
            "left_out": self.analysed.left_out,
            "not_looked_at": self.analysed.not_looked_at,
            "warnings": self.warnings(manifest).collect::<Vec<_>>(),
            "not_built": manifest.unbuilt,
            "rules": manifest.policy.rules().len(),
            "tests": manifest.tests.len(),
            "limits": limits::json(&manifest.limits),
            "digest": manifest.digest,
        });
        if let (Some(diff), Value::Object(map)) = (&self.diff, &mut report) {
            let mut said = json!(diff);
            if let Value::Object(said) = &mut said {
                said.insert("widens".to_owned(), json!(diff.widens()));
            }
            map.insert("diff".to_owned(), said);
        }
        report
    }

    fn print(&self, manifest: &Manifest, file: &Path) {
        let failed = self.failures.iter().map(|failure| &failure.problem);
        let all = failed
            .chain(&self.analysed.problems)
            .chain(self.warnings(manifest))
            .chain(&manifest.unbuilt);
        for problem in all {
            out::line(&manifest.sources.render(problem));
            out::line("");
        }
        for (kind, count) in &self.analysed.left_out {
            out::line(&format!("and {count} more findings of the kind {kind}"));
        }
        for (kind, count) in &self.analysed.not_looked_at {
            out::line(&format!(
                "and {count} more pairs of rules were not looked at for the kind {kind}: enough is shown"
            ));
        }
        for (kind, count) in &self.analysed.not_decided {
            out::line(&format!(
                "not decided: {kind}, {count} times; `--budget` gives more time"
            ));
        }
        if let Some((rule, file)) = ground::writable(manifest) {
            out::line(&format!(
                "warning: rule `{rule}` would let an agent write `{}`; `serve` refuses that",
                file.display()
            ));
        }
        for line in limits::lines(&manifest.limits) {
            out::line(&line);
        }
        for line in self.diff.iter().flat_map(changes::lines) {
            out::line(&line);
        }
        let warned = |problem: &&Problem| problem.severity != Severity::Note;
        let warnings = self.analysed.problems.iter().filter(warned).count();
        out::line(&format!(
            "{}: {} rules, {} servers, {} agents; {} of {} tests hold; {} warnings",
            file.display(),
            manifest.policy.rules().len(),
            manifest.servers.len(),
            manifest.agents.iter().count(),
            manifest.tests.len() - self.failures.len(),
            manifest.tests.len(),
            warnings + self.warnings(manifest).count(),
        ));
    }
}

/// Loads a manifest, or fails with everything that is wrong with it.
pub(crate) fn load(file: &Path) -> Result<Manifest, Failure> {
    Manifest::load(file).map_err(|rejected| Failure::new(USAGE, rejected.render()))
}

/// A gate that only judges: by the manifest and its captured listings, over a journal in memory.
pub(crate) async fn judging_gate(manifest: &Manifest) -> Result<Gate, Failure> {
    let now = SystemClock.now();
    let own = ground::named(manifest);
    let gate = manifest
        .builder()
        .journal(Arc::new(MemoryJournal::new(RandomIds.fresh(now), now)))
        .clock(Arc::new(SystemClock))
        .ids(Arc::new(RandomIds))
        .own(own)
        .open()
        .await
        .map_err(|error| Failure::environment(&error))?;
    manifest
        .offer_captured(&gate)
        .await
        .map_err(|error| Failure::environment(&error))?;
    Ok(gate)
}

/// The manifest's tests that do not hold.
pub(crate) async fn failing_tests(manifest: &Manifest) -> Result<Vec<TestFailure>, Failure> {
    if manifest.tests.is_empty() {
        return Ok(Vec::new());
    }
    let gate = judging_gate(manifest).await?;
    Ok(manifest
        .tests
        .iter()
        .filter_map(|test| test.run(&gate))
        .collect())
}
