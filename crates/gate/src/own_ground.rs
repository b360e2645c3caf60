//! The built-in guard around what is ours: manifest, store, keys, sockets, binary, and the client
//! configurations that start us. No rule, grant or answer lifts it.
//!
//! It knows paths only; they are compared folded and without case, written and resolved spelling alike.

use tipstaff_resource::{Base, Resource};
use tipstaff_schema::{Access, ResourceKind};

/// The paths that no governed call reaches.
#[derive(Debug, Clone, Default)]
pub struct OwnGround {
    // INVARIANT: absolute, folded, lower-case, without a trailing slash.
    paths: Vec<String>,
}

impl OwnGround {
    /// The files and folders that are ours (a folder covers all below it). What is not absolute is
    /// ignored: it could not be compared.
    #[must_use]
    pub fn new(paths: impl IntoIterator<Item = String>) -> Self {
        let fold = |path: String| {
            let folded = Resource::fold_path(&path, &Base::default()).unwrap_or(path);
            let text = folded.trim_end_matches('/').to_ascii_lowercase();
            (text.starts_with('/')).then_some(text)
        };
        Self {
            paths: paths.into_iter().filter_map(fold).collect(),
        }
    }

    /// Why the resource must not be touched, if it must not.
    #[must_use]
    pub fn touches(&self, resource: &Resource) -> Option<String> {
        if resource.kind() != ResourceKind::Path {
            return None;
        }
        let value = resource.value().to_ascii_lowercase();
        // A folder that holds our ground must not be removed or moved as a whole either.
        let whole = matches!(resource.access(), Access::Delete);
        let ours = self
            .paths
            .iter()
            .any(|own| within(&value, own) || (whole && within(own, &value)));
        ours.then(|| {
            "it would reach tipstaff's own files, which no governed call may touch".to_owned()
        })
    }

    /// Whether some of our ground lies below the path: a recursive read there would meet it.
    #[must_use]
    pub fn lies_below(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/').to_ascii_lowercase();
        self.paths.iter().any(|own| within(own, &path))
    }
}

fn within(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
