//! `chatkeep chat`: a relay whose chat network is this terminal. It starts a service or joins one,
//! and uses the relay protocol: `POST /edge/message` for typed lines, the WebSocket for later
//! messages.

mod claims;
mod player;
mod relay;
mod script;

use std::io::{BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, watch};

use super::Failure;
use super::printable::{plain, plain_lines};
use super::service_access::ServiceAccess;
use crate::app::{self, App};
use crate::clock::{Clock, Timestamp};
use crate::config::{Config, Log, Source};
use crate::server::{self, RunEnd};
use crate::store;
use player::Player;
use relay::{Relay, Service, TerminalOutput};

const AGENT_ID: &str = "terminal";
const LINES_MAX: usize = 64;
const SHUTDOWN_MAX: Duration = Duration::from_secs(2);
/// Moves to the start of the line and clears it, because a prompt may be there.
const NEW_LINE: &str = "\r\x1b[K";

#[derive(Args)]
pub(super) struct Options {
    /// Joins a running service at this URL, like https://chat.example.com.
    #[arg(long)]
    url: Option<String>,
    /// Your handle in the chat.
    #[arg(long, default_value = "+15550100", value_parser = super::token::phone)]
    phone: String,
    #[command(flatten)]
    access: ServiceAccess,
    /// Plays a conversation from a file against a temporary service whose clock the script
    /// controls; exits with 1 when an answer differs from the expected one.
    #[arg(long, value_name = "FILE", conflicts_with = "url")]
    script: Option<PathBuf>,
}

pub(super) fn run(source: &Source, options: &Options) -> Result<(), Failure> {
    let loaded = match &options.script {
        // Its secrets are generated in the temporary folder.
        Some(_) => super::load(source)?,
        None => options.access.load(source, options.url.as_deref())?,
    };
    let config = loaded.config.clone();
    // A conversation shows only warnings, unless configured otherwise.
    let log = Log {
        level: match source.env.get("CHATKEEP_LOG") {
            Some(_) => config.log.level.clone(),
            None => "warn".to_owned(),
        },
        file: None,
        ..config.log
    };
    super::logging::start(&log)?;
    super::warn_about_variables(&loaded);
    let runtime = super::runtime()?;
    let result = match &options.script {
        Some(file) => runtime.block_on(play(config, file)),
        None => runtime
            .block_on(chat(config, options))
            .map_err(Failure::from),
    };
    // The store has closed its file. A hanging call must not keep the process alive.
    runtime.shutdown_timeout(SHUTDOWN_MAX);
    result
}

async fn chat(mut config: Config, options: &Options) -> Result<(), String> {
    let persona = config.reply.persona_name.clone();
    let service_url = match &options.url {
        Some(url) => Some(url.trim_end_matches('/').to_owned()),
        None => store::holder(&config.storage.path).and_then(|holder| holder.address),
    };
    let token = match options.access.token() {
        Some(token) => token.to_owned(),
        None => super::token::issue(&config, AGENT_ID, &options.phone)?,
    };
    let Some(url) = service_url else {
        let mut lock = app::lock(&config)?;
        config.server.listen.set_port(0);
        let service = OwnService::start(config, &mut lock, Clock::system()).await?;
        let outcome = talk(&service.url, &token, options, &persona).await;
        service.stop().await;
        return outcome;
    };
    talk(&url, &token, options, &persona).await
}

/// Plays a script. The errors are the differences from the script.
async fn play(mut config: Config, file: &Path) -> Result<(), Failure> {
    let name = file.display();
    let text = std::fs::read_to_string(file);
    let text = text.map_err(|e| format!("--script: can't read {name}: {e}"))?;
    let script = script::read(&text).map_err(|reason| format!("{name}: {reason}"))?;
    let folder = player::Folder::make()?;
    config.storage.path = folder.0.join("chatkeep.db");
    let filled = config.fill_development_secrets();
    filled.map_err(|problem| problem.to_string())?;
    config.access.charge_nobody = true;
    config.server.listen.set_port(0);
    let mut lock = app::lock(&config)?;
    let clock = Clock::fixed(Timestamp(0));
    let service = OwnService::start(config.clone(), &mut lock, clock.clone());
    let service = service.await?;
    let player = Player::new(service.app.clone(), clock, service.url.clone(), &config);
    let outcome = match player {
        Ok(player) => player.play(script).await,
        Err(reason) => Err(reason),
    };
    service.stop().await;
    let outcome = outcome.map_err(|reason| format!("{name}: {reason}"))?;
    if outcome.failures.is_empty() {
        let text = format!("{} turns, all as expected", outcome.turns);
        return Ok(super::print_live(&text)?);
    }
    let failures = outcome.failures.iter();
    Err(failures.map(|reason| format!("{name}: {reason}")).collect())
}

