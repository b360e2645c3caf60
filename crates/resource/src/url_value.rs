//! URLs: the canonical spelling, and the parts of one.
//!
//! The host is decided on the parsed form, and everything on which parsers disagree (raw backslash,
//! tab, user-info, missing slashes) is refused before it is parsed.

use url::{Host, Url};

use crate::chars::{has_edge_blank, is_hidden};
use crate::host;

/// The canonical spelling: lower-case ASCII host, default port dropped, dot segments resolved,
/// percent-encoding normalised, fragment kept.
pub(crate) fn canonical(raw: &str) -> Result<String, &'static str> {
    if raw.contains(is_hidden) || has_edge_blank(raw) {
        return Err("it holds a control or format character, or begins or ends with a blank");
    }
    if raw.contains('\\') {
        return Err("it holds a raw backslash, which programs read differently");
    }
    let (_, rest) = raw.split_once("://").ok_or("it has no `scheme://`")?;
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.contains('@') {
        return Err("it carries a user name or password");
    }
    if authority.is_empty() {
        return Err("it names no host (for a file, use a path)");
    }
    if authority.contains('%') {
        return Err("its host holds `%`; write the characters themselves");
    }
    let url = Url::parse(raw).map_err(|_| "it does not parse")?;
    let host = match url.host().ok_or("it names no host")? {
        Host::Domain(name) => host::canonical(name)?,
        Host::Ipv4(address) => address.to_string(),
        Host::Ipv6(address) => host::canonical(&address.to_string())?,
    };
    let mut text = format!("{}://{}", url.scheme(), in_url(&host));
    if let Some(port) = url.port() {
        text.push_str(&format!(":{port}"));
    }
    text.push_str(&normal_percent(url.path()));
    if let Some(query) = url.query() {
        text.push('?');
        text.push_str(&normal_percent(&escaped(query, QUERY)));
    }
    if let Some(fragment) = url.fragment() {
        text.push('#');
        text.push_str(fragment);
    }
    Ok(text)
}

/// Whether a raw URL differs from its canonical spelling in letter case before the path, a default
/// port and an empty path only.
pub(crate) fn is_plainly(raw: &str, canonical: &str) -> bool {
    let split = |text: &str| {
        let (scheme, rest) = text.split_once("://")?;
        let at = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, behind) = rest.split_at_checked(at)?;
        let scheme = scheme.to_ascii_lowercase();
        let port = default_port(&scheme).map(|port| format!(":{port}"));
        let authority = authority.to_ascii_lowercase();
        let host = port.and_then(|port| authority.strip_suffix(&port).map(str::to_owned));
        let behind = match behind {
            "" => "/".to_owned(),
            text if text.starts_with('/') => text.to_owned(),
            text => format!("/{text}"),
        };
        Some((scheme, host.unwrap_or(authority), behind))
    };
    split(raw).is_some_and(|parts| Some(parts) == split(canonical))
}

/// A canonical host as it stands in a URL: IPv6 in brackets.
pub(crate) fn in_url(host: &str) -> String {
    if host.contains(':') {
        format!("[{host}]")
    } else {
        host.to_owned()
    }
}

/// What is escaped in a query beside what is not printable ASCII. Source: WHATWG URL, special-query.
pub(crate) const QUERY: &str = " \"<>'";

/// Escapes everything that is not printable ASCII, and these.
pub(crate) fn escaped(text: &str, these: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii_graphic() && !these.contains(c) {
            out.push(c);
            continue;
        }
        let mut bytes = [0; 4];
        c.encode_utf8(&mut bytes)
            .bytes()
            .for_each(|byte| out.push_str(&format!("%{byte:02X}")));
    }
    out
}

/// Unreserved characters plain, the hexadecimal digits of all other escapes in upper case.
pub(crate) fn normal_percent(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut pieces = text.split('%');
    out.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        let code = piece.get(..2).and_then(|hex| {
            u8::from_str_radix(hex, 16)
                .ok()
                .filter(|_| !hex.starts_with('+'))
        });
        match (code, piece.get(2..)) {
            (Some(code), Some(rest)) => {
                if code.is_ascii_alphanumeric() || b"-._~".contains(&code) {
                    out.push(char::from(code));
                } else {
                    out.push_str(&format!("%{code:02X}"));
                }
                out.push_str(rest);
            }
            _ => {
                out.push_str("%25");
                out.push_str(piece);
            }
        }
    }
    out
}

/// The parts of a canonical URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Parts<'a> {
    pub(crate) scheme: &'a str,
    /// Without brackets.
    pub(crate) host: &'a str,
    /// `None` for the scheme's default.
    pub(crate) port: Option<u16>,
    pub(crate) path: &'a str,
    pub(crate) query: Option<&'a str>,
}

/// Takes a canonical URL apart; `None` for what is none.
pub(crate) fn parts(canonical: &str) -> Option<Parts<'_>> {
    let (scheme, rest) = canonical.split_once("://")?;
    let rest = rest.split_once('#').map_or(rest, |(before, _)| before);
    let (rest, query) = rest
        .split_once('?')
        .map_or((rest, None), |(before, query)| (before, Some(query)));
    let (authority, path) = rest.split_at_checked(rest.find('/').unwrap_or(rest.len()))?;
    let (host, port) = match authority
        .strip_prefix('[')
        .and_then(|inner| inner.split_once(']'))
    {
        Some((host, port)) => (host, port.strip_prefix(':')),
        None => authority
            .split_once(':')
            .map_or((authority, None), |(host, port)| (host, Some(port))),
    };
    let port = match port {
        Some(port) => Some(port.parse().ok()?),
        None => None,
    };
    Some(Parts {
        scheme,
        host,
        port,
        path,
        query,
    })
}

/// The default port of a scheme that has one. Source: WHATWG URL, special schemes.
pub(crate) fn default_port(scheme: &str) -> Option<u16> {
    match scheme {
        "http" | "ws" => Some(80),
        "https" | "wss" => Some(443),
        "ftp" => Some(21),
        _ => None,
    }
}
