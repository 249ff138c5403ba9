//! Chooses the key that seals webhooks' secrets and people's credentials: the configured one, or
//! else the one stored beside the database. A new key is created only while no secret is sealed
//! with another.

use std::path::Path;
use std::sync::Arc;

use crate::auth::seal::Sealer;
use crate::config::{self, Config};
use crate::error::Result as Outcome;
use crate::store::Store;

/// `None` when the key is missing: webhooks and connected services then answer 503. The error is a
/// sentence for the operator.
pub(super) async fn sealer(config: &Config, store: &Store) -> Result<Option<Arc<Sealer>>, String> {
    let sealed: Outcome<_> = store
        .read(|view| match view.first_sealed()? {
            Some(sealed) => Ok(Some(sealed)),
            None => view.first_sealed_credentials(),
        })
        .await;
    let sealed = sealed.map_err(|e| e.to_string())?;
    let path = config::sealing_key_file(&config.storage.path);
    let key = match &config.marketplace.sealing_key {
        Some(key) => Some(key.clone()),
        None => match config::read_sealing_key(&path)? {
            None if sealed.is_none() => Some(config::generate_sealing_key(&path)?),
            key => key,
        },
    };
    let sealer = key.map(|key| Sealer::new(key.expose()));
    if let Some((owner, secret)) = &sealed {
        match &sealer {
            None => log::error!("{}", missing_key_message(&path)),
            Some(sealer) if sealer.open(owner, secret).is_none() => {
                log::error!("{}", other_key_message(config, &path));
            }
            Some(_) => {}
        }
    }
    Ok(sealer.map(Arc::new))
}

fn missing_key_message(path: &Path) -> String {
    format!(
        "{0} is missing: webhooks answer 503. Restore the file from a backup. If it is lost, \
         create a new one with `openssl rand -hex 32 > {0}`, restart, and rotate all secrets",
        path.display()
    )
}

fn other_key_message(config: &Config, path: &Path) -> String {
    let key = match config.marketplace.sealing_key {
        Some(_) => "marketplace.sealing_key".to_owned(),
        None => path.display().to_string(),
    };
    format!(
        "{key} is not the key that sealed the webhooks' secrets (without a setting that is {}): \
         those webhooks answer 503 until that key is restored or their secrets are rotated",
        path.display()
    )
}
