//! Changes that an answer doesn't tell are told after it; and "undo" leaves alone what the same
//! message did.

use serde_json::{Value, json};

use super::claims::DENIAL;
use super::support::Service;
use super::support::model_server::{Mode, ModelServer, calling};
use super::tools::subscribe;
use super::{acting, count, know_zones, reply, service_at};

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
    know_zones(&service);
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
        "No problem!",
        "Keine Sorge!",
        "Tomorrow at 18:00, call mum, okay?",
        "I can't see the future, but it is set.",
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

/// What was done, and is denied by an answer that says nothing else.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_denied_is_told_as_done() {
    let (service, model) = subscribed().await;
    let add = |thing: &str| ("todo_list", json!({"operation": "add", "items": [thing]}));
    let expenses = json!([{"amount": 12, "purpose": "lunch"}]);
    let spent = json!({"operation": "spent", "expenses": expenses});
    for (asked, call, answer, done) in [
        (
            "add milk to my list",
            add("milk"),
            "Sorry, I couldn't add that.",
            "Added milk.",
        ),
        (
            "setz Brot auf die Liste",
            add("Brot"),
            "Das hat leider nicht geklappt.",
            "Added Brot.",
        ),
        (
            "spent 12 on lunch",
            ("budget_tracker", spent),
            "Sorry, something went wrong. Please try again.",
            "12 on lunch",
        ),
        (ASKED, set(), "I couldn't set it for 18:00.", IS_SET),
        (ASKED, set(), "Sorry!", IS_SET),
        (ASKED, set(), "Nope.", IS_SET),
    ] {
        next(&model, &[call]);
        model.next(says(answer));
        model.next(says(answer));
        let said = reply(&service, "ana", asked).await;
        let rest = said.strip_prefix(answer).unwrap_or_default();
        assert!(rest.starts_with("\n(") && rest.contains(done), "{said}");
        model.forget();
    }
    for (thing, answer) in [
        ("tea", "Couldn't be easier!"),
        ("rum", "I can't drink it for you, but it's on the list."),
        ("rice", "Anything else?"),
    ] {
        next(&model, &[add(thing)]);
        model.next(says(answer));
        let asked = format!("add {thing} to my list");
        assert_eq!(reply(&service, "ana", &asked).await, answer);
    }
}

