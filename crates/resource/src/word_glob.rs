//! Globs over one word, such as `*.py` or `{log,diff}`: no parts, so `*` matches every character.
//!
//! Command patterns are made of these; they stand here because they are decided by the same automata.

use crate::automaton::Automaton;
use crate::error::shown;
use crate::glob::{self, Flavour};
use crate::{CaseRule, PatternError, product, size, valid};
use tipstaff_schema::ResourceKind;

/// A glob over one word. `*` and `**` match any run, also an empty one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordGlob {
    text: String,
    automaton: Automaton,
}

impl WordGlob {
    /// Reads a glob.
    ///
    /// # Errors
    /// [`PatternError::Refused`] when it cannot be read.
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        let refused = |why| PatternError::Refused {
            kind: ResourceKind::None,
            text: shown(text),
            why,
        };
        let nodes = glob::parse(text, Flavour::Word).map_err(refused)?;
        let automaton = Automaton::new(&nodes, Flavour::Word.separator()).map_err(refused)?;
        size::check(&nodes, &automaton, &[CaseRule::Exact, CaseRule::Fold]).map_err(refused)?;
        Ok(Self {
            text: text.to_owned(),
            automaton,
        })
    }

    /// The glob as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The one word that it means, letter case as for [`WordGlob::matches`]; `None` where there may be
    /// several.
    #[must_use]
    pub fn only_word(&self) -> Option<&str> {
        self.automaton.only_text()
    }

    /// Whether the whole word is one that it means.
    #[must_use]
    pub fn matches(&self, word: &str, case: CaseRule) -> bool {
        self.automaton.matches(word, case)
    }

    /// A shortest word that both mean; `None` means provably none. The two are read exactly.
    #[must_use]
    pub fn overlap(&self, other: &Self) -> Option<String> {
        let exact = CaseRule::Exact;
        product::witness([
            (&self.automaton, exact),
            (&other.automaton, exact),
            (&valid::WORD, exact),
        ])
    }
}
