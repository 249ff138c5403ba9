//! `chatkeep commands …`: lists commands that relays could not execute, and retries or drops them.
//! Reads the database, also while a service runs; changes go through the service if one runs.

use clap::{Args, Subcommand};
use serde_json::json;

use super::Failure;
use super::printable::plain;
use super::running;
use crate::clock::Clock;
use crate::config::{Config, Source};
use crate::model::public_id::PublicId;
use crate::outbound::Method;
use crate::store::{self, CommandRow, CommandState};

#[derive(Subcommand)]
pub(super) enum Command {
    /// Lists commands that failed or expired, newest first.
    #[command(after_help = "Example: chatkeep commands list --state failed")]
    List(List),
    /// Retries a failed or expired command under the same id.
    #[command(after_help = "Example: chatkeep commands retry 0199a1b2-54d2-7a1e-9a52-5d5f3c3a2b11")]
    Retry(CommandId),
    /// Drops a failed or expired command.
    #[command(after_help = "Example: chatkeep commands drop 0199a1b2-54d2-7a1e-9a52-5d5f3c3a2b11")]
    Drop(CommandId),
}

#[derive(Args)]
pub(super) struct List {
    /// Lists only commands in this state, such as failed, expired or queued.
    #[arg(long, value_name = "S", value_parser = CommandState::ALL.map(CommandState::as_str))]
    state: Option<String>,
    /// Maximum number of commands.
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..=1000))]
    limit: u16,
    /// Prints the answer of GET /admin/commands.
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
pub(super) struct CommandId {
    /// The command's id, as shown by `chatkeep commands list`.
    #[arg(value_name = "ID")]
    command_id: String,
}

pub(super) fn run(source: &Source, command: &Command) -> Result<(), Failure> {
    let database = super::load(source)?.config.storage.path;
    running::check_database(&database, "no commands")?;
    let result = match command {
        Command::List(options) => list(&database, options),
        Command::Retry(options) => {
            let config = super::load_with_secrets(source)?.config;
            retry(&config, &options.command_id)
        }
        Command::Drop(options) => {
            let config = super::load_with_secrets(source)?.config;
            drop_command(&config, &options.command_id)
        }
    };
    Ok(result?)
}

fn list(database: &std::path::Path, options: &List) -> Result<(), String> {
    let limit = usize::from(options.limit);
    let state = options.state.as_deref().and_then(CommandState::named);
    let mut rows = store::look(database, |view| view.commands(state, limit + 1))?;
    let has_more = rows.len() > limit;
    rows.truncate(limit);
    if options.json {
        return super::print_json(&json!({ "commands": rows, "has_more": has_more }));
    }
    if rows.is_empty() {
        return super::print("No commands.");
    }
    let lines: Vec<String> = rows.iter().map(line).collect();
    super::print(&lines.join("\n"))?;
    if has_more {
        eprintln!("There are more: add --limit");
    }
    Ok(())
}

fn line(row: &CommandRow) -> String {
    let at = row.finished_at.unwrap_or(row.created_at);
    let chat = row.chat_guid.as_deref().unwrap_or("(its chat is gone)");
    let why = row.error.as_deref().unwrap_or_default();
    let text = format!(
        "{}  {:<9}  {at}  {}  {chat}  {why}",
        row.command_id, row.state, row.agent_id
    );
    plain(text.trim_end())
}

fn retry(config: &Config, id: &str) -> Result<(), String> {
    let path = format!("/admin/commands/{}/retry", check_id(id)?);
    let (id, now) = (id.to_owned(), Clock::system().now());
    let ttl_s = config.edge.command_ttl_hours * 3600;
    running::change(config, Method::Post, &path, None, move |tx, operator| {
        tx.retry_command(&id, ttl_s, &operator, now).map(drop)
    })?;
    super::print("The command is queued again.")
}

fn drop_command(config: &Config, id: &str) -> Result<(), String> {
    let path = format!("/admin/commands/{}", check_id(id)?);
    let (id, now) = (id.to_owned(), Clock::system().now());
    running::change(config, Method::Delete, &path, None, move |tx, operator| {
        tx.drop_command(&id, &operator, now)
    })?;
    super::print("The command is dropped.")
}

/// The id becomes part of a URL path.
fn check_id(id: &str) -> Result<&str, String> {
    match PublicId::parse(id) {
        Some(_) => Ok(id),
        None => Err(format!(
            "{} is no command's id; `chatkeep commands list` shows the ids",
            plain(id)
        )),
    }
}
