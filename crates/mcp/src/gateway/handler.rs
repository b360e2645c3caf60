//! Answers a client's requests. The SDK does the protocol: versions, eras, metadata, cancellation;
//! tools are listed and called past its types, so that nothing a server said is lost on the way.

use std::time::Duration;

use rmcp::ServerHandler;
use rmcp::model::{
    CustomRequest, CustomResult, ErrorCode, ErrorData, Implementation, ProgressNotificationParam,
    ProtocolVersion, ServerCapabilities, ServerConfig, SubscriptionFilter,
};
use rmcp::service::{RequestContext, RoleServer, SubscriptionContext};
use serde_json::{Value, json};
use tipstaff_gate::{Call, Cancel};
use tipstaff_schema::sanitization::sanitize_for_display;

use super::names::Names;
use super::serve::{Gateway, MERGE};
use super::wire::{CALL_TOOL, LIST_TOOLS};
use super::{outcome, tools};
use crate::message::Object;

/// How often a client that wants progress hears that we are still there.
const BEAT: Duration = Duration::from_secs(5);
/// Longer names are none of ours; the gate writes what it is given into the journal.
const MAX_NAME_CHARS: usize = 256;

pub(super) struct Handler(pub(super) Gateway);

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .build();
        let info = ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("tipstaff", env!("CARGO_PKG_VERSION")))
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE);
        match &self.0.options.instructions {
            Some(instructions) => info.with_instructions(instructions.clone()),
            None => info,
        }
    }

    fn accepted_subscription_filter(
        &self,
        _requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(SubscriptionFilter::builder().tools_list_changed().build())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut catalog = self.0.gate.subscribe_catalog();
        loop {
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                changed = catalog.changed() => if changed.is_err() { return Ok(()) },
            }
            tokio::time::sleep(MERGE).await;
            catalog.mark_unchanged();
            if context.accepted().tools_list_changed == Some(true)
                && context.sink().notify_tool_list_changed().await.is_err()
            {
                return Ok(());
            }
        }
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let params = match request.params {
            Some(Value::Object(params)) => params,
            Some(_) | None => Object::new(),
        };
        let newer = context
            .protocol_version()
            .is_some_and(|version| !version.has_initialize());
        let mut result = match request.method.as_str() {
            LIST_TOOLS => self.list(&params, newer)?,
            CALL_TOOL => self.call(params, &context).await?,
            other => {
                return Err(ErrorData::new(
                    ErrorCode::METHOD_NOT_FOUND,
                    sanitize_for_display(other),
                    None,
                ));
            }
        };
        if newer {
            result
                .entry("resultType")
                .or_insert_with(|| json!("complete"));
        }
        Ok(CustomResult(Value::Object(result)))
    }
}

impl Handler {
    /// All tools on one page: what policy could allow or ask for this caller.
    fn list(&self, params: &Object, newer: bool) -> Result<Object, ErrorData> {
        if params.get("cursor").is_some_and(|cursor| !cursor.is_null()) {
            return Err(ErrorData::invalid_params(
                "the cursor is none of ours",
                None,
            ));
        }
        let names = self.names();
        let visible = self.0.gate.visible_tools(&self.0.session);
        let tools = visible
            .iter()
            .filter_map(|entry| Some(tools::shown(entry, names.name(entry.tool_id())?)));
        let mut result = Object::new();
        result.insert("tools".to_owned(), tools.collect());
        if newer {
            result.insert("ttlMs".to_owned(), json!(0));
            result.insert("cacheScope".to_owned(), json!("private"));
        }
        Ok(result)
    }

    async fn call(
        &self,
        mut params: Object,
        context: &RequestContext<RoleServer>,
    ) -> Result<Object, ErrorData> {
        let Some(Value::String(name)) = params.remove("name") else {
            return Err(ErrorData::invalid_params(
                "`name` is the name of a tool",
                None,
            ));
        };
        let arguments = match params.remove("arguments") {
            Some(arguments @ Value::Object(_)) => arguments,
            Some(Value::Null) | None => json!({}),
            Some(_) => return Err(ErrorData::invalid_params("`arguments` is an object", None)),
        };
        // A name that is not known goes to the gate as well, which refuses it and writes it down.
        let tool = match self.names().id(&name) {
            Some(id) => id.to_owned(),
            None => name.chars().take(MAX_NAME_CHARS).collect(),
        };
        let mut call = Call::new(tool, arguments);
        call.deadline = Some(chrono::Utc::now() + self.0.options.hold);
        let cancel = context
            .extensions
            .get::<Cancel>()
            .cloned()
            .unwrap_or_default();
        let submitted = self.0.gate.submit(&self.0.session, call, &cancel);
        tokio::select! {
            outcome = submitted => Ok(outcome::result(outcome)),
            never = beat(context) => match never {},
        }
    }

    fn names(&self) -> Names {
        Names::of(self.0.gate.catalog().iter(), self.0.options.naming)
    }
}

/// Keeps the timer of a client alive that asked for progress.
async fn beat(context: &RequestContext<RoleServer>) -> std::convert::Infallible {
    let Some(token) = context.meta.get_progress_token() else {
        return std::future::pending().await;
    };
    let mut beats = 0_u32;
    loop {
        tokio::time::sleep(BEAT).await;
        beats += 1;
        let mut progress = ProgressNotificationParam::new(token.clone(), f64::from(beats));
        progress.message = Some("waiting for approval, or for the tool".to_owned());
        if context.peer.notify_progress(progress).await.is_err() {
            return std::future::pending().await;
        }
    }
}
