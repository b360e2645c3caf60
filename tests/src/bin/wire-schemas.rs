//! Prints the JSON Schema of every wire type as one JSON object, for `cargo xtask wire`.
//!
//! A program of its own, so that xtask builds and runs while the crates do not compile.

use std::collections::BTreeMap;
use std::io::Write as _;

fn main() -> std::io::Result<()> {
    let all = [
        tipstaff_schema::wire_schemas(),
        tipstaff_registry::wire_schemas(),
        tipstaff_policy::wire_schemas(),
    ];
    let schemas: BTreeMap<_, _> = all.into_iter().flatten().collect();
    let text = serde_json::to_string(&schemas)?;
    std::io::stdout().write_all(text.as_bytes())
}
