//! One row of the table as an event. The text is what counts; the columns are an index over it, and
//! a row whose columns say another thing than its text is damaged.

use rusqlite::Row;
use tipstaff_journal::{Event, ReadJournalError, from_line};

use super::fault::unreadable;

/// The columns that `read_row` needs.
pub(super) const COLUMNS: &str = "seq, id, stream, version, kind, correlation, hash, text";

/// The last event.
pub(super) const LAST: &str = "SELECT seq, id, stream, version, kind, correlation, hash, text FROM event ORDER BY seq DESC LIMIT 1";

/// Reads a row with [`COLUMNS`].
pub(super) fn read_row(row: &Row<'_>) -> Result<Event, ReadJournalError> {
    let seq = place(row.get(0).map_err(unreadable)?);
    let damaged = |why: String| ReadJournalError::Damaged { seq, why };
    let text: String = row.get(7).map_err(|err| damaged(err.to_string()))?;
    let event = from_line(&text).map_err(|err| {
        let cause =
            std::error::Error::source(&err).map_or_else(String::new, |cause| format!(": {cause}"));
        damaged(format!("{err}{cause}").escape_debug().to_string())
    })?;
    match wrong_column(row, &event, &text) {
        Ok(None) => Ok(event),
        Ok(Some(column)) => Err(damaged(format!(
            "its column `{column}` is not what its event says"
        ))),
        Err(err) => Err(damaged(err.to_string())),
    }
}

fn wrong_column(
    row: &Row<'_>,
    event: &Event,
    text: &str,
) -> rusqlite::Result<Option<&'static str>> {
    let checks = [
        ("seq", place(row.get(0)?) == event.seq),
        ("id", row.get::<_, Vec<u8>>(1)? == event.id.as_bytes()),
        (
            "stream",
            row.get::<_, String>(2)? == event.stream.to_string(),
        ),
        ("version", place(row.get(3)?) == event.version),
        ("kind", row.get::<_, String>(4)? == event.kind.as_str()),
        (
            "correlation",
            row.get::<_, Option<Vec<u8>>>(5)?.as_deref()
                == event
                    .correlation
                    .as_ref()
                    .map(|id| id.as_bytes().as_slice()),
        ),
        ("hash", row.get::<_, String>(6)? == event.hash.to_string()),
        ("text", event.canonical_text().as_deref() == Some(text)),
    ];
    Ok(checks
        .into_iter()
        .find(|(_, same)| !same)
        .map(|(column, _)| column))
}

/// SQLite's integers are signed; what is below zero is no place of ours and equals none.
pub(super) fn place(stored: i64) -> u64 {
    u64::try_from(stored).unwrap_or(0)
}
