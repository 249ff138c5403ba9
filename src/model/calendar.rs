//! Events of connected calendars: their data, their time in a zone, and how a newly fetched list
//! differs from the stored one.

use std::collections::HashMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::clock::{Timestamp, Zone, at_wall_time};

/// Events are kept from so long ago …
pub const WINDOW_PAST_DAYS: i64 = 35;
/// … to so far ahead.
const WINDOW_AHEAD_DAYS: i64 = 400;
/// Milliseconds of a day.
pub const DAY_MS: i64 = 86_400_000;

/// How the times of an event are to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventClock {
    /// Moments.
    Zoned,
    /// Times on the wall of wherever the person is, written as if they were UTC.
    Floating,
    /// Midnights on the wall, written as if they were UTC.
    AllDay,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventStatus {
    Confirmed,
    Tentative,
    Cancelled,
}

/// An invited person's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Participation {
    #[default]
    NeedsAction,
    Accepted,
    Declined,
    Tentative,
}

/// Somebody who takes part in an event.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct EventPerson {
    /// Empty where the calendar says none.
    pub name: String,
    /// Lower case; empty where there is none.
    pub email: String,
    pub participation: Participation,
}

/// When an event is: `ends_at` is exclusive, and not before `starts_at`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventTime {
    pub clock: EventClock,
    pub starts_at: Timestamp,
    pub ends_at: Timestamp,
}

/// An event's details beside its time. Texts are from outside: they are data for people, and quoted
/// where a language model sees them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct EventDetails {
    pub title: String,
    pub place: String,
    /// The address of a call, or the event's link; http or https; empty: none.
    pub link: String,
    /// The link is of a call.
    pub is_call: bool,
    /// A phone number to dial in; empty: none.
    pub phone: String,
    /// Text without HTML, at most 2,000 characters.
    pub description: String,
    pub organiser: Option<EventPerson>,
    /// At most 50.
    pub attendees: Vec<EventPerson>,
    /// The time is not free: not marked as transparent or free.
    pub is_busy: bool,
    /// The person's own answer; `None`: they were not invited, it is their own event.
    pub own_participation: Option<Participation>,
    /// The event is one instance of a series.
    pub is_recurring: bool,
    /// The zone that the calendar names; empty: none.
    pub zone: String,
    /// The rule of its series (RFC 5545), for people who want to change it; empty: none.
    pub rule: String,
}

/// One event, or one instance of a series.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventFacts {
    /// The event's id, the same for all instances of a series.
    pub uid: String,
    /// The instance's start by the series (`20261122T083000Z`, `20261122T083000`, `20261122`),
    /// which stays when it is moved; empty for an event that comes once.
    pub instance: String,
    /// CalDAV: the path of the event's resource; empty otherwise.
    pub object: String,
    /// CalDAV: of the resource.
    pub etag: Option<String>,
    pub time: EventTime,
    pub status: EventStatus,
    pub details: EventDetails,
}

/// How one row of the kept events is to change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EventChange {
    Insert(Box<EventFacts>),
    /// `id` is the row's. `matters`: a person would want to know of the change.
    Update {
        id: i64,
        facts: Box<EventFacts>,
        matters: bool,
    },
    /// An event in the future that is no longer in the calendar: it was cancelled.
    Cancel(i64),
    /// The event was removed after its end, or is outside of the window.
    Remove(i64),
}

impl EventTime {
    /// The moments in `zone`, which only matters where the event has no moments of its own.
    pub fn within(&self, zone: Zone) -> Range<Timestamp> {
        let moment = |at: Timestamp| match self.clock {
            EventClock::Zoned => at,
            EventClock::Floating | EventClock::AllDay => {
                at_wall_time(at.utc().naive_utc(), zone).unwrap_or(at)
            }
        };
        moment(self.starts_at)..moment(self.ends_at)
    }

    pub fn is_all_day(&self) -> bool {
        self.clock == EventClock::AllDay
    }
}

impl EventDetails {
    /// The person said that they don't come.
    pub fn is_declined(&self) -> bool {
        self.own_participation == Some(Participation::Declined)
    }
}

impl EventFacts {
    /// A person would want to know of the difference.
    fn matters_against(&self, before: &Self) -> bool {
        let now = (&self.details.title, &self.details.place, &self.details.link);
        let then = (
            &before.details.title, &before.details.place, &before.details.link,
        );
        self.time != before.time || self.status != before.status || now != then
    }
}

