//! Calls of tools that a model writes into its text, where its server doesn't read them: in tags,
//! as JSON, or as `name(…)`. What is meant as a call and can't be read is a call of no tool, so
//! that the model is told, and nobody is shown it. What repeats the conversation is a quotation,
//! and what the person asked to see is an example: they call nothing.

mod keyword_arguments;
mod marks;
mod offered;

use serde_json::{Deserializer, Map, Value};

use super::ToolCall;
use keyword_arguments::keyword_arguments;
use marks::{marks, tags};
use offered::{OfferedTools, plain_name, unescaped};

/// The name of a call that can't be read.
pub const UNREADABLE_CALL: &str = "unreadable_call";
/// Fields of a call with its tool's name, and with its arguments.
const NAME_FIELDS: [&str; 6] = [
    "name", "tool", "tool_name", "function_name", "function", "action",
];
const ARGUMENTS_FIELDS: [&str; 8] = [
    "arguments", "parameters", "args", "params", "kwargs", "input", "tool_input", "action_input",
];
/// Fields of a call that are no arguments.
const OTHER_FIELDS: [&str; 3] = ["id", "type", "index"];
/// Fields with one or several calls.
const CALLS_FIELDS: [&str; 6] = [
    "tool_calls", "tool_call", "function_calls", "function_call", "function", "calls",
];
/// Fields around a call, one in the other.
const WRAPPED_MAX: usize = 2;
/// Places where JSON may begin that are looked at.
const PLACES_MAX: usize = 256;

/// The calls in a text, in order. `request`: with the tools that are offered.
pub(super) fn written_calls(text: &str, request: &Value) -> Vec<ToolCall> {
    let tools = OfferedTools::of(request);
    // Within the marks of one model.
    let text = &text.replace("｜DSML｜", "");
    let marks = marks(text);
    if tools.is_code_asked_for() && marks.iter().all(|mark| is_in_code(&text[..mark.at.start])) {
        return Vec::new();
    }
    let has_fields = || {
        ARGUMENTS_FIELDS[..2]
            .iter()
            .any(|field| text.contains(field))
    };
    if marks.is_empty() && !tools.are_named_in(text) && !has_fields() {
        return Vec::new();
    }
    let mut calls = calls_in(text, &tools);
    if !calls.is_empty() {
        let quoted = quoted_calls(&tools, request);
        calls.retain(|call| !quoted.iter().any(|one| is_same(one, call)));
    }
    calls
}

/// The calls that people or tools wrote in the conversation, in whatever form.
fn quoted_calls(tools: &OfferedTools, request: &Value) -> Vec<ToolCall> {
    let unheard = OfferedTools::without_conversation(request);
    let texts = tools.shown_texts().into_iter().map(unescaped);
    let with_calls = texts.filter(|text| tools.are_named_in(text));
    with_calls
        .flat_map(|text| calls_in(&text, &unheard))
        .collect()
}

/// The same tool with the same arguments.
fn is_same(one: &ToolCall, other: &ToolCall) -> bool {
    let fields = |call: &ToolCall| serde_json::from_str::<Value>(&call.arguments).ok();
    let plain = |value: &Value| match value {
        Value::String(text) => text.trim().to_lowercase(),
        other => other.to_string(),
    };
    let is_equal = match (fields(one), fields(other)) {
        (Some(Value::Object(one)), Some(Value::Object(other))) => {
            one.len() == other.len()
                && one.iter().all(|(name, value)| {
                    let same = other.get(name);
                    same.is_some_and(|same| plain(same) == plain(value))
                })
        }
        _ => one.arguments == other.arguments,
    };
    one.name == other.name && is_equal
}

