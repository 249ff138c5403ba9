//! What a call makes and takes away, by its arguments and its result. Pure.

use serde_json::Value;

use crate::assistant::powers::Power;
use crate::assistant::tools::Tool;

const REMEMBER: &str = Tool::Remember.name();
const FORGET: &str = Tool::Forget.name();
const UNDO: &str = Tool::Undo.name();
const SET_PROFILE: &str = Tool::SetProfile.name();
const TODO_LIST: &str = Tool::Power(Power::TodoList).name();
/// Parts of names of operations that take something away.
const REMOVING: [&str; 8] = [
    "remove", "delete", "clear", "cancel", "forget", "undo", "stop", "drop",
];

/// What a call makes or takes away.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct CallEffects {
    /// Ids of memories, or entries of lists in lower case.
    pub(super) made: Vec<String>,
    pub(super) removed: Vec<String>,
    /// In words, what was taken away, or is another now: memories, entries, the city of the zone.
    pub(super) lost: Vec<String>,
}

/// "Los Angeles" of a zone.
pub(super) fn city_of(zone: &str) -> String {
    zone.rsplit('/').next().unwrap_or(zone).replace('_', " ")
}

/// Those of a call of `tool`.
pub(super) fn effects_of(tool: &str, arguments: &Value, result: &Value) -> CallEffects {
    let texts = |all: &Value| -> Vec<String> {
        let all = all.as_array().into_iter().flatten();
        all.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let keys = |all: &Value| -> Vec<String> {
        let all = texts(all).into_iter();
        all.map(|text| text.trim().to_lowercase()).collect()
    };
    let operation = arguments["operation"].as_str().unwrap_or_default();
    let in_words = |value: &Value| {
        value
            .as_str()
            .map_or_else(Vec::new, |text| vec![text.to_owned()])
    };
    match tool {
        REMEMBER => CallEffects {
            made: in_words(&result["id"]),
            ..CallEffects::default()
        },
        FORGET => CallEffects {
            removed: keys(&arguments["ids"]),
            lost: texts(&result["forgotten"]),
            ..CallEffects::default()
        },
        UNDO => CallEffects {
            lost: in_words(&result["undone"]),
            ..CallEffects::default()
        },
        SET_PROFILE => CallEffects {
            lost: result["timezone"]
                .as_str()
                .map_or_else(Vec::new, |zone| vec![city_of(zone)]),
            ..CallEffects::default()
        },
        TODO_LIST if operation == "add" => CallEffects {
            made: keys(&arguments["items"]),
            ..CallEffects::default()
        },
        TODO_LIST if operation == "remove" => CallEffects {
            removed: keys(&arguments["items"]),
            lost: texts(&arguments["items"]),
            ..CallEffects::default()
        },
        _ if REMOVING.iter().any(|part| operation.contains(part)) => CallEffects {
            lost: in_words(&result["done"]),
            ..CallEffects::default()
        },
        _ => CallEffects::default(),
    }
}
