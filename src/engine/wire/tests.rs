//! Answers of servers, good and bad, and what is made of them.

use super::*;

fn asked() -> Value {
    json!({ "messages": [{ "role": "user", "content": "four words for you" }] })
}

fn read(answer: &Value) -> Result<Said, Failure> {
    reply(answer.to_string().as_bytes(), &asked())
}

fn choice(message: Value, finish: &str) -> Value {
    json!({ "choices": [{ "message": message, "finish_reason": finish }] })
}

#[test]
fn what_is_sent() {
    let prompt = Prompt {
        system: "You are Juno.".to_owned(),
        time: "It is noon.".to_owned(),
        messages: vec![
            Message {
                role: Role::User,
                text: "hi".to_owned(),
                photos: Vec::new(),
            },
            Message {
                role: Role::Assistant,
                text: "Hello!".to_owned(),
                photos: Vec::new(),
            },
            Message {
                role: Role::User,
                text: String::new(),
                photos: vec!["https://example.com/a.jpg".to_owned()],
            },
        ],
    };
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
        let said = read(&choice(json!({ "content": content }), finish)).unwrap();
        assert_eq!((said.text.as_str(), said.cut_off), (text, cut_off));
        assert!(said.usage.estimated);
        assert_eq!(said.usage.prompt_tokens, 5);
    }
    let mut counted = choice(json!({ "content": "Hi!" }), "stop");
    counted["usage"] = json!({ "prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15 });
    let usage = read(&counted).unwrap().usage;
    assert_eq!(
        usage,
        Usage {
            prompt_tokens: 12,
            completion_tokens: 3,
            estimated: false
        }
    );
    let endless = choice(json!({ "content": "x".repeat(100_000) }), "stop");
    assert_eq!(read(&endless).unwrap().text.len(), REPLY_CHARS_MAX);
}

#[test]
fn what_is_no_reply_is_a_failure() {
    let call = json!({ "content": null, "tool_calls": [{ "id": "1", "function": { "name": "f", "arguments": "{}" } }] });
    let cases = [
        (json!({}), Failure::Garbled),
        (json!([]), Failure::Garbled),
        (json!("Hi!"), Failure::Garbled),
        (json!({ "choices": [] }), Failure::Garbled),
        (
            json!({ "choices": [{ "message": "Hi" }] }),
            Failure::Garbled,
        ),
        (choice(json!({ "content": 7 }), "stop"), Failure::Garbled),
        (choice(json!({}), "stop"), Failure::Empty),
        (choice(json!({ "content": null }), "stop"), Failure::Empty),
        (
            choice(json!({ "content": " \n" }), "length"),
            Failure::Empty,
        ),
        (
            choice(json!({ "content": "<think>endless" }), "length"),
            Failure::Empty,
        ),
        (choice(call, "tool_calls"), Failure::ToolCall),
        (
            choice(json!({ "content": "bad w" }), "content_filter"),
            Failure::Refused,
        ),
        (
            choice(json!({ "content": null, "refusal": "No." }), "stop"),
            Failure::Refused,
        ),
        (
            json!({ "error": { "message": "secret", "type": "t" } }),
            Failure::Garbled,
        ),
    ];
    for (answer, failure) in cases {
        assert_eq!(read(&answer), Err(failure), "{answer}");
    }
    for bytes in ["", "{", "<html>", "data: {}", "\u{0}"] {
        assert_eq!(reply(bytes.as_bytes(), &asked()), Err(Failure::Garbled));
    }
}

#[test]
fn what_is_tried_again() {
    let busy = |retry_after_s| Failure::Busy { retry_after_s };
    let cases = [
        (Failure::Unreachable, Some(250)),
        (Failure::Status(500), Some(250)),
        (Failure::Status(503), Some(250)),
        (Failure::Status(400), None),
        (Failure::Status(401), None),
        (busy(Some(2)), Some(2_000)),
        (busy(None), None),
        (Failure::TimedOut, None),
        (Failure::Garbled, None),
        (Failure::Refused, None),
    ];
    for (failure, pause_ms) in cases {
        assert_eq!(failure.retry_after_ms(250), pause_ms, "{failure}");
    }
}
