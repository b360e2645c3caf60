//! tipstaff: the machine: clock, path probe, constraint checker, control socket, people.
