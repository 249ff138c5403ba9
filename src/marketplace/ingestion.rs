//! Handles a webhook call, from its signature to its effect. The effect and its log entry are one
//! transaction, and a call with an id takes effect only once.

use std::net::IpAddr;
use std::sync::Arc;

use super::actions::Effect;
use super::effects::action_failed;
use super::events::{Event, Status, record_in};
use super::hooks::{Hook, Scheme};
use super::payload::NotJson;
use super::{Marketplace, no_sealing_key, webhook_not_found};
use crate::auth::webhook_signature::{Key, Stamp};
use crate::error::{Error, Kind, Quota, Result};
use crate::limits::{self, MINUTE_MS, Windows};
use crate::model::public_id::PublicId;
use crate::store::{Digest, Tx, WebhookId};

/// Size limit of a call's body.
pub const BODY_BYTES_MAX: usize = 65_536;
/// Invalid signatures per address and minute; then calls are refused without checking.
const BAD_SIGNATURES_MAX: u64 = 60;
const BAD_SIGNATURES: &str = "webhook_bad_signatures";
const CALLS: &str = "webhook_calls";
/// How often a call is retried because its webhook changed meanwhile.
const TRIES_MAX: usize = 5;

/// The sender of a call.
#[derive(Debug, Clone, Copy)]
pub struct Caller {
    pub address: IpAddr,
    /// The network that limits count: an IPv6 sender has a whole network of addresses.
    pub(super) network: IpAddr,
}

impl Caller {
    pub fn at(address: IpAddr) -> Self {
        Self {
            address: address.to_canonical(),
            network: limits::network_of(address),
        }
    }
}

/// A call as received, in either scheme. A duplicate header counts as missing.
#[derive(Debug, Clone)]
pub struct Call<'a> {
    pub webhook: PublicId,
    pub caller: Caller,
    /// The X-Webhook-Signature header.
    pub signature: Option<&'a str>,
    /// The X-Webhook-Id headers, with any content; empty when the call has no id.
    pub name: Vec<&'a [u8]>,
    pub stamp: Stamp<'a>,
    pub body: &'a [u8],
}

