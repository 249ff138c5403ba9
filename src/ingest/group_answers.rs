//! Answers in a group to a question that the assistant has just put to the same person: they need
//! not name it again.

use super::dialog;
use super::dialog::question::Question;
use super::{Ingest, Mode, PreparedMessage};
use crate::assistant::builtin::FollowUp;
use crate::assistant::{self, Intent, MessageContext};
use crate::error::Result;
use crate::store::{Room, Tx, User};

/// How long the next message may be the answer.
const ANSWER_MS: i64 = 2 * 60_000;
/// A longer one is said to others.
const ANSWER_BYTES_MAX: usize = 60;

impl Ingest {
    /// Whether it is the next message of the chat, by who was asked, and reads like an answer.
    pub(super) fn answers_question(
        &self,
        tx: &mut Tx,
        prepared: &PreparedMessage,
        room: &Room,
        user: &User,
    ) -> Result<bool> {
        let message = &prepared.message;
        let is_other = message.mode == Mode::Direct || message.reply_to_assistant;
        // "10?" is put to the others.
        let is_question = message.text.contains('?');
        if is_other || is_question || message.photos > 0 || message.text.len() > ANSWER_BYTES_MAX {
            return Ok(false);
        }
        let stored = tx.question(room.id, user.id)?;
        let recent = dialog::recent::<Question>(stored.as_ref(), ANSWER_MS, prepared.now);
        let (Some((question, at)), Some(head)) = (recent, room.head) else {
            return Ok(false);
        };
        let last = tx.view().chain(head, 1)?.into_iter().next();
        let is_next = last.is_some_and(|last| last.user == user.id && last.received_at == at);
        let persona = &self.persona.get().name;
        if !is_next || assistant::addresses(&message.text, persona) {
            return Ok(false);
        }
        let context = MessageContext {
            group: false,
            ..message.context(persona, user.timezone, prepared.now)
        };
        Ok(is_answer(&question, &assistant::understand(&context)))
    }
}

/// Whether a message answers a question in a group: only a time, a number, yes or no. Anything else
/// may be said to others.
fn is_answer(question: &Question, intent: &Intent) -> bool {
    let Intent::FollowUp { what, .. } = intent else {
        return false;
    };
    let closes = matches!(what, FollowUp::Yes | FollowUp::No | FollowUp::NeverMind);
    closes
        || match question {
            Question::When { .. } => matches!(what, FollowUp::Time(_)),
            Question::Which { .. } => true,
            _ => false,
        }
}
