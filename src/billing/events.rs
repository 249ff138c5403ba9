//! `POST /payment/events`: verifies, parses and applies an event. When only the provider knows the
//! current state, it is asked between two transactions.

use std::time::Duration;

use serde_json::{Map, Value};
use tokio::time::Instant;

use super::Billing;
use super::apply::{self, EventOutcome, ProviderLookup};
use super::event::{EventPayload, PaymentEvent};
use super::stripe::objects::{self, Prices};
use super::stripe::{StripeCall, StripeFailure};
use crate::auth::payment_signature;
use crate::error::{Error, ErrorKind, Result};
use crate::model::payment::ProviderStatement;

/// Time for asking the provider while it waits for our answer.
const ASK_MAX: Duration = Duration::from_secs(5);

impl Billing {
    /// Verifies that the provider signed `body`: 400 if not, 503 without a configured secret.
    pub fn verify_event(&self, signature: Option<&str>, body: &[u8]) -> Result<()> {
        let secret = self.webhook_secret()?;
        payment_signature::verify(signature, body, secret.expose(), self.clock.now()).map_err(
            |cause| {
                let detail =
                    "The signature of the event is missing, invalid, too old or from the future.";
                Error::new(ErrorKind::BadRequest, "invalid_signature", detail).because(cause)
            },
        )
    }

    /// Applies a verified event; the effect is committed when this returns.
    pub async fn receive(&self, body: &Map<String, Value>) -> Result<()> {
        let event = PaymentEvent::read(body, &self.prices())?;
        self.apply_event(event).await
    }

    pub(super) async fn apply_event(&self, mut event: PaymentEvent) -> Result<()> {
        if let Some(expected) = self.livemode()
            && event.livemode != Some(expected)
        {
            event.payload =
                EventPayload::NotSoldHere("its livemode differs from that of the key in use");
        }
        let mut lookup = ProviderLookup::NotAsked;
        loop {
            let (event_to_apply, answer, now) = (event.clone(), lookup.clone(), self.clock.now());
            let write = self
                .store
                .write(move |tx| apply::event(tx, &event_to_apply, &answer, now));
            match write.await? {
                EventOutcome::Done { user, note } => {
                    if let Some(user) = user {
                        self.methods.forget(user);
                    }
                    log::info!("payment event {} ({}): {note}", event.id, event.kind);
                    return Ok(());
                }
                // At most once, because the second attempt has the result of the look-up.
                EventOutcome::NeedsLookup { subscription_id } => {
                    lookup = match self.look_up_subscription(&subscription_id).await {
                        Ok(statement) => ProviderLookup::Answered(statement),
                        Err(failure) => {
                            log::warn!("payment event {}: {failure}", event.id);
                            ProviderLookup::Unanswered
                        }
                    };
                }
            }
        }
    }

    /// The provider's current statement about a subscription, with time 0; the caller sets the
    /// time.
    async fn look_up_subscription(
        &self,
        subscription_id: &str,
    ) -> Result<ProviderStatement, StripeFailure> {
        let unreachable = |error: Error| StripeFailure::Unreachable(error.to_string());
        let (stripe, keys) = (
            self.stripe().map_err(unreachable)?,
            self.keys().map_err(unreachable)?,
        );
        let call = StripeCall::get(format!("/v1/subscriptions/{subscription_id}"));
        let until = Instant::now() + ASK_MAX;
        let answer = stripe.call(&keys.secret, &call, until).await?;
        let statement = objects::subscription(&answer, &self.prices(), 0);
        statement
            .filter(|statement| statement.subscription_id == subscription_id)
            .ok_or(StripeFailure::InvalidAnswer("no subscription with that id"))
    }

    pub(super) fn prices(&self) -> Prices<'_> {
        let config = &self.config;
        let live_and_test = |live, test| [live, test].map(|id: &'_ Option<String>| id.as_deref());
        Prices {
            monthly: live_and_test(&config.price_monthly, &config.test_price_monthly),
            annual: live_and_test(&config.price_annual, &config.test_price_annual),
            currency: &config.currency,
        }
    }

    /// The `livemode` of events that belong to the key in use; `None` if the key doesn't tell.
    fn livemode(&self) -> Option<bool> {
        livemode_of(self.keys().ok()?.secret.expose())
    }
}

/// The provider's own keys name their mode.
fn livemode_of(key: &str) -> Option<bool> {
    let mode = key
        .strip_prefix("sk_")
        .or_else(|| key.strip_prefix("rk_"))?;
    match mode.split_once('_')?.0 {
        "live" => Some(true),
        "test" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::livemode_of;

    #[test]
    fn keys_name_their_mode() {
        for (key, expected) in [
            ("sk_live_1", Some(true)),
            ("rk_live_1", Some(true)),
            ("sk_test_1", Some(false)),
            ("rk_test_1", Some(false)),
            ("sk_1", None),
            ("sk_liveliness_1", None),
            ("pk_live_1", None),
            ("counterpart", None),
        ] {
            assert_eq!(livemode_of(key), expected, "{key}");
        }
    }
}
