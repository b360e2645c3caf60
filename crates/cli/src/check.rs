//! `tipstaff check`: everything that is wrong with a manifest, what is dangerous in it, and its tests.

use std::path::Path;
use std::sync::Arc;

use serde_json::json;
use tipstaff_gate::{Clock, Gate, Ids};
use tipstaff_host::{RandomIds, SystemClock};
use tipstaff_journal::MemoryJournal;
use tipstaff_manifest::{Manifest, TestFailure};

use crate::args::CheckArgs;
use crate::exit::{self, Code, Failure, USAGE};
use crate::{ground, limits, out, place};

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
    let failures = failing_tests(&manifest).await?;
    let failed: Vec<_> = failures.iter().map(|failure| &failure.problem).collect();
    if json {
        out::json(&json!({
            "ok": failures.is_empty(),
            "problems": failed,
            "warnings": manifest.warnings,
            "not_built": manifest.unbuilt,
            "rules": manifest.policy.rules().len(),
            "tests": manifest.tests.len(),
            "limits": limits::json(&manifest.limits),
            "digest": manifest.digest,
        }));
    } else {
        for problem in failed
            .iter()
            .copied()
            .chain(&manifest.warnings)
            .chain(&manifest.unbuilt)
        {
            out::line(&manifest.sources.render(problem));
            out::line("");
        }
        if let Some((rule, file)) = ground::writable(&manifest) {
            out::line(&format!(
                "warning: rule `{rule}` would let an agent write `{}`; `serve` refuses that",
                file.display()
            ));
        }
        for line in limits::lines(&manifest.limits) {
            out::line(&line);
        }
        out::line(&format!(
            "{}: {} rules, {} servers, {} agents; {} of {} tests hold; {} warnings",
            file.display(),
            manifest.policy.rules().len(),
            manifest.servers.len(),
            manifest.agents.iter().count(),
            manifest.tests.len() - failures.len(),
            manifest.tests.len(),
            manifest.warnings.len(),
        ));
    }
    Ok(if failures.is_empty() {
        exit::OK
    } else {
        exit::FAILED
    })
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
