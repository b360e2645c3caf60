//! From rules of which the first that matches decides, to rules of which the most specific does.
//!
//! All of ours of one class weigh the same, but those that mean a whole class, which weigh less; so a
//! stricter one wins wherever two meet, and an exception to a whole class holds. What the source
//! excepts from a narrower deny or ask is lost, to the strict side, and said.

use tipstaff_command::{CommandPattern, Reading as Read};
use tipstaff_schema::Effect;

use super::found::{Found, Reading, What};
use super::{LeftOut, Origin};

/// How a deny stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hold {
    /// Nothing outranks it.
    Guard,
    /// The exceptions that stand before it do.
    Excepted,
    /// A deny of its whole class stands behind it, and all exceptions before it. Ours means more than
    /// the source and would lift that deny where the source does not; so the deny holds.
    Denied,
}

/// What is to be written.
#[derive(Debug)]
pub(super) struct Settled {
    pub(super) origin: Origin,
    pub(super) rules: Vec<(Found, Hold)>,
    pub(super) left_out: Vec<LeftOut>,
}

/// Takes out what never decides, and what cannot be kept without becoming milder.
pub(super) fn settle(reading: Reading, origin: Origin, options: &super::ImportOptions) -> Settled {
    let mut settled = Settled {
        origin,
        rules: Vec::new(),
        left_out: reading.left_out,
    };
    let mut seen: Vec<Found> = Vec::new();
    for mut found in reading.rules {
        if seen
            .iter()
            .any(|before| before.at == found.at && before.what == found.what)
        {
            continue;
        }
        let why = match (&found.what, found.effect) {
            (What::NotUnderstood(_, why), _) => Some(why.clone()),
            (_, Effect::Deny) => None,
            (_, Effect::Allow) => hidden(&found, &seen),
            (_, Effect::Ask) => None,
        };
        let dead =
            overridden(&found, &seen).filter(|_| why.is_none() && found.effect != Effect::Deny);
        let decides = dead.is_none();
        if let Some(why) = why.or(dead).or_else(|| unnamed(&found, options)) {
            settled.left_out.push(LeftOut {
                at: found.at.clone(),
                text: found.text.clone(),
                effect: Some(found.effect),
                why,
                decides,
            });
        } else {
            let excepted = found.what.is_broad()
                && seen.iter().any(|before| {
                    before.effect == Effect::Allow && kept(before) && found.what.meets(&before.what)
                });
            let notes = exceptions(&found, &seen, excepted);
            found.notes.extend(notes);
            found
                .notes
                .extend(reach(&found, options).map(str::to_owned));
            let hold = if excepted {
                Hold::Excepted
            } else {
                Hold::Guard
            };
            if excepted && found.effect == Effect::Deny {
                give_way(&mut settled.rules, &found);
            }
            settled.rules.push((found.clone(), hold));
        }
        seen.push(found);
    }
    settled
}

/// Asks that would lift a deny of their whole class. An allow that stands between the two would lift it
/// too, and for what the ask means as well: there the ask becomes a deny of its own.
fn give_way(rules: &mut [(Found, Hold)], deny: &Found) {
    let mut between: Vec<What> = Vec::new();
    for (found, hold) in rules.iter_mut().rev() {
        if found.effect == Effect::Allow {
            between.push(found.what.clone());
        } else if found.effect == Effect::Ask && deny.what.meets(&found.what) {
            found.notes = vec![format!("stricter: denied, as {} says of the rest", deny.at)];
            if between.iter().any(|allowed| may_meet(allowed, &found.what)) {
                found.effect = Effect::Deny;
                *hold = Hold::Guard;
            } else {
                *hold = Hold::Denied;
            }
        }
    }
}

fn kept(found: &Found) -> bool {
    !matches!(found.what, What::NotUnderstood(..))
}

