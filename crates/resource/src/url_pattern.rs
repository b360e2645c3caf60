//! URL patterns: scheme, host, port, path and query are matched apart.
//!
//! One text for the whole URL would let a `*` in the host run into the path. The fragment is never
//! judged, since it is never sent.

use crate::CaseRule;
use crate::automaton::Automaton;
use crate::glob::{self, Flavour};
use crate::host::HostPattern;
use crate::literal::{Literal, check_alive};
use crate::product;
use crate::query::QueryPattern;
use crate::size;
use crate::url_value::{self, Parts, default_port, in_url};
use crate::valid;

/// A pattern over URLs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UrlPattern {
    schemes: Schemes,
    host: HostPattern,
    port: Port,
    path: Automaton,
    /// `None`: any query or none.
    query: Option<QueryPattern>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Schemes {
    /// `*://`.
    Every,
    /// `https://`, or `{http,https}://`.
    These(Vec<String>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Port {
    /// Nothing was written: the scheme's default.
    Default,
    /// `:8443`.
    Number(u16),
    /// `:*`.
    Every,
}

impl UrlPattern {
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        let (schemes, rest) = match text.split_once("://") {
            Some((scheme, rest)) => (Schemes::parse(scheme)?, rest),
            None => (Schemes::These(vec!["https".to_owned()]), text),
        };
        if rest.contains('#') {
            return Err("a fragment is never sent, so no pattern judges it; take the `#…` out");
        }
        let (rest, query) = rest
            .split_once('?')
            .map_or((rest, None), |(before, query)| (before, Some(query)));
        let authority_end = authority_end(rest);
        let (authority, path) = rest
            .split_at_checked(authority_end)
            .ok_or("it does not parse")?;
        if authority.contains('@') {
            return Err("a url pattern names no user; such urls are refused anyway");
        }
        let (host, port) = split_port(authority)?;
        let path = if path.is_empty() {
            "/".to_owned()
        } else {
            path_text(path)?
        };
        let nodes = glob::parse(&path, Flavour::Path)?;
        let path = Automaton::new(&nodes, '/')?;
        let never = "no canonical path can ever match it (is there a `.` or `..` in it?)";
        check_alive(&nodes, &path, &valid::URL_PATH, never)?;
        size::check(&nodes, &path, &[CaseRule::Exact])?;
        let query = query.map(QueryPattern::parse).transpose()?;
        Ok(Self {
            schemes,
            host: HostPattern::parse(host)?,
            port,
            path,
            query,
        })
    }

    /// What stands in all that it means: something may stand before and behind host and path.
    pub(crate) fn literals(&self) -> Vec<Literal> {
        let in_path = self.path.literals_or_lead().into_iter();
        let mut found = self.host.literals();
        found.extend(in_path.map(Literal::somewhere));
        found
    }

    pub(crate) fn matches(&self, url: &Parts<'_>) -> bool {
        let port = match self.port {
            Port::Every => true,
            Port::Default => url.port.is_none(),
            Port::Number(number) => url.port.or_else(|| default_port(url.scheme)) == Some(number),
        };
        port && self.schemes.hold(url.scheme)
            && self.host.matches(url.host)
            && self.path.matches(url.path, CaseRule::Exact)
            && self
                .query
                .as_ref()
                .is_none_or(|query| query.matches(url.query))
    }

    /// Whether it names this URL and no other with such a query.
    pub(crate) fn names(&self, url: &Parts<'_>) -> bool {
        let scheme = matches!(&self.schemes, Schemes::These(names) if names.len() == 1);
        let query = match &self.query {
            Some(query) => query.names_one(),
            None => url.query.is_none(),
        };
        scheme
            && query
            && self.port != Port::Every
            && self.host.names_one()
            && self.path.only_text().is_some()
    }

    /// A URL that both mean.
    pub(crate) fn overlap(&self, other: &Self) -> Option<String> {
        let host = self.host.overlap(&other.host)?;
        let front = self.front(other, &host)?;
        let exact = |automaton| (automaton, CaseRule::Exact);
        let path = product::witness([
            exact(&self.path),
            exact(&other.path),
            exact(&valid::URL_PATH),
        ])?;
        let query = match (&self.query, &other.query) {
            (Some(one), Some(two)) => one.overlap(two)?,
            (Some(one), None) | (None, Some(one)) => {
                one.overlap(&QueryPattern::parse("*").ok()?)?
            }
            (None, None) => String::new(),
        };
        let path = if path.is_empty() { "/" } else { &path };
        Some(if query.is_empty() {
            format!("{front}{path}")
        } else {
            format!("{front}{path}?{query}")
        })
    }

    /// Scheme, host and port of a URL that both mean: every scheme that either could turn on is tried.
    fn front(&self, other: &Self, host: &str) -> Option<String> {
        let named = [&self.schemes, &other.schemes]
            .into_iter()
            .flat_map(Schemes::named);
        named
            .chain(["https", "http", "ftp", "x"])
            .filter(|s| self.schemes.hold(s) && other.schemes.hold(s))
            .find_map(|scheme| {
                let default = default_port(scheme);
                let port = match (self.port, other.port) {
                    (Port::Number(one), Port::Number(two)) => (one == two).then_some(Some(one))?,
                    (Port::Number(one), Port::Every) | (Port::Every, Port::Number(one)) => {
                        Some(one)
                    }
                    (Port::Number(one), Port::Default) | (Port::Default, Port::Number(one)) => {
                        (default == Some(one)).then_some(None)?
                    }
                    (Port::Default | Port::Every, Port::Default | Port::Every) => None,
                };
                let host = in_url(host);
                Some(match port.filter(|&port| Some(port) != default) {
                    Some(port) => format!("{scheme}://{host}:{port}"),
                    None => format!("{scheme}://{host}"),
                })
            })
    }

    /// Whether it means every URL that the other means.
    pub(crate) fn covers(&self, other: &Self) -> bool {
        let exact = |automaton| (automaton, CaseRule::Exact);
        let query = match (&self.query, &other.query) {
            (None, _) => true,
            (Some(one), Some(two)) => one.covers(two),
            (Some(one), None) => QueryPattern::parse("*").is_ok_and(|every| one.covers(&every)),
        };
        query
            && self.schemes.cover(&other.schemes)
            && self.port_covers(other)
            && self.host.covers(&other.host)
            && product::includes(
                exact(&self.path),
                exact(&other.path),
                exact(&valid::URL_PATH),
            )
    }

    fn port_covers(&self, other: &Self) -> bool {
        let all_default_to = |number| matches!(&other.schemes, Schemes::These(names) if names.iter().all(|name| default_port(name) == Some(number)));
        match (self.port, other.port) {
            (Port::Every, _) | (Port::Default, Port::Default) => true,
            (Port::Number(one), Port::Number(two)) => one == two,
            (Port::Number(one), Port::Default) | (Port::Default, Port::Number(one)) => {
                all_default_to(one)
            }
            (Port::Default | Port::Number(_), Port::Every) => false,
        }
    }

    /// The pattern that a host pattern is, where it judges URLs.
    pub(crate) fn of_host(host: HostPattern) -> Result<Self, &'static str> {
        let path = Automaton::new(&glob::parse("/", Flavour::Path)?, '/')?;
        Ok(Self {
            schemes: Schemes::Every,
            host,
            port: Port::Every,
            path,
            query: None,
        })
    }
}

