//! What each engine holds, told by a program of its own: counting every allocation would lengthen
//! the timings of those that allocate.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};

use super::Sizes;
use super::casbin::Casbin;
use super::cedar::Cedar;
use super::core::core_rules;
use super::globs::Globs;
use super::ours::{Ours, compile, wires};
use super::peer::Peer;
use super::rego::{Indexed, Listed};
use super::rich::{Mix, rich_rules};

/// Bytes held by name and number of rules.
pub(super) type Held = BTreeMap<String, BTreeMap<usize, usize>>;

/// Has the other program built, and asks it.
///
/// # Errors
/// It cannot be built, or fails.
pub(super) fn held(sizes: &Sizes) -> Result<Held> {
    let list: Vec<String> = sizes.rules.iter().map(ToString::to_string).collect();
    let exe = std::env::current_exe()?;
    // `<target>/release/tipstaff-bench`, whose neighbour is built into the same folder.
    let target = exe.ancestors().nth(2).context("the target folder")?;
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["run", "--quiet", "--release", "--locked"]);
    cargo.args(["--features", "policy", "--bin", "policy-memory"]);
    cargo.args([
        "--manifest-path",
        concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"),
    ]);
    cargo.arg("--target-dir").arg(target);
    cargo.arg("--").arg(list.join(","));
    let out = cargo.stderr(Stdio::inherit()).output().context("cargo")?;
    ensure!(out.status.success(), "policy-memory failed");
    Ok(serde_json::from_slice(&out.stdout)?)
}

/// Builds every engine with each number of rules and says by how much `held` grew.
///
/// # Errors
/// An engine refuses its rules.
pub fn weigh(sizes: &[usize], held: impl Fn() -> usize) -> Result<Held> {
    let mut all = Held::new();
    for size in sizes {
        let mut put = |name: &str, bytes| {
            all.entry(name.to_owned()).or_default().insert(*size, bytes);
        };
        put(Ours::NAME, one::<Ours>(*size, &held)?);
        put(Globs::NAME, one::<Globs>(*size, &held)?);
        put(Cedar::NAME, one::<Cedar>(*size, &held)?);
        put(Casbin::NAME, one::<Casbin>(*size, &held)?);
        put(Listed::NAME, one::<Listed>(*size, &held)?);
        put(Indexed::NAME, one::<Indexed>(*size, &held)?);
        for mix in [Mix::Rich, Mix::Globs, Mix::Infix] {
            if mix == Mix::Rich || *size <= super::measure::PATTERNS {
                let before = held();
                let set = compile(wires(rich_rules(mix, *size)))?;
                put(mix.name(), held().saturating_sub(before));
                drop(set);
            }
        }
    }
    Ok(all)
}

/// The engine alone: what its rules were read from is gone by then.
fn one<P: Peer>(size: usize, held: &impl Fn() -> usize) -> Result<usize> {
    let rules = core_rules(size);
    let before = held();
    let engine = P::build(P::write(&rules))?;
    let bytes = held().saturating_sub(before);
    drop(engine);
    Ok(bytes)
}
