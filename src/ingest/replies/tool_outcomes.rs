//! Runs the tool calls of a language model. While the reply is made they are tried in a transaction
//! that is rolled back, so that the model learns their results; they are carried out once, in the
//! transaction that commits the reply. Limits and access are checked as if the person had written
//! the request; a tool acts only for the person who wrote the message.

use std::sync::Arc;

use serde_json::json;

use super::command_hints::without_command_hints;
use super::pending_message::{message_row, missing_row};
use super::result::{
    CallResult, NOT_OWN_CHANGE, OWN_CHANGE, ReplacedVersions, ReplyDecision, ReplyResult, ToolCall,
};
use super::{language, message_edits, operations, private_answer};
use crate::access::{Access, Denial};
use crate::assistant::powers::PowerAction;
use crate::assistant::tools::{LINK, Operation, Tool};
use crate::assistant::wording::{self, Apology};
use crate::clock::Timestamp;
use crate::error::{Error, ErrorKind, Result};
use crate::ingest::powers::{PowerReply, answer, attempt};
use crate::ingest::reply::Reply;
use crate::ingest::turn::MessageTurn;
use crate::ingest::{Ingest, gate, limits};
use crate::memory::ServiceMemories;
use crate::store::{DoneCall, PendingReply, Tx};

/// The code of the error that a call's result differs from its trial.
pub(super) const CHANGED_MEANWHILE: &str = "changed_meanwhile";
/// The error of a call that would change something personal for a message in a group.
const NOT_FROM_A_GROUP: &str = "Nothing was done: from a group nothing of the person's own is \
                                changed. They may ask for it in this chat.";
/// Beside a reminder whose time was given in UTC.
const IN_UTC: &str = "Your \"at\" ended with Z and was read as UTC. If it was the person's own \
                      time, change it, without Z.";
/// The outcome of a call of a superpower that changed nothing.
const CHANGED_NOTHING: &str = "changed nothing";
/// The note of a result about changes that were taken back.
const TAKEN_BACK: &str = "This was done for the earlier version of the message and was taken \
                          back. What the new version still asks for has to be done again.";

/// The message that calls are made for.
#[derive(Clone, Copy)]
pub(super) struct CallScope<'a> {
    pub(super) pending: &'a PendingReply,
    /// A call for a message of a group reads from the person's direct chat.
    pub(super) is_private: bool,
    /// The person's memories in the external service.
    pub(super) service_memories: &'a ServiceMemories,
    pub(super) now: Timestamp,
}

impl Ingest {
    /// The results that `calls` would have after `done`. Nothing is kept.
    pub(super) async fn try_calls(
        self: &Arc<Self>,
        pending: PendingReply,
        is_private: bool,
        done: Vec<ToolCall>,
        calls: Vec<ToolCall>,
        service_memories: ServiceMemories,
        now: Timestamp,
    ) -> Result<Vec<CallResult>> {
        let ingest = self.clone();
        let results = self.store.dry_run(move |tx| {
            let scope = CallScope {
                pending: &pending,
                is_private,
                service_memories: &service_memories,
                now,
            };
            for call in &done {
                ingest.run_call(tx, scope, call, true, None)?;
            }
            let mut scheduled = done.iter().any(ToolCall::is_new_reminder);
            let mut results = Vec::new();
            for call in &calls {
                let result = ingest.run_call(tx, scope, call, false, Some(scheduled))?;
                scheduled |= result.is_ok() && call.is_new_reminder();
                results.push(result);
            }
            Ok(results)
        });
        results.await
    }

