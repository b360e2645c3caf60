//! casbin, by its enforcer: one policy line a rule, and a matcher over them.

use anyhow::{Context as _, Result};
use casbin::function_map::OperatorFunction;
use casbin::prelude::{CoreApi, DefaultModel, Enforcer, MemoryAdapter, MgmtApi};

use super::core::{Asked, Place, Plain, Tool, agent_name, server_name, tool_name};
use super::peer::Peer;

/// Plain comparisons stand before the function that reads stars, so that it is seldom called.
const MODEL: &str = r#"
[request_definition]
r = sub, act, obj

[policy_definition]
p = sub, act, obj, eft

[policy_effect]
e = some(where (p.eft == allow)) && !some(where (p.eft == deny))

[matchers]
m = (p.sub == r.sub || p.sub == "*") && (p.act == r.act || means(r.act, p.act)) && (p.obj == r.obj || means(r.obj, p.obj))
"#;

/// casbin with its lines.
pub struct Casbin(Enforcer);

impl Peer for Casbin {
    const NAME: &'static str = "casbin";
    const LEFT_OUT: &'static str = "ask; most specific wins (an order of priorities at most); hours; conditions over nested parameters; command patterns. A function of ours in Rust reads its stars";
    type Written = Vec<Vec<String>>;
    type Request = (String, String, String);

    fn write(rules: &[Plain]) -> Self::Written {
        let line = |rule: &Plain| {
            let tool = match rule.tool {
                Tool::Any => "*".to_owned(),
                Tool::Server(server) => format!("{}:*", server_name(server)),
                Tool::One(tool) => tool_name(tool),
            };
            let place = match &rule.place {
                Place::Any => "*".to_owned(),
                Place::File(path) => path.clone(),
                Place::Below(folder) => format!("{folder}/*"),
                Place::Named(name) => format!("*/{name}"),
            };
            let agent = rule.agent.map_or("*".to_owned(), agent_name);
            let effect = if rule.deny { "deny" } else { "allow" };
            vec![agent, tool, place, effect.to_owned()]
        };
        let mut lines: Vec<_> = rules.iter().map(line).collect();
        // It refuses a line twice, which would mean nothing.
        lines.sort_unstable();
        lines.dedup();
        lines
    }

    fn build(written: Self::Written) -> Result<Self> {
        let built = async {
            let model = DefaultModel::from_str(MODEL).await?;
            let mut enforcer = Enforcer::new(model, MemoryAdapter::default()).await?;
            enforcer.add_function(
                "means",
                OperatorFunction::Arg2(|value, pattern| {
                    let (value, pattern) = (value.into_string(), pattern.into_string());
                    matches!((value, pattern), (Ok(value), Ok(pattern)) if means(&value, &pattern))
                        .into()
                }),
            );
            enforcer.add_policies(written).await?;
            Ok::<_, ::casbin::Error>(enforcer)
        };
        Ok(Self(pollster::block_on(built).context("casbin")?))
    }

    fn request(asked: &Asked) -> Result<Self::Request> {
        Ok((
            agent_name(asked.agent),
            tool_name(asked.tool),
            asked.path.clone(),
        ))
    }

    fn allows(&mut self, (agent, tool, path): &Self::Request) -> bool {
        self.0
            .enforce((agent.as_str(), tool.as_str(), path.as_str()))
            .unwrap_or(false)
    }
}

/// One star, at either end or alone.
fn means(value: &str, pattern: &str) -> bool {
    pattern.strip_suffix('*').map_or_else(
        || {
            pattern
                .strip_prefix('*')
                .is_some_and(|end| value.ends_with(end))
        },
        |start| value.starts_with(start),
    )
}
