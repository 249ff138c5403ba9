//! `chatkeep flags …`: lists flags with values and sources, and sets or removes overrides. Uses the
//! running service if there is one, otherwise the database.

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::Failure;
use super::running;
use crate::clock::{Clock, Timestamp};
use crate::config::{Config, Source};
use crate::flags::registry::{self, Flag};
use crate::flags::{FlagList, Flags, Override, SET_BY_CHARS_MAX, Scalar};
use crate::outbound::Method;
use crate::store;

const ROUTE: &str = "/admin/feature-flags";
/// Longest duration of an override; use one without an end instead.
const EXPIRES_DAYS_MAX: i64 = 3650;

#[derive(Subcommand)]
pub(super) enum Command {
    /// Lists every flag with its value and the value's source.
    ///
    /// `in_use` says whether this version uses the flag.
    ///
    /// A running service is asked. Without one, the database's overrides are shown, and no provider
    /// is asked.
    #[command(after_help = "Example: chatkeep flags list --json")]
    List(List),
    /// Overrides a flag, whatever the provider says; takes effect immediately.
    #[command(after_help = "Example: chatkeep flags set llm.force_basic_mode true --expires 2h")]
    Set(Set),
    /// Removes an override.
    #[command(after_help = "Example: chatkeep flags unset llm.force_basic_mode")]
    Unset(Unset),
}

#[derive(Args)]
pub(super) struct List {
    /// Prints the answer of GET /admin/feature-flags.
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
pub(super) struct Set {
    /// The flag's key.
    key: String,
    /// true, false or a number, depending on the flag's type. A value outside the flag's range is
    /// stored, and the nearest allowed value is used.
    #[arg(allow_hyphen_values = true)]
    value: String,
    /// When the override ends: 90s, 30m, 2h, 7d from now, at the start of a day like 2030-01-31
    /// (UTC), or at a time like 2030-01-31T12:00:00Z.
    #[arg(long, value_name = "WHEN")]
    expires: Option<String>,
    /// Who sets it; default: the user of the command line, also through sudo.
    #[arg(long, value_name = "NAME", value_parser = parse_name)]
    by: Option<String>,
}

#[derive(Args)]
pub(super) struct Unset {
    /// The flag's key.
    key: String,
}

pub(super) fn run(source: &Source, command: &Command) -> Result<(), Failure> {
    let result = match command {
        Command::List(options) => {
            let mut config = super::load(source)?.config;
            if running::is_database_in_use(&config) {
                config = super::load_with_secrets(source)?.config; // with the token for the request
            }
            list(&config).and_then(|flags| show(&flags, options.json))
        }
        Command::Set(options) => {
            let now = Clock::system().now();
            let flag = find_flag(&options.key)?;
            let value = options.to_override(flag, now)?;
            let config = super::load_with_secrets(source)?.config;
            change(&config, flag, Some(value), now)
        }
        Command::Unset(options) => {
            let flag = find_flag(&options.key)?;
            let mut config = super::load(source)?.config;
            if running::is_database_in_use(&config) {
                config = super::load_with_secrets(source)?.config; // with the token for the request
            }
            match is_overridden(&config, flag)? {
                true => change(&config, flag, None, Clock::system().now()),
                false => super::print(&format!("{} has no override.", flag.key)),
            }
        }
    };
    Ok(result?)
}

/// A name that fits into the flag's `set_by`, also when the running service is asked.
fn parse_name(name: &str) -> Result<String, String> {
    let chars_max = SET_BY_CHARS_MAX - running::OPERATOR_PREFIX.len();
    let is_valid = (1..=chars_max).contains(&name.chars().count())
        && !name.trim().is_empty()
        && !name.chars().any(char::is_control);
    match is_valid {
        true => Ok(name.to_owned()),
        false => Err(format!("must be a name of 1 to {chars_max} characters")),
    }
}

fn find_flag(key: &str) -> Result<&'static Flag, String> {
    registry::find(key).ok_or_else(|| match registry::nearest(key) {
        Some(nearest) => format!(
            "there is no flag {key:?}; the nearest is {nearest} (`chatkeep flags list` shows all)"
        ),
        None => format!("there is no flag {key:?}; `chatkeep flags list` shows all"),
    })
}

impl Set {
    fn to_override(&self, flag: &Flag, now: Timestamp) -> Result<Override, String> {
        // Text that isn't JSON matches no flag's type.
        let value: Value = serde_json::from_str(&self.value).unwrap_or_default();
        flag.parse_override(&value)
            .map_err(|expected| format!("{} must be {expected}, not {:?}", flag.key, self.value))?;
        let expires = self.expires.as_deref();
        Ok(Override {
            value,
            set_at: now,
            set_by: match &self.by {
                Some(name) => format!("{}{name}", running::OPERATOR_PREFIX),
                None => running::operator().name,
            },
            expires_at: expires.map(|when| end(when, now)).transpose()?,
        })
    }
}

