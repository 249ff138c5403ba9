//! Appointments in follow-ups: "cancel dentist and haircut", "move luigi to saturday", and "it's
//! cancelled" about the appointment that was just spoken of.

use super::which_request;
use crate::assistant::builtin::{FollowUp, ReminderRef};
use crate::assistant::powers::{Power, PowerCalls};
use crate::assistant::{self, wording};
use crate::error::Result;
use crate::ingest::dialog::latest;
use crate::ingest::listing::{self, listed};
use crate::ingest::powers::{PowerReply, attempt};
use crate::ingest::turn::MessageTurn;
use crate::ingest::{event_reminders, gate, open_reminders};
use crate::store::{Reminder, Tx};

/// The superpowers that keep appointments.
const APPOINTMENT_POWERS: [Power; 2] = [Power::ReservationPrep, Power::PostEventCheckin];

/// "it's cancelled": the reminder that was just set, or the appointment that was just told or
/// asked about.
pub(super) fn called_off(
    turn: &MessageTurn,
    tx: &mut Tx,
    what: &FollowUp,
) -> Result<Option<String>> {
    if let FollowUp::CalledOffAbout(name) = what {
        return note_cancelled(turn, tx, name);
    }
    let has_fact = latest::read_named(turn, tx)?.is_some_and(|(latest, _)| latest.fact.is_some());
    if latest::is_of_last_message(turn, tx)? && !has_fact {
        return super::cancellation::cancel(turn, tx, &ReminderRef::Latest);
    }
    cancel_just_told(turn, tx)
}

/// The appointment that was just told, moved or asked about.
pub(super) fn cancel_just_told(turn: &MessageTurn, tx: &mut Tx) -> Result<Option<String>> {
    match event_reminders::just_told(turn, tx)? {
        Some(event) => cancel_appointment(turn, tx, &event.what),
        None => Ok(None),
    }
}

/// "dentist and haircut", of which at least one is an appointment and no reminder. `reminders`:
/// those that the other names mean.
pub(super) fn cancel_appointments(
    turn: &MessageTurn,
    tx: &mut Tx,
    reminders: &[Reminder],
    names: &[String],
) -> Result<Option<String>> {
    let (mut replies, mut unknown) = (Vec::new(), Vec::new());
    for name in names {
        match cancel_appointment(turn, tx, name)? {
            Some(reply) => replies.push(reply),
            None => unknown.push(name),
        }
    }
    if replies.is_empty() {
        return Ok(None);
    }
    if !reminders.is_empty() {
        open_reminders::cancel(turn, tx, reminders)?;
        replies.push(wording::reminders_cancelled(&listed(reminders)));
    }
    let unknown = unknown.iter().map(|name| wording::nothing_named(name));
    replies.extend(unknown);
    Ok(Some(replies.join("\n")))
}

/// `None`: no appointment has that name.
pub(super) fn cancel_appointment(
    turn: &MessageTurn,
    tx: &mut Tx,
    name: &str,
) -> Result<Option<String>> {
    // "remove it, i'm tired of it"
    if assistant::is_sentence(name) {
        return Ok(None);
    }
    if let Some(reply) = change_appointment(turn, tx, &format!("cancel my {name}"))? {
        return Ok(Some(reply));
    }
    change_appointment(turn, tx, &format!("cancel my {}", as_booking(name)))
}

/// "luigi is cancelled". `None`: no appointment has that name.
pub(super) fn note_cancelled(
    turn: &MessageTurn,
    tx: &mut Tx,
    name: &str,
) -> Result<Option<String>> {
    if let Some(reply) = change_appointment(turn, tx, &format!("my {name} is cancelled"))? {
        return Ok(Some(reply));
    }
    change_appointment(turn, tx, &format!("i cancelled my {}", as_booking(name)))
}

/// "move my train to 9:40" for "train at 9:40 instead".
fn as_move(text: &str, about: &str) -> Option<String> {
    let lower = text.trim().trim_end_matches(['.', '!']).to_lowercase();
    let said = lower.strip_suffix(" instead")?;
    let (_, time) = said.split_once(&about.to_lowercase())?;
    let time = time.trim_start();
    let time = ["at ", "to "]
        .iter()
        .find_map(|link| time.strip_prefix(link));
    Some(format!("move my {about} to {}", time?))
}

/// "luigi booking on friday" for "luigi on friday".
fn as_booking(name: &str) -> String {
    let (name, time) = assistant::name_and_day(name);
    format!("{name} booking {time}").trim_end().to_owned()
}

/// "move luigi to saturday", where no reminder is named so. `None`: no booking is, either.
pub(super) fn move_appointment(
    turn: &MessageTurn,
    tx: &mut Tx,
    about: &str,
    text: &str,
) -> Result<Option<String>> {
    let said = as_move(text, about);
    let said = said.as_deref().unwrap_or(text);
    if let Some(reply) = change_appointment(turn, tx, said)? {
        return Ok(Some(reply));
    }
    let text = said.replacen(about, &as_booking(about), 1);
    change_appointment(turn, tx, &text)
}

fn change_appointment(turn: &MessageTurn, tx: &mut Tx, text: &str) -> Result<Option<String>> {
    if turn.in_group() || !gate::has_superpowers(turn, tx)? {
        return Ok(None);
    }
    let PowerCalls { calls, .. } = turn.recognise(text);
    for call in calls {
        let is_offered =
            APPOINTMENT_POWERS.contains(&call.power) && turn.flags.superpower(call.power);
        if !is_offered {
            continue;
        }
        match attempt::act_if_known(turn, tx, call.power, call.action)? {
            Some(PowerReply::Said {
                text,
                changed: true,
            }) => return Ok(Some(text)),
            // Which of several is meant.
            Some(PowerReply::Said { text, .. }) if which_request::is_asked(turn, tx)? => {
                listing::forget_after(turn, tx, &text)?;
                return Ok(Some(text));
            }
            _ => {}
        }
    }
    Ok(None)
}
