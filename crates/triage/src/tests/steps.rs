//! The state machine of a task: every pair, and what holds for every sequence.

use proptest::prelude::*;

use super::*;
use crate::{Standing as St, TaskState as S};

fn ana() -> Person {
    person("ana")
}

fn bob() -> Person {
    person("bob")
}

fn claimed() -> S {
    S::Claimed { holder: ana() }
}

fn completed() -> S {
    S::Completed {
        by: ana(),
        result: json!(1),
        note: "n".into(),
    }
}

fn complete(by: Person, result: i32) -> TaskStep {
    TaskStep::Complete {
        by,
        result: json!(result),
        note: "n".into(),
    }
}

fn release(by: Person, authority: Authority) -> TaskStep {
    TaskStep::Release { by, authority }
}

fn delegate(by: Person, authority: Authority) -> TaskStep {
    TaskStep::Delegate {
        by,
        authority,
        to: bob(),
    }
}

fn take(from: Person) -> TaskStep {
    TaskStep::TakeOver { by: bob(), from }
}

#[track_caller]
fn check(from: S, by: TaskStep, want: Result<S, StepRefusal>) {
    let to = step(
        &St {
            state: from,
            escalated: false,
        },
        &by,
    );
    assert_eq!(
        to,
        want.map(|state| St {
            state,
            escalated: by == TaskStep::Escalate
        })
    );
}

fn closed(status: TaskStatus) -> Result<S, StepRefusal> {
    Err(StepRefusal::NotPending { status })
}

#[test]
fn a_ready_task_is_claimed_first() {
    check(S::Ready, TaskStep::Claim { by: ana() }, Ok(claimed()));
    for other in [
        release(ana(), Authority::Supervisor),
        delegate(ana(), Authority::Supervisor),
        take(ana()),
    ] {
        check(S::Ready, other, Err(StepRefusal::NotClaimed));
    }
    check(S::Ready, complete(ana(), 1), Err(StepRefusal::NotClaimed));
    check(
        S::Ready,
        TaskStep::Skip { by: ana() },
        Err(StepRefusal::NotClaimed),
    );
    check(S::Ready, TaskStep::Expire, Ok(S::Expired));
    check(S::Ready, TaskStep::Escalate, Ok(S::Ready));
    check(
        S::Ready,
        TaskStep::Reopen,
        Err(StepRefusal::NotReopenable {
            status: TaskStatus::Ready,
        }),
    );
}

#[test]
fn a_claimed_task_is_its_holders_or_a_supervisors() {
    let held = || Err(StepRefusal::AlreadyClaimed { holder: ana() });
    check(claimed(), TaskStep::Claim { by: ana() }, Ok(claimed()));
    check(claimed(), TaskStep::Claim { by: bob() }, held());
    check(claimed(), release(ana(), Authority::Holder), Ok(S::Ready));
    check(claimed(), release(bob(), Authority::Holder), held());
    check(
        claimed(),
        release(bob(), Authority::Supervisor),
        Ok(S::Ready),
    );
    check(
        claimed(),
        delegate(ana(), Authority::Holder),
        Ok(S::Claimed { holder: bob() }),
    );
    check(claimed(), delegate(bob(), Authority::Holder), held());
    check(claimed(), complete(ana(), 1), Ok(completed()));
    check(claimed(), complete(bob(), 1), held());
    check(claimed(), TaskStep::Skip { by: ana() }, Ok(S::Skipped));
    check(claimed(), TaskStep::Skip { by: bob() }, held());
    check(claimed(), TaskStep::Expire, Ok(S::Expired));
    check(claimed(), TaskStep::Escalate, Ok(S::Ready));
    check(
        claimed(),
        TaskStep::Reopen,
        Err(StepRefusal::NotReopenable {
            status: TaskStatus::Claimed,
        }),
    );
}

#[test]
fn a_task_is_taken_over_only_from_the_holder_that_was_named() {
    check(claimed(), take(ana()), Ok(S::Claimed { holder: bob() }));
    let from = person("cem");
    check(
        claimed(),
        take(from.clone()),
        Err(StepRefusal::HolderChanged {
            holder: ana(),
            from,
        }),
    );
}

#[test]
fn a_second_completion_is_a_duplicate_or_a_conflict() {
    check(completed(), complete(ana(), 1), Err(StepRefusal::Duplicate));
    check(
        completed(),
        complete(ana(), 2),
        Err(StepRefusal::Conflict { by: ana() }),
    );
    check(
        completed(),
        complete(bob(), 1),
        Err(StepRefusal::Conflict { by: ana() }),
    );
    check(S::Skipped, complete(ana(), 1), closed(TaskStatus::Skipped));
    check(S::Expired, complete(ana(), 1), closed(TaskStatus::Expired));
}

