//! The ceiling of an allow: which effects it covers.

use serde::{Deserialize, Serialize};
use tipstaff_resource::{CaseRule, Pattern, Resource};
use tipstaff_schema::{Access, ResourceKind};

use crate::{CommandEffect, EffectKind, Extent};
use tipstaff_schema::one_form;

one_form!(TableWire);

/// Which effects an allow for a command covers. Wire: `read-only`, `any`, or a table.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "CeilingWire", into = "CeilingWire")]
pub enum Ceiling {
    /// Reads inside the agent's root and nothing else.
    #[default]
    ReadOnly,
    /// Everything.
    Any,
    /// What the table says.
    Table(CeilingTable),
}

/// A ceiling by kind of effect. What it does not name is not covered; effects that nobody knows
/// (`any`) never are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct CeilingTable {
    /// Paths that may be read.
    pub reads: Allowance,
    /// Paths that may be written.
    pub writes: Allowance,
    /// Paths that may be removed.
    pub deletes: Allowance,
    /// Hosts that may be connected to.
    pub connects: Allowance,
    /// Programs that may be run, or places that execute which may be written.
    pub executes: Allowance,
    /// Variables that may be set.
    pub sets: Allowance,
    /// Whether it may run with more rights: only `any` allows that.
    pub escalates: Allowance,
}

/// Which values of one kind of effect are covered. Wire: `none`, `any`, or a list of patterns.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Allowance {
    /// None.
    #[default]
    None,
    /// All, also those that are not known.
    Any,
    /// Those that one of the patterns means.
    These(Vec<Pattern>),
}

impl Ceiling {
    /// Whether the effect lies under the ceiling. `root` is the agent's root folder, canonical.
    #[must_use]
    pub fn covers(&self, effect: &CommandEffect, root: Option<&str>) -> bool {
        match self {
            Self::Any => true,
            Self::ReadOnly => {
                effect.kind == EffectKind::Reads
                    && root.is_some_and(|root| below_root(effect, root))
            }
            Self::Table(table) => table.covers(effect, root),
        }
    }
}

/// Whether a path, and with it all below it, lies in the root.
fn below_root(effect: &CommandEffect, root: &str) -> bool {
    let root = root.trim_end_matches('/');
    let rest = effect
        .value
        .as_deref()
        .and_then(|value| value.strip_prefix(root));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

impl CeilingTable {
    fn covers(&self, effect: &CommandEffect, root: Option<&str>) -> bool {
        let (allowance, kind) = match effect.kind {
            EffectKind::Reads => (&self.reads, ResourceKind::Path),
            EffectKind::Writes => (&self.writes, ResourceKind::Path),
            EffectKind::Deletes => (&self.deletes, ResourceKind::Path),
            EffectKind::Connects => (&self.connects, ResourceKind::Host),
            EffectKind::Executes => (&self.executes, ResourceKind::None),
            EffectKind::SetsEnv => (&self.sets, ResourceKind::None),
            EffectKind::Escalates => (&self.escalates, ResourceKind::None),
            EffectKind::Any => return false,
        };
        let patterns = match allowance {
            Allowance::None => return false,
            Allowance::Any => return true,
            Allowance::These(patterns) => patterns,
        };
        if effect.extent == Extent::Tree {
            let Some(tree) = effect.tree() else {
                return false;
            };
            return patterns
                .iter()
                .any(|pattern| pattern.covers(CaseRule::Exact, &tree, CaseRule::Exact, root));
        }
        let value = effect.value.as_deref();
        let resource = value.and_then(|value| {
            Resource::parse(
                kind,
                value,
                Access::Read,
                &tipstaff_resource::Base::default(),
            )
            .ok()
        });
        resource.is_some_and(|resource| {
            patterns
                .iter()
                .any(|pattern| pattern.matches(&resource, root, CaseRule::Exact))
        })
    }
}

/// How a ceiling is written.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "`read-only`, `any`, or a table such as `{reads: [./**], connects: none}`"
)]
enum CeilingWire {
    Word(String),
    Table(TableWire),
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(remote = "Self", default, deny_unknown_fields)]
struct TableWire {
    #[serde(skip_serializing_if = "Option::is_none")]
    reads: Option<AllowanceWire>,
    #[serde(skip_serializing_if = "Option::is_none")]
    writes: Option<AllowanceWire>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deletes: Option<AllowanceWire>,
    #[serde(skip_serializing_if = "Option::is_none")]
    connects: Option<AllowanceWire>,
    #[serde(skip_serializing_if = "Option::is_none")]
    executes: Option<AllowanceWire>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sets: Option<AllowanceWire>,
    #[serde(skip_serializing_if = "Option::is_none")]
    escalates: Option<AllowanceWire>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged, expecting = "`none`, `any`, or a list of patterns")]
