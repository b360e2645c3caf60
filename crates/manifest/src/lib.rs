//! tipstaff: `tipstaff.yaml`: one file that wires all of it.
