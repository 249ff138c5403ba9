//! A user's customer at the provider. It is created once, even with concurrent requests.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::OwnedMutexGuard;
use tokio::time::{Instant, timeout_at};

use super::stripe::objects::id;
use super::stripe::{Call, Failure, Form, Stripe};
use super::{Billing, unavailable};
use crate::config::Secret;
use crate::error::{Error, Result};
use crate::store::{Payer, UserId};

const OPERATION: &str = "customer";

/// One lock per user whose customer is being created.
#[derive(Default)]
pub(super) struct CustomerLocks(Mutex<HashMap<UserId, Arc<tokio::sync::Mutex<()>>>>);

impl CustomerLocks {
    /// Waits for whoever is at it. There are no more entries than requests under way.
    async fn enter(&self, user: UserId, until: Instant) -> Result<OwnedMutexGuard<()>> {
        let turn = {
            let mut turns = self.0.lock();
            turns.retain(|_, turn| Arc::strong_count(turn) > 1);
            turns.entry(user).or_default().clone()
        };
        timeout_at(until, turn.lock_owned())
            .await
            .map_err(|_| unavailable("the user's customer is still being made"))
    }
}

impl Billing {
    /// The provider's name for the user, made when they have none yet.
    pub(super) async fn customer(
        &self,
        stripe: &Stripe,
        secret: &Secret,
        user: UserId,
        until: Instant,
    ) -> Result<String> {
        let _turn = self.in_the_making.enter(user, until).await?;
        let payer = self.store.read(move |view| view.payer(user)).await?;
        if let Some(customer_id) = payer.customer_id {
            return Ok(customer_id);
        }
        let call = |key| Call::post("/v1/customers", &described(&payer), key);
        let made = self
            .keyed(stripe, secret, user, OPERATION.to_owned(), call, until)
            .await?;
        let customer_id = id(made.get("id")).ok_or(Failure::Garbage("a customer without id"))?;
        let kept = customer_id.clone();
        self.store
            .write(move |tx| {
                tx.tie_customer(user, &kept)?;
                tx.remove_provider_key(user, OPERATION)?;
                tx.view().payer(user)
            })
            .await?
            .customer_id
            .ok_or_else(|| unavailable("the customer belongs to somebody else"))
    }

    /// A call that makes something: its key is kept before it is sent, and until its outcome
    /// is known; of a good one, until the caller has kept it and removes the key.
    pub(super) async fn keyed(
        &self,
        stripe: &Stripe,
        secret: &Secret,
        user: UserId,
        operation: String,
        call: impl FnOnce(String) -> Call,
        until: Instant,
    ) -> Result<Value, KeyedCallError> {
        let (named, now) = (operation.clone(), self.clock.now());
        let key = self
            .store
            .write(move |tx| tx.provider_key(user, &named, now))
            .await?;
        let outcome = stripe.call(secret, &call(key), until).await;
        if outcome.as_ref().is_err_and(|failure| !failure.is_open()) {
            self.store
                .write(move |tx| tx.remove_provider_key(user, &operation))
                .await?;
        }
        outcome.map_err(KeyedCallError::Provider)
    }
}

/// Why a call with an idempotency key failed.
pub(super) enum KeyedCallError {
    Provider(Failure),
    Ours(Error),
}

impl From<Error> for KeyedCallError {
    fn from(error: Error) -> Self {
        Self::Ours(error)
    }
}

impl From<KeyedCallError> for Error {
    fn from(failed: KeyedCallError) -> Self {
        match failed {
            KeyedCallError::Provider(failure) => failure.into(),
            KeyedCallError::Ours(error) => error,
        }
    }
}

fn described(payer: &Payer) -> Form {
    Form::default()
        .with_some("email", payer.email.as_deref())
        .with_some("name", payer.user.name.as_deref())
        .with_some("phone", payer.phone.as_deref())
        .with("metadata[user_id]", &payer.user.public_id)
}
