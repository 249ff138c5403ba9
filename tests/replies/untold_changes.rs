//! Changes that an answer doesn't tell are told after it; and "undo" leaves alone what the same
//! message did.

use serde_json::{Value, json};

use super::claims::DENIAL;
use super::support::Service;
use super::support::model_server::{Mode, ModelServer, calling};
use super::tools::subscribe;
use super::{acting, count, reply, service_at};

const ASKED: &str = "remind me tomorrow at 6pm to call mum";
const SET: &str = "Set: tomorrow at 18:00, call mum.";
const IS_SET: &str = "(What is set: “call mum”, Wednesday, 16 June 2027, 18:00.)";

fn says(text: &str) -> Mode {
    Mode::Say(text.to_owned())
}

fn set() -> (&'static str, Value) {
    (
        "set_reminder",
        json!({"text": "call mum", "at": "2027-06-16T18:00"}),
    )
}

fn cancel_first(service: &Service) -> (&'static str, Value) {
    let id = service.rows("SELECT schedule_id FROM reminders")[0][0].clone();
    let short = json!({"id": &id.as_str().unwrap()[28..]});
    ("cancel_reminder", short)
}

async fn subscribed() -> (Service, ModelServer) {
    let (service, model) = service_at("2027-06-15T14:47:00Z").await;
    subscribe(&service, "ana").await;
    for flag in ["rate_limit.enabled", "free_tier.enabled"] {
        service.set_flag(flag, false).await;
    }
    (service, model)
}

fn next(model: &ModelServer, calls: &[(&str, Value)]) {
    model.next(Mode::Json(calling(calls)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reminder_whose_hour_is_not_told_is_told() {
    let (service, model) = subscribed().await;
    for answer in [
        "Sorry, I couldn't set that reminder.", "Shall I set it for tomorrow at 18:00?",
        "Rome is the capital of Italy.",
    ] {
        next(&model, &[set()]);
        model.next(says(answer));
        let said = reply(&service, "ana", ASKED).await;
        assert_eq!(said, format!("{answer}\n{IS_SET}"));
    }
    for answer in [
        SET,
        "OK.",
        "👍",
        "I've set it.",
        "Tomorrow at 6!",
        "Morgen um sechs Uhr.",
        "明日18時です。",
        "Yarın 18.00'de.",
        "In 27 hours.",
        "Tomorrow at twenty past six, give or take.",
    ] {
        next(&model, &[set()]);
        model.next(says(answer));
        assert_eq!(reply(&service, "ana", ASKED).await, answer);
    }
    let midnight = json!({"text": "sleep", "at": "2027-06-16T00:00"});
    next(&model, &[("set_reminder", midnight)]);
    model.next(says("Tonight at midnight."));
    let said = reply(&service, "ana", "let me go to bed at midnight").await;
    assert_eq!(said, "Tonight at midnight.");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_taken_away_is_told() {
    let (service, model) = subscribed().await;
    acting(
        &service,
        &model,
        "ana",
        &[set(), ("remember", json!({"text": "The bike is red"}))],
    )
    .await;
    let cancel = cancel_first(&service);
    let memory = service.rows("SELECT memory_id FROM memories")[0][0].clone();
    let add = ("todo_list", json!({"operation": "add", "items": ["milk"]}));
    let clear = ("todo_list", json!({"operation": "clear_all"}));
    next(&model, &[add]);
    model.next(says("Milk is on your list."));
    reply(&service, "ana", "add milk to my list").await;
    for (asked, call, answer, told) in [
        (
            "what reminders do I have?",
            cancel,
            "You have one: call mum.",
            "(What was done: “call mum”, cancelled.)",
        ),
        (
            "how are you doing on this fine day?",
            ("forget", json!({"ids": [memory]})),
            "I'm fine!",
            "(What was done: “The bike is red”, forgotten.)",
        ),
        (
            "what's on my list?",
            clear,
            "Your list is empty.",
            "(What was done: The list is empty; 1 thing gone.)",
        ),
        (
            "remember that I like tea",
            ("set_profile", json!({"timezone": "Asia/Tokyo"})),
            "Noted: you like tea.",
            "(What was done: “Asia/Tokyo”.)",
        ),
    ] {
        next(&model, &[call]);
        model.next(says(answer));
        model.next(says(answer));
        assert_eq!(
            reply(&service, "ana", asked).await,
            format!("{answer}\n{told}")
        );
        model.forget();
    }
    // What the person or the answer names is told.
    for (asked, answer) in [
        ("cancel the reminder to call mum", "Cancelled."),
        ("cancel my reminder", "Cancelled: call mum."),
    ] {
        acting(&service, &model, "ana", &[set()]).await;
        next(&model, &[cancel_first(&service)]);
        model.next(says(answer));
        assert_eq!(reply(&service, "ana", asked).await, answer);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_same_message_did_is_not_undone() {
    let (service, model) = subscribed().await;
    next(&model, &[set()]);
    next(&model, &[("undo", json!({}))]);
    model.next(says(SET));
    assert_eq!(reply(&service, "ana", ASKED).await, SET);
    assert_eq!(count(&service, "reminders"), 1);
    let refused = &model.last_request().results()[1];
    assert!(
        refused["error"].as_str().unwrap().contains("stays"),
        "{refused}"
    );
    let spent = |operation| {
        let expenses = json!([{"amount": 12, "purpose": "lunch"}]);
        (
            "budget_tracker",
            json!({"operation": operation, "expenses": expenses}),
        )
    };
    next(&model, &[spent("spent")]);
    next(&model, &[("budget_tracker", json!({"operation": "undo"}))]);
    model.next(says("Noted: 12 on lunch."));
    assert_eq!(
        reply(&service, "ana", "spent 12 on lunch").await,
        "Noted: 12 on lunch."
    );
    // The message before is.
    next(&model, &[("undo", json!({}))]);
    model.next(says("The 12 on lunch are gone."));
    reply(&service, "ana", "undo that").await;
    assert_eq!(model.last_request().results()[0]["ok"], true);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_same_message_took_away_again_is_not_done() {
    let (service, model) = subscribed().await;
    let list = |operation| {
        (
            "todo_list",
            json!({"operation": operation, "items": ["Milk"]}),
        )
    };
    next(&model, &[list("add")]);
    next(&model, &[list("remove")]);
    model.next(says("Milk is on your list."));
    model.next(says("Milk is on your list."));
    let said = reply(&service, "ana", "add milk to my list").await;
    assert_eq!(said, format!("Milk is on your list.\n{DENIAL}"));
    // What was cancelled and set anew is told.
    acting(&service, &model, "ana", &[set()]).await;
    next(&model, &[cancel_first(&service)]);
    next(&model, &[set()]);
    model.next(says("Cancelled: call mum."));
    let said = reply(&service, "ana", "cancel the reminder to call mum").await;
    assert_eq!(said, format!("Cancelled: call mum.\n{IS_SET}"));
}
