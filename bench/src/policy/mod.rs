//! `policy`: deciding by N rules, by ours, by the scan that it must equal, and by four peers on what
//! they can say.

mod calls;
mod casbin;
mod cedar;
mod core;
mod globs;
mod measure;
mod memory;
mod ours;
mod peer;
mod rego;
mod rich;

pub use self::core::{Asked, Place, Plain, Tool, core_asked, core_rules};
pub use calls::Call;
pub use measure::run;
pub use memory::weigh;
pub use rich::{Mix, rich_calls, rich_rules};

/// How many requests are judged by every set of rules.
pub const REQUESTS: usize = 1_000;

/// The sizes to measure.
#[derive(Debug, Clone, clap::Args)]
pub struct Sizes {
    /// Numbers of rules.
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "N,N,…",
        default_value = "10,100,1000,10000,100000"
    )]
    pub rules: Vec<usize>,
}
