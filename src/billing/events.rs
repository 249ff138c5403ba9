//! `POST /payment/events` from its bytes to its effect. Where only the provider can tell what
//! holds, it is asked between two looks, never inside a transaction.

use std::time::Duration;

use serde_json::{Map, Value};
use tokio::time::Instant;

use super::Billing;
use super::apply::{self, Applied, Asked};
use super::event::Event;
use super::stripe::objects::{self, Prices};
use super::stripe::{Call, Failure};
use crate::auth::payment_signature;
use crate::error::{Error, Kind, Result};
use crate::model::payment::Said;

/// How long the provider may take to settle a question while it waits for our answer.
const ASK_MAX: Duration = Duration::from_secs(5);

impl Billing {
    /// Whether `body` is the provider's. 400 when it is not, 503 when nobody can tell.
    pub fn verify_event(&self, signature: Option<&str>, body: &[u8]) -> Result<()> {
        let secret = self.webhook_secret()?.expose();
        payment_signature::verify(signature, body, secret, self.clock.now()).map_err(|why| {
            let detail =
                "The signature of the event is missing, wrong, too old or from the future.";
            Error::new(Kind::BadRequest, "invalid_signature", detail).because(why)
        })
    }

    /// Takes an event that was verified; its effect is committed when this returns.
    pub async fn receive(&self, body: &Map<String, Value>) -> Result<()> {
        let event = Event::read(body, &self.prices())?;
        self.take(event).await
    }

    pub(super) async fn take(&self, event: Event) -> Result<()> {
        let mut asked = Asked::NotYet;
        loop {
            let (at_hand, answer, now) = (event.clone(), asked.clone(), self.clock.now());
            let write = self
                .store
                .write(move |tx| apply::event(tx, &at_hand, &answer, now));
            match write.await? {
                Applied::Done { user, what } => {
                    if let Some(user) = user {
                        self.methods.forget(user);
                    }
                    log::info!("payment event {} ({}): {what}", event.id, event.kind);
                    return Ok(());
                }
                // Once at most: with an answer, or the lack of one, nothing is asked again.
                Applied::Ask { subscription_id } => {
                    asked = match self.ask(&subscription_id).await {
                        Ok(said) => Asked::Answered(said),
                        Err(failure) => {
                            log::warn!("payment event {}: {failure}", event.id);
                            Asked::Unanswered
                        }
                    };
                }
            }
        }
    }

    /// What the provider says of a subscription now; its time is the event's to set.
    async fn ask(&self, subscription_id: &str) -> Result<Said, Failure> {
        let unreachable = |error: Error| Failure::Unreachable(error.to_string());
        let (stripe, keys) = (
            self.stripe().map_err(unreachable)?,
            self.keys().map_err(unreachable)?,
        );
        let call = Call::get(format!("/v1/subscriptions/{subscription_id}"));
        let until = Instant::now() + ASK_MAX;
        let answer = stripe.call(keys.secret, &call, until).await?;
        let said = objects::subscription(&answer, &self.prices(), 0);
        said.filter(|said| said.subscription_id == subscription_id)
            .ok_or(Failure::Garbage("no subscription of that id"))
    }

    pub(super) fn prices(&self) -> Prices<'_> {
        Prices {
            monthly: self.config.price_monthly.as_deref(),
            annual: self.config.price_annual.as_deref(),
        }
    }
}
