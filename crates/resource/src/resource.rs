//! A resource: what a call acts on, in the one spelling of its kind.

use serde::{Deserialize, Serialize};
use tipstaff_schema::{Access, ResourceKind};

use crate::chars::{has_edge_blank, is_hidden};
use crate::error::shown;
use crate::{ResourceError, host, path, url_value};

/// Where relative paths begin: the call's working folder, else the agent's root, else nowhere
/// (then a relative path is refused).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Base<'a> {
    /// The call's working folder, absolute.
    pub cwd: Option<&'a str>,
    /// The agent's root folder, absolute.
    pub root: Option<&'a str>,
}

/// What a call acts on, canonical for its kind.
// INVARIANT: `value` is the canonical spelling for `kind`; `parse` is the only door.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "ResourceWire")]
pub struct Resource {
    kind: ResourceKind,
    value: String,
    access: Access,
}

/// A resource as it is read back; a value that is not canonical is refused, never mended.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ResourceWire {
    kind: ResourceKind,
    value: String,
    access: Access,
}

impl TryFrom<ResourceWire> for Resource {
    type Error = ResourceError;

    fn try_from(wire: ResourceWire) -> Result<Self, ResourceError> {
        let resource = Self::parse(wire.kind, &wire.value, wire.access, &Base::default())?;
        if resource.value == wire.value {
            return Ok(resource);
        }
        Err(ResourceError::Refused {
            kind: wire.kind,
            text: shown(&wire.value),
            why: "it is not in its canonical spelling",
        })
    }
}

impl Resource {
    /// Brings a value into the canonical form of its kind.
    ///
    /// # Errors
    /// [`ResourceError::Refused`] when it has none.
    pub fn parse(
        kind: ResourceKind,
        raw: &str,
        access: Access,
        base: &Base<'_>,
    ) -> Result<Self, ResourceError> {
        let value = canonical(kind, raw, base).map_err(|why| ResourceError::Refused {
            kind,
            text: shown(raw),
            why,
        })?;
        Ok(Self {
            kind,
            value,
            access,
        })
    }

    /// Makes a path absolute and folds it, component by component.
    ///
    /// # Errors
    /// [`ResourceError::Refused`] when it is relative without a base, climbs above `/`, or holds
    /// a character that no path of ours may hold.
    pub fn fold_path(raw: &str, base: &Base<'_>) -> Result<String, ResourceError> {
        path::fold(raw, base).map_err(|why| ResourceError::Refused {
            kind: ResourceKind::Path,
            text: shown(raw),
            why,
        })
    }

    /// Makes a path absolute and folds nothing: what a probe of symlinks is asked about, since a
    /// `..` behind one leads elsewhere than the folded text says.
    ///
    /// # Errors
    /// [`ResourceError::Refused`] as for [`Resource::fold_path`].
    pub fn absolute_path(raw: &str, base: &Base<'_>) -> Result<String, ResourceError> {
        Self::fold_path(raw, base)?;
        let base = base.cwd.or(base.root).filter(|_| !raw.starts_with('/'));
        Ok(base.map_or_else(|| raw.to_owned(), |base| format!("{base}/{raw}")))
    }

    /// Whether every program reads this raw text as the same thing as the canonical value, so that it
    /// may be sent in its place: a path without `..`, a URL or host that differs in letter case only,
    /// or in a default port or an empty path.
    #[must_use]
    pub fn is_plainly(&self, raw: &str) -> bool {
        match self.kind {
            ResourceKind::Path => !raw.split('/').any(|part| part == ".."),
            ResourceKind::Url => url_value::is_plainly(raw, &self.value),
            ResourceKind::Host | ResourceKind::Domain => raw.eq_ignore_ascii_case(&self.value),
            ResourceKind::Service
            | ResourceKind::Repository
            | ResourceKind::Command
            | ResourceKind::None => raw == self.value,
        }
    }

    /// Its kind.
    #[must_use]
    pub const fn kind(&self) -> ResourceKind {
        self.kind
    }

    /// The canonical spelling.
    #[must_use]
    pub fn value(&self) -> &str {
        &self.value
    }

    /// What the call does to it.
    #[must_use]
    pub const fn access(&self) -> Access {
        self.access
    }
}

fn canonical(kind: ResourceKind, raw: &str, base: &Base<'_>) -> Result<String, &'static str> {
    match kind {
        ResourceKind::Path => path::fold(raw, base),
        ResourceKind::Url => url_value::canonical(raw),
        ResourceKind::Host | ResourceKind::Domain => host::canonical(raw),
        ResourceKind::Service | ResourceKind::Repository => {
            if raw.is_empty() || raw.contains(is_hidden) || has_edge_blank(raw) {
                return Err(
                    "it is empty, holds a control or format character, or begins or ends with a blank",
                );
            }
            Ok(raw.to_owned())
        }
        ResourceKind::Command | ResourceKind::None => {
            if raw.contains('\0') {
                return Err("it holds a NUL character");
            }
            Ok(raw.to_owned())
        }
    }
}
