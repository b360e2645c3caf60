//! Patterns over resources, each parsed for its kind when it is loaded.
//!
//! What is read here is the text of one pattern; which rules use it, and with which case, is policy's
//! business.

mod search;

use std::borrow::Cow;
use std::sync::Arc;

use tipstaff_schema::ResourceKind;

use crate::automaton::Automaton;
use crate::chars::{has_edge_blank, is_hidden};
use crate::error::shown;
use crate::glob::{self, Flavour, Node};
use crate::host::HostPattern;
use crate::literal::{Literal, Place, check_alive, literals, sample};
use crate::url_pattern::UrlPattern;
use crate::{PatternError, Resource, path, product, size, url_value, valid};

/// Whether ASCII letters of paths compare exactly (allow) or without case (ask, deny, guard).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CaseRule {
    /// Byte for byte.
    Exact,
    /// ASCII letters without case. Only paths; other kinds compare exactly.
    Fold,
}

/// A pattern over the resources of one kind. Displays as it was written. A clone shares all of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern(Arc<Parsed>);

#[derive(Debug, PartialEq, Eq)]
struct Parsed {
    /// As written; absent where it is the one value that it means.
    text: Option<Box<str>>,
    kind: ResourceKind,
    form: Form,
}

#[derive(Debug, PartialEq, Eq)]
enum Form {
    /// An absolute path.
    Path(Automaton),
    /// A path below the agent's root, which stands before it.
    Rooted(Automaton),
    Url(Box<UrlPattern>),
    Host(HostPattern),
    Text(Automaton),
}

const NEVER: &str =
    "no canonical value can ever match it (is there a `.`, `..`, `//` or a blank at an end in it?)";

/// Longer patterns are refused; nobody writes them by hand.
const MAX_BYTES: usize = 1024;

impl Pattern {
    /// Reads a pattern for a kind.
    ///
    /// # Errors
    /// [`PatternError::Refused`] when it cannot be read, or could never match.
    pub fn parse(text: &str, kind: ResourceKind) -> Result<Self, PatternError> {
        let form = Form::parse(text, kind).map_err(|why| PatternError::Refused {
            kind,
            text: shown(text),
            why,
        })?;
        let is_value = form.only_value() == Some(text);
        let text = (!is_value).then(|| text.into());
        Ok(Self(Arc::new(Parsed { text, kind, form })))
    }

    /// The one value that it means, for a pattern of absolute paths or of plain text without
    /// wildcards; letter case as for [`Pattern::matches`].
    #[must_use]
    pub fn only_value(&self) -> Option<&str> {
        self.0.form.only_value()
    }

    /// Texts that stand in every value that it means, ASCII letter case aside. Empty where nothing
    /// is written that does, and where [`Pattern::only_value`] says all. Found anew with every call.
    #[must_use]
    pub fn literals(&self) -> Vec<Literal> {
        if self.only_value().is_some() {
            return Vec::new();
        }
        let written = |text: &str, flavour| {
            let nodes = glob::parse(text, flavour); // It has been read before.
            nodes.map_or_else(|_| Vec::new(), |nodes| literals(&nodes))
        };
        let of_path = |automaton: &Automaton| {
            let known = automaton.literals();
            known.unwrap_or_else(|| written(&hung(self.as_str()), Flavour::Path))
        };
        match &self.0.form {
            Form::Path(automaton) => of_path(automaton),
            Form::Text(automaton) => {
                let known = automaton.literals();
                known.unwrap_or_else(|| written(self.as_str(), Flavour::Text))
            }
            Form::Rooted(automaton) => match automaton.only_text() {
                // Behind a root nothing stands at the start, and what is all there is stands at the end.
                Some(only) => Literal::of(only, Place::End).into_iter().collect(),
                None => {
                    let found = of_path(automaton);
                    found.into_iter().map(Literal::behind).collect()
                }
            },
            Form::Url(pattern) => pattern.literals(),
            Form::Host(pattern) => pattern.literals(),
        }
    }

    /// The kind that a plain string shows by itself: `/…`, `./…`, `**/…` a path, `…://…` a URL.
    #[must_use]
    pub fn guess_kind(text: &str) -> Option<ResourceKind> {
        if text.starts_with('/') || text.starts_with("./") || text.starts_with("**/") {
            return Some(ResourceKind::Path);
        }
        text.contains("://").then_some(ResourceKind::Url)
    }