/// An allow behind a deny or ask that could not be carried over.
fn hidden(found: &Found, seen: &[Found]) -> Option<String> {
    let lost = seen.iter().find(|before| {
        !kept(before) && before.effect != Effect::Allow && before.what.meets(&found.what)
    })?;
    Some(format!(
        "{} at {} may decide some of these calls before it, and is not carried over",
        lost.effect, lost.at
    ))
}

/// Something behind a rule that means all that it means.
fn overridden(found: &Found, seen: &[Found]) -> Option<String> {
    let before = seen
        .iter()
        .find(|before| kept(before) && before.what.covers(&found.what))?;
    Some(format!(
        "it never decides in the source: {} at {} comes before it and means all of it",
        before.effect, before.at
    ))
}

/// An allow for files or the web, where none of our tools is said to do that.
fn unnamed(found: &Found, options: &super::ImportOptions) -> Option<String> {
    use super::found::{Class, Use};
    if found.effect != Effect::Allow {
        return None;
    }
    let (tools, option, what) = match found.what.class() {
        Some(Class::Paths(Use::Read)) => (&options.read, "--read", "reads files"),
        Some(Class::Paths(Use::Edit)) => (&options.edit, "--edit", "edits files"),
        Some(Class::Sites) => (&options.web, "--web", "fetches from the web"),
        Some(Class::Commands | Class::Tools | Class::Elsewhere) | None => return None,
    };
    tools
        .is_empty()
        .then(|| format!("no tool is named that {what}: `{option} SERVER:TOOL` names one"))
}

/// What a deny or ask also means, since it is about a file or host and not about a tool.
fn reach(found: &Found, options: &super::ImportOptions) -> Option<&'static str> {
    use super::found::{Class, Use};
    if found.effect == Effect::Allow {
        return None;
    }
    match found.what.class() {
        Some(Class::Paths(Use::Read)) => Some(
            "wider: commands, and tools that do something else with the file, are meant as well",
        ),
        Some(Class::Paths(Use::Edit)) if options.edit.is_empty() => Some(
            "wider: whatever is done with the file is meant, reading too; `--edit SERVER:TOOL` names the tools that edit",
        ),
        Some(Class::Sites) => Some("wider: whatever reaches the host is meant"),
        Some(Class::Paths(Use::Edit) | Class::Commands | Class::Tools | Class::Elsewhere)
        | None => None,
    }
}

/// Earlier, milder rules that ours does not except.
fn exceptions(found: &Found, seen: &[Found], excepted: bool) -> Vec<String> {
    if excepted || found.effect == Effect::Allow {
        return Vec::new();
    }
    let lost = seen.iter().filter(|before| {
        kept(before) && before.effect < found.effect && may_meet(&before.what, &found.what)
    });
    let places: Vec<&str> = lost.map(|before| before.at.as_str()).take(4).collect();
    if places.is_empty() {
        return Vec::new();
    }
    vec![format!(
        "stricter: the source excepts what {} means; here the {} holds there too",
        places.join(", "),
        found.effect
    )]
}

/// Whether some call is meant by both; true also where that was not found out.
fn may_meet(mild: &What, strict: &What) -> bool {
    if !mild.meets(strict) && !strict.meets(mild) {
        return false;
    }
    match (mild, strict) {
        (What::Commands(mild), What::Commands(strict)) => mild.iter().any(|mild| {
            strict.iter().any(|strict| {
                let (Ok(mild), Ok(strict)) = (
                    CommandPattern::parse(mild.clone()),
                    CommandPattern::parse(strict.clone()),
                ) else {
                    return true;
                };
                mild.overlap(Read::Allow, &strict, Read::Strict).is_some()
            })
        }),
        (What::Tools(mild), What::Tools(strict)) => mild.iter().any(|mild| {
            strict.iter().any(|strict| {
                let head =
                    |name: &str| name.split(['*', '?']).next().unwrap_or_default().to_owned();
                let (mild, strict) = (head(mild), head(strict));
                mild.starts_with(&strict) || strict.starts_with(&mild)
            })
        }),
        (_, _) => true,
    }
}
