//! tipstaff: shell commands as plans, effects and argv patterns.
