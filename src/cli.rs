//! The command line: one file per command. A command parses its arguments, calls another module and
//! prints. Exit codes: 0 success, 1 refused or failed (with the reason on stderr), 2 wrong usage.

mod audit;
mod backup;
mod billing;
mod chat;
mod check;
mod commands;
mod explain;
mod flags;
mod init;
mod logging;
mod printable;
mod progress;
mod purge;
mod relay;
mod restore;
mod running;
mod serve;
mod service;
mod service_access;
mod span;
mod token;
mod user;

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use tokio::signal::unix::{SignalKind, signal};

use crate::config::{Config, ConfigProblem, LoadedConfig, Source};

/// A backend for a conversational assistant that people talk to over chat.
///
/// Without a command it runs the service. Settings are read from --config, else $CHATKEEP_CONFIG,
/// else ./service.toml, and from CHATKEEP_<SECTION>_<KEY> in the environment.
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
    ///
    /// Without a configuration it starts in development mode: on 127.0.0.1:8080, with a database
    /// and generated secrets in ./data. Ctrl-C or SIGTERM stops it gracefully. SIGHUP reloads the
    /// settings that may change while it runs, and reopens the log file. CHATKEEP_LOG=debug logs
    /// more, CHATKEEP_LOG_FORMAT=json logs JSON lines.
    #[command(after_help = "Example: chatkeep serve --config service.toml")]
    Serve,
    /// Starts a conversation in this terminal, over a real relay connection.
    ///
    /// Joins the service that runs on this database, or starts one for the duration of the
    /// conversation.
    #[command(after_help = "Example: echo 'remind me in 5 seconds to stretch' | chatkeep chat")]
    Chat(chat::Options),
    /// Writes a commented service.toml for production, with fresh secrets.
    ///
    /// Writes the file that --config names, else $CHATKEEP_CONFIG, else ./service.toml. Never
    /// overwrites a file. In a terminal it asks whether people will pay.
    #[command(after_help = "Example: chatkeep init && chatkeep check")]
    Init(init::Options),
    /// Checks configuration and database and reports every problem.
    ///
    /// Changes nothing, and may run while the service runs.
    #[command(after_help = "Example: chatkeep check --config service.toml")]
    Check(check::Options),
    /// Creates and revokes credentials.
    #[command(
        subcommand,
        after_help = "Example: chatkeep token edge --agent-id my-bridge --phone +15550100"
    )]
    Token(token::Command),
    /// Connects a chat network to a service.
    #[command(after_help = "Example: chatkeep relay --conformance python3 my_relay.py")]
    Relay(relay::Command),
    /// Lists users, and grants them subscriptions.
    #[command(
        subcommand,
        after_help = "Example: chatkeep user grant --phone +15550100 --plan annual"
    )]
    User(user::Command),
    /// Connects calendars and mailboxes for people, lists, tests and removes them.
    #[command(
        subcommand,
        after_help = "Example: chatkeep service list --phone +15550100"
    )]
    Service(service::Command),
    /// Lists feature flags, and overrides the provider's values.
    #[command(
        subcommand,
        after_help = "Example: chatkeep flags set llm.force_basic_mode true --expires 2h"
    )]
    Flags(flags::Command),
    /// Erases accounts whose owners requested it 30 days ago, or lists them.
    ///
    /// The service does this every day at 03:30 UTC. A running service is asked to do it; without
    /// one it is done in the database, which is then rewritten whatever its size.
    #[command(after_help = "Example: chatkeep purge --dry-run")]
    Purge(purge::Options),
    /// Copies the database to a file, whether or not the service is running.
    ///
    /// The copy is consistent, checked, readable by its owner only, and gets the name FILE only
    /// when it is complete. A running service makes the copy beside its database, which needs disk
    /// space there for a while, and continues to serve.
    #[command(after_help = "Example: chatkeep backup /mnt/backups/chatkeep-monday.db --force")]
    Backup(backup::Options),
    /// Replaces the database by a backup.
    ///
    /// Stop the service first. The previous database is kept beside it. Accounts that were erased
    /// since the backup are erased again; relays start a new epoch. Asks for confirmation.
    #[command(after_help = "Example: chatkeep restore /mnt/backups/chatkeep-monday.db --yes")]
    Restore(restore::Options),
    /// Lists operators' changes, made by commands and through the admin API.
    ///
    /// Reads the database, and may run while the service runs. Entries are kept for two years.
    #[command(after_help = "Example: chatkeep audit --since 7d")]
    Audit(audit::Options),
    /// Lists commands that relays could not execute, and retries or drops them.
    #[command(
        subcommand,
        after_help = "Example: chatkeep commands list --state failed"
    )]
    Commands(commands::Command),
    /// Compares subscriptions with the payment provider.
    #[command(
        subcommand,
        after_help = "Example: chatkeep billing reconcile --dry-run"
    )]
    Billing(billing::Command),
    /// Explains how the answer to a message was decided.
    ///
    /// Reads the database, and may run while the service runs. Shows message texts only with
    /// --text.
    #[command(after_help = "Example: chatkeep explain 4711 --json")]
    Explain(explain::Options),
}

