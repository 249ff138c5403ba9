//! Calls of a reply that were to change something and did not: which of them no later call made
//! good, and how the person is told of them.

use serde_json::Value;

use crate::assistant::tools::{LINK, Tool};

/// Fields of arguments that say what a call is about, the clearest first.
const ABOUT_FIELDS: [&str; 12] = [
    "text", "items", "title", "name", "what", "thing", "ticket", "who", "person", "place", "city",
    "destination",
];
/// Characters of what a call is about.
const ABOUT_CHARS_MAX: usize = 80;
/// Beginnings of names of invented tools that only look something up.
const LOOK_UPS: [&str; 38] = [
    "get", "list", "search", "find", "read", "fetch", "query", "show", "web", "calculator",
    "calculate", "calc", "compute", "weather", "current", "convert", "translate", "time", "date",
    "define", "lookup", "look", "check", "python", "code", "browse", "browser", "google", "bing",
    "wiki", "wikipedia", "math", "this", "month", "summary", "total", "all", "overview",
];

/// A call that was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FailedChange {
    tool: String,
    /// The tool is another server's.
    is_remote: bool,
    about: Option<String>,
    /// The call names nothing that was to be changed.
    may_look_up: bool,
    /// The number of the model's reply.
    reply: usize,
}

/// All that are not made good yet.
#[derive(Debug, Default)]
pub(super) struct FailedChanges(Vec<FailedChange>);

impl FailedChanges {
    /// Notes a call of a tool: one that was to change something, or a look-up.
    pub(super) fn note_call(
        &mut self,
        tool: (&str, bool),
        arguments: &str,
        (is_change, is_done): (bool, bool),
        reply: usize,
    ) {
        match is_change {
            true => self.note(tool, arguments, is_done, reply),
            false if is_done => self.note_look_up(tool.0),
            false => {}
        }
    }

    /// Notes a call that was to change something. `is_remote`: of another server's tool. `reply`:
    /// the number of the model's reply.
    pub(super) fn note(
        &mut self,
        (tool, is_remote): (&str, bool),
        arguments: &str,
        is_done: bool,
        reply: usize,
    ) {
        if is_done {
            let is_same = |call: &FailedChange| call.reply < reply && replaces(tool, &call.tool);
            if let Some(at) = self.0.iter().position(is_same) {
                self.0.remove(at);
            }
            return;
        }
        let call = FailedChange {
            tool: tool.to_owned(),
            is_remote,
            about: about(arguments),
            may_look_up: about(arguments).is_none() && names_look_up(arguments),
            reply,
        };
        let is_known = |known: &FailedChange| known.tool == call.tool && known.about == call.about;
        // Called again, and refused again.
        self.0.retain(|known| !is_known(known));
        self.0.push(call);
    }

    /// Notes a look-up that was made: a call of the same tool that named nothing was to be one, too.
    fn note_look_up(&mut self, tool: &str) {
        self.0.retain(|call| call.tool != tool || !call.may_look_up);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether any was of a tool of this service, or of none.
    pub(super) fn has_own(&self) -> bool {
        self.0.iter().any(|call| !call.is_remote)
    }

    /// Whether none of them says what was to be changed, so that they may have been look-ups.
    pub(super) fn name_nothing(&self) -> bool {
        self.0.iter().all(|call| call.may_look_up)
    }

    /// The things that were to be changed; empty unless they are known for all calls.
    pub(super) fn things(&self) -> Vec<String> {
        let all: Option<Vec<String>> = self.0.iter().map(|call| call.about.clone()).collect();
        all.unwrap_or_default()
    }
}

/// Whether a call of `tool` may do what one of `failed` did not.
fn replaces(tool: &str, failed: &str) -> bool {
    let is_known = Tool::all().any(|known| known.name() == failed);
    let is_reminder = |name: &str| name.ends_with("_reminder");
    !is_known || tool == failed || is_reminder(tool) && is_reminder(failed)
}

/// Whether the operation, if one is named, only looks something up.
fn names_look_up(arguments: &str) -> bool {
    let fields: Value = serde_json::from_str(arguments).unwrap_or_default();
    let operation = fields["operation"].as_str();
    operation.is_none_or(|operation| !sounds_like_change(operation))
}

fn about(arguments: &str) -> Option<String> {
    let fields: Value = serde_json::from_str(arguments).ok()?;
    let text = ABOUT_FIELDS
        .into_iter()
        .find_map(|name| match &fields[name] {
            Value::String(text) => Some(text.clone()),
            Value::Array(texts) => {
                let texts: Vec<&str> = texts.iter().filter_map(Value::as_str).collect();
                Some(texts.join(", "))
            }
            _ => None,
        })?;
    let words: Vec<&str> = text.split_whitespace().collect();
    let text: String = words.join(" ").chars().take(ABOUT_CHARS_MAX).collect();
    (!text.is_empty()).then(|| format!("“{text}”"))
}

/// Whether a tool that nobody offered would change something, by its name.
pub(super) fn sounds_like_change(tool: &str) -> bool {
    let name = tool.rsplit(LINK).next().unwrap_or(tool);
    let first = name.split(|c: char| !c.is_ascii_lowercase()).next();
    !first.is_some_and(|first| LOOK_UPS.contains(&first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_call_makes_a_refused_one_good() {
        let milk = r#"{"text": "buy  milk"}"#;
        let mut calls = FailedChanges::default();
        calls.note(("set_reminder", false), milk, false, 1);
        calls.note(("remember", false), "{}", true, 2);
        assert_eq!(calls.things(), ["“buy milk”"]);
        calls.note(("set_reminder", false), milk, false, 2);
        assert_eq!(calls.things().len(), 1, "the same again");
        calls.note(("change_reminder", false), "{}", true, 3);
        assert!(calls.is_empty());
        // One of two in the same reply stays.
        calls.note(("set_reminder", false), milk, false, 3);
        calls.note(("set_reminder", false), r#"{"text": "run"}"#, true, 3);
        assert_eq!(calls.things(), ["“buy milk”"]);
        calls.note(
            ("todo_list", false),
            r#"{"items": ["tea", "rum"]}"#,
            false,
            4,
        );
        assert_eq!(calls.things(), ["“buy milk”", "“tea, rum”"]);
        calls.note(("cancel_reminder", false), r#"{"id": "1"}"#, false, 4);
        assert!(calls.things().is_empty() && !calls.is_empty());
        // A look-up first called with an operation that isn't there.
        let mut calls = FailedChanges::default();
        calls.note(("todo_list", false), r#"{"operation": "list"}"#, false, 1);
        calls.note_look_up("budget_tracker");
        assert!(!calls.is_empty());
        calls.note_look_up("todo_list");
        assert!(calls.is_empty());
        calls.note(("todo_list", false), r#"{"items": ["tea"]}"#, false, 2);
        calls.note_look_up("todo_list");
        assert!(!calls.is_empty());
        // What nobody offered may be done by any tool.
        let mut calls = FailedChanges::default();
        calls.note(("set_alarm", false), "{}", false, 1);
        calls.note(("set_reminder", false), "{}", true, 2);
        assert!(calls.is_empty());
    }

    #[test]
    fn invented_tools_are_told_apart_by_their_names() {
        for name in [
            "set_alarm", "addTask", "unreadable_call", "", "Send", "notes__delete",
        ] {
            assert!(sounds_like_change(name), "{name}");
        }
        for name in [
            "get_weather", "web_search", "listEvents", "search", "calculator", "notes__list_all",
            "python",
        ] {
            assert!(!sounds_like_change(name), "{name}");
        }
    }
}
