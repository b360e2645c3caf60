//! tipstaff: the binary `tipstaff`.

fn main() {}
