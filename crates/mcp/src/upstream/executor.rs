//! Runs the calls of a mounted server's tools, each on its warrant.

use std::time::Duration;

use serde_json::Value;
use tipstaff_approval::{ApprovalCategory, Durability, ExecutionCategory, Power};
use tipstaff_gate::{
    Cancel, ExecError, ExecOutput, Executor, Prepared, Refusal, Stage, ValidCall, Warrant,
};
use tipstaff_registry::ToolEntry;
use tipstaff_schema::CallAccess;
use tokio::time::Instant;

use super::answer;
use super::link::{CallError, Outgoing};
use super::server::{McpServer, State};

#[async_trait::async_trait]
impl Executor for McpServer {
    fn prepare(&self, call: &ValidCall<'_>) -> Result<Prepared, Refusal> {
        if call
            .placement
            .is_some_and(|placement| !placement.is_local())
        {
            return Err(Refusal::new(
                Stage::Placement,
                "a tool of a server runs where the server runs",
            ));
        }
        if !call.env.is_empty() {
            return Err(Refusal::new(
                Stage::Prepare,
                "a tool of a server takes no environment",
            ));
        }
        let mut prepared = Prepared::plain(call.params.clone());
        prepared.summary = summary(call.entry);
        match call.entry.profile.access {
            CallAccess::Read => {
                prepared.powers = vec![Power::ReadOnly];
                prepared.execution = ExecutionCategory::ReadOnlyParallel;
                prepared.category = ApprovalCategory::ReadOnly;
            }
            CallAccess::Write => prepared.durability = Durability::Persistent,
        }
        Ok(prepared)
    }

    async fn execute(&self, warrant: Warrant, cancel: Cancel) -> Result<ExecOutput, ExecError> {
        let link = match &*self.inner.state.borrow() {
            State::Up(link) => link.clone(),
            State::Down(why) => {
                let why = self.not_connected(why);
                return Err(ExecError::Unreachable { why });
            }
            // Neither is a failure of the server's.
            State::Starting => {
                let why = self.not_connected("it is being started");
                return Err(ExecError::NeverSent { why });
            }
            State::Stopped => {
                let why = self.not_connected("it was stopped");
                return Err(ExecError::NeverSent { why });
            }
        };
        let entry = warrant.entry();
        let own_name = entry
            .tool_id()
            .strip_prefix("mcp:")
            .and_then(|rest| rest.strip_prefix(self.name().as_str()));
        let Some(tool) = own_name.and_then(|rest| rest.strip_prefix(':')) else {
            return Err(ExecError::NeverSent {
                why: format!("the tool is none of server `{}`", self.name()),
            });
        };
        let Value::Object(arguments) = warrant.params() else {
            return Err(ExecError::NeverSent {
                why: "the arguments are no object".to_owned(),
            });
        };
        let left = (warrant.deadline() - chrono::Utc::now())
            .to_std()
            .unwrap_or(Duration::ZERO);
        let call = Outgoing {
            tool: tool.to_owned(),
            arguments: arguments.clone(),
            params: warrant.params_digest(),
            deadline: Instant::now() + left,
        };
        match link.call(call, &cancel).await {
            Ok(answer) => Ok(answer::output(answer)),
            Err(CallError::NeverRan(why)) => Err(ExecError::NeverSent { why }),
            Err(CallError::Unsent(why)) => Err(ExecError::Unreachable { why }),
            Err(CallError::Failed(why)) => Err(ExecError::Failed { why }),
            Err(CallError::Uncertain(why)) => Err(ExecError::Uncertain { why }),
        }
    }
}

impl McpServer {
    fn not_connected(&self, why: &str) -> String {
        format!("server `{}` is not connected: {why}", self.name())
    }
}

/// The tool's title, which is the server's word; nothing where it has none.
fn summary(entry: &ToolEntry) -> String {
    let title = entry.descriptor.title.as_deref();
    title
        .map(|title| format!("{title}, says `{}`", entry.name))
        .unwrap_or_default()
}
