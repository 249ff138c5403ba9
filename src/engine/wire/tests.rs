//! Parsing of valid and invalid answers.

use super::*;
use crate::assistant::prompt::{CallWithResult, REPLY_CHARS_MAX};
use crate::assistant::tools::{OfferedTool, Tool};

fn tools_request() -> Value {
    json!({ "messages": [{ "role": "user", "content": "four words for you" }] })
}

fn read(answer: &Value) -> Result<ModelReply, ModelFailure> {
    reply(answer.to_string().as_bytes(), &tools_request()).1
}

fn cost(answer: &Value) -> Usage {
    reply(answer.to_string().as_bytes(), &tools_request()).0
}

fn prompt(messages: Vec<PromptMessage>) -> Prompt {
    Prompt {
        system: "You are Juno.".to_owned(),
        time: "It is noon.".to_owned(),
        messages,
        tools: Vec::new(),
        exchanges: Vec::new(),
        is_cut: false,
        must_speak: false,
    }
}

fn choice(message: Value, finish: &str) -> Value {
    json!({ "choices": [{ "message": message, "finish_reason": finish }] })
}

#[test]
fn what_is_sent() {
    let prompt = prompt(vec![
        PromptMessage {
            role: Role::User,
            text: "hi".to_owned(),
            photos: Vec::new(),
        },
        PromptMessage {
            role: Role::Assistant,
            text: "Hello!".to_owned(),
            photos: Vec::new(),
        },
        PromptMessage {
            role: Role::User,
            text: String::new(),
            photos: vec!["https://example.com/a.jpg".to_owned()],
        },
    ]);
    let body = request(&prompt, "m", MaxTokensField::MaxCompletionTokens, 200);
    assert_eq!(
        body,
        json!({
            "model": "m",
            "max_completion_tokens": 200,
            "messages": [
                { "role": "system", "content": "You are Juno.\n\nIt is noon." },
                { "role": "user", "content": "hi" },
                { "role": "assistant", "content": "Hello!" },
                { "role": "user", "content": [
                    { "type": "image_url", "image_url": { "url": "https://example.com/a.jpg" } }
                ] },
            ],
        })
    );
    let older = request(&prompt, "m", MaxTokensField::MaxTokens, 200);
    assert_eq!(older["max_tokens"], 200);
    assert_eq!(older.get("max_completion_tokens"), None);
    let able = Prompt {
        tools: vec![OfferedTool::Own(Tool::Remember)],
        ..prompt
    };
    let offered = request(&able, "m", MaxTokensField::MaxTokens, 200)["tools"].clone();
    assert_eq!(offered, json!([Tool::Remember.offer()]));
}