    /// The final reply, and how it was made. The error `CHANGED_MEANWHILE`: a call no longer has
    /// the result that the model was given.
    pub(super) fn final_reply(
        &self,
        tx: &mut Tx,
        pending: &PendingReply,
        outcome: &ReplyResult,
        now: Timestamp,
    ) -> Result<(Reply, ReplyDecision)> {
        let mut decision = outcome.decision.clone();
        let done = tx.view().done_calls(pending.message_id)?;
        let sent = tx.view().sent_of_reply(pending.message_id)?;
        // What was done before may be what the builtin assistant would do once more.
        if outcome.is_for_builtin
            && done.is_empty()
            && sent.is_empty()
            && let Some(reply) =
                self.answer_by_builtin(tx, pending, &outcome.service_memories, now)?
        {
            decision.outcome = "builtin";
            decision.acted_at = Some(now.0);
            return Ok((reply, decision));
        }
        let mut reply = Reply::from(outcome.text.clone().unwrap_or_default());
        if let Some(why) = outcome.apology {
            reply.text = self.apology_after(tx, pending, why, &done)?;
        }
        let scope = CallScope {
            pending,
            is_private: false,
            service_memories: &outcome.service_memories,
            now: outcome.tried_at,
        };
        for call in &outcome.changes {
            let result = self.run_call(tx, scope, call, true, None)?;
            if !result.is_ok() {
                return Err(changed_meanwhile());
            }
            reply.schedule = reply.schedule.take().or(result.schedule);
        }
        if let Some(denial) = outcome.denied {
            reply.access = Some(denial.to_json());
            if outcome.changes.is_empty() && done.is_empty() {
                // What was denied is not counted.
                let row = message_row(tx, pending)?;
                tx.uncount_message(row.id, row.user, row.received_at.utc_day())?;
            }
        }
        Ok((reply, decision))
    }

    /// An apology that names the calls of other servers' tools that were made.
    fn apology_after(
        &self,
        tx: &Tx,
        pending: &PendingReply,
        why: Apology,
        done: &[DoneCall],
    ) -> Result<String> {
        let row = message_row(tx, pending)?;
        let room = tx.view().room(pending.room)?.ok_or_else(missing_row)?;
        let language = language(tx, row.user, room.mode == "group", &row.text)?;
        let persona = &self.persona.get().name;
        let mut text = wording::apology(why, persona, language.as_deref());
        // Of what was committed with the beginning of the reply the beginning tells.
        let is_remote = |call: &&DoneCall| call.tool.contains(LINK);
        let remote: Vec<&DoneCall> = done.iter().filter(is_remote).collect();
        if !remote.is_empty() {
            let tools: Vec<&str> = remote.iter().map(|call| call.tool.as_str()).collect();
            text.push_str("\n\n");
            text.push_str(&wording::called_elsewhere(&tools, language.as_deref()));
        }
        Ok(text)
    }

    /// `is_admitted`: it was let in by the limits before. `scheduled`: whether the answer has a
    /// reminder already, where that counts.
    pub(super) fn run_call(
        &self,
        tx: &mut Tx,
        scope: CallScope,
        call: &ToolCall,
        is_admitted: bool,
        scheduled: Option<bool>,
    ) -> Result<CallResult> {
        let CallScope {
            pending,
            is_private,
            service_memories,
            now,
        } = scope;
        // Anew for each call: one before it may have changed the profile.
        let turn = MessageTurn {
            by_model: true,
            limit_uses: None,
            is_admitted,
            ..self.pending_turn(tx, pending, service_memories, now)?
        };
        if is_private {
            if call.operation.changes() {
                return Ok(CallResult::refused("not from a group", NOT_FROM_A_GROUP));
            }
            return match private_answer::in_direct_chat(turn, tx)? {
                Some(turn) => perform(&turn, tx, call),
                None => Ok(CallResult::refused("no such chat", NOT_FROM_A_GROUP)),
            };
        }
        if turn.agent.is_none() && scheduled == Some(true) && call.is_new_reminder() {
            return Ok(CallResult::refused(
                "one reminder only",
                "This chat can take one reminder a message; ask for the others one by one.",
            ));
        }
        let mut result = match &call.replaces {
            Some(earlier) => perform_in_place(turn, tx, call, earlier)?,
            None => perform(&turn, tx, call)?,
        };
        let ignored = call.tool.ignored_fields(&call.arguments);
        if !ignored.is_empty() {
            result.json["ignored_fields"] = ignored.into();
        }
        if result.reminder.is_some() && call.tool.names_utc(&call.arguments) {
            result.json["at_note"] = IN_UTC.into();
        }
        Ok(result)
    }
}

