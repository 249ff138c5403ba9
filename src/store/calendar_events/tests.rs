//! Which rows a calendar's events become, and which of them a person has.

use super::super::{ListedCalendar, NewService, Store};
use super::*;
use crate::model::calendar::EventDetails;
use crate::model::calendar::{EventClock, EventStatus, Participation, differences};
use crate::model::connected_service::ServiceKind;

const USER: UserId = UserId(1);

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

fn event(uid: &str, clock: EventClock, starts: &str, hours: i64) -> EventFacts {
    EventFacts {
        uid: uid.to_owned(),
        instance: String::new(),
        object: String::new(),
        etag: None,
        time: EventTime {
            clock,
            starts_at: at(starts),
            ends_at: at(starts).plus_s(hours * 3600),
        },
        status: EventStatus::Confirmed,
        details: EventDetails {
            title: format!("With {uid}"),
            ..EventDetails::default()
        },
    }
}

/// A store with a person who connected one calendar.
async fn with_calendar(folder: &tempfile::TempDir) -> (Store, CalendarId) {
    let store = Store::open_in(folder.path());
    let added = store.write(|tx| {
        let user = "INSERT INTO users (id, user_id, created_at) VALUES (1, 'u', 1)";
        tx.execute(user, []).map(drop)
    });
    added.await.unwrap();
    let calendar = connect_calendar(&store, "s").await;
    (store, calendar)
}

async fn connect_calendar(store: &Store, service_id: &'static str) -> CalendarId {
    let connected = store.write(move |tx| {
        let service = tx.insert_service(&NewService {
            service_id,
            user: USER,
            kind: ServiceKind::Ics,
            name: "Work",
            host: "example.com",
            credentials: b"sealed",
            next_sync_at: Timestamp(0),
            now: Timestamp(0),
        })?;
        let listed = ListedCalendar {
            path: String::new(),
            name: "Work".to_owned(),
            is_writable: false,
        };
        tx.put_calendar(service, USER, &listed)?;
        Ok(tx.calendars_of(service)?[0].id)
    });
    connected.await.unwrap()
}

/// Makes the calendar hold these events.
async fn fetch(store: &Store, calendar: CalendarId, events: Vec<EventFacts>, now: Timestamp) {
    let changed = store.write(move |tx| {
        let kept = tx.events_of_calendar(calendar)?;
        tx.apply_event_changes(calendar, &differences(&kept, events, now), now)
    });
    changed.await.unwrap();
}

async fn titles(store: &Store, from: &str, to: &str, zone: &str) -> Vec<String> {
    let (span, zone) = (at(from)..at(to), zone.parse().unwrap());
    let events = store.read(move |view| view.events_between(USER, &span, zone));
    let events = events.await.unwrap();
    events.into_iter().map(|event| event.facts.uid).collect()
}

#[tokio::test]
async fn events_are_found_by_the_persons_day() {
    let folder = tempfile::tempdir().unwrap();
    let (store, calendar) = with_calendar(&folder).await;
    let now = at("2026-11-22T08:00:00Z");
    let events = vec![
        event("zoned", EventClock::Zoned, "2026-11-22T23:30:00Z", 1),
        event("floating", EventClock::Floating, "2026-11-22T23:30:00Z", 1),
        event("day", EventClock::AllDay, "2026-11-22T00:00:00Z", 24),
        event("next", EventClock::AllDay, "2026-11-23T00:00:00Z", 24),
        event("long", EventClock::Zoned, "2026-11-20T00:00:00Z", 96),
    ];
    fetch(&store, calendar, events, now).await;
    // The 22nd in UTC and in Berlin, an hour earlier.
    let cases = [
        (
            "2026-11-22T00:00:00Z", "2026-11-23T00:00:00Z", "UTC", "long day zoned floating",
        ),
        (
            "2026-11-21T23:00:00Z", "2026-11-22T23:00:00Z", "Europe/Berlin", "long day floating",
        ),
        (
            "2026-11-22T23:00:00Z", "2026-11-23T23:00:00Z", "Europe/Berlin", "long next zoned",
        ),
    ];
    for (from, to, zone, expected) in cases {
        let found = titles(&store, from, to, zone).await.join(" ");
        let mut found: Vec<&str> = found.split(' ').collect();
        // The event that ends at half past midnight is of both days.
        found.retain(|uid| !(*uid == "floating" && expected.contains("next")));
        assert_eq!(found.join(" "), expected, "{from} {zone}");
    }
}

