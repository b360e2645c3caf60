//! Where a path leads, symlinks followed as the kernel follows them.
//!
//! Reads names and links only, never contents. What it says holds at that moment: the gate asks
//! again at use and refuses when the answer changed. Hard links and mounts are not seen: both names
//! of the file are real ones.

use std::collections::VecDeque;
use std::io::{ErrorKind, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

use rustix::fs::Access;
use tipstaff_gate::{FileFacts, PathProbe, content_digest};
use tipstaff_schema::Digest;

/// Asks the file system of this machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct FileProbe;

/// Bits of a file's mode.
const ANYBODY_RUNS: u32 = 0o111;
const ANYBODY_WRITES: u32 = 0o002;
const STICKY: u32 = 0o1000;

/// The content of larger files is not bound.
const MAX_BOUND_BYTES: u64 = 1024 * 1024;

/// As many links as Linux follows in one path (`MAXSYMLINKS`).
const MAX_LINKS: usize = 40;

/// One part of a path that is still to be walked.
struct Part {
    name: PathBuf,
    /// It stands in the path that was asked for, not in the target of a link.
    written: bool,
}

impl PathProbe for FileProbe {
    fn resolve(&self, path: &str) -> Result<String, String> {
        let path = Path::new(path);
        if !path.is_absolute() {
            return Err("it is not absolute".to_owned());
        }
        let mut waiting: VecDeque<Part> = parts(path, true).collect();
        let mut real = PathBuf::from("/");
        let mut links = 0;
        // Of each written part that is not climbed out of again, whether it is a link.
        let mut walked = Vec::new();
        while let Some(part) = waiting.pop_front() {
            if part.name.as_os_str() == ".." {
                climb(&mut real, part.written && walked.pop() == Some(true))?;
                continue;
            }
            let next = real.join(&part.name);
            match std::fs::symlink_metadata(&next) {
                Ok(facts) if facts.is_symlink() => {
                    links += 1;
                    if links > MAX_LINKS {
                        return Err("it leads through too many links".to_owned());
                    }
                    let to = link_target(&real, &next)?;
                    if to.is_absolute() {
                        real = PathBuf::from("/");
                    }
                    walked.extend(part.written.then_some(true));
                    let ahead: Vec<Part> = parts(&to, false).collect();
                    ahead
                        .into_iter()
                        .rev()
                        .for_each(|part| waiting.push_front(part));
                }
                Ok(_) => {
                    walked.extend(part.written.then_some(false));
                    real = next;
                }
                Err(error)
                    if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
                {
                    return missing(real, part, waiting);
                }
                Err(error) => return Err(format!("where it leads cannot be told: {error}")),
            }
        }
        text(real)
    }

    fn file(&self, path: &str) -> Option<FileFacts> {
        let path = Path::new(path);
        let facts = std::fs::metadata(path).ok()?;
        let real = std::fs::canonicalize(path).ok()?;
        Some(FileFacts {
            runs: facts.is_file() && facts.mode() & ANYBODY_RUNS != 0,
            open: is_open(path, &facts) || is_open(&real, &facts),
            ours: may_replace(path) || may_replace(&real),
            // A change of the content or the rights sets the last of them; no one sets it back.
            stamp: format!(
                "{}:{}:{}:{}.{}",
                facts.dev(),
                facts.ino(),
                facts.size(),
                facts.ctime(),
                facts.ctime_nsec()
            ),
        })
    }

    fn content(&self, path: &str) -> Option<Digest> {
        let facts = std::fs::metadata(path).ok()?;
        if !facts.is_file() || facts.len() > MAX_BOUND_BYTES {
            return None;
        }
        let mut bytes = Vec::new();
        let read = std::fs::File::open(path).ok()?.take(MAX_BOUND_BYTES + 1);
        std::io::BufReader::new(read).read_to_end(&mut bytes).ok()?;
        (bytes.len() as u64 <= MAX_BOUND_BYTES).then(|| content_digest(&bytes))
    }
}

/// Whether this process may change a file, or put another in its place.
fn may_replace(path: &Path) -> bool {
    let writes = |path: &Path| rustix::fs::access(path, Access::WRITE_OK).is_ok();
    writes(path) || path.parent().is_some_and(writes)
}

/// Whether everybody may change a file, or put another in its place: by the rights of the file, of
/// its folder, or of one above that is not kept as `/tmp` is.
fn is_open(path: &Path, facts: &std::fs::Metadata) -> bool {
    let mode = |path: &Path| std::fs::metadata(path).map_or(ANYBODY_WRITES, |facts| facts.mode());
    let folder = path.parent();
    facts.mode() & ANYBODY_WRITES != 0
        || folder.is_some_and(|folder| mode(folder) & ANYBODY_WRITES != 0)
        || path.ancestors().skip(2).any(|above| {
            let mode = mode(above);
            mode & ANYBODY_WRITES != 0 && mode & STICKY == 0
        })
}

/// One step up. `real` holds no link, so that its parent is where the kernel goes too.
fn climb(real: &mut PathBuf, out_of_link: bool) -> Result<(), String> {
    if out_of_link {
        return Err(
            "a `..` follows a symlink, so that the text and the system mean different places"
                .to_owned(),
        );
    }
    let facts = std::fs::symlink_metadata(&*real);
    if !facts.is_ok_and(|facts| facts.is_dir()) {
        return Err("a `..` stands behind what is no folder".to_owned());
    }
    real.pop();
    Ok(())
}

/// Where a link leads. Those of `/proc` mean something else to each process, and the kernel follows
/// some of them by no path at all.
fn link_target(folder: &Path, link: &Path) -> Result<PathBuf, String> {
    if is_proc(folder) {
        return Err("it leads through a link of `/proc`, which each process sees anew".to_owned());
    }
    std::fs::read_link(link).map_err(|error| format!("a link cannot be read: {error}"))
}

#[cfg(target_os = "linux")]
fn is_proc(folder: &Path) -> bool {
    // What cannot be asked is taken for it.
    rustix::fs::statfs(folder).map_or(true, |facts| facts.f_type == rustix::fs::PROC_SUPER_MAGIC)
}

#[cfg(not(target_os = "linux"))]
const fn is_proc(_: &Path) -> bool {
    false
}

/// The rest of a path of which nothing exists from here on.
fn missing(mut real: PathBuf, part: Part, waiting: VecDeque<Part>) -> Result<String, String> {
    for part in std::iter::once(part).chain(waiting) {
        if part.name.as_os_str() == ".." {
            return Err("a `..` stands behind a folder that does not exist".to_owned());
        }
        real.push(part.name);
    }
    text(real)
}

fn parts(path: &Path, written: bool) -> impl Iterator<Item = Part> + '_ {
    path.components().filter_map(move |component| {
        let name = match component {
            Component::Normal(name) => PathBuf::from(name),
            Component::ParentDir => PathBuf::from(".."),
            Component::RootDir | Component::CurDir | Component::Prefix(_) => return None,
        };
        Some(Part { name, written })
    })
}

fn text(path: PathBuf) -> Result<String, String> {
    path.into_os_string()
        .into_string()
        .map_err(|_| "it leads to a name that is no text".to_owned())
}
