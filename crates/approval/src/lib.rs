//! tipstaff: previews, request digests and approvals as state machines.
