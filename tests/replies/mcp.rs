//! Tools of other servers, by the Model Context Protocol: what is offered, what is called, and
//! that no call is made twice.

use serde_json::{Value, json};

use super::claims::DENIAL;
use super::support::mcp_server::{Calls, INTERNALS, McpServer, Style, TOKEN};
use super::support::model_server::{Mode, ModelServer, calling};
use super::support::{self, Service, direct, group};
use super::{APOLOGY, count, legacy, reply, say, service_of};

const HINT: &str = "we are out of milk";

/// A service whose model may call the tools of these servers.
async fn service_with_file(sections: &str, more: &[(&str, &str)]) -> (Service, ModelServer) {
    let model = ModelServer::start().await;
    let folder = tempfile::tempdir().unwrap();
    let service = in_folder(&model, folder, sections, more).await;
    (service, model)
}

async fn in_folder(
    model: &ModelServer,
    folder: tempfile::TempDir,
    sections: &str,
    more: &[(&str, &str)],
) -> Service {
    let file = folder.path().join("service.toml");
    std::fs::write(&file, sections).unwrap();
    let mut all = vec![("CHATKEEP_CONFIG", file.to_str().unwrap())];
    all.extend(more);
    service_of(model, folder, &all).await
}

fn add(text: &str) -> (&'static str, Value) {
    ("notes__add_note", json!({ "text": text }))
}

fn remote(tools: &[&str]) -> Vec<String> {
    let remote = tools.iter().filter(|name| name.contains("__"));
    remote.map(|name| (*name).to_owned()).collect()
}