    /// The pattern as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        let text = self.0.text.as_deref().or_else(|| self.only_value());
        text.unwrap_or_default()
    }

    /// Its kind.
    #[must_use]
    pub fn kind(&self) -> ResourceKind {
        self.0.kind
    }

    /// Whether it judges resources of this kind: its own, and for hosts and domains also URLs.
    #[must_use]
    pub fn judges(&self, kind: ResourceKind) -> bool {
        self.0.kind == kind || (matches!(self.0.form, Form::Host(_)) && kind == ResourceKind::Url)
    }

    /// Whether it hangs on the agent's root, so that it matches nothing where there is none.
    #[must_use]
    pub fn needs_root(&self) -> bool {
        matches!(self.0.form, Form::Rooted(_))
    }

    /// Whether it names this resource and, but for the root of another agent and for what a URL
    /// pattern leaves out, no other: it has no wildcard, no class, no alternatives, and covers nothing
    /// below. A host pattern never names a URL.
    #[must_use]
    pub fn names(&self, resource: &Resource) -> bool {
        match &self.0.form {
            Form::Path(automaton) | Form::Rooted(automaton) | Form::Text(automaton) => {
                automaton.only_text().is_some()
            }
            Form::Url(pattern) => {
                url_value::parts(resource.value()).is_some_and(|parts| pattern.names(&parts))
            }
            Form::Host(pattern) => resource.kind() != ResourceKind::Url && pattern.names_one(),
        }
    }

    /// For a path pattern the folder or file that everything it means is, or lies below, as far as
    /// that is written without wildcards. `None` where nothing is, for other kinds, and without the
    /// root that it needs.
    #[must_use]
    pub fn literal_lead(&self, root: Option<&str>) -> Option<String> {
        let lead = match &self.0.form {
            Form::Path(automaton) => automaton.lead_of_parts().to_owned(),
            Form::Rooted(automaton) => {
                format!(
                    "{}{}",
                    root?.trim_end_matches('/'),
                    automaton.lead_of_parts()
                )
            }
            Form::Url(_) | Form::Host(_) | Form::Text(_) => return None,
        };
        (!lead.is_empty()).then_some(lead)
    }

    /// Whether the resource is one that it means. `root` is the calling agent's, canonical.
    #[must_use]
    pub fn matches(&self, resource: &Resource, root: Option<&str>, case: CaseRule) -> bool {
        if !self.judges(resource.kind()) {
            return false;
        }
        let value = resource.value();
        match &self.0.form {
            Form::Path(automaton) => automaton.matches(value, case),
            Form::Rooted(automaton) => root
                .and_then(|root| path::below(value, root, case))
                .is_some_and(|rest| automaton.matches(rest, case)),
            Form::Url(pattern) => {
                url_value::parts(value).is_some_and(|parts| pattern.matches(&parts))
            }
            Form::Host(pattern) if resource.kind() == ResourceKind::Url => {
                url_value::parts(value).is_some_and(|parts| pattern.matches(parts.host))
            }
            Form::Host(pattern) => pattern.matches(value),
            Form::Text(automaton) => automaton.matches(value, CaseRule::Exact),
        }
    }

    /// A shortest value that both match, canonical for its kind; `None` means provably disjoint.
    ///
    /// Where a host or domain pattern meets a pattern of another kind, the value is a URL. Two
    /// patterns that hang on the root are compared also where `root` is `None`, as below `/`; one
    /// alone then matches nothing.
    #[must_use]
    pub fn overlap(
        &self,
        case: CaseRule,
        other: &Self,
        other_case: CaseRule,
        root: Option<&str>,
    ) -> Option<String> {
        match (&self.0.form, &other.0.form) {
            (Form::Path(_) | Form::Rooted(_), Form::Path(_) | Form::Rooted(_)) => {
                let (one, two) = (self.on(other, root)?, other.on(self, root)?);
                product::witness([
                    (&one, case),
                    (&two, other_case),
                    (&valid::PATH, CaseRule::Exact),
                ])
            }
            (Form::Text(one), Form::Text(two)) if self.0.kind == other.0.kind => {
                product::witness([
                    (one, CaseRule::Exact),
                    (two, CaseRule::Exact),
                    (self.valid_text(), CaseRule::Exact),
                ])
            }
            (Form::Host(one), Form::Host(two)) if self.0.kind == other.0.kind => one.overlap(two),
            (Form::Host(_) | Form::Url(_), Form::Host(_) | Form::Url(_)) => {
                self.as_url()?.overlap(&other.as_url()?)
            }
            (Form::Path(_) | Form::Rooted(_) | Form::Text(_), _)
            | (_, Form::Path(_) | Form::Rooted(_) | Form::Text(_)) => None,
        }
    }

    /// Whether every value that `other` matches is one that this matches. Always decided: patterns
    /// that could not be compared are refused by [`Pattern::parse`]. Roots as in [`Pattern::overlap`].
    #[must_use]
    pub fn covers(
        &self,
        case: CaseRule,
        other: &Self,
        other_case: CaseRule,
        root: Option<&str>,
    ) -> bool {
        match (&self.0.form, &other.0.form) {
            (Form::Path(_) | Form::Rooted(_), Form::Path(_) | Form::Rooted(_)) => {
                let (Some(one), Some(two)) = (self.on(other, root), other.on(self, root)) else {
                    return false;
                };
                product::includes(
                    (&one, case),
                    (&two, other_case),
                    (&valid::PATH, CaseRule::Exact),
                )
            }
            (Form::Text(one), Form::Text(two)) if self.0.kind == other.0.kind => product::includes(
                (one, CaseRule::Exact),
                (two, CaseRule::Exact),
                (self.valid_text(), CaseRule::Exact),
            ),
            (Form::Host(one), Form::Host(two)) if self.0.kind == other.0.kind => one.covers(two),
            (Form::Host(_) | Form::Url(_), Form::Url(two)) => {
                self.as_url().is_some_and(|one| one.covers(two))
            }
            // A host pattern also judges hosts, which no pattern of another kind does.
            (_, Form::Host(_) | Form::Path(_) | Form::Rooted(_) | Form::Url(_) | Form::Text(_)) => {
                false
            }
        }
    }

    /// Whether an example of `other`, made from its text, shows that this does not cover it. `false`
    /// says nothing. Far cheaper than [`Pattern::covers`], and enough for most pairs.
    #[must_use]
    pub fn plainly_misses(&self, case: CaseRule, other: &Self) -> bool {
        let (own, theirs, flavour, valid, case) = match (&self.0.form, &other.0.form) {
            (Form::Path(own), Form::Path(theirs)) => {
                (own, theirs, Flavour::Path, &*valid::PATH, case)
            }
            (Form::Text(own), Form::Text(theirs)) if self.0.kind == other.0.kind => (
                own,
                theirs,
                Flavour::Text,
                other.valid_text(),
                CaseRule::Exact,
            ),
            (Form::Path(_) | Form::Rooted(_) | Form::Text(_) | Form::Url(_) | Form::Host(_), _) => {
                return false;
            }
        };
        let text = match flavour {
            Flavour::Path => hung(other.as_str()),
            Flavour::Host | Flavour::Text | Flavour::Word => other.as_str().into(),
        };
        let Ok(nodes) = glob::parse(&text, flavour) else {
            return false;
        };
        let example = sample(&nodes);
        let means = |automaton: &Automaton| automaton.matches(&example, CaseRule::Exact);
        means(theirs) && means(valid) && !own.matches(&example, case)
    }

    /// A shortest value that it matches; `None` only where it needs a root and there is none.
    #[must_use]
    pub fn example(&self, root: Option<&str>) -> Option<String> {
        if self.needs_root() && root.is_none() {
            return None;
        }
        self.overlap(CaseRule::Exact, self, CaseRule::Exact, root)
    }

    /// The automaton over absolute paths, for a comparison with another pattern.
    fn on(&self, other: &Self, root: Option<&str>) -> Option<Automaton> {
        match &self.0.form {
            Form::Path(automaton) => Some(automaton.clone()),
            Form::Rooted(automaton) => {
                let root = root.or_else(|| other.needs_root().then_some("/"))?;
                Some(automaton.behind(root.trim_end_matches('/')))
            }
            Form::Url(_) | Form::Host(_) | Form::Text(_) => None,
        }
    }

    fn valid_text(&self) -> &'static Automaton {
        valid_text(self.0.kind)
    }

    fn as_url(&self) -> Option<UrlPattern> {
        match &self.0.form {
            Form::Url(pattern) => Some((**pattern).clone()),
            Form::Host(pattern) => UrlPattern::of_host(pattern.clone()).ok(),
            Form::Path(_) | Form::Rooted(_) | Form::Text(_) => None,
        }
    }
}

