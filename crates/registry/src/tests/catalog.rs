//! Many readers, few writers: what readers see is always one whole state.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use proptest::prelude::*;
use tipstaff_schema::{Profile, ToolRegistry};

use super::registry::{native, now};
use super::*;
use crate::PinMode::Captured;
use crate::{Capability, CatalogSnapshot, InMemoryToolRegistry};

/// Whether all that a snapshot says of its tools agrees.
fn check_whole(snapshot: &CatalogSnapshot) {
    let wire = snapshot.wire();
    assert_eq!(
        (wire.version, wire.entries.len()),
        (snapshot.version(), snapshot.len())
    );
    let mut before = "";
    for (entry, wired) in snapshot.iter().zip(&wire.entries) {
        assert!(before < entry.tool_id(), "sorted, each id once");
        before = entry.tool_id();
        assert!(
            Arc::ptr_eq(&entry.descriptor, &wired.descriptor),
            "not cloned"
        );
        assert_eq!(wired.callable, entry.standing.is_callable());
        let found = [
            snapshot.by_id(entry.tool_id()),
            snapshot.by_name(&entry.name),
        ];
        assert!(
            found
                .iter()
                .all(|found| found.is_some_and(|found| Arc::ptr_eq(found, entry)))
        );
    }
}

fn generation(count: usize, number: u64) -> Vec<Value> {
    let named = |index| {
        let mut tool = tool(&format!("t{index}"));
        tool["description"] = json!(number.to_string());
        tool
    };
    (0..count).map(named).collect()
}

/// Reads until the writers are done, and says how often.
fn read_until(done: &AtomicBool, catalog: &Catalog) -> u32 {
    let (mut reads, mut last) = (0, 0);
    loop {
        let ended = done.load(Ordering::SeqCst);
        let snapshot = catalog.snapshot();
        check_whole(&snapshot);
        assert!(snapshot.version() >= last, "never older than before");
        last = snapshot.version();
        let name = server("files");
        let files: Vec<_> = snapshot.of_server(&name).collect();
        let texts: std::collections::BTreeSet<_> = files
            .iter()
            .map(|entry| entry.descriptor.description.as_str())
            .collect();
        assert!(
            texts.len() <= 1,
            "half of one listing and half of another: {texts:?}"
        );
        assert!(
            [0, 5, 9].contains(&files.len()),
            "a part of a listing: {}",
            files.len()
        );
        assert!(
            snapshot.by_id("ours").is_some(),
            "a replaced tool was gone in between"
        );
        reads += 1;
        if ended {
            return reads;
        }
    }
}

#[test]
fn readers_never_see_half_a_change() {
    let catalog = Catalog::default();
    now(catalog.register(native("ours", "0"))).unwrap();
    let done = AtomicBool::new(false);
    let pins = Pins::default();
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..2)
            .map(|_| scope.spawn(|| read_until(&done, &catalog)))
            .collect();
        let writers = [
            scope.spawn(|| {
                for number in 0..60 {
                    let listing = generation(if number % 2 == 0 { 5 } else { 9 }, number);
                    catalog.offer(&server("files"), &identity(), &listing, &pins, Captured);
                    if number % 7 == 0 {
                        catalog.withdraw(&server("files"));
                    }
                }
            }),
            scope.spawn(|| {
                for number in 0..200 {
                    now(catalog.replace(native("ours", &number.to_string()))).unwrap();
                    catalog.set_book(ProfileBook::default());
                }
            }),
            scope.spawn(|| {
                for number in 0..200 {
                    let id = format!("extra-{}", number % 3);
                    drop(now(catalog.register(native(&id, "x"))));
                    drop(now(catalog.deregister(&id)));
                }
            }),
        ];
        let ended: Vec<_> = writers
            .into_iter()
            .map(std::thread::ScopedJoinHandle::join)
            .collect();
        done.store(true, Ordering::SeqCst);
        assert!(ended.iter().all(Result::is_ok));
        for reader in readers {
            assert!(reader.join().unwrap() > 0);
        }
    });
    let last = catalog.snapshot();
    assert_eq!(last.by_id("ours").unwrap().descriptor.description, "199");
    assert_eq!(
        last.of_server(&server("files")).count(),
        9,
        "no write was lost"
    );
}

#[test]
fn of_the_wire_s_registry_readers_never_miss_a_tool_that_is_replaced() {
    let registry = InMemoryToolRegistry::new();
    now(registry.register(native("a", "0"))).unwrap();
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for number in 1..500 {
                now(registry.replace(native("a", &number.to_string()))).unwrap();
            }
        });
        while !writer.is_finished() {
            assert!(now(registry.get("a")).is_some());
        }
    });
}

#[test]
fn a_panicking_reader_spoils_nothing() {
    let catalog = Catalog::default();
    now(catalog.register(native("a", "0"))).unwrap();
    let held = std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let held = catalog.snapshot();
            assert!(held.by_id("none").is_some(), "the reader's own mistake");
        });
        reader.join().is_err()
    });
    assert!(held);
    now(catalog.replace(native("a", "1"))).unwrap();
    assert_eq!(
        catalog
            .snapshot()
            .by_id("a")
            .unwrap()
            .descriptor
            .description,
        "1"
    );
}

#[test]
fn a_replaced_tool_of_ours_keeps_what_governs_it_or_falls_back_to_the_worst() {
    let locked = Profile {
        locked: true,
        ..Profile::unknown("fs.read")
    };
    let catalog = Catalog::default();
    let descriptor = native("a", "0");
    catalog
        .add_native(Capability {
            descriptor,
            profile: locked.clone(),
        })
        .unwrap();
    now(catalog.replace(native("a", "1"))).unwrap();
    assert_eq!(catalog.snapshot().by_id("a").unwrap().profile, locked);
    let mut other = native("a", "2");
    other.verb = tipstaff_schema::Verb::new("fs", "delete");
    now(catalog.replace(other)).unwrap();
    let want = Profile {
        locked: true,
        ..Profile::unknown("fs.delete")
    };
    assert_eq!(catalog.snapshot().by_id("a").unwrap().profile, want);
    let of_server = tipstaff_schema::ToolDescriptor {
        source: tipstaff_schema::ToolSource::McpServer {
            server: "files".to_owned(),
        },
        ..native("mcp:files:read", "x")
    };
    assert!(
        now(catalog.replace(of_server)).is_err(),
        "no way past a pin"
    );
}

#[test]
fn what_a_server_offers_passes_for_no_name_that_another_has() {
    let mut world = World::default();
    world.offer_as("files", &identity(), Captured, &[tool("read")]);
    let told = world.offer_as("fi1es", &identity(), Captured, &[tool("read")]);
    assert_eq!(told, ["listed fi1es", "quarantined mcp:fi1es:read"]);
    assert_eq!(
        world.standing("fi1es:read"),
        "quarantined: shadowing: its name passes for that of `files:read`"
    );
}

proptest! {
    #[test]
    fn every_history_leaves_whole_snapshots(steps in prop::collection::vec((0_u8..5, 0_u8..4, 0_u8..3), 0..25)) {
        let mut world = World::default();
        for (step, which, text) in steps {
            let id = format!("t{which}");
            match step {
                0 => drop(now(world.catalog.register(native(&id, &text.to_string())))),
                1 => drop(now(world.catalog.replace(native(&id, &text.to_string())))),
                2 => drop(now(world.catalog.deregister(&id))),
                3 => drop(world.offer(Captured, &generation(usize::from(which), u64::from(text)))),
                _ => world.catalog.withdraw(&server("files")),
            }
            check_whole(&world.catalog.snapshot());
        }
    }
}
