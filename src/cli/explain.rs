//! `chatkeep explain`: explains how the answer to a message was decided. Reads the database, also
//! while a service runs.

use clap::Args;
use serde_json::Value;

use super::Failure;
use super::printable::plain;
use super::running;
use crate::config::Source;
use crate::ingest::explain::explain;
use crate::store;

/// Width of the column of names.
const COLUMN_CHARS: usize = 19;

#[derive(Args)]
pub(super) struct Options {
    /// The number in the X-Message-Id header of its answer.
    #[arg(value_parser = message_id)]
    message_id: i64,
    /// Also prints the message and its answer.
    #[arg(long)]
    text: bool,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(source: &Source, options: &Options) -> Result<(), Failure> {
    let config = super::load(source)?.config;
    let database = &config.storage.path;
    let read = || {
        running::check_database(database, "")?;
        let (id, persona) = (options.message_id, &config.reply.persona_name);
        // An unknown id has another error than an unreadable file.
        let explanation = store::look(database, |view| {
            match explain(view, id, persona, options.text) {
                Err(error) if error.code == "not_found" => Ok(None),
                explanation => explanation.map(Some),
            }
        })?;
        explanation.ok_or_else(|| {
            format!(
                "there is no message {id} in {}; its number is in the header X-Message-Id of \
                 the answer that the relay got",
                database.display()
            )
        })
    };
    let explanation = read()?;
    let result = if options.json {
        super::print_json(&explanation)
    } else {
        super::print(&describe(&explanation))
    };
    Ok(result?)
}

fn message_id(text: &str) -> Result<i64, &'static str> {
    let number = text.parse();
    number.map_err(|_| "must be a whole number, the one in the header X-Message-Id of an answer")
}

fn describe(explanation: &Value) -> String {
    let mut lines = Vec::new();
    let mut line = |name: &str, value: &Value| {
        let text = value.as_str().map_or(value.to_string(), str::to_owned);
        lines.push(format!("{name:<COLUMN_CHARS$} {}", plain(&text)));
    };
    for name in [
        "message_id", "received_at", "chat_guid", "user_id", "engine",
    ] {
        line(name, &explanation[name]);
    }
    for step in explanation["steps"].as_array().into_iter().flatten() {
        line(step["check"].as_str().unwrap_or_default(), &step["result"]);
    }
    for (name, value) in explanation["model"].as_object().into_iter().flatten() {
        line(&format!("  {name}"), value);
    }
    for name in ["text", "reply_bubbles", "late_bubbles"] {
        if let Some(value) = explanation.get(name).filter(|value| !value.is_null()) {
            line(name, value);
        }
    }
    lines.join("\n")
}
