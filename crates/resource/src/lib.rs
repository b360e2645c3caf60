//! tipstaff: canonical resources and the patterns over them, by kind.
