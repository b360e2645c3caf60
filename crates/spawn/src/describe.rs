//! What the tool says of itself: to models in its description, to policy in its profile.

use std::time::Duration;

use serde_json::{Value, json};
use tipstaff_registry::Capability;
use tipstaff_schema::{
    BackendId, CallAccess, Effect, Placement, Profile, Reach, Risk, ToolAnnotations,
    ToolDescriptor, ToolSource, ToolUsage, Verb,
};

use crate::parse::{INPUT_FIELD, Mode};
use crate::tool::SPAWN;

/// Descriptor and profile of the tool.
pub(crate) fn capability(targets: &[Placement], timeout: Duration) -> Capability {
    let elsewhere = elsewhere(targets);
    let description = format!(
        "Runs a shell command or hands a task to a subagent.\n\
         `!` and a command runs it and returns its output: `!git status`.\n\
         Plain text is a task for a subagent: `find out why the build is slow`.\n\
         `!!` is for a task that itself begins with `!`: `!!important: read this first`.\n\
         Prefer one simple command a call: it is easier to allow than a chain.{elsewhere}"
    );
    let field = format!("`!command`, or a task in plain words.{elsewhere}");
    let input_schema = json!({
        "type": "object",
        "properties": { INPUT_FIELD: { "type": "string", "description": field } },
        "required": [INPUT_FIELD],
        "additionalProperties": false,
    });
    let descriptor = ToolDescriptor {
        tool_id: SPAWN.to_owned(),
        source: ToolSource::NativeBackend {
            backend: BackendId::new(SPAWN),
        },
        verb: Verb::new("shell", "exec"),
        description,
        input_schema,
        output_schema: None::<Value>,
        capabilities: vec!["shell".to_owned(), "delegation".to_owned()],
        annotations: ToolAnnotations {
            read_only_hint: false,
            destructive_hint: true,
            idempotent_hint: false,
        },
        usage: ToolUsage::default(),
        embedding: None,
        title: None,
        mcp_name: None,
    };
    let profile = Profile {
        reach: Reach::Process,
        access: CallAccess::Write,
        risk: Risk::High,
        default_effect: Effect::Ask,
        timeout,
        side_effects: "starts programs, which may do anything that this user may do".to_owned(),
        ..Profile::unknown(Mode::Command.as_str())
    };
    Capability {
        descriptor,
        profile,
    }
}

fn elsewhere(targets: &[Placement]) -> String {
    if targets.is_empty() {
        return String::new();
    }
    let names: Vec<String> = targets.iter().map(|name| format!("`{name}`")).collect();
    format!(
        "\n`!@name command` runs it elsewhere: `!@{} uname -a`. Names: {}.",
        targets.first().map_or("", |t| t.as_str()),
        names.join(", ")
    )
}