fn calls_in(text: &str, tools: &OfferedTools) -> Vec<ToolCall> {
    let marks = marks(text);
    let openings = marks.iter().filter(|mark| mark.is_opening);
    let mut edges: Vec<usize> = openings.map(|mark| mark.at.start).collect();
    edges.insert(0, 0);
    edges.push(text.len());
    edges.dedup();
    let mut calls = Vec::new();
    for edge in edges.windows(2) {
        let part = TextPart {
            text: &text[edge[0]..edge[1]],
            is_marked: marks
                .iter()
                .any(|mark| (edge[0]..edge[1]).contains(&mark.at.start)),
            tools,
        };
        calls.extend(part.calls());
    }
    calls
}

/// The part of a text in which no call of a tool can be written: the paragraphs before the first
/// that has a mark, a fence, a brace or `name(`.
pub(in crate::engine) fn before_written_call(text: &str) -> &str {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let spelled = text.match_indices('(').map(|(at, _)| at);
    let mut spelled = spelled.filter(|at| text[..*at].ends_with(is_name));
    let places = [
        marks(text).first().map(|mark| mark.at.start),
        text.find("```"),
        text.find('{'),
        text.find("<|"),
        spelled.next(),
    ];
    // The words before it in its own paragraph belong to it.
    places.into_iter().flatten().min().map_or(text, |at| {
        text[..at].rfind("\n\n").map_or("", |end| &text[..end + 2])
    })
}

/// A part of a text with at most one mark at which a call begins.
struct TextPart<'t> {
    text: &'t str,
    is_marked: bool,
    tools: &'t OfferedTools<'t>,
}

