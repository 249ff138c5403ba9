//! Answers in a group to a question that the assistant has just put to the same person: they need
//! not name it again. It answers none of them.

use super::dialog::{self, Question};
use super::{Ingest, Mode, PreparedMessage};
use crate::assistant::builtin::FollowUp;
use crate::assistant::{self, Intent, MessageContext};
use crate::error::Result;
use crate::store::{Room, Tx, User};

/// How long the next message may be the answer.
const ANSWER_MS: i64 = 2 * 60_000;
/// A longer one is said to others.
const ANSWER_WORDS_MAX: usize = 8;

impl Ingest {
    /// Whether it is the next message of the chat, by who was asked, and reads like an answer.
    pub(super) fn answers_question(
        &self,
        tx: &mut Tx<'_>,
        prepared: &PreparedMessage,
        room: &Room,
        user: &User,
    ) -> Result<bool> {
        let message = &prepared.message;
        if message.mode == Mode::Direct || message.reply_to_assistant || message.photos > 0 {
            return Ok(false);
        }
        let stored = tx.question(room.id, user.id)?;
        let asked = dialog::recent::<Question>(stored.as_ref(), ANSWER_MS, prepared.now);
        let (Some((question, at)), Some(head)) = (asked, room.head) else {
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
        Ok(is_answer(
            &question,
            &assistant::understand(&context),
            &message.text,
        ))
    }
}

fn is_answer(question: &Question, intent: &Intent, text: &str) -> bool {
    let what = match intent {
        Intent::FollowUp { what, .. } => Some(what),
        _ => None,
    };
    let closes = matches!(
        what,
        Some(FollowUp::Yes | FollowUp::No | FollowUp::NeverMind)
    );
    match question {
        Question::When { .. } => closes || matches!(what, Some(FollowUp::Time(_))),
        Question::What { .. } | Question::Rest { .. } | Question::Which { .. } => {
            let is_short = text.split_whitespace().count() <= ANSWER_WORDS_MAX;
            let is_text = matches!(intent, Intent::Unknown) || what.is_some();
            let first = text.split(|c: char| !c.is_alphanumeric()).next();
            let is_talk = first.is_some_and(|first| {
                let talk = [
                    "sorry", "oops", "wait", "ok", "okay", "hm", "hmm", "haha", "thanks", "lol",
                ];
                talk.contains(&first.to_lowercase().as_str())
            });
            closes || is_short && is_text && !is_talk && !text.contains('?')
        }
        _ => closes,
    }
}
