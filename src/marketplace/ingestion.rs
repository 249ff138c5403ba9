//! Handles a webhook call, from its signature to its effect. The effect and its log entry are one
//! transaction, and a call with an id takes effect only once.

use std::net::IpAddr;
use std::sync::Arc;

use super::actions::ActionEffect;
use super::effects::action_failed;
use super::events::{CallStatus, WebhookEvent, record_in};
use super::payload::NotJson;
use super::webhook_cache::{CachedWebhook, SignatureScheme};
use super::{Marketplace, WebhookCaller, no_sealing_key, webhook_not_found};
use crate::auth::webhook_signature::{SignatureHeaders, WebhookKey};
use crate::error::{Error, ErrorKind, Quota, Result};
use crate::limits::{MINUTE_MS, Windows};
use crate::model::public_id::PublicId;
use crate::store::{Digest, Tx, WebhookId};

/// Size limit of a call's body.
pub const BODY_BYTES_MAX: usize = 65_536;
/// Invalid signatures per address and minute; then calls are refused without checking.
const INVALID_SIGNATURES_MAX: u64 = 60;
const INVALID_SIGNATURES: &str = "webhook_bad_signatures";
const CALLS: &str = "webhook_calls";
/// Attempts at a call whose webhook is changed meanwhile.
const TRIES_MAX: usize = 5;

/// A call as received, in either scheme. A duplicate header counts as missing.
#[derive(Debug, Clone)]
pub struct WebhookCall<'a> {
    pub webhook: PublicId,
    pub caller: WebhookCaller,
    /// The X-Webhook-Signature header.
    pub signature: Option<&'a str>,
    /// The X-Webhook-Id headers, with any content; empty when the call has no id.
    pub delivery_id: Vec<&'a [u8]>,
    /// `None` when one of its headers is missing.
    pub stamp: Option<SignatureHeaders<'a>>,
    pub body: &'a [u8],
}

/// Rate limits per minute.
pub(super) struct Limits {
    calls: Windows<PublicId>,
    invalid_signatures: Windows<IpAddr>,
    pub(super) logged_by_sender: Windows<IpAddr>,
    pub(super) logged_by_webhook: Windows<WebhookId>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            calls: Windows::new(MINUTE_MS),
            invalid_signatures: Windows::new(MINUTE_MS),
            logged_by_sender: Windows::new(MINUTE_MS),
            logged_by_webhook: Windows::new(MINUTE_MS),
        }
    }
}

/// The outcome of one attempt at a call.
enum CallOutcome {
    Done,
    /// The webhook changed before the call was executed.
    Changed,
}

impl Marketplace {
    /// Handles a call. Its effect is committed when this returns. Returns the remaining quota.
    pub async fn call(self: &Arc<Self>, call: &WebhookCall<'_>) -> Result<Quota> {
        let mut quota_taken = None;
        for _ in 0..TRIES_MAX {
            let hook = self.hook(call.webhook).await?;
            let Some(hook) = hook.filter(|hook| self.check_active(hook, call)) else {
                self.decoy.verifies_plain(call.signature, call.body);
                return Err(webhook_not_found());
            };
            self.check_signature(&hook, call)?;
            let quota = match quota_taken {
                Some(quota) => quota,
                None => *quota_taken.insert(self.count(&hook, call)?),
            };
            match self.execute_call(hook, call).await {
                Ok(CallOutcome::Done) => return Ok(quota),
                Ok(CallOutcome::Changed) => {}
                Err(error) => return Err(error.within(quota)),
            }
        }
        Err(Error::unavailable(
            "The webhook is being changed; try again.",
        ))
    }

    /// Executes an authenticated call.
    async fn execute_call(
        self: &Arc<Self>,
        hook: Arc<CachedWebhook>,
        call: &WebhookCall<'_>,
    ) -> Result<CallOutcome> {
        let delivery = delivery_key(&hook, call);
        let effect = self.read(&hook, call)?;
        self.apply(hook, call.caller, delivery, effect).await
    }

    /// Logs a call that was refused before its signature could be checked.
    pub async fn log_unread(
        self: &Arc<Self>,
        webhook: PublicId,
        caller: WebhookCaller,
        refusal: &Error,
    ) -> Result<()> {
        let status = match refusal.kind {
            ErrorKind::TooLarge => CallStatus::PayloadTooLarge,
            // A web page of another origin has no right to sign.
            ErrorKind::Forbidden => CallStatus::InvalidSignature,
            // Compressed, incomplete or too slow.
            _ => CallStatus::InvalidJson,
        };
        if let Some(hook) = self.hook(webhook).await? {
            let reason = Some(refusal.detail.clone());
            self.record_refusal(&hook, caller, status, false, reason);
        }
        Ok(())
    }

    fn check_active(&self, hook: &CachedWebhook, call: &WebhookCall) -> bool {
        if !hook.is_active {
            self.record_refusal(hook, call.caller, CallStatus::Inactive, false, None);
        }
        hook.is_active
    }

