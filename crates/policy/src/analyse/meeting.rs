//! Where the targets of two rules meet, by the automata of their patterns, under a budget.
//!
//! The automata are exact but cost far more than the other dimensions, so what literal beginnings
//! and ends can tell apart is told apart first, and every answer is kept.

use std::collections::HashMap;

use tipstaff_command::CommandPattern;
use tipstaff_resource::{CaseRule, Pattern};
use tipstaff_schema::ResourceKind;

use crate::rule::Rule;
use crate::target::{Target, case_of, reading_of};

/// Where two targets meet.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Meeting {
    /// Neither rule has a target.
    Anything,
    /// On this command.
    Command(Vec<String>),
    /// On this value, which all the patterns judge.
    Resource(Vec<Pattern>, String),
    /// Nowhere.
    Apart,
    /// The budget was spent.
    NotDecided,
}

/// The answers so far, and what is left of the budget.
#[derive(Debug)]
pub(super) struct Meetings {
    known: HashMap<Asked, Option<String>>,
    left: usize,
}

/// Two patterns with their cases, and the root where one is relative.
type Asked = (String, bool, String, bool, Option<String>);

impl Meetings {
    /// `left` pairs of patterns may be held against each other by automata.
    pub(super) fn new(left: usize) -> Self {
        Self {
            known: HashMap::new(),
            left,
        }
    }

    /// Where the targets of both rules meet, for an agent with this root.
    pub(super) fn of(&mut self, a: &Rule, b: &Rule, root: Option<&str>) -> Meeting {
        match (&a.target, &b.target) {
            (None, None) => Meeting::Anything,
            (Some(Target::Command(_)), Some(Target::Resource(_)))
            | (Some(Target::Resource(_)), Some(Target::Command(_))) => Meeting::Apart,
            (Some(Target::Resource(pattern)), None) => self.resources(
                (pattern, case_of(a.effect)),
                (pattern, case_of(a.effect)),
                root,
            ),
            (None, Some(Target::Resource(pattern))) => self.resources(
                (pattern, case_of(b.effect)),
                (pattern, case_of(b.effect)),
                root,
            ),
            (Some(Target::Resource(a_pattern)), Some(Target::Resource(b_pattern))) => self
                .resources(
                    (a_pattern, case_of(a.effect)),
                    (b_pattern, case_of(b.effect)),
                    root,
                ),
            (Some(Target::Command(pattern)), None) => self.commands((pattern, a), (pattern, a)),
            (None, Some(Target::Command(pattern))) => self.commands((pattern, b), (pattern, b)),
            (Some(Target::Command(one)), Some(Target::Command(other))) => {
                self.commands((one, a), (other, b))
            }
        }
    }

    fn resources(
        &mut self,
        (a, a_case): (&Pattern, CaseRule),
        (b, b_case): (&Pattern, CaseRule),
        root: Option<&str>,
    ) -> Meeting {
        if plainly_apart(a, b) {
            return Meeting::Apart;
        }
        let root = root.filter(|_| a.needs_root() || b.needs_root());
        let (fold, other) = (a_case == CaseRule::Fold, b_case == CaseRule::Fold);
        let text = |pattern: &Pattern| format!("{:?} {pattern}", pattern.kind());
        let asked = (text(a), fold, text(b), other, root.map(str::to_owned));
        if !self.known.contains_key(&asked) {
            if !self.spend() {
                return Meeting::NotDecided;
            }
            self.known
                .insert(asked.clone(), a.overlap(a_case, b, b_case, root));
        }
        match self.known.get(&asked) {
            Some(Some(value)) => Meeting::Resource(vec![a.clone(), b.clone()], value.clone()),
            Some(None) | None => Meeting::Apart,
        }
    }

    fn commands(
        &mut self,
        (a, a_rule): (&CommandPattern, &Rule),
        (b, b_rule): (&CommandPattern, &Rule),
    ) -> Meeting {
        if !self.spend() {
            return Meeting::NotDecided;
        }
        match a.overlap(reading_of(a_rule.effect), b, reading_of(b_rule.effect)) {
            Some(words) => Meeting::Command(words),
            None => Meeting::Apart,
        }
    }

    /// Takes one from the budget; `false` where nothing is left.
    pub(super) fn spend(&mut self) -> bool {
        let had = self.left > 0;
        self.left = self.left.saturating_sub(1);
        had
    }
}

/// Whether the literal beginnings or ends of two path patterns already differ, case aside.
pub(super) fn plainly_apart(a: &Pattern, b: &Pattern) -> bool {
    if a.kind() != ResourceKind::Path
        || b.kind() != ResourceKind::Path
        || a.needs_root()
        || b.needs_root()
    {
        return false;
    }
    let (a, b) = (a.to_string(), b.to_string());
    let special = |c: char| !c.is_ascii() || "*?[]{}\\!()".contains(c);
    let head = |text: &str| {
        text.split(special)
            .next()
            .unwrap_or_default()
            .trim_end_matches('/')
            .to_ascii_lowercase()
    };
    let tail = |text: &str| {
        let tail = text
            .rsplit(special)
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase();
        // A pattern that ends in a slash means the folder and all below.
        if tail.ends_with('/') {
            String::new()
        } else {
            tail
        }
    };
    let (heads, tails) = ((head(&a), head(&b)), (tail(&a), tail(&b)));
    let heads_meet = heads.0.starts_with(&heads.1) || heads.1.starts_with(&heads.0);
    let tails_meet = tails.0.ends_with(&tails.1) || tails.1.ends_with(&tails.0);
    !heads_meet || !tails_meet
}
