//! The command line: one file per command. A command parses, calls and prints. Exit codes:
//! 0 done, 1 refused or failed (why stands on stderr), 2 wrong usage.

mod chat;
mod check;
mod init;
mod logging;
mod serve;
mod token;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::config::{Config, Loaded, Problem, Source};

/// A backend for a conversational assistant that people talk to over chat.
///
/// Without a command it runs the service. Settings come from --config, else
/// $CHATKEEP_CONFIG, else ./service.toml, and from CHATKEEP_<SECTION>_<KEY> in the
/// environment.
#[derive(Parser)]
#[command(
    version,
    after_help = "Example: chatkeep serve --config /etc/chatkeep/service.toml"
)]
struct Arguments {
    /// The configuration file.
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Runs the service.
    #[command(after_help = "Example: chatkeep serve --config service.toml")]
    Serve,
    /// Holds a conversation in this terminal, through a real relay connection.
    #[command(after_help = "Example: echo 'remind me in 5 seconds to stretch' | chatkeep chat")]
    Chat(chat::Options),
    /// Writes a commented ./service.toml for production, with fresh secrets.
    #[command(after_help = "Example: chatkeep init && chatkeep check")]
    Init,
    /// Checks configuration and database and names every problem.
    #[command(after_help = "Example: chatkeep check --config service.toml")]
    Check,
    /// Makes and ends credentials.
    #[command(subcommand)]
    Token(token::Command),
}

pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let source = Source::process(arguments.config);
    let outcome = match arguments.command.unwrap_or(Command::Serve) {
        Command::Serve => serve::run(&source),
        Command::Chat(options) => chat::run(&source, &options),
        Command::Init => init::run(std::path::Path::new("service.toml")).map_err(one),
        Command::Check => check::run(&source, check::database),
        Command::Token(command) => token::run(&source, &command).map_err(one),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(reasons) => {
            for reason in reasons {
                eprintln!("chatkeep: {reason}");
            }
            ExitCode::FAILURE
        }
    }
}

fn one(reason: String) -> Vec<String> {
    vec![reason]
}

/// The configuration with everything that serving needs; development's secrets are made.
fn configuration(source: &Source) -> Result<Loaded, Vec<String>> {
    let told = |problem: &Problem| problem.to_string();
    let mut loaded =
        Config::load(source).map_err(|problems| problems.iter().map(told).collect::<Vec<_>>())?;
    loaded
        .config
        .fill_development_secrets()
        .map_err(|problem| vec![told(&problem)])?;
    Ok(loaded)
}

/// A runtime for commands that need one.
fn runtime() -> Result<tokio::runtime::Runtime, String> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|e| format!("can't start: {e}"))
}