/// A service that runs for the duration of the conversation.
struct OwnService {
    app: Arc<App>,
    url: String,
    stop: watch::Sender<bool>,
    running: tokio::task::JoinHandle<RunEnd>,
}

impl OwnService {
    async fn start(config: Config, lock: &mut store::Lock, clock: Clock) -> Result<Self, String> {
        let listener = TcpListener::bind(config.server.listen)
            .await
            .map_err(|e| format!("can't listen on this machine: {e}"))?;
        let address = listener.local_addr().map_err(|e| e.to_string())?;
        let url = format!("http://{address}");
        lock.announce(Some(&url))?;
        let app: Arc<App> = App::build(config, clock).await?;
        let (stop, stopped) = watch::channel(false);
        Ok(Self {
            app: app.clone(),
            url,
            stop,
            running: tokio::spawn(server::run(app, listener, stopped)),
        })
    }

    async fn stop(self) {
        let _ = self.stop.send(true);
        let _ = self.running.await;
    }
}

async fn talk(url: &str, token: &str, options: &Options, persona: &str) -> Result<(), String> {
    let (output, mut outputs) = mpsc::channel(LINES_MAX);
    let authorities = options.access.authorities(url)?;
    let relay = Relay::connect(
        Service {
            url: url.to_owned(),
            token: token.to_owned(),
            authorities,
        },
        AGENT_ID,
        &options.phone,
        output,
    )?;
    let screen = Screen {
        persona,
        interactive: std::io::stdin().is_terminal(),
    };
    screen.welcome()?;
    let mut lines = typed_lines(screen.interactive);
    let mut interrupt = pin!(tokio::signal::ctrl_c());
    // Incoming messages are shown while a line is being sent.
    loop {
        let line = tokio::select! {
            line = lines.recv() => match line {
                Some(line) => line,
                None => break,
            },
            Some(message) = outputs.recv() => {
                screen.show(&message)?;
                continue;
            }
            _ = &mut interrupt => return Ok(()),
        };
        let mut sending = pin!(relay.say(line));
        loop {
            tokio::select! {
                sent = &mut sending => break sent?,
                Some(message) = outputs.recv() => screen.show(&message)?,
                _ = &mut interrupt => return Ok(()),
            }
        }
    }
    if screen.interactive {
        return super::print_live("");
    }
    // A script's end stops the service, so late replies and reminders due within the next minute
    // are waited for.
    while let Some(wait) = relay.still_expected() {
        tokio::select! {
            message = outputs.recv() => match message {
                Some(message) => screen.show(&message)?,
                None => break,
            },
            () = tokio::time::sleep(wait) => break,
            _ = &mut interrupt => break,
        }
    }
    while let Ok(message) = outputs.try_recv() {
        screen.show(&message)?;
    }
    Ok(())
}

/// Lines of standard input, read on a separate thread.
fn typed_lines(interactive: bool) -> mpsc::Receiver<String> {
    let (sender, lines) = mpsc::channel(1);
    std::thread::spawn(move || {
        prompt(interactive);
        for line in std::io::stdin().lock().split(b'\n') {
            let line = match line {
                Ok(line) => line,
                Err(error) => {
                    eprintln!("chatkeep: can't read standard input: {error}");
                    return;
                }
            };
            // A terminal may use another encoding than UTF-8.
            let line = String::from_utf8_lossy(&line);
            let line = line.strip_suffix('\r').unwrap_or(&line);
            if line.trim().is_empty() {
                prompt(interactive);
            } else if sender.blocking_send(line.to_owned()).is_err() {
                return;
            }
        }
    });
    lines
}

/// Output of the conversation. An error means that nobody reads it any more.
struct Screen<'a> {
    persona: &'a str,
    interactive: bool,
}

impl Screen<'_> {
    fn welcome(&self) -> Result<(), String> {
        if !self.interactive {
            return Ok(());
        }
        let persona = self.persona;
        super::print_live(&format!(
            "You are talking to {persona}. Ask for help, or press Ctrl-D to end.\n"
        ))
    }

    fn show(&self, output: &TerminalOutput) -> Result<(), String> {
        match output {
            TerminalOutput::Message(bubbles) => {
                let start = if self.interactive { NEW_LINE } else { "" };
                for bubble in bubbles {
                    let text = plain_lines(bubble).replace('\n', "\n  ");
                    super::print_live(&format!("{start}{}: {text}", self.persona))?;
                }
            }
            TerminalOutput::Nothing => {}
            TerminalOutput::End(reason) => return Err(reason.clone()),
            TerminalOutput::Notice(reason) => {
                let start = if self.interactive { NEW_LINE } else { "" };
                eprintln!("{start}({})", plain(reason));
            }
        }
        prompt(self.interactive);
        Ok(())
    }
}

fn prompt(interactive: bool) {
    if interactive {
        let mut out = std::io::stdout().lock();
        let _ = write!(out, "> ").and_then(|()| out.flush());
    }
}
