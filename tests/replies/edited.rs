//! Edited messages that a language model answers: one reminder is left, however it goes about it.

use serde_json::{Value, json};

use super::claims::DENIAL;
use super::support::model_server::{Mode, ModelServer, calling};
use super::support::{Service, direct, group};
use super::{APOLOGY, count, service};

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
    for (text, id, answer) in [
        (text, "3", "All right."),
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
