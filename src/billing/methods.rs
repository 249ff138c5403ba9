//! Whether the provider can charge a user. The provider is asked with a short time limit and
//! answers are cached; when it doesn't answer, the last known answer is used.

use std::collections::HashMap;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use super::Billing;
use super::stripe::objects::list;
use super::stripe::{Form, StripeCall, StripeFailure, query};
use crate::clock::Monotonic;
use crate::error::{Error, Result};
use crate::store::{Payer, UserId};

/// Longest wait of a status request for the provider.
const ASK_MAX: Duration = Duration::from_secs(2);
/// How long an answer is cached.
const FRESH_MS: u64 = 30_000;
/// How long the provider isn't asked after it gave no answer.
const OUTAGE_MS: u64 = 15_000;
/// The cache is emptied when it has this many users.
const USERS_MAX: usize = 10_000;

#[derive(Default)]
pub(super) struct Methods(Mutex<PaymentMethodLookups>);

#[derive(Default)]
struct PaymentMethodLookups {
    /// When the provider last answered for a user, also with a refusal.
    answered_at: HashMap<UserId, Monotonic>,
    /// When it last gave no answer.
    failed_at: Option<Monotonic>,
}

impl Methods {
    /// Removes a user's cached answer, because it may have changed.
    pub(super) fn forget(&self, user: UserId) {
        self.0.lock().answered_at.remove(&user);
    }

    fn is_due(&self, user: UserId, now: Monotonic) -> bool {
        let lookups = self.0.lock();
        let fresh = lookups.answered_at.get(&user);
        let record_failure = lookups.failed_at;
        fresh.is_none_or(|at| now.since(*at) >= FRESH_MS)
            && record_failure.is_none_or(|at| now.since(at) >= OUTAGE_MS)
    }

    fn record_answer(&self, user: UserId, now: Monotonic) {
        let mut lookups = self.0.lock();
        if lookups.answered_at.len() >= USERS_MAX {
            lookups.answered_at.clear();
        }
        lookups.answered_at.insert(user, now);
        lookups.failed_at = None;
    }

    fn record_failure(&self, now: Monotonic) {
        self.0.lock().failed_at = Some(now);
    }
}

impl Billing {
    /// The provider's answer, else its last known answer.
    pub(super) async fn has_payment_method(&self, payer: &Payer) -> Result<bool> {
        let (user, now) = (payer.user.id, self.clock.monotonic());
        let Some(customer_id) = &payer.customer_id else {
            return Ok(false);
        };
        if !self.has_provider() || !self.methods.is_due(user, now) {
            return Ok(payer.has_payment_method);
        }
        match self.fetch_has_method(customer_id).await {
            Ok(has) => {
                self.methods.record_answer(user, now);
                if has != payer.has_payment_method {
                    self.store
                        .write(move |tx| tx.set_has_payment_method(user, has))
                        .await?;
                }
                Ok(has)
            }
            Err(failure) => {
                log::warn!("can't ask whether a user has a payment method: {failure}");
                match failure {
                    // The provider answers: it can be asked about other users.
                    StripeFailure::Refused { .. } | StripeFailure::InvalidAnswer(_) => {
                        self.methods.record_answer(user, now);
                    }
                    StripeFailure::Failed(_) | StripeFailure::Unreachable(_) => {
                        self.methods.record_failure(now);
                    }
                }
                Ok(payer.has_payment_method)
            }
        }
    }

    async fn fetch_has_method(&self, customer_id: &str) -> Result<bool, StripeFailure> {
        let unreachable = |error: Error| StripeFailure::Unreachable(error.to_string());
        let (stripe, keys) = (
            self.stripe().map_err(unreachable)?,
            self.keys().map_err(unreachable)?,
        );
        let path = format!("/v1/customers/{customer_id}/payment_methods");
        let call = StripeCall::get(query(&path, &Form::default().with("limit", 1)));
        let until = Instant::now() + ASK_MAX;
        match stripe.call(&keys.secret, &call, until).await {
            Err(failure) if failure.is_missing() => Ok(false),
            answer => match list(&answer?) {
                Some((methods, _)) => Ok(!methods.is_empty()),
                None => Err(StripeFailure::InvalidAnswer("no list of payment methods")),
            },
        }
    }
}
