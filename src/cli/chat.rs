//! `chatkeep chat`: a relay whose chat network is this terminal. It starts the service, or
//! joins one, and everything it shows has travelled the way of any relay: lines by
//! `POST /edge/message`, later messages over the WebSocket.

mod relay;

use std::io::{BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, watch};

use super::printable::{plain, plain_lines};
use crate::app::{self, App, RunEnd};
use crate::clock::Clock;
use crate::config::{Config, Log, Source};
use crate::outbound::Authorities;
use crate::store;
use relay::{Relay, Service, TerminalOutput};

const AGENT_ID: &str = "terminal";
const LINES_MAX: usize = 64;
const SHUTDOWN_MAX: Duration = Duration::from_secs(2);
/// Back to the line's start, and empty: where a prompt may stand.
const NEW_LINE: &str = "\r\x1b[K";

#[derive(Args)]
pub(super) struct Options {
    /// Joins a running service instead of starting one, like https://chat.example.com.
    #[arg(long)]
    url: Option<String>,
    /// Who you are in the chat.
    #[arg(long, default_value = "+15550100", value_parser = super::token::phone)]
    phone: String,
    /// The token for a service elsewhere; else one is made with this machine's secret.
    #[arg(long, env = "CHATKEEP_EDGE_TOKEN", hide_env_values = true)]
    token: Option<String>,
    /// Certificates (PEM) to trust for https in the place of those that the web trusts, for a
    /// service with a certificate of its own.
    #[arg(
        long,
        value_name = "FILE",
        env = "SSL_CERT_FILE",
        hide_env_values = true
    )]
    ca_file: Option<PathBuf>,
}

pub(super) fn run(source: &Source, options: &Options) -> Result<(), Vec<String>> {
    // With a token for a service elsewhere nothing of this folder is needed.
    let config = match (&options.url, &options.token) {
        (Some(_), Some(_)) => super::loaded(source)?.config,
        _ => super::configuration(source)?.config,
    };
    // In a conversation only warnings are worth a line, unless somebody asks for more.
    let log = Log {
        level: match source.env.get("CHATKEEP_LOG") {
            Some(_) => config.log.level.clone(),
            None => "warn".to_owned(),
        },
        file: None,
        ..config.log
    };
    super::logging::start(&log).map_err(super::one)?;
    let runtime = super::runtime().map_err(super::one)?;
    let done = runtime.block_on(chat(config, options)).map_err(super::one);
    // The store closes its file in order; a call that hangs must not keep the process.
    runtime.shutdown_timeout(SHUTDOWN_MAX);
    done
}

async fn chat(mut config: Config, options: &Options) -> Result<(), String> {
    let persona = config.reply.persona_name.clone();
    let joined = match &options.url {
        Some(url) => Some(url.trim_end_matches('/').to_owned()),
        None => store::holder(&config.storage.path).and_then(|holder| holder.address),
    };
    let token = match &options.token {
        Some(token) => token.clone(),
        None => super::token::issue(&config, AGENT_ID, &options.phone)?,
    };
    let Some(url) = joined else {
        let mut lock = app::lock(&config)?;
        config.server.listen.set_port(0);
        let service = OwnService::start(config, &mut lock).await?;
        let outcome = talk(&service.url, &token, options, &persona).await;
        service.stop().await;
        return outcome;
    };
    talk(&url, &token, options, &persona).await
}

/// A service of our own, for as long as the conversation lasts.
struct OwnService {
    url: String,
    stop: watch::Sender<bool>,
    running: tokio::task::JoinHandle<RunEnd>,
}

