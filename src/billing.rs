//! Payments: subscriptions, top-ups, and the payment provider's events. The provider is never
//! called inside a transaction: tasks for it wait in the store (`tasks`), and its answers are
//! fetched first and applied afterwards. This module must not know routes or SQL.

mod apply;
pub mod checkout;
mod customers;
mod event;
pub mod events;
pub mod history;
mod methods;
pub mod reconcile;
mod return_url;
pub mod status;
mod stripe;
pub mod tasks;

use std::sync::Arc;

use crate::clock::Clock;
use crate::config::{self, BillingProvider, Config, Secret};
use crate::error::{Error, ErrorKind, Result};
use crate::flags::Flags;
use crate::metrics::CallMetrics;
use crate::setting::Setting;
use crate::store::SharedStore;
use customers::CustomerLocks;
use methods::Methods;
use stripe::{Stripe, StripeFailure};

/// Retry-After when no better value is known.
const RETRY_AFTER_S: u64 = 30;

/// The payment functions of the service.
pub struct Billing {
    store: SharedStore,
    flags: Arc<Flags>,
    clock: Clock,
    config: config::Billing,
    /// Current secrets; they replace those in `config`.
    secrets: Setting<Secrets>,
    /// Default return URL of a checkout, without a trailing slash.
    public_url: String,
    /// `None` when no provider is configured.
    stripe: Option<Arc<Stripe>>,
    customer_locks: CustomerLocks,
    methods: Methods,
}

/// The keys for calling the provider and for verifying its events.
struct Secrets {
    key: Option<Secret>,
    webhook: Option<Secret>,
    test_key: Option<Secret>,
    test_webhook: Option<Secret>,
}

impl Secrets {
    fn of(config: &config::Billing) -> Self {
        Self {
            key: config.secret_key.clone(),
            webhook: config.webhook_secret.clone(),
            test_key: config.test_secret_key.clone(),
            test_webhook: config.test_webhook_secret.clone(),
        }
    }
}

/// The keys of the current mode (live or test).
struct Keys<'a> {
    secret: Secret,
    publishable: &'a str,
}

impl Billing {
    pub fn new(config: &Config, store: SharedStore, flags: Arc<Flags>, clock: Clock) -> Self {
        let billing = config.billing.clone();
        Self {
            store,
            flags,
            clock,
            public_url: config.server.public_url.clone(),
            stripe: match billing.provider {
                BillingProvider::None => None,
                BillingProvider::Stripe => Some(Arc::new(Stripe::new(billing.api_base.as_deref()))),
            },
            customer_locks: CustomerLocks::default(),
            methods: Methods::default(),
            secrets: Setting::new(Secrets::of(&billing)),
            config: billing,
        }
    }

    pub fn has_provider(&self) -> bool {
        self.stripe.is_some()
    }

    /// Metrics of calls to the provider, if one is configured.
    pub fn provider_calls(&self) -> Option<&CallMetrics> {
        self.stripe.as_ref().map(|stripe| &stripe.metrics)
    }

    /// Replaces the keys for calls to the provider and for verifying its events.
    pub fn set_secrets(&self, config: &config::Billing) {
        self.secrets.set(Secrets::of(config));
    }

    fn stripe(&self) -> Result<&Arc<Stripe>> {
        let none = || unavailable("no payment provider is configured");
        self.stripe.as_ref().ok_or_else(none)
    }

    /// The keys of the current mode: test keys while the flag `payment.processor_test_mode` is on.
    fn keys(&self) -> Result<Keys<'_>> {
        let (config, secrets) = (&self.config, self.secrets.get());
        let (secret, publishable) = if self.in_test_mode() {
            (&secrets.test_key, &config.test_publishable_key)
        } else {
            (&secrets.key, &config.publishable_key)
        };
        match (secret.clone(), publishable) {
            (Some(secret), Some(publishable)) => Ok(Keys {
                secret,
                publishable,
            }),
            _ => Err(unavailable(
                "the keys of the current mode (live or test) are not configured",
            )),
        }
    }

    fn in_test_mode(&self) -> bool {
        self.flags.for_all().payment_test_mode()
    }

    fn webhook_secret(&self) -> Result<Secret> {
        self.stripe()?;
        let secrets = self.secrets.get();
        let secret = if self.in_test_mode() {
            &secrets.test_webhook
        } else {
            &secrets.webhook
        };
        let missing = || {
            unavailable("the webhook secret of the current mode (live or test) is not configured")
        };
        secret.clone().ok_or_else(missing)
    }
}

/// 503; the cause is for the log.
fn unavailable(cause: impl std::fmt::Display) -> Error {
    Error::new(
        ErrorKind::Unavailable,
        "payment_unavailable",
        "Payments can't be taken at the moment; try again later.",
    )
    .retry_after(RETRY_AFTER_S)
    .because(cause)
}

impl From<StripeFailure> for Error {
    /// Logs the failure, because the operator must learn why nobody can pay, for example an invalid
    /// key or price. The log of requests doesn't contain causes.
    fn from(failure: StripeFailure) -> Self {
        log::warn!("payment provider: {failure}");
        unavailable(failure)
    }
}
