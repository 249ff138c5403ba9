//! Edited messages that a language model answers: one reminder is left, however it goes about it.

use serde_json::{Value, json};

use super::claims::DENIAL;
use super::support::model_server::{Mode, ModelServer, calling};
use super::support::{self, Service, direct, group};
use super::tools::{subscribe, subscribed};
use super::{APOLOGY, count, service, service_with};

fn says(text: &str) -> Mode {
    Mode::Say(text.to_owned())
}

fn calls(calls: &[(&str, Value)]) -> Mode {
    Mode::Json(calling(calls))
}

fn run(minutes: i64) -> (&'static str, Value) {
    (
        "set_reminder",
        json!({"text": "run", "in_minutes": minutes}),
    )
}

/// Sends a version of a message; what is answered.
async fn send(service: &Service, text: &str, id: &str, corrects: Option<&str>) -> String {
    let mut message = direct("ana", text);
    message["context"] = json!({"message_id": id});
    if let Some(corrects) = corrects {
        message["context"]["corrects"] = corrects.into();
    }
    let answer = service.edge_message("a", &message).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()["reply_text"].as_str().unwrap().to_owned()
}

/// Minutes until the reminders, and their ids as models get them.
fn open(service: &Service) -> Vec<(i64, String)> {
    let rows = service.rows(
        "SELECT (send_at - created_at + 30000) / 60000, substr(schedule_id, 29) FROM reminders
         ORDER BY send_at",
    );
    let row = |row: &Vec<Value>| {
        (
            row[0].as_i64().unwrap(),
            row[1].as_str().unwrap().to_owned(),
        )
    };
    rows.iter().map(row).collect()
}

fn minutes(service: &Service) -> Vec<i64> {
    open(service)
        .into_iter()
        .map(|(minutes, _)| minutes)
        .collect()
}

/// A first version for which the model sets a reminder in an hour.
async fn with_first(service: &Service, model: &ModelServer) {
    model.next(calls(&[run(60)]));
    model.next(says("In an hour."));
    let said = send(service, "remind me in 1 hour to run", "1", None).await;
    assert_eq!(said, "In an hour.");
    model.forget();
}

