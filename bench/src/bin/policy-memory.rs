//! `policy-memory N,N,…`: how many bytes each engine of `bench policy` holds with N rules, as JSON.
//!
//! A program of its own, since it counts every allocation.

use anyhow::{Context as _, Result};
use peak_alloc::PeakAlloc;

#[global_allocator]
static HELD: PeakAlloc = PeakAlloc;

fn main() -> Result<()> {
    let sizes = std::env::args().nth(1).context("which numbers of rules?")?;
    let sizes: Vec<usize> = sizes.split(',').map(str::parse).collect::<Result<_, _>>()?;
    let all = tipstaff_bench::policy::weigh(&sizes, || HELD.current_usage())?;
    println!("{}", serde_json::to_string(&all)?);
    Ok(())
}
