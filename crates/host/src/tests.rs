//! Tests of the machine's facts.

mod control;
mod facts;
mod probe;
mod swap;
