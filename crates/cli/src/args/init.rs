//! The command line of `init`.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use tipstaff_manifest::Starter;

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  tipstaff init --starter commands --out tipstaff.yaml
  tipstaff check -c tipstaff.yaml
The file is a whole manifest for you to read and change: the agent's name and folder stand at its top,
its tests at its end.")]
pub(crate) struct InitArgs {
    /// Which starter policy.
    #[arg(long, value_parser = starter, default_value = "commands")]
    pub(crate) starter: &'static Starter,
    /// Write it here; the file must not exist.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
}

fn starter(name: &str) -> Result<&'static Starter, String> {
    Starter::named(name).ok_or_else(|| {
        let known: Vec<&str> = Starter::ALL.iter().map(|starter| starter.name).collect();
        format!("there is no such starter; there are: {}", known.join(", "))
    })
}
