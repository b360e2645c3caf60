//! What holds for every history, whoever wrote it.

use proptest::prelude::*;

use super::*;

#[derive(Debug, Clone)]
enum Do {
    Ask(u8),
    Answer(usize, u8, bool),
    RawAnswered(usize),
    Use(usize),
    Expire(usize),
    Withdraw(usize),
    Void(usize),
}

fn any_do() -> impl Strategy<Value = Do> {
    let id = 0usize..4;
    prop_oneof![
        2 => (0u8..3).prop_map(Do::Ask),
        4 => (id.clone(), 0u8..3, any::<bool>()).prop_map(|(id, who, yes)| Do::Answer(id, who, yes)),
        1 => id.clone().prop_map(Do::RawAnswered),
        3 => id.clone().prop_map(Do::Use),
        1 => id.clone().prop_map(Do::Expire),
        1 => id.clone().prop_map(Do::Withdraw),
        1 => id.prop_map(Do::Void),
    ]
}

fn run(desk: &mut Desk, ids: &mut Vec<Uuid>, what: &Do, s: i64) {
    let pick = |n: usize| ids.get(n % ids.len().max(1)).copied();
    let of = |desk: &Desk, id: Uuid| {
        ["R0", "R1", "R2"]
            .into_iter()
            .find(|of| digest(of) == desk.approvals.get(id).unwrap().digest)
            .unwrap()
    };
    match *what {
        Do::Ask(n) => {
            let of = format!("R{n}");
            if desk.find(&of, s) == "nothing"
                && desk
                    .approvals
                    .open(ask(&of), &terms(2, &[]), Limits::default(), at(s))
                    .is_ok()
            {
                ids.push(desk.asks(ask(&of), &terms(2, &[]), s));
            }
        }
        Do::Answer(id, who, yes) => {
            if let Some(id) = pick(id) {
                let answer = if yes { Answer::Approve } else { deny() };
                let _ = desk.answer(id, of(desk, id), &answer, &format!("p{who}"), s);
            }
        }
        Do::RawAnswered(id) => {
            if let Some(id) = pick(id) {
                let answered = Answered {
                    answer: Answer::Approve,
                    by: vec![person("eve")],
                    use_by: Some(at(s + 100)),
                };
                let _ = desk.write(id, &ApprovalEvent::Answered(answered), s);
            }
        }
        Do::Use(id) => drop(pick(id).map(|id| desk.used(id, of(desk, id), "s1", s))),
        Do::Expire(id) => {
            drop(pick(id).map(|id| desk.write(id, &ApprovalEvent::Expired(Expired {}), s)));
        }
        Do::Withdraw(id) => drop(pick(id).map(|id| desk.withdrawn(id, s))),
        Do::Void(id) => drop(pick(id).map(|id| desk.voided(id, s))),
    }
}

proptest! {
    /// I2, over whole histories: whatever is tried, an approval is answered once and used once, nothing
    /// leaves a final state, and the fold can be built again from the events, twice over.
    #[test]
    fn a_history_answers_once_uses_once_and_folds_again(steps in prop::collection::vec((any_do(), 0i64..120), 1..60)) {
        let (mut desk, mut ids, mut now) = (Desk::default(), Vec::new(), 0);
        for (what, pause) in steps {
            now += pause;
            let before = desk.approvals.clone();
            run(&mut desk, &mut ids, &what, now);
            for old in before.iter().filter(|old| old.state.is_final()) {
                prop_assert_eq!(old, desk.approvals.get(old.id).unwrap());
            }
        }
        for id in ids {
            let of_kind = |kind: &str| desk.events.iter().filter(|e| e.stream.uuid() == Some(id) && e.kind.as_str() == kind).count();
            prop_assert!(of_kind("approval.answered") <= 1);
            prop_assert!(of_kind("approval.used") <= of_kind("approval.answered"));
        }
        let mut again = Approvals::new();
        for event in desk.events.iter().flat_map(|event| [event, event]).chain(&desk.events) {
            again.apply(event).unwrap();
        }
        prop_assert_eq!(again, desk.approvals);
    }
}
