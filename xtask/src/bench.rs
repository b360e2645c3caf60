//! Starts a measurement: each lives in `bench/`, a workspace of its own outside the default build.

use anyhow::Result;

use crate::process;
use crate::tally::Tally;
use crate::workspace::Workspace;

/// Its manifest, relative to the root.
pub(crate) const MANIFEST: &str = "bench/Cargo.toml";

/// Builds the bench of this name, and nothing that only other benches need, and runs it.
pub(crate) fn run(ws: &Workspace, name: &str, args: &[String]) -> Result<Tally> {
    let mut cargo = ws.cargo();
    cargo.args(["run", "--quiet", "--release", "--locked"]);
    cargo.args(["--manifest-path", MANIFEST, "--features", name]);
    cargo.arg("--target-dir").arg(&ws.target);
    cargo.args(["--", name]).args(args);
    process::succeed(&mut cargo)
}