#[test]
fn what_is_over_is_reopened_or_stays() {
    for state in [completed(), S::Skipped, S::Expired] {
        let status = state.status();
        for next in [
            TaskStep::Claim { by: ana() },
            release(ana(), Authority::Supervisor),
            delegate(ana(), Authority::Supervisor),
            take(ana()),
            TaskStep::Skip { by: ana() },
            TaskStep::Expire,
            TaskStep::Escalate,
        ] {
            check(state.clone(), next, closed(status));
        }
    }
    check(completed(), TaskStep::Reopen, Ok(S::Ready));
    check(S::Skipped, TaskStep::Reopen, Ok(S::Ready));
    check(
        S::Expired,
        TaskStep::Reopen,
        Err(StepRefusal::NotReopenable {
            status: TaskStatus::Expired,
        }),
    );
}

#[test]
fn an_escalated_task_neither_expires_nor_escalates_again() {
    for state in [S::Ready, claimed()] {
        let from = St {
            state,
            escalated: true,
        };
        assert_eq!(
            step(&from, &TaskStep::Expire),
            Err(StepRefusal::AlreadyEscalated)
        );
        assert_eq!(
            step(&from, &TaskStep::Escalate),
            Err(StepRefusal::AlreadyEscalated)
        );
    }
}

fn any_step() -> impl Strategy<Value = TaskStep> {
    let who = || prop::sample::select(vec![ana(), bob(), person("cem")]);
    let authority = || prop::sample::select(vec![Authority::Holder, Authority::Supervisor]);
    prop_oneof![
        4 => who().prop_map(|by| TaskStep::Claim { by }),
        1 => (who(), authority()).prop_map(|(by, authority)| TaskStep::Release { by, authority }),
        1 => (who(), authority(), who()).prop_map(|(by, authority, to)| TaskStep::Delegate { by, authority, to }),
        1 => (who(), who()).prop_map(|(by, from)| TaskStep::TakeOver { by, from }),
        2 => (who(), 0..2).prop_map(|(by, result)| complete(by, result)),
        1 => who().prop_map(|by| TaskStep::Skip { by }),
        1 => Just(TaskStep::Reopen),
        1 => Just(TaskStep::Expire),
        1 => Just(TaskStep::Escalate),
    ]
}

proptest! {
    /// The model knows only who holds the task, whether it is over, and how often it was escalated.
    #[test]
    fn the_machine_agrees_with_a_small_model(steps in prop::collection::vec(any_step(), 0..60)) {
        let mut now = St { state: S::Ready, escalated: false };
        let (mut holder, mut over, mut expired, mut escalations): (Option<Person>, _, _, _) = (None, false, false, 0);
        for next in steps {
            let result = step(&now, &next);
            let holds = |by: &Person| !over && holder.as_ref() == Some(by);
            let may = match &next {
                TaskStep::Claim { by } => !over && (holder.is_none() || holds(by)),
                TaskStep::Release { by, authority } | TaskStep::Delegate { by, authority, .. } => {
                    !over && holder.is_some() && (*authority == Authority::Supervisor || holds(by))
                }
                TaskStep::TakeOver { from, .. } => holds(from),
                TaskStep::Complete { by, .. } | TaskStep::Skip { by } => holds(by),
                TaskStep::Reopen => over && !expired,
                TaskStep::Expire | TaskStep::Escalate => !over && escalations == 0,
            };
            prop_assert_eq!(result.is_ok(), may, "{:?} from {:?}", next, now);
            let Ok(to) = result else { continue };
            match next {
                TaskStep::Claim { by } | TaskStep::TakeOver { by, .. } => holder = Some(by),
                TaskStep::Delegate { to, .. } => holder = Some(to),
                TaskStep::Release { .. } => holder = None,
                TaskStep::Complete { .. } | TaskStep::Skip { .. } => (holder, over) = (None, true),
                TaskStep::Reopen => over = false,
                TaskStep::Expire => (holder, over, expired) = (None, true, true),
                TaskStep::Escalate => (holder, escalations) = (None, escalations + 1),
            }
            now = to;
            let shown = if let S::Claimed { holder } = &now.state { Some(holder.clone()) } else { None };
            prop_assert_eq!(&shown, &holder);
            prop_assert_eq!(now.state.status().is_open(), !over);
            prop_assert_eq!(now.escalated, escalations == 1);
        }
    }
}
