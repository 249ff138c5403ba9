//! A person's settings, as `assistant::builtin::settings` reads them: "call me Ana", and "I'm in
//! Berlin", with the reminders that were set before the time zone was known.

use super::powers::alarms;
use crate::assistant::wording;
use crate::clock::Zone;
use crate::error::Result;
use crate::ingest::dialog::latest::{self, ItemEvent, LastNamed, StatedFact};
use crate::ingest::listing::{self, listed};
use crate::ingest::turn::MessageTurn;
use crate::ingest::{direct_chat, open_reminders};
use crate::store::{Reminder, Tx};

const MINUTE_MS: i64 = 60_000;

pub(super) fn set_name(turn: &MessageTurn, tx: &mut Tx, name: &str) -> Result<String> {
    tx.set_user_name(&turn.message.sender, turn.user.id, name)?;
    latest::note_fact(turn, tx, StatedFact::Name)?;
    Ok(wording::name_set(name))
}

/// Sets the time zone. With the first one, says when the reminders come that were set for a time
/// of day in assumed UTC.
pub(super) fn set_time_zone(turn: &MessageTurn, tx: &mut Tx, zone: Zone) -> Result<String> {
    let is_changed = turn.timezone().is_some_and(|known| known != zone);
    if is_changed && direct_chat::is_kept_from(turn, tx)? {
        return Ok(wording::TIMEZONE_ALONE.to_owned());
    }
    tx.set_user_timezone(&turn.message.sender, turn.user.id, zone.name())?;
    alarms::plan(turn, tx, Some(zone), |_| true)?;
    let mut reply = wording::timezone_set(zone, turn.now);
    let in_utc = match turn.timezone() {
        Some(_) => Vec::new(),
        None => set_in_utc(turn, tx, zone)?,
    };
    if in_utc.is_empty() {
        latest::note_fact(turn, tx, StatedFact::TimeZone)?;
        return Ok(reply);
    }
    reply.push('\n');
    reply.push_str(&wording::reminders_set_in_utc(
        &listed(&in_utc),
        turn.now,
        zone,
    ));
    listing::note(turn, tx, &in_utc)?;
    let latest = LastNamed {
        fact: Some(StatedFact::TimeZone),
        ..LastNamed::of(ItemEvent::Set, &in_utc)
    };
    latest.note(turn, tx)?;
    Ok(reply)
}

/// The person's reminders here at a whole minute, whose time of day differs in `zone`. Those "in
/// 10 minutes" rarely come at a whole minute.
fn set_in_utc(turn: &MessageTurn, tx: &Tx, zone: Zone) -> Result<Vec<Reminder>> {
    let mut open = open_reminders::here(turn, tx)?;
    open.retain(|reminder| {
        let utc = reminder.send_at.utc();
        reminder.user == turn.user.id
            && reminder.send_at.0 % MINUTE_MS == 0
            && utc.with_timezone(&zone).naive_local() != utc.naive_utc()
    });
    Ok(open)
}
