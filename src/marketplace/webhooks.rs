//! Managing webhooks, by the creator of their app. A secret is shown once, when it is created; only
//! its sealed form is stored.

use schemars::JsonSchema;
use serde::Serialize;

use super::apps::{app_of_creator, app_of_creator_or};
use super::mapping::Mapping;
use super::webhook_cache::SignatureScheme;
use super::{Marketplace, actions, webhook_not_found};
use crate::clock::Timestamp;
use crate::error::{Error, ErrorKind, Result};
use crate::model::public_id::PublicId;
use crate::random;
use crate::store::{NewWebhook, Tx, UserId, View, WebhookRow};

/// Webhooks per app.
pub const WEBHOOKS_MAX: usize = 10;
/// Default limit of calls per minute.
const RATE_LIMIT_DEFAULT: u64 = 60;
pub const RATE_LIMIT_MAX: u64 = 600;

/// A creator's input for a webhook; `None` for absent fields.
#[derive(Debug, Default)]
pub struct WebhookDraft {
    /// Used for a new webhook only.
    pub action_id: String,
    pub description: Option<String>,
    pub payload_mapping: Option<Mapping>,
    pub rate_limit: Option<u64>,
    /// One of `SignatureScheme::NAMES`.
    pub scheme: Option<&'static str>,
    /// A new webhook is always active.
    pub is_active: Option<bool>,
}

/// A webhook of an app.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Webhook")]
pub struct WebhookView {
    #[schemars(with = "PublicId")]
    pub webhook_id: String,
    /// Called by outside services.
    #[schemars(example = &"http://127.0.0.1:8080/webhooks/0b0e7a3c-54d2-4a1e-9a52-5d5f3c3a2b11")]
    pub url: String,
    #[schemars(example = &"package_arrived")]
    pub action_id: String,
    pub description: String,
    pub payload_mapping: Mapping,
    #[schemars(extend("enum" = SignatureScheme::NAMES))]
    pub scheme: String,
    pub is_active: bool,
    #[schemars(range(min = 1, max = RATE_LIMIT_MAX))]
    pub rate_limit_per_minute: u64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// A new webhook with its secret.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CreatedWebhook {
    #[schemars(with = "WebhookSecret")]
    pub secret: String,
    #[serde(flatten)]
    pub webhook: WebhookView,
}

/// The secret; shown only in this answer.
// For schemas.
#[derive(JsonSchema)]
#[schemars(extend("pattern" = "^[0-9a-f]{64}$"))]
#[schemars(rename = "Secret")]
pub struct WebhookSecret(pub String);

impl Marketplace {
    pub async fn create_webhook(
        &self,
        caller: UserId,
        app_id: String,
        draft: WebhookDraft,
    ) -> Result<CreatedWebhook> {
        let (webhook_id, secret) = (random::uuid().to_string(), random::secret());
        let sealed = self.sealer()?.seal(&webhook_id, &secret);
        let (hooks, now) = (self.hooks.clone(), self.clock.now());
        let row = self
            .store
            .write(move |tx| {
                let app = app_of_creator_or(tx.view(), caller, &app_id, ErrorKind::BadRequest)?;
                let actions = actions::from_json(&app.actions)?;
                if !actions.iter().any(|a| a.action_id == draft.action_id) {
                    return Err(invalid_action());
                }
                if tx.count_webhooks(app.id)? >= WEBHOOKS_MAX {
                    return Err(limit_reached());
                }
                tx.insert_webhook(&NewWebhook {
                    webhook_id: &webhook_id,
                    app: app.id,
                    action_id: &draft.action_id,
                    description: draft.description.as_deref().unwrap_or_default(),
                    payload_mapping: &to_json(&draft.payload_mapping.unwrap_or_default())?,
                    scheme: draft.scheme.unwrap_or(SignatureScheme::NAMES[0]),
                    rate_limit: draft.rate_limit.unwrap_or(RATE_LIMIT_DEFAULT),
                    secret: &sealed,
                    now,
                })?;
                let row = tx.webhook(app.id, &webhook_id)?;
                tx.after_commit(move || hooks.forget(&webhook_id));
                row.ok_or_else(webhook_not_found)
            })
            .await?;
        let webhook = self.webhook_view(row)?;
        Ok(CreatedWebhook { secret, webhook })
    }

    /// Oldest first.
    pub async fn webhooks(&self, caller: UserId, app_id: String) -> Result<Vec<WebhookView>> {
        let rows = self
            .store
            .read(move |view| view.webhooks(app_of_creator(view, caller, &app_id)?.id))
            .await?;
        rows.into_iter().map(|row| self.webhook_view(row)).collect()
    }

