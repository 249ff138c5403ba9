//! What the builtin assistant does in place of a language model that gave no reply: what it
//! understands for sure, with one sentence that says so. In the transaction that commits the
//! reply.

use super::language;
use super::pending_message::PendingMessage;
use crate::access::Access;
use crate::assistant::{Intent, wording};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::ingest::answer::ReplyDraft;
use crate::ingest::turn::MessageTurn;
use crate::ingest::understanding;
use crate::ingest::{Ingest, gate};
use crate::memory::ServiceMemories;
use crate::store::{PendingReply, Tx};

impl Ingest {
    /// `None`: it does not understand the message, or not for sure.
    pub(super) fn answer_by_builtin(
        &self,
        tx: &mut Tx<'_>,
        pending: &PendingReply,
        service_memories: &ServiceMemories,
        now: Timestamp,
    ) -> Result<Option<ReplyDraft>> {
        let pending_message = PendingMessage::read(tx, pending)?;
        let PendingMessage {
            row,
            message,
            user,
            room,
            ..
        } = &pending_message;
        let flags = self.flags.for_user(&user.public_id);
        if pending.unprompted || flags.boolean("llm.force_basic_mode") {
            return Ok(None);
        }
        // "In an hour" is an hour from when it was said.
        let received_at = row.received_at;
        let persona = self.persona.get().name.clone();
        let understood =
            understanding::understand_all(message, &persona, user.timezone, received_at);
        let request = (message, &understood);
        let called = self.called(tx, request, user, room, &flags, received_at)?;
        let called = called.filter(|called| called.is_explicit());
        let is_power = called.is_some();
        let service_memories = match service_memories {
            ServiceMemories::Nothing if self.memories.has_service() => {
                &ServiceMemories::Unreachable
            }
            known => known,
        };
        let turn = MessageTurn {
            called,
            ..pending_message.turn(self, &flags, service_memories, now)
        };
        if !is_power && !is_sure(&understood.intent) {
            return Ok(None);
        }
        if is_power {
            let access = gate::superpower_access(tx, message, user, room, &flags, now)?;
            if let Access::Deny(denial) = access {
                tx.uncount_message(row.id, row.user, row.received_at.utc_day())?;
                return Ok(Some(ReplyDraft {
                    text: denial.reply(&self.persona.get()),
                    access: Some(denial.to_json()),
                    schedule: None,
                }));
            }
        }
        let mut draft = turn.carry_out_for_model(tx, understood.intent)?;
        draft.text.push_str("\n\n");
        let language = language(tx, user.id, turn.in_group())?;
        draft
            .text
            .push_str(wording::without_model(language.as_deref()));
        Ok(Some(draft))
    }
}

/// A command that needs no question back, and refers to nothing said before.
fn is_sure(intent: &Intent) -> bool {
    let is_unclear = matches!(
        intent,
        Intent::Unclear(_)
            | Intent::AskWhen { .. }
            | Intent::AskWhat { .. }
            | Intent::FollowUp { .. }
    );
    intent.is_command() && !is_unclear
}