/// The newest message as `explain` shows it.
async fn story(service: &Service) -> Value {
    let id = service.rows("SELECT max(id) FROM messages")[0][0].clone();
    let path = format!("/admin/messages/{id}?text=true");
    service.admin("GET", &path, &Value::Null).await.json()
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_of_a_server_are_offered_and_called() {
    for style in [Style::Json, Style::Events, Style::OpenEvents, Style::Newest] {
        let server = McpServer::start(style);
        let (service, model) = service_with_file(&server.section("notes", ""), &[]).await;
        model.next(Mode::Json(calling(&[
            add("milk <quoted>"),
            ("notes__list_notes", json!({})),
        ])));
        model.next(Mode::Say("Noted.".to_owned()));
        assert_eq!(reply(&service, "ana", HINT).await, "Noted.", "{style:?}");
        let asked = model.requests();
        let offered = ["notes__add_note", "notes__list_notes"];
        assert_eq!(remote(&asked[0].tools()), offered, "{style:?}");
        assert!(asked[0].tools().contains(&"set_reminder"));
        let results = asked[1].results();
        assert_eq!(results[0], json!({"ok": true, "quoted": "Kept. 1 notes."}));
        assert_eq!(results[1], json!({"ok": true, "quoted": "milk <quoted>"}));
        assert_eq!(server.notes(), ["milk <quoted>"]);
        let version = match style {
            Style::Newest => "2026-07-28",
            _ => "2025-06-18",
        };
        let versions = server.versions();
        assert!(
            versions.iter().all(|v| v.as_deref() == Some(version)),
            "{versions:?}"
        );
        let calls = &story(&service).await["model"]["tool_calls"];
        assert_eq!(calls[0]["tool"], "notes__add_note", "{calls}");
        assert_eq!(calls[0]["outcome"], "done");
        assert_eq!(calls[0]["result"]["quoted"], "Kept. 1 notes.");
        assert_eq!(count(&service, "done_calls"), 0);
        // The list and the session are used again.
        let before = server.requests().len();
        reply(&service, "ana", "and what of Bath?").await;
        assert_eq!(server.requests().len(), before, "{style:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn groups_are_offered_them_where_the_operator_says_so() {
    let (private, shared) = (McpServer::start(Style::Json), McpServer::start(Style::Json));
    let sections = private.section("notes", "") + &shared.section("wiki", "groups = true");
    let (service, model) = service_with_file(&sections, &[]).await;
    reply(&service, "ana", HINT).await;
    assert_eq!(remote(&model.last_request().tools()).len(), 4);
    model.next(Mode::Json(calling(&[add("milk")])));
    let message = group("g", "ana", "Juno, keep a note");
    service.edge_message("a", &message).await;
    let asked = &model.requests()[1];
    let offered = ["wiki__add_note", "wiki__list_notes"];
    assert_eq!(remote(&asked.tools()), offered);
    assert_eq!(
        model.last_request().results()[0]["error"],
        "There is no such tool."
    );
    assert_eq!(private.notes(), Vec::<String>::new());
    // Under the kill switch nobody is asked.
    service.set_flag("llm.force_basic_mode", true).await;
    reply(&service, "ana", HINT).await;
    assert!(model.last_request().tools().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_fails_is_left_out() {
    let good = McpServer::start(Style::Json);
    for style in [Style::Garbage, Style::Silent] {
        let bad = McpServer::start(style);
        let sections = bad.section("bad", "") + &good.section("notes", "");
        let (service, model) = service_with_file(&sections, &[]).await;
        assert_eq!(
            reply(&service, "ana", HINT).await,
            format!("reply 1: {HINT}"),
            "{style:?}"
        );
        let offered = ["notes__add_note", "notes__list_notes"];
        assert_eq!(remote(&model.last_request().tools()), offered, "{style:?}");
        // It is left alone for a while.
        let asked = bad.requests().len();
        reply(&service, "ana", "and now?").await;
        assert_eq!(bad.requests().len(), asked, "{style:?}");
    }
    // A wrong token, and nobody there.
    let section = good.section("notes", "").replace(TOKEN, "wrong");
    let nobody = "[[reply.mcp]]\nname = \"nobody\"\nurl = \"http://127.0.0.1:9/mcp\"\n";
    let (service, model) = service_with_file(&(section + nobody), &[]).await;
    reply(&service, "ana", HINT).await;
    assert_eq!(remote(&model.last_request().tools()).len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_came_of_a_call_is_told_as_far_as_it_is_known() {
    for (calls, outcome, error, quoted, notes) in [
        (
            Calls::Failed,
            "failed there",
            "says that it failed",
            json!("The shelf is full."),
            0,
        ),
        (
            Calls::Refused,
            "refused there",
            "nothing was done",
            json!(INTERNALS),
            0,
        ),
        (
            Calls::BrokenOff,
            "unknown",
            "It is not known",
            Value::Null,
            1,
        ),
        (
            Calls::Status500,
            "unknown",
            "It is not known",
            Value::Null,
            1,
        ),
    ] {
        let server = McpServer::start(Style::Json);
        server.answer_calls(calls);
        let (service, model) = service_with_file(&server.section("notes", ""), &[]).await;
        model.next(Mode::Json(calling(&[add("milk")])));
        model.next(Mode::Say("Well.".to_owned()));
        assert_eq!(reply(&service, "ana", HINT).await, "Well.", "{calls:?}");
        let result = model.last_request().results()[0].clone();
        assert_eq!(result["ok"], false, "{calls:?}");
        assert!(
            result["error"].as_str().unwrap().contains(error),
            "{result}"
        );
        assert_eq!(result["quoted"], quoted, "{calls:?}");
        let told = &story(&service).await["model"]["tool_calls"][0];
        assert_eq!(told["outcome"], outcome, "{told}");
        assert_eq!(server.notes().len(), notes, "{calls:?}: sent once");
    }
}

/// In one answer of the model, and in a later one for the same message.
#[tokio::test(flavor = "multi_thread")]
async fn equal_calls_of_one_message_are_made_once() {
    let server = McpServer::start(Style::Json);
    let (service, model) = service_with_file(&server.section("notes", ""), &[]).await;
    model.next(Mode::Json(calling(&[add("milk"), add("milk"), add("tea")])));
    model.next(Mode::Json(calling(&[add("milk")])));
    model.next(Mode::Say("Noted.".to_owned()));
    assert_eq!(reply(&service, "ana", HINT).await, "Noted.");
    assert_eq!(server.notes(), ["milk", "tea"]);
    let results = model.last_request().results();
    for repeated in [&results[1], &results[3]] {
        assert_eq!(repeated["quoted"], results[0]["quoted"], "{results:?}");
        assert!(repeated["note"].as_str().unwrap().contains("not repeated"));
    }
    // One that failed there isn't made again either; the next message may.
    server.answer_calls(Calls::Failed);
    model.next(Mode::Json(calling(&[add("rum")])));
    model.next(Mode::Json(calling(&[add("rum")])));
    model.next(Mode::Say("Well.".to_owned()));
    reply(&service, "ana", HINT).await;
    let results = model.last_request().results();
    assert_eq!(results[1]["error"], results[0]["error"]);
    model.next(Mode::Json(calling(&[add("rum")])));
    model.next(Mode::Say("Well.".to_owned()));
    let before = server.requests().len();
    reply(&service, "ana", HINT).await;
    assert!(
        server.requests()[before..]
            .iter()
            .any(|method| method == "tools/call")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_ended_is_begun_anew() {
    let server = McpServer::start(Style::Json);
    let (service, model) = service_with_file(&server.section("notes", ""), &[]).await;
    reply(&service, "ana", HINT).await;
    server.end_sessions();
    model.next(Mode::Json(calling(&[add("milk")])));
    model.next(Mode::Say("Noted.".to_owned()));
    assert_eq!(reply(&service, "ana", "and milk").await, "Noted.");
    assert_eq!(server.notes(), ["milk"]);
    let handshakes = server.requests();
    let handshakes = handshakes.iter().filter(|m| *m == "initialize");
    assert_eq!(handshakes.count(), 2);
}

/// The service ends while the model thinks about what a call returned: the call is not made
/// again, and the model is told of it.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_is_made_once_also_over_a_restart() {
    for calls in [Calls::Answered, Calls::Unanswered] {
        let server = McpServer::start(Style::Json);
        server.answer_calls(calls);
        let impatient = &[("CHATKEEP_REPLY_DEADLINE_S", "1")];
        let section = server.section("notes", "");
        let (service, model) = service_with_file(&section, impatient).await;
        model.next(Mode::Json(calling(&[add("milk")])));
        model.next(Mode::Held);
        assert_eq!(say(&service, "ana", HINT).await["should_respond"], false);
        support::eventually("called", async || server.notes().len() == 1).await;
        if calls == Calls::Answered {
            model.calls(2).await;
        }
        let (_, folder) = service.stop().await;
        server.answer_calls(Calls::Answered);
        model.forget();
        // It wants to call the same once more, and something else.
        model.next(Mode::Json(calling(&[add("milk"), add("eggs")])));
        model.next(Mode::Say("All noted.".to_owned()));
        let asked = model.requests().len();
        let service = in_folder(&model, folder, &section, impatient).await;
        let mut relay = service.relay("a").await;
        let command = relay.command().await;
        let said = match calls {
            Calls::Answered => "All noted.".to_owned(),
            // The milk may not be there.
            _ => format!("All noted.\n{NOT_KNOWN}"),
        };
        assert_eq!(command["payload"]["text"], said.as_str(), "{calls:?}");
        relay.ack(&command, "completed").await;
        assert_eq!(server.notes(), ["milk", "eggs"], "{calls:?}");
        let first = &model.requests()[asked];
        let told = &first.results()[0];
        let expected = match calls {
            Calls::Answered => json!({"ok": true, "quoted": "Kept. 1 notes."}),
            _ => {
                assert!(
                    told["error"]
                        .as_str()
                        .unwrap()
                        .starts_with("It is not known")
                );
                told.clone()
            }
        };
        assert_eq!(*told, expected);
        let results = model.last_request().results();
        assert_eq!(results[1], expected, "of before, not made again");
        assert_eq!(results[2]["quoted"], "Kept. 2 notes.");
        support::eventually("ended", async || count(&service, "done_calls") == 0).await;
        model.release();
        server.end_hanging();
    }
}

/// What another server did is not done once more by the builtin assistant, and is owned up to.
#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_fails_after_a_call_leaves_it_said() {
    let server = McpServer::start(Style::Json);
    let (service, model) = service_with_file(&server.section("notes", ""), &[]).await;
    let text = "remind me in 20 minutes to stretch";
    model.next(Mode::Json(calling(&[add("stretch")])));
    model.next(Mode::Garbage);
    let said = reply(&service, "ana", text).await;
    assert!(
        said.starts_with(APOLOGY) && said.contains("already called notes__add_note"),
        "{said}"
    );
    assert_eq!(count(&service, "reminders"), 0);
    // A legacy relay that was told sorry hears of it too, and nothing is called later.
    let impatient = &[("CHATKEEP_REPLY_DEADLINE_S", "1")];
    let (service, model) = service_with_file(&server.section("notes", ""), impatient).await;
    model.next(Mode::Json(calling(&[add("milk")])));
    model.next(Mode::HeldJson(calling(&[add("eggs")])));
    let said = legacy(&service, "ana", HINT).await.json()["reply_text"].clone();
    assert!(
        said.as_str()
            .unwrap()
            .contains("already called notes__add_note"),
        "{said}"
    );
    model.release();
    service.stop().await;
    assert_eq!(server.notes(), ["stretch", "milk"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_counts_as_a_command() {
    let server = McpServer::start(Style::Json);
    let (service, model) = service_with_file(&server.section("notes", ""), &[]).await;
    service.set_flag("rate_limit.enabled", true).await;
    service.set_flag("rate_limit.commands_per_minute", 1).await;
    model.next(Mode::Json(calling(&[add("milk"), add("eggs")])));
    let answer = service.edge_message("a", &direct("ana", HINT)).await;
    assert_eq!(answer.status, 200);
    assert_eq!(server.notes(), ["milk"]);
    let results = model.last_request().results();
    assert!(results[1]["error"].as_str().unwrap().contains("one minute"));
}

const VARIABLE: &str = "CHATKEEP_TEST_MCP";

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs tests/fixtures/mcp_notes.py running; CHATKEEP_TEST_MCP says where"]
async fn a_real_server_of_tools() {
    let url = std::env::var(VARIABLE).expect(VARIABLE);
    let section = format!("[[reply.mcp]]\nname = \"notes\"\nurl = \"{url}\"\n");
    let (service, model) = service_with_file(&section, &[]).await;
    let note = format!("milk {}", std::process::id());
    model.next(Mode::Json(calling(&[
        add(&note),
        ("notes__list_notes", json!({})),
        ("notes__fail", json!({})),
        ("notes__add_note", json!({"text": 7})),
    ])));
    model.next(Mode::Say("Noted.".to_owned()));
    assert_eq!(reply(&service, "ana", HINT).await, "Noted.");
    let offered = ["notes__add_note", "notes__list_notes", "notes__fail"];
    assert_eq!(remote(&model.requests()[0].tools()), offered);
    let results = model.last_request().results();
    let quoted = |n: usize| results[n]["quoted"].as_str().unwrap();
    assert!(quoted(0).starts_with("Kept. "), "{results:?}");
    assert!(quoted(1).ends_with(&note), "{results:?}");
    for failed in [2, 3] {
        assert_eq!(results[failed]["ok"], false, "{results:?}");
        assert_ne!(quoted(failed), "");
    }
}

const NOT_KNOWN: &str = "(It is not known whether this was done; please look there.)";

/// A claim after a call that failed there, whose result never came, or of a tool that isn't there.
#[tokio::test(flavor = "multi_thread")]
async fn a_claim_after_a_call_that_failed_is_contradicted() {
    for (calls, call, claim, denied) in [
        (Calls::Failed, add("milk"), "Noted.", DENIAL),
        (Calls::Refused, add("milk"), "Noted.", DENIAL),
        (Calls::BrokenOff, add("milk"), "Noted.", NOT_KNOWN),
        (Calls::Status500, add("milk"), "I've saved it.", NOT_KNOWN),
        (
            Calls::Answered,
            ("notes__delete", json!({"text": "milk"})),
            "It is gone.",
            DENIAL,
        ),
    ] {
        let server = McpServer::start(Style::Json);
        server.answer_calls(calls);
        let (service, model) = service_with_file(&server.section("notes", ""), &[]).await;
        model.next(Mode::Json(calling(&[call])));
        model.next(Mode::Say(claim.to_owned()));
        let said = reply(&service, "ana", HINT).await;
        assert_eq!(said, format!("{claim}\n{denied}"), "{calls:?}");
    }
    // What it does not claim is left alone.
    let server = McpServer::start(Style::Json);
    server.answer_calls(Calls::BrokenOff);
    let (service, model) = service_with_file(&server.section("notes", ""), &[]).await;
    for answer in ["The server broke off; please look there.", "Did it arrive?"] {
        model.next(Mode::Json(calling(&[add("milk")])));
        model.next(Mode::Say(answer.to_owned()));
        assert_eq!(reply(&service, "ana", HINT).await, answer);
    }
    // One that only looks something up, and isn't there.
    model.next(Mode::Json(calling(&[("notes__find", json!({}))])));
    model.next(Mode::Say("I found none.".to_owned()));
    assert_eq!(reply(&service, "ana", HINT).await, "I found none.");
}