impl OwnService {
    async fn start(config: Config, lock: &mut store::Lock) -> Result<Self, String> {
        let listener = TcpListener::bind(config.server.listen)
            .await
            .map_err(|e| format!("can't listen on this machine: {e}"))?;
        let address = listener.local_addr().map_err(|e| e.to_string())?;
        let url = format!("http://{address}");
        lock.announce(Some(&url))?;
        let app: Arc<App> = App::build(config, Clock::system()).await?;
        let (stop, stopped) = watch::channel(false);
        Ok(Self {
            url,
            stop,
            running: tokio::spawn(app.run(listener, stopped)),
        })
    }

    async fn stop(self) {
        let _ = self.stop.send(true);
        let _ = self.running.await;
    }
}

async fn talk(url: &str, token: &str, options: &Options, persona: &str) -> Result<(), String> {
    let (shown, mut to_show) = mpsc::channel(LINES_MAX);
    let authorities = match &options.ca_file {
        Some(file) if url.starts_with("https://") => Some(authorities(file)?),
        _ => None,
    };
    let relay = Relay::connect(
        Service {
            url: url.to_owned(),
            token: token.to_owned(),
            authorities,
        },
        AGENT_ID,
        &options.phone,
        shown,
    )?;
    let screen = Screen {
        persona,
        interactive: std::io::stdin().is_terminal(),
    };
    screen.welcome()?;
    let mut lines = typed_lines(screen.interactive);
    let mut interrupted = pin!(tokio::signal::ctrl_c());
    // What comes is shown also while a line is under way.
    loop {
        let line = tokio::select! {
            line = lines.recv() => match line {
                Some(line) => line,
                None => break,
            },
            Some(message) = to_show.recv() => {
                screen.show(&message)?;
                continue;
            }
            _ = &mut interrupted => return Ok(()),
        };
        let mut saying = pin!(relay.say(line));
        loop {
            tokio::select! {
                said = &mut saying => break said?,
                Some(message) = to_show.recv() => screen.show(&message)?,
                _ = &mut interrupted => return Ok(()),
            }
        }
    }
    if screen.interactive {
        return super::print_live("");
    }
    // A script's end leaves nobody to start the service again: what was promised for the next
    // minute is waited for.
    while let Some(wait) = relay.still_expected() {
        tokio::select! {
            message = to_show.recv() => match message {
                Some(message) => screen.show(&message)?,
                None => break,
            },
            () = tokio::time::sleep(wait) => break,
            _ = &mut interrupted => break,
        }
    }
    while let Ok(message) = to_show.try_recv() {
        screen.show(&message)?;
    }
    Ok(())
}

fn authorities(file: &Path) -> Result<Authorities, String> {
    let shown = file.display();
    let pem = std::fs::read(file).map_err(|e| format!("--ca-file: can't read {shown}: {e}"))?;
    Authorities::read(&pem).map_err(|why| format!("--ca-file {shown}: {why}"))
}

/// Lines from stdin, read on a thread of their own.
fn typed_lines(interactive: bool) -> mpsc::Receiver<String> {
    let (sender, lines) = mpsc::channel(1);
    std::thread::spawn(move || {
        prompt(interactive);
        for line in std::io::stdin().lock().lines() {
            let Ok(line) = line else {
                return;
            };
            if line.trim().is_empty() {
                prompt(interactive);
            } else if sender.blocking_send(line).is_err() {
                return;
            }
        }
    });
    lines
}

/// Where the conversation is shown. Errors: nobody reads it any more.
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

    fn show(&self, shown: &TerminalOutput) -> Result<(), String> {
        match shown {
            TerminalOutput::Message(bubbles) => {
                let start = if self.interactive { NEW_LINE } else { "" };
                for bubble in bubbles {
                    let text = plain_lines(bubble).replace('\n', "\n  ");
                    super::print_live(&format!("{start}{}: {text}", self.persona))?;
                }
            }
            TerminalOutput::Nothing => {}
            TerminalOutput::End(reason) => return Err(reason.clone()),
            TerminalOutput::Trouble(what) => {
                let start = if self.interactive { NEW_LINE } else { "" };
                eprintln!("{start}({})", plain(what));
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