impl Schemes {
    fn parse(text: &str) -> Result<Self, &'static str> {
        if text == "*" {
            return Ok(Self::Every);
        }
        let inner = text
            .strip_prefix('{')
            .and_then(|rest| rest.strip_suffix('}'))
            .unwrap_or(text);
        let names: Vec<String> = inner.split(',').map(str::to_ascii_lowercase).collect();
        let is_name = |name: &String| {
            name.starts_with(|c: char| c.is_ascii_lowercase())
                && name
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
        };
        if names.iter().all(is_name) {
            Ok(Self::These(names))
        } else {
            Err("before `://` stands no scheme, `{a,b}` or `*`")
        }
    }

    fn hold(&self, scheme: &str) -> bool {
        match self {
            Self::Every => true,
            Self::These(names) => names.iter().any(|name| name == scheme),
        }
    }

    fn named(&self) -> impl Iterator<Item = &str> {
        match self {
            Self::Every => &[][..],
            Self::These(names) => names.as_slice(),
        }
        .iter()
        .map(String::as_str)
    }

    fn cover(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Every, _) => true,
            (Self::These(_), Self::These(names)) => names.iter().all(|name| self.hold(name)),
            (Self::These(_), Self::Every) => false,
        }
    }
}

/// Where the authority ends: at the first `/` outside `{…}`.
fn authority_end(rest: &str) -> usize {
    let mut depth = 0_usize;
    for (at, c) in rest.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            '/' if depth == 0 => return at,
            _ => {}
        }
    }
    rest.len()
}

fn split_port(authority: &str) -> Result<(&str, Port), &'static str> {
    let Some((host, port)) = authority
        .rsplit_once(':')
        .filter(|(_, port)| !port.contains(']'))
    else {
        return Ok((authority, Port::Default));
    };
    match port {
        "*" => Ok((host, Port::Every)),
        number => Ok((
            host,
            Port::Number(
                number
                    .parse()
                    .map_err(|_| "its port is no number from 0 to 65535 and no `*`")?,
            ),
        )),
    }
}

/// The path of a pattern in the spelling of canonical URLs.
fn path_text(path: &str) -> Result<String, &'static str> {
    let escaped = url_value::escaped(path, " \"<>`^");
    if escaped != path && path.contains('[') {
        return Err("a class `[…]` in a url holds only characters that need no `%`");
    }
    Ok(url_value::normal_percent(&escaped))
}