impl Form {
    fn parse(text: &str, kind: ResourceKind) -> Result<Self, &'static str> {
        if text.is_empty() {
            return Err("it is empty; leave the field out for every target");
        }
        if text.len() > MAX_BYTES {
            return Err("it is longer than 1024 bytes");
        }
        if kind != ResourceKind::None && text.contains(is_hidden) {
            return Err(
                "it holds a control or format character, so that nobody sees what it means",
            );
        }
        if kind != ResourceKind::None && has_edge_blank(text) {
            return Err("it begins or ends with a blank, so that it would match nothing");
        }
        match kind {
            ResourceKind::Path => Self::path(text),
            ResourceKind::Url => Ok(Self::Url(Box::new(UrlPattern::parse(text)?))),
            ResourceKind::Host | ResourceKind::Domain => Ok(Self::Host(HostPattern::parse(text)?)),
            ResourceKind::Service | ResourceKind::Repository | ResourceKind::None => {
                let nodes = glob::parse(text, Flavour::Text)?;
                let automaton = Automaton::new(&nodes, '/')?;
                check_alive(&nodes, &automaton, valid_text(kind), NEVER)?;
                size::check(&nodes, &automaton, &[CaseRule::Exact])?;
                Ok(Self::Text(automaton))
            }
            ResourceKind::Command => Err(
                "commands are matched word by word; write `command: [\"git\", \"status\", \"**\"]`",
            ),
        }
    }

    fn path(text: &str) -> Result<Self, &'static str> {
        if text.starts_with('~') {
            return Err("`~` is not expanded; write the folder");
        }
        let absolute = text.starts_with('/') || text.starts_with("**/") || text == "**";
        if is_plain(text) && path::means_any(text) == Some(true) {
            return Ok(Self::Path(Automaton::literal(text, '/')));
        }
        let hung = hung(text);
        let nodes = glob::parse(&hung, Flavour::Path)?;
        let automaton = Automaton::new(&nodes, '/')?;
        match path::means_any(&hung) {
            Some(true) => {}
            Some(false) => return Err(NEVER),
            None => {
                let root = if absolute { "" } else { "/a" };
                let behind: Vec<Node> = root.chars().map(Node::Char).chain(nodes.clone()).collect();
                check_alive(&behind, &automaton.behind(root), &valid::PATH, NEVER)?;
            }
        }
        size::check(&nodes, &automaton, &[CaseRule::Exact, CaseRule::Fold])?;
        if absolute {
            return Ok(Self::Path(automaton));
        }
        Ok(Self::Rooted(automaton))
    }

    fn only_value(&self) -> Option<&str> {
        match self {
            Self::Path(automaton) | Self::Text(automaton) => automaton.only_text(),
            Self::Rooted(_) | Self::Url(_) | Self::Host(_) => None,
        }
    }
}

/// Whether an absolute path is written without anything that means more than itself; a `/` at the
/// end means all below.
fn is_plain(text: &str) -> bool {
    const MEANS: [char; 10] = ['*', '?', '[', ']', '{', '}', '(', ')', '\\', ','];
    text.starts_with('/') && !text.ends_with('/') && !text.contains(MEANS)
}

/// A path pattern as one of absolute paths.
fn hung(text: &str) -> Cow<'_, str> {
    match text.strip_prefix("./") {
        Some(rest) => format!("/{rest}").into(),
        None if text == "." => "/".into(),
        None if text.starts_with('/') => text.into(),
        None => format!("/{text}").into(),
    }
}

fn valid_text(kind: ResourceKind) -> &'static Automaton {
    if kind == ResourceKind::None {
        &valid::TEXT
    } else {
        &valid::LINE
    }
}

impl std::fmt::Display for Pattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}
