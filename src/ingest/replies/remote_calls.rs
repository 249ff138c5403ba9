//! Calls of other servers' tools. Their effects can't be undone: each is recorded before it is
//! sent, and none is repeated by a retry. After a crash the model is told of all calls whose
//! effects stay.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::context::ReplyContext;
use super::model_turn::{CallTotals, ModelTurn};
use super::result::CallResult;
use crate::assistant::prompt::{CallWithResult, ToolExchange};
use crate::assistant::tools::{OfferedTool, RemoteTool};
use crate::engine::{self, Model};
use crate::ingest::Ingest;
use crate::mcp::{self, CallOutcome};
use crate::store::{DoneCall, PendingReply};

/// Time that all calls for one message may take.
const REMOTE_MS_MAX: u64 = 60_000;
/// The outcome of a call whose effect is unknown.
pub(super) const UNKNOWN: &str = "unknown";
/// The outcome of a call whose tool says that it failed.
const FAILED_THERE: &str = "failed there";
/// What is said beside the result of an earlier call.
const EQUAL_CALL: &str = "An equal call was made before for this message, with this result; it was \
                          not repeated.";
/// The outcome of a call that was made before for the same message.
const MADE_BEFORE: &str = "made before";

/// The tools that may be offered for a message.
pub(super) async fn tools(
    ingest: &Ingest,
    context: &ReplyContext,
    pending: &PendingReply,
) -> Vec<Arc<RemoteTool>> {
    let flags = ingest.flags.for_user(&context.user.public_id);
    let takes_tools = ingest.replies.model().is_some_and(Model::takes_tools);
    if pending.unprompted || !takes_tools || flags.force_basic_mode() {
        return Vec::new();
    }
    let servers = ingest.replies.settings.mcp.get();
    servers.tools(context.group).await
}

impl ModelTurn<'_> {
    /// Whether another server's tool of that name is offered.
    pub(super) fn is_remote(&self, name: &str) -> bool {
        let mut offered = self.plan.tools.iter();
        offered.any(|tool| tool.name() == name && matches!(tool, OfferedTool::Remote(_)))
    }

    /// The calls that were done for the message before the service was started.
    pub(super) fn committed_totals(&self) -> CallTotals {
        let calls = self.context.done_calls.iter();
        let records = calls.map(|call| {
            let outcome = match call.result {
                Some(_) => MADE_BEFORE,
                None => UNKNOWN,
            };
            self.call_record(&call.tool, &call.arguments, &result_of(call), outcome)
        });
        CallTotals {
            records: records.collect(),
            ..CallTotals::default()
        }
    }

    /// The calls that went out before, as if the model had just made them.
    pub(super) fn exchange_before(&self) -> Option<ToolExchange> {
        let calls = self.context.done_calls.iter().enumerate();
        let calls: Vec<CallWithResult> = calls
            .map(|(number, call)| CallWithResult {
                id: format!("before_{number}"),
                name: call.tool.clone(),
                arguments: call.arguments.clone(),
                result: result_of(call).to_string(),
            })
            .collect();
        (!calls.is_empty()).then(|| ToolExchange {
            calls,
            ..ToolExchange::default()
        })
    }

    /// The result of the same call in an attempt before.
    pub(super) fn done_before(&self, call: &engine::ToolCall) -> Option<CallResult> {
        let arguments = canonical(&call.arguments);
        let mut before = self.context.done_calls.iter();
        let same = before.find(|done| done.tool == call.name && done.arguments == arguments);
        same.map(|done| CallResult::of_before(result_of(done), MADE_BEFORE))
    }

    /// Calls a tool, but for a call that equals an earlier one of the message: that one's result.
    pub(super) async fn call_once(
        &self,
        tool: &Arc<RemoteTool>,
        arguments: &str,
        work: &mut CallTotals,
    ) -> CallResult {
        let call = (tool.name.clone(), canonical(arguments));
        if let Some((_, json)) = work.remote_calls.iter().find(|(made, _)| *made == call) {
            let mut json = json.clone();
            json["note"] = EQUAL_CALL.into();
            return CallResult::of_before(json, "repeated");
        }
        let result = self.call_remote(tool, arguments, work).await;
        if is_made(&result) {
            work.remote_calls.push((call, result.json.clone()));
        }
        result
    }

    async fn call_remote(
        &self,
        tool: &Arc<RemoteTool>,
        arguments: &str,
        totals: &mut CallTotals,
    ) -> CallResult {
        let arguments = match RemoteTool::read_arguments(arguments) {
            Ok(arguments) => arguments,
            Err(error) => return CallResult::refused("not understood", error),
        };
        let arguments_json = Value::Object(arguments.clone()).to_string();
        let flags = self.ingest.flags.for_user(&self.context.user.public_id);
        let (user, mono) = (self.context.user.id, self.ingest.clock.monotonic());
        if !self.ingest.may_command(user, &flags, mono) {
            return CallResult::too_many();
        }
        let left_ms = REMOTE_MS_MAX.saturating_sub(totals.remote_ms);
        if left_ms == 0 {
            let error = "There is no time left for this call. It was not made.";
            return CallResult::refused("no time left", error);
        }
        let (id, name) = (self.pending.message_id, tool.name.clone());
        let recorded = self
            .ingest
            .store
            .write(move |tx| tx.insert_done_call(id, &name, &arguments_json, None))
            .await;
        let Ok(Some(call_id)) = recorded else {
            log::warn!(
                "message {id}: a call of {} could not be recorded",
                tool.name
            );
            return CallResult::refused("not recorded", "It was not called.");
        };
        let servers = self.ingest.replies.settings.mcp.get();
        let begun = self.ingest.clock.monotonic();
        let outcome = servers
            .call(tool, arguments, Duration::from_millis(left_ms))
            .await;
        totals.remote_ms += self.ingest.clock.monotonic().since(begun);
        let result = to_result(outcome);
        if result.outcome != UNKNOWN {
            let json = result.json.to_string();
            let store = &self.ingest.store;
            let stored = store.write(move |tx| tx.set_done_result(call_id, &json));
            if let Err(error) = stored.await {
                log::warn!("message {id}: the result of a call can't be stored: {error}");
            }
        }
        result
    }
}

