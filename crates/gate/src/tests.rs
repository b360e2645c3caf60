//! Tests of the gate as a whole, over a journal in memory, a clock that stands still, and tools that
//! only count.

mod answers;
mod approvals;
mod at_once;
mod bench;
mod breaker;
mod bucket;
mod commands;
mod constraints;
mod effects;
mod explained;
mod faults;
mod judged;
mod judging;
mod limits;
mod not_judgeable;
mod outcomes;
mod owed;
mod places;
mod properties;
mod quarantine;
mod repeats;
mod rests;
mod running;
mod tasks;
mod tools;
mod trials;
mod what_if;