#[test]
fn results_of_calls_follow_the_message_that_they_were_made_for() {
    let acted = Prompt {
        exchanges: vec![ToolExchange {
            calls: vec![CallWithResult {
                id: "c1".to_owned(),
                name: "remember".to_owned(),
                arguments: "{}".to_owned(),
                result: r#"{"ok":false}"#.to_owned(),
            }],
            ..ToolExchange::default()
        }],
        must_speak: true,
        tools: vec![OfferedTool::Own(Tool::Remember)],
        ..prompt(Vec::new())
    };
    let body = request(&acted, "m", MaxTokensField::MaxTokens, 200);
    let messages = body["messages"].as_array().unwrap();
    assert_eq!(
        messages[messages.len() - 2..],
        [
            json!({ "role": "assistant", "content": null, "tool_calls": [{
                "id": "c1", "type": "function",
                "function": { "name": "remember", "arguments": "{}" },
            }] }),
            json!({ "role": "tool", "tool_call_id": "c1", "content": r#"{"ok":false}"# }),
        ]
    );
    assert_eq!(body["tool_choice"], "none");
    assert!(
        body["tools"].is_array(),
        "some servers want them all the same"
    );
}

#[test]
fn replies_are_read() {
    let cases = [
        (json!("Hi!"), "stop", "Hi!", false),
        (
            json!(" \n Hi!\u{7} \n\nThere. "),
            "stop",
            "Hi! \n\nThere.",
            false,
        ),
        (json!("Cut of"), "length", "Cut of…", true),
        (
            json!("<think>hm, \n secret</think>\n\nHi!"),
            "stop",
            "Hi!",
            false,
        ),
        (
            json!([{"type": "text", "text": "Hi "}, {"type": "text", "text": "you"}]),
            "stop",
            "Hi you",
            false,
        ),
    ];
    for (content, finish, text, cut_off) in cases {
        let answer = choice(json!({ "content": content }), finish);
        let reply = read(&answer).unwrap();
        assert_eq!((reply.text.as_str(), reply.cut_off), (text, cut_off));
        assert!(cost(&answer).estimated);
        assert_eq!(cost(&answer).prompt_tokens, 5);
    }
    let mut counted = choice(json!({ "content": "Hi!" }), "stop");
    counted["usage"] = json!({ "prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15 });
    let stated = Usage {
        prompt_tokens: 12,
        completion_tokens: 3,
        estimated: false,
    };
    assert_eq!(cost(&counted), stated);
    // What is no reply costs what the server says, and else nothing.
    counted["choices"][0]["message"]["content"] = Value::Null;
    assert_eq!(read(&counted), Err(ModelFailure::Empty));
    assert_eq!(cost(&counted), stated);
    counted.as_object_mut().unwrap().remove("usage");
    assert_eq!(cost(&counted), Usage::default());
    let endless = choice(json!({ "content": "x".repeat(100_000) }), "stop");
    assert_eq!(read(&endless).unwrap().text.len(), REPLY_CHARS_MAX);
}

#[test]
fn what_is_no_reply_is_a_failure() {
    let call = json!({ "content": null, "tool_calls": [{ "id": "1", "function": { "name": "f", "arguments": "{}" } }] });
    let cases = [
        (json!({}), ModelFailure::Garbled),
        (json!([]), ModelFailure::Garbled),
        (json!("Hi!"), ModelFailure::Garbled),
        (json!({ "choices": [] }), ModelFailure::Garbled),
        (
            json!({ "choices": [{ "message": "Hi" }] }),
            ModelFailure::Garbled,
        ),
        (
            choice(json!({ "content": 7 }), "stop"),
            ModelFailure::Garbled,
        ),
        (choice(json!({}), "stop"), ModelFailure::Empty),
        (
            choice(json!({ "content": null }), "stop"),
            ModelFailure::Empty,
        ),
        (
            choice(json!({ "content": " \n" }), "length"),
            ModelFailure::Empty,
        ),
        (
            choice(json!({ "content": "<think>endless" }), "length"),
            ModelFailure::Empty,
        ),
        (choice(call, "tool_calls"), ModelFailure::ToolCall),
        (
            choice(json!({ "content": "bad w" }), "content_filter"),
            ModelFailure::Refused,
        ),
        (
            choice(json!({ "content": null, "refusal": "No." }), "stop"),
            ModelFailure::Refused,
        ),
        (
            json!({ "error": { "message": "secret", "type": "t" } }),
            ModelFailure::Garbled,
        ),
    ];
    for (answer, failure) in cases {
        assert_eq!(read(&answer), Err(failure), "{answer}");
    }
    for bytes in ["", "{", "<html>", "data: {}", "\u{0}"] {
        let garbled = (Usage::default(), Err(ModelFailure::Garbled));
        assert_eq!(reply(bytes.as_bytes(), &tools_request()), garbled);
    }
}

#[test]
fn what_is_tried_again() {
    let busy = |retry_after_s| ModelFailure::Busy { retry_after_s };
    let cases = [
        (ModelFailure::Unreachable, Some(250)),
        (ModelFailure::Status(500), Some(250)),
        (ModelFailure::Status(503), Some(250)),
        (ModelFailure::Status(400), None),
        (ModelFailure::Status(401), None),
        (busy(Some(2)), Some(2_000)),
        (busy(None), None),
        (ModelFailure::TimedOut, None),
        (ModelFailure::Garbled, None),
        (ModelFailure::Refused, None),
    ];
    for (failure, pause_ms) in cases {
        assert_eq!(failure.retry_after_ms(250), pause_ms, "{failure}");
    }
}

#[test]
fn a_failure_says_which_setting_to_check() {
    for (failure, expected) in [
        (
            ModelFailure::Unreachable,
            "unreachable: is reply.base_url right?",
        ),
        (ModelFailure::Status(401), "status 401: check reply.api_key"),
        (
            ModelFailure::Status(404),
            "status 404: check reply.base_url and reply.model",
        ),
        (
            ModelFailure::Status(302),
            "status 302: check reply.base_url; most end with /v1, and none is redirected",
        ),
        (
            ModelFailure::Garbled,
            "garbled: check reply.base_url; most end with /v1, and none is redirected",
        ),
        (
            ModelFailure::Status(400),
            "status 400: check reply.model and reply.max_tokens_field",
        ),
        (
            ModelFailure::Busy {
                retry_after_s: None,
            },
            "busy: it takes no more requests now, or the account has no credit",
        ),
        (ModelFailure::Status(500), "status 500"),
        (ModelFailure::TimedOut, "timed_out"),
    ] {
        assert_eq!(failure.with_advice(), expected);
    }
}

#[test]
fn calls_of_tools_are_read() {
    let able = Prompt {
        tools: vec![OfferedTool::Own(Tool::Remember)],
        ..prompt(Vec::new())
    };
    let body = request(&able, "m", MaxTokensField::MaxTokens, 200);
    let read = |message: Value, finish: &str| {
        let answer = choice(message, finish).to_string();
        reply(answer.as_bytes(), &body).1
    };
    let call = |name: &str, arguments: Value| {
        json!({ "id": "1", "type": "function",
            "function": { "name": name, "arguments": arguments } })
    };
    let called = |calls: Value| {
        read(
            json!({ "content": null, "tool_calls": calls }),
            "tool_calls",
        )
    };
    let tool_call = |id: &str, name: &str, arguments: &str| ToolCall {
        id: id.to_owned(),
        name: name.to_owned(),
        arguments: arguments.to_owned(),
    };
    let outcome = called(json!([
        call("remember", json!("{\"command\":\"x\"}")),
        call("f", json!({"a": 1})),
        7
    ]));
    let expected = [
        tool_call("1", "remember", r#"{"command":"x"}"#),
        // No two calls have the same id.
        tool_call("call_1", "f", r#"{"a":1}"#),
        tool_call("call_2", "", ""),
    ];
    assert_eq!(outcome.unwrap().calls, expected);
    let many: Value = (0..100).map(|_| call("remember", json!(""))).collect();
    assert_eq!(called(many).unwrap().calls.len(), TOOL_CALLS_MAX);
    // Those that some models write down.
    let text = r#"{"name": "remember", "arguments": {"command": "x"}}"#;
    for text in [
        text.to_owned(),
        format!("<tool_call>\n{text}\n</tool_call>"),
        format!("Sure!\n```json\n{text}\n```"),
        format!("```\n{text}\n```\nDone."),
        format!("```tool_call\n{text}"),
    ] {
        let outcome = read(json!({ "content": text }), "stop").unwrap();
        assert_eq!(
            outcome.calls,
            [tool_call("call_0", "remember", r#"{"command":"x"}"#)]
        );
    }
    for (text, arguments) in [
        ("remember(command=\"x\")", r#"{"command":"x"}"#),
        ("remember(\"x\")", "\"x\""),
    ] {
        let spelled = read(json!({ "content": text }), "stop").unwrap();
        assert_eq!(spelled.calls, [tool_call("call_0", "remember", arguments)]);
    }
    for expected in [
        r#"{"name": "Ana", "arguments": {}}"#, "Do you remember (by chance)",
        "```rust\nfn main() {}\n```", "{remember}", "remember",
    ] {
        let outcome = read(json!({ "content": expected }), "stop").unwrap();
        assert_eq!((outcome.text.as_str(), outcome.calls.len()), (expected, 0));
    }
    assert_eq!(called(json!([])), Err(ModelFailure::ToolCall));
}

/// What servers get of calls that they would refuse.
#[test]
fn calls_are_told_in_a_form_that_servers_take() {
    for (name, arguments, told_name, told_arguments) in [
        ("remember", "{\"a\": 1}", "remember", "{\"a\": 1}"),
        ("", "", "unknown", "{}"),
        (
            "get weather!", "{\"a", "get_weather_", r#"{"unreadable":"{\"a"}"#,
        ),
        ("a__b-c", "[1]", "a__b-c", r#"{"unreadable":"[1]"}"#),
    ] {
        let acted = Prompt {
            exchanges: vec![ToolExchange {
                calls: vec![CallWithResult {
                    id: "c1".to_owned(),
                    name: name.to_owned(),
                    arguments: arguments.to_owned(),
                    result: "{}".to_owned(),
                }],
                ..ToolExchange::default()
            }],
            ..prompt(Vec::new())
        };
        let body = request(&acted, "m", MaxTokensField::MaxTokens, 200);
        let function = &body["messages"][1]["tool_calls"][0]["function"];
        let told = json!({ "name": told_name, "arguments": told_arguments });
        assert_eq!(function, &told);
    }
}

/// Servers of before have one call, in a field of its own.
#[test]
fn the_only_call_of_old_servers_is_read() {
    let able = Prompt {
        tools: vec![OfferedTool::Own(Tool::Remember)],
        ..prompt(Vec::new())
    };
    let body = request(&able, "m", MaxTokensField::MaxTokens, 200);
    let function = json!({ "name": "remember", "arguments": "{}" });
    let answer = choice(
        json!({ "content": null, "function_call": function }),
        "function_call",
    );
    let called = reply(answer.to_string().as_bytes(), &body).1.unwrap().calls;
    assert_eq!((called.len(), called[0].name.as_str()), (1, "remember"));
    assert_eq!(
        (called[0].id.as_str(), called[0].arguments.as_str()),
        ("call_0", "{}")
    );
}
