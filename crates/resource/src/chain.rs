//! Texts with wildcards between them: what most patterns are, matched without any states.
//!
//! A chain takes a fraction of the memory of its states, and costs about what comparing texts costs.
//! Classes, `?` and alternatives are for `automaton`, which every chain can be turned into.

use crate::CaseRule;
use crate::glob::Node;
use crate::literal::{Literal, Place};

/// A wildcard that spans any number of characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gap {
    /// Any run without a separator.
    Star,
    /// Any run at all.
    Any,
    /// Nothing, or a separator and any run behind it.
    Parts,
}

/// A wildcard and the text behind it, which may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Piece {
    gap: Gap,
    text: Box<str>,
}

/// Wildcards and texts in turn. Bytes are compared, since no character begins inside another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Chain(Box<[Piece]>);

/// A piece that stands somewhere and could stand further on.
#[derive(Debug, Clone, Copy)]
struct Choice {
    piece: usize,
    at: usize,
}

impl Chain {
    /// The chain of these nodes, the first of which is a wildcard; `None` where others stand in them.
    pub(crate) fn of(nodes: &[Node]) -> Option<Self> {
        let mut pieces: Vec<(Gap, String)> = Vec::new();
        for node in nodes {
            let gap = match node {
                Node::Char(c) => {
                    pieces.last_mut()?.1.push(*c);
                    continue;
                }
                Node::Star => Gap::Star,
                Node::Any => Gap::Any,
                Node::Parts => Gap::Parts,
                Node::One | Node::Class(_) | Node::Alt(_) => return None,
            };
            // Parts behind parts mean nothing more.
            let again = |(last, text): &(Gap, String)| *last == gap && text.is_empty();
            if !pieces.last().is_some_and(again) {
                pieces.push((gap, String::new()));
            }
        }
        let piece = |(gap, text): (Gap, String)| Piece {
            gap,
            text: text.into(),
        };
        Some(Self(pieces.into_iter().map(piece).collect()))
    }

    /// The same as nodes.
    pub(crate) fn nodes(&self) -> Vec<Node> {
        let of = |piece: &Piece| {
            let gap = match piece.gap {
                Gap::Star => Node::Star,
                Gap::Any => Node::Any,
                Gap::Parts => Node::Parts,
            };
            std::iter::once(gap).chain(piece.text.chars().map(Node::Char).collect::<Vec<_>>())
        };
        self.0.iter().flat_map(of).collect()
    }

    /// What stands literally in all that begins with `lead` and goes on as this.
    pub(crate) fn literals(&self, lead: &str) -> Vec<Literal> {
        let texts = std::iter::once(lead).chain(self.0.iter().map(|piece| &*piece.text));
        let gaps = self.0.iter().map(|piece| Some(piece.gap));
        let of = |(number, (text, gap)): (usize, (&str, Option<Gap>))| {
            let place = match (number, gap) {
                (0, _) => Place::Start,
                (_, Some(_)) => Place::Inside,
                (_, None) => Place::End,
            };
            Literal::before(text, place, gap == Some(Gap::Parts))
        };
        let pairs = texts.zip(gaps.chain([None])).enumerate();
        pairs.filter_map(of).collect()
    }

    /// How many states its automaton has: the start, and one for each wildcard and character.
    pub(crate) fn count_states(&self) -> usize {
        let of = |piece: &Piece| piece.text.chars().count() + 1;
        self.0.iter().map(of).sum::<usize>() + 1
    }

    /// Whether all that it means begins with the separator, or is empty.
    pub(crate) fn begins_a_part(&self, separator: char) -> bool {
        self.0.first().is_some_and(|first| {
            let only = self.0.len() == 1 && first.text.is_empty();
            first.gap == Gap::Parts && (only || first.text.starts_with(separator))
        })
    }

    /// Whether the whole text is one that it means; `None` where finding out this way takes more
    /// than a bounded number of steps for each byte of the text.
    pub(crate) fn matches(&self, text: &[u8], separator: char, case: CaseRule) -> Option<bool> {
        let separator = u8::try_from(separator).ok()?;
        let last = self.0.last().map_or("", |last| &last.text);
        if !starts(
            text.get(text.len().saturating_sub(last.len())..)?,
            last,
            case,
        ) {
            return Some(false);
        }
        let mut steps = 64 + 16 * text.len();
        let mut search = Search {
            text,
            separator,
            case,
            steps: &mut steps,
        };
        self.search(&mut search)
    }

