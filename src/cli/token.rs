//! `chatkeep token …`: issues and revokes edge tokens, and issues registration tokens and people's
//! tokens.

mod user;

use std::path::Path;

use clap::{Args, Subcommand};

use super::Failure;
use super::running;
use crate::auth::edge_token::{self, is_agent_id};
use crate::auth::registration_token;
use crate::clock::Clock;
use crate::config::{self, Config, Secret, Source};
use crate::outbound::Method;
use crate::random;
use crate::store;

/// Random bytes of a registration token, which make it unique.
const NONCE_BYTES: usize = 16;

#[derive(Subcommand)]
pub(super) enum Command {
    /// Prints an edge token for a relay.
    #[command(after_help = "Example: chatkeep token edge --agent-id my-bridge --phone +15550100")]
    Edge(Edge),
    /// Prints a person's token (JWT), signed with the local development key.
    ///
    /// Whoever holds it acts as that user until it expires. Refused in production if an identity
    /// provider is configured: use the provider's tokens.
    #[command(after_help = "Example: chatkeep token user --phone +15550100 --ttl 8h")]
    User(user::Options),
    /// Prints a one-time token with which an older relay registers itself.
    ///
    /// The relay sends it to POST /edge/register and gets its own name and edge token. It can be
    /// used once, until it expires.
    #[command(after_help = "Example: chatkeep token registration --ttl 2h")]
    Registration(Registration),
    /// Revokes all tokens of a relay issued so far, and closes its connection.
    #[command(after_help = "Example: chatkeep token revoke --agent-id my-bridge")]
    Revoke(Revoke),
}

#[derive(Args)]
pub(super) struct Edge {
    /// The relay's stable name: 1-64 of A-Z a-z 0-9 . _ -
    #[arg(long, value_name = "NAME", value_parser = agent_id)]
    agent_id: String,
    /// The user's handle in the chat network, without a colon.
    #[arg(long, value_parser = phone)]
    phone: String,
}

#[derive(Args)]
pub(super) struct Registration {
    /// How long it is valid: 90s, 30m, 8h, 7d; at most 30d.
    #[arg(long, value_name = "SPAN", default_value = "24h", value_parser = user::ttl_s)]
    ttl: i64,
}

#[derive(Args)]
pub(super) struct Revoke {
    /// The relay's name.
    #[arg(long, value_name = "NAME", value_parser = agent_id)]
    agent_id: String,
    /// Allows a name that no relay has used here.
    #[arg(long)]
    force: bool,
}

pub(super) fn run(source: &Source, command: &Command) -> Result<(), Failure> {
    if let Command::User(options) = command {
        return user::run(source, options);
    }
    if let Command::Revoke(revoke) = command {
        let database = super::load(source)?.config.storage.path;
        // In a wrong folder the revocation would have no effect.
        running::check_database(&database, "nothing was ended")?;
        check_known(&database, revoke)?;
    }
    let config = super::load_with_secrets(source)?.config;
    let result = match command {
        Command::User(_) => Ok(()), // handled above
        Command::Edge(edge) => issue(&config, &edge.agent_id, &edge.phone).and_then(|token| {
            note_missing_database(&config);
            super::print(&token)
        }),
        Command::Registration(options) => registration(&config, options.ttl).and_then(|token| {
            note_missing_database(&config);
            super::print(&token)
        }),
        Command::Revoke(revoke) => revoke_tokens(&config, &revoke.agent_id).and_then(|()| {
            let message = format!(
                "The tokens of {} issued so far have ended.",
                revoke.agent_id
            );
            super::print(&message)
        }),
    };
    Ok(result?)
}

/// In a wrong folder, development mode would generate new secrets and a token that no service
/// accepts. Prints a note.
fn note_missing_database(config: &Config) {
    if !config.is_production() && !config.storage.path.exists() {
        eprintln!(
            "chatkeep: note: {} does not exist yet; this token is for a service started with these settings from this folder",
            config.storage.path.display()
        );
    }
}

/// Issues a token that is valid now.
pub(super) fn issue(config: &Config, agent_id: &str, phone: &str) -> Result<String, String> {
    let secret = config.edge.secret.as_ref().map(Secret::expose);
    let secret = secret.ok_or("edge.secret is missing; set it")?;
    let now = Clock::system().now().seconds();
    let revoked_until = revoked_until(&config.storage.path, agent_id)?;
    let issued_at = edge_token::issue_time(now, revoked_until)
        .ok_or_else(|| edge_token::revoked_ahead(agent_id))?;
    Ok(edge_token::issue(secret, agent_id, phone, issued_at))
}

/// Issues a token that registers one relay within the next `ttl_s` seconds.
fn registration(config: &Config, ttl_s: i64) -> Result<String, String> {
    let secret = config.edge.secret.as_ref().map(Secret::expose);
    let secret = secret.ok_or("edge.secret is missing; set it")?;
    let expires_at = Clock::system().now().plus_s(ttl_s);
    let nonce = hex::encode(random::bytes::<NONCE_BYTES>());
    Ok(registration_token::issue(secret, &nonce, expires_at))
}

fn agent_id(text: &str) -> Result<String, &'static str> {
    let agent_id = is_agent_id(text).then(|| text.to_owned());
    agent_id.ok_or("must be 1-64 of A-Z a-z 0-9 . _ -")
}

/// Parses the value of `--phone`.
pub(super) fn phone(text: &str) -> Result<String, &'static str> {
    if text.is_empty() || text.contains(':') || text.chars().any(char::is_control) {
        return Err("must not be empty and must not contain a colon");
    }
    Ok(text.to_owned())
}

fn revoked_until(database: &Path, agent_id: &str) -> Result<Option<i64>, String> {
    if !database.exists() {
        return Ok(None);
    }
    let revocations = store::look(database, |view| view.revocations())?;
    Ok(revocations
        .into_iter()
        .find(|(name, _)| name == agent_id)
        .map(|(_, from)| from))
}

/// With a mistyped name the revocation would have no effect.
fn check_known(database: &Path, revoke: &Revoke) -> Result<(), String> {
    if revoke.force {
        return Ok(());
    }
    let name = &revoke.agent_id;
    let agents = store::look(database, |view| view.agents())?;
    let mut names = agents.iter().map(|agent| agent.agent_id.as_str());
    if names.clone().any(|existing| existing == name) {
        return Ok(());
    }
    let nearest = match config::intended(name, &mut names) {
        Some(nearest) => format!(": the nearest is {nearest}"),
        None if agents.is_empty() => ": no relay is known yet".to_owned(),
        None => String::new(),
    };
    Err(format!(
        "no relay {name} is known{nearest}; nothing was ended. With --force the tokens of {name} \
         end all the same"
    ))
}

/// Revokes through the running service, or in the database without one.
fn revoke_tokens(config: &Config, agent_id: &str) -> Result<(), String> {
    let path = format!("/admin/edge-agents/{agent_id}/revoke");
    let (agent_id, now) = (agent_id.to_owned(), Clock::system().now());
    running::change(config, Method::Post, &path, None, move |tx, operator| {
        let until = |earlier| edge_token::revocation_time(now.seconds(), earlier);
        tx.revoke_tokens(&agent_id, &operator, now, until).map(drop)
    })
}
