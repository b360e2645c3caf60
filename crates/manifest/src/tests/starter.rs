//! Starter policies: each loads, warns of nothing, and keeps what its tests promise.

use std::path::Path;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use tipstaff_gate::{Clock, Gate};
use tipstaff_host::{RandomIds, SystemClock};
use tipstaff_journal::MemoryJournal;
use tipstaff_policy::{Budget, Severity};
use uuid::Uuid;

use crate::{Manifest, Starter};

async fn gate(manifest: &Manifest, now: DateTime<Utc>) -> Gate {
    let opened = manifest
        .builder()
        .journal(Arc::new(MemoryJournal::new(Uuid::from_u128(7), now)))
        .clock(Arc::new(SystemClock))
        .ids(Arc::new(RandomIds))
        .open()
        .await;
    opened.unwrap()
}

#[tokio::test]
async fn a_starter_loads_warns_of_nothing_and_keeps_its_promises() {
    for starter in Starter::ALL {
        let manifest = Manifest::from_text(Path::new("tipstaff.yaml"), starter.text)
            .unwrap_or_else(|refused| panic!("{}", refused.render()));
        let gate = gate(&manifest, SystemClock.now()).await;
        assert!(manifest.tests.len() > 20, "{}", starter.name);
        for test in &manifest.tests {
            let failure = test.run(&gate);
            assert!(failure.is_none(), "{}", failure.unwrap().problem);
        }
        let found = manifest.analyse(&Budget::default()).problems;
        let warned: Vec<String> = found
            .iter()
            .chain(&manifest.warnings)
            .filter(|problem| problem.severity != Severity::Note)
            .map(ToString::to_string)
            .collect();
        assert_eq!(warned, Vec::<String>::new(), "{}", starter.name);
    }
    assert!(Starter::named("commands").is_some());
    assert_eq!(Starter::named("nothing"), None);
}
