//! Reminders that come again, changed by the model: the series or one time of it, and the zones of their
//! times.

use serde_json::{Value, json};

use super::support::model_server::{Mode, ModelServer, calling};
use super::support::{Service, group};
use super::tools::subscribe;
use super::{acting, count, reply, service, service_at, service_on};
use chatkeep::clock::{Clock, Timestamp};

const DUE: &str = "SELECT text, strftime('%FT%R', send_at / 1000, 'unixepoch'), rule IS NOT NULL FROM reminders \
                   ORDER BY send_at";

/// The result of one call.
async fn result_of(service: &Service, model: &ModelServer, tool: &str, arguments: Value) -> Value {
    model.next(Mode::Json(calling(&[(tool, arguments)])));
    model.next(Mode::Say("Well.".to_owned()));
    reply(service, "ana", "please see to it").await;
    model.last_request().results()[0].clone()
}

/// On a Thursday, with a reminder of each day at 9:00; its id.
async fn daily(rule: &str) -> (Service, ModelServer, Value) {
    daily_on(&on_a_thursday(), rule).await
}

fn on_a_thursday() -> Clock {
    Clock::fixed(Timestamp::parse("2026-11-26T21:00:00Z").unwrap())
}

async fn daily_on(clock: &Clock, rule: &str) -> (Service, ModelServer, Value) {
    let (service, model) = service_on(clock).await;
    service.set_flag("rate_limit.enabled", false).await;
    acting(
        &service,
        &model,
        "ana",
        &[("set_profile", json!({"timezone": "UTC"}))],
    )
    .await;
    let arguments = json!({"text": "run", "at": "2026-11-27T09:00", "repeat": rule});
    let set = result_of(&service, &model, "set_reminder", arguments).await;
    assert_eq!(set["ok"], true, "{set}");
    (service, model, set["id"].clone())
}

