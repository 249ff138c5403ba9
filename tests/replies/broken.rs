//! A server whose answers are broken: nobody is told of what was not done, and what the builtin
//! assistant understands for sure is done once.

use serde_json::{Value, json};

use super::claims::DENIAL;
use super::support::model_server::{INTERNALS, Mode, calling, calling_with, completion};
use super::{APOLOGY, count, reply, service};

const REFUSED: &str = "That's something Juno would rather not answer. Is there anything else?";

/// An answer with this in the place of its only choice.
fn with_choice(choice: Value) -> Mode {
    let mut answer = completion("", "stop");
    answer["choices"] = choice;
    Mode::Json(answer)
}

fn with_message(message: Value, finish: &str) -> Mode {
    with_choice(json!([{"index": 0, "finish_reason": finish, "message": message}]))
}

#[tokio::test(flavor = "multi_thread")]
async fn broken_answers_are_met_with_honest_ones() {
    let (service, model) = service().await;
    service.set_flag("rate_limit.enabled", false).await;
    let huge = "x".repeat(5 * 1024 * 1024);
    let no_list = json!({"function": {"name": "remember", "arguments": "{}"}});
    let cases = [
        ("no choices", with_choice(json!([])), APOLOGY),
        ("no message", with_choice(json!([{"index": 0}])), APOLOGY),
        (
            "arguments that are no JSON",
            Mode::Json(calling_with(&[("remember", "{\"text\": \"Ana".to_owned())])),
            APOLOGY,
        ),
        (
            "a tool that nobody offered",
            Mode::Json(calling(&[("transfer_money", json!({"to": INTERNALS}))])),
            APOLOGY,
        ),
        (
            "more than is read",
            Mode::Json(completion(huge, "stop")),
            APOLOGY,
        ),
        (
            "cut off before the first word",
            Mode::Json(completion("", "length")),
            APOLOGY,
        ),
        (
            "cut off",
            Mode::Json(completion("It all began", "length")),
            "It all began…",
        ),
        (
            "filtered",
            Mode::Json(completion("half of", "content_filter")),
            REFUSED,
        ),
        (
            "an error with status 200",
            Mode::Json(json!({"error": {"message": INTERNALS}})),
            APOLOGY,
        ),
        ("a body that ends too early", Mode::CutOff, APOLOGY),
        (
            "choices of another type",
            with_choice(json!({"0": {}})),
            APOLOGY,
        ),
        (
            "content of another type",
            with_message(json!({"role": "assistant", "content": 7}), "stop"),
            APOLOGY,
        ),
        (
            "calls of another type",
            with_message(
                json!({"content": null, "tool_calls": no_list}),
                "tool_calls",
            ),
            APOLOGY,
        ),
    ];
    let mut reminders = 0;
    for (n, (name, mode, expected)) in cases.into_iter().enumerate() {
        model.usually(mode);
        let sender = format!("user-{n}");
        let said = reply(&service, &sender, "we have run out of milk again").await;
        assert_eq!(said, expected, "{name}");
        // A command that is plain is done without the model.
        let said = reply(&service, &sender, "remind me in 2 hours to stretch").await;
        if [APOLOGY, REFUSED].contains(&expected) {
            reminders += 1;
            assert!(
                said.contains("stretch") && said.contains("basic assistant"),
                "{name}: {said}"
            );
        } else {
            // A text, and nothing done for it.
            let denied = format!("{expected}\n{DENIAL}");
            assert_eq!(said, denied, "{name}");
        }
        assert_eq!(count(&service, "reminders"), reminders, "{name}");
        assert_eq!(count(&service, "memories"), 0, "{name}");
    }
    let kept = service.rows("SELECT bubbles, late FROM messages");
    assert!(!format!("{kept:?}").contains(INTERNALS));
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_of_one_id_are_told_apart() {
    let (service, model) = service().await;
    let mut both = calling(&[
        ("remember", json!({"text": "I like tea"})),
        ("remember", json!({"text": "I like rum"})),
    ]);
    both["choices"][0]["message"]["tool_calls"][1]["id"] = "call_0".into();
    model.next(Mode::Json(both));
    reply(&service, "ana", "tea and rum, please").await;
    let messages = model.last_request().body["messages"].clone();
    let results = messages.as_array().unwrap().iter();
    let ids: Vec<&Value> = results.filter_map(|m| m.get("tool_call_id")).collect();
    assert_eq!(ids, ["call_0", "call_1"]);
    assert_eq!(count(&service, "memories"), 2);
}
