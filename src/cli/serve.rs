//! `chatkeep serve`: takes the database's lock, listens, prints the address, and runs until a
//! signal.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

use super::Failure;
use super::check::places;
use super::logging::{self, Logging};
use crate::app::{self, App, connect_address};
use crate::clock::Clock;
use crate::config::{self, Config, ConfigProblem, LoadedConfig, SettingValues, Source};
use crate::server::{self, RunEnd};

/// Descriptors for everything but connections: database, log, readers, jobs.
const DESCRIPTORS_RESERVED: u64 = 64;
const MAX_CONNECTIONS: &str = "server.max_connections";
/// The service refuses to start with fewer connections.
const CONNECTIONS_MIN: u64 = 16;
/// How long the shutdown waits for a hanging call to a provider.
const BLOCKED_CALLS_MAX: Duration = Duration::from_secs(1);

pub(super) fn run(source: &Source) -> Result<(), Failure> {
    let loaded = super::load(source)?;
    // Before anything is written: a start that fails leaves no folder with secrets.
    let (listen, database) = (loaded.config.server.listen, &loaded.config.storage.path);
    places::check_free(listen, database).map_err(|why| format!("server.listen: {why}"))?;
    let mut loaded = super::with_secrets(loaded)?;
    let logging = logging::start(&loaded.config.log)?;
    fit_descriptors(&mut loaded);
    let runtime = super::runtime()?;
    let reloading = ReloadSource {
        source: source.clone(),
        logging,
        log: loaded.config.log.clone(),
        settings: loaded.settings.clone(),
    };
    let end = runtime.block_on(serve(loaded, reloading));
    runtime.shutdown_timeout(BLOCKED_CALLS_MAX);
    let end = end?;
    match end {
        RunEnd::Clean => Ok(()),
        RunEnd::GraceRanOut => Err(
            "stopped with requests still under way, because server.shutdown_grace_s was over".into(),
        ),
        RunEnd::StorageLost => Err(
            "the disk failed while writing; nothing more was accepted. Check the disk, then start again"
                .into(),
        ),
    }
}

async fn serve(loaded: LoadedConfig, reloading: ReloadSource) -> Result<RunEnd, String> {
    // A signal during startup is handled afterwards.
    let hangup = listen_for(SignalKind::hangup())?;
    let config = loaded.config;
    let is_first = !config.storage.path.exists();
    let mut lock = app::lock(&config)?;
    let listen = config.server.listen;
    let app = App::build(config, Clock::system()).await?;
    let listener = TcpListener::bind(listen).await.map_err(|e| {
        let advice = places::listen_advice(&e);
        format!("server.listen: can't listen on {listen}: {e}; {advice}")
    })?;
    let address = listener.local_addr().map_err(|e| e.to_string())?;
    lock.announce(Some(&format!("http://{}", connect_address(address))))?;
    let (stop, stopped) = watch::channel(false);
    tokio::spawn(watch_signals(stop)?);
    // A closed standard output must not prevent serving.
    let file = loaded.file.as_deref();
    let _ = super::print(&greeting(&app.config, address, file));
    if is_first && app.config.is_production() && !app.flags.for_all().superpowers_enabled() {
        let _ = super::print(&super::init::superpowers_advice(file));
    }
    for warning in &loaded.warnings {
        log::warn!("{warning}");
    }
    for note in &loaded.notes {
        log::info!("{note}");
    }
    let reloads = tokio::spawn(reloading.reload_on(hangup, app.clone()));
    let end = server::run(app.clone(), listener, stopped).await;
    reloads.abort();
    let _ = reloads.await; // the task holds the parts
    drop(app);
    drop(lock);
    Ok(end)
}

/// The first signal starts draining, the second ends the process.
fn watch_signals(stop: watch::Sender<bool>) -> Result<impl Future<Output = ()>, String> {
    let mut terminate = listen_for(SignalKind::terminate())?;
    let mut interrupt = listen_for(SignalKind::interrupt())?;
    Ok(async move {
        for attempt in 0.. {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
            if attempt > 0 {
                std::process::exit(1);
            }
            log::info!("stopping; a second signal ends the process immediately");
            let _ = stop.send(true);
        }
    })
}

fn listen_for(kind: SignalKind) -> Result<Signal, String> {
    signal(kind).map_err(|e| format!("can't listen for signals: {e}"))
}

/// The source from which a running service reloads its settings.
struct ReloadSource {
    source: Source,
    logging: Logging,
    /// The current log settings.
    log: config::Log,
    /// The settings in use.
    settings: SettingValues,
}

impl ReloadSource {
    async fn reload_on(mut self, mut hangup: Signal, app: Arc<App>) {
        while hangup.recv().await.is_some() {
            self.reload(&app);
        }
    }

