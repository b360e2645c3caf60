//! The rules of appending.

use serde_json::Value;

use super::{
    Boxed, Found, Outcome, Subject, draft, intact, join_all, poll_once, same, seqs, stream,
};
use crate::{AppendError, Appended, DraftError, Filter, MAX_DATA_BYTES, kinds};

pub(super) async fn orders(Subject { journal, .. }: Subject) -> Outcome {
    let (a, b) = (stream(1), stream(2));
    let drafts =
        [(10, &a), (11, &b), (12, &a)].map(|(id, stream)| draft(id, stream, kinds::CALL_RECEIVED));
    let before = journal.head().await?;
    let appended = journal.append(&[], drafts.to_vec()).await?;
    let places: Vec<_> = appended
        .events
        .iter()
        .map(|event| (event.seq, event.version))
        .collect();
    same(
        "places and versions",
        &places,
        &vec![(2, 1), (3, 1), (4, 2)],
    )?;
    same(
        "first `prev`",
        &appended.events.first().map(|event| event.prev),
        &Some(before.hash),
    )?;
    same("head", &journal.head().await?, &appended.head)?;
    intact(&*journal, appended.head).await
}

pub(super) async fn expects(Subject { journal, .. }: Subject) -> Outcome {
    let (a, b) = (stream(1), stream(2));
    journal
        .append(&[(a.clone(), 0)], vec![draft(10, &a, kinds::CALL_RECEIVED)])
        .await?;
    let both = vec![
        draft(11, &a, kinds::CALL_REFUSED),
        draft(12, &b, kinds::CALL_RECEIVED),
    ];
    let appended = journal
        .append(&[(a, 1), (b, 0), (stream(3), 0)], both)
        .await?;
    intact(&*journal, appended.head).await
}

fn conflict(result: Result<Appended, AppendError>) -> Result<(u64, u64), Found> {
    match result {
        Err(AppendError::Conflict {
            expected, actual, ..
        }) => Ok((expected, actual)),
        other => Err(Found(format!("no conflict but {other:?}"))),
    }
}

pub(super) async fn conflicts(Subject { journal, .. }: Subject) -> Outcome {
    let (a, b) = (stream(1), stream(2));
    let head = journal
        .append(&[], vec![draft(10, &a, kinds::CALL_RECEIVED)])
        .await?
        .head;
    for (version, wanted) in [(0, (0, 1)), (2, (2, 1))] {
        let drafts = vec![
            draft(11, &b, kinds::CALL_RECEIVED),
            draft(12, &a, kinds::CALL_REFUSED),
        ];
        let found = conflict(
            journal
                .append(&[(b.clone(), 0), (a.clone(), version)], drafts)
                .await,
        )?;
        same("expected and actual version", &found, &wanted)?;
        same("head", &journal.head().await?, &head)?;
    }
    same("the other stream", &journal.read(&b).await?, &Vec::new())
}

pub(super) async fn checks_only(Subject { journal, .. }: Subject) -> Outcome {
    let head = journal.head().await?;
    let checked = journal.append(&[(stream(1), 0)], Vec::new()).await?;
    same(
        "what was appended",
        &checked,
        &Appended {
            events: Vec::new(),
            head,
        },
    )?;
    same(
        "conflict",
        &conflict(journal.append(&[(stream(1), 3)], Vec::new()).await)?,
        &(3, 0),
    )?;
    same("head", &journal.head().await?, &head)
}

pub(super) async fn refuses_known_ids(Subject { journal, .. }: Subject) -> Outcome {
    let a = stream(1);
    let one = |id| draft(id, &a, kinds::CALL_RECEIVED);
    let head = journal.append(&[], vec![one(10)]).await?.head;
    for drafts in [vec![one(11), one(10)], vec![one(12), one(12)]] {
        let id = drafts.last().map(|draft| draft.id).unwrap_or_default();
        match journal.append(&[], drafts).await {
            Err(AppendError::Invalid {
                index: 1,
                source: DraftError::DuplicateId { id: found },
            }) if found == id => {}
            other => return Err(Found(format!("known id: {other:?}"))),
        }
    }
    same("head", &journal.head().await?, &head)
}

pub(super) async fn refuses_bad_drafts(Subject { journal, .. }: Subject) -> Outcome {
    let (a, head) = (stream(1), journal.head().await?);
    let mut bad = [11, 12, 13].map(|id| draft(id, &a, kinds::CALL_RECEIVED));
    let [reserved, nobody, large] = &mut bad;
    reserved.kind = kinds::JOURNAL_OPENED;
    nobody.actor.clear();
    large.data = Value::from("x".repeat(MAX_DATA_BYTES));
    for bad in bad {
        match journal
            .append(&[], vec![draft(10, &a, kinds::CALL_RECEIVED), bad])
            .await
        {
            Err(AppendError::Invalid { index: 1, .. }) => {}
            other => return Err(Found(format!("bad draft: {other:?}"))),
        }
    }
    same("head", &journal.head().await?, &head)
}

pub(super) async fn one_wins(Subject { journal, .. }: Subject) -> Outcome {
    let a = stream(1);
    let expected = [(a.clone(), 0)];
    let append = |id| journal.append(&expected, vec![draft(id, &a, kinds::APPROVAL_USED)]);
    let results = join_all((10..26).map(append).collect()).await;
    let mut lost = 0;
    let mut won = Vec::new();
    for result in results {
        match result {
            Ok(appended) => won.extend(appended.events),
            Err(err) => {
                same("the losers' conflict", &conflict(Err(err))?, &(0, 1))?;
                lost += 1;
            }
        }
    }
    same("winners and losers", &(won.len(), lost), &(1, 15))?;
    same("the stream", &journal.read(&a).await?, &won)?;
    intact(&*journal, journal.head().await?).await
}

pub(super) async fn all_get_in(Subject { journal, .. }: Subject) -> Outcome {
    let append = |id: u128| -> Boxed<'_, _> {
        let (a, b) = (stream(1), stream(id));
        let pair = vec![
            draft(id, &a, kinds::CALL_RECEIVED),
            draft(id + 100, &b, kinds::CALL_RECEIVED),
        ];
        journal.append(&[], pair)
    };
    for result in join_all((10..42).map(append).collect()).await {
        let events = result?.events;
        let stored = journal
            .scan(
                events.first().map_or(0, |event| event.seq),
                2,
                &Filter::all(),
            )
            .await?;
        same("a pair stands together", &stored, &events)?;
    }
    same(
        "places",
        &seqs(&*journal, &Filter::all()).await?,
        &(1..=65).collect(),
    )?;
    intact(&*journal, journal.head().await?).await
}

pub(super) async fn drops_whole(Subject { journal, .. }: Subject) -> Outcome {
    let a = stream(1);
    let pair = vec![
        draft(10, &a, kinds::CALL_RECEIVED),
        draft(11, &a, kinds::CALL_REFUSED),
    ];
    let _ = poll_once(journal.append(&[], pair)).await;
    let head = journal
        .append(&[], vec![draft(12, &stream(2), kinds::CALL_RECEIVED)])
        .await?
        .head;
    let count = journal.read(&a).await?.len();
    if count != 0 && count != 2 {
        return Err(Found(format!("{count} of 2 events")));
    }
    intact(&*journal, head).await
}