impl TextPart<'_> {
    fn calls(&self) -> Vec<ToolCall> {
        let tagged = self.tagged().filter(|_| self.is_marked);
        let mut calls: Vec<ToolCall> = tagged.into_iter().collect();
        if calls.is_empty() {
            calls = self.as_json();
        }
        if calls.is_empty() {
            calls = self.spelled();
        }
        let is_meant = self.is_marked
            && has_words(self.text)
            && !self.tools.is_quoted(self.text)
            && !self.tools.is_quoted(&without_tags(self.text));
        if calls.is_empty() && is_meant {
            calls.push(unreadable(self.text));
        }
        calls
    }

    /// `<function=name>{…}</function>`, also with `<parameter=…>`, or `<arg_key>` after the name.
    fn tagged(&self) -> Option<ToolCall> {
        let openings = ["<function=", "<function name=", "<invoke name="];
        let named = openings.into_iter().find_map(|opening| {
            let (name, body) = self.text.split_once(opening)?.1.split_once('>')?;
            Some((name, body))
        });
        let (name, body) = match named {
            Some((name, body)) => (name, body),
            None => {
                let at = self.text.find("<arg_key>")?;
                let (before, body) = self.text.split_at(at);
                (before.rsplit('>').next()?, body)
            }
        };
        let name = plain_name(name);
        let ends = ["</function", "</invoke", "</tool_call"];
        let ends = ends.into_iter().filter_map(|end| body.find(end));
        let body = &body[..ends.min().unwrap_or(body.len())];
        if self.tools.is_quoted(body) {
            return None;
        }
        let object = body.find('{').and_then(|at| json_at(&body[at..]));
        let arguments = match object {
            Some((Value::Object(arguments), _)) if !body.contains("<parameter") => arguments,
            _ => self.tools.parameters(name, body),
        };
        let is_unread = arguments.is_empty() && has_words(body);
        Some(ToolCall {
            id: String::new(),
            name: name.to_owned(),
            arguments: match is_unread {
                true => body.trim().to_owned(),
                false => Value::Object(arguments).to_string(),
            },
        })
    }

    fn as_json(&self) -> Vec<ToolCall> {
        let mut calls = Vec::new();
        let mut at = 0;
        for _ in 0..PLACES_MAX {
            let Some(found) = self.text[at..].find(['{', '[']) else {
                break;
            };
            let start = at + found;
            let Some((value, bytes)) = json_at(&self.text[start..]) else {
                if self.begins_call(&self.text[start..]) {
                    calls.push(unreadable(&self.text[start..]));
                    break;
                }
                at = start + 1;
                continue;
            };
            at = start + bytes;
            let source = &self.text[start..at];
            if let Some(found) = self.calls_of(&value, WRAPPED_MAX) {
                calls.extend(found.into_iter().filter(|_| !self.tools.is_quoted(source)));
            } else if value.is_object()
                && let Some((name, from)) = self.tools.name_before(&self.text[..start])
                && !self.tools.is_quoted(&self.text[from..at])
            {
                calls.push(call(name, Some(&value)));
            }
        }
        calls
    }

    /// `None`: this is no call, or not all of it.
    fn calls_of(&self, value: &Value, wrapped_max: usize) -> Option<Vec<ToolCall>> {
        match value {
            Value::Array(values) if !values.is_empty() => {
                let all: Option<Vec<Vec<ToolCall>>> = values
                    .iter()
                    .map(|one| self.calls_of(one, wrapped_max))
                    .collect();
                all.map(|all| all.into_iter().flatten().collect())
            }
            Value::Object(fields) => self.call_of(fields).map(|call| vec![call]).or_else(|| {
                let inner = CALLS_FIELDS.into_iter().find_map(|name| fields.get(name))?;
                self.calls_of(inner, wrapped_max.checked_sub(1)?)
            }),
            _ => None,
        }
    }

    fn call_of(&self, fields: &Map<String, Value>) -> Option<ToolCall> {
        let field = |names: &[&'static str]| {
            let mut known = names.iter().copied();
            known.find(|name| fields.contains_key(*name))
        };
        let of_name = field(&NAME_FIELDS)?;
        let of_arguments = field(&ARGUMENTS_FIELDS);
        let name = plain_name(fields.get(of_name)?.as_str()?);
        let arguments = of_arguments.and_then(|name| fields.get(name));
        let is_other = |name: &str| {
            Some(name) == of_arguments || name == of_name || OTHER_FIELDS.contains(&name)
        };
        if self.tools.has(name) {
            if arguments.is_some() {
                return Some(call(name, arguments));
            }
            let mut rest = fields.clone();
            rest.retain(|name, _| !is_other(name));
            return Some(call(name, Some(&Value::Object(rest))));
        }
        // A tool that nobody offered; "name" is often the name of something else.
        let is_call = arguments.is_some_and(Value::is_object)
            && fields.keys().all(|name| is_other(name))
            && is_name_of_tool(name);
        is_call.then(|| call(name, arguments))
    }

    /// Whether JSON that breaks off begins with the name of an offered tool.
    fn begins_call(&self, json: &str) -> bool {
        let Some(rest) = json.strip_prefix('{') else {
            return false;
        };
        let mut parts = rest.split('"').map(str::trim);
        let (begin, field, colon, name) = (parts.next(), parts.next(), parts.next(), parts.next());
        begin == Some("")
            && field.is_some_and(|field| NAME_FIELDS.contains(&field))
            && colon == Some(":")
            && name.is_some_and(|name| self.tools.has(plain_name(name)))
            && !self.tools.is_quoted(json)
    }

    /// `name(…)`, alone on its lines where there is no mark.
    fn spelled(&self) -> Vec<ToolCall> {
        let mut calls = Vec::new();
        let mut read_to = 0;
        for (start, name) in self.tools.named_in(self.text) {
            let rest = &self.text[start + name.len()..];
            let opening = rest.strip_prefix(".call").unwrap_or(rest).strip_prefix('(');
            let Some(inner) = opening.filter(|_| start >= read_to) else {
                continue;
            };
            let begin = self.text.len() - inner.len();
            let read = keyword_arguments(inner);
            let line_end = inner.find('\n').unwrap_or(inner.len());
            let bytes = match &read {
                Some((_, bytes)) => *bytes,
                // "recall(x) is a/(b)" is a formula.
                None => match self.end_of_unread(&inner[..line_end]) {
                    Some(at) => at + 1,
                    None if self.is_marked => line_end,
                    None => continue,
                },
            };
            let end = begin + bytes;
            let line_start = self.text[..start].rfind('\n').map_or(0, |at| at + 1);
            let before = &self.text[line_start.max(read_to).min(start)..start];
            let after = self.text[end..].lines().next().unwrap_or_default();
            // Another call may follow on the same line.
            let is_alone = is_wrapping(before) && (is_wrapping(after) || self.is_followed(after));
            let is_meant = self.is_marked || is_alone && !is_in_program(&self.text[..start]);
            if !is_meant || self.tools.is_quoted(&self.text[start..end]) {
                continue;
            }
            read_to = end;
            calls.push(ToolCall {
                id: String::new(),
                name: name.to_owned(),
                arguments: match read {
                    Some((arguments, _)) => Value::Object(arguments).to_string(),
                    None => inner[..bytes].trim_end_matches(')').to_owned(),
                },
            });
        }
        calls
    }

    /// Where arguments end that can't be read.
    fn end_of_unread(&self, line: &str) -> Option<usize> {
        match self.is_marked || line.starts_with(['"', '\'']) {
            true => line.rfind(')'),
            false => line.find(')'),
        }
    }

    fn is_followed(&self, after: &str) -> bool {
        let mut named = self.tools.named_in(after).into_iter();
        named
            .next()
            .is_some_and(|(at, _)| is_wrapping(&after[..at]))
    }
}

