//! Replies whose beginning follows before they are complete: in order, once, also over a crash.

use serde_json::{Value, json};

use super::support::model_server::{Mode, ModelServer, calling, completion};
use super::support::{self, Service, direct};
use super::tools::subscribe;
use super::{APOLOGY, count, legacy, reply, say, service_of, service_with};

const STREAM: &[(&str, &str)] = &[("CHATKEEP_REPLY_STREAM", "true")];
const PARTS: [&str; 3] = ["One.\n\nTwo.\n", "\nThree", ".\n\nFour."];

async fn streaming() -> (Service, ModelServer) {
    let (service, model) = service_with(STREAM).await;
    subscribe(&service, "ana").await;
    (service, model)
}

fn text(command: &Value) -> &str {
    command["payload"]["text"].as_str().unwrap()
}

/// The next command, carried out.
async fn next(service: &Service, relay: &mut support::RelaySocket) -> Value {
    let command = relay.command().await;
    relay.ack(&command, "completed").await;
    let unfinished = "SELECT count(*) FROM commands WHERE state <> 'completed' AND command_id = ";
    let unfinished = format!(
        "{unfinished}{}",
        command["command_id"].to_string().replace('"', "'")
    );
    support::eventually("acked", async || service.rows(&unfinished) == [[0]]).await;
    command
}

