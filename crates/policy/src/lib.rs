//! tipstaff: rules, decisions and the analysis of rules.
