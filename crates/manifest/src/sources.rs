//! The files that a manifest is made of, kept so that problems can be shown with their line, and so
//! that the guard around what is ours knows them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::problem::{Place, Problem};

/// The texts that were read, by the name under which problems name them.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    texts: BTreeMap<String, String>,
    paths: Vec<PathBuf>,
}

impl Sources {
    /// Reads a file and keeps its text.
    pub(crate) fn read(&mut self, path: &Path) -> Result<(String, String), Problem> {
        let name = path.display().to_string();
        match std::fs::read_to_string(path) {
            Ok(text) => {
                self.keep(path, text.clone());
                Ok((name, text))
            }
            Err(error) => Err(Problem::new(
                &name,
                Place::START,
                format!("the file cannot be read: {error}"),
            )),
        }
    }

    pub(crate) fn keep(&mut self, path: &Path, text: String) {
        self.texts.insert(path.display().to_string(), text);
        self.paths.push(path.to_owned());
    }

    /// Every file that was read: the manifest first.
    #[must_use]
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// A problem with its line and a caret.
    #[must_use]
    pub fn render(&self, problem: &Problem) -> String {
        problem.render_in(&|file| self.texts.get(file).map_or("", String::as_str))
    }
}
