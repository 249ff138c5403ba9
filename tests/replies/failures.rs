//! A model's server in every bad mood: what the person in the chat sees is the assistant's
//! own words.

use serde_json::{Value, json};

use super::support::model_server::{INTERNALS, Mode, completion};
use super::{APOLOGY, count, reply, say, service, service_with};

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_reply_is_apologized_for() {
    let (service, model) = service().await;
    let mut null = completion(Value::Null, "tool_calls");
    null["choices"][0]["message"]["tool_calls"] = json!([{"id": "1", "type": "function",
        "function": {"name": "transfer_money", "arguments": "{}"}}]);
    let cases = [
        (Mode::Garbage, 1),
        (Mode::Json(json!({"error": {"message": INTERNALS}})), 1),
        (Mode::Json(json!([1])), 1),
        (Mode::Json(completion(Value::Null, "stop")), 1),
        (Mode::Json(completion("", "length")), 1),
        (Mode::Json(null), 1),
        (Mode::Status(400, None), 1),
        (Mode::Status(401, None), 1),
        (Mode::Status(302, None), 1),
        (Mode::Status(429, None), 1),
        (Mode::Status(429, Some(3600)), 1),
        (Mode::Status(500, None), 2),
        (Mode::Status(503, None), 2),
        (Mode::CutOff, 2),
        (Mode::Close, 2),
    ];
    for (n, (mode, calls)) in cases.into_iter().enumerate() {
        let before = model.requests().len();
        model.usually(mode.clone());
        let answer = say(&service, &format!("user-{n}"), "hello").await;
        assert_eq!(answer["reply_text"], APOLOGY, "{mode:?}");
        assert_eq!(answer["should_respond"], true);
        assert_eq!(model.requests().len() - before, calls, "{mode:?}");
    }
    let kept = service.rows("SELECT * FROM messages");
    assert!(!format!("{kept:?}").contains(INTERNALS));
    // It is over when it is over.
    model.usually(Mode::Echo);
    assert!(reply(&service, "ana", "hello").await.starts_with("reply"));
}