/// Whether a text ends within a fence or after a `.
fn is_in_code(before: &str) -> bool {
    before.matches("```").count() % 2 == 1 || before.ends_with('`')
}

/// Whether a text ends within a fence with a program of its own: calls in it are an example.
fn is_in_program(before: &str) -> bool {
    const BEGINNINGS: [&str; 8] = [
        "def ", "import ", "from ", "class ", "function ", "const ", "let ", "fn ",
    ];
    let is_open = before.matches("```").count() % 2 == 1;
    let program = before.rsplit("```").next().unwrap_or_default();
    let mut lines = program.lines();
    is_open && lines.any(|line| BEGINNINGS.iter().any(|begin| line.starts_with(begin)))
}

/// The JSON at the beginning of a text, and its bytes.
fn json_at(text: &str) -> Option<(Value, usize)> {
    let mut values = Deserializer::from_str(text).into_iter::<Value>();
    let value = values.next()?.ok()?;
    Some((value, values.byte_offset()))
}

fn call(name: &str, arguments: Option<&Value>) -> ToolCall {
    ToolCall {
        id: String::new(),
        name: name.to_owned(),
        arguments: match arguments {
            Some(Value::String(text)) => text.clone(),
            Some(value) => value.to_string(),
            None => String::new(),
        },
    }
}

fn unreadable(text: &str) -> ToolCall {
    ToolCall {
        id: String::new(),
        name: UNREADABLE_CALL.to_owned(),
        arguments: text.trim().to_owned(),
    }
}

/// Whether a word is written like a tool's name: `get_weather` or `getWeather`, unlike "Ana".
fn is_name_of_tool(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(is_part)
        && name.contains(|c: char| c == '_' || c.is_ascii_uppercase())
}

/// Whether there is anything but tags.
fn has_words(text: &str) -> bool {
    without_tags(text).contains(char::is_alphanumeric)
}

fn without_tags(text: &str) -> String {
    let (mut rest, mut from) = (String::new(), 0);
    for tag in tags(text) {
        rest.push_str(&text[from..tag.start.max(from)]);
        from = tag.end.max(from);
    }
    rest.push_str(&text[from..]);
    rest
}

/// Whether a text is only the wrapping of a call: `print(…)`, brackets, the marks of code and
/// lists.
fn is_wrapping(text: &str) -> bool {
    const WORDS: [&str; 6] = [
        "print", "await", "default_api.", "functions.", "tools.", "```python",
    ];
    let mut rest = text.to_owned();
    for word in WORDS {
        rest = rest.replace(word, "");
    }
    rest.chars().all(|c| " \t\r`[](),;*-".contains(c))
}

#[cfg(test)]
mod tests;
