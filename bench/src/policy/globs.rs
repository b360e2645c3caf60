//! What one writes first: a list of rules with compiled globs, looked at one after the other.

use anyhow::{Context as _, Result};
use globset::{GlobBuilder, GlobMatcher};

use super::core::{Asked, Place, Plain, Tool, agent_name, server_name, tool_name};
use super::peer::Peer;

/// The list.
pub struct Globs(Vec<Line>);

struct Line {
    agent: Option<String>,
    tool: Option<Text>,
    place: Option<Text>,
    deny: bool,
}

/// Plain text is compared as such.
enum Text {
    Plain(String),
    Glob(GlobMatcher),
}

impl Text {
    fn read(text: String) -> Result<Self> {
        if !text.contains('*') {
            return Ok(Self::Plain(text));
        }
        let glob = GlobBuilder::new(&text).literal_separator(true).build()?;
        Ok(Self::Glob(glob.compile_matcher()))
    }

    fn means(&self, value: &str) -> bool {
        match self {
            Self::Plain(text) => text == value,
            Self::Glob(glob) => glob.is_match(value),
        }
    }
}

impl Peer for Globs {
    const NAME: &'static str = "globset scan";
    const LEFT_OUT: &'static str = "all but the common core, to be as small as it can be: a list, one loop, `globset` for what has a star";
    type Written = Vec<(Option<String>, Option<String>, Option<String>, bool)>;
    type Request = (String, String, String);

    fn write(rules: &[Plain]) -> Self::Written {
        let line = |rule: &Plain| {
            let tool = match rule.tool {
                Tool::Any => None,
                Tool::Server(server) => Some(format!("{}:*", server_name(server))),
                Tool::One(tool) => Some(tool_name(tool)),
            };
            let place = match &rule.place {
                Place::Any => None,
                Place::File(path) => Some(path.clone()),
                Place::Below(folder) => Some(format!("{folder}/**")),
                Place::Named(name) => Some(format!("**/{name}")),
            };
            (rule.agent.map(agent_name), tool, place, rule.deny)
        };
        rules.iter().map(line).collect()
    }

    fn build(written: Self::Written) -> Result<Self> {
        let line = |(agent, tool, place, deny): (_, Option<String>, Option<String>, _)| {
            Ok(Line {
                agent,
                tool: tool.map(Text::read).transpose().context("a tool")?,
                place: place.map(Text::read).transpose().context("a place")?,
                deny,
            })
        };
        written
            .into_iter()
            .map(line)
            .collect::<Result<_>>()
            .map(Self)
    }

    fn request(asked: &Asked) -> Result<Self::Request> {
        Ok((
            agent_name(asked.agent),
            tool_name(asked.tool),
            asked.path.clone(),
        ))
    }

    fn allows(&mut self, (agent, tool, path): &Self::Request) -> bool {
        let mut allowed = false;
        for line in &self.0 {
            let holds = line.agent.as_ref().is_none_or(|own| own == agent)
                && line.tool.as_ref().is_none_or(|text| text.means(tool))
                && line.place.as_ref().is_none_or(|text| text.means(path));
            if holds && line.deny {
                return false;
            }
            allowed |= holds;
        }
        allowed
    }
}
