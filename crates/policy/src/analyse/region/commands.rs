//! Commands on which rules over commands meet, and where they run.

use serde_json::Value;
use tipstaff_command::{CommandPattern, Reading, SimpleCommand, Word, WordShape};
use tipstaff_resource::{CaseRule, Pattern, Search};
use tipstaff_schema::{Placement, ResourceKind};

use super::find::Asked;
use super::subject::Place;
use super::{Found, Region, failing};
use crate::analyse::call::{Caller, Part};
use crate::analyse::pair::{put, quoted};
use crate::explain::Dimension;
use crate::rule::Rule;
use crate::target::{Target, case_of, reading_of};

impl Region<'_> {
    /// A simple command on which the rules meet, the folder and the placement in which it runs.
    pub(super) fn command(
        &mut self,
        asked: &Asked<'_, '_>,
        caller: &Caller,
        mut params: Value,
    ) -> Result<Place, Found> {
        let words = command_words(asked)?;
        let cwd = self.folder(asked, caller)?;
        let placement = placement(asked)?;
        let command = simple(words, cwd.clone());
        let line = match &placement {
            Some(placement) if !placement.is_local() => format!("!@{placement} {}", command.text),
            Some(_) | None => format!("!{}", command.text),
        };
        put(&mut params, "/input", &line);
        let (part, action) = (Part::Command(command), "command".to_owned());
        Ok(Place {
            part,
            action,
            params,
            cwd,
            placement,
        })
    }

    fn folder(&mut self, asked: &Asked<'_, '_>, caller: &Caller) -> Result<Option<String>, Found> {
        fn read(rule: &Rule) -> Option<(&Pattern, CaseRule)> {
            rule.cwd().map(|cwd| (cwd, case_of(rule.effect)))
        }
        let inside: Vec<_> = asked.all.iter().filter_map(|rule| read(rule)).collect();
        let outside: Vec<_> = failing(asked.avoid, Dimension::Cwd)
            .filter_map(read)
            .collect();
        if inside.is_empty() && outside.is_empty() {
            return Ok(caller.root.clone());
        }
        let root = caller.root.as_deref();
        match self.value(ResourceKind::Path, &inside, &outside, root) {
            Search::Found(folder) => Ok(Some(folder)),
            Search::Nowhere if inside.iter().any(|(_, case)| *case == CaseRule::Exact) => {
                Err(Found::Nowhere)
            }
            // A folder that is not known lies in all that asks and denies name, and in none of an allow.
            Search::Nowhere | Search::NotDecided => Err(Found::NotDecided),
        }
    }
}

/// Where a command runs so that the rules that name a placement hold, or fail where they should.
fn placement(asked: &Asked<'_, '_>) -> Result<Option<Placement>, Found> {
    let failing: Vec<&Placement> = failing(asked.avoid, Dimension::Placement)
        .filter_map(|rule| rule.placement())
        .collect();
    let wanted: Vec<&Placement> = asked
        .all
        .iter()
        .filter_map(|rule| rule.placement())
        .collect();
    let other = Placement::new("elsewhere").ok();
    let holds = |named: &Placement, at: &Option<Placement>| match at {
        Some(at) => at == named,
        None => named.is_local(),
    };
    let candidates = std::iter::once(None)
        .chain(wanted.iter().map(|p| Some((*p).clone())))
        .chain([other]);
    candidates
        .into_iter()
        .find(|at| wanted.iter().all(|p| holds(p, at)) && !failing.iter().any(|p| holds(p, at)))
        .ok_or(Found::Nowhere)
}

/// Patterns over commands, each with how its rule reads it.
type Read = (CommandPattern, Reading);

/// The words of a command that the patterns of all rules mean and those to avoid do not. What two
/// patterns share is exact; around others it is tried.
fn command_words(asked: &Asked<'_, '_>) -> Result<Vec<String>, Found> {
    let of = |rule: &&Rule| match &rule.target {
        Some(Target::Command(pattern)) => Some((pattern.clone(), reading_of(rule.effect))),
        Some(Target::Resource(_)) | None => None,
    };
    let all: Vec<Read> = asked.all.iter().filter_map(of).collect();
    let avoided: Vec<&Rule> = failing(asked.avoid, Dimension::Target).collect();
    let none: Vec<Read> = avoided.iter().filter_map(of).collect();
    let fits = |words: &Vec<String>| {
        let command = simple(words.clone(), None);
        let matches = |(pattern, reading): &Read| pattern.matches(&command, *reading);
        all.iter().all(matches) && !none.iter().any(matches)
    };
    let shared = shared(&all, &none).ok_or(Found::Nowhere)?;
    let found = shared.iter().flat_map(near).find(fits);
    found.ok_or(Found::NotDecided)
}

/// What the patterns share, with each other and with those to avoid; `None` where that shows that
/// there is nothing.
fn shared(all: &[Read], none: &[Read]) -> Option<Vec<Vec<String>>> {
    let mut shared: Vec<Vec<String>> = Vec::new();
    for (n, (one, reading)) in all.iter().enumerate() {
        for (other, other_reading) in all.iter().skip(n) {
            shared.push(one.overlap(*reading, other, *other_reading)?);
        }
        let covered = |(other, r): &Read| other.covers(*r, one, *reading);
        if none.iter().any(covered) {
            return None;
        }
        let near = none.iter();
        shared.extend(near.filter_map(|(other, r)| one.overlap(*reading, other, *r)));
    }
    if all.is_empty() {
        shared.push(vec!["true".to_owned()]);
        shared.push(vec!["some-program".to_owned(), "x".to_owned()]);
    }
    Some(shared)
}

/// The words, and words that differ from them in one.
fn near(words: &Vec<String>) -> Vec<Vec<String>> {
    const MORE: [&str; 5] = ["x", "other", "-x", "--other", "/x"];
    let behind = MORE
        .iter()
        .map(|more| [words.as_slice(), &[(*more).to_owned()]].concat());
    let instead = (1..words.len()).flat_map(|at| {
        MORE.iter().map(move |more| {
            let mut changed = words.clone();
            if let Some(word) = changed.get_mut(at) {
                (*more).clone_into(word);
            }
            changed
        })
    });
    std::iter::once(words.clone())
        .chain(behind)
        .chain(instead)
        .collect()
}

fn simple(words: Vec<String>, cwd: Option<String>) -> SimpleCommand {
    let text = words
        .iter()
        .map(|word| quoted(word))
        .collect::<Vec<_>>()
        .join(" ");
    let word = |text: String| Word {
        text,
        shape: WordShape::Literal,
    };
    SimpleCommand {
        words: words.into_iter().map(word).collect(),
        cwd,
        text,
        ..SimpleCommand::default()
    }
}
