//! A chat completion in parts, as server-sent events: joined into the answer that other servers
//! send whole. Parts are untrusted.

use serde_json::{Map, Value, json};

use super::wire::{before_written_call, readable};

/// Calls of tools that are put together.
const CALLS_MAX: usize = 64;

/// The part of a streamed completion that was received so far.
#[derive(Default)]
pub(super) struct PartialCompletion {
    /// Bytes of the body that were read.
    read_bytes: usize,
    /// The body is a stream of events.
    has_begun: bool,
    is_done: bool,
    is_garbled: bool,
    text: String,
    refusal: String,
    calls: Vec<PartialCall>,
    finish: Option<String>,
    usage: Option<Value>,
}

#[derive(Default, Clone)]
struct PartialCall {
    id: String,
    name: String,
    arguments: String,
}

impl PartialCompletion {
    /// Reads what is new in the body so far. True: nothing more is to come.
    pub(super) fn read(&mut self, body: &[u8]) -> bool {
        let Some(end) = body.iter().rposition(|byte| *byte == b'\n') else {
            return false;
        };
        let from = self.read_bytes.min(end + 1);
        self.read_bytes = end + 1;
        for line in body[from..=end].split(|byte| *byte == b'\n') {
            let line = String::from_utf8_lossy(line);
            if let Some(data) = line.trim_end().strip_prefix("data:") {
                self.has_begun = true;
                self.take(data.trim_start());
            }
        }
        self.is_done
    }

    fn take(&mut self, data: &str) {
        if data == "[DONE]" {
            self.is_done = true;
            return;
        }
        let Ok(part) = serde_json::from_str::<Value>(data) else {
            self.is_garbled = true;
            return;
        };
        if part.get("error").is_some_and(|error| !error.is_null()) {
            self.is_garbled = true;
        }
        if let Some(usage) = part.get("usage").filter(|usage| usage.is_object()) {
            self.usage = Some(usage.clone());
        }
        let Some(choice) = part.pointer("/choices/0") else {
            return;
        };
        if let Some(finish) = choice.get("finish_reason").and_then(Value::as_str) {
            self.finish = Some(finish.to_owned());
        }
        let text = |name: &str| choice.get("delta")?.get(name)?.as_str();
        self.text.push_str(text("content").unwrap_or_default());
        self.refusal.push_str(text("refusal").unwrap_or_default());
        let calls = choice.pointer("/delta/tool_calls");
        for call in calls.and_then(Value::as_array).into_iter().flatten() {
            self.take_call(call);
        }
    }

