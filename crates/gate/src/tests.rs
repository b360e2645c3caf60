//! Tests of the gate as a whole, over a journal in memory, a clock that stands still, and tools that
//! only count.

mod approvals;
mod bench;
mod judging;
mod properties;
mod running;
mod tools;
