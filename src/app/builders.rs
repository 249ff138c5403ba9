//! Builds parts from the settings that take more than a constructor: memories, the marketplace,
//! connected services, and the account eraser with the sender of its mails.

use std::sync::Arc;

use crate::account::confirmation::DeletionMailer;
use crate::account::erasure::{Eraser, ErasureServices};
use crate::auth::seal::Sealer;
use crate::clock::Clock;
use crate::config::{BillingProvider, Config, MemoryProvider, Secret};
use crate::edge::hub::Hub;
use crate::flags::Flags;
use crate::mail::Mailer;
use crate::marketplace::Marketplace;
use crate::memory::{Memories, mem0::Mem0};
use crate::metrics::CallMetrics;
use crate::outbound::Authorities;
use crate::services::{Services, web};
use crate::setting::Setting;
use crate::store::SharedStore;

pub(super) fn memories(
    config: &Config,
    store: &SharedStore,
    flags: &Arc<Flags>,
    clock: &Clock,
) -> Arc<Memories> {
    Arc::new(Memories::new(
        store.clone(),
        flags.clone(),
        clock.clone(),
        memory_service(config),
    ))
}

fn memory_service(config: &Config) -> Option<Mem0> {
    let memory = &config.memory;
    let key = memory.api_key.as_ref().map(Secret::expose);
    match memory.provider {
        MemoryProvider::Local => None,
        MemoryProvider::Mem0 => Some(Mem0::new(memory.base_url.as_deref()?, key)),
    }
}

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
    let network = web::Network {
        allow_private: config.services.allow_private,
        allowed_hosts: config.services.allowed_hosts.clone(),
        authorities: services_authorities(config)?,
    };
    Ok(Arc::new(Services::new(
        store.clone(),
        clock.clone(),
        hub.clone(),
        sealer,
        network,
    )))
}

/// The authorities of `services.ca_file`. The error begins with the key.
pub fn services_authorities(config: &Config) -> Result<Option<Authorities>, String> {
    let certificates = config.services.certificates()?;
    let authorities = certificates.map(|pem| Authorities::read(pem.as_bytes()));
    authorities
        .transpose()
        .map_err(|why| format!("services.ca_file: {why}"))
}

/// The eraser, and the sender of its mails; `None` without a mail server.
pub(super) fn eraser(
    config: &Config,
    store: &SharedStore,
    clock: &Clock,
    services: ErasureServices,
) -> Result<(Arc<Eraser>, Option<Arc<DeletionMailer>>), String> {
    let mailer = Mailer::new(&config.mail)?;
    let mut eraser = Eraser::new(store.clone(), clock.clone(), services);
    eraser.mail = mailer.is_some();
    eraser.billing = config.billing.provider != BillingProvider::None;
    eraser.persona.set(config.reply.persona_name.clone());
    let deletion_mailer = mailer.map(|mailer| {
        Arc::new(DeletionMailer {
            store: store.clone(),
            clock: clock.clone(),
            mailer: Setting::new(mailer),
            queued: eraser.mails_queued.clone(),
            calls: CallMetrics::of("mail"),
        })
    });
    Ok((Arc::new(eraser), deletion_mailer))
}