enum AllowanceWire {
    Word(String),
    These(Vec<String>),
}

impl TryFrom<CeilingWire> for Ceiling {
    type Error = String;

    fn try_from(wire: CeilingWire) -> Result<Self, String> {
        let table = match wire {
            CeilingWire::Word(word) if word == "read-only" => return Ok(Self::ReadOnly),
            CeilingWire::Word(word) if word == "any" => return Ok(Self::Any),
            CeilingWire::Word(word) => {
                return Err(format!(
                    "`{}` is no ceiling: write `read-only`, `any` or a table",
                    word.escape_default()
                ));
            }
            CeilingWire::Table(table) => table,
        };
        let read = |wire: Option<AllowanceWire>, kind| {
            wire.map_or(Ok(Allowance::None), |wire| wire.read(kind))
        };
        Ok(Self::Table(CeilingTable {
            reads: read(table.reads, ResourceKind::Path)?,
            writes: read(table.writes, ResourceKind::Path)?,
            deletes: read(table.deletes, ResourceKind::Path)?,
            connects: read(table.connects, ResourceKind::Host)?,
            executes: read(table.executes, ResourceKind::None)?,
            sets: read(table.sets, ResourceKind::None)?,
            escalates: match table.escalates {
                Some(AllowanceWire::These(_)) => {
                    return Err("`escalates` is `none` or `any`".to_owned());
                }
                other => read(other, ResourceKind::None)?,
            },
        }))
    }
}

impl AllowanceWire {
    fn read(self, kind: ResourceKind) -> Result<Allowance, String> {
        match self {
            Self::Word(word) if word == "none" => Ok(Allowance::None),
            Self::Word(word) if word == "any" => Ok(Allowance::Any),
            Self::Word(word) => Err(format!(
                "`{}`: write `none`, `any` or a list of patterns",
                word.escape_default()
            )),
            Self::These(texts) => {
                let read =
                    |text: &String| Pattern::parse(text, kind).map_err(|error| error.to_string());
                Ok(Allowance::These(
                    texts.iter().map(read).collect::<Result<_, _>>()?,
                ))
            }
        }
    }
}

impl From<Ceiling> for CeilingWire {
    fn from(ceiling: Ceiling) -> Self {
        let table = match ceiling {
            Ceiling::ReadOnly => return Self::Word("read-only".to_owned()),
            Ceiling::Any => return Self::Word("any".to_owned()),
            Ceiling::Table(table) => table,
        };
        Self::Table(TableWire {
            reads: table.reads.into_wire(),
            writes: table.writes.into_wire(),
            deletes: table.deletes.into_wire(),
            connects: table.connects.into_wire(),
            executes: table.executes.into_wire(),
            sets: table.sets.into_wire(),
            escalates: table.escalates.into_wire(),
        })
    }
}

impl Allowance {
    fn into_wire(self) -> Option<AllowanceWire> {
        match self {
            Self::None => None,
            Self::Any => Some(AllowanceWire::Word("any".to_owned())),
            Self::These(patterns) => Some(AllowanceWire::These(
                patterns.iter().map(Pattern::to_string).collect(),
            )),
        }
    }
}