    /// Reads a few small files, like the start.
    fn reload(&mut self, app: &App) {
        let config = Config::load(&self.source);
        // The log file is reopened even if nothing else is applied, because it may have been moved
        // away.
        let log = config
            .as_ref()
            .map_or(&self.log, |loaded| &loaded.config.log);
        let restarted = self.logging.restart(log);
        if let Err(why) = &restarted {
            log::error!("reload: {why}; the log's destination is unchanged");
        }
        let loaded = match (config, restarted) {
            (Err(problems), _) => return refuse(&problems),
            (Ok(_), Err(_)) => return refuse(&[]),
            (Ok(loaded), Ok(())) => loaded,
        };
        self.log = loaded.config.log.clone();
        let changes = self.settings.changes(&loaded.settings);
        if let Err(why) = app.reload(&loaded.config, &changes) {
            log::error!("reload: {why}");
            return refuse(&[]);
        }
        for warning in &loaded.warnings {
            log::warn!("{warning}");
        }
        for key in &changes.postponed {
            log::warn!("reload: {key} has changed, which takes effect at the next start");
        }
        let applied = match changes.applied.as_slice() {
            [] => "nothing that may change while it runs has changed".to_owned(),
            keys => format!("{} changed", keys.join(", ")),
        };
        log::info!("reload: {applied}");
        self.settings.apply(&loaded.settings, &changes);
    }
}

fn refuse(problems: &[ConfigProblem]) {
    for problem in problems {
        log::error!("reload: {problem}");
    }
    log::error!("reload: the configuration can't be used, so the settings stay as they were");
}

/// Raises the descriptor limit if possible, and limits connections accordingly. The operator is
/// warned if they set the number themselves, or if less than half of the default is left.
fn fit_descriptors(loaded: &mut LoadedConfig) {
    let allowed = match rlimit::increase_nofile_limit(u64::MAX) {
        Ok(limit) => limit,
        Err(error) => {
            let warning = format!("can't raise the descriptor limit: {error}");
            return loaded.warnings.push(warning);
        }
    };
    let possible = allowed
        .saturating_sub(DESCRIPTORS_RESERVED)
        .max(CONNECTIONS_MIN);
    let configured = loaded.config.server.max_connections;
    if configured <= possible {
        return;
    }
    loaded.config.server.max_connections = possible;
    let text = format!(
        "server.max_connections lowered from {configured} to {possible}: this process may have {allowed} \
         open files; raise its limit (LimitNOFILE of systemd, ulimit -n)"
    );
    match loaded.settings.is_set(MAX_CONNECTIONS) || possible < configured / 2 {
        true => loaded.warnings.push(text),
        false => loaded.notes.push(text),
    }
}

fn greeting(config: &Config, address: SocketAddr, file: Option<&Path>) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let database = config.storage.path.display();
    if config.is_production() {
        let from = file.map_or("the environment".to_owned(), |f| f.display().to_string());
        return format!(
            "chatkeep {version} (production): listening on http://{address} as {}, database {database}, settings from {from}",
            config.server.public_url
        );
    }
    let url = connect_address(address);
    let token = command_here(config, file, "token edge --agent-id demo --phone +15550100");
    let chat = command_here(config, file, &format!("chat --url http://{url}"));
    format!(
        "chatkeep {version} (development): listening on http://{address}, database {database}

Say hello from another terminal:

curl -s http://{url}/edge/message -H \"Authorization: Bearer $({token})\" \\
  -H 'Content-Type: application/json' \\
  -d '{{\"chat_guid\":\"demo\",\"mode\":\"direct\",\"sender\":\"+15550100\",\"text\":\"Hello!\",\"timestamp\":1700000000}}'

Or talk to it: {chat}
"
    )
}

/// A command that works in any folder, with this executable and these settings. The database's
/// path may come from an environment variable that the next terminal lacks.
fn command_here(config: &Config, file: Option<&Path>, command: &str) -> String {
    let exe = std::env::current_exe().map_or("chatkeep".into(), |p| quote(&p.to_string_lossy()));
    let folder = std::env::current_dir().map_or(".".into(), |p| quote(&p.to_string_lossy()));
    let database = quote(&config.storage.path.to_string_lossy());
    let file = file.map_or(String::new(), |f| {
        format!(" --config {}", quote(&f.to_string_lossy()))
    });
    format!("cd {folder} && CHATKEEP_STORAGE_PATH={database} {exe} {command}{file}")
}

/// Quotes a text as one word for a shell.
fn quote(text: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"/._-+".contains(&b);
    if text.bytes().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}
