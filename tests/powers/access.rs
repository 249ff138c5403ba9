//! Who may use superpowers, and what switching them off does.

use serde_json::Value;

use super::support::{direct, group};
use super::{
    alone, code, in_group, naming, noon, reply, say, send, service_at, subscribe, subscriber, talk,
};

/// Each asks for a superpower in so many words.
const CLEAR: [&str; 9] = [
    "add milk to my list", "split 90 between Ana and me", "plan a trip to Lisbon", "mood 7/10",
    "spent 12.50 on lunch", "track habit: run daily", "daily summary",
    "Ana's birthday is on 3 May", "focus for 45 minutes",
];

const SOFT: [&str; 6] = [
    "I feel great today", "I spent 12.50 on lunch", "Bo paid 30 for pizza", "I ran today",
    "done with milk", "when is my mom's birthday?",
];

const KEPT: &str =
    "SELECT (SELECT count(*) FROM power_states), (SELECT count(*) FROM power_alarms),
                    (SELECT count(*) FROM miniapp_sessions)";

#[tokio::test(flavor = "multi_thread")]
async fn free_users_are_told_when_they_ask_plainly_and_only_then() {
    let service = service_at(&noon()).await;
    for text in CLEAR {
        let answer = say(&service, "ana", text).await;
        assert_eq!(code(&answer), "superpower_requires_subscription", "{text}");
    }
    assert_eq!(service.rows(KEPT), [[0, 0, 0]]);
    let counted = service.rows("SELECT (SELECT count(*) FROM usage_days), count(*) FROM messages");
    assert_eq!(counted, [[0, 9]], "denied: kept, not counted");
    for text in SOFT {
        let answer = say(&service, "ana", text).await;
        assert_eq!(answer["access"], Value::Null, "{text}");
        assert_eq!(answer["should_respond"], true, "{text}");
    }
    assert_eq!(service.rows(KEPT), [[0, 0, 0]]);
    assert_eq!(service.rows("SELECT count FROM usage_days"), [[6]]);
    let help = reply(&service, "ana", "help").await;
    assert!(!help.contains("To-do"), "{help}");
    // No calendar is looked at, and none can be connected.
    let asked = reply(&service, "ana", "what's on my calendar tomorrow?").await;
    assert!(asked.starts_with("I see no calendar of yours"), "{asked}");
    assert!(!asked.contains("connect"), "{asked}");
    // Where free users have them, or once they have subscribed.
    service
        .set_flag("free_tier.superpowers_disabled", false)
        .await;
    talk(&service, alone("ana"), "add milk to my list → Added milk").await;
    service
        .set_flag("free_tier.superpowers_disabled", true)
        .await;
    let answer = say(&service, "ana", "my list").await;
    assert_eq!(code(&answer), "superpower_requires_subscription");
    subscribe(&service, "ana").await;
    talk(
        &service,
        alone("ana"),
        "my list → milk
         I feel great today → 9/10",
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_group_has_what_its_owner_has() {
    let service = service_at(&noon()).await;
    say(&service, "olga", "hello").await;
    let mut first = group("g", "ana", "hi all");
    first["context"] = serde_json::json!({"owner": "olga"});
    send(&service, &first).await;
    let ask = async |text: &str| send(&service, &group("g", "ana", text)).await;
    let denied = ask("add milk to our list").await;
    assert_eq!(code(&denied), "group_owner_not_subscribed");
    // What is somebody's own is left alone, unless the assistant is spoken to.
    assert_eq!(ask("mood 7/10").await["should_respond"], false);
    let spoken_to = ask("Juno, mood 7/10").await;
    assert_eq!(code(&spoken_to), "group_owner_not_subscribed");
    subscribe(&service, "ana").await;
    let denied = ask("what's on our list?").await;
    assert_eq!(code(&denied), "group_owner_not_subscribed");
    subscribe(&service, "olga").await;
    assert_eq!(ask("Bo paid 30 for pizza").await["should_respond"], false);
    for (text, part) in [
        ("add milk to our list", "Added milk"),
        ("Juno, mood 7/10", "in our direct chat"),
        ("Juno, help", "To-do list"),
    ] {
        let answer = ask(text).await;
        let reply_text = answer["reply_text"].as_str().unwrap();
        assert!(reply_text.contains(part), "{text} → {reply_text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn switched_off_is_as_if_there_were_none() {
    let service = service_at(&noon()).await;
    subscriber(&service, "ana").await;
    talk(&service, alone("ana"), "add milk to my list → Added milk").await;
    let plain =
        "That's beyond me|I can't help|didn't understand|nothing I can undo|No reminder is due";
    for (key, off, on) in [
        ("superpower.enabled", false, true),
        ("superpower.todo_list.enabled", false, true),
        ("llm.force_basic_mode", true, false),
    ] {
        service.set_flag(key, off).await;
        for text in [
            "my list", "undo", "done", "add eggs to my list", "eggs done",
        ] {
            for sender in ["ana", "free"] {
                let answer = say(&service, sender, text).await;
                assert_eq!(answer["access"], Value::Null, "{key} {text}");
                let reply_text = answer["reply_text"].as_str().unwrap();
                let is_plain = plain.split('|').any(|part| reply_text.contains(part));
                assert!(is_plain, "{key}: {text} → {reply_text}");
            }
        }
        let response = send(&service, &naming(direct("free", "hello"), "todo_list")).await;
        assert_eq!(response["access"], Value::Null, "{key}");
        let silent = send(&service, &group("room", "ana", "add milk to our list")).await;
        assert_eq!(silent["should_respond"], false, "{key}");
        let help = reply(&service, "ana", "help").await;
        assert!(!help.contains("To-do"), "{key}: {help}");
        service.set_flag(key, on).await;
    }
    talk(&service, alone("ana"), "my list → 1. milk | !eggs").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_relay_may_name_it() {
    let service = service_at(&noon()).await;
    subscriber(&service, "ana").await;
    let named = |name: &'static str| move |text: &str| naming(direct("ana", text), name);
    talk(
        &service,
        named("todo_list"),
        "hello → The list is empty
         add milk → Added milk
         Ana's birthday is on 3 May → 1. milk
         status → subscribed
         undo → Shall I take back what “add milk” changed?
         undo → taken back
         done → that's it",
    )
    .await;
    talk(&service, named("mood_tracker"), "great → 9/10").await;
    talk(
        &service,
        named("travel_brain"),
        "hello → put your trips together
         status → subscribed",
    )
    .await;
    let denied = send(&service, &naming(direct("free", "hello"), "travel_brain")).await;
    assert_eq!(code(&denied), "superpower_requires_subscription");
}

/// What an account's end takes with it.
#[tokio::test(flavor = "multi_thread")]
async fn what_somebody_said_can_be_erased() {
    let service = service_at(&noon()).await;
    subscriber(&service, "ana").await;
    talk(
        &service,
        alone("ana"),
        "add tulips to my list → Added
         Bo's birthday is on 5 March → Noted",
    )
    .await;
    talk(
        &service,
        in_group("ana"),
        "add roses to our list → Added
         plan a trip to Lisbon → Lisbon",
    )
    .await;
    talk(
        &service,
        in_group("ben"),
        "add ivy to our list → Added
         show our list → roses | ivy",
    )
    .await;
    let (store, now) = (service.app.store.clone(), service.app.clock.now());
    let erased = store.write(move |tx| {
        let user = tx.user_by_phone("ana")?.unwrap().id;
        chatkeep::ingest::powers::erase(tx, user, now)
    });
    erased.await.unwrap();
    let rows = service.rows("SELECT state, previous FROM power_states");
    let remaining = format!("{rows:?}");
    for erased_word in ["tulips", "roses", "Lisbon", "Bo"] {
        assert!(
            !remaining.contains(erased_word),
            "{erased_word}: {remaining}"
        );
    }
    assert!(service.rows("SELECT * FROM power_alarms").is_empty());
    talk(&service, in_group("ben"), "show our list → ivy | !roses").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn flags_say_which_superpowers_there_are() {
    let service = service_at(&noon()).await;
    let flags = service
        .admin("GET", "/admin/feature-flags", &Value::Null)
        .await
        .json();
    let used: Vec<&str> = flags["flags"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|flag| flag["in_use"] == true)
        .filter_map(|flag| {
            let name = flag["key"].as_str()?.strip_prefix("superpower.")?;
            name.strip_suffix(".enabled")
        })
        .collect();
    assert_eq!(
        used,
        [
            "bill_split", "birthday_reminder", "budget_tracker", "calendar_events",
            "calendar_list_agent", "calendar_morning", "calendar_query_agent",
            "calendar_stress_agent", "call_prep", "cancellation_protector", "daily_summary",
            "destination_prep", "email_urgency", "evening_prep", "focus_protector",
            "gmail_mindreader_agent", "habit_tracker", "membership_renewal", "mood_tracker",
            "package_tracking", "post_event_checkin", "reservation_prep", "tickets_vault",
            "todo_list", "travel_brain", "trip_planner",
        ]
    );
}
