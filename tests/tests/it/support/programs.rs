//! Finds the programs that `.ci/run` brings: Node with two MCP servers and the Inspector, and a
//! Python with the official SDK.

use std::env::{var, var_os};
use std::fmt;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// A program that is not there.
#[derive(Debug)]
pub(crate) struct Missing {
    what: &'static str,
    place: PathBuf,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, place } = self;
        write!(
            f,
            "no {what} at `{}`; `bash .ci/run tools` brings it",
            place.display()
        )
    }
}

/// Ends a story that cannot be told: loudly, and under `CI=true` as a failure.
pub(crate) fn skip(missing: &Missing) {
    let story = std::thread::current()
        .name()
        .unwrap_or("a story")
        .to_owned();
    let told = format!("{story}: {missing}\n");
    assert_ne!(var("CI").as_deref(), Ok("true"), "{told}");
    if let Some(list) = var_os("TIPSTAFF_TEST_SKIPS") {
        let list = std::fs::OpenOptions::new()
            .append(true)
            .create(true)
            .open(list);
        list.and_then(|mut list| list.write_all(told.as_bytes()))
            .unwrap();
    }
    // Not by a macro: the test runner would swallow it.
    std::io::stderr()
        .write_all(format!("SKIPPED: {told}").as_bytes())
        .unwrap();
}

/// Node, and the packages installed for it.
#[derive(Debug)]
pub(crate) struct Node {
    modules: PathBuf,
}

impl Node {
    /// Where `TIPSTAFF_TEST_NODE_MODULES` says, else in the cache of `.ci/run`.
    pub(crate) fn find() -> Result<Self, Missing> {
        let modules = place("TIPSTAFF_TEST_NODE_MODULES", "node/node_modules");
        let node = Self { modules };
        present("Node", &node.program()).map(|()| node)
    }

    /// The Node program itself.
    pub(crate) fn program(&self) -> PathBuf {
        self.modules.join(".bin/node")
    }

    /// The command line of the filesystem server over one folder.
    pub(crate) fn filesystem(&self, folder: &Path) -> Vec<String> {
        let script = "@modelcontextprotocol/server-filesystem/dist/index.js";
        let mut line = self.command_line(script);
        line.push(folder.display().to_string());
        line
    }

    /// The command line of the server that has everything.
    pub(crate) fn everything(&self) -> Vec<String> {
        self.command_line("@modelcontextprotocol/server-everything/dist/index.js")
    }

    /// The command line of the Inspector.
    pub(crate) fn inspector(&self) -> Vec<String> {
        self.command_line("@modelcontextprotocol/inspector/clients/launcher/build/index.js")
    }

    fn command_line(&self, script: &str) -> Vec<String> {
        let words = [self.program(), self.modules.join(script)];
        words
            .iter()
            .map(|word| word.display().to_string())
            .collect()
    }
}

/// The Python that has the SDK.
pub(crate) fn python() -> Result<PathBuf, Missing> {
    let python = place("TIPSTAFF_TEST_PYTHON", "python/bin/python");
    present("Python with the MCP SDK", &python).map(|()| python)
}

fn present(what: &'static str, place: &Path) -> Result<(), Missing> {
    if place.exists() {
        Ok(())
    } else {
        Err(Missing {
            what,
            place: place.to_owned(),
        })
    }
}

fn place(variable: &str, in_cache: &str) -> PathBuf {
    let given = var_os(variable).map(PathBuf::from);
    let cache = || {
        let chosen = var_os("TIPSTAFF_CI_DIR").map(PathBuf::from);
        let xdg = || Some(PathBuf::from(var_os("XDG_CACHE_HOME")?).join("tipstaff-ci"));
        let home = || Some(PathBuf::from(var_os("HOME")?).join(".cache/tipstaff-ci"));
        chosen.or_else(xdg).or_else(home).unwrap_or_default()
    };
    given.unwrap_or_else(|| cache().join(in_cache))
}
