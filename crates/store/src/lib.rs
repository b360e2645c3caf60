//! tipstaff: durable journals.
