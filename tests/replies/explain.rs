//! `GET /admin/messages/{id}` and `chatkeep explain`: what decided an answer.

use std::process::Command;

use serde_json::{Value, json};

use super::support::model_server::{Mode, calling};
use super::support::{Service, direct, group};
use super::{legacy, service};

async fn told(service: &Service, id: &str, query: &str) -> Value {
    let path = format!("/admin/messages/{id}{query}");
    let answer = service.admin("GET", &path, &Value::Null).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()
}

fn step<'v>(told: &'v Value, check: &str) -> &'v str {
    let steps = told["steps"].as_array().unwrap().iter();
    let mut found = steps.filter(|step| step["check"] == check);
    found
        .next()
        .map_or("", |step| step["result"].as_str().unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_decided_a_models_reply() {
    let (service, model) = service().await;
    let answer = service
        .edge_message("a", &direct("ana", "explain my secret"))
        .await;
    let id = answer.header("x-message-id").unwrap();
    let story = told(&service, id, "").await;
    assert_eq!(story["message_id"].to_string(), id);
    assert_eq!(
        (&story["engine"], &story["agent_id"]),
        (&"openai".into(), &"a".into())
    );
    assert_eq!(step(&story, "authentication"), "edge token of agent a");
    assert_eq!(
        step(&story, "access"),
        "allowed, one of the day's free messages"
    );
    assert_eq!(step(&story, "should_respond"), "yes: a direct chat");
    assert_eq!(step(&story, "understood"), "no command");
    assert_eq!(
        step(&story, "class"),
        "deep_reasoning (first classifier: asks for reasoning)"
    );
    assert_eq!(step(&story, "model"), "replied");
    assert_eq!(step(&story, "answer"), "1 bubble");
    let made = &story["model"];
    assert_eq!(
        (&made["prompt_tokens"], &made["calls"]),
        (&100.into(), &1.into())
    );
    for time in ["queued_ms", "context_ms", "waited_ms", "model_ms"] {
        assert!(made[time].is_u64(), "{time}");
    }
    assert!(!story.to_string().contains("secret"));
    let whole = told(&service, id, "?text=true").await;
    assert_eq!(whole["text"], "explain my secret");
    assert_eq!(
        whole["reply_bubbles"],
        json!(["reply 1: explain my secret"])
    );
    model.next(Mode::Status(500, None));
    model.next(Mode::Status(502, None));
    let failed = service.edge_message("a", &direct("ana", "hi")).await;
    let story = told(&service, failed.header("x-message-id").unwrap(), "").await;
    assert_eq!(step(&story, "model"), "apologized: status 502");
    assert_eq!(story["model"]["calls"], 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_decided_other_answers() {
    let (service, model) = service().await;
    let command = legacy(&service, "ana", "usage").await;
    let story = told(&service, command.header("x-message-id").unwrap(), "").await;
    assert_eq!(story["engine"], "builtin");
    assert_eq!(story["model"], Value::Null);
    assert_eq!(step(&story, "authentication"), "legacy endpoint");
    assert_eq!(step(&story, "understood"), "usage");
    assert_eq!(step(&story, "answer"), "1 bubble");
    // What tools were called with and gave back are words of people.
    let remind = json!({"text": "feed the secret cat", "in_minutes": 120});
    model.next(Mode::Json(calling(&[("set_reminder", remind.clone())])));
    let acted = legacy(&service, "ana", "remind me in 2 hours to go").await;
    let id = acted.header("x-message-id").unwrap();
    let story = told(&service, id, "").await;
    assert_eq!(story["engine"], "openai");
    assert_eq!(step(&story, "tools"), "set_reminder: done");
    assert_eq!(step(&story, "model"), "acted");
    assert_eq!(step(&story, "answer"), "1 bubble, and a reminder");
    assert!(!story.to_string().contains("secret"), "{story}");
    let call = told(&service, id, "?text=true").await["model"]["tool_calls"][0].clone();
    let arguments: Value = serde_json::from_str(call["arguments"].as_str().unwrap()).unwrap();
    assert_eq!(arguments, remind);
    assert_eq!(call["result"]["ok"], true);
    assert_eq!(call["result"]["text"], "feed the secret cat");
    assert_eq!(call["arguments_bytes"], Value::Null);
    // Long ones are shown in part.
    let long = json!({"text": "ä".repeat(5_000), "in_minutes": 120});
    let bytes = long.to_string().len();
    model.next(Mode::Json(calling(&[("set_reminder", long.clone())])));
    let refused = legacy(&service, "ana", "what a day").await;
    let id = refused.header("x-message-id").unwrap();
    let tools = format!("set_reminder: not understood ({bytes} bytes of arguments, shown in part)");
    assert_eq!(step(&told(&service, id, "").await, "tools"), tools);
    let call = told(&service, id, "?text=true").await["model"]["tool_calls"][0].clone();
    assert_eq!(call["arguments_bytes"], bytes);
    let shown = call["arguments"].as_str().unwrap();
    assert!(long.to_string().starts_with(shown) && (4_094..=4_096).contains(&shown.len()));
    assert_eq!(call["result"]["ok"], false);
    let silent = service
        .edge_message("a", &group("g", "ana", "so it goes"))
        .await;
    let story = told(&service, silent.header("x-message-id").unwrap(), "").await;
    assert_eq!(story["engine"], Value::Null);
    assert!(step(&story, "should_respond").starts_with("no: nobody spoke"));
    service.set_flag("payment.paywall_enabled", true).await;
    let denied = service.edge_message("a", &direct("ana", "hi")).await;
    let story = told(&service, denied.header("x-message-id").unwrap(), "").await;
    assert_eq!(step(&story, "access"), "denied: message_limit_reached");
    for id in ["0", "999", "x", "-1"] {
        let path = format!("/admin/messages/{id}");
        let answer = service.admin("GET", &path, &Value::Null).await;
        assert_eq!((answer.status, answer.code().as_str()), (404, "not_found"));
    }
    let answer = service
        .admin("GET", "/admin/messages/1?text=1", &Value::Null)
        .await;
    assert_eq!(answer.status, 422);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_command_reads_beside_the_service() {
    let (service, _) = service().await;
    let answer = service.edge_message("a", &direct("ana", "hi secret")).await;
    let id = answer.header("x-message-id").unwrap();
    let run = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_chatkeep"))
            .arg("explain")
            .args(arguments)
            .env_clear()
            .env(
                "CHATKEEP_STORAGE_PATH",
                service.folder.path().join("chatkeep.db"),
            )
            .current_dir(service.folder.path())
            .output()
            .unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (
            output.status.code(),
            text(output.stdout),
            text(output.stderr),
        )
    };
    let (code, out, err) = run(&[id]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    assert!(
        out.contains("should_respond      yes: a direct chat"),
        "{out}"
    );
    assert!(out.contains("  completion_tokens "), "{out}");
    assert!(!out.contains("secret"), "{out}");
    let (code, out, _) = run(&[id, "--json", "--text"]);
    assert_eq!(code, Some(0));
    let story: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(story, told(&service, id, "?text=true").await);
    let (code, out, err) = run(&["4711"]);
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert!(
        err.starts_with("chatkeep: there is no message 4711 in "),
        "{err}"
    );
    assert!(err.contains("the header X-Message-Id"), "{err}");
    assert_eq!(run(&["x"]).0, Some(2));
}