    /// Each text at the first place where it can stand. Where a later one then stands nowhere, the
    /// nearest wildcard before it is made longer. One that crosses separators makes every choice
    /// before it settled, since whatever those could leave to it, it can take in; and so does a `*`
    /// for a `*` before it, since both end at the same separator.
    fn search(&self, search: &mut Search<'_>) -> Option<bool> {
        let (mut star, mut wide): (Option<Choice>, Option<Choice>) = (None, None);
        let (mut number, mut from) = (0, 0);
        let mut fresh = true;
        loop {
            let Some(piece) = self.0.get(number) else {
                return Some(true);
            };
            let is_last = number + 1 == self.0.len();
            let found = search.find(piece, from, fresh, is_last)?;
            if let Some(at) = found {
                let choice = Choice { piece: number, at };
                match piece.gap {
                    Gap::Star => star = Some(choice),
                    Gap::Parts if fresh && search.at(from) != Some(search.separator) => {}
                    Gap::Any | Gap::Parts => (wide, star) = (Some(choice), None),
                }
                (number, from, fresh) = (number + 1, at + piece.text.len(), true);
                continue;
            }
            // What stands nowhere in the rest stands nowhere behind a later place.
            if fresh && !search.stands_behind(from, &piece.text)? {
                return Some(false);
            }
            let again = star.take().or_else(|| wide.take());
            let Some(again) = again else {
                return Some(false);
            };
            (number, from, fresh) = (again.piece, again.at, false);
        }
    }
}

struct Search<'a> {
    text: &'a [u8],
    separator: u8,
    case: CaseRule,
    steps: &'a mut usize,
}

impl Search<'_> {
    fn at(&self, at: usize) -> Option<u8> {
        self.text.get(at).copied()
    }

    /// Whether the byte there is the one looked for, or none is: what tells most places apart.
    fn begins(&self, at: usize, first: Option<u8>) -> bool {
        match (self.at(at), first) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some(own), Some(first)) => match self.case {
                CaseRule::Exact => own == first,
                CaseRule::Fold => own.eq_ignore_ascii_case(&first),
            },
        }
    }

    /// Whether a text stands anywhere from there on. `None`: too many steps.
    fn stands_behind(&mut self, from: usize, text: &str) -> Option<bool> {
        let first = text.bytes().next();
        let last = self.text.len().saturating_sub(text.len());
        for at in from..=last {
            *self.steps = self.steps.checked_sub(1)?;
            let rest = self.text.get(at..).unwrap_or_default();
            if self.begins(at, first) && starts(rest, text, self.case) {
                return Some(true);
            }
        }
        Some(false)
    }

    /// The first place where the text of a piece stands whose wildcard begins at `from`; or, of a
    /// piece that stands at `from` (not `fresh`), the next one. `None` outside: too many steps.
    fn find(
        &mut self,
        piece: &Piece,
        from: usize,
        fresh: bool,
        is_last: bool,
    ) -> Option<Option<usize>> {
        let end = self.text.len().checked_sub(piece.text.len());
        // What is taken in by parts begins with a separator; then anything follows.
        let wide = match piece.gap {
            Gap::Star => false,
            Gap::Any => true,
            Gap::Parts => !fresh || self.at(from) == Some(self.separator),
        };
        if is_last && wide {
            // That the text ends well has been seen.
            return Some(end.filter(|end| *end >= from));
        }
        let first = piece.text.bytes().next();
        let mut at = from;
        let mut may_stay = fresh;
        loop {
            *self.steps = self.steps.checked_sub(1)?;
            if end.is_none_or(|end| at > end) {
                return Some(None);
            }
            let ends_well = !is_last || end == Some(at);
            if may_stay && ends_well && self.begins(at, first) {
                let rest = self.text.get(at..).unwrap_or_default();
                if starts(rest, &piece.text, self.case) {
                    return Some(Some(at));
                }
            }
            let goes_on = match piece.gap {
                Gap::Star => self.at(at) != Some(self.separator),
                Gap::Any | Gap::Parts => wide,
            };
            if !goes_on {
                return Some(None);
            }
            at += 1;
            may_stay = true;
        }
    }
}

fn starts(text: &[u8], with: &str, case: CaseRule) -> bool {
    let Some(head) = text.get(..with.len()) else {
        return false;
    };
    match case {
        CaseRule::Exact => head == with.as_bytes(),
        CaseRule::Fold => head.eq_ignore_ascii_case(with.as_bytes()),
    }
}
