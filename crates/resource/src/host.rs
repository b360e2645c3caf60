//! Host names and addresses: one spelling, and patterns over them.
//!
//! A name pattern never matches an address and a block of addresses never matches a name; only `*`
//! means both.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use url::Host;

use crate::CaseRule;
use crate::automaton::Automaton;
use crate::chars::is_hidden;
use crate::glob::{self, Flavour};
use crate::literal::{Literal, Place, check_alive};
use crate::product;
use crate::size;
use crate::valid;

/// One spelling of a host: lower-case ASCII without a trailing dot, or an address (IPv6 without
/// brackets, IPv4 inside IPv6 as IPv4).
pub(crate) fn canonical(raw: &str) -> Result<String, &'static str> {
    if raw.contains(is_hidden) || raw.contains(char::is_whitespace) {
        return Err("it holds a blank, control or format character");
    }
    if let Some(address) = bracketed(raw).map_or_else(|| address(raw), address) {
        return Ok(address.to_string());
    }
    if raw.contains('%') {
        return Err("it holds `%`; write the characters themselves");
    }
    let host = Host::parse(raw)
        .map_err(|_| "it is neither a host name nor an address (and has no port here)")?;
    match host {
        Host::Ipv4(address) => Ok(address.to_string()),
        Host::Ipv6(address) => Ok(unmapped(address).to_string()),
        Host::Domain(name) => canonical_name(&name),
    }
}

fn canonical_name(name: &str) -> Result<String, &'static str> {
    let name = name.strip_suffix('.').unwrap_or(name);
    // A name such as `127.0.0.1.` is an address once its dot is gone.
    if let Ok(Host::Ipv4(address)) = Host::parse(name) {
        return Ok(address.to_string());
    }
    if !valid::NAME.matches(name, CaseRule::Exact) {
        return Err("a host name is labels of letters, digits, `-` and `_`");
    }
    Ok(name.to_owned())
}

/// What stands in the brackets that an IPv6 address may have.
fn bracketed(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('[')?.strip_suffix(']')?;
    inner.contains(':').then_some(inner)
}

fn address(text: &str) -> Option<IpAddr> {
    match text.parse().ok()? {
        IpAddr::V6(address) => Some(unmapped(address)),
        v4 @ IpAddr::V4(_) => Some(v4),
    }
}

/// IPv4 inside IPv6 as IPv4: mapped (`::ffff:0:0/96`), translated (`64:ff9b::/96`, RFC 6052, and
/// `::ffff:0:0:0/96`, RFC 2765) and compatible (`::/96`, RFC 4291; `::` and `::1` are no such).
fn unmapped(address: Ipv6Addr) -> IpAddr {
    let v4 = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        IpAddr::V4(Ipv4Addr::new(a, b, c, d))
    };
    match address.segments() {
        [0, 0, 0, 0, 0, 0xffff, high, low]
        | [0, 0, 0, 0, 0xffff, 0, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => v4(high, low),
        [0, 0, 0, 0, 0, 0, high, low] if high != 0 => v4(high, low),
        _ => IpAddr::V6(address),
    }
}

/// A pattern over hosts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum HostPattern {
    /// `*`: every name and address.
    Every,
    /// Names.
    Name(Automaton),
    /// A block of addresses, perhaps of one.
    Block(Block),
}

/// A block of addresses.
// INVARIANT: `prefix` is at most the address's length, the bits behind it are zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Block {
    network: IpAddr,
    prefix: u32,
}

impl Block {
    fn parse(text: &str) -> Result<Self, &'static str> {
        let (network, prefix) = text.split_once('/').ok_or("it is no block of addresses")?;
        let network = bracketed(network).unwrap_or(network);
        let raw: IpAddr = network
            .parse()
            .map_err(|_| "before `/` stands no address")?;
        let mut prefix: u32 = prefix
            .parse()
            .map_err(|_| "behind `/` stands no number of bits")?;
        let network = match raw {
            IpAddr::V6(v6) if prefix >= 96 => unmapped(v6),
            IpAddr::V4(_) | IpAddr::V6(_) => raw,
        };
        if raw.is_ipv6() && network.is_ipv4() {
            prefix -= 96;
        }
        let block = Self { network, prefix };
        if prefix > block.bits() {
            return Err("behind `/` stand more bits than the address has");
        }
        if !block.holds(network) || block.masked(network) != block.value(network) {
            return Err(
                "the address has bits set behind its `/`; write the first address of the block",
            );
        }
        if block.example().is_none() {
            return Err("it holds IPv4 addresses only; write them as IPv4");
        }
        Ok(block)
    }

    const fn one(network: IpAddr) -> Self {
        Self {
            network,
            prefix: if network.is_ipv4() { 32 } else { 128 },
        }
    }

    const fn bits(&self) -> u32 {
        if self.network.is_ipv4() { 32 } else { 128 }
    }

    const fn value(&self, address: IpAddr) -> u128 {
        match address {
            IpAddr::V4(v4) => v4.to_bits() as u128,
            IpAddr::V6(v6) => v6.to_bits(),
        }
    }

    fn masked(&self, address: IpAddr) -> u128 {
        let behind = self.bits().saturating_sub(self.prefix);
        self.value(address)
            .checked_shr(behind)
            .unwrap_or(0)
            .checked_shl(behind)
            .unwrap_or(0)
    }

    fn holds(&self, address: IpAddr) -> bool {
        address.is_ipv4() == self.network.is_ipv4()
            && self.masked(address) == self.value(self.network)
    }

    fn covers(&self, other: &Self) -> bool {
        self.prefix <= other.prefix && self.holds(other.network)
    }

    /// An address of it, in its one spelling: the first, or where that one holds an IPv4 address,
    /// which this block does not mean, the last.
    fn example(&self) -> Option<String> {
        let IpAddr::V6(first) = self.network else {
            return Some(self.network.to_string());
        };
        let behind = u128::MAX.checked_shr(self.prefix).unwrap_or(0);
        let last = Ipv6Addr::from_bits(first.to_bits() | behind);
        [first, last]
            .into_iter()
            .find(|address| unmapped(*address).is_ipv6())
            .map(|address| address.to_string())
    }
}

