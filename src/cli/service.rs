//! `chatkeep service …`: connects calendars and mailboxes for a person, lists, tests and removes
//! them. A running service does it, or without one this command does. Passwords and secret
//! addresses are read from a file, the terminal or standard input, never from an argument.

mod secret;

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::printable::plain;
use super::running;
use super::user::{self, UserArguments};
use crate::app::{self, App};
use crate::clock::Clock;
use crate::config::{Config, Source};
use crate::error;
use crate::model::public_id::PublicId;
use crate::outbound::Method;
use crate::services::{Credentials, NAME_CHARS_MAX, ServiceView};

/// A server is asked several times, each time for 20 seconds at most.
const ANSWER_MAX: Duration = Duration::from_secs(120);

#[derive(Subcommand)]
pub(super) enum Command {
    /// Connects a calendar or mailbox for a person.
    ///
    /// It is tried first: what fails is not kept. The password (of ics, the calendar's address)
    /// is asked for in the terminal, or read from --secret-file or standard input.
    #[command(
        after_help = "Example: chatkeep service add --phone +15550100 --kind imap --host imap.example.com --username ada@example.com --secret-file password.txt"
    )]
    Add(Add),
    /// Lists a person's calendars and mailboxes, oldest first.
    #[command(after_help = "Example: chatkeep service list --phone +15550100 --json")]
    List(List),
    /// Asks a server now and says how that went.
    ///
    /// What is new is fetched. The exit code is 1 where the server fails or refuses.
    #[command(
        after_help = "Example: chatkeep service test --phone +15550100 0b0e7a3c-54d2-4a1e-9a52-5d5f3c3a2b11"
    )]
    Test(Named),
    /// Removes a service's credentials and everything that was fetched.
    #[command(
        after_help = "Example: chatkeep service remove --phone +15550100 0b0e7a3c-54d2-4a1e-9a52-5d5f3c3a2b11"
    )]
    Remove(Removal),
}