/// Arguments (a model's JSON) in a canonical form, so that equal ones compare equal.
pub(super) fn canonical(arguments: &str) -> String {
    RemoteTool::read_arguments(arguments).map_or_else(
        |_| arguments.to_owned(),
        |fields| Value::Object(fields).to_string(),
    )
}

/// Whether the tool was called, as far as is known.
fn is_made(result: &CallResult) -> bool {
    result.is_ok() || matches!(result.outcome, UNKNOWN | FAILED_THERE)
}

fn result_of(call: &DoneCall) -> Value {
    let result = call.result.as_deref();
    let result = result.and_then(|result| serde_json::from_str(result).ok());
    result.unwrap_or_else(|| to_result(CallOutcome::Unknown).json)
}

/// The result as the model gets it; the server's text is quoted.
fn to_result(outcome: CallOutcome) -> CallResult {
    match outcome {
        CallOutcome::Answered(mcp::ToolResult {
            text,
            is_error: false,
        }) => CallResult::quoting(&text),
        CallOutcome::Answered(mcp::ToolResult { text, .. }) => {
            failed(FAILED_THERE, "The tool says that it failed.", Some(&text))
        }
        CallOutcome::Refused(words) => failed(
            "refused there",
            "The server refused the call; nothing was done.",
            Some(&words),
        ),
        CallOutcome::NotCalled => failed(
            "not reached",
            "The server could not be reached; nothing was done.",
            None,
        ),
        CallOutcome::Unknown => failed(
            UNKNOWN,
            "It is not known whether this was done. Do not call it again; tell the person that \
             they should look there.",
            None,
        ),
    }
}

fn failed(outcome: &'static str, error: &str, quoted: Option<&str>) -> CallResult {
    let mut result = CallResult::refused(outcome, error);
    if let Some(quoted) = quoted {
        result.json["quoted"] = json!(quoted);
    }
    result
}
