//! Capabilities of the host's own code: tools with their profiles, fixed before anything runs.
//!
//! A type-state: the builder adds, the frozen registry has no method that does. Tools that servers
//! bring later live in the [`crate::Catalog`] and are never callable until pinned.

use std::collections::BTreeMap;

use tipstaff_schema::{Profile, ToolDescriptor};

use crate::error::CatalogError;

/// A tool together with its profile: what policies name.
#[derive(Debug, Clone, PartialEq)]
pub struct Capability {
    /// The tool.
    pub descriptor: ToolDescriptor,
    /// Its governing facts.
    pub profile: Profile,
}

/// Collects capabilities.
#[derive(Debug, Clone, Default)]
pub struct CapabilityBuilder {
    tools: BTreeMap<String, Capability>,
}

impl CapabilityBuilder {
    /// Adds a capability. The same one again changes nothing.
    ///
    /// # Errors
    /// [`CatalogError::Conflict`] when the id is there with another definition.
    #[expect(
        clippy::should_implement_trait,
        reason = "adds a tool, not a number; the wire's page names it so"
    )]
    pub fn add(mut self, capability: Capability) -> Result<Self, CatalogError> {
        let tool_id = capability.descriptor.tool_id.clone();
        match self.tools.get(&tool_id) {
            Some(there) if *there == capability => {}
            Some(_) => {
                let why = "the same id with another definition";
                return Err(CatalogError::Conflict {
                    other: tool_id.clone(),
                    tool_id,
                    why,
                });
            }
            None => {
                self.tools.insert(tool_id, capability);
            }
        }
        Ok(self)
    }

    /// Ends the adding.
    #[must_use]
    pub fn freeze(self) -> CapabilityRegistry {
        CapabilityRegistry { tools: self.tools }
    }
}

/// The capabilities of code, fixed: there is no method that adds.
///
/// ```
/// # use tipstaff_registry::{Capability, CapabilityRegistry};
/// # fn add(one: Capability) -> Result<(), Box<dyn std::error::Error>> {
/// let frozen = CapabilityRegistry::builder().add(one)?.freeze();
/// assert_eq!(frozen.len(), 1);
/// # Ok(())
/// # }
/// ```
///
/// The same with one more `add` does not compile:
///
/// ```compile_fail
/// # use tipstaff_registry::{Capability, CapabilityRegistry};
/// # fn add(one: Capability) -> Result<(), Box<dyn std::error::Error>> {
/// let frozen = CapabilityRegistry::builder().add(one.clone())?.freeze().add(one)?;
/// assert_eq!(frozen.len(), 1);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default)]
pub struct CapabilityRegistry {
    tools: BTreeMap<String, Capability>,
}

impl CapabilityRegistry {
    /// Starts with none.
    #[must_use]
    pub fn builder() -> CapabilityBuilder {
        CapabilityBuilder::default()
    }

    /// The capability of a tool id.
    #[must_use]
    pub fn get(&self, tool_id: &str) -> Option<&Capability> {
        self.tools.get(tool_id)
    }

    /// All, by tool id.
    pub fn iter(&self) -> impl Iterator<Item = &Capability> {
        self.tools.values()
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tools.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }
}
