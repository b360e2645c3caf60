//! tipstaff: the catalog of tools: profiles, parameter validation, pins.
