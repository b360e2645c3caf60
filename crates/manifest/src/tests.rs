//! Tests of the manifest: what loads, what is refused, and where.

mod bench;
mod calls;
mod example;
mod import;
mod limits;
mod refused;
mod robust;
mod starter;
mod triage;
mod yaml;