#[tokio::test(flavor = "multi_thread")]
async fn one_reminder_is_left_after_an_edit() {
    for n in 0..4 {
        let (service, model) = service().await;
        service.set_flag("rate_limit.enabled", false).await;
        with_first(&service, &model).await;
        let id = open(&service)[0].1.clone();
        // Only set anew, changed, cancelled and set anew, and in two replies.
        let by_id = json!({"id": id, "in_minutes": 120});
        match n {
            0 => model.next(calls(&[run(120)])),
            1 => model.next(calls(&[("change_reminder", by_id)])),
            2 => model.next(calls(&[("cancel_reminder", json!({"id": id})), run(120)])),
            _ => {
                model.next(calls(&[("list_reminders", json!({}))]));
                model.next(calls(&[run(120)]));
            }
        }
        model.next(says("In two hours."));
        let before = model.requests().len();
        let said = send(&service, "remind me in 2 hours to run", "2", Some("1")).await;
        assert_eq!(said, "In two hours.", "{n}");
        assert_eq!(minutes(&service).len(), 1, "{n}");
        assert!((118..=121).contains(&minutes(&service)[0]), "{n}");
        let asked = model.requests()[before].clone();
        assert!(
            asked.system().contains(&format!("run (id {id})")),
            "{}",
            asked.system()
        );
        if n == 0 {
            assert_eq!(
                model.last_request().results()[0]["replaced"][0]["id"],
                id.as_str()
            );
        }
        // Edited once more; networks name the first version.
        model.next(calls(&[run(180)]));
        model.next(says("In three hours."));
        send(&service, "remind me in 3 hours to run", "3", Some("1")).await;
        assert_eq!(minutes(&service), [180], "{n}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_keeps_what_it_asks_for() {
    let (service, model) = service().await;
    service.set_flag("rate_limit.enabled", false).await;
    with_first(&service, &model).await;
    // Two in the place of one; a call that fails replaces nothing.
    let past = (
        "set_reminder",
        json!({"text": "run", "at": "2020-01-01T09:00"}),
    );
    model.next(calls(&[past]));
    model.next(calls(&[run(120), run(180)]));
    model.next(says("In two and three hours."));
    let text = "remind me in 2 hours to run and in 3 hours to run";
    send(&service, text, "2", Some("1")).await;
    assert_eq!(minutes(&service), [120, 180]);
    // A mere correction of spelling changes nothing, nor does a question.
    let spelled = "Remind me in 2 hours to run and in 3 hours to run";
    for (text, id, answer) in [
        (spelled, "3", "All right."),
        ("remind me in 4 hours to run", "4", "In four hours, really?"),
    ] {
        model.next(says(answer));
        assert_eq!(send(&service, text, id, Some("1")).await, answer);
    }
    assert_eq!(minutes(&service), [120, 180]);
    // A claim without a call is contradicted.
    model.usually(says("Changed!"));
    let said = send(&service, "remind me in 5 hours to run", "5", Some("1")).await;
    assert_eq!(said, format!("Changed!\n{DENIAL}"));
    assert_eq!(minutes(&service), [120, 180]);
    // Where the model fails, the builtin assistant adds nothing beside it.
    model.usually(Mode::Status(401, None));
    let said = send(&service, "remind me in 6 hours to run", "6", Some("1")).await;
    assert_eq!(said, APOLOGY);
    assert_eq!(minutes(&service), [120, 180]);
}

/// In a group, where nothing of its calls is kept for operators.
#[tokio::test(flavor = "multi_thread")]
async fn a_groups_reminder_is_replaced_too() {
    let (service, model) = service().await;
    service.set_flag("rate_limit.enabled", false).await;
    for (at, id, corrects) in [(60, "1", None), (120, "2", Some("1"))] {
        let mut message = group(
            "g",
            "ana",
            &format!("Juno, remind us in {at} minutes to run"),
        );
        message["context"] = json!({"message_id": id, "corrects": corrects});
        if corrects.is_none() {
            message["context"] = json!({"message_id": id});
        }
        model.next(calls(&[run(at)]));
        model.next(says("Set."));
        assert_eq!(service.edge_message("a", &message).await.status, 200);
    }
    assert_eq!(minutes(&service), [120]);
    assert_eq!(count(&service, "messages"), 2);
}

fn add(things: &[&str]) -> (&'static str, Value) {
    ("todo_list", json!({"operation": "add", "items": things}))
}

fn remember(text: &str) -> (&'static str, Value) {
    ("remember", json!({ "text": text }))
}

/// All that is kept, as text.
fn kept(service: &Service) -> String {
    let rows = service.rows(
        "SELECT text FROM reminders UNION ALL SELECT text FROM memories
         UNION ALL SELECT state FROM power_states",
    );
    format!("{rows:?}")
}

/// Whatever the first version did is replaced by what the new one does.
#[tokio::test(flavor = "multi_thread")]
async fn all_that_the_first_version_did_is_replaced() {
    let (service, model) = subscribed().await;
    service.set_flag("rate_limit.enabled", false).await;
    let spent = |amount: i64| {
        let expense = json!({"amount": amount, "purpose": "lunch"});
        let arguments = json!({"operation": "spent", "expenses": [expense]});
        ("budget_tracker", arguments)
    };
    let not = |thing: &str| {
        let arguments = json!({"operation": "remove", "items": [thing]});
        ("todo_list", arguments)
    };
    let cases = [
        (
            vec![remember("Bike is red")],
            vec![remember("Bike is blue")],
            (vec!["Bike is blue"], vec!["red"]),
        ),
        (
            vec![add(&["milk"]), add(&["eggs"])],
            vec![add(&["bread"]), add(&["rum"])],
            (vec!["bread", "rum"], vec!["milk", "eggs"]),
        ),
        (
            vec![spent(1234)],
            vec![spent(5678)],
            (vec!["5678"], vec!["1234"]),
        ),
        (
            vec![add(&["salt"]), remember("Needs salt")],
            vec![run(60)],
            (vec!["run"], vec!["salt"]),
        ),
        (
            vec![add(&["figs"])],
            vec![not("figs")],
            (vec!["bread", "rum"], vec!["figs"]),
        ),
        (
            vec![add(&["figs"])],
            vec![],
            (vec!["bread", "rum", "figs"], vec![]),
        ),
    ];
    for (n, (first, second, (there, gone))) in cases.into_iter().enumerate() {
        let ids = [format!("{n} a"), format!("{n} b")];
        for (calls_made, id) in [(first, 0), (second, 1)] {
            if !calls_made.is_empty() {
                model.next(calls(&calls_made));
            }
            model.next(says("All right."));
            let corrects = (id == 1).then_some(ids[0].as_str());
            let text = ["so sei es", "so soll es sein"][id];
            let said = send(&service, text, &ids[id], corrects).await;
            assert_eq!(said, "All right.", "{n}");
        }
        let kept = kept(&service);
        for text in there {
            assert_eq!(kept.matches(text).count(), 1, "{n}: {text}: {kept}");
        }
        for text in gone {
            assert!(!kept.contains(text), "{n}: {text}: {kept}");
        }
    }
    // The model is told, and one that names what is there changes it.
    model.next(calls(&[remember("Hat is red"), add(&["nuts"])]));
    model.next(says("All right."));
    send(&service, "so sei es", "x", None).await;
    let rows = service.rows("SELECT memory_id FROM memories WHERE text = 'Hat is red'");
    let forget = ("forget", json!({"ids": [rows[0][0]]}));
    model.next(calls(&[forget, remember("Hat is blue")]));
    model.next(says("All right."));
    send(&service, "oder so", "y", Some("x")).await;
    let results = model.last_request().results();
    assert_eq!(results[0]["replaced"], json!(null), "one that is named");
    assert_eq!(
        results[1]["replaced"],
        json!([{"last_change_of": "todo_list"}])
    );
    assert!(results[1]["note"].as_str().unwrap().contains("again"));
    let kept = kept(&service);
    assert!(kept.contains("Hat is blue") && !kept.contains("Hat is red"));
    assert!(!kept.contains("nuts"), "{kept}");
}

/// Also where the builtin assistant answers the new version.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_model_did_is_replaced_by_the_builtin_assistant() {
    let (service, model) = service().await;
    with_first(&service, &model).await;
    let asked = model.requests().len();
    service.set_flag("llm.force_basic_mode", true).await;
    let said = send(&service, "remind me in 2 hours to run", "2", Some("1")).await;
    assert!(said.contains("run"), "{said}");
    assert_eq!(minutes(&service).len(), 1);
    assert!((118..=121).contains(&minutes(&service)[0]));
    assert_eq!(model.requests().len(), asked);
}

/// What was committed with the beginning of a reply is found, too.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_streamed_part_did_is_replaced() {
    let (service, model) = service_with(&[("CHATKEEP_REPLY_STREAM", "true")]).await;
    subscribe(&service, "ana").await;
    let _relay = service.relay("a").await;
    for (n, minutes) in [60, 120].into_iter().enumerate() {
        model.next(calls(&[run(minutes), remember(&minutes.to_string())]));
        model.next(Mode::Parts(vec!["Set.\n\nBy", "e."], true));
        let before = model.requests().len();
        let id = n.to_string();
        let text = ["so sei es", "so soll es sein"][n];
        send(&service, text, &id, (n > 0).then_some("0")).await;
        model.calls(before + 2).await;
        model.release();
        support::eventually("ended", async || count(&service, "pending_replies") == 0).await;
    }
    assert_eq!(minutes(&service), [120]);
    assert_eq!(service.rows("SELECT text FROM memories"), [["120"]]);
}

