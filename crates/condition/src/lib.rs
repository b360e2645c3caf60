//! tipstaff: the closed predicate language over JSON that policy and triage share.
