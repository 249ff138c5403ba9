//! What superpowers say by themselves: birthdays, daily summaries, and the end of a focus,
//! which holds back what else would come.

use chatkeep::clock::Clock;

use super::support::Service;
use super::{MINUTE_MS, alone, at, noon, reply, say, service_at, subscriber, talk};
use crate::support::post;

const HOUR_MS: i64 = 60 * MINUTE_MS;

/// The texts of all commands so far, once there are `count`.
pub(super) async fn commands(service: &Service, count: usize) -> Vec<String> {
    let query = "SELECT json_extract(payload, '$.text') FROM commands ORDER BY id";
    crate::support::eventually("commands", async || {
        // Wakes the job, whatever it waits for.
        service.app.ingest.reminders.now();
        service.rows(query).len() >= count
    })
    .await;
    let rows = service.rows(query);
    assert_eq!(rows.len(), count, "{rows:?}");
    rows.iter()
        .map(|row| row[0].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_birthday_is_told_each_year_in_the_morning() {
    let clock = Clock::fixed(at("2027-03-03T12:00:00Z"));
    let service = service_at(&clock).await;
    subscriber(&service, "ana").await;
    talk(
        &service,
        alone("ana"),
        "Bo's birthday is on 5 March 1990 → in 2 days | UTC
         my time zone is Europe/Berlin → Berlin
         Cleo's birthday is on 4 March → tomorrow
         delete Cleo's birthday → no longer keep Cleo's
         status → no reminders
         reminders → no reminders",
    )
    .await;
    let alarm = "SELECT at FROM power_alarms";
    assert_eq!(service.rows(alarm), [[at("2027-03-05T08:00:00Z").0]]);
    clock.advance(at("2027-03-05T08:00:00Z").0 - clock.now().0);
    assert_eq!(
        commands(&service, 1).await,
        ["🎂 It's Bo's birthday today (37)!"]
    );
    assert_eq!(service.rows(alarm), [[at("2028-03-05T08:00:00Z").0]]);
    // The next one is missed by a day.
    let (_, folder) = service.stop().await;
    clock.advance(at("2028-03-06T12:00:00Z").0 - clock.now().0);
    let service = Service::in_folder(folder, &[], clock.clone()).await;
    let texts = commands(&service, 2).await;
    assert_eq!(texts[1], "🎂 It was Bo's birthday (38) on 5 March.");
    // Whoever has it no more isn't told, and it goes on when they have it again.
    service.set_flag("superpower.enabled", false).await;
    clock.advance(at("2029-03-05T08:00:00Z").0 - clock.now().0);
    crate::support::eventually("the next year", async || {
        service.app.ingest.reminders.now();
        service.rows(alarm) == [[at("2030-03-05T08:00:00Z").0]]
    })
    .await;
    assert_eq!(commands(&service, 2).await.len(), 2);
}

/// The kill switch is for an emergency: what falls due under it is told after it.
#[tokio::test(flavor = "multi_thread")]
async fn notices_wait_for_the_end_of_the_kill_switch() {
    let clock = Clock::fixed(at("2027-03-03T12:00:00Z"));
    let service = service_at(&clock).await;
    subscriber(&service, "ana").await;
    talk(
        &service,
        alone("ana"),
        "my time zone is UTC → UTC
         Bo's birthday is on 4 March → tomorrow
         my parcel from Zalando arrives tomorrow → 4 March",
    )
    .await;
    service.set_flag("llm.force_basic_mode", true).await;
    clock.advance(at("2027-03-04T09:00:00Z").0 - clock.now().0);
    crate::support::eventually("both wait", async || {
        service.app.ingest.reminders.now();
        let waiting = "SELECT count(*) FROM power_alarms WHERE at < due_at";
        service.rows(waiting) == [[2]]
    })
    .await;
    assert!(commands(&service, 0).await.is_empty());
    service.set_flag("llm.force_basic_mode", false).await;
    clock.advance(HOUR_MS);
    let mut texts = commands(&service, 2).await;
    texts.sort();
    let expected = [
        "🎂 It's Bo's birthday today!",
        "📦 Expected today: parcel from Zalando",
    ];
    assert_eq!(texts, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_summary_comes_every_day() {
    let clock = Clock::fixed(at("2027-03-03T12:00:00Z"));
    let service = service_at(&clock).await;
    subscriber(&service, "ana").await;
    talk(
        &service,
        alone("ana"),
        "send me my summary every day at 8am → every day at 08:00 | UTC
         add milk and eggs to my list → Added
         track habit: run daily → I track
         spent 12.50 on lunch → Noted
         remind me tomorrow at 10 to call mom → remind you tomorrow
         daily summary → Wednesday, 3 March: | To do: milk, eggs | Spent this month: 12.50 | !call mom",
    )
    .await;
    clock.advance(20 * HOUR_MS);
    let texts = commands(&service, 1).await;
    for part in ["Thursday, 4 March:", "call mom", "milk, eggs", "run"] {
        assert!(texts[0].contains(part), "{texts:?}");
    }
    clock.advance(24 * HOUR_MS);
    let texts = commands(&service, 3).await;
    assert!(
        texts.iter().any(|text| text.contains("Friday, 5 March")),
        "{texts:?}"
    );
    talk(&service, alone("ana"), "stop my daily summary → no more").await;
    assert!(service.rows("SELECT at FROM power_alarms").is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_focus_holds_reminders_back() {
    let clock = noon();
    let service = service_at(&clock).await;
    subscriber(&service, "ana").await;
    say(&service, "ben", "hello").await;
    for sender in ["ana", "ben"] {
        say(&service, sender, "remind me in 10 minutes to stretch").await;
    }
    talk(
        &service,
        alone("ana"),
        "focus for 45 minutes → Focus until 12:45 UTC",
    )
    .await;
    clock.advance(10 * MINUTE_MS);
    assert_eq!(
        commands(&service, 1).await,
        ["⏰ Reminder: stretch"],
        "Ben's"
    );
    let rooms = service.rows("SELECT chat_guid FROM commands JOIN rooms ON rooms.id = room_id");
    assert_eq!(rooms, [["chat;ben"]]);
    let (_, folder) = service.stop().await;
    let service = Service::in_folder(folder, &[], clock.clone()).await;
    service.set_flag("rate_limit.enabled", false).await;
    clock.advance(35 * MINUTE_MS);
    let texts = commands(&service, 3).await;
    assert!(
        texts.contains(&"Your focus time is over. Well done!".to_owned()),
        "{texts:?}"
    );
    assert_eq!(service.rows("SELECT count(*) FROM reminders"), [[0]]);
    // Ended early, what was held comes at once.
    say(&service, "ana", "remind me in 5 minutes to drink").await;
    say(&service, "ana", "focus for 2 hours").await;
    clock.advance(5 * MINUTE_MS);
    crate::support::eventually("held", async || {
        service.app.ingest.reminders.now();
        service.rows("SELECT due_at > send_at FROM reminders") == [[1]]
    })
    .await;
    talk(&service, alone("ana"), "stop focus → comes now").await;
    let texts = commands(&service, 4).await;
    assert_eq!(texts[3], "⏰ Reminder: drink");
    // Switched off, nothing is held.
    say(&service, "ana", "remind me in 5 minutes to eat").await;
    say(&service, "ana", "focus for 2 hours").await;
    service
        .set_flag("superpower.focus_protector.enabled", false)
        .await;
    clock.advance(5 * MINUTE_MS);
    assert_eq!(commands(&service, 5).await[4], "⏰ Reminder: eat");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_relay_without_a_queue_can_be_told_nothing() {
    let service = service_at(&noon()).await;
    subscriber(&service, "ana").await;
    for (text, part) in [
        (
            "Bo's birthday is on 5 March", "can't write to you by myself",
        ),
        ("focus for 45 minutes", "can't write to you by myself"),
        (
            "send me my summary every day at 8am", "can't write to you by myself",
        ),
        ("birthdays", "Bo's birthday"),
    ] {
        let body = crate::support::direct("ana", text);
        let answer = service.send(&post("/orchestrator/message", &body)).await;
        let reply_text = answer.json()["reply_text"].as_str().unwrap().to_owned();
        assert!(reply_text.contains(part), "{text} → {reply_text}");
    }
    assert!(service.rows("SELECT * FROM power_alarms").is_empty());
    assert!(reply(&service, "ana", "birthdays").await.contains("Bo's"));
}