#[tokio::test(flavor = "multi_thread")]
async fn somebody_in_a_crisis_gets_no_apology() {
    let (service, model) = service().await;
    model.usually(Mode::Status(503, None));
    let asked = model.requests().len();
    let said = reply(&service, "ana", "i want to kill myself").await;
    assert!(said.contains("findahelpline.com"), "{said}");
    assert_eq!(model.requests().len(), asked);
    for next in [
        "i am so alone", "i took the pills already", "please help me", "no",
    ] {
        let said = reply(&service, "ana", next).await;
        let ends = said.ends_with("or somebody you trust.");
        assert!(said.starts_with("I'm still here") && ends, "{next}: {said}");
    }
    let said = reply(&service, "bo", "i am so alone").await;
    assert_eq!(said, APOLOGY);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_failure_that_passes_is_not_seen() {
    let (service, model) = service().await;
    let failures = [
        Mode::Status(500, None),
        Mode::Close,
        Mode::CutOff,
        Mode::Status(429, Some(0)),
        Mode::Status(429, Some(1)),
    ];
    for (n, mode) in failures.into_iter().enumerate() {
        model.next(mode.clone());
        let said = reply(&service, &format!("user-{n}"), "hello").await;
        assert_eq!(said, format!("reply {}: hello", 2 * n + 2), "{mode:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_refused_is_said_kindly_and_what_is_cut_off_shows_it() {
    let (service, model) = service().await;
    model.next(Mode::Json(completion(
        "half of something ba", "content_filter",
    )));
    let refused = reply(&service, "ana", "something bad").await;
    assert_eq!(
        refused,
        "That's something Juno would rather not answer. Is there anything else?"
    );
    // What the builtin assistant understands for certain is done by it.
    model.next(Mode::Json(completion("", "content_filter")));
    let said = reply(&service, "ana", "remind me tomorrow at 9 to call bo").await;
    assert!(
        said.contains("call bo") && said.contains("basic assistant"),
        "{said}"
    );
    assert_eq!(service.rows("SELECT text FROM reminders"), [["call bo"]]);
    model.next(Mode::Json(completion("It all began", "length")));
    assert_eq!(
        reply(&service, "ana", "tell a story").await,
        "It all began…"
    );
    model.next(Mode::Say(
        "<think>they are dull</think>\nJuno: Hi!".to_owned(),
    ));
    assert_eq!(reply(&service, "ana", "hello there").await, "Hi!");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_too_long_for_a_chat_is_asked_for_once_more_and_else_cut() {
    let (service, model) = service().await;
    let paragraphs = |n: usize| {
        let all: Vec<String> = (1..=n).map(|n| format!("Paragraph {n}.")).collect();
        all.join("\n\n")
    };
    let many_words = "word ".repeat(2_000);
    for long in [paragraphs(17), many_words] {
        let before = model.requests().len();
        model.next(Mode::Say(long.clone()));
        model.next(Mode::Say("In short: yes.".to_owned()));
        assert_eq!(
            reply(&service, "ana", "tell a story").await,
            "In short: yes."
        );
        assert_eq!(model.requests().len() - before, 2);
        let said = model.last_request().messages();
        assert_eq!(said[said.len() - 2].1, long.trim());
        assert!(
            said[said.len() - 1]
                .1
                .as_str()
                .unwrap()
                .contains("too long")
        );
    }
    // It stays long, or fails: cut with a sentence that says so.
    for second in [Mode::Say(paragraphs(30)), Mode::Status(400, None)] {
        let before = model.requests().len();
        model.next(Mode::Say(paragraphs(20)));
        model.next(second);
        let answer = say(&service, "ana", "tell a story").await;
        assert_eq!(model.requests().len() - before, 2);
        let bubbles = answer["reply_bubbles"].as_array().unwrap();
        assert_eq!(bubbles.len(), 16, "{answer}");
        assert_eq!(bubbles[14], "Paragraph 15.");
        assert!(
            bubbles[15]
                .as_str()
                .unwrap()
                .contains("too long for this chat")
        );
    }
    model.next(Mode::Say(paragraphs(16)));
    assert!(
        reply(&service, "ana", "tell a story")
            .await
            .ends_with("Paragraph 16.")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_at_the_other_end() {
    let (service, _) = service_with(&[("CHATKEEP_REPLY_BASE_URL", "http://127.0.0.1:9/v1")]).await;
    assert_eq!(reply(&service, "ana", "hello").await, APOLOGY);
    // What needs no model works.
    let usage = reply(&service, "ana", "usage").await;
    assert!(usage.contains("of 50"), "{usage}");
}

/// Also where it is typed without accents.
#[tokio::test(flavor = "multi_thread")]
async fn an_apology_is_in_the_language_of_the_message() {
    let (service, model) = service().await;
    model.usually(Mode::Status(401, None));
    for (text, begins) in [
        ("recuerdame manana a las 9 llamar a Bo", "Lo siento, Juno"),
        ("me lembra amanha de correr", "Desculpe, Juno"),
        ("erinnere mich morgen ans Laufen", "Entschuldigung, Juno"),
        // There are no words in it.
        ("напомни мне завтра", "Sorry, Juno"),
    ] {
        let said = reply(&service, "ana", text).await;
        assert!(said.starts_with(begins), "{text}: {said}");
    }
}

/// What the builtin assistant asked itself it is answered, also while the model is down.
#[tokio::test(flavor = "multi_thread")]
async fn the_builtin_assistants_own_question_is_answered() {
    let (service, model) = service().await;
    let memory = ("remember", json!({"text": "the code is 4471"}));
    super::acting(&service, &model, "ana", &[memory]).await;
    model.usually(Mode::Garbage);
    let asked = reply(&service, "ana", "forget my code").await;
    assert!(asked.contains("Shall I forget this"), "{asked}");
    let said = reply(&service, "ana", "no").await;
    assert!(said.contains("basic assistant"), "{said}");
    assert_eq!(service.rows("SELECT count(*) FROM memories"), [[1]]);
    reply(&service, "ana", "forget my code").await;
    let said = reply(&service, "ana", "yes").await;
    assert!(said.contains("basic assistant"), "{said}");
    assert_eq!(service.rows("SELECT count(*) FROM memories"), [[0]]);
    // Nothing was asked.
    assert_eq!(reply(&service, "ana", "yes").await, APOLOGY);
}

/// So are words about the one reminder that the message before set.
#[tokio::test(flavor = "multi_thread")]
async fn the_last_reminder_is_changed_without_the_model() {
    let (service, model) = super::service_at("2027-06-15T14:47:00Z").await;
    super::know_zones(&service);
    service.set_flag("rate_limit.enabled", false).await;
    let remind = |text: &str| {
        (
            "set_reminder",
            json!({"text": text, "at": "2027-06-16T18:00"}),
        )
    };
    let hours = "SELECT strftime('%R', send_at / 1000, 'unixepoch') FROM reminders";
    super::acting(&service, &model, "ana", &[remind("call mum")]).await;
    model.usually(Mode::Garbage);
    let said = reply(&service, "ana", "make it 7pm").await;
    assert!(
        said.contains("19:00") && said.contains("basic assistant"),
        "{said}"
    );
    assert_eq!(service.rows(hours), [["19:00"]]);
    let said = reply(&service, "ana", "cancel that").await;
    assert!(
        said.contains("call mum") && said.contains("basic assistant"),
        "{said}"
    );
    assert_eq!(count(&service, "reminders"), 0);
    // Which of two is not known.
    model.usually(Mode::Echo);
    super::acting(
        &service,
        &model,
        "ana",
        &[remind("call mum"), remind("run")],
    )
    .await;
    model.usually(Mode::Garbage);
    assert_eq!(reply(&service, "ana", "cancel that").await, APOLOGY);
    assert_eq!(count(&service, "reminders"), 2);
}
