//! The rules of subscriptions.

use super::{Boxed, Found, Outcome, Subject, draft, join_all, poll_once, same, stream};
use crate::{Subscription, kinds};

async fn take(from: &mut Subscription, count: usize) -> Result<Vec<u64>, Found> {
    let mut seqs = Vec::new();
    while seqs.len() < count {
        seqs.push(from.next().await?.seq);
    }
    Ok(seqs)
}

pub(super) async fn follows(Subject { journal, .. }: Subject) -> Outcome {
    let one = |id| draft(id, &stream(1), kinds::CALL_RECEIVED);
    journal.append(&[], vec![one(10)]).await?;
    let (mut all, mut late) = (journal.subscribe(0), journal.subscribe(4));
    let writer: Boxed<'_, Result<Vec<u64>, Found>> = Box::pin(async {
        for id in 11..20 {
            journal.append(&[], vec![one(id)]).await?;
        }
        Ok(Vec::new())
    });
    let results = join_all(vec![
        Box::pin(take(&mut all, 11)),
        Box::pin(take(&mut late, 8)),
        writer,
    ])
    .await;
    let results: Vec<Vec<u64>> = results.into_iter().collect::<Result<_, _>>()?;
    same(
        "from the start and from 4",
        &results,
        &vec![(1..=11).collect(), (4..=11).collect(), Vec::new()],
    )
}

pub(super) async fn survives_drop(Subject { journal, .. }: Subject) -> Outcome {
    let mut subscription = journal.subscribe(2);
    for round in 0..4 {
        // A wait that is dropped, before and after there is something: polled often enough to get anywhere.
        let waited = poll_once(Box::pin(subscription.next())).await.transpose()?;
        same("nothing there yet", &waited, &None)?;
        journal
            .append(
                &[],
                vec![draft(10 + round, &stream(1), kinds::CALL_RECEIVED)],
            )
            .await?;
        let wanted = 2 + round as u64;
        let seq = match poll_once(Box::pin(subscription.next())).await.transpose()? {
            Some(event) => event.seq,
            None => subscription.next().await?.seq,
        };
        same("the next event", &seq, &wanted)?;
    }
    Ok(())
}