/// The bubbles that are kept of the newest message's reply.
fn kept(service: &Service) -> Value {
    let rows = service.rows("SELECT late FROM messages ORDER BY id DESC LIMIT 1");
    serde_json::from_str(rows[0][0].as_str().unwrap()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_beginning_follows_before_the_end() {
    let (service, model) = streaming().await;
    let mut relay = service.relay("a").await;
    model.next(Mode::Parts(PARTS.to_vec(), true));
    let mut message = direct("ana", "tell me of numbers");
    message["context"] = json!({"message_id": "theirs-7"});
    let answer = service.edge_message("a", &message).await;
    assert_eq!(answer.json()["should_respond"], false);
    let first = next(&service, &mut relay).await;
    assert_eq!(text(&first), "One.");
    assert_eq!(first["payload"]["in_reply_to"], "theirs-7");
    assert_eq!(count(&service, "pending_replies"), 1);
    let again = service.edge_message("a", &message).await;
    assert_eq!(again.text, answer.text);
    model.release();
    let mut texts = vec![text(&first).to_owned()];
    while texts.join("\n") != "One.\nTwo.\nThree.\nFour." {
        let more = next(&service, &mut relay).await;
        texts.push(text(&more).to_owned());
        assert!(texts.len() <= 4, "{texts:?}");
    }
    support::eventually("ended", async || count(&service, "pending_replies") == 0).await;
    assert_eq!(kept(&service), json!(["One.", "Two.", "Three.", "Four."]));
    let asked = model.last_request();
    assert_eq!(asked.body["stream"], true);
    assert_eq!(asked.body["stream_options"]["include_usage"], true);
    let usage = service.admin("GET", "/admin/metrics/token-usage", &Value::Null);
    assert_eq!(usage.await.json()["totals"]["estimated_calls"], 0);
    // It is part of what was said.
    reply(&service, "ana", "and then?").await;
    let said = model.last_request().messages();
    assert_eq!(said[said.len() - 2].1, "One.\nTwo.\nThree.\nFour.");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_short_reply_is_the_answer_itself() {
    let (service, model) = streaming().await;
    model.next(Mode::JsonInParts(completion("One line.\nAnother.", "stop")));
    assert_eq!(
        reply(&service, "ana", "hello you").await,
        "One line.\nAnother."
    );
    // Servers that don't stream answer at once, or refuse.
    model.next(Mode::Say("At once.\n\nAll of it.".to_owned()));
    assert_eq!(
        reply(&service, "ana", "and you?").await,
        "At once.\nAll of it."
    );
    model.next(Mode::Status(400, None));
    model.next(Mode::Say("Without parts.".to_owned()));
    assert_eq!(reply(&service, "ana", "and them?").await, "Without parts.");
    assert!(model.last_request().body.get("stream").is_none());
    // A legacy relay takes no commands.
    model.next(Mode::Say("One.\n\nTwo.".to_owned()));
    assert_eq!(
        legacy(&service, "ben", "hello").await.json()["reply_text"],
        "One.\nTwo."
    );
    assert!(model.last_request().body.get("stream").is_none());
    assert_eq!(count(&service, "commands"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_tool_did_is_done_with_the_beginning_and_once() {
    let (service, model) = streaming().await;
    let add = json!({"operation": "add", "items": ["milk"]});
    model.next(Mode::JsonInParts(calling(&[("todo_list", add.clone())])));
    model.next(Mode::Parts(
        vec!["Milk is on it.\n\nAny", "thing else?"],
        true,
    ));
    let mut relay = service.relay("a").await;
    assert_eq!(
        say(&service, "ana", "we are out of milk").await["should_respond"],
        false
    );
    let first = next(&service, &mut relay).await;
    assert_eq!(text(&first), "Milk is on it.");
    assert_eq!(count(&service, "power_states"), 1);
    // The service ends before the rest has come; the model wants the same once more.
    let (_, folder) = service.stop().await;
    model.next(Mode::JsonInParts(calling(&[("todo_list", add)])));
    model.next(Mode::Say("Anything else?".to_owned()));
    let asked = model.requests().len();
    let service = service_of(&model, folder, STREAM).await;
    let mut relay = service.relay("a").await;
    let rest = next(&service, &mut relay).await;
    assert_eq!(text(&rest), "Anything else?");
    support::eventually("ended", async || count(&service, "pending_replies") == 0).await;
    assert_eq!(kept(&service), json!(["Milk is on it.", "Anything else?"]));
    let state = service.rows("SELECT state FROM power_states");
    assert_eq!(state[0][0].as_str().unwrap().matches("milk").count(), 1);
    assert_eq!(
        service.rows("SELECT sum(message_count) FROM miniapp_sessions"),
        [[1]]
    );
    // It was told of the beginning and of what was done.
    let first = &model.requests()[asked];
    let told = first.body["messages"].to_string();
    assert!(
        told.contains("Milk is on it.") && told.contains("sent already"),
        "{told}"
    );
    assert_eq!(first.results()[0]["ok"], true);
    assert_eq!(count(&service, "commands"), 2);
    model.release();
}

/// Small models call again instead of reading the result.
#[tokio::test(flavor = "multi_thread")]
async fn equal_calls_after_a_part_are_done_once() {
    let (service, model) = streaming().await;
    let spent = json!({"operation": "spent", "expenses": [{"amount": 12, "purpose": "lunch"}]});
    let mut said = calling(&[("budget_tracker", spent)]);
    said["choices"][0]["message"]["content"] = json!("I can do that.\n\nOne moment.");
    let mut relay = service.relay("a").await;
    for _ in 0..3 {
        model.next(Mode::TextFirst(said.clone()));
    }
    model.next(Mode::Say("Noted: 12 on lunch.".to_owned()));
    say(&service, "ana", "what can you do for me?").await;
    for calls in 1..=3 {
        assert_eq!(text(&next(&service, &mut relay).await), "I can do that.");
        model.release_first(calls);
    }
    let last = next(&service, &mut relay).await;
    assert!(text(&last).ends_with("Noted: 12 on lunch."), "{last}");
    let results = model.requests()[2].results();
    assert!(results[1]["note"].as_str().unwrap().contains("equal call"));
    let state = service.rows("SELECT state FROM power_states");
    assert_eq!(state[0][0].as_str().unwrap().matches("lunch").count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_in_words_is_not_sent() {
    let (service, model) = streaming().await;
    let mut relay = service.relay("a").await;
    let call = r#"<tool_call>{"name": "set_reminder", "arguments": {"text": "run", "in_minutes": 600}}</tool_call>"#;
    let said = format!("Okay.\n\n{call}\n\nDone it.");
    model.next(Mode::TextFirst(completion(said.as_str(), "stop")));
    model.next(Mode::JsonInParts(completion("In ten hours.", "stop")));
    say(&service, "ana", "let me run later").await;
    model.release();
    support::eventually("ended", async || count(&service, "pending_replies") == 0).await;
    assert_eq!(kept(&service), json!(["Okay.", "In ten hours."]));
    assert_eq!(text(&next(&service, &mut relay).await), "Okay.");
    assert_eq!(text(&next(&service, &mut relay).await), "In ten hours.");
    assert_eq!(count(&service, "reminders"), 1);
}

/// What was sent before counts: the rest is cut.
#[tokio::test(flavor = "multi_thread")]
async fn a_long_reply_is_cut_as_a_whole() {
    let (service, model) = streaming().await;
    for (paragraphs, words) in [(30, 1), (16, 98)] {
        let paragraph = "words ".repeat(words);
        let all: Vec<String> = (1..=paragraphs)
            .map(|n| format!("{n} {}", paragraph.trim()))
            .collect();
        let whole = completion(all.join("\n\n").as_str(), "stop");
        model.next(Mode::TextFirst(whole));
        say(&service, "ana", "tell me all").await;
        model.release_first(model.requests().len());
        support::eventually("ended", async || count(&service, "pending_replies") == 0).await;
        let kept = kept(&service);
        let kept: Vec<&str> = kept
            .as_array()
            .unwrap()
            .iter()
            .flat_map(Value::as_str)
            .collect();
        assert!(kept.len() <= 16, "{} bubbles", kept.len());
        assert!(kept.concat().chars().count() <= 8_000);
        assert_eq!(kept[0], all[0]);
        let ending = kept.last().unwrap();
        assert!(ending.contains("too long for this chat"), "{ending}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_breaks_off_is_asked_to_go_on() {
    let (service, model) = streaming().await;
    let mut relay = service.relay("a").await;
    model.next(Mode::Parts(vec!["One.\n\nTw"], false));
    model.next(Mode::Say("Two.".to_owned()));
    assert_eq!(say(&service, "ana", "count").await["should_respond"], false);
    assert_eq!(text(&next(&service, &mut relay).await), "One.");
    model.release();
    assert_eq!(text(&next(&service, &mut relay).await), "Two.");
    support::eventually("ended", async || count(&service, "pending_replies") == 0).await;
    assert_eq!(kept(&service), json!(["One.", "Two."]));
    // One that has nothing more to say apologizes.
    model.next(Mode::Parts(vec!["Three.\n\nFo"], false));
    model.next(Mode::Garbage);
    say(&service, "ana", "go on").await;
    assert_eq!(text(&next(&service, &mut relay).await), "Three.");
    assert_eq!(text(&next(&service, &mut relay).await), APOLOGY);
    // One that breaks off before anything was sent is asked anew.
    model.next(Mode::Parts(vec!["Fi"], false));
    model.next(Mode::Say("Five.".to_owned()));
    assert_eq!(reply(&service, "ana", "and on").await, "Five.");
}

/// What was done with a beginning is told where the rest fails, and nothing else.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_done_before_the_model_broke_off_is_told() {
    let (service, model) = streaming().await;
    let mut relay = service.relay("a").await;
    let add = json!({"operation": "add", "items": ["milk"]});
    model.next(Mode::Json(calling(&[("todo_list", add)])));
    model.next(Mode::Parts(vec!["Okay.\n\nIt"], false));
    let more = json!({"operation": "add", "items": ["eggs"]});
    model.next(Mode::Json(calling(&[("todo_list", more)])));
    model.next(Mode::Garbage);
    say(&service, "ana", "add milk and eggs to my list").await;
    assert_eq!(text(&next(&service, &mut relay).await), "Okay.");
    model.release();
    let rest = next(&service, &mut relay).await;
    assert!(
        text(&rest).starts_with("(What was done: Added milk."),
        "{rest}"
    );
    assert!(!text(&rest).contains("eggs"), "{rest}");
    support::eventually("ended", async || count(&service, "pending_replies") == 0).await;
    let state = service.rows("SELECT state FROM power_states");
    let state = state[0][0].as_str().unwrap();
    assert!(state.contains("milk") && !state.contains("eggs"), "{state}");
}

/// A beginning that tells something else is not sent before it is looked at.
#[tokio::test(flavor = "multi_thread")]
async fn other_numbers_in_a_beginning_are_corrected() {
    let (service, model) = streaming().await;
    let mut relay = service.relay("a").await;
    let spent = json!({"operation": "spent", "expenses": [{"amount": 13.4, "purpose": "gloves"}]});
    model.next(Mode::Json(calling(&[("budget_tracker", spent)])));
    let told = vec!["Okay.\n\nNo", "ted: 31.40 on gloves.\n\nBye."];
    model.next(Mode::Parts(told, true));
    say(&service, "ana", "spent 31.40 on gloves").await;
    assert_eq!(text(&next(&service, &mut relay).await), "Okay.");
    model.release();
    let rest = next(&service, &mut relay).await;
    assert!(
        text(&rest).contains("(What was done: Noted: 13.4"),
        "{rest}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_switch_nothing_is_streamed() {
    let (service, model) = service_with(&[]).await;
    model.next(Mode::Say("One.\n\nTwo.".to_owned()));
    assert_eq!(reply(&service, "ana", "hello you").await, "One.\nTwo.");
    assert!(
        model.last_request().body.get("stream").is_none(),
        "off by default"
    );
}