    /// An invalid signature counts against its address, never against the webhook.
    fn check_signature(&self, hook: &CachedWebhook, call: &WebhookCall) -> Result<()> {
        let key = hook.key.as_ref().ok_or_else(no_sealing_key)?;
        if self.is_signed(key, hook.scheme, call) {
            return Ok(());
        }
        let now = self.clock.monotonic();
        let window = self
            .limits
            .lock()
            .invalid_signatures
            .take(call.caller.network, INVALID_SIGNATURES_MAX, now);
        let (status, error) = match window {
            Ok(_) => (CallStatus::InvalidSignature, invalid_signature()),
            Err(remaining) => (
                CallStatus::RateLimited,
                Error::rate_limited(remaining.quota(INVALID_SIGNATURES)),
            ),
        };
        self.record_refusal(hook, call.caller, status, false, None);
        Err(error)
    }

    fn is_signed(&self, key: &WebhookKey, scheme: SignatureScheme, call: &WebhookCall) -> bool {
        match scheme {
            SignatureScheme::Plain => key.verifies_plain(call.signature, call.body),
            SignatureScheme::Standard => call
                .stamp
                .is_some_and(|stamp| key.verifies_standard(&stamp, call.body, self.clock.now())),
        }
    }

    fn count(&self, hook: &CachedWebhook, call: &WebhookCall) -> Result<Quota> {
        let now = self.clock.monotonic();
        let window = self
            .limits
            .lock()
            .calls
            .take(call.webhook, hook.rate_limit, now);
        window
            .map(|remaining| remaining.quota(CALLS))
            .map_err(|remaining| {
                self.record_refusal(hook, call.caller, CallStatus::RateLimited, true, None);
                Error::rate_limited(remaining.quota(CALLS))
            })
    }

    /// The effect that the payload asks for, or why it is impossible. An error when the body isn't
    /// JSON.
    fn read(
        &self,
        hook: &CachedWebhook,
        call: &WebhookCall,
    ) -> Result<Result<ActionEffect, String>> {
        let lookup = hook.action.as_ref().map(|action| &action.lookup);
        let values = match lookup {
            Some(lookup) => lookup.read(call.body).map(Some),
            None => super::payload::pick(call.body, &[]).map(|_| None),
        };
        let values = values.map_err(|NotJson(reason)| {
            let reason = format!("The body {reason}.");
            self.record_refusal(
                hook,
                call.caller,
                CallStatus::InvalidJson,
                true,
                Some(reason),
            );
            invalid_json()
        })?;
        Ok(match (&hook.action, values) {
            (Some(action), Some(values)) => action.decide(&values),
            _ => Err(format!(
                "The app has no action {} any more.",
                hook.action_id
            )),
        })
    }

    async fn apply(
        self: &Arc<Self>,
        hook: Arc<CachedWebhook>,
        caller: WebhookCaller,
        delivery: Option<Digest>,
        effect: Result<ActionEffect, String>,
    ) -> Result<CallOutcome> {
        let (marketplace, target_hook) = (self.clone(), hook.clone());
        let result = self
            .store
            .write_repeatable(move |tx| {
                marketplace.apply_in(tx, &target_hook, caller, &delivery, &effect)
            })
            .await;
        if let Err(error) = &result
            && error.code == "action_failed"
        {
            let reason = Some(error.detail.clone());
            self.record_refusal(&hook, caller, CallStatus::ActionFailed, true, reason);
        }
        result
    }

    fn apply_in(
        &self,
        tx: &mut Tx,
        hook: &CachedWebhook,
        caller: WebhookCaller,
        delivery: &Option<Digest>,
        effect: &Result<ActionEffect, String>,
    ) -> Result<CallOutcome> {
        let cursor = tx.webhook_event_cursor(hook.id)?;
        if cursor.is_none_or(|cursor| cursor.version != hook.version) {
            return Ok(CallOutcome::Changed);
        }
        let now = self.clock.now();
        let mut status = CallStatus::Ok;
        if let Some(delivery) = delivery
            && tx.knows_delivery(delivery, now)?
        {
            status = CallStatus::Duplicate;
        } else {
            let effect = effect.as_ref().map_err(action_failed)?;
            self.execute(tx, hook, effect, now)?;
            if let Some(delivery) = delivery {
                tx.insert_delivery(delivery, now)?;
            }
        }
        record_in(tx, hook, caller.address, status, now)?;
        Ok(CallOutcome::Done)
    }

    fn record_refusal(
        &self,
        hook: &CachedWebhook,
        caller: WebhookCaller,
        status: CallStatus,
        signature_valid: bool,
        error: Option<String>,
    ) {
        let event = WebhookEvent {
            status,
            signature_valid,
            error,
        };
        self.record_refused(hook, caller, event);
    }
}

/// The key that identifies a repeated call: its signed id in the standard scheme, otherwise the
/// header.
fn delivery_key(hook: &CachedWebhook, call: &WebhookCall) -> Option<Digest> {
    let standard_id = call.stamp.map(|stamp| stamp.id.as_bytes());
    let delivery_id: &[&[u8]] = match hook.scheme {
        SignatureScheme::Standard => standard_id.as_slice(),
        SignatureScheme::Plain => &call.delivery_id,
    };
    if delivery_id.is_empty() {
        return None;
    }
    let webhook = call.webhook.to_string();
    Some(Digest::of(&[&[webhook.as_bytes()], delivery_id].concat()))
}

fn invalid_signature() -> Error {
    Error {
        code: "invalid_signature",
        detail: "The signature is missing or does not match the body and the webhook's secret."
            .to_owned(),
        ..Error::unauthorized("a webhook's signature")
    }
}

fn invalid_json() -> Error {
    Error::new(
        ErrorKind::BadRequest,
        "invalid_json",
        "The body is not valid JSON.",
    )
}
