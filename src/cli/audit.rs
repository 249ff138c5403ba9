//! `chatkeep audit`: lists operators' changes, read from the database, also while a service runs.

use clap::Args;
use serde_json::{Value, json};

use super::Failure;
use super::printable::plain;
use super::running;
use crate::clock::{Clock, Timestamp};
use crate::config::Source;
use crate::store::{self, AuditRow};

#[derive(Args)]
pub(super) struct Options {
    /// Start: 24h or 7d ago, a day like 2030-01-31 (UTC), or 2030-01-31T12:00:00Z.
    #[arg(long, value_name = "T", value_parser = since)]
    since: Option<Timestamp>,
    /// Maximum number of changes: the newest ones, printed in the order in which they were made.
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    limit: u32,
    /// Prints the answer of GET /admin/audit.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(source: &Source, options: &Options) -> Result<(), Failure> {
    let database = super::load(source)?.config.storage.path;
    let read = || -> Result<_, String> {
        let since = options.since.unwrap_or(Timestamp(i64::MIN));
        running::check_database(&database, "")?;
        let limit = options.limit as usize;
        let mut rows = store::look(&database, |view| view.audit(since, i64::MAX, limit + 1))?;
        let has_more = rows.len() > limit;
        rows.truncate(limit);
        Ok((rows, has_more))
    };
    let (rows, has_more) = read()?;
    let result = if options.json {
        super::print_json(&json!({ "entries": rows, "has_more": has_more }))
    } else if rows.is_empty() {
        super::print("No changes.")
    } else {
        let lines: Vec<String> = rows.iter().rev().map(line).collect();
        super::print(&lines.join("\n"))
    };
    if has_more && !options.json {
        eprintln!("There are older ones: add --limit");
    }
    Ok(result?)
}

fn since(text: &str) -> Result<Timestamp, String> {
    moment(text, Clock::system().now())
}

/// Parses a duration before now, a day, or a time.
fn moment(text: &str, now: Timestamp) -> Result<Timestamp, String> {
    let back = super::span::seconds(text).filter(|seconds| *seconds >= 0);
    back.map(|seconds| now.plus_s(-seconds))
        .or_else(|| super::span::day_or_time(text))
        .ok_or_else(|| "it must be like 24h, 7d, 2030-01-31 or 2030-01-31T12:00:00Z".to_owned())
}

fn line(row: &AuditRow) -> String {
    let from = row.address.as_deref().unwrap_or("this machine");
    let text = |value: &Value| match value {
        Value::Null => "nothing".to_owned(),
        value => value.to_string(),
    };
    let change = match (&row.before, &row.after) {
        (Value::Null, Value::Null) => String::new(),
        (before, after) => format!("  {} → {}", text(before), text(after)),
    };
    plain(&format!(
        "{}  {}  {} ({from})  {}{change}",
        row.at, row.action, row.operator, row.subject
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_spans_days_or_times() {
        let now = Timestamp::from_seconds(1_700_000_000);
        for (text, seconds) in [
            ("90s", 1_699_999_910),
            ("7d", 1_699_395_200),
            ("2023-11-14", 1_699_920_000),
            ("2023-11-14T22:13:21+00:00", 1_700_000_001),
        ] {
            assert_eq!(
                moment(text, now),
                Ok(Timestamp::from_seconds(seconds)),
                "{text}"
            );
        }
        for text in ["", "-1h", "yesterday", "2023-13-01", "h"] {
            assert!(moment(text, now).is_err(), "{text}");
        }
    }
}
