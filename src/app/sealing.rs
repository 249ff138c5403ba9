//! Chooses the key that seals webhooks' secrets and people's credentials: the configured one, or
//! else the one stored beside the database. A new key is created only while no secret is sealed
//! with another.

use std::sync::Arc;

use crate::auth::seal::Sealer;
use crate::config::{self, Config, Secret};
use crate::store::{SealedSecret, Store};

/// `None` when the key is missing: webhooks and connected services then answer 503. The error is a
/// sentence for the operator.
pub(super) async fn sealer(config: &Config, store: &Store) -> Result<Option<Arc<Sealer>>, String> {
    let sealed = store.read(|view| view.any_sealed_secret()).await;
    let sealed = sealed.map_err(|e| e.to_string())?;
    let key = match known_key(config)? {
        None if sealed.is_none() => {
            let path = config::sealing_key_file(&config.storage.path);
            Some(config::generate_sealing_key(&path)?)
        }
        key => key,
    };
    if let Some(problem) = problem(config, key.as_ref(), sealed.as_ref()) {
        log::error!("marketplace.sealing_key: {problem}");
    }
    Ok(key.map(|key| Arc::new(Sealer::new(key.expose()))))
}

/// Why the key can't open what is sealed in a database, as a sentence for the operator. `None`:
/// it can, or nothing is sealed.
pub fn key_problem(config: &Config, sealed: Option<&SealedSecret>) -> Option<String> {
    match known_key(config) {
        Ok(key) => problem(config, key.as_ref(), sealed),
        Err(why) => Some(why),
    }
}

/// The configured key, or the one beside the database.
fn known_key(config: &Config) -> Result<Option<Secret>, String> {
    match &config.marketplace.sealing_key {
        Some(key) => Ok(Some(key.clone())),
        None => config::read_sealing_key(&config::sealing_key_file(&config.storage.path)),
    }
}

fn problem(config: &Config, key: Option<&Secret>, sealed: Option<&SealedSecret>) -> Option<String> {
    const EFFECT: &str = "webhooks answer 503, and connected calendars and mailboxes are not read";
    let SealedSecret { owner, sealed } = sealed?;
    let path = config::sealing_key_file(&config.storage.path);
    let path = path.display();
    let Some(key) = key else {
        return Some(format!(
            "{path} is missing, so {EFFECT}. Restore that file from where the old one is kept. If \
             it is lost, create a new one with `openssl rand -hex 32 > {path}`, restart, rotate \
             the webhooks' secrets and connect the calendars and mailboxes again"
        ));
    };
    if Sealer::new(key.expose()).open(owner, sealed).is_some() {
        return None;
    }
    let cure = match config.marketplace.sealing_key {
        Some(_) => format!(
            "The right one may be in {path}: then set marketplace.sealing_key_file to that file \
             and remove marketplace.sealing_key"
        ),
        None => format!("Put the right one into {path}, or into marketplace.sealing_key"),
    };
    Some(format!(
        "this is not the key with which the database's secrets were encrypted, so {EFFECT}. {cure}"
    ))
}
