//! Cache of webhooks prepared for calls: unsealed secret, HMAC key and parsed action. The cache is
//! never ahead of the database: after a commit that changes a webhook or its app, the writer thread
//! removes it, and only the writer thread adds entries.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::{Mutex, RwLock};

use super::Marketplace;
use super::actions::{self, PreparedAction};
use super::mapping::Mapping;
use crate::auth::seal::Sealer;
use crate::auth::webhook_signature::WebhookKey;
use crate::error::{Error, Result};
use crate::model::public_id::PublicId;
use crate::store::{AppId, CallableWebhookRow, UserId, WebhookId};

/// The cache is emptied at this size.
const WEBHOOKS_MAX: usize = 4_096;
/// The cache of unknown ids is emptied at this size.
const UNKNOWN_MAX: usize = 20_000;

/// How calls are signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignatureScheme {
    Plain,
    Standard,
}

impl SignatureScheme {
    pub const NAMES: [&'static str; 2] = ["plain", "standard"];

    /// Parses one of `NAMES`.
    pub fn parse(name: &str) -> Self {
        match name {
            "standard" => Self::Standard,
            _ => Self::Plain,
        }
    }
}

/// A webhook prepared for calls.
pub(super) struct CachedWebhook {
    pub(super) id: WebhookId,
    pub(super) version: i64,
    pub(super) app: AppId,
    /// A UUID.
    pub(super) app_id: String,
    pub(super) creator: UserId,
    pub(super) action_id: String,
    /// `None` when the app has no such action any more.
    pub(super) action: Option<PreparedAction>,
    pub(super) mapping: Mapping,
    pub(super) scheme: SignatureScheme,
    /// Calls per minute.
    pub(super) rate_limit: u64,
    pub(super) is_active: bool,
    /// `None` when the secret was sealed with another key.
    pub(super) key: Option<WebhookKey>,
}

impl CachedWebhook {
    pub(super) fn of(row: &CallableWebhookRow, sealer: Option<&Sealer>) -> Result<Self> {
        let webhook = &row.webhook;
        let mapping: Mapping =
            serde_json::from_str(&webhook.payload_mapping).map_err(Error::internal)?;
        let actions = actions::from_json(&row.actions)?;
        let mut actions = actions.iter();
        let action = actions.find(|action| action.action_id == webhook.action_id);
        let secret = sealer.and_then(|sealer| sealer.open(&webhook.webhook_id, &webhook.secret));
        Ok(Self {
            id: webhook.id,
            version: webhook.version,
            app: webhook.app,
            app_id: row.app_id.clone(),
            creator: row.creator,
            action_id: webhook.action_id.clone(),
            action: action.map(|action| PreparedAction::new(action, &mapping)),
            mapping,
            scheme: SignatureScheme::parse(&webhook.scheme),
            rate_limit: webhook.rate_limit,
            is_active: webhook.is_active,
            key: secret.as_deref().map(WebhookKey::new),
        })
    }
}

#[derive(Default)]
pub(super) struct WebhookCache {
    known: RwLock<HashMap<PublicId, Arc<CachedWebhook>>>,
    unknown: Mutex<HashSet<PublicId>>,
    /// Counts removals: an id that was unknown may exist since.
    changes: AtomicU64,
}

impl WebhookCache {
    /// Call this after a commit that created, changed or deleted the webhook.
    pub(super) fn forget(&self, webhook_id: &str) {
        let Some(id) = PublicId::parse(webhook_id) else {
            return;
        };
        self.changes.fetch_add(1, Ordering::SeqCst);
        let mut known = self.known.write();
        known.remove(&id);
        self.unknown.lock().remove(&id);
    }

    fn get(&self, id: PublicId) -> Option<Arc<CachedWebhook>> {
        let known = self.known.read();
        known.get(&id).cloned()
    }

    fn put(&self, id: PublicId, hook: Arc<CachedWebhook>) {
        let mut known = self.known.write();
        if known.len() >= WEBHOOKS_MAX {
            known.clear();
        }
        known.insert(id, hook);
    }

    /// `changes` is the counter's value from before the look-up.
    fn put_unknown(&self, id: PublicId, changes: u64) {
        let mut unknown = self.unknown.lock();
        if unknown.len() >= UNKNOWN_MAX {
            unknown.clear();
        }
        if self.changes.load(Ordering::SeqCst) == changes {
            unknown.insert(id);
        }
    }
}

impl Marketplace {
    /// The webhook with this id, active or not. A webhook that isn't cached is read on the writer
    /// thread between commits, so that no outdated version is cached.
    pub(super) async fn hook(self: &Arc<Self>, id: PublicId) -> Result<Option<Arc<CachedWebhook>>> {
        if let Some(hook) = self.hooks.get(id) {
            return Ok(Some(hook));
        }
        if self.hooks.unknown.lock().contains(&id) {
            return Ok(None);
        }
        let changes = self.hooks.changes.load(Ordering::SeqCst);
        let webhook_id = id.to_string();
        if !self
            .store
            .read(move |view| view.has_webhook(&webhook_id))
            .await?
        {
            self.hooks.put_unknown(id, changes);
            return Ok(None);
        }
        let marketplace = self.clone();
        self.store
            .write(move |tx| {
                let Some(row) = tx.called_webhook(&id.to_string())? else {
                    return Ok(None);
                };
                let hook = Arc::new(CachedWebhook::of(&row, marketplace.sealer.as_deref())?);
                let cached = hook.clone();
                tx.after_commit(move || marketplace.hooks.put(id, cached));
                Ok(Some(hook))
            })
            .await
    }
}
