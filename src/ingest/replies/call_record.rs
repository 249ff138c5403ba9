//! What is kept of a tool call while its reply is made: for operators, and to be compared with what
//! the reply tells.

use serde_json::Value;

use super::call_effects::{city_of, effects_of};
use super::call_numbers::CallNumbers;
use super::model_turn::ModelTurn;
use super::result::CallRecord;
use crate::assistant::tools::{LINK, OfferedTool};

/// Bytes of a call's arguments that operators may see; what is longer is cut.
const RECORD_BYTES_MAX: usize = 4 * 1024;
/// Characters of a tool's name that operators see.
const NAME_CHARS_MAX: usize = 64;
/// Fields of results that say what was done, the clearest first.
const STATEMENT_FIELDS: [&str; 3] = ["done", "undone", "text"];
/// Fields of a changed profile.
const PROFILE_FIELDS: [&str; 4] = ["name", "timezone", "language", "pronouns"];
/// With this the sentences of superpowers begin.
const OKAY: &str = "Okay, ";

impl ModelTurn<'_> {
    /// Another server says that its tool only looks something up.
    fn is_read_only(&self, tool: &str) -> bool {
        let mut offered = self.plan.tools.iter();
        offered.any(
            |one| matches!(one, OfferedTool::Remote(one) if one.name == tool && one.is_read_only),
        )
    }

    pub(super) fn call_record(
        &self,
        tool: &str,
        arguments: &str,
        result: &Value,
        outcome: &'static str,
    ) -> CallRecord {
        // In a group the arguments may quote somebody else, who may be erased one day.
        let is_kept = !self.context.group && !self.context.is_private;
        let is_cut = arguments.len() > RECORD_BYTES_MAX;
        let mut ends = (0..=RECORD_BYTES_MAX.min(arguments.len())).rev();
        let end = ends.find(|at| arguments.is_char_boundary(*at)).unwrap_or(0);
        let words = format!("{arguments} {result}");
        let parsed: Value = serde_json::from_str(arguments).unwrap_or_default();
        CallRecord {
            tool: record_name(tool),
            outcome,
            is_change: false,
            repeats: false,
            reminder: None,
            effects: effects_of(tool, &parsed, result),
            named_times: self.times_in(&result.to_string()),
            numbers: CallNumbers::of(arguments, result),
            statement: statement(result),
            words,
            may_change_there: tool.contains(LINK) && !self.is_read_only(tool),
            sets_hour: parsed["at"].is_string(),
            is_of_next: false,
            new_id: None,
            is_done: result["ok"] == true,
            arguments: is_kept.then(|| arguments[..end].to_owned()),
            arguments_bytes: (is_kept && is_cut).then_some(arguments.len()),
            result: is_kept.then(|| result.clone()),
        }
    }
}

/// What a result says that was done, in one line.
fn statement(result: &Value) -> Option<String> {
    let mut fields = STATEMENT_FIELDS.iter();
    let quoted = |field: &str| {
        let text = result[field].as_str()?;
        let is_zone = field == "timezone";
        Some(format!(
            "“{}”",
            if is_zone {
                city_of(text)
            } else {
                text.to_owned()
            }
        ))
    };
    let Some((field, text)) = fields.find_map(|field| Some((*field, result[*field].as_str()?)))
    else {
        let all: Vec<String> = PROFILE_FIELDS
            .iter()
            .filter_map(|field| quoted(field))
            .collect();
        return (!all.is_empty()).then(|| all.join(", "));
    };
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    Some(match field {
        "done" | "undone" => {
            let text = text.trim_end_matches('.');
            let rest = text.strip_prefix(OKAY).unwrap_or(text);
            let mut rest = rest.chars();
            let first = rest.next().into_iter().flat_map(char::to_uppercase);
            first.chain(rest).collect()
        }
        _ => format!("“{text}”"),
    })
}

/// The tool's name as the model wrote it, within bounds.
fn record_name(name: &str) -> String {
    name.chars().take(NAME_CHARS_MAX).collect()
}
