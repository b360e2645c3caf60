//! The rows of `shell/`, as they are published.

use std::path::Path;

use anyhow::Result;
use serde::Deserialize;

use tipstaff_bench::data;

/// One command of a data set.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Row {
    pub(super) cmd: String,
    pub(super) label: String,
    #[serde(default)]
    pub(super) effect: Option<String>,
    #[serde(default)]
    pub(super) read_only: Option<bool>,
}

/// All sets, with their names.
#[derive(Debug)]
pub(super) struct Data(pub(super) Vec<(&'static str, Vec<Row>)>);

impl Data {
    pub(super) fn read(data: &Path) -> Result<Self> {
        let sets = ["gtfobins", "bypass_handmade", "nl2bash", "tldr"];
        let read = |set| Ok((set, data::lines(data, &format!("shell/{set}.jsonl"))?));
        sets.into_iter().map(read).collect::<Result<_>>().map(Self)
    }

    /// The commands of one set.
    pub(super) fn of(&self, wanted: &str) -> Vec<&str> {
        let rows = self.0.iter().filter(|(set, _)| *set == wanted);
        rows.flat_map(|(_, rows)| rows.iter().map(|row| row.cmd.as_str()))
            .collect()
    }
}
