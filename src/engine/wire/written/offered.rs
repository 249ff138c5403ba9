//! The tools that a request offers, as calls in a text are compared with them, and what was said
//! in the conversation.

use std::cell::OnceCell;

use serde_json::{Map, Value};

use super::marks::tags;

/// Bytes between a tool's name and its arguments.
const GAP_BYTES_MAX: usize = 160;
/// A shorter text is hardly a quotation.
const QUOTED_CHARS_MIN: usize = 12;
/// Words of people who ask to see code, in lower case.
const CODE_WORDS: [&str; 23] = [
    "json", "snippet", "schema", "python", "javascript", "syntax", "tool call", "tool-call",
    "function call", "api call", "source code", "some code", "code example", "code sample",
    "code block", "in code", "as code", "example", "beispiel", "ejemplo", "exemple", "esempio",
    "exemplo",
];
/// Examples of what is asked for: `…, for example milk`.
const EXAMPLES_GIVEN: [&str; 9] = [
    "for example", "for instance", "as an example", "zum beispiel", "por ejemplo", "par exemple",
    "per esempio", "ad esempio", "por exemplo",
];
const SHOWING_WORDS: [&str; 25] = [
    "show", "give me", "write me", "example", "sample", "look like", "looks like", "what is",
    "what's", "how do", "how does", "how would", "explain", "print", "as json", "in json", "zeig",
    "gib mir", "beispiel", "ejemplo", "muéstra", "exemple", "montre", "esempio", "exemplo",
];
/// Words that may stand between a tool's name and its arguments.
const GAP_WORDS: [&str; 6] = [
    "json", "action input", "arguments", "args", "parameters", "input",
];

pub(super) struct OfferedTools<'r> {
    request: &'r Value,
    names: Vec<&'r str>,
    /// The texts of people and tools, and the facts about the person, without spaces and escapes.
    conversation: OnceCell<String>,
}

impl<'r> OfferedTools<'r> {
    pub(super) fn of(request: &'r Value) -> Self {
        let tools = request.get("tools").and_then(Value::as_array);
        let name = |tool: &'r Value| tool.pointer("/function/name")?.as_str();
        Self {
            request,
            names: tools.into_iter().flatten().filter_map(name).collect(),
            conversation: OnceCell::new(),
        }
    }

    /// Nothing repeats what was said.
    pub(super) fn without_conversation(request: &'r Value) -> Self {
        Self {
            conversation: OnceCell::from(String::new()),
            ..Self::of(request)
        }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.names.contains(&name)
    }

    pub(super) fn are_named_in(&self, text: &str) -> bool {
        self.names.iter().any(|name| text.contains(name))
    }

    /// Where names of tools stand as whole words, in order.
    pub(super) fn named_in(&self, text: &str) -> Vec<(usize, &'r str)> {
        let mut found = Vec::new();
        for name in &self.names {
            let places = text.match_indices(name).map(|(at, _)| at);
            let is_part = |c: char| c.is_alphanumeric() || c == '_';
            let is_word = |at: &usize| {
                !text[..*at].ends_with(is_part) && !text[at + name.len()..].starts_with(is_part)
            };
            found.extend(places.filter(is_word).map(|at| (at, *name)));
        }
        found.sort_unstable();
        found
    }

    /// The tool whose name stands just before its arguments, and where it begins.
    pub(super) fn name_before(&self, before: &str) -> Option<(&'r str, usize)> {
        let (start, name) = self.named_in(before).pop()?;
        let gap = &before[start + name.len()..];
        let gap = gap.split("[CALL_ID]").next()?;
        if gap.len() > GAP_BYTES_MAX {
            return None;
        }
        let mut words = String::new();
        let mut from = 0;
        for tag in tags(gap) {
            words.push_str(&gap[from..tag.start]);
            words.push(' ');
            from = tag.end;
        }
        words.push_str(&gap[from..]);
        let mut words = words.to_lowercase();
        for word in GAP_WORDS {
            words = words.replace(word, "");
        }
        let is_gap = words
            .chars()
            .all(|c| c.is_whitespace() || "`*:=0123456789".contains(c));
        is_gap.then_some((name, start))
    }

