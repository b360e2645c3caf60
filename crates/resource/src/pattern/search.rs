//! A value that all of some patterns match and none of some others does: what shows that a rule
//! still decides somewhere although others stand before it.

use tipstaff_schema::{Access, ResourceKind};

use super::{CaseRule, Form, Pattern, valid_text};
use crate::automaton::Automaton;
use crate::avoid::{Search, search};
use crate::{Base, Resource, valid};

/// A pattern and how it compares letters.
type Read<'a> = (&'a Pattern, CaseRule);

impl Pattern {
    /// A canonical value of this kind that each of `all` matches and none of `none` does, for an
    /// agent with this root. Exact for paths and plain texts, within `most` places looked at; for
    /// URLs, hosts and domains values near those that the patterns share are tried.
    #[must_use]
    pub fn search(
        kind: ResourceKind,
        all: &[Read<'_>],
        none: &[Read<'_>],
        root: Option<&str>,
        most: usize,
    ) -> Search {
        let none: Vec<Read<'_>> = none
            .iter()
            .copied()
            .filter(|(pattern, _)| {
                pattern.judges(kind) && (root.is_some() || !pattern.needs_root())
            })
            .collect();
        let unmet = |(pattern, _): &Read<'_>| {
            !pattern.judges(kind) || (root.is_none() && pattern.needs_root())
        };
        if all.iter().any(unmet) {
            return Search::Nowhere;
        }
        match kind {
            ResourceKind::Path => by_automata(all, &none, root, &valid::PATH, most),
            ResourceKind::Service | ResourceKind::Repository | ResourceKind::None => {
                by_automata(all, &none, root, valid_text(kind), most)
            }
            ResourceKind::Url | ResourceKind::Host | ResourceKind::Domain => {
                by_trial(kind, all, &none, root)
            }
            ResourceKind::Command => Search::NotDecided,
        }
    }

    fn machine(&self, root: Option<&str>) -> Option<Automaton> {
        match &self.0.form {
            Form::Path(automaton) | Form::Text(automaton) => Some(automaton.clone()),
            Form::Rooted(automaton) => Some(automaton.behind(root?.trim_end_matches('/'))),
            Form::Url(_) | Form::Host(_) => None,
        }
    }
}

fn by_automata(
    all: &[Read<'_>],
    none: &[Read<'_>],
    root: Option<&str>,
    valid: &Automaton,
    most: usize,
) -> Search {
    let machines = |reads: &[Read<'_>]| -> Vec<(Automaton, CaseRule)> {
        reads
            .iter()
            .filter_map(|(pattern, case)| {
                let case = if pattern.kind() == ResourceKind::Path {
                    *case
                } else {
                    CaseRule::Exact
                };
                Some((pattern.machine(root)?, case))
            })
            .collect()
    };
    let (all, none) = (machines(all), machines(none));
    let all: Vec<_> = all.iter().map(|(machine, case)| (machine, *case)).collect();
    let none: Vec<_> = none
        .iter()
        .map(|(machine, case)| (machine, *case))
        .collect();
    search(&all, &none, (valid, CaseRule::Exact), most)
}

/// Tries what the patterns share, and values near it.
fn by_trial(kind: ResourceKind, all: &[Read<'_>], none: &[Read<'_>], root: Option<&str>) -> Search {
    let fits = |value: &String| {
        let base = Base::default();
        let Ok(resource) = Resource::parse(kind, value, Access::Connect, &base) else {
            return false;
        };
        let matches = |(pattern, case): &Read<'_>| pattern.matches(&resource, root, *case);
        resource.value() == value && all.iter().all(matches) && !none.iter().any(matches)
    };
    for (n, (one, case)) in all.iter().enumerate() {
        let apart =
            |(other, other_case): &Read<'_>| one.overlap(*case, other, *other_case, root).is_none();
        let covered = |(other, other_case): &Read<'_>| other.covers(*other_case, one, *case, root);
        if all.iter().skip(n + 1).any(apart) || none.iter().any(covered) {
            return Search::Nowhere;
        }
    }
    let shared = all
        .iter()
        .flat_map(|(one, case)| {
            let with = all.iter().chain(none);
            with.filter_map(|(other, other_case)| one.overlap(*case, other, *other_case, root))
        })
        .map(|value| as_kind(kind, &value));
    let plain = ["x.example", "198.51.100.7", "2001:db8::1", "localhost"];
    let plain = plain.iter().map(|host| as_kind(kind, host));
    let found = shared
        .chain(plain)
        .flat_map(|value| near(kind, &value))
        .find(fits);
    match found {
        Some(value) => Search::Found(value),
        None => Search::NotDecided,
    }
}

/// A host as a URL where one is asked for.
fn as_kind(kind: ResourceKind, value: &str) -> String {
    if kind != ResourceKind::Url || value.contains("://") {
        value.to_owned()
    } else if value.contains(':') {
        format!("https://[{value}]/")
    } else {
        format!("https://{value}/")
    }
}

/// The value, and values that differ from it in one thing.
fn near(kind: ResourceKind, value: &str) -> Vec<String> {
    let mut values = vec![value.to_owned()];
    if kind != ResourceKind::Url {
        let labels = ["x", "a.b", "x1"].map(|label| format!("{label}.{value}"));
        values.extend(labels);
        values.extend(value.split_once('.').map(|(_, rest)| format!("x.{rest}")));
        values.extend(value.rsplit_once('.').map(|(net, _)| format!("{net}.77")));
        return values;
    }
    let Some((scheme, rest)) = value.split_once("://") else {
        return values;
    };
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let (plain, query) = path.split_once('?').unwrap_or((path, ""));
    let stem = plain.rsplit_once('/').map_or("", |(stem, _)| stem);
    let slash = if stem.is_empty() { "" } else { "/" };
    values.extend([
        format!("{scheme}://{host}/{stem}{slash}other"),
        format!("{scheme}://{host}/{stem}{slash}other/x"),
        format!("{scheme}://{host}/{plain}?x=1"),
        format!("{scheme}://{host}/{plain}?{query}&x=1"),
        format!("{scheme}://{host}:8443/{path}"),
        format!("http://{host}/{path}"),
        format!("https://{host}/{path}"),
        format!("{scheme}://x.{host}/{path}"),
        format!("{scheme}://a.b.{host}/{path}"),
    ]);
    values.extend(
        host.split_once('.')
            .map(|(_, rest)| format!("{scheme}://x.{rest}/{path}")),
    );
    values
}