#[tokio::test]
async fn changes_are_noticed_and_a_calendar_that_is_off_is_not_used() {
    let folder = tempfile::tempdir().unwrap();
    let (store, calendar) = with_calendar(&folder).await;
    let (first, second) = (at("2026-11-22T08:00:00Z"), at("2026-11-22T08:05:00Z"));
    let meeting = event("meeting", EventClock::Zoned, "2026-11-22T10:00:00Z", 1);
    let lunch = event("lunch", EventClock::Zoned, "2026-11-22T12:00:00Z", 1);
    let same = event("same", EventClock::Zoned, "2026-11-22T14:00:00Z", 1);
    let events = vec![meeting.clone(), lunch, same.clone()];
    fetch(&store, calendar, events, first).await;
    let mut moved = meeting;
    moved.time.starts_at = at("2026-11-22T10:30:00Z");
    fetch(&store, calendar, vec![moved, same], second).await;
    let changes = store.read(move |view| view.event_changes_since(USER, first));
    let changes = changes.await.unwrap();
    let found: Vec<_> = changes
        .iter()
        .map(|event| {
            (
                event.facts.uid.as_str(),
                event.facts.status,
                event.was_starts_at,
            )
        })
        .collect();
    let was = Some(at("2026-11-22T10:00:00Z"));
    assert_eq!(
        found,
        [
            ("meeting", EventStatus::Confirmed, was),
            ("lunch", EventStatus::Cancelled, None)
        ]
    );
    let day = ("2026-11-22T00:00:00Z", "2026-11-23T00:00:00Z");
    assert_eq!(
        titles(&store, day.0, day.1, "UTC").await,
        ["meeting", "same"]
    );
    let off = store.write(move |tx| tx.enable_calendar(calendar, false));
    off.await.unwrap();
    assert!(titles(&store, day.0, day.1, "UTC").await.is_empty());
}

#[tokio::test]
async fn an_event_in_two_calendars_counts_once() {
    let folder = tempfile::tempdir().unwrap();
    let (store, first) = with_calendar(&folder).await;
    let second = connect_calendar(&store, "t").await;
    let (now, later) = (at("2026-11-22T08:00:00Z"), at("2026-11-22T08:05:00Z"));
    let meeting = event("meeting", EventClock::Zoned, "2026-11-22T10:00:00Z", 1);
    let mut declined = event("party", EventClock::Zoned, "2026-11-22T20:00:00Z", 1);
    declined.details.own_participation = Some(Participation::Declined);
    let party = event("party", EventClock::Zoned, "2026-11-22T20:00:00Z", 1);
    fetch(&store, first, vec![meeting.clone(), declined], now).await;
    fetch(&store, second, vec![meeting.clone(), party], now).await;
    let span = now..at("2026-11-23T00:00:00Z");
    let found = async || {
        let span = span.clone();
        let read = store.read(move |view| view.events_between(USER, &span, Zone::UTC));
        let events = read.await.unwrap().into_iter();
        let shown = events.map(|event| {
            let starts_at = event.facts.time.starts_at.utc();
            let hour = starts_at.format("%H").to_string();
            format!("{} {hour} {}", event.facts.uid, event.calendar.0 - first.0)
        });
        shown.collect::<Vec<_>>().join(", ")
    };
    assert_eq!(found().await, "meeting 10 0, party 20 1");
    // The calendars learn of a change one after the other: it is one change.
    let mut moved = meeting;
    moved.time.starts_at = at("2026-11-22T11:00:00Z");
    let party = event("party", EventClock::Zoned, "2026-11-22T20:00:00Z", 1);
    fetch(&store, second, vec![moved.clone(), party.clone()], now).await;
    assert_eq!(found().await, "meeting 10 0, meeting 11 1, party 20 1");
    fetch(&store, first, vec![moved, party], later).await;
    assert_eq!(found().await, "meeting 11 1, party 20 0");
}

#[tokio::test]
async fn nothing_is_left_of_a_disconnected_service() {
    let folder = tempfile::tempdir().unwrap();
    let (store, calendar) = with_calendar(&folder).await;
    let now = at("2026-11-22T08:00:00Z");
    let events = (0..1_200).map(|n| {
        event(
            &format!("{n}"),
            EventClock::Zoned,
            "2026-11-22T10:00:00Z",
            1,
        )
    });
    fetch(&store, calendar, events.collect(), now).await;
    let day = ("2026-11-22T00:00:00Z", "2026-11-23T00:00:00Z");
    assert_eq!(titles(&store, day.0, day.1, "UTC").await.len(), 1_200);
    let service = store.write(move |tx| {
        let service = tx.services(USER)?.remove(0).id;
        tx.disconnect_service(service, now)?;
        assert!(tx.services(USER)?.is_empty());
        assert_eq!(tx.disconnected_services()?, [service]);
        Ok(service)
    });
    let service = service.await.unwrap();
    // All of it is hidden at once, and gone after some transactions.
    assert!(titles(&store, day.0, day.1, "UTC").await.is_empty());
    let mut calls = 1;
    while !store
        .write(move |tx| tx.remove_fetched_rows(service))
        .await
        .unwrap()
    {
        calls += 1;
    }
    assert_eq!(calls, 3);
    let left = store.write(|tx| {
        let count =
            "SELECT (SELECT count(*) FROM calendar_events) + (SELECT count(*) FROM calendars)
                 + (SELECT count(*) FROM connected_services)";
        Ok(tx.conn.query_row(count, [], |row| row.get::<_, i64>(0))?)
    });
    assert_eq!(left.await.unwrap(), 0);
}