fn perform(turn: &MessageTurn, tx: &mut Tx, call: &ToolCall) -> Result<CallResult> {
    let is_off = match call.tool {
        Tool::Power(power) => !turn.flags.superpower(power),
        Tool::Notices => !turn.flags.superpowers_enabled(),
        _ => false,
    };
    if is_off || turn.flags.force_basic_mode() || !call.tool.is_for(turn.in_group()) {
        let error = "This tool can't be used here any more.";
        return Ok(CallResult::refused("not offered any more", error));
    }
    match &call.operation {
        Operation::Power(power, action) => {
            if let Access::Deny(denial) = gate::superpower_access(turn, tx)? {
                return Ok(denied(denial));
            }
            if *action == PowerAction::Undo
                && let Some(write) = tx.power_state_write(turn.owner(), power.name())?
                && write.message_id == Some(turn.message_id)
            {
                return Ok(CallResult::refused(OWN_CHANGE, NOT_OWN_CHANGE));
            }
            Ok(match attempt::act(turn, tx, *power, action.clone())? {
                Some(reply) => {
                    let quotes = power.quotes_others();
                    let mut result = match reply {
                        PowerReply::Said { text, .. } if quotes && !action.changes() => {
                            CallResult::quoting(&text)
                        }
                        reply => result_of(reply, action.changes()),
                    };
                    if let Some(data) = attempt::data(turn, tx, *power)? {
                        result.json[if quotes { "quoted_data" } else { "data" }] = data;
                    }
                    result
                }
                None => CallResult::refused(
                    "about nothing that is kept",
                    "Nothing like that is kept; look at what there is first.",
                ),
            })
        }
        _ if !limits::may_command(turn) => Ok(CallResult::too_many()),
        Operation::Notices(request) => {
            let reply = answer::set_notices(turn, tx, *request)?;
            Ok(result_of(reply, call.operation.changes()))
        }
        operation => operations::run(turn, tx, operation, &call.new_id),
    }
}

/// Carries out a call that changes something in the place of what earlier versions did.
fn perform_in_place(
    mut turn: MessageTurn,
    tx: &mut Tx,
    call: &ToolCall,
    earlier: &ReplacedVersions,
) -> Result<CallResult> {
    let is_admitted = std::mem::replace(&mut turn.is_admitted, true);
    let taken_back = message_edits::take_back(&turn, tx, call, earlier)?;
    turn.is_admitted = is_admitted;
    let mut result = perform(&turn, tx, call)?;
    if !taken_back.is_empty() {
        // "Not milk" is done by taking it back.
        if result.outcome == CHANGED_NOTHING {
            result = CallResult::done(json!({}));
        }
        // What a refused call took back is not committed.
        if result.is_ok() {
            result.json["replaced"] = taken_back.into();
            result.json["note"] = TAKEN_BACK.into();
        }
    }
    Ok(result)
}

/// `changes`: the call was to change something.
fn result_of(reply: PowerReply, changes: bool) -> CallResult {
    let PowerReply::Said { text, changed } = reply else {
        return CallResult::too_many();
    };
    let text = without_command_hints(&text);
    match (changes, changed) {
        (false, _) => CallResult::done(json!({ "answer": text })),
        (true, true) => CallResult::done(json!({ "done": text })),
        (true, false) => {
            CallResult::refused(CHANGED_NOTHING, format!("Nothing has changed: {text}"))
        }
    }
}

fn denied(denial: Denial) -> CallResult {
    let error = match denial {
        Denial::OwnerNotSubscribed => {
            "It works here once the owner of this group has subscribed. Nothing was done."
        }
        _ => "It needs a subscription, which the person does not have. Nothing was done.",
    };
    CallResult {
        denial: Some(denial),
        ..CallResult::refused(denial.code(), error)
    }
}

pub(super) fn changed_meanwhile() -> Error {
    Error::new(
        ErrorKind::Unavailable,
        CHANGED_MEANWHILE,
        "What a tool was called for has changed meanwhile.",
    )
}
