//! The log of a webhook's calls, for the app's creator. Only a limited number of refused calls is
//! logged.

use std::net::IpAddr;

use super::webhook_cache::CachedWebhook;
use super::webhooks::owned_webhook;
use super::{Marketplace, WebhookCaller};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::random;
use crate::store::{EventRow, NewEvent, Tx, UserId, WebhookId};

/// Logged refused calls per address and minute, when the sender is unknown.
const UNKNOWN_SENDERS_LOGGED_MAX: u64 = 1_000;
/// Logged refused calls per webhook and minute: as many as are stored, so that a burst displaces
/// only itself.
const REFUSED_LOGGED_MAX: u64 = 1_000;

/// The outcome of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CallStatus {
    Ok,
    Duplicate,
    InvalidSignature,
    RateLimited,
    PayloadTooLarge,
    InvalidJson,
    ActionFailed,
    Inactive,
}

impl CallStatus {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Duplicate => "duplicate",
            Self::InvalidSignature => "invalid_signature",
            Self::RateLimited => "rate_limited",
            Self::PayloadTooLarge => "payload_too_large",
            Self::InvalidJson => "invalid_json",
            Self::ActionFailed => "action_failed",
            Self::Inactive => "inactive",
        }
    }

    /// Whether the call tried to execute the action, even if that failed.
    const fn triggers(self) -> bool {
        matches!(self, Self::Ok | Self::ActionFailed)
    }
}

/// A call to be logged.
pub(super) struct WebhookEvent {
    pub(super) status: CallStatus,
    pub(super) signature_valid: bool,
    pub(super) error: Option<String>,
}

impl Marketplace {
    /// The newest entries, newest first, and the number stored. Read on the writer thread, so that
    /// every answered call is included.
    pub async fn events(
        &self,
        caller: UserId,
        app_id: String,
        webhook_id: String,
        limit: usize,
    ) -> Result<(Vec<EventRow>, usize)> {
        let now = self.clock.now();
        let reading = self.store.write(move |tx| {
            let row = owned_webhook(tx.view(), caller, &app_id, &webhook_id)?;
            tx.webhook_events(row.id, limit, now)
        });
        reading.await
    }

    /// Logs a refused call after answering it, so that timing doesn't tell whether a webhook
    /// exists.
    pub(super) fn record_refused(
        &self,
        hook: &CachedWebhook,
        caller: WebhookCaller,
        event: WebhookEvent,
    ) {
        if !self.may_record(hook.id, &caller, event.signature_valid) {
            return;
        }
        let (id, now) = (hook.id, self.clock.now());
        let triggered_action = triggered_action(hook, event.status);
        self.store
            .post(move |tx| record(tx, id, &triggered_action, caller.address, &event, now));
    }

    fn may_record(
        &self,
        webhook: WebhookId,
        caller: &WebhookCaller,
        is_known_sender: bool,
    ) -> bool {
        let now = self.clock.monotonic();
        let mut limits = self.limits.lock();
        let sender_allowed = is_known_sender
            || limits
                .logged_by_sender
                .take(caller.network, UNKNOWN_SENDERS_LOGGED_MAX, now)
                .is_ok();
        sender_allowed
            && limits
                .logged_by_webhook
                .take(webhook, REFUSED_LOGGED_MAX, now)
                .is_ok()
    }
}

/// Logs an executed or repeated call, in its own transaction.
pub(super) fn record_in(
    tx: &mut Tx,
    hook: &CachedWebhook,
    address: IpAddr,
    status: CallStatus,
    now: Timestamp,
) -> Result<()> {
    let event = WebhookEvent {
        status,
        signature_valid: true,
        error: None,
    };
    record(
        tx,
        hook.id,
        &triggered_action(hook, status),
        address,
        &event,
        now,
    )
}

fn triggered_action(hook: &CachedWebhook, status: CallStatus) -> String {
    match status.triggers() {
        true => hook.action_id.clone(),
        false => String::new(),
    }
}

fn record(
    tx: &mut Tx,
    webhook: WebhookId,
    triggered_action: &str,
    address: IpAddr,
    event: &WebhookEvent,
    now: Timestamp,
) -> Result<()> {
    tx.insert_webhook_event(
        webhook,
        &NewEvent {
            event_id: &random::ordered_uuid(now).to_string(),
            signature_valid: event.signature_valid,
            action_triggered: triggered_action,
            result_status: event.status.as_str(),
            error_message: event.error.as_deref(),
            ip_address: &address.to_string(),
            now,
        },
    )
}