/// With transparent huge pages an idle service holds twice the memory, most of it never used.
/// To be called before much memory is taken: what is huge by then stays so.
fn refuse_huge_pages() {
    #[cfg(target_os = "linux")]
    // An error: a kernel without them, or one that can't be told.
    let _ = rustix::thread::disable_transparent_huge_pages(true);
}

/// A write beyond the limit of a file's size (`ulimit -f`, LimitFSIZE=) is to fail as on a full
/// disk. Without a handler the signal would end the process.
fn outlive_file_limit() {
    /// SIGXFSZ, which has no name in tokio.
    const FILE_LIMIT: i32 = 25;
    let handled = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()
        .and_then(|runtime| {
            let _inside = runtime.enter();
            // The handler remains when the stream and the runtime are dropped.
            signal(SignalKind::from_raw(FILE_LIMIT)).map(drop)
        });
    if let Err(error) = handled {
        eprintln!("chatkeep: note: the limit of a file's size may end this process: {error}");
    }
}

pub fn main() -> ExitCode {
    refuse_huge_pages();
    outlive_file_limit();
    let arguments = Arguments::parse();
    let source = Source::process(arguments.config);
    let outcome = match arguments.command.unwrap_or(Command::Serve) {
        Command::Serve => serve::run(&source),
        Command::Chat(options) => chat::run(&source, &options),
        Command::Init(options) => {
            init::run(&source.file_to_write(), &options).map_err(Failure::from)
        }
        Command::Check(options) => check::run(&source, &options),
        Command::Token(command) => token::run(&source, &command),
        Command::Relay(command) => relay::run(&source, &command),
        Command::User(command) => user::run(&source, &command),
        Command::Service(command) => service::run(&source, &command),
        Command::Flags(command) => flags::run(&source, &command),
        Command::Purge(options) => purge::run(&source, &options),
        Command::Backup(options) => backup::run(&source, &options),
        Command::Restore(options) => restore::run(&source, &options),
        Command::Commands(command) => commands::run(&source, &command),
        Command::Audit(options) => audit::run(&source, &options),
        Command::Billing(command) => billing::run(&source, &command),
        Command::Explain(options) => explain::run(&source, &options),
    };
    log::logger().flush();
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            for reason in failure.reasons {
                eprintln!("chatkeep: {}", printable::plain_lines(&reason));
            }
            ExitCode::FAILURE
        }
    }
}

/// Why a command failed: one or more sentences, each printed on its own line.
struct Failure {
    reasons: Vec<String>,
}

impl From<String> for Failure {
    fn from(reason: String) -> Self {
        Self {
            reasons: vec![reason],
        }
    }
}

impl From<&str> for Failure {
    fn from(reason: &str) -> Self {
        reason.to_owned().into()
    }
}

impl From<Vec<ConfigProblem>> for Failure {
    fn from(problems: Vec<ConfigProblem>) -> Self {
        problems.iter().map(ConfigProblem::to_string).collect()
    }
}

impl FromIterator<String> for Failure {
    fn from_iter<I: IntoIterator<Item = String>>(reasons: I) -> Self {
        Self {
            reasons: reasons.into_iter().collect(),
        }
    }
}

/// The configuration with everything that serving needs; generates development secrets.
fn load_with_secrets(source: &Source) -> Result<LoadedConfig, Failure> {
    with_secrets(load(source)?)
}

fn with_secrets(mut loaded: LoadedConfig) -> Result<LoadedConfig, Failure> {
    let filled = loaded.config.fill_development_secrets();
    filled.map_err(|problem| problem.to_string())?;
    Ok(loaded)
}

/// Logs mistyped names of variables: what they should set is not set.
fn warn_about_variables(loaded: &LoadedConfig) {
    for warning in &loaded.unknown_variables {
        log::warn!("{warning}");
    }
}

/// The configuration as given.
fn load(source: &Source) -> Result<LoadedConfig, Failure> {
    Ok(Config::load(source)?)
}

/// Prints lines to standard output, without control characters.
fn print(text: &str) -> Result<(), String> {
    write_all(&printable::plain_lines(text))
}

/// Prints JSON to standard output, without control characters.
fn print_json(json: &impl ToString) -> Result<(), String> {
    write_all(&printable::plain_json(&json.to_string()))
}

/// A reader that closes the pipe early, such as `head`, is no error.
fn write_all(text: &str) -> Result<(), String> {
    match write_out(text) {
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written.map_err(|e| format!("can't write to standard output: {e}")),
    }
}

/// Prints lines of a running conversation. A closed pipe is an error, because nobody reads on.
fn print_live(text: &str) -> Result<(), String> {
    write_out(text).map_err(|e| format!("can't write to standard output: {e}"))
}

fn write_out(text: &str) -> io::Result<()> {
    use std::io::Write as _;
    let mut out = io::stdout().lock();
    writeln!(out, "{text}").and_then(|()| out.flush())
}

/// A runtime for commands that need one.
fn runtime() -> Result<tokio::runtime::Runtime, String> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|e| format!("can't start: {e}"))
}
