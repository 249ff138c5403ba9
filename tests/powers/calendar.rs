//! Superpowers over a connected calendar: what is written before events, in the morning and
//! about changes, and what is answered. The calendar's rows are written as a sync writes them.

use chatkeep::clock::Clock;
use chatkeep::model::calendar::{
    EventChange, EventClock, EventDetails, EventFacts, EventPerson, EventStatus, EventTime,
    Participation,
};
use chatkeep::model::connected_service::ServiceKind;
use chatkeep::store::{CalendarId, ListedCalendar, NewService, UserId};

use super::alarms::commands;
use super::notices::{go_to, settled};
use super::support::Service;
use super::{NO_SYNC, alone, at, reply, say, service_at, subscriber, talk};

/// Sunday.
const SUNDAY: &str = "2027-03-07T12:00:00Z";

pub(super) fn event(uid: &str, from: &str, to: &str, details: EventDetails) -> EventFacts {
    EventFacts {
        uid: uid.to_owned(),
        instance: String::new(),
        object: String::new(),
        etag: None,
        time: EventTime {
            clock: EventClock::Zoned,
            starts_at: at(from),
            ends_at: at(to),
        },
        status: EventStatus::Confirmed,
        details,
    }
}

pub(super) fn titled(title: &str) -> EventDetails {
    EventDetails {
        title: title.to_owned(),
        is_busy: true,
        ..EventDetails::default()
    }
}

pub(super) fn standup(from: &str, to: &str) -> EventFacts {
    let ana = EventPerson {
        name: "Ana Silva".to_owned(),
        email: "ana@example.org".to_owned(),
        participation: Participation::Accepted,
    };
    let details = EventDetails {
        link: "https://meet.example.org/x".to_owned(),
        is_call: true,
        attendees: vec![ana],
        ..titled("Standup")
    };
    event("standup", from, to, details)
}

fn dentist(from: &str, to: &str) -> EventFacts {
    let details = EventDetails {
        place: "Main Street 5, Springfield".to_owned(),
        ..titled("Dentist")
    };
    event("dentist", from, to, details)
}

/// Connects a calendar of somebody who has written before.
pub(super) async fn connect(service: &Service, phone: &str) -> UserId {
    let rows = service.rows(&format!("SELECT id FROM users WHERE phone = '{phone}'"));
    let user = UserId(rows[0][0].as_i64().unwrap());
    let now = service.app.clock.now();
    let connected = service.app.store.write(move |tx| {
        let id = tx.insert_service(&NewService {
            service_id: "service",
            user,
            kind: ServiceKind::Ics,
            name: "Work",
            host: "calendar.example.org",
            credentials: b"sealed",
            now,
            next_sync_at: at(NO_SYNC),
        })?;
        let listed = ListedCalendar {
            path: String::new(),
            name: "Work".to_owned(),
            is_writable: false,
        };
        tx.put_calendar(id, user, &listed)
    });
    connected.await.unwrap();
    user
}

async fn change(service: &Service, changes: Vec<EventChange>) {
    let now = service.app.clock.now();
    let calendar = service.rows("SELECT id FROM calendars")[0][0]
        .as_i64()
        .unwrap();
    let changed = service
        .app
        .store
        .write(move |tx| tx.apply_event_changes(CalendarId(calendar), &changes, now));
    changed.await.unwrap();
}

pub(super) async fn fetched(service: &Service, events: Vec<EventFacts>) {
    let new = events.into_iter().map(Box::new).map(EventChange::Insert);
    change(service, new.collect()).await;
}

