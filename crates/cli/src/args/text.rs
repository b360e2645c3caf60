//! The command line of the commands that read a text from standard input.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use tipstaff_schema::Domain;

#[derive(Debug, Args)]
#[command(after_help = "\
Removed are terminal sequences, control characters, direction marks, and every character that is not
shown; newlines and tabs stay. Without --for the cleaned text comes out as it is, while it comes in.
  some-server 2>&1 | tipstaff clean
  curl -s https://example.org | tipstaff clean --for prompt --tool web:get --max-bytes 4096
  tipstaff clean --json < description.txt          what hides in it, counted by sort")]
pub(crate) struct CleanArgs {
    /// For a model: fenced, under a header that names the tool. For a terminal: on one line, with
    /// what cannot be seen spelled out.
    #[arg(long = "for", value_enum, value_name = "READER")]
    pub(crate) reader: Option<Reader>,
    /// The tool that the header names (for a prompt).
    #[arg(long, value_name = "NAME")]
    pub(crate) tool: Option<String>,
    /// Stands behind the fence (for a prompt); a text that nobody can foresee is best.
    #[arg(long, value_name = "TEXT")]
    pub(crate) label: Option<String>,
    /// The most bytes of the text, cut between characters and marked; for a prompt 65536 unless
    /// given, else no limit.
    #[arg(long, value_name = "N")]
    pub(crate) max_bytes: Option<usize>,
}

/// Who will read the cleaned text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Reader {
    Prompt,
    Terminal,
}

#[derive(Debug, Args)]
#[command(after_help = "\
The canonical text (RFC 8785, 64-bit integers with all their digits) comes first, the digest on a line
of its own. Refused, with line and column: equal keys, halves of surrogate pairs, more than 64 levels,
numbers that cannot be held as they stand.
  echo '{\"b\": 1e2, \"a\": \"\\u00e9\"}' | tipstaff canon")]
pub(crate) struct CanonArgs {
    /// What the digest stands for: the same value has another digest in each.
    #[arg(long, value_name = "WHAT", default_value = "params", value_parser = domain())]
    pub(crate) domain: Domain,
}

fn domain() -> impl TypedValueParser<Value = Domain> {
    let names = PossibleValuesParser::new(Domain::ALL.map(Domain::as_str));
    names.try_map(|name| name.parse::<Domain>())
}
