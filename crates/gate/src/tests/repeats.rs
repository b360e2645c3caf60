//! The loop detector against a plain list of all calls.

use std::num::NonZeroU32;
use std::time::Duration;

use proptest::prelude::*;
use serde_json::json;
use tipstaff_schema::{AgentId, Digest, Domain};

use crate::RepeatLimit;
use crate::repeats::{Repeated, Repeats, Same};

const LIMIT: RepeatLimit = RepeatLimit {
    calls: NonZeroU32::new(3).unwrap(),
    within: Duration::from_millis(100),
};

fn params(n: usize) -> Digest {
    Digest::of(Domain::Params, &json!({ "n": n })).unwrap()
}

fn agent(n: usize) -> AgentId {
    AgentId::new(format!("a{n}")).unwrap()
}

#[test]
fn once_more_than_the_limit_is_a_loop_until_the_oldest_leaves_the_window() {
    let (agent, mut repeats) = (agent(0), Repeats::default());
    let call = Same {
        agent: &agent,
        tool_id: "t",
        params: params(0),
    };
    for now in [0, 10, 20] {
        assert_eq!(repeats.check(&call, &LIMIT, now), Ok(()));
        repeats.count(&call, &LIMIT, now);
    }
    let loops = |again_in| Err(Repeated { times: 3, again_in });
    assert_eq!(repeats.check(&call, &LIMIT, 30), loops(70));
    assert_eq!(repeats.check(&call, &LIMIT, 99), loops(1));
    assert_eq!(repeats.check(&call, &LIMIT, 100), Ok(()));
    for other in [
        Same {
            tool_id: "u",
            ..call
        },
        Same {
            params: params(1),
            ..call
        },
        Same {
            agent: &super::repeats::agent(1),
            ..call
        },
    ] {
        assert_eq!(repeats.check(&other, &LIMIT, 30), Ok(()));
    }
}

proptest! {
    #[test]
    fn any_order_of_calls_is_counted_as_in_a_list(
        calls in prop::collection::vec((0_usize..2, 0_usize..3, 0_u64..30), 0..80),
    ) {
        let (mut repeats, mut list, mut now) = (Repeats::default(), Vec::new(), 0);
        for (of, n, wait) in calls {
            now += wait;
            let agent = agent(of);
            let call = Same { agent: &agent, tool_id: "t", params: params(n) };
            let made = |at: u64| list.iter().filter(|made| **made == (of, n, at)).count();
            let within: usize = (now.saturating_sub(99)..=now).map(made).sum();
            let may = repeats.check(&call, &LIMIT, now).is_ok();
            prop_assert_eq!(may, within < 3);
            if may {
                repeats.count(&call, &LIMIT, now);
                list.push((of, n, now));
            }
        }
    }
}

#[test]
fn a_cycle_of_calls_is_seen_as_a_single_one_is() {
    let (agent, mut repeats) = (agent(0), Repeats::default());
    for round in 0..3 {
        for n in 0..5 {
            let call = Same {
                agent: &agent,
                tool_id: "t",
                params: params(n),
            };
            assert_eq!(repeats.check(&call, &LIMIT, round), Ok(()));
            repeats.count(&call, &LIMIT, round);
        }
    }
    let call = Same {
        agent: &agent,
        tool_id: "t",
        params: params(0),
    };
    assert!(repeats.check(&call, &LIMIT, 3).is_err());
}

#[test]
fn memory_is_bounded_and_one_agent_pushes_out_no_other() {
    let (patient, mut repeats) = (agent(0), Repeats::default());
    let looping = Same {
        agent: &patient,
        tool_id: "t",
        params: params(0),
    };
    for _ in 0..3 {
        repeats.count(&looping, &LIMIT, 0);
    }
    let busy = agent(1);
    for n in 0..1000 {
        let call = Same {
            agent: &busy,
            tool_id: "t",
            params: params(n),
        };
        repeats.count(&call, &LIMIT, 1);
    }
    assert_eq!(repeats.size(), (129, 2));
    assert!(repeats.check(&looping, &LIMIT, 1).is_err());
    for n in 2..1000 {
        let agent = agent(n);
        let call = Same {
            agent: &agent,
            tool_id: "t",
            params: params(0),
        };
        repeats.count(&call, &LIMIT, 2);
    }
    assert!(repeats.size().1 <= 256, "{:?}", repeats.size());
}
