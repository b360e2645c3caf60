//! Texts that many rules of a file repeat, read and kept once.

use std::borrow::Borrow;
use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use foldhash::quality::RandomState;

use tipstaff_command::{CommandPattern, CommandPatternError};
use tipstaff_resource::{Pattern, PatternError};
use tipstaff_schema::{AgentId, NameError, ResourceKind};

/// What was read so far.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    patterns: HashMap<ResourceKind, HashSet<ByText, RandomState>>,
    commands: HashMap<Vec<String>, CommandPattern>,
    texts: HashSet<Arc<str>, RandomState>,
    agents: HashMap<Box<str>, Arc<AgentId>, RandomState>,
}

/// A pattern, looked up by its text.
#[derive(Debug, PartialEq, Eq)]
struct ByText(Pattern);

impl Borrow<str> for ByText {
    fn borrow(&self) -> &str {
        self.0.as_str()
    }
}

impl Hash for ByText {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.as_str().hash(state);
    }
}

impl Pool {
    /// The pattern, read where it is new.
    pub(super) fn pattern(
        &mut self,
        text: &str,
        kind: ResourceKind,
    ) -> Result<Pattern, PatternError> {
        let known = self.patterns.entry(kind).or_default();
        if let Some(pattern) = known.get(text) {
            return Ok(pattern.0.clone());
        }
        let pattern = Pattern::parse(text, kind)?;
        known.insert(ByText(pattern.clone()));
        Ok(pattern)
    }

    /// The command pattern, read where it is new.
    pub(super) fn command(
        &mut self,
        words: &[String],
    ) -> Result<CommandPattern, CommandPatternError> {
        if let Some(pattern) = self.commands.get(words) {
            return Ok(pattern.clone());
        }
        let pattern = CommandPattern::parse(words.to_vec())?;
        self.commands.insert(words.to_vec(), pattern.clone());
        Ok(pattern)
    }

    /// The agent, checked where it is new.
    pub(super) fn agent(&mut self, text: &str) -> Result<Arc<AgentId>, NameError> {
        if let Some(known) = self.agents.get(text) {
            return Ok(Arc::clone(known));
        }
        let agent = Arc::new(AgentId::new(text)?);
        self.agents.insert(text.into(), Arc::clone(&agent));
        Ok(agent)
    }

    /// The text, kept once.
    pub(super) fn text(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.texts.get(text) {
            return Arc::clone(known);
        }
        let text: Arc<str> = text.into();
        self.texts.insert(Arc::clone(&text));
        text
    }
}