/// Waits until the job has planned what goes by calendars.
async fn planned(service: &Service) {
    crate::support::eventually("planned", async || {
        service.app.ingest.reminders.now();
        service.rows("SELECT count(*) FROM power_alarms WHERE power = 'calendar_events'") == [[1]]
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_calendar_each_says_what_it_would_do() {
    let service = service_at(&Clock::fixed(at(SUNDAY))).await;
    subscriber(&service, "ana").await;
    talk(
        &service,
        alone("ana"),
        "when do I see Bo next? → With your calendar I | connect my calendar
         which calendars → connect my calendar
         how is my week? → how full your week is | connect my calendar
         morning briefing → each morning | connect my calendar
         remind me an hour before meetings → before each event | connect my calendar
         prepare me for my next call → ten minutes before | connect my calendar
         when do I have to leave? → when to leave | connect my calendar
         when do I see Bo next? → !connect my calendar
         which calendars → connect my calendar
         my parcels → no parcels | With your mailbox I also find parcels | connect my mail
         my parcels → no parcels | !With your mailbox
         my tickets → With your mailbox I also find tickets",
    )
    .await;
    assert!(service.rows("SELECT * FROM power_alarms").is_empty());
}

/// What comes soon is told on a day with something on, and fills no day by itself.
#[tokio::test(flavor = "multi_thread")]
async fn an_empty_morning_is_silent_also_before_a_birthday() {
    let clock = Clock::fixed(at(SUNDAY));
    let service = service_at(&clock).await;
    subscriber(&service, "ana").await;
    connect(&service, "ana").await;
    let friday = standup("2027-03-12T10:00:00Z", "2027-03-12T10:30:00Z");
    fetched(&service, vec![friday]).await;
    talk(
        &service,
        alone("ana"),
        "Bo's birthday is on 9 march → 9 March
         morning briefing → Birthdays: Bo on Tuesday",
    )
    .await;
    planned(&service).await;
    for time in [
        "2027-03-07T20:00:00Z", "2027-03-08T08:00:00Z", "2027-03-09T08:00:00Z",
    ] {
        go_to(&clock, time);
        settled(&service, &clock).await;
    }
    let all = commands(&service, 1).await;
    let mornings: Vec<&String> = all
        .iter()
        .filter(|text| text.contains("Good morning!"))
        .collect();
    assert_eq!(mornings.len(), 1, "{all:?}");
    assert!(
        mornings[0].contains("Tuesday, 9 March") && mornings[0].contains("Bo today"),
        "{all:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_day_with_a_calendar_goes_as_written() {
    let clock = Clock::fixed(at(SUNDAY));
    let service = service_at(&clock).await;
    subscriber(&service, "ana").await;
    talk(
        &service,
        alone("ana"),
        "remember that Ana likes tea → remember
         it takes me 40 minutes to get to Main Street → connect my calendar",
    )
    .await;
    connect(&service, "ana").await;
    talk(
        &service,
        alone("ana"),
        "it takes me 40 minutes to get to Main Street → 40 minutes",
    )
    .await;
    fetched(
        &service,
        vec![
            standup("2027-03-08T10:00:00Z", "2027-03-08T10:30:00Z"),
            event(
                "review",
                "2027-03-08T10:15:00Z",
                "2027-03-08T11:00:00Z",
                titled("Review"),
            ),
            dentist("2027-03-08T15:00:00Z", "2027-03-08T16:00:00Z"),
        ],
    )
    .await;
    planned(&service).await;
    let mut all = Vec::new();
    for (time, count) in [
        ("2027-03-07T20:00:00Z", 1), // evening prep
        ("2027-03-08T08:00:00Z", 2), // morning
        ("2027-03-08T09:45:00Z", 3), // standup
        ("2027-03-08T09:50:00Z", 4), // call
        ("2027-03-08T10:00:00Z", 5), // review
        ("2027-03-08T14:10:00Z", 6), // leave
        ("2027-03-08T14:45:00Z", 7), // dentist
        ("2027-03-08T17:00:00Z", 8), // check-in
    ] {
        go_to(&clock, time);
        settled(&service, &clock).await;
        all = commands(&service, count).await;
    }
    let expected: [&[&str]; 8] = [
        &[
            "Tomorrow, Monday, 8 March", "10:00 Standup", "remind me tomorrow at 08:30",
        ],
        &[
            "Good morning! Monday, 8 March", "Standup and Review overlap",
            "Free between: 11:00 to 15:00",
        ],
        &["10:00: Standup", "https://meet.example.org/x"],
        &["With Ana Silva", "Ana likes tea"],
        &["10:15: Review"],
        &[
            "leave at 14:20",
            "Main Street 5",
            "openstreetmap.org/search?query=Main%20Street%205",
        ],
        &["15:00: Dentist", "Main Street 5"],
        &["How was the Dentist?"],
    ];
    for (text, parts) in all.iter().zip(expected) {
        for part in parts {
            assert!(text.contains(part), "{part} in {text}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_are_told_once_and_at_once() {
    let clock = Clock::fixed(at("2027-03-08T12:00:00Z"));
    let service = service_at(&clock).await;
    subscriber(&service, "ana").await;
    connect(&service, "ana").await;
    // Found late: it is told immediately. What is declined is not.
    let declined = EventDetails {
        own_participation: Some(Participation::Declined),
        ..titled("Party")
    };
    fetched(
        &service,
        vec![
            event(
                "soon",
                "2027-03-08T12:05:00Z",
                "2027-03-08T13:00:00Z",
                titled("Lunch"),
            ),
            event(
                "review",
                "2027-03-08T15:00:00Z",
                "2027-03-08T16:00:00Z",
                titled("Review"),
            ),
            event(
                "gone",
                "2027-03-08T17:00:00Z",
                "2027-03-08T18:00:00Z",
                titled("Retro"),
            ),
            event(
                "party", "2027-03-08T12:05:00Z", "2027-03-08T18:00:00Z", declined,
            ),
        ],
    )
    .await;
    let texts = commands(&service, 1).await;
    assert!(texts[0].contains("12:05: Lunch"), "{texts:?}");
    clock.advance(60_000);
    let ids = service
        .rows("SELECT id FROM calendar_events WHERE uid IN ('review', 'gone') ORDER BY uid DESC");
    let id = |n: usize| ids[n][0].as_i64().unwrap();
    let moved = event(
        "review",
        "2027-03-08T16:30:00Z",
        "2027-03-08T17:30:00Z",
        titled("Review"),
    );
    let update = EventChange::Update {
        id: id(0),
        facts: Box::new(moved),
        matters: true,
    };
    change(&service, vec![update, EventChange::Cancel(id(1))]).await;
    let texts = commands(&service, 2).await;
    assert!(
        texts[1].contains("Moved: Review is now on Monday, 8 March at 16:30"),
        "{texts:?}"
    );
    assert!(texts[1].contains("Cancelled: Retro"), "{texts:?}");
    // At its new time it is told again, what was cancelled is not.
    let (_, folder) = service.stop().await;
    let service = Service::in_folder(folder, &[], clock.clone()).await;
    go_to(&clock, "2027-03-08T16:15:00Z");
    assert!(commands(&service, 3).await[2].contains("16:30: Review"));
    go_to(&clock, "2027-03-08T18:30:00Z");
    settled(&service, &clock).await;
    assert_eq!(commands(&service, 3).await.len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_about_the_calendar_are_answered() {
    let clock = Clock::fixed(at("2027-03-08T09:00:00Z"));
    let service = service_at(&clock).await;
    subscriber(&service, "ana").await;
    say(&service, "ana", "my time zone is Europe/Berlin").await;
    connect(&service, "ana").await;
    fetched(
        &service,
        vec![
            standup("2027-03-09T10:00:00Z", "2027-03-09T10:30:00Z"),
            dentist("2027-03-12T13:30:00Z", "2027-03-12T14:30:00Z"),
            event(
                "late",
                "2027-03-09T10:30:00Z",
                "2027-03-09T13:30:00Z",
                titled("Workshop"),
            ),
        ],
    )
    .await;
    talk(
        &service,
        alone("ana"),
        "what's on friday? → Dentist | 14:30
         what do I have tomorrow? → 11:00–11:30 Standup | Workshop
         when do I see Ana next? → Tuesday, 9 March at 11:00 | Standup
         when do I see Bo next? → nothing with Bo
         am I free on friday between 2 and 4? → No | 14:30–15:30 Dentist
         am I free on the 11th between 2 and 4? → Yes | Thursday, 11 March from 14:00 to 16:00
         how many meetings this week? → 3 meetings this week, 4 h 30 min
         how is my week? → 4 h 30 min in 3 meetings | 1 meeting without a break | 1 day without time for lunch | block half an hour
         which calendars → 1. Work: on
         turn off calendar Work → no longer look at the calendar Work
         which calendars → 1. Work: off
         what's on friday? → !Dentist
         turn on calendar Work → look at the calendar Work again
         what's on friday? → Dentist",
    )
    .await;
    // In a group nobody's calendar is told.
    let answer = service
        .edge_message(
            "a",
            &crate::support::group("room", "ana", "juno, when do I see Ana next?"),
        )
        .await;
    assert!(!answer.text.contains("Standup"), "{}", answer.text);
    // Another way of composing.
    service.set_flag("workflow.calendar_v2", true).await;
    clock.advance(24 * 3_600_000);
    let reply_text = reply(&service, "ana", "morning briefing").await;
    assert!(
        reply_text.contains("2 events.") && reply_text.contains("Morning: 11:00–11:30 Standup"),
        "{reply_text}"
    );
    // Whoever is not offered it is answered as by an assistant without a calendar.
    service
        .set_flag("superpower.calendar_query_agent.enabled", false)
        .await;
    let reply_text = reply(&service, "ana", "what's on friday?").await;
    assert!(!reply_text.contains("Dentist"), "{reply_text}");
}
