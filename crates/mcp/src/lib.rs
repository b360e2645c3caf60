//! tipstaff: upstream MCP servers and the gateway in front of them.
