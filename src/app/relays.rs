//! Relays that run inside the service. Each is a client of the service's own address, with its own
//! token. A relay that ends is restarted after a pause.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use super::App;
use crate::auth::edge_token;
use crate::clock::Clock;
use crate::config::{Config, Secret};
use crate::files;
use crate::relay::matrix::{self, Credential, Matrix};
use crate::relay::telegram::{self, Telegram};
use crate::relay::xmpp::{self, Xmpp};
use crate::relay::{
    self, AllowList, Authorities, Credentials, IdForm, RelaySettings, RelayStatus, StopReason,
};

/// Networks with a built-in relay.
const NETWORKS: [&str; 3] = ["telegram", "matrix", "xmpp"];
/// A relay's files are named after the database, this and the relay.
const RELAY: &str = ".relay-";
/// A relay is restarted after 1 s; the pause doubles up to 60 s.
const PAUSE_MAX_S: u64 = 60;
/// After running this long, a relay's pause starts at 1 s again.
const STABLE_AFTER: Duration = Duration::from_secs(600);

/// A relay inside the service.
pub struct OwnRelay {
    /// The relay's name, its agent's name, and its section in the configuration.
    pub name: &'static str,
    pub status: Arc<RelayStatus>,
    /// Replaced when its section changes.
    config: watch::Sender<Arc<Config>>,
}

impl OwnRelay {
    /// Whether the relay is configured.
    pub fn is_configured(&self) -> bool {
        is_configured(&self.config.borrow(), self.name)
    }

    /// Restarts the relay if `changed` contains a key of its section.
    pub(super) fn reload(&self, config: &Config, changed: &[String]) {
        let prefix = format!("relay.{}.", self.name);
        if changed.iter().any(|key| key.starts_with(&prefix)) {
            self.config.send_replace(Arc::new(config.clone()));
        }
    }
}

/// One relay for each network, also for networks that are not configured.
pub(super) fn all(config: &Config) -> Vec<OwnRelay> {
    let relays = NETWORKS.map(|name| OwnRelay {
        name,
        status: Arc::new(RelayStatus::of(name)),
        config: watch::Sender::new(Arc::new(config.clone())),
    });
    relays.into()
}

fn is_configured(config: &Config, name: &str) -> bool {
    let (matrix, xmpp) = (&config.matrix, &config.xmpp);
    match name {
        "telegram" => config.telegram.token.is_some(),
        "matrix" => {
            let has_account = matrix.token.is_some() || matrix.password.is_some();
            matrix.homeserver.is_some() && has_account
        }
        "xmpp" => xmpp.jid.is_some() && xmpp.password.is_some(),
        _ => false,
    }
}

/// Runs a relay whenever it is configured, until the service ends. `address` is where the service
/// listens.
pub(super) async fn supervise(app: Arc<App>, name: &'static str, address: SocketAddr) {
    let url = format!("http://{}", connect_address(address));
    let Some(relay) = app.relays.iter().find(|relay| relay.name == name) else {
        return;
    };
    let mut configs = relay.config.subscribe();
    let mut pause = Duration::from_secs(1);
    loop {
        let config = configs.borrow_and_update().clone();
        if !is_configured(&config, name) {
            // An error is impossible: `app` owns the sender.
            let _ = configs.changed().await;
            continue;
        }
        let started = tokio::time::Instant::now();
        let settings = settings(&app, name, &url);
        let token = settings.credentials.token.clone();
        let stop = tokio::select! {
            stop = run_relay(&config, name, settings, relay.status.clone()) => stop,
            _ = configs.changed() => {
                match is_configured(&configs.borrow(), name) {
                    true => log::info!("relay {name}: restarts with changed settings"),
                    false => log::info!("relay {name}: stopped; it is not configured any more"),
                }
                pause = Duration::from_secs(1);
                continue;
            }
        };
        let token_problem = token_problem(&app, name, &token);
        relay.status.restarted(&token_problem.unwrap_or(stop.0));
        if started.elapsed() > STABLE_AFTER {
            pause = Duration::from_secs(1);
        }
        tokio::select! {
            () = tokio::time::sleep(pause) => pause = (pause * 2).min(Duration::from_secs(PAUSE_MAX_S)),
            // The changed settings may be valid.
            _ = configs.changed() => {
                pause = Duration::from_secs(1);
            }
        }
    }
}

/// Runs one relay until it ends.
pub async fn run_relay(
    config: &Config,
    name: &str,
    settings: RelaySettings,
    status: Arc<RelayStatus>,
) -> StopReason {
    match relay(config, name) {
        Ok(ConfiguredNetwork::Telegram(network)) => relay::run(settings, *network, status).await,
        Ok(ConfiguredNetwork::Matrix(network)) => relay::run(settings, *network, status).await,
        Ok(ConfiguredNetwork::Xmpp(network)) => relay::run(settings, *network, status).await,
        Err(why) => StopReason(why),
    }
}

/// What prevents configured relays from starting, as far as it is seen without their networks. Each
/// problem begins with its key.
pub fn relay_problems(config: &Config) -> Vec<String> {
    let configured = NETWORKS.iter().filter(|name| is_configured(config, name));
    configured
        .filter_map(|name| relay(config, name).err())
        .collect()
}

/// Describes the bot of a relay and its permissions, as lines for a terminal.
pub async fn check_relay(config: &Config, name: &str) -> Result<Vec<String>, String> {
    match relay(config, name)? {
        ConfiguredNetwork::Telegram(network) => network.check().await,
        ConfiguredNetwork::Matrix(network) => network.check().await,
        ConfiguredNetwork::Xmpp(network) => network.check().await,
    }
}

