//! `chatkeep user …`: lists users, grants subscriptions, and exports and deletes accounts at their
//! owners' wish.

mod export;

use std::ops::RangeInclusive;
use std::path::Path;

use clap::{Args, Subcommand};
use serde_json::json;

use super::Failure;
use super::printable::plain;
use super::running;
use crate::account::{self, UserView, deletion};
use crate::clock::{Clock, Timestamp};
use crate::config::{self, Config, Source};
use crate::model::subscription::{self, Grant, PLANS};
use crate::outbound::Method;
use crate::store::{self, UserRow};
use export::ExportOptions;

/// Allowed limits of a list.
const LIMITS: RangeInclusive<u16> = 1..=1000;
/// Users compared with an unknown name.
const USERS_COMPARED_MAX: usize = 100_000;
const USERS_PER_READ: usize = 1_000;
const NO_USERS: &str = "; no users yet: a user exists after their first message";

#[derive(Subcommand)]
pub(super) enum Command {
    /// Lists users in the order they were first seen.
    #[command(after_help = "Example: chatkeep user list --limit 100 --json")]
    List(List),
    /// Shows one user.
    #[command(after_help = "Example: chatkeep user show --phone +15550100")]
    Show(Show),
    /// Grants a user a subscription without a payment provider.
    ///
    /// Replaces an earlier grant. Takes effect immediately, also in a running service.
    #[command(
        after_help = "Example: chatkeep user grant --phone +15550100 --plan annual --until 2030-12-31"
    )]
    Grant(GrantOptions),
    /// Removes a grant; a subscription at the payment provider stays.
    #[command(after_help = "Example: chatkeep user revoke --phone +15550100")]
    Revoke(UserArguments),
    /// Writes all data of a user to a file, for a user who asks for it and can't sign in.
    #[command(after_help = "Example: chatkeep user export --phone +15550100 --out ada.json")]
    Export(ExportOptions),
    /// Deletes a user's account in 30 days, for a user who asks for it and can't sign in.
    ///
    /// Until then `chatkeep user keep` cancels it. A subscription ends with its paid period.
    #[command(after_help = "Example: chatkeep user delete --phone +15550100")]
    Delete(UserArguments),
    /// Cancels the deletion of a user's account.
    #[command(after_help = "Example: chatkeep user keep --phone +15550100")]
    Keep(UserArguments),
}

#[derive(Args)]
pub(super) struct List {
    /// Maximum number of users.
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = limit)]
    limit: u16,
    /// Continues after this user of an earlier list.
    #[arg(long, value_name = "USER_ID")]
    after: Option<String>,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
