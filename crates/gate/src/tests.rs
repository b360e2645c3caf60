//! Tests of the gate as a whole, over a journal in memory, a clock that stands still, and tools that
//! only count.

mod answers;
mod approvals;
mod bench;
mod commands;
mod effects;
mod faults;
mod judging;
mod outcomes;
mod places;
mod properties;
mod running;
mod tools;
