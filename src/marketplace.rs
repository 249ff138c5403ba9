//! Apps that people create, and webhooks through which outside services trigger the apps' actions.
//! This module must not know HTTP or SQL.

pub mod actions;
pub mod apps;
pub mod call_preview;
mod caller;
mod effects;
pub mod events;
pub mod ingestion;
pub mod mapping;
pub mod payload;
pub mod template;
pub mod webhook_cache;
pub mod webhooks;

use std::sync::Arc;

use crate::auth::seal::Sealer;
use crate::auth::webhook_signature::WebhookKey;
use crate::clock::Clock;
use crate::edge::hub::Hub;
use crate::error::{Error, ErrorKind, Result};
use crate::memory::Memories;
use crate::random;
use crate::store::SharedStore;
pub use caller::WebhookCaller;
use ingestion::Limits;
use parking_lot::Mutex;
use webhook_cache::WebhookCache;

/// The state of the marketplace.
pub struct Marketplace {
    store: SharedStore,
    hub: Arc<Hub>,
    memories: Arc<Memories>,
    clock: Clock,
    /// `None` when the key that sealed the secrets is missing.
    sealer: Option<Arc<Sealer>>,
    /// Without a trailing slash.
    public_url: String,
    hooks: Arc<WebhookCache>,
    limits: Mutex<Limits>,
    /// Used for unknown webhooks, so that checking takes equally long.
    decoy: WebhookKey,
}

impl Marketplace {
    pub fn new(
        store: SharedStore,
        hub: Arc<Hub>,
        memories: Arc<Memories>,
        clock: Clock,
        sealer: Option<Arc<Sealer>>,
        public_url: &str,
    ) -> Self {
        Self {
            store,
            hub,
            memories,
            clock,
            sealer,
            public_url: public_url.trim_end_matches('/').to_owned(),
            hooks: Arc::default(),
            limits: Mutex::default(),
            decoy: WebhookKey::new(&random::secret()),
        }
    }

    /// 503 without a sealing key, because a new secret could not be read later.
    fn sealer(&self) -> Result<&Arc<Sealer>> {
        self.sealer.as_ref().ok_or_else(no_sealing_key)
    }
}

fn no_sealing_key() -> Error {
    Error::unavailable(
        "The key of the webhooks' secrets is missing; the operator has to restore it.",
    )
}

fn app_not_found() -> Error {
    Error::new(
        ErrorKind::NotFound,
        "app_not_found",
        "There is no app with this id.",
    )
}

fn webhook_not_found() -> Error {
    Error::new(
        ErrorKind::NotFound,
        "webhook_not_found",
        "There is no active webhook with this id.",
    )
}

fn not_app_creator(kind: ErrorKind) -> Error {
    Error::new(
        kind, "not_app_creator", "Only the app's creator may do this.",
    )
}
