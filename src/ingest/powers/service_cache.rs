//! What is read of a person's calendars and mailboxes for superpowers: which are connected, and
//! the events around now. Each is read once for all superpowers that are looked at together.

use std::collections::HashMap;

use crate::assistant::powers::{EventFact, Power};
use crate::clock::{Timestamp, Zone};
use crate::error::Result;
use crate::model::calendar::{DAY_MS, EventStatus, EventTime, Participation};
use crate::store::{CalendarEvent, ServiceRow, Tx, UserId};

/// The data of a person's services that was read for one superpower and serves the next, in the
/// same transaction.
#[derive(Default)]
pub(super) struct ServiceCache {
    connected: Option<ConnectedKinds>,
    /// By the days before and after now.
    events: HashMap<(i64, i64), Vec<EventFact>>,
}

#[derive(Clone, Copy)]
pub(super) struct ConnectedKinds {
    pub(super) calendar: bool,
    pub(super) mailbox: bool,
    /// There is no calendar, but the mailbox holds invitations.
    pub(super) invitations: bool,
}

impl ServiceCache {
    pub(super) fn connected(
        &mut self,
        tx: &Tx,
        user: UserId,
        now: Timestamp,
    ) -> Result<ConnectedKinds> {
        if let Some(known) = self.connected {
            return Ok(known);
        }
        let services = tx.view().services(user)?;
        let is_calendar = |service: &ServiceRow| service.kind.is_calendar();
        let found = ConnectedKinds {
            calendar: services.iter().any(is_calendar),
            mailbox: !services.iter().all(is_calendar),
            invitations: !services.is_empty() && tx.view().has_invitations(user, now)?,
        };
        self.connected = Some(found);
        Ok(found)
    }

    /// Events around now, and recently cancelled ones.
    pub(super) fn events(
        &mut self,
        tx: &Tx,
        power: Power,
        (user, zone): (UserId, Zone),
        now: Timestamp,
    ) -> Result<Vec<EventFact>> {
        let (before, after) = days_around(power);
        let view = tx.view();
        let mut found = match self.events.get(&(before, after)) {
            Some(known) => known.clone(),
            None => {
                let span = now.plus_ms(-before * DAY_MS)..now.plus_ms(after * DAY_MS);
                let events = view.events_between(user, &span, zone)?.into_iter();
                let events: Vec<EventFact> = events.map(|event| to_event(event, zone)).collect();
                self.events.insert((before, after), events.clone());
                events
            }
        };
        if power == Power::CalendarEvents {
            let changed = view.event_changes_since(user, now.plus_ms(-DAY_MS))?;
            for gone in changed {
                // Another calendar may hold it still, or have lost it as well.
                let is_copy = |event: &EventFact| {
                    event.uid == gone.facts.uid && event.instance == gone.facts.instance
                };
                if gone.facts.status == EventStatus::Cancelled && !found.iter().any(is_copy) {
                    found.push(to_event(gone, zone));
                }
            }
        }
        Ok(found)
    }
}

/// Converts a calendar's event for superpowers.
pub(super) fn to_event(event: CalendarEvent, zone: Zone) -> EventFact {
    let time = event.facts.time;
    let moments = time.within(zone);
    let details = event.facts.details;
    let was = event
        .was_starts_at
        .map(|starts_at| EventTime { starts_at, ..time });
    let is_declined = details.is_declined();
    // Whoever invites the person comes, also where the list does not name them.
    let organiser = details.organiser.iter().filter(|organiser| {
        let mut listed = details.attendees.iter();
        details.own_participation.is_some() && !listed.any(|one| one.email == organiser.email)
    });
    let people = organiser
        .chain(&details.attendees)
        .filter(|person| person.participation != Participation::Declined);
    let named = people.map(|person| match person.name.as_str() {
        "" => person.email.clone(),
        name => name.to_owned(),
    });
    EventFact {
        id: event.id,
        calendar: event.calendar.0,
        uid: event.facts.uid,
        instance: event.facts.instance,
        people: named.filter(|name| !name.is_empty()).collect(),
        title: details.title,
        place: details.place,
        link: details.link,
        phone: details.phone,
        is_call: details.is_call,
        starts_at: moments.start,
        ends_at: moments.end,
        is_all_day: time.is_all_day(),
        is_busy: details.is_busy,
        is_recurring: details.is_recurring,
        is_declined,
        is_cancelled: event.facts.status == EventStatus::Cancelled,
        first_seen_at: event.first_seen_at,
        changed_at: event.changed_at,
        was_starts_at: was.map(|was| was.within(zone).start),
    }
}

/// The days before and after today whose events a superpower uses.
fn days_around(power: Power) -> (i64, i64) {
    match power {
        // All of the week that is asked about.
        Power::CalendarQueryAgent => (7, 62),
        Power::CalendarStressAgent => (36, 15),
        Power::CalendarListAgent => (0, 0),
        Power::TravelBrain | Power::TripPlanner | Power::ReservationPrep => (3, 31),
        _ => (3, 3),
    }
}
