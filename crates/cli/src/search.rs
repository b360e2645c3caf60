//! `tipstaff search`: the tools that fit a wish, best first. Runs nothing, writes nothing.
//!
//! With a manifest: its captured tools, and those that were pinned with `--state`, less what policy
//! would never allow the agent. Without one: every tool that was pinned with the state folder.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tipstaff_gate::{Gate, Session};
use tipstaff_manifest::Manifest;
use tipstaff_registry::{PinState, Standing};
use tipstaff_schema::sanitization::sanitize_for_display;
use tipstaff_schema::{AgentId, IntentToken, ToolDescriptor, ToolSource, Verb};
use tipstaff_search::{Found, HybridIndex};

use crate::args::SearchArgs;
use crate::exit::{self, Code, Failure, USAGE};
use crate::{check, decide, out, place, state};

/// The most characters of a description in a table.
const ABOUT: usize = 72;

/// Tools to search, and how each stands.
#[derive(Default)]
struct Tools {
    index: HybridIndex,
    standing: BTreeMap<String, &'static str>,
}

impl Tools {
    fn put(&mut self, tool: ToolDescriptor, standing: &'static str) {
        self.standing.insert(tool.tool_id.clone(), standing);
        self.index.put(tool);
    }

    fn standing(&self, found: &Found) -> &'static str {
        let standing = self.standing.get(&found.tool.tool_id);
        standing.copied().unwrap_or_default()
    }
}

pub(crate) async fn run(args: &SearchArgs, json: bool) -> Result<Code, Failure> {
    let tools = match &args.config.config {
        Some(file) => of_manifest(&check::load(&place::absolute(file)?)?, args).await?,
        None => of_state(args).await?,
    };
    let query = args.query.join(" ");
    let found = tools.index.find(&query, &[], usize::from(args.limit));
    if json {
        let rows = found.iter().map(|found| {
            json!({
                "tool_id": found.tool.tool_id, "score": found.score, "state": tools.standing(found),
                "description": sanitize_for_display(&found.tool.description),
            })
        });
        out::json(&json!({
            "query": query, "searched": tools.index.len(), "tools": rows.collect::<Vec<_>>(),
        }));
    } else if found.is_empty() {
        let count = tools.index.len();
        out::line(&format!("none of {count} tools fits; try other words"));
    } else {
        let rows: Vec<_> = found.iter().map(|one| row(&tools, one)).collect();
        out::table(&["SCORE", "TOOL", "STATE", "WHAT IT SAYS OF ITSELF"], &rows);
    }
    Ok(if found.is_empty() {
        exit::FAILED
    } else {
        exit::OK
    })
}

fn row(tools: &Tools, found: &Found) -> Vec<String> {
    let about = found.tool.description.lines().next().unwrap_or_default();
    vec![
        format!("{:.2}", found.score),
        sanitize_for_display(&found.tool.tool_id),
        tools.standing(found).to_owned(),
        sanitize_for_display(about).chars().take(ABOUT).collect(),
    ]
}

async fn of_manifest(manifest: &Manifest, args: &SearchArgs) -> Result<Tools, Failure> {
    let gate = check::judging_gate(manifest).await?;
    if let Some(folder) = &args.state.state {
        decide::offer_pinned(&gate, manifest, &place::absolute(folder)?).await?;
    }
    let agent = args.agent.as_ref().or_else(|| manifest.agents.only());
    let mut tools = Tools::default();
    for entry in seen_by(&gate, manifest, agent)? {
        let standing = match &entry.standing {
            Standing::Callable => "callable",
            Standing::Unreviewed => "unreviewed",
            Standing::Quarantined { .. } => "quarantined",
            Standing::Refused { .. } => "refused",
        };
        tools.put(ToolDescriptor::clone(&entry.descriptor), standing);
    }
    Ok(tools)
}

/// What policy could allow the agent; where there are several and none is named, every tool.
fn seen_by(
    gate: &Gate,
    manifest: &Manifest,
    agent: Option<&AgentId>,
) -> Result<Vec<std::sync::Arc<tipstaff_registry::ToolEntry>>, Failure> {
    let Some(agent) = agent else {
        return Ok(gate.catalog().iter().cloned().collect());
    };
    if manifest.agents.get(agent).is_none() {
        let message = format!("the manifest has no agent `{agent}`; name one of its `agents`");
        return Err(Failure::new(USAGE, message));
    }
    Ok(gate.visible_tools(&Session::launched(agent.clone())))
}

/// The ids of the callable tools that come nearest to what a token asks for, best first.
pub(crate) fn nearest(gate: &Gate, token: &IntentToken) -> Vec<String> {
    let index = HybridIndex::new();
    for entry in gate.catalog().iter() {
        if matches!(entry.standing, Standing::Callable) {
            index.put(ToolDescriptor::clone(&entry.descriptor));
        }
    }
    let verb = format!("{} {}", token.verb.namespace, token.verb.action);
    let found = index.find(&verb, &token.required_capabilities, NEAREST);
    found
        .into_iter()
        .map(|found| found.tool.tool_id.clone())
        .collect()
}

/// How many tools are named where none fits.
const NEAREST: usize = 3;

async fn of_state(args: &SearchArgs) -> Result<Tools, Failure> {
    if args.agent.is_some() {
        let message = "--agent needs the manifest that says what the agent may do: `-c FILE`";
        return Err(Failure::new(USAGE, message));
    }
    let folded = state::fold(&place::state(args.state.state.as_deref())?).await?;
    let mut tools = Tools::default();
    for (tool_id, pin) in folded.pins.iter() {
        let standing = if pin.quarantined.is_some() {
            "quarantined"
        } else {
            "pinned"
        };
        tools.put(pinned(tool_id, pin), standing);
    }
    Ok(tools)
}

/// A pinned definition in the wire's form, as far as search reads it.
fn pinned(tool_id: &str, pin: &PinState) -> ToolDescriptor {
    let text = |key: &str| pin.raw.get(key).and_then(Value::as_str).map(str::to_owned);
    let mut parts = tool_id.splitn(3, ':').skip(1);
    let server = parts.next().unwrap_or_default().to_owned();
    ToolDescriptor {
        tool_id: tool_id.to_owned(),
        source: ToolSource::McpServer { server },
        verb: Verb::new("mcp", parts.next().unwrap_or_default()),
        description: text("description").unwrap_or_default(),
        input_schema: pin.raw.get("inputSchema").cloned().unwrap_or_default(),
        output_schema: None,
        capabilities: Vec::new(),
        annotations: tipstaff_schema::ToolAnnotations::default(),
        usage: tipstaff_schema::ToolUsage::default(),
        embedding: None,
        title: text("title"),
        mcp_name: None,
    }
}
