//! The query of a URL pattern: pairs in any order, `key=*` for any value, `*` for any other pairs.
//!
//! Without a lone `*` the pattern means exactly its pairs: one pair more is another request.

use std::collections::BTreeMap;

use crate::url_value::{QUERY, escaped, normal_percent};

/// What a pattern says of the query.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct QueryPattern {
    keys: BTreeMap<String, Values>,
    /// Whether any other pairs may stand beside them.
    rest: bool,
}

/// What it says of the values of one key.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Values {
    /// How often each value stands there.
    exact: BTreeMap<String, usize>,
    /// How many more values, of any text.
    any: usize,
}

impl Values {
    fn count(&self) -> usize {
        self.exact.values().sum::<usize>() + self.any
    }
}

static NONE: Values = Values {
    exact: BTreeMap::new(),
    any: 0,
};

impl QueryPattern {
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        if text.contains('\\') {
            return Err("a raw `\\` stands in no url that is taken; write `%5C` for the character");
        }
        let mut pattern = Self::default();
        for pair in text.split('&').filter(|pair| !pair.is_empty()) {
            if pair == "*" {
                pattern.rest = true;
                continue;
            }
            let pair = normal_percent(&escaped(pair, QUERY));
            let (key, value) = pair.split_once('=').unwrap_or((&pair, ""));
            let values = pattern.keys.entry(key.to_owned()).or_default();
            if value == "*" {
                values.any += 1;
            } else if pair.contains(['*', '?']) {
                return Err(
                    "in a query only `key=*` and a lone `*` are wildcards; write `%2A` for the character",
                );
            } else {
                *values.exact.entry(value.to_owned()).or_default() += 1;
            }
        }
        Ok(pattern)
    }

    fn of(&self, key: &str) -> &Values {
        self.keys.get(key).unwrap_or(&NONE)
    }

    pub(crate) fn matches(&self, query: Option<&str>) -> bool {
        let mut given: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for pair in query
            .unwrap_or_default()
            .split('&')
            .filter(|pair| !pair.is_empty())
        {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            given.entry(key).or_default().push(value);
        }
        let wanted = self.keys.iter().all(|(key, values)| {
            let given = given.get(key.as_str()).map_or(&[][..], Vec::as_slice);
            let enough = |(value, times): (&String, &usize)| {
                given.iter().filter(|given| *given == value).count() >= *times
            };
            values.exact.iter().all(enough)
                && (given.len() == values.count() || self.rest && given.len() > values.count())
        });
        wanted && (self.rest || given.keys().all(|key| self.keys.contains_key(*key)))
    }

    /// Whether it has no wildcard.
    pub(crate) fn names_one(&self) -> bool {
        !self.rest && self.keys.values().all(|values| values.any == 0)
    }

    /// A query that both mean, in the canonical spelling without `?`.
    pub(crate) fn overlap(&self, other: &Self) -> Option<String> {
        let mut pairs = Vec::new();
        for key in self.keys.keys().chain(
            other
                .keys
                .keys()
                .filter(|key| !self.keys.contains_key(*key)),
        ) {
            let (one, two) = (self.of(key), other.of(key));
            let mut exact = one.exact.clone();
            for (value, times) in &two.exact {
                let own = exact.entry(value.clone()).or_default();
                *own = (*own).max(*times);
            }
            let written: usize = exact.values().sum();
            let count = written.max(one.count()).max(two.count());
            if (!self.rest && count != one.count()) || (!other.rest && count != two.count()) {
                return None;
            }
            for (value, times) in exact {
                pairs.extend(std::iter::repeat_n(format!("{key}={value}"), times));
            }
            pairs.extend(std::iter::repeat_n(format!("{key}=a"), count - written));
        }
        Some(pairs.join("&"))
    }

    /// Whether it means every query that the other means.
    pub(crate) fn covers(&self, other: &Self) -> bool {
        if !self.rest && other.rest {
            return false;
        }
        self.keys.keys().chain(other.keys.keys()).all(|key| {
            let (own, theirs) = (self.of(key), other.of(key));
            let literals = own
                .exact
                .iter()
                .all(|(value, times)| theirs.exact.get(value).is_some_and(|there| there >= times));
            let counts = if self.rest {
                theirs.count() >= own.count()
            } else {
                theirs.count() == own.count()
            };
            literals && counts
        })
    }
}
