//! The state machine: every pair, and what holds for every sequence.

use proptest::prelude::*;

use super::*;

const APPROVE: Step = Step::Approve {
    use_by: DateTime::<Utc>::MAX_UTC,
};

#[track_caller]
fn check(from: ApprovalState, by: Step, seconds: i64, want: &str) {
    let to = step(from, by, at(seconds)).map_or("refused", ApprovalState::as_str);
    assert_eq!(to, want);
}

#[test]
fn a_pending_one_is_answered_withdrawn_or_voided_but_not_used() {
    let pending = ApprovalState::Pending { until: at(600) };
    check(pending, APPROVE, 599, "approved");
    check(pending, Step::Deny, 599, "denied");
    check(pending, Step::Withdraw, 0, "withdrawn");
    check(pending, Step::Void, 0, "void");
    check(pending, Step::Use, 0, "refused");
    check(pending, Step::Expire, 599, "refused");
}

#[test]
fn an_approved_one_is_used_or_voided_but_not_answered_again() {
    let approved = ApprovalState::Approved { until: at(300) };
    check(approved, Step::Use, 299, "used");
    check(approved, Step::Void, 0, "void");
    check(approved, APPROVE, 0, "refused");
    check(approved, Step::Deny, 0, "refused");
    check(approved, Step::Withdraw, 0, "refused");
    check(approved, Step::Expire, 299, "refused");
}

#[test]
fn expiry_is_exclusive_and_leaves_only_one_step() {
    for state in [
        ApprovalState::Pending { until: at(600) },
        ApprovalState::Approved { until: at(600) },
    ] {
        check(state, Step::Expire, 600, "expired");
        for late in [APPROVE, Step::Deny, Step::Withdraw, Step::Void, Step::Use] {
            check(state, late, 600, "refused");
            let refusal = step(state, late, at(600)).unwrap_err();
            assert_eq!(refusal.state, ApprovalState::Expired);
        }
    }
}

#[test]
fn final_states_stay() {
    use ApprovalState as S;
    for state in [S::Denied, S::Expired, S::Withdrawn, S::Void, S::Used] {
        assert!(state.is_final());
        for next in [
            APPROVE,
            Step::Deny,
            Step::Expire,
            Step::Withdraw,
            Step::Void,
            Step::Use,
        ] {
            check(state, next, 0, "refused");
        }
    }
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (0..900i64).prop_map(|s| Step::Approve { use_by: at(s) }),
        Just(Step::Deny),
        Just(Step::Expire),
        Just(Step::Withdraw),
        Just(Step::Void),
        Just(Step::Use),
    ]
}

proptest! {
    /// I2. The model is the list of accepted steps: a life is one of these few words.
    #[test]
    fn nothing_is_answered_twice_and_nothing_is_used_twice(steps in prop::collection::vec((any_step(), 0..900i64), 0..40)) {
        let mut state = ApprovalState::Pending { until: at(600) };
        let mut life = String::new();
        for (next, seconds) in steps {
            let Ok(to) = step(state, next, at(seconds)) else { continue };
            prop_assert!(!state.is_final());
            if let (ApprovalState::Pending { until } | ApprovalState::Approved { until }, false) = (state, next == Step::Expire) {
                prop_assert!(at(seconds) < until);
            }
            life.push(match next {
                Step::Approve { .. } => 'a',
                Step::Deny => 'd',
                Step::Expire => 'e',
                Step::Withdraw => 'w',
                Step::Void => 'v',
                Step::Use => 'u',
            });
            state = to;
        }
        let lives = ["", "a", "au", "ae", "av", "d", "e", "w", "v"];
        prop_assert!(lives.contains(&life.as_str()), "{life}");
    }
}