#[derive(Args)]
pub(super) struct Add {
    #[command(flatten)]
    person: UserArguments,
    /// What to connect: a calendar by its iCal address, a CalDAV account, or a mailbox.
    #[arg(long, value_parser = ["ics", "caldav", "imap"])]
    kind: String,
    /// The address of the CalDAV server.
    #[arg(long, required_if_eq("kind", "caldav"))]
    url: Option<String>,
    /// The mail server.
    #[arg(long, required_if_eq("kind", "imap"))]
    host: Option<String>,
    /// The mail server's port; default: 993, or 143 with --no-tls.
    #[arg(long)]
    port: Option<u16>,
    /// Who signs in at the CalDAV or mail server.
    #[arg(long, required_if_eq_any([("kind", "caldav"), ("kind", "imap")]))]
    username: Option<String>,
    /// Asks the mail server without TLS; only a host of services.allowed_hosts.
    #[arg(long)]
    no_tls: bool,
    /// What the service is called; default: the name that its server gives, or its host.
    #[arg(long, value_parser = name)]
    name: Option<String>,
    /// A file whose first line is the password, or the iCal address.
    #[arg(long, value_name = "FILE")]
    secret_file: Option<PathBuf>,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
pub(super) struct List {
    #[command(flatten)]
    person: UserArguments,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
pub(super) struct Named {
    #[command(flatten)]
    service: Removal,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
pub(super) struct Removal {
    #[command(flatten)]
    person: UserArguments,
    /// The service's id, as shown by `chatkeep service list`.
    #[arg(value_name = "ID")]
    service_id: String,
}

pub(super) fn run(source: &Source, command: &Command) -> Result<(), Vec<String>> {
    let database = super::loaded(source)?.config.storage.path;
    let done = match command {
        Command::Add(options) => {
            let user_id = person(&database, &options.person).map_err(super::one)?;
            let credentials = options.credentials().map_err(super::one)?;
            // Loaded only now: no secret is generated for an unknown user.
            let config = super::configuration(source)?.config;
            add(&config, &user_id, credentials, options)
        }
        Command::List(options) => {
            let user_id = person(&database, &options.person).map_err(super::one)?;
            list(&super::configuration(source)?.config, &user_id, options)
        }
        Command::Test(options) => {
            let (user_id, id) = options.service.checked(&database).map_err(super::one)?;
            let config = super::configuration(source)?.config;
            test(&config, &user_id, id, options.json)
        }
        Command::Remove(options) => {
            let (user_id, id) = options.checked(&database).map_err(super::one)?;
            remove(&super::configuration(source)?.config, &user_id, id)
        }
    };
    done.map_err(super::one)
}

impl Add {
    fn credentials(&self) -> Result<Credentials, String> {
        let given = |value: &Option<String>| value.clone().unwrap_or_default();
        let what = match self.kind.as_str() {
            "ics" => "iCal address",
            _ => "password",
        };
        let secret = secret::read(what, self.secret_file.as_deref())?;
        Ok(match self.kind.as_str() {
            "ics" => Credentials::Ics { url: secret },
            "caldav" => Credentials::Caldav {
                url: given(&self.url),
                username: given(&self.username),
                password: secret,
            },
            _ => Credentials::imap(
                given(&self.host),
                self.port,
                given(&self.username),
                secret,
                !self.no_tls,
            ),
        })
    }
}

impl Removal {
    /// The person's id and the service's, which become parts of a URL path.
    fn checked(&self, database: &Path) -> Result<(String, &str), String> {
        let user_id = person(database, &self.person)?;
        match PublicId::parse(&self.service_id) {
            Some(_) => Ok((user_id, &self.service_id)),
            None => Err(format!(
                "{} is no service's id; `chatkeep service list` shows them",
                plain(&self.service_id)
            )),
        }
    }
}

fn person(database: &Path, named: &UserArguments) -> Result<String, String> {
    let row = user::find(database, named, Clock::system().now())?;
    Ok(row.user.public_id)
}

fn name(given: &str) -> Result<String, String> {
    let name = given.trim();
    match name.chars().count() {
        1..=NAME_CHARS_MAX => Ok(name.to_owned()),
        _ => Err(format!("must have 1 to {NAME_CHARS_MAX} characters")),
    }
}

fn add(
    config: &Config,
    user_id: &str,
    credentials: Credentials,
    options: &Add,
) -> Result<(), String> {
    let path = format!("/admin/users/{user_id}/services");
    let mut body = json!(credentials);
    if let Some(name) = &options.name {
        body["name"] = name.as_str().into();
    }
    let added = match running::ask_for(config, Method::Post, &path, Some(&body), ANSWER_MAX)? {
        Some(added) => added,
        None => {
            let (name, operator) = (options.name.clone(), super::audit::operator());
            alone(config, async |app| {
                let services = &app.services;
                let added = services.connect_for(user_id, credentials, name, operator);
                added.await.map(|view| json!(view))
            })?
        }
    };
    match options.json {
        true => super::print_json(&added),
        false => super::print(&format!("Connected: {}", line(&added))),
    }
}

fn list(config: &Config, user_id: &str, options: &List) -> Result<(), String> {
    let path = format!("/admin/users/{user_id}/services");
    let listed = match running::ask(config, Method::Get, &path, None)? {
        Some(listed) => listed,
        None => alone(config, async |app| {
            let services: Vec<ServiceView> = app.services.list_of(user_id).await?;
            Ok(json!({ "services": services }))
        })?,
    };
    if options.json {
        return super::print_json(&listed);
    }
    let services = listed["services"].as_array().map_or(&[][..], Vec::as_slice);
    if services.is_empty() {
        return super::print("No services.");
    }
    let lines: Vec<String> = services.iter().map(line).collect();
    super::print(&lines.join("\n"))
}

fn test(config: &Config, user_id: &str, id: &str, as_json: bool) -> Result<(), String> {
    let path = format!("/admin/users/{user_id}/services/{id}/sync");
    let tested = match running::ask_for(config, Method::Post, &path, None, ANSWER_MAX)? {
        Some(tested) => tested,
        None => alone(config, async |app| {
            let tested = app.services.test_of(user_id, id).await?;
            Ok(json!(tested))
        })?,
    };
    match as_json {
        true => super::print_json(&tested)?,
        false => super::print(&line(&tested))?,
    }
    match tested["error"].as_str() {
        Some(why) => Err(why.to_owned()),
        None => Ok(()),
    }
}

fn remove(config: &Config, user_id: &str, id: &str) -> Result<(), String> {
    let path = format!("/admin/users/{user_id}/services/{id}");
    if running::ask_for(config, Method::Delete, &path, None, ANSWER_MAX)?.is_none() {
        let operator = super::audit::operator();
        alone(config, async |app| {
            let removed = app.services.disconnect_for(user_id, id, operator);
            removed.await.map(|()| Value::Null)
        })?;
    }
    super::print("The service is removed; its credentials and what was fetched are gone.")
}

/// Does it in the database, where no service runs.
fn alone(
    config: &Config,
    work: impl AsyncFnOnce(&App) -> error::Result<Value>,
) -> Result<Value, String> {
    let _lock = app::lock(config)?;
    super::runtime()?.block_on(async {
        let app = App::build(config.clone(), Clock::system()).await?;
        work(&app).await.map_err(|e| e.to_string())
    })
}

fn line(service: &Value) -> String {
    let text = |name: &str| service[name].as_str().unwrap_or_default();
    let synced = service["last_sync_at"].as_str().unwrap_or("never");
    let calendars = service["calendars"].as_array().map_or(0, Vec::len);
    let calendars = match (text("kind"), calendars) {
        ("imap", _) => String::new(),
        (_, 1) => ", 1 calendar".to_owned(),
        (_, count) => format!(", {count} calendars"),
    };
    let why = match service["error"].as_str() {
        Some(why) => format!("  {why}"),
        None => String::new(),
    };
    plain(&format!(
        "{}  {:<6}  {:<7}  {} ({}{calendars})  synced {synced}{why}",
        text("service_id"),
        text("kind"),
        text("state"),
        text("name"),
        text("host"),
    ))
}
