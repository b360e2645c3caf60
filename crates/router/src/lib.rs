//! tipstaff: from intent token to tool.
