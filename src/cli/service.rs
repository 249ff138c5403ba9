//! `chatkeep service …`: connects calendars and mailboxes for a person, lists, tests and removes
//! them. A running service does it, or without one this command does. Passwords and secret
//! addresses are read from a file, the terminal or standard input, never from an argument.

mod secret;

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::error::ErrorKind;
use clap::{Args, CommandFactory as _, Subcommand};
use serde_json::{Value, json};

use super::Failure;
use super::printable::plain;
use super::running::{self, IdleService};
use super::user::{self, UserArguments};
use crate::clock::Clock;
use crate::config::{Config, Source};
use crate::model::connected_service::ServiceKind;
use crate::model::public_id::PublicId;
use crate::outbound::Method;
use crate::services::web::{IN_PRIVATE_NETWORK, NEEDS_TLS};
use crate::services::{self, Credentials, NAME_CHARS_MAX, NO_SERVICE, ServiceList, ServiceView};
use crate::store;

/// A call sends several requests to the server, each of at most 20 seconds.
const ANSWER_MAX: Duration = Duration::from_secs(120);

#[derive(Subcommand)]
pub(super) enum Command {
    /// Connects a calendar or mailbox for a person.
    ///
    /// The service is tested first, and stored only if the test succeeds. The password (for ics, the
    /// calendar's address) is read from --secret-file, the terminal or standard input.
    #[command(
        after_help = "Example: chatkeep service add --phone +15550100 --kind imap --host imap.example.com --username ada@example.com --secret-file password.txt"
    )]
    Add(Add),
    /// Lists a person's calendars and mailboxes, oldest first.
    #[command(after_help = "Example: chatkeep service list --phone +15550100 --json")]
    List(List),
    /// Synchronizes a service now and prints the result.
    ///
    /// New entries are fetched. The exit code is 1 if the server fails or refuses.
    #[command(
        after_help = "Example: chatkeep service test --phone +15550100 0b0e7a3c-54d2-4a1e-9a52-5d5f3c3a2b11"
    )]
    Test(TestOptions),
    /// Removes a service's credentials and all fetched data.
    #[command(
        after_help = "Example: chatkeep service remove --phone +15550100 0b0e7a3c-54d2-4a1e-9a52-5d5f3c3a2b11"
    )]
    Remove(ServiceArguments),
}

#[derive(Args)]
pub(super) struct Add {
    #[command(flatten)]
    person: UserArguments,
    /// The kind of service: a calendar by its iCal address, a CalDAV account, or a mailbox.
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
    /// The user name at the CalDAV or mail server.
    #[arg(long, required_if_eq_any([("kind", "caldav"), ("kind", "imap")]))]
    username: Option<String>,
    /// Connects to the mail server without TLS. Only for a host of services.allowed_hosts.
    #[arg(long)]
    no_tls: bool,
    /// The service's name; default: the name that its server reports, or its host.
    #[arg(long, value_parser = parse_name)]
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
pub(super) struct TestOptions {
    #[command(flatten)]
    service: ServiceArguments,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
pub(super) struct ServiceArguments {
    #[command(flatten)]
    person: UserArguments,
    /// The service's id, as shown by `chatkeep service list`.
    #[arg(value_name = "ID")]
    service_id: String,
}

pub(super) fn run(source: &Source, command: &Command) -> Result<(), Failure> {
    let database = super::load(source)?.config.storage.path;
    let result = match command {
        Command::Add(options) => {
            options.refuse_useless();
            let user_id = user_id(&database, &options.person)?;
            let credentials = options.credentials()?;
            // Loaded only now: no secret is generated for an unknown user.
            let config = super::load_with_secrets(source)?.config;
            add(&config, &user_id, credentials, options)
        }
        Command::List(options) => {
            let user_id = user_id(&database, &options.person)?;
            list(&super::load_with_secrets(source)?.config, &user_id, options)
        }
        Command::Test(options) => {
            let (user_id, id) = options.service.check(&database)?;
            let config = super::load_with_secrets(source)?.config;
            test(&config, &user_id, id, options.json)
        }
        Command::Remove(options) => {
            let (user_id, id) = options.check(&database)?;
            remove(&super::load_with_secrets(source)?.config, &user_id, id)
        }
    };
    Ok(result.map_err(|why| with_settings(&why))?)
}

impl Add {
    /// Ends the process with a wrong usage if an option would have no effect.
    fn refuse_useless(&self) {
        let (is_caldav, is_imap) = (self.kind == "caldav", self.kind == "imap");
        let options = [
            ("--url", self.url.is_some(), is_caldav, "caldav"),
            ("--host", self.host.is_some(), is_imap, "imap"),
            ("--port", self.port.is_some(), is_imap, "imap"),
            ("--no-tls", self.no_tls, is_imap, "imap"),
            (
                "--username",
                self.username.is_some(),
                is_caldav || is_imap,
                "caldav and imap",
            ),
        ];
        let useless = options
            .into_iter()
            .find(|(_, is_given, is_used, _)| *is_given && !is_used);
        let Some((option, .., kinds)) = useless else {
            return;
        };
        let secret = match self.kind.as_str() {
            "ics" => "; the iCal address is a secret: it is read from --secret-file or the prompt",
            _ => "",
        };
        let why = format!("{option} is for --kind {kinds}{secret}");
        let mut command = super::Arguments::command();
        command.error(ErrorKind::ArgumentConflict, why).exit()
    }

