//! What became of a webhook's calls: recorded as they come, shown to the app's creator. Floods
//! of calls that are refused are answered, but only so many of them become rows.

use std::net::IpAddr;

use serde::Serialize;

use super::Marketplace;
use super::hooks::Hook;
use super::ingestion::Caller;
use super::webhooks::owned_webhook;
use crate::clock::Timestamp;
use crate::error::Result;
use crate::random;
use crate::store::{EventRow, NewEvent, Tx, UserId, WebhookId};

/// Refused calls of one address in a minute that are recorded, if nothing proved whose they
/// are.
const STRANGERS_RECORDED_MAX: u64 = 1_000;
/// Refused calls of one webhook in a minute that are recorded: as many as are kept, so that a
/// burst is missing from what is shown only where it pushed itself out.
const REFUSED_RECORDED_MAX: u64 = 1_000;

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    Ok,
    Duplicate,
    InvalidSignature,
    RateLimited,
    PayloadTooLarge,
    InvalidJson,
    ActionFailed,
    Inactive,
}

impl Status {
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

    /// Whether the action was set off, be it in vain.
    const fn triggers(self) -> bool {
        matches!(self, Self::Ok | Self::ActionFailed)
    }
}

/// A call that is to be recorded.
pub(super) struct Event {
    pub(super) status: Status,
    pub(super) signature_valid: bool,
    pub(super) error: Option<String>,
}

/// An event as the creator sees it.
#[derive(Debug, Serialize)]
pub struct EventView {
    pub event_id: String,
    pub signature_valid: bool,
    pub action_triggered: String,
    pub result_status: String,
    pub error_message: Option<String>,
    pub ip_address: String,
    pub created_at: Timestamp,
}

impl Marketplace {
    /// The newest, newest first, and how many are kept. Read by the writing thread: so every
    /// call that was answered before is among them.
    pub async fn events(
        &self,
        caller: UserId,
        app_id: String,
        webhook_id: String,
        limit: usize,
    ) -> Result<(Vec<EventView>, usize)> {
        let now = self.clock.now();
        let (rows, total) = self
            .store
            .write(move |tx| {
                let view = tx.view();
                let row = owned_webhook(&view, caller, &app_id, &webhook_id)?;
                view.webhook_events(row.id, limit, now)
            })
            .await?;
        Ok((rows.into_iter().map(shown).collect(), total))
    }

    /// Records a call that was refused, after its answer rather than before it: whether a
    /// webhook exists must not be seen by how long that takes.
    pub(super) fn record_refused(&self, hook: &Hook, caller: Caller, event: Event) {
        if !self.may_record(hook.id, &caller, event.signature_valid) {
            return;
        }
        let (id, now) = (hook.id, self.clock.now());
        let triggered = triggered(hook, event.status);
        self.store
            .post(move |tx| record(tx, id, &triggered, caller.address, &event, now));
    }

    fn may_record(&self, webhook: WebhookId, caller: &Caller, known: bool) -> bool {
        let now = self.clock.monotonic();
        let mut limits = self.limits.lock();
        let stranger_may = known
            || limits
                .strangers_recorded
                .take(caller.network, STRANGERS_RECORDED_MAX, now)
                .is_ok();
        stranger_may
            && limits
                .recorded
                .take(webhook, REFUSED_RECORDED_MAX, now)
                .is_ok()
    }
}

/// Records a call that was carried out, or was before, in its own transaction.
pub(super) fn record_in(
    tx: &mut Tx<'_>,
    hook: &Hook,
    address: IpAddr,
    status: Status,
    now: Timestamp,
) -> Result<()> {
    let event = Event {
        status,
        signature_valid: true,
        error: None,
    };
    record(tx, hook.id, &triggered(hook, status), address, &event, now)
}

fn triggered(hook: &Hook, status: Status) -> String {
    match status.triggers() {
        true => hook.action_id.clone(),
        false => String::new(),
    }
}

fn record(
    tx: &mut Tx<'_>,
    webhook: WebhookId,
    triggered: &str,
    address: IpAddr,
    event: &Event,
    now: Timestamp,
) -> Result<()> {
    tx.insert_webhook_event(
        webhook,
        &NewEvent {
            event_id: &random::ordered_uuid(now).to_string(),
            signature_valid: event.signature_valid,
            action_triggered: triggered,
            result_status: event.status.as_str(),
            error_message: event.error.as_deref(),
            ip_address: &address.to_string(),
            now,
        },
    )
}

fn shown(row: EventRow) -> EventView {
    EventView {
        event_id: row.event_id,
        signature_valid: row.signature_valid,
        action_triggered: row.action_triggered,
        result_status: row.result_status,
        error_message: row.error_message,
        ip_address: row.ip_address,
        created_at: row.created_at,
    }
}
