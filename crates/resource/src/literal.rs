//! What stands literally in everything that a pattern means: by this an index finds the few patterns
//! that a value may be one of.
//!
//! Necessary, never sufficient: whoever looks up a pattern by its literals asks it afterwards.

use crate::automaton::Automaton;
use crate::glob::Node;
use crate::{CaseRule, product};

/// Where a literal stands in every value that a pattern means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    /// The value begins with it.
    Start,
    /// The value ends with it.
    End,
    /// Somewhere.
    Inside,
}

/// A text that stands in every value that a pattern means, ASCII letter case aside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Literal {
    text: Box<str>,
    place: Place,
    ends_part: bool,
}

impl Literal {
    pub(crate) fn new(text: &str, place: Place) -> Self {
        Self {
            text: text.into(),
            place,
            ends_part: place == Place::End,
        }
    }

    /// A literal between wildcards, the next of which may begin with a separator or be nothing.
    pub(crate) fn before(text: &str, place: Place, parts_follow: bool) -> Option<Self> {
        let literal = Self::of(text, place)?;
        Some(Self {
            ends_part: literal.ends_part || parts_follow,
            ..literal
        })
    }

    /// A literal of a pattern of another kind, such as one over names; `None` for an empty text.
    #[must_use]
    pub fn of(text: &str, place: Place) -> Option<Self> {
        (!text.is_empty()).then(|| Self::new(text, place))
    }

    /// The text; never empty.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where it stands.
    #[must_use]
    pub const fn place(&self) -> Place {
        self.place
    }

    /// Whether the value ends behind it, or goes on with a separator: a `/`, or a `.` in a host.
    #[must_use]
    pub const fn ends_part(&self) -> bool {
        self.ends_part
    }

    /// The same text in a longer value, of which this one may be any piece.
    pub(crate) fn somewhere(self) -> Self {
        Self {
            place: Place::Inside,
            ends_part: false,
            ..self
        }
    }

    /// The same text where more stands before the value.
    pub(crate) fn behind(self) -> Self {
        let place = match self.place {
            Place::Start | Place::Inside => Place::Inside,
            Place::End => Place::End,
        };
        Self { place, ..self }
    }
}

/// The literals of a pattern: its runs of plain characters outside alternatives.
pub(crate) fn literals(nodes: &[Node]) -> Vec<Literal> {
    let plain = |node: &Node| match node {
        Node::Char(c) => Some(*c),
        Node::One | Node::Class(_) | Node::Star | Node::Any | Node::Parts | Node::Alt(_) => None,
    };
    let mut found = Vec::new();
    let mut at = 0;
    for run in nodes.chunk_by(|one, two| plain(one).is_some() == plain(two).is_some()) {
        let text: String = run.iter().filter_map(plain).collect();
        let place = match (at, at + run.len() == nodes.len()) {
            (0, _) => Place::Start,
            (_, true) => Place::End,
            (_, false) => Place::Inside,
        };
        at += run.len();
        let parts_follow = matches!(nodes.get(at), Some(Node::Parts));
        found.extend(Literal::before(&text, place, parts_follow));
    }
    found
}

/// Refuses a pattern that matches no canonical value. An example made from its text shows most
/// patterns to be alive; only where that one does not, the automata are asked.
pub(crate) fn check_alive(
    nodes: &[Node],
    automaton: &Automaton,
    valid: &Automaton,
    why: &'static str,
) -> Result<(), &'static str> {
    let exact = CaseRule::Exact;
    let sample = sample(nodes);
    if automaton.matches(&sample, exact) && valid.matches(&sample, exact) {
        return Ok(());
    }
    product::witness([(automaton, exact), (valid, exact), (valid, exact)])
        .map(|_| ())
        .ok_or(why)
}

/// A text that the nodes probably mean.
pub(crate) fn sample(nodes: &[Node]) -> String {
    let mut text = String::new();
    example(nodes, &mut text);
    text
}

fn example(nodes: &[Node], out: &mut String) {
    for node in nodes {
        match node {
            Node::Char(c) => out.push(*c),
            Node::One | Node::Star | Node::Any => out.push('a'),
            Node::Class(class) => {
                let first = class.ranges.first().map_or('a', |(low, _)| *low);
                out.push(if class.negated { 'a' } else { first });
            }
            Node::Parts => {}
            Node::Alt(branches) => {
                branches
                    .first()
                    .into_iter()
                    .for_each(|first| example(first, out));
            }
        }
    }
}
