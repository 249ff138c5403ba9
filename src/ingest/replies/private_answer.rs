//! A question in a group about what is the person's own is answered in their direct chat: the
//! model is asked privately, as in that chat, with the person's message alone. What it answers is
//! sent there with the reply's transaction; the conversation whose reply the group reads learns
//! only that it is. From a group nothing personal is changed, and an answer that claims so is
//! contradicted like any reply: it may tell of what else is done for the message.

use serde_json::json;

use super::context;
use super::model_turn::{CallTotals, ModelTurn, REQUESTS_MAX};
use super::result::{CallRecord, CallResult, ToolCall};
use crate::assistant::tools::{OfferedTool, Operation, Tool, near_name};
use crate::engine::CallPermit;
use crate::error::Result;
use crate::ingest::dialog::{self, PrivateAnswer};
use crate::ingest::turn::MessageTurn;
use crate::ingest::{Mode, direct_chat};
use crate::store::Tx;

/// The error of a call of a tool that is not for groups.
const ONLY_PRIVATE: &str = "This tool is only for a person's own chat with you. If they ask for what is \
                            theirs, call answer_privately.";

impl ModelTurn<'_> {
    /// The error of a call of a tool that is not offered.
    pub(super) fn no_such_tool(&self, name: &str) -> String {
        let mut all = Tool::all();
        let is_private =
            self.context.group && all.any(|tool| tool.name() == name && tool.is_for(false));
        match is_private {
            true => ONLY_PRIVATE.to_owned(),
            false => {
                let offered = self.plan.tools.iter().map(OfferedTool::name);
                match near_name(name, offered) {
                    Some(near) => format!("There is no such tool; call {near}."),
                    None => "There is no such tool.".to_owned(),
                }
            }
        }
    }

    /// Makes the answer that one of these calls is to send.
    pub(super) async fn make_private_answers(
        &self,
        permit: &CallPermit<'_>,
        calls: &mut [ToolCall],
        totals: &mut CallTotals,
    ) {
        let is_acting =
            |call: &&ToolCall| call.operation.changes() && call.tool != Tool::AnswerPrivately;
        let acting: Vec<CallRecord> = calls
            .iter()
            .filter(is_acting)
            .map(|call| self.change_of(call))
            .collect();
        for call in calls {
            if let Operation::AnswerPrivately { text } = &mut call.operation {
                *text = self.private_answer(permit, &acting, totals).await;
            }
        }
    }

    /// A call that is tried beside the private answer, as if it were done.
    fn change_of(&self, call: &ToolCall) -> CallRecord {
        let done = CallResult::done(json!({}));
        let record = self.call_record(call.tool.name(), &call.arguments, &done.json, done.outcome);
        CallRecord {
            is_change: true,
            repeats: call.operation.repeats(),
            ..record
        }
    }

    /// The answer for the person's direct chat; "" when there is none. `acting`: what else is done
    /// for the message now, of which the answer may tell.
    async fn private_answer(
        &self,
        permit: &CallPermit<'_>,
        acting: &[CallRecord],
        totals: &mut CallTotals,
    ) -> String {
        let id = self.pending.message_id;
        if totals.private_requests > 0 {
            return String::new(); // it was asked for before
        }
        let private = match self.private_turn().await {
            Ok(Some(turn)) => turn,
            Ok(None) => return String::new(),
            Err(error) => {
                log::warn!("message {id}: the private answer's context can't be read: {error}");
                return String::new();
            }
        };
        let mut own = CallTotals {
            is_withheld: true,
            private_requests: totals.requests + 1,
            ..CallTotals::default()
        };
        // Boxed, as this is a conversation within one.
        let tools = (&private.plan.tools[..], REQUESTS_MAX);
        Box::pin(private.converse(permit, &[], 0, tools, &mut own)).await;
        Box::pin(private.shorten(permit, &mut own)).await;
        let changes = totals.records.iter().filter(|record| record.is_change);
        let changes: Vec<CallRecord> = changes.chain(acting).cloned().collect();
        let text = match own.failure {
            None => private.text_beside(&changes, &mut own),
            Some(_) => String::new(),
        };
        totals.add_private(own);
        text
    }

    /// The answer's text with sentences of what was done neither here nor by `changes`.
    fn text_beside(&self, changes: &[CallRecord], own: &mut CallTotals) -> String {
        let count = own.records.len();
        for change in changes {
            // What could not be done privately is done in the group.
            let tool = (change.tool.as_str(), false);
            own.failed_changes.note(tool, "", true, usize::MAX);
        }
        own.records.extend_from_slice(changes);
        let text = self.with_denial(self.text_of(own), own);
        own.records.truncate(count);
        text
    }

    /// The turn for the direct chat. `None` when the message or its direct chat is gone.
    async fn private_turn(&self) -> Result<Option<Self>> {
        let (id, user) = (self.pending.message_id, self.context.user.id);
        let store = &self.ingest.store;
        let read = store.read(move |view| context::read_private(view, id));
        let Some(mut context) = read.await? else {
            return Ok(None);
        };
        let has_chat = store.read(move |view| view.has_direct_chat(user));
        if !has_chat.await? {
            return Ok(None);
        }
        context.known.memories = context::memories(self.ingest, &context).await?;
        let mut turn = Self::of(self.ingest, self.model, context, self.pending);
        turn.deadline = self.deadline;
        Ok(Some(turn))
    }
}