enum ConfiguredNetwork {
    Telegram(Box<Telegram>),
    Matrix(Box<Matrix>),
    Xmpp(Box<Xmpp>),
}

/// The configured network with this name.
fn relay(config: &Config, name: &str) -> Result<ConfiguredNetwork, String> {
    match name {
        "telegram" => {
            telegram(config).map(|network| ConfiguredNetwork::Telegram(Box::new(network)))
        }
        "matrix" => matrix(config).map(|network| ConfiguredNetwork::Matrix(Box::new(network))),
        "xmpp" => xmpp(config).map(|network| ConfiguredNetwork::Xmpp(Box::new(network))),
        _ => Err(format!("there is no relay for {name}")),
    }
}

fn telegram(config: &Config) -> Result<Telegram, String> {
    let section = &config.telegram;
    let token = section.token.as_ref().map(Secret::expose);
    let token = token.ok_or(
        "relay.telegram.token is not set: get one from @BotFather, then set it in service.toml \
         or as CHATKEEP_RELAY_TELEGRAM_TOKEN",
    )?;
    Ok(Telegram::new(telegram::TelegramSettings {
        token: token.to_owned(),
        base_url: section.base_url.clone(),
        allowed: allow_list(telegram::IDS, &section.allow)?,
    }))
}

fn matrix(config: &Config) -> Result<Matrix, String> {
    let section = &config.matrix;
    let homeserver = section.homeserver.clone().ok_or(
        "relay.matrix.homeserver is not set: create an account for the bot on a homeserver, then set \
         homeserver, user and password in service.toml or as CHATKEEP_RELAY_MATRIX_HOMESERVER and so on",
    )?;
    let expose = |secret: &Option<Secret>| secret.as_ref().map(|s| s.expose().to_owned());
    let credential = match (
        expose(&section.token),
        &section.user,
        expose(&section.password),
    ) {
        (Some(token), _, _) => Credential::Token(token),
        (None, Some(user), Some(password)) => Credential::Password {
            user: user.clone(),
            password,
        },
        _ => {
            return Err(
                "relay.matrix.user and relay.matrix.password are not both set; set them, or relay.matrix.token"
                    .to_owned(),
            );
        }
    };
    Ok(Matrix::new(matrix::MatrixSettings {
        homeserver,
        credential,
        allowed: allow_list(matrix::IDS, &section.allow)?,
        state: relay_state(config, "matrix"),
    }))
}

fn xmpp(config: &Config) -> Result<Xmpp, String> {
    let section = &config.xmpp;
    let (Some(jid), Some(password)) = (&section.jid, &section.password) else {
        return Err(
            "relay.xmpp.jid and relay.xmpp.password are not set: create an account for the bot on an XMPP \
             server, then set them in service.toml or as CHATKEEP_RELAY_XMPP_JID and so on"
                .to_owned(),
        );
    };
    let authorities = match section.certificates()? {
        Some(pem) => {
            let read = Authorities::read(&pem);
            Some(read.map_err(|why| format!("relay.xmpp.ca_file: {why}"))?)
        }
        None => None,
    };
    let network = Xmpp::new(xmpp::XmppSettings {
        jid: jid.clone(),
        password: password.expose().to_owned(),
        server: section.server.clone(),
        authorities,
        allowed: allow_list(xmpp::IDS, &section.allow)?,
        state: relay_state(config, "xmpp"),
        now_s: || Clock::system().now().seconds(),
    });
    network.map_err(|why| format!("relay.xmpp.jid {why}"))
}

fn allow_list(form: IdForm, entries: &[String]) -> Result<AllowList, String> {
    let network = form.network;
    let list = AllowList::read(form, entries.iter().map(String::as_str));
    list.map_err(|why| format!("relay.{network}.allow {why}"))
}

/// The address to connect to: an unspecified address becomes loopback.
pub fn connect_address(mut address: SocketAddr) -> SocketAddr {
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    address
}

/// The relay's journal of sent messages, beside the database.
pub fn relay_state(config: &Config, name: &str) -> PathBuf {
    files::beside(&config.storage.path, &format!("{RELAY}{name}"))
}

/// The files that relays have made beside the database.
pub fn relay_files(database: &Path) -> Vec<PathBuf> {
    relay::state_files(&files::beside(database, RELAY))
}

/// Why the service no longer takes the token of a relay inside it; `None` if it does. A relay that
/// is started again gets another token.
fn token_problem(app: &App, name: &str, token: &str) -> Option<String> {
    let (now, tokens) = (app.clock.now(), &app.edge_tokens);
    let why = tokens.verify(Some(token), None, now).err()?;
    let issue_time = edge_token::issue_time(now.seconds(), tokens.revoked_until(name));
    Some(match issue_time {
        Some(_) => format!("the service does not take its token ({why}); it gets another one"),
        None => edge_token::revoked_ahead(name),
    })
}

fn settings(app: &App, name: &'static str, url: &str) -> RelaySettings {
    let (now, tokens) = (app.clock.now().seconds(), &app.edge_tokens);
    // Without a time the service refuses it, and the log says why.
    let issued_at = edge_token::issue_time(now, tokens.revoked_until(name)).unwrap_or(now);
    RelaySettings {
        url: url.to_owned(),
        credentials: Credentials {
            agent_id: name.to_owned(),
            token: tokens.issue(name, name, issued_at),
        },
        state: relay_state(&app.config, name),
        authorities: None,
    }
}