/// Rate limits per minute.
pub(super) struct Limits {
    calls: Windows<PublicId>,
    bad_signatures: Windows<IpAddr>,
    pub(super) strangers_recorded: Windows<IpAddr>,
    pub(super) recorded: Windows<WebhookId>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            calls: Windows::new(MINUTE_MS),
            bad_signatures: Windows::new(MINUTE_MS),
            strangers_recorded: Windows::new(MINUTE_MS),
            recorded: Windows::new(MINUTE_MS),
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
    pub async fn call(self: &Arc<Self>, call: &Call<'_>) -> Result<Quota> {
        let mut counted = None;
        for _ in 0..TRIES_MAX {
            let hook = self.hook(call.webhook).await?;
            let Some(hook) = hook.filter(|hook| self.is_open(hook, call)) else {
                self.decoy.verifies_plain(call.signature, call.body);
                return Err(webhook_not_found());
            };
            self.check_signature(&hook, call)?;
            let quota = match counted {
                Some(quota) => quota,
                None => *counted.insert(self.count(&hook, call)?),
            };
            match self.act(hook, call).await {
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
    async fn act(self: &Arc<Self>, hook: Arc<Hook>, call: &Call<'_>) -> Result<CallOutcome> {
        let delivery = name_of(&hook, call);
        let effect = self.read(&hook, call)?;
        self.apply(hook, call.caller, delivery, effect).await
    }

    /// Logs a call whose body was too large.
    pub async fn too_large(self: &Arc<Self>, webhook: PublicId, caller: Caller) -> Result<()> {
        if let Some(hook) = self.hook(webhook).await? {
            self.refused(&hook, caller, Status::PayloadTooLarge, false, None);
        }
        Ok(())
    }

    fn is_open(&self, hook: &Hook, call: &Call<'_>) -> bool {
        if !hook.is_active {
            self.refused(hook, call.caller, Status::Inactive, false, None);
        }
        hook.is_active
    }

    /// An invalid signature counts against its address, never against the webhook.
    fn check_signature(&self, hook: &Hook, call: &Call<'_>) -> Result<()> {
        let key = hook.key.as_ref().ok_or_else(no_sealing_key)?;
        if self.is_signed(key, hook.scheme, call) {
            return Ok(());
        }
        let now = self.clock.monotonic();
        let counted =
            self.limits
                .lock()
                .bad_signatures
                .take(call.caller.network, BAD_SIGNATURES_MAX, now);
        let (status, error) = match counted {
            Ok(_) => (Status::InvalidSignature, invalid_signature()),
            Err(left) => (
                Status::RateLimited,
                Error::rate_limited(left.quota(BAD_SIGNATURES)),
            ),
        };
        self.refused(hook, call.caller, status, false, None);
        Err(error)
    }

    fn is_signed(&self, key: &Key, scheme: Scheme, call: &Call<'_>) -> bool {
        match scheme {
            Scheme::Plain => key.verifies_plain(call.signature, call.body),
            Scheme::Standard => key.verifies_standard(&call.stamp, call.body, self.clock.now()),
        }
    }

    fn count(&self, hook: &Hook, call: &Call<'_>) -> Result<Quota> {
        let now = self.clock.monotonic();
        let taken = self
            .limits
            .lock()
            .calls
            .take(call.webhook, hook.rate_limit, now);
        taken.map(|left| left.quota(CALLS)).map_err(|left| {
            self.refused(hook, call.caller, Status::RateLimited, true, None);
            Error::rate_limited(left.quota(CALLS))
        })
    }

    /// The effect that the payload asks for, or why it is impossible. An error when the body isn't
    /// JSON.
    fn read(&self, hook: &Hook, call: &Call<'_>) -> Result<Result<Effect, String>> {
        let lookup = hook.action.as_ref().map(|action| &action.lookup);
        let values = match lookup {
            Some(lookup) => lookup.read(call.body).map(Some),
            None => super::payload::pick(call.body, &[]).map(|_| None),
        };
        let values = values.map_err(|NotJson(why)| {
            let why = format!("The body {why}.");
            self.refused(hook, call.caller, Status::InvalidJson, true, Some(why));
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
        hook: Arc<Hook>,
        caller: Caller,
        delivery: Option<Digest>,
        effect: Result<Effect, String>,
    ) -> Result<CallOutcome> {
        let (market, called) = (self.clone(), hook.clone());
        let applied = self
            .store
            .write_repeatable(move |tx| market.apply_in(tx, &called, caller, &delivery, &effect))
            .await;
        if let Err(error) = &applied
            && error.code == "action_failed"
        {
            let why = Some(error.detail.clone());
            self.refused(&hook, caller, Status::ActionFailed, true, why);
        }
        applied
    }

    fn apply_in(
        &self,
        tx: &mut Tx<'_>,
        hook: &Hook,
        caller: Caller,
        delivery: &Option<Digest>,
        effect: &Result<Effect, String>,
    ) -> Result<CallOutcome> {
        let cursor = tx.webhook_event_cursor(hook.id)?;
        if cursor.is_none_or(|cursor| cursor.version != hook.version) {
            return Ok(CallOutcome::Changed);
        }
        let now = self.clock.now();
        let mut status = Status::Ok;
        if let Some(delivery) = delivery
            && tx.knows_delivery(delivery, now)?
        {
            status = Status::Duplicate;
        } else {
            let effect = effect.as_ref().map_err(action_failed)?;
            self.carry_out(tx, hook, effect, now)?;
            if let Some(delivery) = delivery {
                tx.insert_delivery(delivery, now)?;
            }
        }
        record_in(tx, hook, caller.address, status, now)?;
        Ok(CallOutcome::Done)
    }

    fn refused(
        &self,
        hook: &Hook,
        caller: Caller,
        status: Status,
        signature_valid: bool,
        error: Option<String>,
    ) {
        let event = Event {
            status,
            signature_valid,
            error,
        };
        self.record_refused(hook, caller, event);
    }
}

/// The key that identifies a repeated call: its signed id in the standard scheme, otherwise the
/// header.
fn name_of(hook: &Hook, call: &Call<'_>) -> Option<Digest> {
    let signed = [call.stamp.id.as_bytes()];
    let name: &[&[u8]] = match hook.scheme {
        Scheme::Standard => &signed,
        Scheme::Plain => &call.name,
    };
    if name.is_empty() {
        return None;
    }
    let webhook = call.webhook.to_string();
    Some(Digest::of(&[&[webhook.as_bytes()], name].concat()))
}

fn invalid_signature() -> Error {
    Error {
        code: "invalid_signature",
        detail: "The signature is missing or does not fit the body and the webhook's secret."
            .to_owned(),
        ..Error::unauthorized("a webhook's signature")
    }
}

fn invalid_json() -> Error {
    Error::new(
        Kind::BadRequest,
        "invalid_json",
        "The body is not valid JSON.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_count_networks() {
        for (address, network) in [
            ("192.0.2.7", "192.0.2.7"),
            ("::ffff:192.0.2.7", "192.0.2.7"),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
            ("2001:db8:1:2:ffff::", "2001:db8:1:2::"),
        ] {
            let caller = Caller::at(address.parse().unwrap());
            assert_eq!(caller.network.to_string(), network, "{address}");
        }
    }
}
