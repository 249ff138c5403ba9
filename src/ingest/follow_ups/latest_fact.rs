//! The fact that was stated last, as a memory or a name, which "that" then means instead of an older reminder.

use crate::assistant::wording;
use crate::error::Result;
use crate::ingest::dialog::latest::{self, ItemEvent, LastNamed, StatedFact};
use crate::ingest::turn::MessageTurn;
use crate::ingest::undo;
use crate::ingest::{listing, open_reminders};
use crate::store::Tx;

/// "delete that": the memory that the last message stated is forgotten. A name stays, and what was
/// told before that is asked about. `None`: nothing was told since the reminder that was named last.
pub(super) fn take_back(turn: &MessageTurn, tx: &mut Tx) -> Result<Option<String>> {
    let here = open_reminders::here(turn, tx)?;
    if latest_fact(turn, tx)?.is_none() || listing::just_shown(turn, tx, &here)?.is_some() {
        return Ok(None);
    }
    if !is_of_last_message(turn, tx)? {
        return Ok(Some(wording::THAT_UNCLEAR.to_owned()));
    }
    let fact = latest_fact(turn, tx)?.and_then(|latest| latest.fact);
    match fact {
        // Corrected or not, it goes, and "undo" brings it back.
        Some(fact @ (StatedFact::Memory(_) | StatedFact::CorrectedMemory(_))) => {
            undo::undo_fact(turn, tx, &fact).map(Some)
        }
        _ => undo::undo_last(turn, tx),
    }
}

/// Whether a memory was stated since the reminder that was named last: it is not moved.
pub(super) fn is_memory(turn: &MessageTurn, tx: &Tx) -> Result<bool> {
    let fact = latest_fact(turn, tx)?.and_then(|latest| latest.fact);
    Ok(matches!(
        fact,
        Some(StatedFact::Memory(_) | StatedFact::CorrectedMemory(_))
    ))
}

/// Whether the last message told it, and did nothing else.
pub(super) fn is_of_last_message(turn: &MessageTurn, tx: &Tx) -> Result<bool> {
    let is_alone = latest_fact(turn, tx)?.is_some_and(|latest| {
        let changes = &latest.changes;
        changes.set.is_empty() && changes.changed.is_empty() && changes.memories.len() < 2
    });
    Ok(is_alone && latest::is_of_last_message(turn, tx)?)
}

/// What was noted last, if that is something told.
fn latest_fact(turn: &MessageTurn, tx: &Tx) -> Result<Option<LastNamed>> {
    let latest = latest::read_named(turn, tx)?.map(|(latest, _)| latest);
    let is_told = |latest: &LastNamed| {
        let is_delivery = latest.event == ItemEvent::Delivered && latest.message_id.is_none();
        latest.fact.is_some() && !latest.is_undone && !is_delivery
    };
    Ok(latest.filter(is_told))
}
