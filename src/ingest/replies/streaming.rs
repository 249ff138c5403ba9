//! The beginning of a reply, sent while the model writes the rest (`reply.stream`): each part is a
//! command, committed with the changes of the tools before it, and noted beside the pending reply.
//! So after a crash the model continues from there, and nothing is sent or done twice. A reply of
//! one paragraph is never sent this way.

use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

use super::length::ReplyRoom;
use super::model_turn::{CallTotals, ModelTurn};
use super::no_room;
use super::result::ToolCall;
use super::tool_outcomes::{CallScope, changed_meanwhile};
use crate::assistant::prompt::Prompt;
use crate::clock::Timestamp;
use crate::error::Result;
use crate::ingest::Ingest;
use crate::memory::ServiceMemories;
use crate::model::answer::Answer;
use crate::store::{PendingReply, Tx, UserId};

/// Commands with the beginning of one reply.
const PARTS_MAX: usize = 8;
/// The prompt for a model whose reply broke off, or whose beginning a service before had sent.
const GO_ON: &str = "[This beginning of your answer has been sent already. Write only what is \
                     missing after it, without repeating any of it and without a word about this.]";
/// Text for the model where tools are offered: the beginning may tell of a call that was never
/// made.
const GO_ON_WITH_TOOLS: &str = " [Only what the result of a tool says was done. If the beginning \
                                says that anything else was done, call the tool for it now, or \
                                say plainly that it was not done.]";

/// A part of a reply and what belongs to it.
struct ReplyPart {
    text: String,
    /// Calls that change something, as they were tried.
    changes: Vec<ToolCall>,
    tried_at: Timestamp,
    service_memories: ServiceMemories,
    /// People whose messages it may quote, without its recipient.
    others: Vec<UserId>,
}

impl ModelTurn<'_> {
    /// Where complete paragraphs go, if they may be sent before the end.
    pub(super) fn paragraphs(
        &self,
        totals: &CallTotals,
    ) -> (Option<UnboundedSender<String>>, UnboundedReceiver<String>) {
        let (sender, parts) = mpsc::unbounded_channel();
        let may_send = self.ingest.replies.settings.stream
            && self.pending.agent.is_some()
            && !self.pending.unprompted
            && self.context.photos.len() <= self.plan.batch
            && !totals.is_withheld
            && !self.lacks_call(totals);
        (may_send.then_some(sender), parts)
    }

    /// The room that is left for the reply.
    pub(super) fn room(&self, totals: &CallTotals) -> ReplyRoom {
        let sent = self.context.sent.iter().chain(&totals.parts);
        sent.fold(ReplyRoom::WHOLE, |room, part| room.after(part))
    }

    /// `complete`: all complete paragraphs of what the model is saying.
    pub(super) async fn send_part(&self, complete: &str, totals: &mut CallTotals) {
        let Some(new) = complete.strip_prefix(totals.sent_now.as_str()) else {
            return;
        };
        let text = match totals.sent_now.is_empty() {
            true => self.without_name(new).trim(),
            false => new.trim(),
        };
        // What may be wrong is not heard before it is looked at as a whole.
        totals.is_withheld |= self.tells_other_times(complete, totals)
            || self.claims_unasked(complete, totals)
            || self.tells_more_than_done(complete, totals);
        if totals.is_withheld || totals.parts.len() >= PARTS_MAX || text.is_empty() {
            return;
        }
        let language = self.language_with(totals.parts.first().map_or(text, String::as_str));
        if !self.room(totals).holds_more_after(text, language) {
            totals.is_withheld = true;
            return;
        }
        let part = ReplyPart {
            text: text.to_owned(),
            changes: totals.changes.clone(),
            tried_at: totals.tried_at.unwrap_or(self.context.message.received_at),
            service_memories: totals.service_memories.clone(),
            others: self.context.others.clone(),
        };
        let (ingest, id) = (self.ingest.clone(), self.pending.message_id);
        let now = ingest.clock.now();
        let store = ingest.store.clone();
        let sent = store.write(move |tx| ingest.send_part(tx, id, &part, now));
        match sent.await {
            Ok(true) => {
                complete.clone_into(&mut totals.sent_now);
                totals.parts.push(text.to_owned());
                totals.committed.append(&mut totals.changes);
                totals.records_committed = totals.records.len();
            }
            Ok(false) => totals.is_withheld = true,
            Err(error) => {
                log::debug!("message {id}: its reply follows as a whole: {error}");
                totals.is_withheld = true;
            }
        }
    }
}

impl Ingest {
    /// False: it can't be sent now. The first part answers the request that waits.
    fn send_part(
        &self,
        tx: &mut Tx,
        message_id: i64,
        part: &ReplyPart,
        now: Timestamp,
    ) -> Result<bool> {
        let Some(pending) = tx.pending_reply(message_id)? else {
            return Ok(false);
        };
        if tx.view().is_any_erased(&part.others)? || tx.is_former_direct_chat(pending.room)? {
            return Ok(false);
        }
        self.check_room(tx, &pending)?;
        self.commit_changes(tx, &pending, part)?;
        if !self.send_late(tx, &pending, &part.text, now)? {
            return Err(no_room());
        }
        tx.add_sent(message_id, &part.text)?;
        if !pending.late {
            self.replies
                .answer_waiting(tx, message_id, Answer::default());
        }
        Ok(true)
    }

    fn commit_changes(&self, tx: &mut Tx, pending: &PendingReply, part: &ReplyPart) -> Result<()> {
        let scope = CallScope {
            pending,
            is_private: false,
            service_memories: &part.service_memories,
            now: part.tried_at,
        };
        for call in &part.changes {
            let result = self.run_call(tx, scope, call, true, None)?;
            if !result.is_ok() {
                return Err(changed_meanwhile());
            }
            let (name, json) = (call.tool.name(), result.json.to_string());
            tx.insert_done_call(pending.message_id, name, &call.arguments, Some(&json))?;
        }
        Ok(())
    }
}

/// The prompt for what is missing after a beginning that was sent.
pub(super) fn after_beginning(mut prompt: Prompt, sent: &[String]) -> Prompt {
    if sent.is_empty() {
        return prompt;
    }
    let mut go_on = GO_ON.to_owned();
    if !prompt.tools.is_empty() {
        go_on.push_str(GO_ON_WITH_TOOLS);
    }
    prompt.add_turn(&sent.join("\n\n"), &go_on);
    prompt
}

/// The rest of a text whose beginning was sent.
pub(super) fn rest_after(sent: &str, text: &str) -> String {
    text.strip_prefix(sent)
        .unwrap_or(text)
        .trim_start()
        .to_owned()
}
