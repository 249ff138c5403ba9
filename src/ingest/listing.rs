//! Lists of reminders, as texts, and the numbers by which the next messages mean their lines.

use super::dialog::{self, NUMBERS_MS, latest};
use super::turn::MessageTurn;
use super::{direct_chat, open_reminders};
use crate::assistant::wording;
use crate::clock::{Timestamp, Zone};
use crate::error::Result;
use crate::store::{DialogPart, Reminder, Tx};

/// The ids of the list that was shown last, and when.
pub(super) fn shown(turn: &MessageTurn, tx: &Tx) -> Result<Option<(Vec<String>, Timestamp)>> {
    let noted = tx.dialog(turn.room.id, turn.user.id)?.listed;
    Ok(dialog::recent(noted.as_ref(), NUMBERS_MS, turn.now))
}

/// Texts for a list, with their recurrence.
pub(super) fn described(
    reminders: &[Reminder],
    timezone: Option<Zone>,
) -> Vec<(String, Timestamp)> {
    let text = |r: &Reminder| wording::listed_text(&r.text, r.recurrence.as_ref(), timezone);
    reminders.iter().map(|r| (text(r), r.send_at)).collect()
}

pub(super) fn pairs(described: &[(String, Timestamp)]) -> Vec<(&str, Timestamp)> {
    let pairs = described.iter();
    pairs.map(|(text, at)| (text.as_str(), *at)).collect()
}

pub(super) fn listed(reminders: &[Reminder]) -> Vec<(&str, Timestamp)> {
    let reminders = reminders.iter();
    reminders.map(|r| (r.text.as_str(), r.send_at)).collect()
}

/// Stores these reminders' list numbers.
pub(super) fn note(turn: &MessageTurn, tx: &mut Tx, reminders: &[Reminder]) -> Result<()> {
    let ids: Vec<&str> = reminders.iter().map(|r| r.schedule_id.as_str()).collect();
    dialog::note(
        tx,
        turn.dialog_key(),
        DialogPart::Listed,
        Some(&ids),
        turn.now,
    )
}

/// Texts for a list; in a direct chat those of groups say so.
pub(super) fn described_here(
    turn: &MessageTurn,
    tx: &Tx,
    reminders: &[Reminder],
) -> Result<Vec<(String, Timestamp)>> {
    let mut all = described(reminders, turn.timezone());
    if !turn.in_group() {
        for (reminder, (text, _)) in reminders.iter().zip(&mut all) {
            if reminder.room != turn.room.id && tx.is_group(reminder.room)? {
                *text = wording::in_a_group(text);
            }
        }
    }
    Ok(all)
}

pub(super) fn all(turn: &MessageTurn, tx: &mut Tx) -> Result<String> {
    let mut here = open_reminders::here(turn, tx)?;
    let timezone = turn.timezone();
    // "my reminders", unlike "reminders" and "our reminders".
    let is_own = turn.in_group() && !turn.by_model && turn.words().has_any(&["my", "mine"]);
    let count = here.len();
    here.retain(|reminder| !is_own || reminder.user == turn.user.id);
    note(turn, tx, &here)?;
    if !turn.in_group() {
        return Ok(wording::reminders(
            &pairs(&described_here(turn, tx, &here)?),
            turn.local_now(),
        ));
    }
    let others = count - here.len();
    let here = described(&here, timezone);
    let mut reply = match others {
        0 => wording::reminders_of_group(&pairs(&here), turn.local_now()),
        _ => wording::own_reminders_of_group(&pairs(&here), others, turn.local_now()),
    };
    let mut other_chats = tx.reminders(turn.user.id)?;
    other_chats.retain(|reminder| reminder.room != turn.room.id);
    if !other_chats.is_empty() && !turn.by_model {
        let text = wording::reminders(&pairs(&described(&other_chats, timezone)), turn.local_now());
        reply.push('\n');
        reply.push_str(&direct_chat::answer(turn, tx, &text)?);
    }
    Ok(reply)
}

/// After another numbered list the numbers of reminders shown before it mean nothing.
pub(super) fn forget_after(turn: &MessageTurn, tx: &mut Tx, text: &str) -> Result<()> {
    if !text.lines().any(|line| line.starts_with("1. ")) {
        return Ok(());
    }
    let none: Option<&Vec<String>> = None;
    dialog::note(tx, turn.dialog_key(), DialogPart::Listed, none, turn.now)
}

/// Asks which of them is meant. `how`: how to name one, with an example.
pub(super) fn ask_which(
    turn: &MessageTurn,
    tx: &mut Tx,
    how: &str,
    reminders: &[Reminder],
) -> Result<String> {
    note(turn, tx, reminders)?;
    Ok(wording::which_of_these(
        how,
        &listed(reminders),
        turn.local_now(),
    ))
}

/// Whether a list with this number was shown, and no reminder has come since.
pub(super) fn has_number(turn: &MessageTurn, tx: &Tx, number: usize) -> Result<bool> {
    let Some((ids, at)) = shown(turn, tx)? else {
        return Ok(false);
    };
    let latest = latest::read_named(turn, tx)?;
    let delivery = latest.and_then(|(latest, at)| latest.delivery(at, turn.now));
    Ok((1..=ids.len()).contains(&number) && delivery.is_none_or(|delivery| delivery.at < at.0))
}

/// The reminders of a list that the last message was answered with.
pub(super) fn just_shown(
    turn: &MessageTurn,
    tx: &Tx,
    here: &[Reminder],
) -> Result<Option<Vec<Reminder>>> {
    let listed = shown(turn, tx)?;
    let last = turn.previous_message(tx)?.map(|last| last.received_at);
    let Some((ids, _)) = listed.filter(|(_, at)| Some(*at) == last) else {
        return Ok(None);
    };
    let mut open = here.to_vec();
    open.retain(|reminder| ids.contains(&reminder.schedule_id));
    Ok((!open.is_empty()).then_some(open))
}

/// What the last line of a list is.
pub(super) enum LastLine {
    Reminder(Reminder),
    /// One of several times of a reminder, or what is no longer open.
    Unclear,
}

/// The last line of the list that was shown after anything else was named: "cancel the last one".
/// `None`: none was shown.
pub(super) fn last_shown(turn: &MessageTurn, tx: &Tx) -> Result<Option<LastLine>> {
    let Some((ids, at)) = shown(turn, tx)? else {
        return Ok(None);
    };
    let is_latest = match latest::read_named(turn, tx)? {
        Some((_, named_at)) => named_at < at,
        None => true,
    };
    let Some(last) = ids.last().filter(|_| is_latest) else {
        return Ok(None);
    };
    let is_once = ids.iter().filter(|id| *id == last).count() == 1;
    let mut here = open_reminders::here(turn, tx)?.into_iter();
    let open = here.find(|one| is_once && one.schedule_id == *last);
    Ok(Some(match open {
        Some(open) => LastLine::Reminder(open),
        None => LastLine::Unclear,
    }))
}
