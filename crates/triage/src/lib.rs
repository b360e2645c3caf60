//! tipstaff: rules over answers, deadlines and the worklist.