/// The moments that are kept.
pub fn window(now: Timestamp) -> Range<Timestamp> {
    now.plus_ms(-WINDOW_PAST_DAYS * DAY_MS)..now.plus_ms(WINDOW_AHEAD_DAYS * DAY_MS)
}

/// The changes that make `stored` (with the rows' ids) into `fetched`.
pub fn differences(
    stored: &[(i64, EventFacts)],
    fetched: Vec<EventFacts>,
    now: Timestamp,
) -> Vec<EventChange> {
    let key = |facts: &EventFacts| (facts.uid.clone(), facts.instance.clone());
    let rows = stored.iter().map(|(id, facts)| (key(facts), (*id, facts)));
    let mut left: HashMap<(String, String), (i64, &EventFacts)> = rows.collect();
    let mut changes = Vec::new();
    for facts in fetched {
        match left.remove(&key(&facts)) {
            None => changes.push(EventChange::Insert(Box::new(facts))),
            Some((_, before)) if *before == facts => {}
            Some((id, before)) => changes.push(EventChange::Update {
                id,
                matters: facts.matters_against(before),
                facts: Box::new(facts),
            }),
        }
    }
    let mut removed: Vec<(i64, &EventFacts)> = left.into_values().collect();
    removed.sort_by_key(|(id, _)| *id);
    for (id, facts) in removed {
        // Times on the wall may be half a day off; what is over is over in every zone then.
        let is_over = facts.time.ends_at.plus_ms(DAY_MS) <= now;
        match (is_over, facts.status) {
            (true, _) => changes.push(EventChange::Remove(id)),
            (false, EventStatus::Cancelled) => {}
            (false, _) => changes.push(EventChange::Cancel(id)),
        }
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    fn event(uid: &str, starts: &str, title: &str) -> EventFacts {
        EventFacts {
            uid: uid.to_owned(),
            instance: String::new(),
            object: String::new(),
            etag: None,
            time: EventTime {
                clock: EventClock::Zoned,
                starts_at: at(starts),
                ends_at: at(starts).plus_s(3600),
            },
            status: EventStatus::Confirmed,
            details: EventDetails {
                title: title.to_owned(),
                ..EventDetails::default()
            },
        }
    }

    #[test]
    fn only_events_without_moments_depend_on_the_zone() {
        let cases = [
            (EventClock::Zoned, "2026-11-22T09:00:00Z"),
            (EventClock::Floating, "2026-11-22T08:00:00Z"),
            (EventClock::AllDay, "2026-11-22T08:00:00Z"),
        ];
        for (clock, expected) in cases {
            let mut event = event("a", "2026-11-22T09:00:00Z", "");
            event.time.clock = clock;
            let found = event.time.within("Europe/Berlin".parse().unwrap());
            assert_eq!(found.start, at(expected), "{clock:?}");
            assert_eq!(found.end, at(expected).plus_s(3600), "{clock:?}");
        }
    }

    #[test]
    fn differences_are_what_changed() {
        let now = at("2026-11-22T08:00:00Z");
        let same = event("same", "2026-11-23T09:00:00Z", "Same");
        let moved = event("moved", "2026-11-23T09:00:00Z", "Moved");
        let later = event("moved", "2026-11-23T10:00:00Z", "Moved");
        let mut noted = same.clone();
        noted.uid = "noted".to_owned();
        let mut annotated = noted.clone();
        annotated.details.description = "with a note".to_owned();
        let mut cancelled = event("cancelled", "2026-11-23T09:00:00Z", "Cancelled");
        cancelled.status = EventStatus::Cancelled;
        let fresh = event("new", "2026-11-24T09:00:00Z", "New");
        let stored = [
            (1, same.clone()),
            (2, moved),
            (3, event("gone", "2026-11-23T09:00:00Z", "Gone")),
            (4, event("over", "2026-11-02T09:00:00Z", "Over")),
            (5, cancelled),
            (6, noted),
        ];
        let fetched = vec![same, later.clone(), fresh.clone(), annotated.clone()];
        let expected = [
            EventChange::Update {
                id: 2,
                facts: Box::new(later),
                matters: true,
            },
            EventChange::Insert(Box::new(fresh)),
            EventChange::Update {
                id: 6,
                facts: Box::new(annotated),
                matters: false,
            },
            EventChange::Cancel(3),
            EventChange::Remove(4),
        ];
        assert_eq!(differences(&stored, fetched, now), expected);
    }
}