#[tokio::test(flavor = "multi_thread")]
async fn one_time_of_a_series_is_moved_or_left_out() {
    let (service, model, id) = daily("FREQ=DAILY").await;
    let arguments = json!({"id": id, "at": "2026-11-27T10:00", "only_next": true});
    let moved = result_of(&service, &model, "change_reminder", arguments).await;
    assert_eq!(moved["once"]["at"], "Friday 2026-11-27T10:00", "{moved}");
    assert_eq!(
        moved["series"]["at"], "Saturday 2026-11-28T09:00",
        "{moved}"
    );
    assert_eq!(
        service.rows(DUE),
        [
            [json!("run"), json!("2026-11-27T10:00"), json!(0)],
            [json!("run"), json!("2026-11-28T09:00"), json!(1)],
        ]
    );
    let arguments = json!({"id": id, "only_next": true});
    let left_out = result_of(&service, &model, "change_reminder", arguments).await;
    assert_eq!(
        left_out["left_out"], "Saturday 2026-11-28T09:00",
        "{left_out}"
    );
    assert_eq!(left_out["once"], Value::Null, "{left_out}");
    assert_eq!(service.rows(DUE)[1][1], "2026-11-29T09:00");
    // Without it the whole series changes, and the model is told so.
    let arguments = json!({"id": id, "at": "2026-11-30T10:00", "repeat": "FREQ=DAILY"});
    let changed = result_of(&service, &model, "change_reminder", arguments).await;
    assert!(
        changed["note"].as_str().unwrap().contains("whole series"),
        "{changed}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_time_that_the_rule_has_not_is_named() {
    let (service, model, id) = daily("FREQ=WEEKLY;BYDAY=FR,MO").await;
    let before = service.rows(DUE);
    let arguments = json!({"id": id, "at": "2026-12-01T09:00"});
    let refused = result_of(&service, &model, "change_reminder", arguments).await;
    assert_eq!(refused["ok"], false, "{refused}");
    for part in ["no time of its rule", "only_next", "BYDAY=FR,MO"] {
        assert!(
            refused["error"].as_str().unwrap().contains(part),
            "{refused}"
        );
    }
    assert_eq!(service.rows(DUE), before);
    let arguments =
        json!({"text": "swim", "at": "2026-11-27T09:00", "repeat": "FREQ=WEEKLY;BYDAY=MO,WE"});
    let set = result_of(&service, &model, "set_reminder", arguments).await;
    assert_eq!(set["at"], "Monday 2026-11-30T09:00", "{set}");
    assert!(
        set["note"].as_str().unwrap().contains("none of the rule"),
        "{set}"
    );
    // Its times within the days that are asked for.
    let arguments = json!({"from": "2026-12-02", "to": "2026-12-04", "matching": "run"});
    let listed = result_of(&service, &model, "list_reminders", arguments).await;
    assert_eq!(
        listed["reminders"][0]["times"],
        json!(["Friday 2026-12-04T09:00"]),
        "{listed}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn fields_that_are_filled_for_nothing_and_days_that_are_not() {
    let (service, model) = service().await;
    let arguments = json!({"text": "run", "at": "2099-01-01T09:00", "in_minutes": 0});
    let refused = result_of(&service, &model, "set_reminder", arguments).await;
    assert!(
        refused["error"].as_str().unwrap().contains("years ahead"),
        "{refused}"
    );
    for at in ["2099-02-30T09:00", "2099-02-01T24:00"] {
        let arguments = json!({"text": "run", "at": at});
        let refused = result_of(&service, &model, "set_reminder", arguments).await;
        assert!(
            refused["error"].as_str().unwrap().contains("no such day"),
            "{refused}"
        );
    }
    assert_eq!(count(&service, "reminders"), 0);
}

/// Whoever has no zone yet, or reads another's reminder in a group, can be told which one it is.
#[tokio::test(flavor = "multi_thread")]
async fn the_zone_of_a_time_is_in_the_result() {
    let (service, model) = service_at("2026-11-26T21:00:00Z").await;
    let arguments = json!({"text": "run", "at": "2026-11-27T18:30"});
    let set = result_of(&service, &model, "set_reminder", arguments).await;
    assert!(
        set["timezone"].as_str().unwrap().contains("not known"),
        "{set}"
    );
    let berlin = json!({"timezone": "Europe/Berlin"});
    let profile = result_of(&service, &model, "set_profile", berlin.clone()).await;
    assert_eq!(
        profile["open_reminders"][0]["at"], "Friday 2026-11-27T19:30",
        "{profile}"
    );
    assert!(
        profile["note"].as_str().unwrap().contains("another hour"),
        "{profile}"
    );
    let again = result_of(&service, &model, "set_profile", berlin).await;
    assert_eq!(again["open_reminders"], Value::Null, "{again}");
    let listed = result_of(&service, &model, "list_reminders", json!({})).await;
    assert_eq!(listed["timezone"], Value::Null, "{listed}");
    // In a group each is answered in their own zone.
    let ask = async |sender: &str, calls: &[(&str, Value)]| {
        model.next(Mode::Json(calling(calls)));
        model.next(Mode::Say("Well.".to_owned()));
        let message = group("g", sender, "Juno, please see to it");
        assert_eq!(service.edge_message("a", &message).await.status, 200);
        model.last_request().results()[0].clone()
    };
    let coffee = json!({"text": "coffee", "at": "2026-11-27T09:00"});
    let set = ask("ana", &[("set_reminder", coffee)]).await;
    assert_eq!(set["timezone"], "Europe/Berlin", "{set}");
    let listed = ask("ben", &[("list_reminders", json!({}))]).await;
    assert_eq!(
        listed["reminders"][0]["at"], "Friday 2026-11-27T08:00",
        "{listed}"
    );
    assert!(
        listed["timezone"].as_str().unwrap().starts_with("UTC"),
        "{listed}"
    );
    // What is only for a direct chat says so.
    let refused = ask("ben", &[("recall", json!({"query": "code"}))]).await;
    assert!(
        refused["error"]
            .as_str()
            .unwrap()
            .contains("answer_privately"),
        "{refused}"
    );
}

/// Many long memories: the first ones that fit, and how many there are more.
#[tokio::test(flavor = "multi_thread")]
async fn long_memories_are_recalled_as_far_as_they_fit() {
    let (service, model) = service().await;
    service.set_flag("rate_limit.enabled", false).await;
    for n in 0..24 {
        let text = format!("code {n} is {}", "many words ".repeat(80));
        acting(
            &service,
            &model,
            "ana",
            &[("remember", json!({ "text": text }))],
        )
        .await;
    }
    for query in ["", "code"] {
        let found = result_of(&service, &model, "recall", json!({ "query": query })).await;
        let listed = found["memories"].as_array().unwrap().len();
        assert!((1..24).contains(&listed), "{found}");
        assert_eq!(found["more"], 24 - listed, "{found}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_newest_change_is_taken_back() {
    let clock = on_a_thursday();
    let (service, model, id) = daily_on(&clock, "FREQ=DAILY").await;
    let at = |hour| json!({"id": id, "at": format!("2026-11-27T{hour}:00")});
    result_of(&service, &model, "change_reminder", at("10")).await;
    let undone = result_of(&service, &model, "undo", json!({})).await;
    assert_eq!(undone["ok"], true, "{undone}");
    assert_eq!(service.rows(DUE)[0][1], "2026-11-27T09:00");
    let undone = result_of(&service, &model, "undo", json!({})).await;
    assert_eq!(undone["ok"], false, "{undone}");
    assert!(undone["error"].as_str().unwrap().contains("already"));

    let lists = "SELECT instr(state, 'eggs') > 0 FROM power_states";
    subscribe(&service, "ana").await;
    let eggs = json!({"operation": "add", "items": ["eggs"]});
    let added = result_of(&service, &model, "todo_list", eggs).await;
    assert_eq!(added["ok"], true, "{added}");
    assert_eq!(service.rows(lists), [[json!(1)]]);
    // A superpower that is off is left alone.
    service
        .set_flag("superpower.todo_list.enabled", false)
        .await;
    let refused = result_of(&service, &model, "undo", json!({})).await;
    assert_eq!(refused["ok"], false, "{refused}");
    assert_eq!(service.rows(lists), [[json!(1)]]);
    service.set_flag("superpower.todo_list.enabled", true).await;
    let undone = result_of(&service, &model, "undo", json!({})).await;
    assert_eq!(undone["ok"], true, "{undone}");
    assert_eq!(service.rows(lists), [[json!(0)]]);
    assert_eq!(service.rows(DUE)[0][1], "2026-11-27T09:00");

    clock.advance(11 * 60_000);
    result_of(&service, &model, "cancel_reminder", json!({"id": id})).await;
    assert_eq!(service.rows(DUE).len(), 0);
    clock.advance(11 * 60_000);
    let late = result_of(&service, &model, "undo", json!({})).await;
    assert!(late["error"].as_str().unwrap().contains("10 minutes"));
    assert_eq!(service.rows(DUE).len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_would_change_nothing_is_refused() {
    let (service, model, id) = daily("FREQ=DAILY").await;
    let same = json!({"id": id, "only_next": true, "at": "2026-11-27T09:00"});
    let refused = result_of(&service, &model, "change_reminder", same).await;
    assert_eq!(refused["ok"], false, "{refused}");
    assert_eq!(count(&service, "reminders"), 1);
    let once = json!({"text": "swim", "at": "2026-11-28T09:00"});
    let once = result_of(&service, &model, "set_reminder", once).await;
    let skip = json!({"id": once["id"], "only_next": true});
    let refused = result_of(&service, &model, "change_reminder", skip).await;
    assert_eq!(refused["ok"], false, "{refused}");
    assert!(refused["error"].as_str().unwrap().contains("only once"));
}

/// Of a series only one time was left out, and more is told.
#[tokio::test(flavor = "multi_thread")]
async fn what_goes_on_is_told() {
    for (asked, answer, is_right) in [
        ("cancel it", "Cancelled.", false),
        ("skip tomorrow's run", "Skipped.", true),
        ("skip it", "Skipped.", true),
        ("no run tomorrow please", "No run on Friday.", true),
    ] {
        let (service, model, id) = daily("FREQ=DAILY").await;
        let skip = json!({"id": id, "only_next": true});
        model.next(Mode::Json(calling(&[("change_reminder", skip)])));
        for _ in 0..3 {
            model.next(Mode::Say(answer.to_owned()));
        }
        let said = reply(&service, "ana", asked).await;
        assert!(said.starts_with(answer), "{said}");
        assert_eq!(said == answer, is_right, "{asked}: {said}");
        assert!(is_right || said.contains("“run”"), "{said}");
    }
}
