//! Replies of the builtin assistant where a language model gave none: only for what it understands
//! for certain, and what answers its own question, with a sentence about the model. In the
//! transaction that commits the reply.

use super::language;
use super::pending_message::message_row;
use crate::access::Access;
use crate::assistant::builtin::{FollowUp, ReminderRef};
use crate::assistant::{self, Intent, wording};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::ingest::dialog::LATEST_MS;
use crate::ingest::dialog::latest;
use crate::ingest::powers::recognition;
use crate::ingest::reply::Reply;
use crate::ingest::requested_power::RequestedPower;
use crate::ingest::turn::MessageTurn;
use crate::ingest::{Ingest, after_crisis, gate};
use crate::ingest::{carry_out, message_versions};
use crate::memory::ServiceMemories;
use crate::store::{PendingReply, Tx};

impl Ingest {
    /// `None`: it does not understand the message, or not for sure.
    pub(super) fn answer_by_builtin(
        &self,
        tx: &mut Tx,
        pending: &PendingReply,
        service_memories: &ServiceMemories,
        now: Timestamp,
    ) -> Result<Option<Reply>> {
        let service_memories = match service_memories {
            ServiceMemories::Nothing if self.memories.has_service() => {
                &ServiceMemories::Unreachable
            }
            known => known,
        };
        // "In an hour" is an hour from when it was said.
        let row = message_row(tx, pending)?;
        let mut turn = self.pending_turn(tx, pending, service_memories, row.received_at)?;
        // The message itself is stored already.
        turn.room.head = row.previous;
        if pending.unprompted || turn.flags.force_basic_mode() {
            return Ok(None);
        }
        let context = turn.context();
        let understood = assistant::understand_all(&context);
        let power = recognition::find_requested_power(&turn, tx, &understood)?;
        turn.requested_power = power.filter(RequestedPower::is_explicit);
        turn.now = now;
        let is_power = turn.requested_power.is_some();
        if !is_power && let Some(reply) = after_crisis::answer(&turn, tx, &understood.intent)? {
            return Ok(Some(reply.into()));
        }
        // What the first version of an edited message did would stay beside it.
        if message_versions::is_edited(&row) {
            return Ok(None);
        }
        if let Some(reply) = carry_out::answer_to_question(&turn, tx, &understood.intent)? {
            return self
                .without_model(&mut turn, tx, &row.text, reply)
                .map(Some);
        }
        let is_sure = is_sure(&understood.intent) || is_of_latest(&turn, tx, &understood.intent)?;
        if !is_power && !is_sure {
            return Ok(None);
        }
        if is_power && let Access::Deny(denial) = gate::superpower_access(&turn, tx)? {
            tx.uncount_message(row.id, row.user, row.received_at.utc_day())?;
            return Ok(Some(Reply::denying(denial, &turn.persona)));
        }
        let reply = carry_out::run_instead_of_model(&turn, tx, understood.intent)?;
        self.without_model(&mut turn, tx, &row.text, reply)
            .map(Some)
    }

    /// With a sentence about the model. `text`: the message's.
    fn without_model(
        &self,
        turn: &mut MessageTurn,
        tx: &Tx,
        text: &str,
        mut reply: String,
    ) -> Result<Reply> {
        reply.push_str("\n\n");
        let language = language(tx, turn.user.id, turn.in_group(), text)?;
        reply.push_str(wording::without_model(language.as_deref()));
        Ok(Reply::with_schedule(reply, turn))
    }
}

/// A command that needs no question back, and refers to nothing said before.
fn is_sure(intent: &Intent) -> bool {
    let is_unclear = matches!(
        intent,
        Intent::Unclear(_)
            | Intent::AskWhen { .. }
            | Intent::AskWhat { .. }
            | Intent::AskRest { .. }
            | Intent::FollowUp { .. }
    );
    intent.is_command() && !is_unclear
}

/// "Cancel that" or "make it 7pm" right after the message that set the only open reminder.
fn is_of_latest(turn: &MessageTurn, tx: &Tx, intent: &Intent) -> Result<bool> {
    let Intent::FollowUp { what, .. } = intent else {
        return Ok(false);
    };
    let is_about_it = matches!(
        what,
        FollowUp::Cancel(ReminderRef::Latest) | FollowUp::Change { .. } | FollowUp::Snooze(_)
    );
    let latest = latest::read_own(turn, tx, LATEST_MS)?.filter(|_| is_about_it);
    let (Some((latest, _)), Some(before)) = (latest, turn.previous_message(tx)?) else {
        return Ok(false);
    };
    let open = tx.room_reminders(turn.room.id)?;
    let mut named = latest.reminders.iter();
    let is_only = matches!(&open[..], [one] if named.all(|it| it.schedule_id == one.schedule_id));
    Ok(is_only && !latest.reminders.is_empty() && latest.message_id == Some(before.id))
}
