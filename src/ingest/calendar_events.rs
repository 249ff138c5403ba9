//! Changes of a calendar event that a message names or that was named last.

use super::dialog::{LATEST_MS, latest};
use super::powers::{PowerReply, attempt};
use super::turn::MessageTurn;
use super::{gate, limits};
use crate::assistant::builtin::{FollowUp, ReminderRef, TimeChange};
use crate::assistant::powers::{CalendarQuery, EventChangeRequest, EventRef, Power, PowerAction};
use crate::assistant::wording;
use crate::error::Result;
use crate::store::Tx;

/// "move it to 2", "delete it", where the last thing named is an event.
pub(super) fn change_latest(
    turn: &MessageTurn,
    tx: &mut Tx,
    what: &FollowUp,
) -> Result<Option<String>> {
    let to: Option<TimeChange> = match what {
        FollowUp::Change {
            which: ReminderRef::Latest,
            to,
        } => Some(to.clone()),
        FollowUp::Cancel(ReminderRef::Latest) => None,
        _ => return Ok(None),
    };
    let latest = latest::read_own(turn, tx, LATEST_MS)?;
    let Some(event) = latest.and_then(|(latest, _)| latest.calendar_event) else {
        return Ok(None);
    };
    let which = EventRef::Latest {
        uid: event.uid,
        instance: event.instance,
    };
    let reply = change(turn, tx, which, to)?;
    Ok(Some(reply.unwrap_or_else(|| {
        wording::CALENDAR_EVENT_NOT_SEEN.to_owned()
    })))
}

/// "cancel lunch with Bo", where no reminder matches. `None`: no event matches either.
pub(super) fn delete_named(turn: &MessageTurn, tx: &mut Tx, name: &str) -> Result<Option<String>> {
    change(turn, tx, EventRef::Named(name.to_owned()), None)
}

fn change(
    turn: &MessageTurn,
    tx: &mut Tx,
    which: EventRef,
    to: Option<TimeChange>,
) -> Result<Option<String>> {
    let power = Power::CalendarQueryAgent;
    if turn.in_group() || !turn.flags.superpower(power) || !gate::has_superpowers(turn, tx)? {
        return Ok(None);
    }
    let action = PowerAction::CalendarQueryAgent(CalendarQuery::Change(EventChangeRequest {
        which,
        to,
        is_explicit: false,
    }));
    Ok(match attempt::act(turn, tx, power, action)? {
        Some(PowerReply::Said { text, .. }) => Some(text),
        Some(PowerReply::TooMany) => Some(limits::too_many(turn)),
        None => None,
    })
}
