//! What superpowers write by themselves of things that somebody told of: once, in waking
//! hours, held by a focus, ended by "stop these", and only to those who have superpowers.

use chatkeep::clock::Clock;
use serde_json::json;

use super::alarms::commands;
use super::support::{Service, direct};
use super::{alone, at, reply, send, service_at, subscriber, talk};

/// Wednesday.
const NOON: &str = "2027-03-03T12:00:00Z";

pub(super) fn go_to(clock: &Clock, time: &str) {
    clock.advance(at(time).0 - clock.now().0);
}

/// Waits until everything that is due was looked at.
pub(super) async fn settled(service: &Service, clock: &Clock) {
    let due = format!(
        "SELECT count(*) FROM power_alarms WHERE due_at <= {}",
        clock.now().0
    );
    crate::support::eventually("nothing is due", async || {
        service.app.ingest.reminders.now();
        service.rows(&due) == [[0]]
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_notice_goes_out_once_also_over_restarts() {
    let clock = Clock::fixed(at(NOON));
    let service = service_at(&clock).await;
    subscriber(&service, "ana").await;
    talk(
        &service,
        alone("ana"),
        "my parcel from Zalando arrives on friday → Friday, 5 March | UTC
         keep this ticket: Coldplay concert, friday at 8 → Friday, 5 March at 20:00",
    )
    .await;
    let (_, folder) = service.stop().await;
    // Due while nothing ran.
    go_to(&clock, "2027-03-05T10:00:00Z");
    let service = Service::in_folder(folder, &[], clock.clone()).await;
    let parcel = "📦 Expected today: parcel from Zalando";
    assert_eq!(commands(&service, 1).await, [parcel]);
    let (_, folder) = service.stop().await;
    let service = Service::in_folder(folder, &[], clock.clone()).await;
    go_to(&clock, "2027-03-05T18:00:00Z");
    let texts = commands(&service, 2).await;
    assert_eq!(
        texts[1],
        "🎟️ Your ticket for today at 20:00: Coldplay concert, friday at 8"
    );
    go_to(&clock, "2027-03-07T10:00:00Z");
    settled(&service, &clock).await;
    assert_eq!(commands(&service, 2).await.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn notices_keep_to_waking_hours_and_wait_for_a_focus() {
    let clock = Clock::fixed(at(NOON));
    let service = service_at(&clock).await;
    subscriber(&service, "ana").await;
    talk(
        &service,
        alone("ana"),
        "my waking hours are 10 to 18 → 10:00 to 18:00
         my parcel from Zalando arrives tomorrow → Thursday, 4 March
         Bo's birthday is on 4 March → tomorrow",
    )
    .await;
    go_to(&clock, "2027-03-04T09:30:00Z");
    settled(&service, &clock).await;
    assert!(commands(&service, 0).await.is_empty());
    talk(
        &service,
        alone("ana"),
        "focus for 2 hours → Focus until 11:30",
    )
    .await;
    go_to(&clock, "2027-03-04T10:30:00Z");
    settled(&service, &clock).await;
    assert!(commands(&service, 0).await.is_empty());
    talk(&service, alone("ana"), "stop focus → comes now").await;
    let texts = commands(&service, 2).await;
    assert!(
        texts.iter().any(|text| text.contains("Zalando")),
        "{texts:?}"
    );
    assert!(
        texts.iter().any(|text| text.contains("Bo's birthday")),
        "{texts:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn notices_end_when_they_are_stopped_or_not_offered() {
    let clock = Clock::fixed(at(NOON));
    let service = service_at(&clock).await;
    for person in ["ana", "ben", "cleo"] {
        subscriber(&service, person).await;
    }
    for person in ["ana", "ben", "cleo"] {
        talk(
            &service,
            alone(person),
            "my parcel from Zalando arrives tomorrow → Thursday, 4 March
             my parcel from Bo arrives on saturday → Saturday, 6 March",
        )
        .await;
    }
    go_to(&clock, "2027-03-04T09:00:00Z");
    assert_eq!(commands(&service, 3).await.len(), 3);
    talk(
        &service,
        alone("ana"),
        "stop these → no longer write to you by myself about your parcels
         my parcel from Cleo arrives on sunday → You stopped my messages
         where are my parcels? → parcel from Bo",
    )
    .await;
    // Ben pays no more.
    let path = format!("/admin/users/{}/grant", service.user_id("ben"));
    let ended = service.admin("DELETE", &path, &json!({})).await;
    assert_eq!(ended.status, 200, "{}", ended.text);
    go_to(&clock, "2027-03-06T09:00:00Z");
    let texts = commands(&service, 4).await;
    assert_eq!(texts[3], "📦 Expected today: parcel from Bo");
    settled(&service, &clock).await;
    assert_eq!(commands(&service, 4).await.len(), 4);
    // Ana wants them again; the flag goes off for all.
    assert!(
        reply(&service, "ana", "resume parcels")
            .await
            .contains("again")
    );
    service
        .set_flag("superpower.package_tracking.enabled", false)
        .await;
    go_to(&clock, "2027-03-07T10:00:00Z");
    settled(&service, &clock).await;
    assert_eq!(commands(&service, 4).await.len(), 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_told_of_an_event_is_remembered() {
    let clock = Clock::fixed(at(NOON));
    let service = service_at(&clock).await;
    subscriber(&service, "ana").await;
    talk(
        &service,
        alone("ana"),
        "I have an interview tomorrow at 10 → Thursday, 4 March at 12:00
         dinner at Luigi tomorrow at 8 → Thursday, 4 March at 20:00",
    )
    .await;
    go_to(&clock, "2027-03-04T12:00:00Z");
    let texts = commands(&service, 1).await;
    assert!(texts[0].starts_with("How was the interview?"), "{texts:?}");
    let (_, folder) = service.stop().await;
    let service = Service::in_folder(folder, &[], clock.clone()).await;
    let memories = "SELECT text FROM memories ORDER BY id";
    talk(&service, alone("ana"), "hello → !Thank you for telling").await;
    assert!(service.rows(memories).is_empty());
    talk(
        &service,
        alone("ana"),
        "Really good, they were nice → Thank you for telling me
         Really good, they were nice → !Thank you for telling me",
    )
    .await;
    let memory = "interview on 4 March 2027: Really good, they were nice";
    assert_eq!(service.rows(memories), [[memory]]);
    // A dinner that is booked is asked about the next morning.
    go_to(&clock, "2027-03-04T18:00:00Z");
    assert!(commands(&service, 2).await[1].contains("Luigi"));
    go_to(&clock, "2027-03-05T09:00:00Z");
    let texts = commands(&service, 3).await;
    assert!(
        texts[2].starts_with("How was the dinner at Luigi?"),
        "{texts:?}"
    );
    talk(&service, alone("ana"), "never mind → Okay").await;
    assert_eq!(service.rows(memories), [[memory]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_photo_with_a_caption_is_a_ticket() {
    let clock = Clock::fixed(at(NOON));
    let service = service_at(&clock).await;
    subscriber(&service, "ana").await;
    let mut photo = direct("ana", "keep this ticket: Coldplay, tomorrow at 20:00");
    photo["context"] = json!({"photos": ["data:image/png;base64,iVBORw0KGgo="]});
    let answer = send(&service, &photo).await;
    let text = answer["reply_text"].as_str().unwrap();
    assert!(
        text.contains("Coldplay") && text.contains("20:00"),
        "{text}"
    );
    photo["text"] = json!("keep this ticket");
    let answer = send(&service, &photo).await;
    let text = answer["reply_text"].as_str().unwrap();
    assert!(
        text.contains("Which day") || text.contains("When"),
        "{text}"
    );
    go_to(&clock, "2027-03-04T18:00:00Z");
    let texts = commands(&service, 1).await;
    assert!(
        texts[0].starts_with("🎟️ Your ticket for today at 20:00: Coldplay"),
        "{texts:?}"
    );
    assert!(texts[0].contains("photo"), "{texts:?}");
}
