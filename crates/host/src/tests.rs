//! Tests of the machine's facts.

mod constraints;
mod control;
mod facts;
mod probe;
mod swap;
