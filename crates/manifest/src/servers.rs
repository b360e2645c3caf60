//! Mounted servers, and captured listings of their tools (`tools_from`): known and pinned without
//! starting anything.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tipstaff_registry::{PinMode, ServerIdentity};
use tipstaff_schema::{ServerName, StrictJsonError, parse_strict};

use crate::load::{Loader, chain};
use crate::manifest::Server;
use crate::wire::{PinWire, ServerWire};

/// A captured listing: the entries of `tools/list` as they came.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Captured {
    /// The entries.
    pub tools: Vec<Value>,
    /// The server's instructions, where the capture holds them.
    pub instructions: Option<String>,
}

/// A capture that cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CaptureError {
    /// The file cannot be read.
    #[error("the capture `{}` cannot be read", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// It is no strict JSON.
    #[error("the capture `{}` is no strict JSON: {source}", path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: StrictJsonError,
    },
    /// It holds no list of tools.
    #[error("the capture `{}` holds no tools: give a list, or an object with `tools`", path.display())]
    NoTools {
        /// The file.
        path: PathBuf,
    },
}

/// Reads a captured listing: a list of tools, an answer of `tools/list`, or an object that holds one.
///
/// # Errors
/// [`CaptureError`] when the file cannot be read or holds no tools.
pub fn read_capture(path: &Path) -> Result<Captured, CaptureError> {
    let at = path.to_owned();
    let text = std::fs::read(path).map_err(|source| CaptureError::Read {
        path: at.clone(),
        source,
    })?;
    let value = parse_strict(&text).map_err(|source| CaptureError::Json {
        path: at.clone(),
        source,
    })?;
    let listed = value
        .get("tools")
        .or_else(|| value.pointer("/result/tools"));
    let tools = value
        .as_array()
        .or_else(|| listed.and_then(Value::as_array));
    let tools = tools.ok_or(CaptureError::NoTools { path: at })?.clone();
    let instructions = value
        .get("instructions")
        .or_else(|| value.pointer("/initialize/instructions"));
    Ok(Captured {
        tools,
        instructions: instructions.and_then(Value::as_str).map(str::to_owned),
    })
}

impl Server {
    /// The identity that pins are made over, before the server said anything.
    #[must_use]
    pub fn identity(&self) -> ServerIdentity {
        ServerIdentity {
            command: self.command.clone(),
            args: self.args.clone(),
            cwd: self.cwd.clone(),
            env_names: self.env.keys().cloned().collect(),
            url: self.url.clone(),
            instructions: self
                .captured
                .as_ref()
                .and_then(|captured| captured.instructions.clone()),
        }
    }
}

impl Loader {
    /// The section `servers`, with the captures that it names.
    pub(crate) fn servers(&mut self) -> BTreeMap<ServerName, Server> {
        let wires = self.map::<ServerName, ServerWire>("servers");
        let mut servers = BTreeMap::new();
        for (name, wire) in wires {
            let place = self.root.place_of(["servers", name.as_str()]);
            match (&wire.command, &wire.url) {
                (Some(_), Some(_)) => drop(self.say(
                    place,
                    format!("server `{name}` has a command and a url: give one"),
                )),
                (None, None) => drop(self.say(
                    place,
                    format!("server `{name}` has neither a command nor a url"),
                )),
                _ if wire.command.is_some() && !wire.headers.is_empty() => {
                    self.say(place, format!("server `{name}`: headers belong to a url"));
                }
                _ => {}
            }
            let captured = match wire
                .tools_from
                .as_ref()
                .map(|path| read_capture(&self.base.join(path)))
            {
                Some(Ok(captured)) => Some(captured),
                Some(Err(error)) => {
                    let place = self.root.place_of(["servers", name.as_str(), "tools_from"]);
                    self.say(place, chain(&error));
                    None
                }
                None => None,
            };
            let pin = match wire.pin {
                PinWire::Reviewed => PinMode::Reviewed,
                PinWire::FirstUse => PinMode::FirstUse,
            };
            let ServerWire {
                command,
                args,
                env,
                cwd,
                url,
                ..
            } = wire;
            servers.insert(
                name,
                Server {
                    command,
                    args,
                    env,
                    cwd,
                    url,
                    pin,
                    captured,
                },
            );
        }
        servers
    }
}
