//! A user's customer at the provider. It is created once, even with concurrent requests.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::OwnedMutexGuard;
use tokio::time::{Instant, timeout_at};

use super::stripe::objects::id;
use super::stripe::{Form, Stripe, StripeCall, StripeFailure};
use super::{Billing, unavailable};
use crate::config::Secret;
use crate::error::{Error, Result};
use crate::store::{Payer, UserId};

const OPERATION: &str = "customer";

/// One lock per user whose customer is being created.
#[derive(Default)]
pub(super) struct CustomerLocks(Mutex<HashMap<UserId, Arc<tokio::sync::Mutex<()>>>>);

impl CustomerLocks {
    /// Waits until no other request creates this user's customer. The map has at most as many
    /// entries as there are requests.
    async fn enter(&self, user: UserId, until: Instant) -> Result<OwnedMutexGuard<()>> {
        let lock = {
            let mut locks = self.0.lock();
            locks.retain(|_, lock| Arc::strong_count(lock) > 1);
            locks.entry(user).or_default().clone()
        };
        timeout_at(until, lock.lock_owned())
            .await
            .map_err(|_| unavailable("the user's customer is still being created"))
    }
}

impl Billing {
    /// The user's customer id at the provider; creates the customer if there is none.
    pub(super) async fn customer(
        &self,
        stripe: &Stripe,
        secret: &Secret,
        user: UserId,
        until: Instant,
    ) -> Result<String> {
        let _lock = self.customer_locks.enter(user, until).await?;
        let payer = self.store.read(move |view| view.payer(user)).await?;
        if let Some(customer_id) = payer.customer_id {
            return Ok(customer_id);
        }
        let call = |key| StripeCall::post("/v1/customers", &customer_form(&payer), key);
        let answer = self
            .call_with_key(stripe, secret, user, OPERATION.to_owned(), call, until)
            .await?;
        let customer_id =
            id(answer.get("id")).ok_or(StripeFailure::InvalidAnswer("a customer without id"))?;
        let id_to_store = customer_id.clone();
        self.store
            .write(move |tx| {
                tx.tie_customer(user, &id_to_store)?;
                tx.remove_provider_key(user, OPERATION)?;
                tx.payer(user)
            })
            .await?
            .customer_id
            .ok_or_else(|| unavailable("the customer belongs to somebody else"))
    }

    /// Makes a call that creates something, with an idempotency key. The key is stored before the
    /// call. It is removed when the call fails finally; after a success the caller stores the
    /// result and then removes the key.
    pub(super) async fn call_with_key(
        &self,
        stripe: &Stripe,
        secret: &Secret,
        user: UserId,
        operation: String,
        call: impl FnOnce(String) -> StripeCall,
        until: Instant,
    ) -> Result<Value, KeyedCallError> {
        let (key_name, now) = (operation.clone(), self.clock.now());
        let key = self
            .store
            .write(move |tx| tx.provider_key(user, &key_name, now))
            .await?;
        let outcome = stripe.call(secret, &call(key), until).await;
        if outcome
            .as_ref()
            .is_err_and(|failure| !failure.is_outcome_unknown())
        {
            self.store
                .write(move |tx| tx.remove_provider_key(user, &operation))
                .await?;
        }
        outcome.map_err(KeyedCallError::Provider)
    }
}

/// Why a call with an idempotency key failed.
pub(super) enum KeyedCallError {
    Provider(StripeFailure),
    Internal(Error),
}

impl From<Error> for KeyedCallError {
    fn from(error: Error) -> Self {
        Self::Internal(error)
    }
}

impl From<KeyedCallError> for Error {
    fn from(error: KeyedCallError) -> Self {
        match error {
            KeyedCallError::Provider(failure) => failure.into(),
            KeyedCallError::Internal(error) => error,
        }
    }
}

fn customer_form(payer: &Payer) -> Form {
    Form::default()
        .with_some("email", payer.email.as_deref())
        .with_some("name", payer.user.name.as_deref())
        .with_some("phone", payer.phone.as_deref())
        .with("metadata[user_id]", &payer.user.public_id)
}