/// Parses a duration from now, or a time.
fn end(when: &str, now: Timestamp) -> Result<Timestamp, String> {
    let invalid =
        || "--expires must be like 90s, 30m, 2h, 7d, 2030-01-31 or 2030-01-31T12:00:00Z".to_owned();
    let span = super::span::seconds(when);
    let at = match span {
        Some(seconds) => now.plus_s(seconds),
        None => super::span::day_or_time(when).ok_or_else(invalid)?,
    };
    if at <= now {
        return Err("--expires must be in the future".to_owned());
    }
    if at > now.plus_s(EXPIRES_DAYS_MAX * 86_400) {
        return Err(format!("--expires must be within {EXPIRES_DAYS_MAX} days"));
    }
    Ok(at)
}

/// The answer of `GET /admin/feature-flags`, also without a service.
fn list(config: &Config) -> Result<FlagList, String> {
    if let Some(flags) = running::ask(config, Method::Get, ROUTE, None)? {
        return Ok(flags);
    }
    let flags = Flags::new(config.is_production(), Clock::system());
    if config.storage.path.exists() {
        let path = &config.storage.path;
        flags.set_overrides(store::look(path, |view| view.flag_overrides())?);
    }
    Ok(flags.list())
}

fn is_overridden(config: &Config, flag: &Flag) -> Result<bool, String> {
    let list = list(config)?;
    let mut views = list.flags.iter();
    Ok(views.any(|view| view.key == flag.key && view.set_at.is_some()))
}

fn change(
    config: &Config,
    flag: &'static Flag,
    set: Option<Override>,
    now: Timestamp,
) -> Result<(), String> {
    let message = match &set {
        Some(set) => message_for_value(flag, &set.value),
        None => format!("The override of {} is removed.", flag.key),
    };
    let path = format!("{ROUTE}/{}", flag.key);
    let body = set.as_ref().map(|set| {
        json!({
            "value": set.value,
            "expires_at": set.expires_at,
            "set_by": set.set_by,
        })
    });
    let method = match &body {
        Some(_) => Method::Put,
        None => Method::Delete,
    };
    note_new_database(config);
    running::change(
        config,
        method,
        &path,
        body.as_ref(),
        move |tx, mut operator| {
            if let Some(set) = &set {
                operator.name.clone_from(&set.set_by);
            }
            tx.change_flag_override(flag.key, set.as_ref(), &operator, now)
        },
    )?;
    super::print(&message)
}

/// Describes the flag's value in use after it was set to `requested`.
fn message_for_value(flag: &Flag, requested: &Value) -> String {
    let key = flag.key;
    let value = flag
        .parse_override(requested)
        .map_or(requested.clone(), Scalar::to_json);
    match flag.range {
        Some((least, most)) if value != *requested => {
            format!("{key} is {value} now: {requested} is outside its range, {least} to {most}.")
        }
        _ => format!("{key} is {value} now."),
    }
}

/// Flags may be set before the first start. In a wrong folder that would have no effect on the
/// service, so this prints a note.
fn note_new_database(config: &Config) {
    if !config.storage.path.exists() && !running::is_database_in_use(config) {
        eprintln!(
            "chatkeep: note: {} did not exist and is made now; a service with other settings or in another folder sees nothing of this",
            config.storage.path.display()
        );
    }
}

fn show(list: &FlagList, as_json: bool) -> Result<(), String> {
    if as_json {
        return super::print_json(&json!(list));
    }
    let rows = &list.flags;
    let width = rows.iter().map(|row| row.key.len()).max();
    let width = width.unwrap_or_default();
    let head = format!("{:width$}  in_use  {:>6}  source", "flag", "value");
    let lines = rows.iter().map(|row| {
        let mut line = format!(
            "{:width$}  {:6}  {:>6}  {}",
            row.key,
            if row.in_use { "yes" } else { "no" },
            row.value.to_string(),
            row.source.as_str()
        );
        if let (Some(at), Some(by)) = (row.set_at, &row.set_by) {
            line += &format!(" (by {by}, {at}");
            if let Some(until) = row.expires_at {
                line += &format!(", until {until}");
            }
            line.push(')');
        }
        format!("{line}\n    {}", row.description)
    });
    let lines = std::iter::once(head).chain(lines);
    super::print(&lines.collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_spans_or_times() {
        let now = Timestamp::from_seconds(1_700_000_000);
        for (when, seconds) in [
            ("90s", 90),
            ("30m", 1_800),
            ("2h", 7_200),
            ("7d", 604_800),
            ("2023-11-14T22:13:21Z", 1),
            ("2023-11-15", 6_400),
            ("2023-11-15T00:13:21+02:00", 1),
        ] {
            assert_eq!(end(when, now), Ok(now.plus_s(seconds)), "{when}");
        }
        for when in [
            "", "0s", "-1h", "h", "2", "tomorrow", "2020-01-01T00:00:00Z", "99999d",
        ] {
            assert!(end(when, now).is_err(), "{when}");
        }
    }
}
