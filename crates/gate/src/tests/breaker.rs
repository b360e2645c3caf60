//! The breaker as a function, against a model that keeps the whole history, and against many threads.

use std::num::NonZeroU32;
use std::sync::{Arc, Barrier};
use std::time::Duration;

use proptest::prelude::*;
use tipstaff_schema::BreakerCheck;

use super::bench::*;
use crate::BreakerLimit;
use crate::breaker::{Edge, Event, PROBE_GRACE, Pass, Said, State, is_open, step};
use crate::breakers::Breakers;
use crate::steady::Steady;

const LIMIT: BreakerLimit = BreakerLimit {
    failures: NonZeroU32::new(3).unwrap(),
    cool_down: Duration::from_millis(100),
    probe: Duration::from_millis(50),
};
const USUAL: Pass = Pass::Usual;

#[track_caller]
fn check(from: State, event: Event, now: u64, want: (State, Said)) {
    assert_eq!(step(from, event, now, &LIMIT), want);
}

fn closed(failures: u32) -> State {
    State::Closed { failures }
}

fn failed(pass: Pass) -> Event {
    Event::Failed { pass, jitter: 0 }
}

#[test]
fn it_opens_at_the_last_of_so_many_failures_in_a_row() {
    check(closed(1), failed(USUAL), 7, (closed(2), Said::Nothing));
    let open = (State::Open { until: 107 }, Said::Changed(Edge::Opened));
    check(closed(2), failed(USUAL), 7, open);
    check(
        closed(2),
        Event::Succeeded { pass: USUAL },
        7,
        (closed(0), Said::Nothing),
    );
    check(
        closed(2),
        Event::Undecided { pass: USUAL },
        7,
        (closed(2), Said::Nothing),
    );
}

#[test]
fn jitter_adds_up_to_a_quarter() {
    let rest = |jitter| {
        step(
            closed(2),
            Event::Failed {
                pass: USUAL,
                jitter,
            },
            0,
            &LIMIT,
        )
        .0
    };
    assert_eq!(rest(0), State::Open { until: 100 });
    assert_eq!(rest(128), State::Open { until: 112 });
    assert_eq!(rest(255), State::Open { until: 125 });
}

#[test]
fn after_the_cool_down_one_call_is_the_probe() {
    let open = State::Open { until: 100 };
    check(open, Event::Try { probe: 9 }, 99, (open, Said::Wait(1)));
    let until = 100 + 50 + PROBE_GRACE;
    let half = State::HalfOpen { probe: 9, until };
    let probe = Pass::Probe(9);
    check(open, Event::Try { probe: 9 }, 100, (half, Said::Go(probe)));
    check(
        half,
        Event::Try { probe: 10 },
        120,
        (half, Said::Wait(until - 120)),
    );
    check(
        half,
        Event::Succeeded { pass: probe },
        120,
        (closed(0), Said::Changed(Edge::Closed)),
    );
    let again = State::Open { until: 220 };
    check(
        half,
        failed(probe),
        120,
        (again, Said::Changed(Edge::Reopened)),
    );
    // A probe that proved nothing leaves its place to the next call, at once.
    check(
        half,
        Event::Undecided { pass: probe },
        120,
        (State::Open { until: 120 }, Said::Nothing),
    );
    // One that never reports is not waited for forever.
    let next = State::HalfOpen {
        probe: 10,
        until: until + 50 + PROBE_GRACE,
    };
    check(
        half,
        Event::Try { probe: 10 },
        until,
        (next, Said::Go(Pass::Probe(10))),
    );
}

#[test]
fn calls_from_before_it_opened_decide_nothing() {
    let half = State::HalfOpen {
        probe: 9,
        until: 500,
    };
    for state in [State::Open { until: 100 }, half] {
        for pass in [USUAL, Pass::Probe(8)] {
            check(state, failed(pass), 50, (state, Said::Nothing));
            check(state, Event::Succeeded { pass }, 50, (state, Said::Nothing));
            check(state, Event::Undecided { pass }, 50, (state, Said::Nothing));
        }
    }
}

/// What happens in a history.
#[derive(Debug, Clone)]
enum Act {
    Pass(u64),
    Call,
    End(usize, u8),
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        (0_u64..130).prop_map(Act::Pass),
        Just(Act::Pass(PROBE_GRACE)),
        Just(Act::Call),
        (0_usize..6, 0_u8..3).prop_map(|(which, how)| Act::End(which, how)),
        Just(Act::End(0, 0)),
    ];
    prop::collection::vec(act, 0..80)
}

/// The whole history, from which everything is told anew each time.
#[derive(Debug, Default)]
struct Model {
    /// Results that counted while it was closed, since it closed last.
    results: Vec<bool>,
    rests_until: Option<u64>,
    probe: Option<(u64, u64)>,
}

impl Model {
    fn lets_go(&self, now: u64) -> bool {
        let rested = self.rests_until.is_none_or(|until| now >= until);
        rested && self.probe.is_none_or(|(_, until)| now >= until)
    }

    fn ends(&mut self, pass: Pass, how: u8, now: u64) {
        if let Some((number, _)) = self.probe {
            if pass != Pass::Probe(number) {
                return;
            }
            self.probe = None;
            self.rests_until = match how {
                0 => Some(now + 100),
                1 => None,
                _ => Some(now),
            };
            self.results.clear();
        } else if self.rests_until.is_none() && how < 2 {
            self.results.push(how == 1);
            let in_a_row = self.results.iter().rev().take_while(|good| !**good).count();
            if in_a_row >= 3 {
                self.rests_until = Some(now + 100);
            }
        }
    }
}

