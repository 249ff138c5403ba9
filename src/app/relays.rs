//! Relays that the service runs by itself: clients of its own address, each with a token that is
//! made for it. One that ends is started again after a while.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::App;
use crate::config::{Config, Secret};
use crate::relay::telegram::{Allowed, Settings as TelegramSettings, Telegram};
use crate::relay::{self, Condition, Credentials, Settings};

/// A relay that ended is started again after 1 s, doubled up to 60 s.
const PAUSE_MAX_S: u64 = 60;

/// A relay of the service's own.
pub struct OwnRelay {
    /// Also its agent's name.
    pub name: &'static str,
    pub condition: Arc<Condition>,
}

/// Those that the configuration asks for.
pub(super) fn configured(config: &Config) -> Vec<OwnRelay> {
    let telegram = config.telegram.token.is_some();
    let named = telegram.then_some("telegram");
    let named = named.into_iter().map(|name| OwnRelay {
        name,
        condition: Arc::default(),
    });
    named.collect()
}

/// Runs the relay for Telegram, for ever. `address` is where the service listens.
pub(super) async fn run_telegram(app: Arc<App>, address: SocketAddr) {
    let url = format!("http://{}", reached_at(address));
    let own = app.relays.iter().find(|relay| relay.name == "telegram");
    let Some(condition) = own.map(|own| own.condition.clone()) else {
        return;
    };
    let mut pause = Duration::from_secs(1);
    loop {
        let why = match telegram(&app.config) {
            Ok(network) => {
                let settings = settings(&app, "telegram", &url);
                relay::run(settings, network, condition.clone()).await.0
            }
            Err(why) => why,
        };
        condition.restarted(&why);
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(Duration::from_secs(PAUSE_MAX_S));
    }
}

/// The network as it is configured.
pub fn telegram(config: &Config) -> Result<Telegram, String> {
    let telegram = &config.telegram;
    let token = telegram.token.as_ref().map(Secret::expose);
    let token = token.ok_or(
        "relay.telegram.token is not set: get one from @BotFather, then set it in service.toml \
         or as CHATKEEP_RELAY_TELEGRAM_TOKEN",
    )?;
    Ok(Telegram::new(TelegramSettings {
        token: token.to_owned(),
        base_url: telegram.base_url.clone(),
        allowed: Allowed::read(telegram.allow.iter().map(String::as_str))?,
    }))
}

/// "Every address" is none to connect to.
pub fn reached_at(mut address: SocketAddr) -> SocketAddr {
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    address
}

/// Where a relay remembers what it sent: beside the database.
pub fn relay_state(config: &Config, name: &str) -> PathBuf {
    let mut path = config.storage.path.as_os_str().to_owned();
    path.push(format!(".relay-{name}"));
    path.into()
}

fn settings(app: &App, name: &'static str, url: &str) -> Settings {
    let now = app.clock.now().seconds();
    Settings {
        url: url.to_owned(),
        credentials: Credentials {
            agent_id: name.to_owned(),
            token: app.edge_tokens.issue(name, name, now),
        },
        state: relay_state(&app.config, name),
    }
}
