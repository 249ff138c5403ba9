//! Runs the tool calls of a language model in the transaction that commits the reply: all of them
//! once, or none. Limits and access are checked as if the person had written the request. A tool
//! acts only for the message's author.

use super::made::{ReplyDecision, ReplyResult, ToolCall};
use crate::access::{Access, Denial};
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::ingest::answer::ReplyDraft;
use crate::ingest::powers::PowerReply;
use crate::ingest::respond::MessageTurn;
use crate::ingest::{Ingest, Message, Mode, gate};
use crate::memory::ServiceMemories;
use crate::reply::tools::ToolAction;
use crate::reply::{Intent, wording};
use crate::store::{MessageRow, PendingReply, RoomRow, Tx};

/// The outcome of one tool call.
enum ToolOutcome {
    Done(ReplyDraft),
    TooMany,
    Denied(Denial),
    /// The tool is no longer offered.
    NotOffered,
    /// It refers to nothing that is stored.
    Nothing,
    /// The legacy endpoint can carry only one reminder per answer.
    OneReminderOnly,
}

impl Ingest {
    /// The final text, and the decision record.
    pub(super) fn fulfilled(
        &self,
        tx: &mut Tx<'_>,
        pending: &PendingReply,
        made: &ReplyResult,
        now: Timestamp,
    ) -> Result<(ReplyDraft, ReplyDecision)> {
        let mut decision = made.decision.clone();
        if made.tool_calls.is_empty() {
            return Ok((made.told(), decision));
        }
        let gone = || Error::internal("the message of a pending reply is gone");
        let row = tx.view().message(pending.message_id)?.ok_or_else(gone)?;
        let place = tx.view().room(pending.room)?.ok_or_else(gone)?;
        let room = tx.room(&place.chat_guid)?.ok_or_else(gone)?;
        let user = tx.user(row.user)?;
        let flags = self.flags.for_user(&user.public_id);
        let message = message(&row, &place);
        let turn = MessageTurn {
            ingest: self,
            flags: &flags,
            message: &message,
            user: &user,
            room: &room,
            agent: pending.agent,
            humans: 0,
            access: Access::Allow { remaining: -1 },
            called: None,
            elsewhere: &ServiceMemories::Nothing,
            by_model: true,
            now,
            mono: self.clock.monotonic(),
        };
        let mut told = ReplyDraft::default();
        let mut denied = false;
        for tool_call in &made.tool_calls {
            let outcome = turn.fulfil(tx, tool_call, told.schedule.is_some())?;
            let what = tool_call.tool.name();
            decision.tools.push(format!("{what}: {}", outcome.as_str()));
            denied |= matches!(outcome, ToolOutcome::Denied(_));
            self.tell(&mut told, outcome);
        }
        if told.text.is_empty() {
            told.text = wording::unknown(&row.text, &self.persona.get().name);
        } else if denied && !decision.tools.iter().any(|tool| tool.ends_with(": done")) {
            // A denied request isn't counted.
            tx.uncount_message(row.id, row.user, row.received_at.utc_day())?;
        }
        Ok((told, decision))
    }

    /// Adds the text for one outcome, without repeating a text.
    fn tell(&self, told: &mut ReplyDraft, outcome: ToolOutcome) {
        let text = match outcome {
            ToolOutcome::Done(done) => {
                told.schedule = told.schedule.take().or(done.schedule);
                done.text
            }
            ToolOutcome::TooMany => wording::too_many_commands(&self.persona.get().name),
            ToolOutcome::Denied(denial) => {
                told.access = Some(denial.to_json());
                denial.reply(&self.persona.get())
            }
            ToolOutcome::OneReminderOnly => wording::one_reminder_only(),
            ToolOutcome::NotOffered | ToolOutcome::Nothing => return,
        };
        if told.text.contains(&text) {
            return;
        }
        if !told.text.is_empty() {
            told.text.push_str("\n\n");
        }
        told.text.push_str(&text);
    }
}

impl MessageTurn<'_> {
    /// `scheduled`: the answer already has a reminder.
    fn fulfil(
        &self,
        tx: &mut Tx<'_>,
        tool_call: &ToolCall,
        scheduled: bool,
    ) -> Result<ToolOutcome> {
        if self.flags.boolean("llm.force_basic_mode") {
            return Ok(ToolOutcome::NotOffered);
        }
        if self.in_group() && tool_call.tool.is_private() {
            return Ok(ToolOutcome::NotOffered);
        }
        match &tool_call.action {
            ToolAction::Power(power, _) if !self.flags.superpower(power.name()) => {
                Ok(ToolOutcome::NotOffered)
            }
            ToolAction::Power(power, action) => {
                if let Access::Deny(denial) = self.superpower_access(tx)? {
                    return Ok(ToolOutcome::Denied(denial));
                }
                Ok(match self.act(tx, *power, action.clone())? {
                    Some(PowerReply::Said(said)) => ToolOutcome::Done(said.into()),
                    Some(PowerReply::TooMany) => ToolOutcome::TooMany,
                    None => ToolOutcome::Nothing,
                })
            }
            ToolAction::Builtin(Intent::Remind { .. }) if scheduled && self.agent.is_none() => {
                Ok(ToolOutcome::OneReminderOnly)
            }
            ToolAction::Builtin(_) if !self.may_command() => Ok(ToolOutcome::TooMany),
            ToolAction::Builtin(intent) => {
                let told = self.carry_out_unlimited(tx, intent.clone())?;
                Ok(ToolOutcome::Done(told))
            }
        }
    }

    fn superpower_access(&self, tx: &Tx<'_>) -> Result<Access> {
        gate::superpower_access(tx, self.message, self.user, self.room, self.flags, self.now)
    }
}

impl ToolOutcome {
    /// The name for operators.
    const fn as_str(&self) -> &'static str {
        match self {
            Self::Done(_) => "done",
            Self::TooMany => "too many this minute",
            Self::Denied(denial) => denial.code(),
            Self::NotOffered => "not offered any more",
            Self::Nothing => "about nothing that is kept",
            Self::OneReminderOnly => "one reminder only",
        }
    }
}

/// The message, as far as its rows contain it.
fn message(row: &MessageRow, room: &RoomRow) -> Message {
    Message {
        chat_guid: room.chat_guid.clone(),
        mode: match room.mode.as_str() {
            "group" => Mode::Group,
            _ => Mode::Direct,
        },
        sender: row.sender.clone(),
        text: row.text.clone(),
        timestamp: row.sent_at_s,
        participants: Vec::new(),
        metadata: None,
        context: None,
        owner: None,
        photos: 0,
        superpower: None,
        reply_to_assistant: false,
    }
}
