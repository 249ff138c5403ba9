//! The parts that keep sealed secrets: the marketplace and connected services.

use std::path::Path;
use std::sync::Arc;

use crate::auth::seal::Sealer;
use crate::clock::Clock;
use crate::config::Config;
use crate::edge::hub::Hub;
use crate::marketplace::Marketplace;
use crate::memory::Memories;
use crate::outbound::Authorities;
use crate::services::{Services, web};
use crate::store::SharedStore;

pub(super) fn marketplace(
    config: &Config,
    store: &SharedStore,
    (hub, memories): (&Arc<Hub>, &Arc<Memories>),
    clock: &Clock,
    sealer: &Option<Arc<Sealer>>,
) -> Arc<Marketplace> {
    Arc::new(Marketplace::new(
        store.clone(),
        hub.clone(),
        memories.clone(),
        clock.clone(),
        sealer.clone(),
        config.server.public_url.as_str(),
    ))
}

pub(super) fn services(
    config: &Config,
    store: &SharedStore,
    clock: &Clock,
    hub: &Arc<Hub>,
    sealer: Option<Arc<Sealer>>,
) -> Result<Arc<Services>, String> {
    let authorities = config.services.ca_file.as_deref().map(authorities);
    let network = web::Network {
        allow_private: config.services.allow_private,
        allowed_hosts: config.services.allowed_hosts.clone(),
        authorities: authorities.transpose()?,
    };
    Ok(Arc::new(Services::new(
        store.clone(),
        clock.clone(),
        hub.clone(),
        sealer,
        network,
    )))
}

fn authorities(file: &Path) -> Result<Authorities, String> {
    let named = |why: String| format!("services.ca_file: {}: {why}", file.display());
    let pem = std::fs::read(file).map_err(|e| named(e.to_string()))?;
    Authorities::read(&pem).map_err(named)
}