    pub async fn update_webhook(
        &self,
        caller: UserId,
        app_id: String,
        webhook_id: String,
        draft: WebhookDraft,
    ) -> Result<WebhookView> {
        let now = self.clock.now();
        let row = self
            .change(caller, app_id, webhook_id, move |row| {
                if let Some(description) = draft.description {
                    row.description = description;
                }
                if let Some(mapping) = draft.payload_mapping {
                    row.payload_mapping = to_json(&mapping)?;
                }
                if let Some(scheme) = draft.scheme {
                    scheme.clone_into(&mut row.scheme);
                }
                row.rate_limit = draft.rate_limit.unwrap_or(row.rate_limit);
                row.is_active = draft.is_active.unwrap_or(row.is_active);
                row.updated_at = now;
                Ok(())
            })
            .await?;
        self.webhook_view(row)
    }

    /// Returns the webhook's id and its new secret. With the commit the old secret becomes invalid
    /// and the new one valid.
    pub async fn rotate_secret(
        &self,
        caller: UserId,
        app_id: String,
        webhook_id: String,
    ) -> Result<(String, String)> {
        let sealer = self.sealer()?.clone();
        let (secret, now) = (random::secret(), self.clock.now());
        let secret_to_seal = secret.clone();
        let row = self
            .change(caller, app_id, webhook_id, move |row| {
                row.secret = sealer.seal(&row.webhook_id, &secret_to_seal);
                row.updated_at = now;
                Ok(())
            })
            .await?;
        log::info!("webhook {} has a new secret", row.webhook_id);
        Ok((row.webhook_id, secret))
    }

    pub async fn delete_webhook(
        &self,
        caller: UserId,
        app_id: String,
        webhook_id: String,
    ) -> Result<()> {
        let hooks = self.hooks.clone();
        self.store
            .write(move |tx| {
                let row = owned_webhook(tx.view(), caller, &app_id, &webhook_id)?;
                tx.delete_webhook(row.id)?;
                tx.after_commit(move || hooks.forget(&row.webhook_id));
                Ok(())
            })
            .await
    }

    /// Changes the webhook in one transaction. The cache entry is removed after the commit.
    async fn change<F>(
        &self,
        caller: UserId,
        app_id: String,
        webhook_id: String,
        edit: F,
    ) -> Result<WebhookRow>
    where
        F: FnOnce(&mut WebhookRow) -> Result<()> + Send + 'static,
    {
        let hooks = self.hooks.clone();
        self.store
            .write(move |tx: &mut Tx<'_>| {
                let mut row = owned_webhook(tx.view(), caller, &app_id, &webhook_id)?;
                edit(&mut row)?;
                tx.update_webhook(&row)?;
                let webhook_id = row.webhook_id.clone();
                tx.after_commit(move || hooks.forget(&webhook_id));
                Ok(row)
            })
            .await
    }

    pub(super) fn url(&self, webhook_id: &str) -> String {
        format!("{}/webhooks/{webhook_id}", self.public_url)
    }

    fn webhook_view(&self, row: WebhookRow) -> Result<WebhookView> {
        Ok(WebhookView {
            url: self.url(&row.webhook_id),
            payload_mapping: serde_json::from_str(&row.payload_mapping).map_err(Error::internal)?,
            webhook_id: row.webhook_id,
            action_id: row.action_id,
            description: row.description,
            scheme: row.scheme,
            is_active: row.is_active,
            rate_limit_per_minute: row.rate_limit,
            created_at: row.created_at,
            updated_at: row.updated_at,
        })
    }
}

/// The webhook, if it belongs to the app and the app to the caller.
pub(super) fn owned_webhook(
    view: &View,
    caller: UserId,
    app_id: &str,
    webhook_id: &str,
) -> Result<WebhookRow> {
    let app = app_of_creator(view, caller, app_id)?;
    let row = view.webhook(app.id, &webhook_id.to_ascii_lowercase())?;
    row.ok_or_else(webhook_not_found)
}

fn to_json(mapping: &Mapping) -> Result<String> {
    serde_json::to_string(mapping).map_err(Error::internal)
}

fn invalid_action() -> Error {
    Error::new(
        ErrorKind::BadRequest,
        "invalid_action",
        "The app has no action with this action_id.",
    )
}

fn limit_reached() -> Error {
    Error::new(
        ErrorKind::BadRequest,
        "webhook_limit_reached",
        format!("The app has {WEBHOOKS_MAX} webhooks already; delete one first."),
    )
}
