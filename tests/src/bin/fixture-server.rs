//! An MCP server for stories about servers that fail. Arguments: a folder.
//!
//! Tools `work` and `wait` answer; while the folder holds a file `ill`, every call is answered with
//! an internal error. Each call that arrives is one line in the file `calls`, so that a story can
//! prove what never arrived. Speaks as little MCP as a client needs.

use std::io::{BufRead as _, Write as _};
use std::path::PathBuf;

use serde_json::{Value, json};

fn main() -> std::io::Result<()> {
    let folder = PathBuf::from(std::env::args_os().nth(1).unwrap_or_default());
    for line in std::io::stdin().lock().lines() {
        let request: Value = serde_json::from_str(&line?)?;
        let Some(id) = request.get("id") else {
            continue;
        };
        let mut answer = json!({ "jsonrpc": "2.0", "id": id });
        let (key, value) = answer_to(&folder, &request)?;
        if let Some(answer) = answer.as_object_mut() {
            answer.insert(key.to_owned(), value);
        }
        let mut out = std::io::stdout().lock();
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}

fn answer_to(folder: &std::path::Path, request: &Value) -> std::io::Result<(&'static str, Value)> {
    let params = request.get("params").cloned().unwrap_or_default();
    let result = match request.get("method").and_then(Value::as_str) {
        Some("initialize") => json!({
            "protocolVersion": params.get("protocolVersion"),
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "fixture", "version": "1" },
        }),
        Some("tools/list") => {
            let schema = json!({ "type": "object", "properties": { "a": {}, "b": {}, "n": {} } });
            let tool = |name: &str| json!({ "name": name, "inputSchema": schema });
            json!({ "tools": [tool("work"), tool("wait")] })
        }
        Some("tools/call") => {
            let mut calls = std::fs::OpenOptions::new()
                .append(true)
                .create(true)
                .open(folder.join("calls"))?;
            writeln!(calls, "{params}")?;
            if folder.join("ill").exists() {
                return Ok((
                    "error",
                    json!({ "code": -32603, "message": "out of order" }),
                ));
            }
            json!({ "content": [{ "type": "text", "text": "done" }], "isError": false })
        }
        Some(_) | None => {
            return Ok((
                "error",
                json!({ "code": -32601, "message": "no such method" }),
            ));
        }
    };
    Ok(("result", result))
}
