//! tipstaff: the one way of a call: judge, ask, warrant, execute, journal, triage.