proptest! {
    #[test]
    fn any_history_agrees_with_the_model(acts in acts()) {
        let (mut state, mut model, mut now, mut probes) = (closed(0), Model::default(), 0, 0);
        let mut under_way: Vec<Pass> = Vec::new();
        for act in acts {
            match act {
                Act::Pass(millis) => now += millis,
                Act::Call => {
                    probes += 1;
                    let resting = model.rests_until.is_some() || model.probe.is_some();
                    let (next, said) = step(state, Event::Try { probe: probes }, now, &LIMIT);
                    prop_assert_eq!(matches!(said, Said::Go(_)), model.lets_go(now));
                    if let Said::Go(pass) = said {
                        prop_assert_eq!(pass, if resting { Pass::Probe(probes) } else { Pass::Usual });
                        if resting {
                            model.rests_until = None;
                            model.probe = Some((probes, now + 50 + PROBE_GRACE));
                        }
                        under_way.push(pass);
                    }
                    state = next;
                }
                Act::End(which, how) if which < under_way.len() => {
                    let pass = under_way.remove(which);
                    let event = match how {
                        0 => failed(pass),
                        1 => Event::Succeeded { pass },
                        _ => Event::Undecided { pass },
                    };
                    state = step(state, event, now, &LIMIT).0;
                    model.ends(pass, how, now);
                }
                Act::End(..) => {}
            }
            prop_assert_eq!(is_open(state, now), !model.lets_go(now));
        }
    }
}

fn breakers() -> (Arc<HandClock>, Arc<Breakers>) {
    let clock = Arc::new(HandClock::at(start()));
    let steady = Steady::new(Arc::<HandClock>::clone(&clock));
    (clock, Arc::new(Breakers::new(Arc::new(steady))))
}

fn open(breakers: &Breakers, tool_id: &str) {
    for _ in 0..3 {
        let pass = breakers.enter(tool_id, &LIMIT).unwrap();
        breakers.ended(tool_id, Event::Failed { pass, jitter: 0 }, &LIMIT);
    }
}

#[test]
fn of_64_contenders_at_half_open_one_is_the_probe() {
    for _ in 0..20 {
        let (clock, breakers) = breakers();
        open(&breakers, "t");
        clock.forward(chrono::TimeDelta::milliseconds(100));
        let ready = Arc::new(Barrier::new(64));
        let contend = |_| {
            let (breakers, ready) = (Arc::clone(&breakers), Arc::clone(&ready));
            std::thread::spawn(move || {
                ready.wait();
                breakers.enter("t", &LIMIT).is_ok()
            })
        };
        let contenders: Vec<_> = (0..64).map(contend).collect();
        let went = contenders.into_iter().filter_map(|one| one.join().ok());
        assert_eq!(went.filter(|went| *went).count(), 1);
    }
}

#[tokio::test]
async fn reading_changes_nothing_and_each_tool_is_its_own() {
    let (clock, breakers) = breakers();
    assert_eq!(breakers.snapshot(), Some([].into()));
    open(&breakers, "a");
    open(&breakers, "b");
    for _ in 0..3 {
        assert_eq!(
            breakers.snapshot(),
            Some(["a".to_owned(), "b".to_owned()].into())
        );
        assert!(breakers.is_open("a").await && !breakers.is_open("c").await);
    }
    clock.forward(chrono::TimeDelta::milliseconds(100));
    for _ in 0..3 {
        assert_eq!(breakers.snapshot(), Some([].into()));
    }
    let pass = breakers.enter("a", &LIMIT).unwrap();
    assert!(matches!(pass, Pass::Probe(_)), "looking used up no probe");
    assert_eq!(
        breakers.snapshot(),
        Some(["a".to_owned()].into()),
        "one is under way"
    );
    breakers.ended("a", Event::Succeeded { pass }, &LIMIT);
    assert_eq!(breakers.enter("a", &LIMIT), Ok(Pass::Usual));
}

#[test]
fn a_clock_that_is_set_back_holds_nothing_longer_than_it_must() {
    let (clock, breakers) = breakers();
    open(&breakers, "t");
    clock.forward(chrono::TimeDelta::milliseconds(60));
    assert!(breakers.enter("t", &LIMIT).is_err());
    clock.forward(chrono::TimeDelta::days(-400));
    assert_eq!(breakers.enter("t", &LIMIT), Err(40));
    clock.forward(chrono::TimeDelta::milliseconds(40));
    assert!(breakers.enter("t", &LIMIT).is_ok());
}

#[test]
fn what_is_kept_is_bounded() {
    let (_clock, breakers) = breakers();
    for tool in 0..5000 {
        let pass = breakers.enter(&tool.to_string(), &LIMIT).unwrap();
        let event = Event::Failed { pass, jitter: 0 };
        breakers.ended(&tool.to_string(), event, &LIMIT);
    }
    open(&breakers, "t");
    assert!(
        breakers.enter("t", &LIMIT).is_err(),
        "those that rest outlive those that do not"
    );
    assert!(breakers.kept() <= 4096, "{}", breakers.kept());
}
