//! Whether the provider can charge a user. The provider is asked with a short time limit and
//! answers are cached; when it doesn't answer, the last known answer is used.

use std::collections::HashMap;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use super::Billing;
use super::stripe::objects::list;
use super::stripe::{Call, Failure, Form, query};
use crate::clock::Monotonic;
use crate::error::{Error, Result};
use crate::store::{Payer, UserId};

/// Longest wait of a status request for the provider.
const ASK_MAX: Duration = Duration::from_secs(2);
/// How long an answer is cached.
const FRESH_MS: u64 = 30_000;
/// How long the provider isn't asked after a failure.
const OUTAGE_MS: u64 = 15_000;
/// The cache is emptied when it has this many users.
const USERS_MAX: usize = 10_000;

#[derive(Default)]
pub(super) struct Methods(Mutex<PaymentMethodLookups>);

#[derive(Default)]
struct PaymentMethodLookups {
    asked_at: HashMap<UserId, Monotonic>,
    silent_since: Option<Monotonic>,
}

impl Methods {
    /// What was heard of a user may have changed.
    pub(super) fn forget(&self, user: UserId) {
        self.0.lock().asked_at.remove(&user);
    }

    fn is_due(&self, user: UserId, now: Monotonic) -> bool {
        let heard = self.0.lock();
        let fresh = heard.asked_at.get(&user);
        let silent = heard.silent_since;
        fresh.is_none_or(|at| now.since(*at) >= FRESH_MS)
            && silent.is_none_or(|at| now.since(at) >= OUTAGE_MS)
    }

    fn answered(&self, user: UserId, now: Monotonic) {
        let mut heard = self.0.lock();
        if heard.asked_at.len() >= USERS_MAX {
            heard.asked_at.clear();
        }
        heard.asked_at.insert(user, now);
        heard.silent_since = None;
    }

    fn failed(&self, now: Monotonic) {
        self.0.lock().silent_since = Some(now);
    }
}

impl Billing {
    /// As the provider says, else as it last said.
    pub(super) async fn has_payment_method(&self, payer: &Payer) -> Result<bool> {
        let (user, now) = (payer.user.id, self.clock.monotonic());
        let Some(customer_id) = &payer.customer_id else {
            return Ok(false);
        };
        if !self.has_provider() || !self.methods.is_due(user, now) {
            return Ok(payer.has_payment_method);
        }
        match self.ask_for_method(customer_id).await {
            Ok(has) => {
                self.methods.answered(user, now);
                if has != payer.has_payment_method {
                    self.store
                        .write(move |tx| tx.set_has_payment_method(user, has))
                        .await?;
                }
                Ok(has)
            }
            Err(failure) => {
                log::warn!("whether a user can be charged: {failure}");
                self.methods.failed(now);
                Ok(payer.has_payment_method)
            }
        }
    }

    async fn ask_for_method(&self, customer_id: &str) -> Result<bool, Failure> {
        let ours = |error: Error| Failure::Unreachable(error.to_string());
        let (stripe, keys) = (self.stripe().map_err(ours)?, self.keys().map_err(ours)?);
        let path = format!("/v1/customers/{customer_id}/payment_methods");
        let call = Call::get(query(&path, &Form::default().with("limit", 1)));
        let until = Instant::now() + ASK_MAX;
        match stripe.call(&keys.secret, &call, until).await {
            Err(gone) if gone.is_missing() => Ok(false),
            answer => match list(&answer?) {
                Some((methods, _)) => Ok(!methods.is_empty()),
                None => Err(Failure::Garbage("no list of payment methods")),
            },
        }
    }
}