    /// Arguments between tags: `<parameter=key>value</parameter>`, or `<arg_key>key</arg_key>` and
    /// `<arg_value>value</arg_value>`.
    pub(super) fn parameters(&self, tool: &str, body: &str) -> Map<String, Value> {
        let keys = body.split("<parameter").skip(1).filter_map(|one| {
            let (key, value) = one.split_once('>')?;
            let key = key.trim_start_matches(['=', ' ']);
            let key = plain_name(key.strip_prefix("name=").unwrap_or(key));
            Some((key, value.split("</parameter").next()?))
        });
        let pairs = body.split("<arg_key>").skip(1).filter_map(|one| {
            let (key, rest) = one.split_once("</arg_key>")?;
            let (_, value) = rest.split_once("<arg_value>")?;
            Some((key.trim(), value.split("</arg_value>").next()?))
        });
        let typed =
            |(key, value): (&str, &str)| (key.to_owned(), self.typed(tool, key, value.trim()));
        keys.chain(pairs).map(typed).collect()
    }

    /// Text where the tool wants text, else JSON where it is some.
    fn typed(&self, tool: &str, key: &str, value: &str) -> Value {
        let mut tools = self
            .request
            .get("tools")
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        let tool = tools.find(|one| {
            one.pointer("/function/name")
                .is_some_and(|name| name == tool)
        });
        let properties = tool.and_then(|tool| tool.pointer("/function/parameters/properties"));
        let wanted = properties.and_then(|all| all.get(key)?.get("type"));
        let is_text = match wanted {
            Some(Value::Array(types)) => types.iter().any(|one| one == "string"),
            other => other.is_some_and(|one| one == "string"),
        };
        let json = || serde_json::from_str(value).ok();
        let json = (!is_text || value == "null").then(json).flatten();
        json.unwrap_or_else(|| value.into())
    }

    /// Whether the person asks to see code, as JSON: then a call that is written may be an example.
    pub(super) fn is_code_asked_for(&self) -> bool {
        let messages = self.request.get("messages").and_then(Value::as_array);
        let texts = messages.into_iter().flatten().rev().filter_map(|message| {
            let is_user = message.get("role").is_some_and(|role| role == "user");
            is_user.then(|| {
                message
                    .get("content")
                    .and_then(Value::as_str)
                    .unwrap_or_default()
            })
        });
        // A note of ours begins with "[". What others wrote is quoted.
        let Some(text) = texts.into_iter().find(|text| !text.starts_with('[')) else {
            return false;
        };
        let text = text.rsplit("</quoted>").next().unwrap_or(text);
        let mut text = text.to_lowercase();
        for words in EXAMPLES_GIVEN {
            text = text.replace(words, "");
        }
        let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
        has(&CODE_WORDS) && has(&SHOWING_WORDS) && !text.contains("remind")
    }

    /// Whether a text repeats what a person or a tool has said.
    pub(super) fn is_quoted(&self, text: &str) -> bool {
        let text = squeezed(text);
        text.chars().count() >= QUOTED_CHARS_MIN && self.conversation().contains(&text)
    }

    fn conversation(&self) -> &str {
        self.conversation.get_or_init(|| {
            let texts = self.shown_texts().into_iter();
            texts.map(|text| squeezed(text) + "\n").collect()
        })
    }

    /// The texts of people and tools, and the facts about the person.
    pub(super) fn shown_texts(&self) -> Vec<&'r str> {
        let messages = self.request.get("messages").and_then(Value::as_array);
        let shown = messages.into_iter().flatten().filter(|message| {
            matches!(
                message.get("role").and_then(Value::as_str),
                Some("user" | "tool" | "system")
            )
        });
        let contents = shown.filter_map(|message| message.get("content"));
        contents
            .flat_map(|content| match content {
                Value::Array(parts) => parts
                    .iter()
                    .filter_map(|part| part.get("text")?.as_str())
                    .collect(),
                other => other.as_str().into_iter().collect::<Vec<_>>(),
            })
            .collect()
    }
}

/// Without spaces and escapes, so that a text is found again within JSON.
fn squeezed(text: &str) -> String {
    let text = text.replace("\\u003c", "<").replace("\\u003e", ">");
    let text = text.replace("\\n", "");
    text.chars()
        .filter(|c| !c.is_whitespace() && *c != '\\')
        .collect()
}

/// Text within JSON as it was written.
pub(super) fn unescaped(text: &str) -> String {
    let text = text.replace("\\u003c", "<").replace("\\u003e", ">");
    text.replace("\\n", "\n").replace('\\', "")
}

/// Without what some models write around a tool's name: `functions.name:0`.
pub(super) fn plain_name(name: &str) -> &str {
    let name = name.trim().trim_start_matches(['"', '\'']);
    let end = name.find(['"', '\'', ' ', ':', '\n']);
    let name = &name[..end.unwrap_or(name.len())];
    let prefixes = ["functions.", "function.", "tools.", "default_api."];
    let mut plain = prefixes
        .into_iter()
        .filter_map(|prefix| name.strip_prefix(prefix));
    plain.next().unwrap_or(name)
}
