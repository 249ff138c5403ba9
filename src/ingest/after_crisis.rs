//! What somebody says in a chat after the answer to a crisis: until it is over, no light answer, and
//! one beyond the limits.

use super::dialog::question::Question;
use super::dialog::{self, question};
use super::turn::MessageTurn;
use super::{Mode, PreparedMessage};
use crate::assistant::{self, Intent, PossibleMeanings, wording};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::store::{DialogPart, RoomId, Tx, UserId};

/// How long what somebody says after a crisis is answered whatever the limits, and may end it.
const CRISIS_MS: i64 = 60 * 60_000;

/// Whether a message in a direct chat is talk after the answer to a crisis. Called before it has its turn.
pub(super) fn is_told(tx: &mut Tx, prepared: &PreparedMessage) -> Result<bool> {
    let (message, now) = (&prepared.message, prepared.now);
    if message.mode == Mode::Group || asks_for_something(&prepared.understood.intent) {
        return Ok(false);
    }
    let Some(user) = tx.user_by_phone(&message.sender)? else {
        return Ok(false);
    };
    let Some(room) = tx.room(&message.chat_guid)? else {
        return Ok(false);
    };
    let stored = tx.question(room.id, user.id)?;
    let open = dialog::recent(stored.as_ref(), CRISIS_MS, now);
    Ok(!room.group && matches!(open, Some((Question::Crisis { .. }, _))))
}

fn note(
    tx: &mut Tx,
    chat: (RoomId, UserId),
    question: Option<&Question>,
    now: Timestamp,
) -> Result<()> {
    dialog::note(tx, chat, DialogPart::Question, question, now)
}

/// "help me", talk and short answers ask for nothing else.
fn asks_for_something(intent: &Intent) -> bool {
    let is_talk = matches!(
        intent,
        Intent::Help(None) | Intent::Say(_) | Intent::FollowUp { .. }
    );
    intent.is_command() && !is_talk
}

/// Notes the answer to a crisis for this chat and for each direct chat of the person.
pub(super) fn begin(turn: &MessageTurn, tx: &mut Tx, language: Option<String>) -> Result<()> {
    let crisis = Question::Crisis { language };
    question::ask(turn, tx, &crisis)?;
    for room in tx.direct_chats_of(turn.user.id)? {
        if room != turn.room.id {
            note(tx, (room, turn.user.id), Some(&crisis), turn.now)?;
        }
    }
    Ok(())
}

/// "he's fine now" after a crisis ends it, in all chats of the person.
pub(super) fn end(turn: &MessageTurn, tx: &mut Tx) -> Result<Option<String>> {
    let may_end = |unknown: &PossibleMeanings| unknown.may_end_crisis;
    if !turn.unknown.is_none_or(may_end) || !assistant::crisis_is_over(&turn.message.text) {
        return Ok(None); // most messages
    }
    let last = question::read_last(turn, tx, CRISIS_MS)?;
    let Some((Question::Crisis { language }, _)) = last else {
        return Ok(None);
    };
    question::close(turn, tx)?;
    for room in tx.direct_chats_of(turn.user.id)? {
        let stored = tx.question(room, turn.user.id)?;
        let open = dialog::recent(stored.as_ref(), CRISIS_MS, turn.now);
        if matches!(open, Some((Question::Crisis { .. }, _))) {
            note(tx, (room, turn.user.id), None, turn.now)?;
        }
    }
    Ok(Some(wording::crisis_over(language.as_deref())))
}

/// The answer to what follows a crisis in a direct chat where nothing else may be answered: at a
/// limit, or without a language model. `None`: there was no crisis within the hour, or something is asked for.
pub(super) fn answer(turn: &MessageTurn, tx: &mut Tx, intent: &Intent) -> Result<Option<String>> {
    if turn.in_group() || asks_for_something(intent) {
        return Ok(None);
    }
    if let Some(over) = end(turn, tx)? {
        return Ok(Some(over));
    }
    words(turn, tx, CRISIS_MS)
}

/// What is said to somebody who was in a crisis so long ago at most.
pub(in crate::ingest) fn words(
    turn: &MessageTurn,
    tx: &mut Tx,
    within_ms: i64,
) -> Result<Option<String>> {
    Ok(match question::read_last(turn, tx, within_ms)? {
        Some((Question::Crisis { language }, _)) => {
            Some(wording::after_crisis(language.as_deref()))
        }
        _ => None,
    })
}
