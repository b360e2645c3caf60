//! Reading a state folder without a gate: the journal, read-only, folded into what a command shows.

use std::path::Path;

use tipstaff_approval::Approvals;
use tipstaff_journal::{Event, Filter, Journal};
use tipstaff_registry::Pins;
use tipstaff_store::SqliteJournal;
use tipstaff_triage::Tasks;

use crate::exit::{ENVIRONMENT, Failure};
use crate::host::journal_file;

/// How many events are read at once.
const PAGE: usize = 1000;

/// The state as the journal tells it. Events that do not fit are passed over here; `audit verify`
/// finds them.
#[derive(Debug, Default)]
pub(crate) struct Folded {
    pub(crate) approvals: Approvals,
    pub(crate) tasks: Tasks,
    pub(crate) pins: Pins,
}

/// Opens the journal for reading.
pub(crate) fn open(state: &Path) -> Result<SqliteJournal, Failure> {
    open_named(state, None)
}

/// The same where a manifest names the journal's file.
pub(crate) fn open_named(state: &Path, named: Option<&Path>) -> Result<SqliteJournal, Failure> {
    let file = journal_file(state, named);
    if !file.exists() {
        let message = format!(
            "there is no journal at `{}` yet: nothing has run with this state folder",
            file.display()
        );
        return Err(Failure::new(ENVIRONMENT, message));
    }
    SqliteJournal::open_read_only(&file).map_err(|error| Failure::environment(&error))
}

/// Calls `each` with every event from `from` on.
pub(crate) async fn each_event(
    journal: &dyn Journal,
    mut from: u64,
    mut each: impl FnMut(&Event),
) -> Result<(), Failure> {
    loop {
        let page = journal
            .scan(from, PAGE, &Filter::all())
            .await
            .map_err(|error| Failure::environment(&error))?;
        let Some(last) = page.last() else {
            return Ok(());
        };
        from = last.seq + 1;
        page.iter().for_each(&mut each);
    }
}

/// Folds the whole journal of a state folder.
pub(crate) async fn fold(state: &Path) -> Result<Folded, Failure> {
    let journal = open(state)?;
    let mut folded = Folded::default();
    each_event(&journal, 1, |event| {
        let fits = [
            folded.approvals.apply(event).is_ok(),
            folded.tasks.apply(event).is_ok(),
            folded.pins.apply(event).is_ok(),
        ];
        if fits.contains(&false) {
            tracing::warn!(
                seq = event.seq,
                "an event does not fit; try `tipstaff audit verify`"
            );
        }
    })
    .await?;
    Ok(folded)
}