    fn take_call(&mut self, part: &Value) {
        let index = part.get("index").and_then(Value::as_u64);
        // Servers without an index send whole calls.
        let index = index.map_or(self.calls.len(), |index| index as usize);
        if index >= CALLS_MAX {
            return;
        }
        if self.calls.len() <= index {
            self.calls.resize(index + 1, PartialCall::default());
        }
        let call = &mut self.calls[index];
        let text = |path: &str| {
            part.pointer(path)
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        // A name and an id come once; some servers repeat them.
        for (total, new) in [
            (&mut call.id, text("/id")),
            (&mut call.name, text("/function/name")),
        ] {
            if total.is_empty() {
                total.push_str(new);
            }
        }
        call.arguments.push_str(text("/function/arguments"));
    }

    /// The paragraphs that nothing more is added to; `None`: none yet, or this is no text.
    pub(super) fn complete_paragraphs(&self) -> Option<String> {
        let text = readable(&self.text);
        // Some models write a call of a tool, or what they think, as text.
        if !self.calls.is_empty() || text.starts_with(['{', '<', '`']) {
            return None;
        }
        let before_call = before_written_call(&text);
        if before_call.len() < text.len() {
            let part = before_call.trim_end();
            return (!part.is_empty()).then(|| part.to_owned());
        }
        let mut end = None;
        let mut at = 0;
        let mut is_after_blank = false;
        for line in text.split_inclusive('\n') {
            match line.trim().is_empty() {
                true => is_after_blank = true,
                false => {
                    if is_after_blank {
                        end = Some(at);
                    }
                    is_after_blank = false;
                }
            }
            at += line.len();
        }
        let part = text[..end?].trim_end();
        (!part.is_empty()).then(|| part.to_owned())
    }

    /// The answer as it comes at once. `None`: this was no stream of events, or it broke off.
    pub(super) fn whole(self) -> Option<Value> {
        let is_whole = self.is_done || self.finish.is_some();
        if !self.has_begun || !is_whole || self.is_garbled {
            return None;
        }
        let mut message = Map::new();
        message.insert("content".to_owned(), self.text.into());
        if !self.refusal.is_empty() {
            message.insert("refusal".to_owned(), self.refusal.into());
        }
        let calls = self.calls.into_iter().map(|call| {
            json!({ "id": call.id,
                "function": { "name": call.name, "arguments": call.arguments } })
        });
        let calls: Vec<Value> = calls.collect();
        if !calls.is_empty() {
            message.insert("tool_calls".to_owned(), calls.into());
        }
        let choice = json!({ "message": message, "finish_reason": self.finish });
        let mut answer = json!({ "choices": [choice] });
        if let Some(usage) = self.usage {
            answer["usage"] = usage;
        }
        Some(answer)
    }

    /// Whether the body is a stream of events.
    pub(super) fn has_begun(&self) -> bool {
        self.has_begun
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(deltas: &[Value], finish: &str) -> String {
        let mut body = String::new();
        for delta in deltas {
            let part = json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]});
            body.push_str(&format!("data: {part}\n\n"));
        }
        let last = json!({"choices": [{"delta": {}, "finish_reason": finish}]});
        let usage = json!({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3}});
        body + &format!("data: {last}\r\n\r\ndata: {usage}\n\ndata: [DONE]\n\n")
    }

    #[test]
    fn parts_make_the_whole_however_they_are_cut() {
        let deltas = [
            json!({"role": "assistant", "content": ""}),
            json!({"content": "Grüß"}),
            json!({"content": " dich"}),
            json!({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "todo_list", "arguments": ""}}]}),
            json!({"tool_calls": [{"index": 0, "function": {"arguments": "{\"operation\":"}}]}),
            json!({"tool_calls": [{"index": 0, "function": {"arguments": "\"show\"}"}}]}),
        ];
        let body = events(&deltas, "tool_calls");
        for step in [1, 7, 64, body.len()] {
            let mut partial = PartialCompletion::default();
            let mut is_done = false;
            for end in (0..body.len()).step_by(step).chain([body.len()]) {
                is_done = partial.read(&body.as_bytes()[..end]);
            }
            assert!(is_done, "{step}");
            let whole = partial.whole().unwrap();
            let choice = &whole["choices"][0];
            assert_eq!(choice["message"]["content"], "Grüß dich");
            let function = &choice["message"]["tool_calls"][0]["function"];
            assert_eq!(function["name"], "todo_list");
            assert_eq!(function["arguments"], "{\"operation\":\"show\"}");
            assert_eq!(choice["finish_reason"], "tool_calls");
            assert_eq!(whole["usage"]["prompt_tokens"], 7);
        }
    }

    #[test]
    fn paragraphs_are_complete_when_another_has_begun() {
        for (text, complete) in [
            ("One", None),
            ("One.\n\n", None),
            ("One.\n\nT", Some("One.")),
            (
                "One.\nstill\n \nTwo.\n\nThree",
                Some("One.\nstill\n \nTwo."),
            ),
            ("<think>a\n\nb", None),
            ("<think>a\n\nb</think>One.\n\nT", Some("One.")),
            ("{\"name\":\n\n1", None),
            ("```\na\n\nb", None),
            ("One.\n\n<tool_call>{}</tool_call>\n\nTwo.", Some("One.")),
            ("One.\n\nTwo. <tool_call>\n\n{}", Some("One.")),
            ("One.\n\n```json\n{}\n```\n\nTwo.\n\n", Some("One.")),
        ] {
            let mut partial = PartialCompletion::default();
            partial.read(events(&[json!({ "content": text })], "stop").as_bytes());
            assert_eq!(partial.complete_paragraphs().as_deref(), complete, "{text}");
        }
    }

    #[test]
    fn what_breaks_off_is_no_answer() {
        let whole = events(&[json!({"content": "One."})], "stop");
        let cut = &whole[..whole.find("finish_reason\":\"stop").unwrap()];
        for (body, has_begun) in [
            (cut, true),
            ("<html>", false),
            ("", false),
            ("data: {\"error\": {}}\n\n", true),
        ] {
            let mut partial = PartialCompletion::default();
            partial.read(body.as_bytes());
            assert_eq!(partial.has_begun(), has_begun, "{body}");
            assert_eq!(partial.whole(), None, "{body}");
        }
    }
}