impl CallTotals {
    /// Adds what a private conversation has cost, and its calls.
    fn add_private(&mut self, private: Self) {
        self.private_requests += private.requests;
        self.used.calls += private.used.calls;
        self.used.prompt_tokens += private.used.prompt_tokens;
        self.used.completion_tokens += private.used.completion_tokens;
        self.used.estimated_calls += private.used.estimated_calls;
        self.used.cache_hits += private.used.cache_hits;
        self.model_ms += private.model_ms;
        self.records
            .extend(private.records.into_iter().map(|record| CallRecord {
                tool: format!("{} (privately)", record.tool),
                ..record
            }));
    }
}

/// The turn as if the message had come in the person's direct chat. `None`: there is none.
pub(super) fn in_direct_chat<'a>(
    mut turn: MessageTurn<'a>,
    tx: &mut Tx<'_>,
) -> Result<Option<MessageTurn<'a>>> {
    let Some(chat) = tx.newest_direct_chat(turn.user.id, true)? else {
        return Ok(None);
    };
    let Some(room) = tx.room(&chat.chat_guid)? else {
        return Ok(None);
    };
    let message = turn.message.to_mut();
    message.chat_guid = chat.chat_guid;
    message.mode = Mode::Direct;
    Ok(Some(MessageTurn {
        room,
        agent: room.agent,
        ..turn
    }))
}

/// Sends the answer. `text`: "" when there is none.
pub(super) fn send(turn: &MessageTurn, tx: &mut Tx, text: &str) -> Result<CallResult> {
    let Some(chat) = tx.newest_direct_chat(turn.user.id, true)? else {
        let error = "The person has no chat of their own with you; they have to write there \
                         first. Nothing was answered.";
        return Ok(CallResult::refused("no such chat", error));
    };
    if text.is_empty() {
        let error = "No answer could be found. Say that nothing was answered, and that they \
                         may ask you in their own chat.";
        return Ok(CallResult::refused("no answer", error));
    }
    if !direct_chat::send(turn, tx, text)? {
        let error = "Nothing can be sent to their own chat now. Nothing was answered.";
        return Ok(CallResult::refused("not sent", error));
    }
    let new = PrivateAnswer {
        at: turn.now.0,
        asked: turn.message.text.clone(),
        answer: text.to_owned(),
    };
    dialog::note_private_answer(tx, (chat.room, turn.user.id), new, turn.now)?;
    Ok(CallResult::done(json!({
        "answered": "in the person's own chat, which they read alone",
    })))
}