impl HostPattern {
    /// Reads a pattern.
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        if matches!(text, "*" | "**") {
            return Ok(Self::Every);
        }
        if text.contains('/') {
            return Block::parse(text).map(Self::Block);
        }
        let text = text.strip_suffix('.').unwrap_or(text);
        let text = if text.contains(['*', '?', '[', '{', '\\'])
            && bracketed(text).and_then(address).is_none()
        {
            lower(text)?
        } else {
            canonical(text)?
        };
        if let Some(address) = address(&text) {
            return Ok(Self::Block(Block::one(address)));
        }
        if text.contains(':') {
            return Err("a host pattern has no port; name it in a url pattern");
        }
        if text
            .split('.')
            .all(|label| label.chars().all(|c| c.is_ascii_digit() || c == '*'))
        {
            return Err("it looks like addresses; write a block such as `10.0.0.0/8`");
        }
        let nodes = glob::parse(&text, Flavour::Host)?;
        let automaton = Automaton::new(&nodes, '.')?;
        check_alive(
            &nodes,
            &automaton,
            &valid::NAME,
            "no host name can ever match it",
        )?;
        size::check(&nodes, &automaton, &[CaseRule::Exact])?;
        Ok(Self::Name(automaton))
    }

    /// What stands somewhere in all that it means, alone or in a URL.
    pub(crate) fn literals(&self) -> Vec<Literal> {
        let found = match self {
            Self::Every => None,
            Self::Name(automaton) => Some(automaton.literals_or_lead()),
            Self::Block(block) if block.prefix == block.bits() => {
                let address = Literal::of(&block.network.to_string(), Place::Inside);
                Some(address.into_iter().collect())
            }
            Self::Block(_) => None,
        };
        let found = found.unwrap_or_default().into_iter();
        found.map(Literal::somewhere).collect()
    }

    /// Whether it means this canonical host.
    pub(crate) fn matches(&self, host: &str) -> bool {
        match self {
            Self::Every => true,
            Self::Block(block) => host.parse().is_ok_and(|address| block.holds(address)),
            Self::Name(name) => name.matches(host, CaseRule::Exact) && !is_address(host),
        }
    }

    /// Whether it means one host only.
    pub(crate) fn names_one(&self) -> bool {
        match self {
            Self::Every => false,
            Self::Name(name) => name.only_text().is_some(),
            Self::Block(block) => block.prefix == block.bits(),
        }
    }

    /// A host that both mean.
    pub(crate) fn overlap(&self, other: &Self) -> Option<String> {
        let exact = |automaton| (automaton, CaseRule::Exact);
        match (self, other) {
            (Self::Every, Self::Every) => Some("a.example".to_owned()),
            (Self::Every, Self::Block(block)) | (Self::Block(block), Self::Every) => {
                block.example()
            }
            (Self::Every, Self::Name(name)) | (Self::Name(name), Self::Every) => {
                product::witness([exact(name), exact(&valid::NAME), exact(&valid::NAME)])
            }
            (Self::Name(one), Self::Name(two)) => {
                product::witness([exact(one), exact(two), exact(&valid::NAME)])
            }
            (Self::Block(one), Self::Block(two)) if one.covers(two) => two.example(),
            (Self::Block(one), Self::Block(two)) if two.covers(one) => one.example(),
            (Self::Block(_), Self::Block(_)) => None,
            (Self::Block(_), Self::Name(_)) | (Self::Name(_), Self::Block(_)) => None,
        }
    }

    /// Whether it means every host that the other means.
    pub(crate) fn covers(&self, other: &Self) -> bool {
        let exact = |automaton| (automaton, CaseRule::Exact);
        match (self, other) {
            (Self::Every, _) => true,
            (Self::Name(one), Self::Name(two)) => {
                product::includes(exact(one), exact(two), exact(&valid::NAME))
            }
            // All of IPv4 and all of IPv6 are two blocks, so no single one covers `*`.
            (Self::Block(one), Self::Block(two)) => one.covers(two),
            (Self::Block(_), Self::Name(_) | Self::Every)
            | (Self::Name(_), Self::Block(_) | Self::Every) => false,
        }
    }
}

/// Whether a canonical host is an address: of IPv4 it ends with a digit, of IPv6 it holds a `:`.
fn is_address(host: &str) -> bool {
    let may_be = host.ends_with(|c: char| c.is_ascii_digit()) || host.contains(':');
    may_be && host.parse::<IpAddr>().is_ok()
}

/// Lower-case ASCII of a name with wildcards; labels without wildcards may be written in Unicode.
fn lower(text: &str) -> Result<String, &'static str> {
    if text.is_ascii() {
        return Ok(text.to_ascii_lowercase());
    }
    let label = |label: &str| {
        if label.is_ascii() {
            return Ok(label.to_ascii_lowercase());
        }
        if label.contains(['*', '?', '[', '{', '}', ',', '\\']) {
            return Err("a label with wildcards is ASCII only (write it in its `xn--` form)");
        }
        idna::domain_to_ascii(label).map_err(|_| "a label has no ASCII form")
    };
    Ok(text
        .split('.')
        .map(label)
        .collect::<Result<Vec<_>, _>>()?
        .join("."))
}
