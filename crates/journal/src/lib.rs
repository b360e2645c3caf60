//! tipstaff: the hash-chained event log: envelope, chain, verifier, trait and an in-memory journal.
