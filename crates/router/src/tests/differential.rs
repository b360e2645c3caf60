//! I5: the index equals the scan on random catalogs and tokens.
//!
//! 20,000 cases in a usual run; `cargo xtask differential`, which is part of `ci`, runs many more, from a
//! seed that turns with the commit. The seed is printed, and a failure prints the seed of its catalog;
//! that one alone runs again with
//! `TIPSTAFF_SEED=<seed> TIPSTAFF_CASES=1 cargo test -p tipstaff-router --all-features --lib i5_`.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "how many cases to run is said from outside, and told"
)]

use std::collections::BTreeSet;

use tipstaff_schema::ToolSource;

use super::*;
use crate::reference;

/// A small generator of our own: the same cases on every machine.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % sides as u64).unwrap()
    }

    fn of<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.roll(from.len())]
    }
}

const NAMESPACES: &[&str] = &["fs", "net", "mcp", "mc", ""];
const ACTIONS: &[&str] = &["read", "write", "rea"];
const TAGS: &[&str] = &["a", "b", "c", "d", "e", "A", ""];
const TIERS: &[Tier] = &[Tier::Read, Tier::Write, Tier::Execute, Tier::Destructive];

/// Up to `most` tags, some of them twice.
fn tags(dice: &mut Dice, most: usize) -> Vec<String> {
    let few = dice.roll(TAGS.len()) + 1;
    (0..dice.roll(most + 1))
        .map(|_| dice.of(&TAGS[..few]).to_owned())
        .collect()
}

fn catalog(dice: &mut Dice, like: &ToolDescriptor) -> Snapshot {
    let (count, servers) = (dice.roll(14), dice.roll(4) + 1);
    // In a third of the catalogs all tools are of one tier or one verb, so that ties abound.
    let (tiers, verbs) = (dice.of(&[1, 2, 4]), dice.of(&[1, 2, 3]));
    let mut ids = BTreeSet::new();
    let mut entries = Vec::new();
    for _ in 0..count {
        let name = dice.of(&["x", "y", "z", "w", "v"]);
        let (source, id) = match dice.roll(5) {
            0 => (ToolSource::Terminal, format!("term{name}")),
            1 => {
                let backend = BackendId::new("host");
                (ToolSource::NativeBackend { backend }, name.to_owned())
            }
            _ => {
                let server = ["m", "n", "o", "p"][dice.roll(servers)];
                let id = format!("mcp:{server}:{name}");
                let server = server.to_owned();
                (ToolSource::McpServer { server }, id)
            }
        };
        if !ids.insert(id.clone()) {
            continue;
        }
        let namespace = NAMESPACES[dice.roll(NAMESPACES.len())];
        let descriptor = ToolDescriptor {
            tool_id: id,
            source,
            verb: Verb::new(namespace, ACTIONS[dice.roll(verbs)]),
            capabilities: tags(dice, 5),
            ..like.clone()
        };
        entries.push(SnapshotEntry {
            descriptor: Arc::new(descriptor),
            callable: dice.roll(5) > 0,
            tier: TIERS[dice.roll(tiers)],
        });
    }
    Snapshot {
        version: 1,
        entries,
    }
}

/// How many tokens each catalog is asked, each in both modes.
const TOKENS: u64 = 10;

/// One catalog and a few tokens over it, in both modes.
fn run(seed: u64, of: &IntentToken, like: &ToolDescriptor) {
    let mut dice = Dice(seed);
    let tools = Arc::new(catalog(&mut dice, like));
    let index = RouteIndex::new(Arc::clone(&tools));
    for round in 0..TOKENS {
        let token = IntentToken {
            verb: Verb::new(dice.of(NAMESPACES), dice.of(ACTIONS)),
            required_capabilities: tags(&mut dice, 4),
            ..of.clone()
        };
        let rests = dice.of(&[0, 0, 2, 5]);
        let open: OpenBreakers = tools
            .entries
            .iter()
            .filter(|_| dice.roll(6) < rests)
            .map(|entry| entry.descriptor.tool_id.clone())
            .collect();
        for mode in [RouteMode::Strict, RouteMode::Classic] {
            let (want, got) = (
                judge(mode, &tools, &token, &open),
                index.judge(mode, &token, &open),
            );
            assert_eq!(
                got, want,
                "seed {seed}, {mode:?}, {token:?}, open {open:?}, {tools:?}"
            );
            let (want, got) = (
                reference::resolve(mode, &tools, &token, &open),
                index.resolve(mode, &token, &open),
            );
            let same = match (&got, &want) {
                (Ok(got), Ok(want)) => got == want,
                (Err(got), Err(want)) => got.to_string() == want.to_string(),
                (Ok(_), Err(_)) | (Err(_), Ok(_)) => false,
            };
            assert!(same, "{got:?} is not {want:?}: seed {seed}, {mode:?}");
            if round == 0 {
                let explained = explain_sync(mode, &tools, &token, &open);
                check_explained(&explained, &tools, &token, seed);
            }
        }
    }
}

/// Every tool stands in an explanation once, with its score, and as many were taken as the outcome says.
fn check_explained(
    said: &crate::RouteExplanation,
    tools: &Snapshot,
    token: &IntentToken,
    seed: u64,
) {
    assert_eq!(said.candidates.len(), tools.entries.len(), "seed {seed}");
    for entry in &tools.entries {
        let id = crate::ask::shown(&entry.descriptor.tool_id);
        let candidate = said
            .candidates
            .iter()
            .find(|one| one.tool_id == id)
            .unwrap();
        let score = DefaultIntentRouter::score(token, &entry.descriptor);
        assert_eq!(
            candidate.score.total().to_bits(),
            score.to_bits(),
            "seed {seed}"
        );
    }
    let count = |why: Why| said.candidates.iter().filter(|one| one.why == why).count();
    let want = match &said.outcome {
        Ok(ToolRoute::HumanConfirm { ask }) if ask.contains("equally well") => (0, 2),
        Ok(ToolRoute::HumanConfirm { .. }) | Err(_) => (0, 0),
        Ok(
            ToolRoute::Mcp { .. } | ToolRoute::NativeBackend { .. } | ToolRoute::Terminal { .. },
        ) => (1, 0),
    };
    assert_eq!((count(Why::Chosen), count(Why::Tied)), want, "seed {seed}");
}

fn number(name: &str, otherwise: u64) -> u64 {
    let said = std::env::var(name).ok();
    said.map_or(otherwise, |text| text.parse().expect("a number"))
}

#[test]
fn i5_the_index_equals_the_scan() {
    let (cases, first) = (number("TIPSTAFF_CASES", 20_000), number("TIPSTAFF_SEED", 1));
    println!("router: {cases} cases from TIPSTAFF_SEED={first}");
    let catalogs = cases.div_ceil(2 * TOKENS);
    let (token, like) = (&token("fs.read"), &tool("x", "fs.read"));
    let hands = std::thread::available_parallelism().map_or(1, |hands| hands.get() as u64);
    std::thread::scope(|scope| {
        for hand in 0..hands {
            let seeds = first + catalogs * hand / hands..first + catalogs * (hand + 1) / hands;
            scope.spawn(move || seeds.for_each(|seed| run(seed, token, like)));
        }
    });
}
