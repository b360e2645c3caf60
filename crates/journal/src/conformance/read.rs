//! The rules of reading.

use serde_json::json;
use uuid::Uuid;

use super::{Found, Outcome, Subject, draft, intact, same, seqs, stream};
use crate::{Filter, Head, Journal, Kind, Stream, StreamKind, kinds};

pub(super) async fn opens(Subject { journal, .. }: Subject) -> Outcome {
    let events = journal.scan(0, 10, &Filter::all()).await?;
    let [opened] = events.as_slice() else {
        return Err(Found(format!("{events:?}")));
    };
    same("kind", &opened.kind, &kinds::JOURNAL_OPENED)?;
    let head = Head {
        seq: 1,
        hash: opened.hash,
    };
    same("head", &journal.head().await?, &head)?;
    same("its stream", &journal.read(&opened.stream).await?, &events)?;
    intact(&*journal, head).await
}

pub(super) async fn keeps(Subject { journal, .. }: Subject) -> Outcome {
    let odd = Stream::new(StreamKind::Tool, "mcp:files:ä\u{202e} \"/\\ 🦀")
        .map_err(|err| Found(err.to_string()))?;
    let kind = Kind::new("later.added").map_err(|err| Found(err.to_string()))?;
    let mut one = draft(10, &odd, kind)
        .correlated(Uuid::from_u128(7))
        .caused_by(Uuid::from_u128(8));
    one.actor = "ana\u{7f}\u{9b}\n".to_owned();
    one.data = json!({
        "z": 1.0, "a": [1e300, -0.5, u64::MAX, i64::MIN, null, true, 1e21, -0.0],
        "text": "\u{0}\u{1f}\u{7f}\u{85}\u{2028}é😀", "é": {}, "\n": [],
    });
    let two = draft(11, &odd, kinds::TOOL_REMOVED);
    let appended = journal.append(&[], vec![one, two]).await?;
    same("what is read", &journal.read(&odd).await?, &appended.events)?;
    same(
        "what is scanned",
        &journal.scan(2, 10, &Filter::all()).await?,
        &appended.events,
    )?;
    intact(&*journal, appended.head).await
}

pub(super) async fn streams(Subject { journal, .. }: Subject) -> Outcome {
    let (a, b) = (stream(1), stream(2));
    let order = [(10, &a), (11, &b), (12, &a), (13, &b), (14, &a)];
    journal
        .append(
            &[],
            order
                .map(|(id, stream)| draft(id, stream, kinds::CALL_RECEIVED))
                .to_vec(),
        )
        .await?;
    let places: Vec<_> = journal
        .read(&a)
        .await?
        .iter()
        .map(|event| (event.seq, event.version))
        .collect();
    same("one stream", &places, &vec![(2, 1), (4, 2), (6, 3)])?;
    same(
        "a stream that is not there",
        &journal.read(&stream(3)).await?,
        &Vec::new(),
    )?;
    let namesake = Stream::of(StreamKind::Approval, Uuid::from_u128(1));
    same(
        "a stream of another kind with the same id",
        &journal.read(&namesake).await?,
        &Vec::new(),
    )
}

/// Five events: the opening, and four of two streams, two of them of one errand.
async fn fill(journal: &dyn Journal) -> Result<Uuid, Found> {
    let (a, task) = (stream(1), Stream::of(StreamKind::Task, Uuid::from_u128(1)));
    let errand = Uuid::from_u128(7);
    let drafts = vec![
        draft(10, &a, kinds::CALL_RECEIVED).correlated(errand),
        draft(11, &task, kinds::TASK_OPENED).correlated(errand),
        draft(12, &a, kinds::CALL_REFUSED),
        draft(13, &task, kinds::TASK_COMPLETED),
    ];
    journal.append(&[], drafts).await?;
    Ok(errand)
}

pub(super) async fn filters(Subject { journal, .. }: Subject) -> Outcome {
    let errand = fill(&*journal).await?;
    let narrow = Filter {
        kinds: vec![kinds::TASK_OPENED],
        ..Filter::correlation(errand)
    };
    let checks = [
        (Filter::all(), vec![1, 2, 3, 4, 5]),
        (Filter::streams([StreamKind::Task]), vec![3, 5]),
        (
            Filter::streams([StreamKind::Task, StreamKind::Journal]),
            vec![1, 3, 5],
        ),
        (
            Filter::kinds([kinds::CALL_RECEIVED, kinds::TASK_COMPLETED]),
            vec![2, 5],
        ),
        (Filter::correlation(errand), vec![2, 3]),
        (narrow, vec![3]),
        (Filter::kinds([kinds::GRANT_USED]), vec![]),
    ];
    for (filter, wanted) in checks {
        same(
            &format!("{filter:?}"),
            &seqs(&*journal, &filter).await?,
            &wanted,
        )?;
    }
    Ok(())
}

pub(super) async fn limits(Subject { journal, .. }: Subject) -> Outcome {
    fill(&*journal).await?;
    for (from, limit, wanted) in [
        (3, 10, vec![3, 4, 5]),
        (2, 2, vec![2, 3]),
        (6, 10, vec![]),
        (1, 0, vec![]),
    ] {
        let found: Vec<u64> = journal
            .scan(from, limit, &Filter::all())
            .await?
            .iter()
            .map(|event| event.seq)
            .collect();
        same(&format!("{limit} from {from}"), &found, &wanted)?;
    }
    let last = journal.scan(u64::MAX, usize::MAX, &Filter::all()).await?;
    same("from the last possible place", &last, &Vec::new())?;
    let found = journal
        .scan(3, 1, &Filter::streams([StreamKind::Call]))
        .await?;
    same(
        "the limit counts what passes",
        &found.first().map(|event| event.seq),
        &Some(4),
    )
}

pub(super) async fn reopens(Subject { journal, reopen }: Subject) -> Outcome {
    let Some(reopen) = reopen else { return Ok(()) };
    let a = stream(1);
    journal
        .append(&[], vec![draft(10, &a, kinds::CALL_RECEIVED)])
        .await?;
    let (events, head) = (
        journal.scan(1, 10, &Filter::all()).await?,
        journal.head().await?,
    );
    let journal = reopen(journal).await;
    same("head", &journal.head().await?, &head)?;
    same(
        "events",
        &journal.scan(1, 10, &Filter::all()).await?,
        &events,
    )?;
    let appended = journal
        .append(&[(a.clone(), 1)], vec![draft(11, &a, kinds::CALL_REFUSED)])
        .await?;
    same("next place", &appended.head.seq, &3)?;
    intact(&*journal, appended.head).await
}
