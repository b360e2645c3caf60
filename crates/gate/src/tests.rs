//! Tests of the gate as a whole.
