//! Reads public data, which lies beside the repository and never in it.

use std::path::Path;

use anyhow::{Context as _, Result, bail};
use serde::de::DeserializeOwned;

/// The whole text of a file.
///
/// # Errors
/// A missing folder is told as such, with the flag that names another.
pub fn text(data: &Path, file: &str) -> Result<String> {
    if !data.is_dir() {
        bail!(
            "the data folder `{}` is not there: this bench measures on public data that is no part \
             of the repository; name its place with --data DIR",
            data.display()
        );
    }
    let path = data.join(file);
    std::fs::read_to_string(&path).with_context(|| format!("reading `{}`", path.display()))
}

/// One value a line.
///
/// # Errors
/// A file that cannot be read, or a line of another form, with its number.
pub fn lines<T: DeserializeOwned>(data: &Path, file: &str) -> Result<Vec<T>> {
    let text = text(data, file)?;
    let filled = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty());
    filled
        .map(|(index, line)| {
            serde_json::from_str(line).with_context(|| format!("{file}, line {}", index + 1))
        })
        .collect()
}

/// The names in a folder, sorted.
///
/// # Errors
/// A folder that cannot be read.
#[cfg(feature = "validate")]
pub fn names(data: &Path, folder: &str) -> Result<Vec<String>> {
    let path = data.join(folder);
    let entries = std::fs::read_dir(&path).with_context(|| {
        format!(
            "reading the folder `{}` (--data DIR names another)",
            path.display()
        )
    })?;
    let mut names = Vec::new();
    for entry in entries {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}
