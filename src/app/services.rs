//! Builds the parts that keep sealed secrets: the marketplace and connected services.

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
    let certificates = config.services.certificates()?;
    let authorities = certificates.map(|pem| Authorities::read(pem.as_bytes()));
    let network = web::Network {
        allow_private: config.services.allow_private,
        allowed_hosts: config.services.allowed_hosts.clone(),
        authorities: authorities
            .transpose()
            .map_err(|why| format!("services.ca_file: {why}"))?,
    };
    Ok(Arc::new(Services::new(
        store.clone(),
        clock.clone(),
        hub.clone(),
        sealer,
        network,
    )))
}
