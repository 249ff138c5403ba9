//! A person's preferences for messages that superpowers send on their own, stored beside their
//! states.

use crate::assistant::powers::{NoticePreferences, PREFERENCES_NAME, Power};
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::ingest::dialog::latest;
use crate::ingest::turn::MessageTurn;
use crate::store::{PowerOwner, PowerState, PowerStateWrite, Tx, UserId};

/// The preferences of somebody who said nothing about notices are the usual ones.
pub(super) fn preferences(tx: &Tx, user: UserId) -> Result<NoticePreferences> {
    let row = tx.power_state(PowerOwner::User(user), PREFERENCES_NAME)?;
    row.map_or_else(
        || Ok(NoticePreferences::default()),
        |row| serde_json::from_str(&row.state).map_err(Error::internal),
    )
}

/// Whether a summary or an evening message came after all else that was said or named here.
pub(in crate::ingest) fn is_last_summary(turn: &MessageTurn, tx: &Tx) -> Result<bool> {
    if turn.in_group() {
        return Ok(false);
    }
    let said = match turn.room.head {
        Some(head) => tx.view().chain(head, 1)?.into_iter().next(),
        None => None,
    };
    let named = latest::read_named(turn, tx)?.map(|(_, at)| at);
    let last = named.max(said.map(|said| said.received_at));
    let preferences = preferences(tx, turn.user.id)?;
    Ok(last.is_some_and(|last| preferences.summary_after(last).is_some()))
}

pub(super) fn keep(
    tx: &Tx,
    user: UserId,
    preferences: &NoticePreferences,
    now: Timestamp,
) -> Result<()> {
    let state = PowerState {
        name: PREFERENCES_NAME.to_owned(),
        state: serde_json::to_string(preferences).map_err(Error::internal)?,
        previous: None,
    };
    let write = PowerStateWrite::without_message(now);
    tx.set_power_state(PowerOwner::User(user), &state, write)
}

/// Whoever asks for a summary each day wants it to come.
pub(super) fn resume_summary(
    turn: &MessageTurn,
    tx: &Tx,
    power: Power,
    preferences: &mut NoticePreferences,
) -> Result<()> {
    if power != Power::DailySummary || !preferences.is_muted(power) {
        return Ok(());
    }
    preferences.resume(power);
    keep(tx, turn.user.id, preferences, turn.now)
}

/// Records the same where the service's own part answers. True: the person was not told yet.
pub(in crate::ingest) fn note_first_offer(
    turn: &MessageTurn,
    tx: &Tx,
    power: Power,
) -> Result<bool> {
    let mut preferences = preferences(tx, turn.user.id)?;
    if preferences.is_offered(power) {
        return Ok(false);
    }
    preferences.note_offer(power);
    keep(tx, turn.user.id, &preferences, turn.now)?;
    Ok(true)
}
