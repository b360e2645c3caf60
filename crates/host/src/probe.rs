//! Where a path leads, symlinks followed as the kernel follows them.
//!
//! Reads names and links only, never contents. What it says holds at that moment: the gate asks
//! again at use and refuses when the answer changed.

use std::collections::VecDeque;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use tipstaff_gate::PathProbe;

/// Asks the file system of this machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct FileProbe;

/// As many links as Linux follows in one path (`MAXSYMLINKS`).
const MAX_LINKS: usize = 40;

impl PathProbe for FileProbe {
    fn resolve(&self, path: &str) -> Result<String, String> {
        let path = Path::new(path);
        if !path.is_absolute() {
            return Err("it is not absolute".to_owned());
        }
        let mut waiting: VecDeque<PathBuf> = parts(path).collect();
        let mut real = PathBuf::from("/");
        let mut links = 0;
        while let Some(part) = waiting.pop_front() {
            if part.as_os_str() == ".." {
                real.pop(); // `real` holds no link, so this is what the kernel does.
                continue;
            }
            let next = real.join(&part);
            match std::fs::symlink_metadata(&next) {
                Ok(facts) if facts.is_symlink() => {
                    links += 1;
                    if links > MAX_LINKS {
                        return Err("it leads through too many links".to_owned());
                    }
                    let to = std::fs::read_link(&next)
                        .map_err(|error| format!("a link cannot be read: {error}"))?;
                    if to.is_absolute() {
                        real = PathBuf::from("/");
                    }
                    let ahead: Vec<PathBuf> = parts(&to).collect();
                    ahead
                        .into_iter()
                        .rev()
                        .for_each(|part| waiting.push_front(part));
                }
                Ok(_) => real = next,
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    return missing(real, part, waiting);
                }
                Err(error) if error.kind() == ErrorKind::NotADirectory => {
                    return missing(real, part, waiting);
                }
                Err(error) => return Err(format!("where it leads cannot be told: {error}")),
            }
        }
        text(real)
    }
}

/// The rest of a path of which nothing exists from here on.
fn missing(mut real: PathBuf, part: PathBuf, waiting: VecDeque<PathBuf>) -> Result<String, String> {
    for part in std::iter::once(part).chain(waiting) {
        if part.as_os_str() == ".." {
            return Err("a `..` stands behind a folder that does not exist".to_owned());
        }
        real.push(part);
    }
    text(real)
}

fn parts(path: &Path) -> impl Iterator<Item = PathBuf> + '_ {
    path.components().filter_map(|component| match component {
        Component::Normal(name) => Some(PathBuf::from(name)),
        Component::ParentDir => Some(PathBuf::from("..")),
        Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
    })
}

fn text(path: PathBuf) -> Result<String, String> {
    path.into_os_string()
        .into_string()
        .map_err(|_| "it leads to a name that is no text".to_owned())
}
