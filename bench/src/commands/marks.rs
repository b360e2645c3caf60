//! Where the mark `read_only` of NL2Bash, a heuristic, and the gate disagree. These rows are shown so
//! that a person can say who is right; the gate is not bent to them.

use tipstaff_command::{EffectKind, ProgramTable, plan};

use super::judge::Seen;
use super::{Table, list};

pub(super) fn tables(seen: &[Seen]) -> [Table; 2] {
    let marked = |row: &&Seen, mark| row.set == "nl2bash" && row.read_only == Some(mark);
    let wrong: Vec<&Seen> = seen
        .iter()
        .filter(|row| marked(row, true) && !row.runs() && does_more(&row.command))
        .collect();
    let runs: Vec<&Seen> = seen
        .iter()
        .filter(|row| marked(row, false) && row.runs())
        .collect();
    [
        list(
            "Marked read-only, but it writes, deletes, runs something else or uses the network",
            &wrong,
        ),
        list("Not marked read-only, but run unasked", &runs),
    ]
}

/// Whether the plan is sure that it does more than read.
fn does_more(command: &str) -> bool {
    let plan = plan(command, Some("/srv/repo"), ProgramTable::builtin());
    plan.effects.iter().any(|effect| {
        matches!(
            effect.kind,
            EffectKind::Writes
                | EffectKind::Deletes
                | EffectKind::Connects
                | EffectKind::Executes
                | EffectKind::Escalates
        )
    })
}