    fn credentials(&self) -> Result<Credentials, String> {
        let text = |value: &Option<String>| value.clone().unwrap_or_default();
        let what = match self.kind.as_str() {
            "ics" => "iCal address",
            _ => "password",
        };
        let secret = secret::read(what, self.secret_file.as_deref())?;
        Ok(match self.kind.as_str() {
            "ics" => Credentials::Ics { url: secret },
            "caldav" => Credentials::Caldav {
                url: text(&self.url),
                username: text(&self.username),
                password: secret,
            },
            _ => Credentials::imap(
                text(&self.host),
                self.port,
                text(&self.username),
                secret,
                !self.no_tls,
            ),
        })
    }
}

impl ServiceArguments {
    /// The ids of the person and the service; both become parts of a URL path.
    fn check(&self, database: &Path) -> Result<(String, &str), String> {
        let user_id = user_id(database, &self.person)?;
        match PublicId::parse(&self.service_id) {
            Some(_) => Ok((user_id, &self.service_id)),
            None => Err(format!(
                "{} is not the id of a service; `chatkeep service list` shows the ids",
                plain(&self.service_id)
            )),
        }
    }
}

fn user_id(database: &Path, user: &UserArguments) -> Result<String, String> {
    let row = user::find(database, user, Clock::system().now())?;
    Ok(row.user.public_id)
}

fn parse_name(text: &str) -> Result<String, String> {
    let name = text.trim();
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
    let answer = running::ask_for(config, Method::Post, &path, Some(&body), ANSWER_MAX)?;
    let service: ServiceView = match answer {
        Some(service) => service,
        None => {
            let (name, operator) = (options.name.clone(), running::operator());
            let idle = IdleService::start(config)?;
            let services = &idle.app.services;
            idle.run(services.connect_for(user_id, credentials, name, operator))?
        }
    };
    match options.json {
        true => super::print_json(&json!(service)),
        false => super::print(&format!("Connected: {}", line(&service))),
    }
}

fn list(config: &Config, user_id: &str, options: &List) -> Result<(), String> {
    let path = format!("/admin/users/{user_id}/services");
    let list = match running::ask_to_read(config, &path)? {
        Some(list) => list,
        None => {
            let day = Clock::system().now().utc_day();
            let services = store::look(&config.storage.path, |view| {
                services::list_of(view, user_id, day)
            });
            ServiceList {
                services: services?,
            }
        }
    };
    if options.json {
        return super::print_json(&json!(list));
    }
    if list.services.is_empty() {
        return super::print("No services.");
    }
    let lines: Vec<String> = list.services.iter().map(line).collect();
    super::print(&lines.join("\n"))
}

fn test(config: &Config, user_id: &str, id: &str, as_json: bool) -> Result<(), String> {
    let path = format!("/admin/users/{user_id}/services/{id}/sync");
    let answer = running::ask_for(config, Method::Post, &path, None, ANSWER_MAX)?;
    let service: ServiceView = match answer {
        Some(service) => service,
        None => {
            let idle = IdleService::start(config)?;
            idle.run(idle.app.services.test_of(user_id, id))?
        }
    };
    match as_json {
        true => super::print_json(&json!(service))?,
        false => super::print(&line(&service))?,
    }
    service.error.map_or(Ok(()), Err)
}

/// Says to the operator what a person isn't told: whose service, and the settings that allow a server
/// of the operator's own network.
fn with_settings(why: &str) -> String {
    if why.contains(NO_SERVICE) {
        return why.replace(
            NO_SERVICE,
            "This user has no connected service with this id; `chatkeep service list` shows the ids.",
        );
    }
    if why.contains(IN_PRIVATE_NETWORK) {
        format!(
            "{why} If it is yours, set services.allow_private = true and name the host in \
             services.allowed_hosts, then restart the service."
        )
    } else if why.contains(NEEDS_TLS) {
        format!(
            "{why} If it is a host of your own network, name it in services.allowed_hosts, then \
             restart the service."
        )
    } else {
        why.to_owned()
    }
}

fn remove(config: &Config, user_id: &str, id: &str) -> Result<(), String> {
    let path = format!("/admin/users/{user_id}/services/{id}");
    let answer: Option<Value> = running::ask_for(config, Method::Delete, &path, None, ANSWER_MAX)?;
    if answer.is_none() {
        let (idle, operator) = (IdleService::start(config)?, running::operator());
        idle.run(idle.app.services.disconnect_for(user_id, id, operator))?;
    }
    super::print("The service is removed; its credentials and fetched data are deleted.")
}

fn line(service: &ServiceView) -> String {
    let synced = match service.last_sync_at {
        Some(at) => at.to_string(),
        None => "never".to_owned(),
    };
    let calendars = match (service.kind, service.calendars.len()) {
        (ServiceKind::Imap, _) => String::new(),
        (_, 1) => ", 1 calendar".to_owned(),
        (_, count) => format!(", {count} calendars"),
    };
    let why = match &service.error {
        Some(why) => format!("  {why}"),
        None => String::new(),
    };
    plain(&format!(
        "{}  {:<6}  {:<7}  {} ({}{calendars})  synced {synced}{why}",
        service.service_id,
        service.kind.as_str(),
        service.state.as_str(),
        service.name,
        service.host,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_operator_is_not_addressed_as_the_person() {
        let why = with_settings(&format!("the service answers 404: {NO_SERVICE}"));
        let expected = "the service answers 404: This user has no connected service with this id";
        assert!(why.starts_with(expected), "{why}");
        assert!(why.contains("chatkeep service list"), "{why}");
        assert_eq!(with_settings("another"), "another");
    }
}
