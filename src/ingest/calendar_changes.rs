//! Changes of a person's calendar, from the question to its confirmation. `services` carries them
//! out afterwards and tells the person the outcome: no reply claims a change before it is made.

use super::dialog::latest::{ItemEvent, LastNamed, NotedEvent};
use super::dialog::question::{self, PendingCalendarChange, Question};
use super::turn::MessageTurn;
use crate::assistant::powers::CalendarRequest;
use crate::assistant::wording;
use crate::error::Result;
use crate::model::calendar_change::{CalendarChange, ChangedEvent};
use crate::random;
use crate::store::{CalendarId, Tx};

/// Changes of one person that are under way.
const CHANGES_MAX: i64 = 10;

/// Notes the question whether to do it. What is said instead where it can't be done.
pub(super) fn ask(
    turn: &MessageTurn,
    tx: &mut Tx,
    request: CalendarRequest,
) -> Result<Option<String>> {
    if turn.agent.is_none() {
        return Ok(Some(wording::CALENDAR_CHANGE_NOT_HERE.to_owned()));
    }
    let pending = match request {
        CalendarRequest::Add {
            calendar,
            title,
            time,
            done,
        } => PendingCalendarChange {
            calendar,
            change: CalendarChange::Add {
                uid: random::uuid().to_string(),
                title,
                time,
            },
            done,
        },
        CalendarRequest::Move {
            event,
            whole_series,
            to,
            done,
        } => match changed_event(turn, tx, event, false)? {
            Some((calendar, event)) => PendingCalendarChange {
                calendar,
                change: match whole_series {
                    true => CalendarChange::MoveSeries { event, to },
                    false => CalendarChange::Move { event, to },
                },
                done,
            },
            None => return Ok(Some(wording::CALENDAR_EVENT_HAS_NO_VERSION.to_owned())),
        },
        CalendarRequest::Delete {
            event,
            whole_series,
            done,
        } => match changed_event(turn, tx, event, whole_series)? {
            Some((calendar, event)) => PendingCalendarChange {
                calendar,
                change: CalendarChange::Delete { event },
                done,
            },
            None => return Ok(Some(wording::CALENDAR_EVENT_HAS_NO_VERSION.to_owned())),
        },
    };
    question::ask(turn, tx, &Question::ChangeCalendar(pending))?;
    Ok(None)
}

/// `None`: its version is not known, so that it can't be changed safely.
fn changed_event(
    turn: &MessageTurn,
    tx: &Tx,
    id: i64,
    whole_series: bool,
) -> Result<Option<(i64, ChangedEvent)>> {
    let Some(row) = tx.view().calendar_event(turn.user.id, id)? else {
        return Ok(None);
    };
    let facts = row.facts;
    Ok(facts.etag.map(|etag| {
        let event = ChangedEvent {
            uid: facts.uid,
            instance: match whole_series {
                true => String::new(),
                false => facts.instance,
            },
            title: facts.details.title,
            time: facts.time,
            object: facts.object,
            etag,
        };
        (row.calendar.0, event)
    }))
}

/// The person said yes.
pub(super) fn begin(
    turn: &MessageTurn,
    tx: &mut Tx,
    request: &PendingCalendarChange,
) -> Result<String> {
    let calendar = CalendarId(request.calendar);
    let known = tx.view().calendar(calendar)?;
    if known.is_none_or(|row| row.user != turn.user.id) {
        return Ok(wording::CALENDAR_GONE.to_owned());
    }
    if tx.view().count_calendar_changes(turn.user.id)? >= CHANGES_MAX {
        return Ok(wording::CALENDAR_CHANGES_UNDER_WAY.to_owned());
    }
    tx.insert_calendar_change(
        turn.user.id, calendar, &request.change, &request.done, turn.now,
    )?;
    let changed = LastNamed {
        calendar_event: Some(NotedEvent {
            uid: request.change.uid().to_owned(),
            instance: request.change.instance().to_owned(),
        }),
        ..LastNamed::of(ItemEvent::Set, &[])
    };
    changed.note(turn, tx)?;
    Ok(wording::CALENDAR_CHANGE_BEGUN.to_owned())
}
