//! `chatkeep relay …`: runs a relay for a chat network as a separate program, or tests a relay
//! program.

use std::sync::Arc;

use clap::error::ErrorKind;
use clap::{Args, CommandFactory as _, Subcommand};
use tokio::signal::unix::{SignalKind, signal};

use super::Failure;
use super::service_access::ServiceAccess;
use crate::app;
use crate::auth::edge_token;
use crate::config::{Config, Source};
use crate::conformance;
use crate::relay::{self, Credentials, RelaySettings, RelayStatus};
use crate::store;

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, arg_required_else_help = true)]
pub(super) struct Command {
    /// Starts a relay program and reports which rules of the protocol it follows; see the guide.
    #[arg(long, value_name = "COMMAND", num_args = 1.., allow_hyphen_values = true)]
    conformance: Vec<String>,
    #[command(subcommand)]
    network: Option<Network>,
}

#[derive(Subcommand)]
enum Network {
    /// Connects a Telegram bot to a service.
    ///
    /// `chatkeep serve` does this itself if [relay.telegram] has a token. Use this command for a
    /// relay on another machine or in a separate process.
    #[command(after_help = "Example: chatkeep relay telegram --url https://chat.example.com")]
    Telegram(Options),
    /// Connects a Matrix account to a service.
    ///
    /// `chatkeep serve` does this itself if [relay.matrix] has an account. Use this command for a
    /// relay on another machine or in a separate process.
    #[command(after_help = "Example: chatkeep relay matrix --url https://chat.example.com")]
    Matrix(Options),
    /// Connects an XMPP account to a service.
    ///
    /// `chatkeep serve` does this itself if [relay.xmpp] has an account. Use this command for a
    /// relay on another machine or in a separate process.
    #[command(after_help = "Example: chatkeep relay xmpp --url https://chat.example.com")]
    Xmpp(Options),
    #[command(external_subcommand)]
    Other(Vec<String>),
}

#[derive(Args)]
struct Options {
    /// URL of the service, like http://127.0.0.1:8080; default: the service that runs on this
    /// database.
    #[arg(long)]
    url: Option<String>,
    /// Shows the bot and its permissions, and whether the service accepts the relay's token.
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    access: ServiceAccess,
}

pub(super) fn run(source: &Source, command: &Command) -> Result<(), Failure> {
    let (name, options) = match &command.network {
        Some(Network::Telegram(options)) => ("telegram", options),
        Some(Network::Matrix(options)) => ("matrix", options),
        Some(Network::Xmpp(options)) => ("xmpp", options),
        Some(Network::Other(words)) => refuse(words),
        None => return check_conformance(&command.conformance),
    };
    let loaded = options.access.load(source, options.url.as_deref())?;
    super::logging::start(&loaded.config.log)?;
    super::warn_about_variables(&loaded);
    let config = loaded.config;
    let runtime = super::runtime()?;
    let result = runtime.block_on(connect(&config, name, options));
    // Doesn't wait for a running long poll.
    runtime.shutdown_background();
    Ok(result?)
}

/// Ends the process: wrong usage.
fn refuse(words: &[String]) -> ! {
    let name = words.first().map_or("", String::as_str);
    let why = format!(
        "no relay {name:?} is built in; built in: telegram, matrix, xmpp; for others see examples/relays"
    );
    let mut command = super::Arguments::command();
    command.error(ErrorKind::InvalidSubcommand, why).exit()
}

fn check_conformance(command: &[String]) -> Result<(), Failure> {
    let runtime = super::runtime()?;
    let report = runtime.block_on(conformance::run(command));
    runtime.shutdown_background();
    let report = report?;
    super::print(report.to_string().trim_end())?;
    if report.passes() {
        return Ok(());
    }
    let mut reasons = vec!["the relay breaks a required rule of the protocol".to_owned()];
    let errors = report.errors.lines();
    reasons.extend(errors.map(|line| format!("the relay wrote: {line}")));
    Err(Failure { reasons })
}

async fn connect(config: &Config, name: &'static str, options: &Options) -> Result<(), String> {
    if options.check {
        // Before the service is looked for: an account can be tested before the first start.
        for line in app::check_relay(config, name).await? {
            super::print(&line)?;
        }
        let settings = settings(config, name, options)?;
        relay::check(&settings).await?;
        let agent = &settings.credentials.agent_id;
        return super::print(&format!(
            "Service: {} accepts the agent {agent}",
            settings.url
        ));
    }
    let settings = settings(config, name, options)?;
    let failed = |e: std::io::Error| format!("can't listen for signals: {e}");
    let mut terminate = signal(SignalKind::terminate()).map_err(failed)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
    let status = Arc::new(RelayStatus::of(name));
    tokio::select! {
        stop = app::run_relay(config, name, settings, status) => Err(stop.0),
        _ = terminate.recv() => Ok(()),
        _ = interrupt.recv() => Ok(()),
    }
}

fn settings(config: &Config, name: &str, options: &Options) -> Result<RelaySettings, String> {
    let running = || store::holder(&config.storage.path).and_then(|holder| holder.address);
    let url = options.url.clone().or_else(running).ok_or(
        "no service runs on this database; start `chatkeep serve`, or name one elsewhere with --url",
    )?;
    if !url.starts_with("http://") && !url.starts_with("https://") {
        return Err("--url must be an http:// or https:// address".to_owned());
    }
    let token = match options.access.token() {
        Some(token) => token.to_owned(),
        None => super::token::issue(config, name, name)?,
    };
    let agent_id = edge_token::agent_in(&token)
        .ok_or("CHATKEEP_EDGE_TOKEN is no edge token; make one with `chatkeep token edge`")?;
    let authorities = options.access.authorities(&url)?;
    Ok(RelaySettings {
        url,
        credentials: Credentials { agent_id, token },
        state: app::relay_state(config, name),
        authorities,
    })
}
