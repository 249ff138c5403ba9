//! `chatkeep token user`: issues a person's token, signed with the local development key, for
//! trying the API and for operators who issue their own tokens.

use std::path::Path;

use clap::Args;

use crate::auth::jwt;
use crate::cli::{self, Failure};
use crate::clock::{Clock, Timestamp};
use crate::config::{Config, Secret, Source};
use crate::model::public_id::PublicId;
use crate::store;

const TTL_DAYS_MAX: i64 = 30;

#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    user: UserArguments,
    /// How long it is valid: 90s, 30m, 8h, 7d; at most 30d.
    #[arg(long, value_name = "SPAN", default_value = "1h", value_parser = ttl_s)]
    ttl: i64,
}

#[derive(Args)]
#[group(required = true, multiple = false)]
struct UserArguments {
    /// The user's id; an unknown one becomes an account when the token is first used.
    #[arg(long, value_name = "UUID", value_parser = user_id)]
    user_id: Option<String>,
    /// The user's handle in the chat network; the user must have written already.
    #[arg(long)]
    phone: Option<String>,
}

pub(super) fn run(source: &Source, options: &Options) -> Result<(), Failure> {
    let config = cli::load(source)?.config;
    check_allowed(&config)?;
    let now = Clock::system().now();
    let user_id = subject(&config, &options.user, now)?;
    // Loaded only now: no secret is generated for an unknown user.
    let config = cli::load_with_secrets(source)?.config;
    let secret = config.identity.hs256_secret.as_ref().map(Secret::expose);
    let secret = secret.ok_or("identity.hs256_secret is missing; set it")?;
    Ok(cli::print(&jwt::issue(secret, &user_id, options.ttl, now))?)
}

fn check_allowed(config: &Config) -> Result<(), String> {
    if config.is_production() && config.identity.jwks_url.is_some() {
        return Err(
            "identity.jwks_url is set: in production people's tokens come from that provider, not from here"
                .to_owned(),
        );
    }
    Ok(())
}

/// The user's id. An unknown id gives a note, not an error.
fn subject(config: &Config, user: &UserArguments, now: Timestamp) -> Result<String, String> {
    let (path, day) = (&config.storage.path, now.utc_day());
    let has_database = path.exists();
    if let Some(user_id) = &user.user_id {
        super::note_missing_database(config);
        let unknown = has_database && store::look(path, |view| view.user(user_id, day))?.is_none();
        if unknown {
            check_not_erased(path, user_id)?;
            eprintln!(
                "chatkeep: note: no user {user_id} is known yet; the first request with this token makes the account"
            );
        }
        return Ok(user_id.clone());
    }
    let phone = user.phone.as_deref().unwrap_or_default();
    let row = match has_database {
        true => store::look(path, |view| view.user_by_phone(phone, day))?,
        false => None,
    };
    row.map(|row| row.user.public_id).ok_or_else(|| {
        let nearest = match has_database {
            true => cli::user::nearest(path, phone, true, now),
            false => "; there is no database yet".to_owned(),
        };
        format!(
            "nobody has written from \"{}\" yet{nearest}; `chatkeep user list` shows who has, and --user-id makes a token for a new account",
            phone.escape_debug()
        )
    })
}

/// Ids of erased users are never reused, so their token would be refused.
fn check_not_erased(database: &Path, user_id: &str) -> Result<(), String> {
    match store::look(database, |view| view.erased_at(user_id))? {
        None => Ok(()),
        Some(at) => Err(format!(
            "the account {user_id} was erased ({at}), and nobody can sign in to it; take another id"
        )),
    }
}

fn user_id(text: &str) -> Result<String, &'static str> {
    PublicId::parse(text)
        .map(|id| id.to_string())
        .ok_or("must be a UUID, like 0b0e7a3c-54d2-4a1e-9a52-5d5f3c3a2b11")
}

pub(super) fn ttl_s(text: &str) -> Result<i64, String> {
    let span = cli::span::seconds(text).ok_or("must be like 90s, 30m, 8h or 7d")?;
    if !(1..=TTL_DAYS_MAX * 86_400).contains(&span) {
        return Err(format!("must be from 1s to {TTL_DAYS_MAX}d"));
    }
    Ok(span)
}