/// What an earlier version cancelled or forgot comes back with the first change for the new one.
#[tokio::test(flavor = "multi_thread")]
async fn what_the_first_version_cancelled_is_there_again() {
    let (service, model) = service().await;
    service.set_flag("rate_limit.enabled", false).await;
    model.next(calls(&[run(60), run(120), remember("Bike is red")]));
    model.next(says("All right."));
    send(&service, "so sei es", "1", None).await;
    let ids: Vec<String> = open(&service).into_iter().map(|(_, id)| id).collect();
    let rows = service.rows("SELECT memory_id FROM memories");
    let forget = ("forget", json!({"ids": [rows[0][0]]}));
    let cancel = |n: usize| ("cancel_reminder", json!({"id": ids[n]}));
    model.next(calls(&[cancel(0), forget]));
    model.next(says("All right."));
    send(&service, "nicht so", "2", None).await;
    assert_eq!(minutes(&service), [120]);
    model.next(calls(&[cancel(1)]));
    model.next(says("All right."));
    let before = model.requests().len();
    send(&service, "nicht so ganz", "3", Some("2")).await;
    assert_eq!(minutes(&service), [60]);
    assert_eq!(service.rows("SELECT text FROM memories"), [["Bike is red"]]);
    let asked = model.requests()[before].clone();
    let told = format!("run (id {})", ids[0]);
    assert!(asked.system().contains("cancelled: "), "{}", asked.system());
    assert!(asked.system().contains(&told), "{}", asked.system());
    // Once more: what came back stays.
    model.next(calls(&[cancel(0)]));
    model.next(says("All right."));
    send(&service, "doch so", "4", Some("2")).await;
    assert_eq!(minutes(&service), [120]);
    assert_eq!(service.rows("SELECT text FROM memories"), [["Bike is red"]]);
    // "undo" is of what a model remembered last.
    model.next(calls(&[remember("Hat is red")]));
    model.next(says("All right."));
    send(&service, "so sei es", "5", None).await;
    send(&service, "undo", "6", None).await;
    assert_eq!(minutes(&service), [120]);
    assert_eq!(service.rows("SELECT text FROM memories"), [["Bike is red"]]);
}