pub(super) struct Show {
    #[command(flatten)]
    user: UserArguments,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
pub(super) struct GrantOptions {
    #[command(flatten)]
    user: UserArguments,
    /// The plan to give.
    #[arg(long, value_parser = PLANS)]
    plan: String,
    /// The last day of the grant (UTC), as 2030-12-31; default: no end.
    #[arg(long, value_name = "DATE", value_parser = date)]
    until: Option<String>,
}

#[derive(Args)]
#[group(required = true, multiple = false)]
pub(super) struct UserArguments {
    /// The user's handle in the chat network.
    #[arg(long)]
    phone: Option<String>,
    /// The user's id, as shown by `chatkeep user list`.
    #[arg(long, value_name = "UUID")]
    user_id: Option<String>,
}

pub(super) fn run(source: &Source, command: &Command) -> Result<(), Failure> {
    let config = super::load(source)?.config;
    let now = Clock::system().now();
    let database = &config.storage.path;
    let result = match command {
        Command::List(options) => list(&config, options, now),
        Command::Show(options) => find(database, &options.user, now).and_then(|row| {
            let user = UserView::of(&row, now);
            if options.json {
                super::print_json(&json!(user))
            } else {
                super::print(&describe(&user, config.access.charge_nobody))
            }
        }),
        Command::Export(options) => {
            let row = find(database, &options.user, now)?;
            export::check_target(&options.out)?;
            let config = super::load_with_secrets(source)?.config;
            export::export(&config, &row, &options.out).and_then(|bytes| {
                super::print(&format!(
                    "{} holds all data of {} ({bytes} bytes).",
                    options.out.display(),
                    display_name(&row)
                ))
            })
        }
        Command::Delete(user) => return set_deletion(source, database, user, true, now),
        Command::Keep(user) => return set_deletion(source, database, user, false, now),
        Command::Grant(options) => {
            let grant = parse_grant(options, now)?;
            let row = find(database, &options.user, now)?;
            // Loaded only now: no secret is generated for an unknown user.
            let config = super::load_with_secrets(source)?.config;
            change(&config, &row, Some(grant.clone()), now).and_then(|()| {
                let end = end(grant.until);
                super::print(&format!(
                    "{} is subscribed ({}{end}).",
                    display_name(&row),
                    grant.plan
                ))
            })
        }
        Command::Revoke(user) => {
            let row = find(database, user, now)?;
            if row.user.grant.is_none() {
                return Ok(super::print(&format!(
                    "{} has no grant; nothing changed.",
                    display_name(&row)
                ))?);
            }
            let config = super::load_with_secrets(source)?.config;
            change(&config, &row, None, now).and_then(|()| {
                super::print(&format!("The grant of {} has ended.", display_name(&row)))
            })
        }
    };
    Ok(result?)
}

fn limit(text: &str) -> Result<u16, String> {
    let number = text.parse().ok();
    let number = number.filter(|number| LIMITS.contains(number));
    let (least, most) = (LIMITS.start(), LIMITS.end());
    number.ok_or_else(|| format!("must be a whole number from {least} to {most}"))
}

/// Checks that the text is a date. `parse_grant` checks that the date is in the future, because its
/// error can say more.
fn date(text: &str) -> Result<String, String> {
    subscription::grant_end(text, Timestamp(i64::MIN)).map(|_| text.to_owned())
}

fn parse_grant(options: &GrantOptions, now: Timestamp) -> Result<Grant, String> {
    let until = match options.until.as_deref() {
        None => None,
        Some(text) => Some(subscription::grant_end(text, now).map_err(|why| {
            format!("--until {text}: {why}; give a later date, or leave it out for no end")
        })?),
    };
    let plan = options.plan.clone();
    Ok(Grant { plan, until })
}

fn list(config: &Config, options: &List, now: Timestamp) -> Result<(), String> {
    let database = &config.storage.path;
    let limit = usize::from(options.limit);
    let after = match &options.after {
        None => None,
        Some(id) => {
            let user = UserArguments {
                phone: None,
                user_id: Some(id.clone()),
            };
            Some(find(database, &user, now)?.user.id)
        }
    };
    running::check_database(database, "no users")?;
    let mut rows = store::look(database, |view| view.users(after, limit + 1, now.utc_day()))?;
    let has_more = rows.len() > limit;
    rows.truncate(limit);
    let users: Vec<UserView<'_>> = rows.iter().map(|row| UserView::of(row, now)).collect();
    if options.json {
        return super::print_json(&json!({ "users": users, "has_more": has_more }));
    }
    if users.is_empty() {
        return super::print("No users.");
    }
    let lines: Vec<String> = (users.iter())
        .map(|user| line(user, config.access.charge_nobody))
        .collect();
    super::print(&lines.join("\n"))?;
    if let (true, Some(last)) = (has_more, users.last()) {
        eprintln!("There are more: add --after {}", last.user_id);
    }
    Ok(())
}

pub(super) fn find(
    database: &Path,
    user: &UserArguments,
    now: Timestamp,
) -> Result<UserRow, String> {
    running::check_database(database, "no users")?;
    let day = now.utc_day();
    let row = store::look(database, |view| match (&user.phone, &user.user_id) {
        (Some(phone), _) => view.user_by_phone(phone, day),
        (None, Some(id)) => view.user(&id.to_ascii_lowercase(), day),
        (None, None) => Ok(None), // clap guarantees one of them
    })?;
    row.ok_or_else(|| {
        let name = user.phone.as_ref().or(user.user_id.as_ref());
        let name = name.map_or("", String::as_str);
        let nearest = nearest(database, name, user.phone.is_some(), now);
        let list = match nearest == NO_USERS {
            true => "",
            false => "; `chatkeep user list` lists the users",
        };
        format!("no user is known as {:?}{nearest}{list}", plain(name))
    })
}

/// The user that was probably meant, as a text to append to an error.
pub(super) fn nearest(database: &Path, name: &str, by_phone: bool, now: Timestamp) -> String {
    let mut nearest: Option<String> = None;
    let mut after = None;
    for _ in 0..USERS_COMPARED_MAX / USERS_PER_READ {
        let day = now.utc_day();
        // A hint only: its failure doesn't matter.
        let Ok(rows) = store::look(database, |view| view.users(after, USERS_PER_READ, day)) else {
            break;
        };
        let Some(last) = rows.last() else { break };
        after = Some(last.user.id);
        let names = rows.iter().filter_map(|row| match by_phone {
            true => row.phone.as_deref(),
            false => Some(row.user.public_id.as_str()),
        });
        nearest = config::intended(name, names.chain(nearest.as_deref())).map(str::to_owned);
    }
    match nearest {
        Some(nearest) => format!("; the nearest is {}", plain(&nearest)),
        None if after.is_none() => NO_USERS.to_owned(),
        None => String::new(),
    }
}

/// Changes the grant through the running service, or in the database without one.
fn change(
    config: &Config,
    row: &UserRow,
    grant: Option<Grant>,
    now: Timestamp,
) -> Result<(), String> {
    let user_id = row.user.public_id.clone();
    let path = format!("/admin/users/{user_id}/grant");
    let body = grant
        .as_ref()
        .map(|Grant { plan, until }| json!({ "plan": plan, "until": until }));
    let method = match &body {
        Some(_) => Method::Put,
        None => Method::Delete,
    };
    running::change(config, method, &path, body.as_ref(), move |tx, operator| {
        account::set_grant(tx, &user_id, grant.as_ref(), &operator, now).map(drop)
    })
}

/// Schedules or cancels the deletion through the running service, or in the database without one.
fn set_deletion(
    source: &Source,
    database: &Path,
    user: &UserArguments,
    is_wanted: bool,
    now: Timestamp,
) -> Result<(), Failure> {
    let row = find(database, user, now)?;
    let name = display_name(&row);
    match (is_wanted, row.deletion_scheduled_for) {
        (true, Some(at)) => {
            let text = format!("{name} is already to be deleted, due {at}; nothing changed.");
            return Ok(super::print(&text)?);
        }
        (false, None) => {
            let text = format!("{name} is not to be deleted; nothing changed.");
            return Ok(super::print(&text)?);
        }
        _ => {}
    }
    let config = super::load_with_secrets(source)?.config;
    let user_id = row.user.public_id;
    let path = format!("/admin/users/{user_id}/deletion");
    let method = match is_wanted {
        true => Method::Put,
        false => Method::Delete,
    };
    running::change(&config, method, &path, None, move |tx, operator| {
        deletion::set_by_operator(tx, &user_id, is_wanted, &operator, now).map(drop)
    })?;
    let row = find(database, user, now)?;
    Ok(super::print(&match row.deletion_scheduled_for {
        Some(at) => format!(
            "The account of {name} will be deleted, due {at}. `chatkeep user keep` cancels that."
        ),
        None => format!("The account of {name} stays."),
    })?)
}

fn display_name(row: &UserRow) -> String {
    plain(row.phone.as_ref().unwrap_or(&row.user.public_id))
}

fn end(until: Option<Timestamp>) -> String {
    until.map_or(String::new(), |until| format!(", {}", until_text(until)))
}

/// A grant for whole days ends with the day before the first moment without it.
fn until_text(until: Timestamp) -> String {
    let last_day = until.plus_ms(-1).utc_date();
    match Timestamp::end_of_date(&last_day) {
        Some(end) if end == until => format!("to the end of {last_day} (UTC)"),
        _ => format!("until {until}"),
    }
}

/// How many messages of today are counted, or why none are.
fn counted(user: &UserView<'_>, charge_nobody: bool) -> Result<i64, &'static str> {
    match user.messages_today {
        0 if subscription::is_subscribed(user.subscription_status) => Err("subscribed"),
        0 if charge_nobody => Err("access.charge_nobody"),
        count => Ok(count),
    }
}

fn line(user: &UserView, charge_nobody: bool) -> String {
    let deletion = user.deletion_scheduled_for;
    let today = match counted(user, charge_nobody) {
        Ok(count) => format!("{count:>5} today"),
        Err(_) => "not counted".to_owned(),
    };
    format!(
        "{}  {:<20}  {:<22}  {today}  {}",
        user.user_id,
        plain(user.phone.unwrap_or("-")),
        subscription_of(user),
        plain(user.name.unwrap_or_default()),
    )
    .trim_end()
    .to_owned()
        + &deletion.map_or(String::new(), |at| format!("  (to be deleted, due {at})"))
}

fn describe(user: &UserView, charge_nobody: bool) -> String {
    let messages = match counted(user, charge_nobody) {
        Ok(count) => format!("{count} counted today (UTC)"),
        Err(why) => format!("not counted ({why})"),
    };
    let granted = user.grant.as_ref().map_or(String::new(), |grant| {
        format!(", granted by an operator{}", end(grant.until))
    });
    [
        format!("user_id       {}", user.user_id),
        format!("phone         {}", plain(user.phone.unwrap_or("-"))),
        format!("name          {}", plain(user.name.unwrap_or("-"))),
        format!("timezone      {}", plain(user.timezone.unwrap_or("-"))),
        format!("first seen    {}", user.created_at),
        format!("subscription  {}{granted}", subscription_of(user)),
        format!("messages      {messages}"),
        format!("deletion      {}", deletion_of(user)),
    ]
    .join("\n")
}

fn deletion_of(user: &UserView) -> String {
    match user.deletion_scheduled_for {
        Some(at) => format!("asked for, due {at}"),
        None => "not asked for".to_owned(),
    }
}

fn subscription_of(user: &UserView) -> String {
    match user.subscription_plan {
        Some(plan) => format!("{} ({plan})", user.subscription_status),
        None => user.subscription_status.to_owned(),
    }
}