/// Distances are no hours.
#[tokio::test(flavor = "multi_thread")]
async fn distances_are_left_alone() {
    let (service, model) = subscribed().await;
    for (minutes, answer) in [
        (30, "Half an hour from now, done."),
        (30, "You've got half an hour!"),
        (60, "1時間後にお知らせします。"),
        (90, "1時間30分後にお知らせします。"),
        (60, "1시간 후에 알려드릴게요."),
        (60, "One hour from now."),
        (90, "In anderthalb Stunden."),
    ] {
        let soon = json!({"text": "call", "in_minutes": minutes});
        next(&model, &[("set_reminder", soon)]);
        model.next(says(answer));
        let asked = format!("timer for {minutes} minutes: call");
        assert_eq!(reply(&service, "ana", &asked).await, answer);
    }
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
            "(What was done: “Tokyo”.)",
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

/// Where the zone is not known, hours are in UTC.
#[tokio::test(flavor = "multi_thread")]
async fn the_zone_is_told_where_it_is_not_known() {
    const UTC: &str = "(Times are in UTC: your time zone is not known yet.)";
    const IN_GERMAN: &str = "(Uhrzeiten sind in UTC: deine Zeitzone ist noch nicht bekannt.)";
    let (service, model) = service_at("2027-06-15T14:47:00Z").await;
    let soon = (
        "set_reminder",
        json!({"text": "call mum", "in_minutes": 10}),
    );
    for (person, asked, call, answer, told) in [
        ("ana", ASKED, set(), SET, Some(UTC)),
        ("bo", ASKED, set(), "Set: tomorrow at 18:00 UTC.", None),
        (
            "cem",
            "erinnere mich morgen um 18 Uhr",
            set(),
            "Morgen um 18 Uhr.",
            Some(IN_GERMAN),
        ),
        (
            "dee", "remind me in 10 minutes to call mum", soon, "In 10 minutes.", None,
        ),
    ] {
        next(&model, &[call]);
        model.next(says(answer));
        let expected = told.map_or(answer.to_owned(), |told| format!("{answer}\n{told}"));
        assert_eq!(reply(&service, person, asked).await, expected);
    }
}

/// The hours of a message are those of the zone that it tells, wherever the model calls for it.
#[tokio::test(flavor = "multi_thread")]
async fn an_hour_is_in_the_zone_that_is_told_with_it() {
    // There it is still the day before.
    let (service, model) = service_at("2027-06-16T02:47:00Z").await;
    let zone = |name: &str| ("set_profile", json!({"timezone": name}));
    let here = zone("America/Los_Angeles");
    let later = json!({"text": "call mum", "at": "2027-06-16T19:00"});
    let answer = "Tomorrow at 18:00: call mum. I've noted Los Angeles.";
    let asked = "remind me tomorrow at 6pm to call mum, I'm in LA";
    for (person, replies) in [
        ("ana", vec![vec![set(), here.clone()]]),
        ("bo", vec![vec![set()], vec![here.clone()]]),
        ("cem", vec![vec![here.clone()], vec![set()]]),
        // A zone that is put right.
        (
            "dee",
            vec![vec![zone("Asia/Tokyo"), set()], vec![here.clone()]],
        ),
        (
            "eve",
            vec![vec![set()], vec![zone("Asia/Tokyo")], vec![here]],
        ),
    ] {
        for calls in &replies {
            next(&model, calls);
        }
        model.next(says(answer));
        assert_eq!(reply(&service, person, asked).await, answer, "{person}");
    }
    let due = "SELECT DISTINCT strftime('%FT%R', send_at / 1000, 'unixepoch'), timezone FROM reminders JOIN users \
               ON users.id = reminders.user_id";
    assert_eq!(
        service.rows(due),
        [["2027-06-17T01:00", "America/Los_Angeles"]]
    );
    // The message names the city.
    next(&model, &[set(), zone("America/Los_Angeles")]);
    model.next(says("Tomorrow at 6pm."));
    assert_eq!(reply(&service, "gus", asked).await, "Tomorrow at 6pm.");
    // Another hour is told.
    next(&model, &[("set_reminder", later)]);
    next(&model, &[zone("America/Los_Angeles")]);
    model.next(says(answer));
    model.next(says(answer));
    let said = reply(&service, "fay", asked).await;
    assert!(
        said.ends_with("(What is set: “call mum”, Wednesday, 16 June 2027, 19:00.)"),
        "{said}"
    );
    let results = model.last_request().results();
    let note = results[1]["note"].as_str().unwrap();
    assert!(note.ends_with("at their hours there."), "{note}");
}

/// "At 10" for 22:00, and an hour in another zone.
#[tokio::test(flavor = "multi_thread")]
async fn an_hour_is_told_in_its_half_of_the_day() {
    const IS_RUN: &str = "(What is set: “run”, Sunday, 20 June 2027, 22:00.)";
    let (service, model) = subscribed().await;
    let run = (
        "set_reminder",
        json!({"text": "run", "at": "2027-06-20T22:00"}),
    );
    for (asked, answer, told) in [
        (
            "remind me on sunday at 10 to run",
            "Set: Sunday at 10, run.",
            Some(IS_RUN),
        ),
        (
            "remind me on sunday at 10pm to run", "Set: Sunday at 10, run.", None,
        ),
        ("run on sunday please", "Set: Sunday night at 10.", None),
        (
            "run at 6pm New York time on sunday", "Set for 6pm New York time.", None,
        ),
    ] {
        next(&model, std::slice::from_ref(&run));
        model.next(says(answer));
        let expected = told.map_or(answer.to_owned(), |told| format!("{answer}\n{told}"));
        assert_eq!(reply(&service, "ana", asked).await, expected, "{asked}");
    }
}

/// Set anew, and told as moved: the old one is told, too.
#[tokio::test(flavor = "multi_thread")]
async fn what_stayed_beside_a_move_is_told() {
    let (service, model) = subscribed().await;
    next(&model, &[set()]);
    model.next(says(SET));
    reply(&service, "ana", ASKED).await;
    let later = json!({"text": "call mum", "at": "2027-06-16T19:00"});
    next(&model, &[("set_reminder", later)]);
    let moved = "Auf 19 Uhr verschoben.";
    model.next(says(moved));
    model.next(says(moved));
    let said = reply(&service, "ana", "verschieb sie auf 19 Uhr").await;
    assert!(
        said.starts_with(moved) && said.contains("18:00") && said.contains("19:00."),
        "{said}"
    );
}

/// Another reminder than the one that the message names.
#[tokio::test(flavor = "multi_thread")]
async fn another_reminder_that_was_moved_is_told() {
    let (service, model) = subscribed().await;
    let clean = (
        "set_reminder",
        json!({"text": "clean", "at": "2027-06-17T10:00"}),
    );
    acting(&service, &model, "ana", &[set(), clean]).await;
    let id =
        service.rows("SELECT schedule_id FROM reminders WHERE text = 'call mum'")[0][0].clone();
    let moved = json!({"id": &id.as_str().unwrap()[28..], "at": "2027-06-17T12:00"});
    next(&model, &[("change_reminder", moved)]);
    let answer = "Cleaning moved to noon.";
    model.next(says(answer));
    model.next(says(answer));
    let said = reply(&service, "ana", "move the cleaning to noon").await;
    assert!(
        said.starts_with(answer) && said.contains("“call mum”"),
        "{said}"
    );
    // What is named beside it is none.
    let moved = json!({"id": &id.as_str().unwrap()[28..], "at": "2027-06-17T13:00"});
    next(&model, &[("change_reminder", moved)]);
    let answer = "Moved to after cleaning, 13:00 on Thursday.";
    model.next(says(answer));
    assert_eq!(
        reply(&service, "ana", "move it to after cleaning, 1pm").await,
        answer
    );
}
