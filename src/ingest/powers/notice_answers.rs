//! Answers to the message that a superpower sent last by itself: what the person says right after it
//! may mean what it is about.

use std::sync::atomic::Ordering;

use super::{attempt, text_of};
use crate::assistant::Intent;
use crate::assistant::powers::{NoticeAnswer, Power, notice_answer};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::ingest::dialog::latest;
use crate::ingest::dialog::question::{self, CHECKIN_QUESTION_MS, QUESTION_MS, Question};
use crate::ingest::turn::MessageTurn;
use crate::ingest::{Ingest, Mode, dialog, gate, reminder_requests};
use crate::store::{DialogPart, RoomId, Tx, UserId};

/// How long "it" means what the message is about.
const NOTICE_MS: i64 = 4 * 60 * 60_000;

impl Ingest {
    /// The next thing that the person says may be about it, unless they were asked something.
    pub(super) fn note_notice(
        &self,
        tx: &mut Tx,
        (room, user): (RoomId, UserId),
        (power, what): (&str, &str),
        now: Timestamp,
    ) -> Result<()> {
        let stored = tx.question(room, user)?;
        let asked = dialog::recent::<Question>(stored.as_ref(), CHECKIN_QUESTION_MS, now);
        let is_open = asked.is_some_and(|(question, at)| match question {
            Question::Notice { .. } => false,
            Question::Checkin { .. } => true,
            _ => now.0 - at.0 <= QUESTION_MS,
        });
        if is_open {
            return Ok(());
        }
        self.notice_sent_ms.fetch_max(now.0, Ordering::Relaxed);
        let notice = Question::Notice {
            power: power.to_owned(),
            what: what.to_owned(),
        };
        dialog::note(tx, (room, user), DialogPart::Question, Some(&notice), now)
    }
}

/// What the notice was about that came last, and the superpower that sent it. `None`: none came since the
/// person's last message.
pub(in crate::ingest) fn announced(
    turn: &MessageTurn,
    tx: &mut Tx,
) -> Result<Option<(String, String)>> {
    let sent_ms = turn.ingest.notice_sent_ms.load(Ordering::Relaxed);
    let is_recent = turn.now.0.saturating_sub(sent_ms) <= NOTICE_MS;
    if !is_recent || turn.message.mode != Mode::Direct {
        return Ok(None); // most messages
    }
    let Some((Question::Notice { power, what }, sent_at)) =
        question::read_last(turn, tx, NOTICE_MS)?
    else {
        return Ok(None);
    };
    let last = match turn.room.head {
        Some(head) => tx.view().chain(head, 1)?.into_iter().next(),
        None => None,
    };
    let was_named_since =
        latest::read_named(turn, tx)?.is_some_and(|(_, named_at)| named_at >= sent_at);
    let was_said_since = last.is_some_and(|last| last.received_at >= sent_at);
    Ok((!was_said_since && !was_named_since).then_some((power, what)))
}

/// The reply to a message about the notice. `None`: none was sent since the person's last message, or
/// it is about something else.
pub(in crate::ingest) fn answer(turn: &MessageTurn, tx: &mut Tx) -> Result<Option<String>> {
    let Some((power, what)) = announced(turn, tx)? else {
        return Ok(None);
    };
    let Some(answer) = notice_answer(&turn.message.text) else {
        return Ok(None);
    };
    if let NoticeAnswer::Again(time) = &answer {
        let request = turn.understand_own(&format!("remind me {time} of {what}"));
        return match request {
            request @ Intent::Remind { .. } => {
                reminder_requests::set_requested(turn, tx, request).map(Some)
            }
            _ => Ok(None),
        };
    }
    let power = Power::named(&power).filter(|power| turn.flags.superpower(*power));
    let action = power.and_then(|power| Some((power, power.on_notice_answer(&what, answer)?)));
    let Some((power, action)) = action else {
        return Ok(None);
    };
    if !gate::has_superpowers(turn, tx)? {
        return Ok(None);
    }
    let reply = attempt::act(turn, tx, power, action)?;
    if reply.is_some() {
        question::close(turn, tx)?;
    }
    Ok(reply.map(|reply| text_of(turn, reply)))
}
