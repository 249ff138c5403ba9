//! `[billing]`: the payment provider.

use std::ops::RangeInclusive;

use super::reader::{Choice, Section};
use super::report::Report;
use super::secret::Secret;
use super::{text, url};

pub(super) const ABOUT: &str = "The payment provider.";

/// The provider itself takes at most two years.
const TRIAL_DAYS: RangeInclusive<u64> = 1..=730;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BillingProvider {
    None,
    Stripe,
}

#[derive(Debug, Clone)]
pub struct Billing {
    pub provider: BillingProvider,
    /// Without a trailing slash; unset: the provider's own.
    pub api_base: Option<String>,
    /// With `BillingProvider::Stripe`, both keys and both prices are there.
    pub secret_key: Option<Secret>,
    pub publishable_key: Option<String>,
    /// With `BillingProvider::Stripe` in production, it is there.
    pub webhook_secret: Option<Secret>,
    pub price_monthly: Option<String>,
    pub price_annual: Option<String>,
    /// In lower case.
    pub currency: String,
    pub trial_days: u64,
    pub success_url: Option<String>,
    pub cancel_url: Option<String>,
    /// In lower case, without ports.
    pub allowed_return_hosts: Vec<String>,
    pub test_secret_key: Option<Secret>,
    pub test_publishable_key: Option<String>,
    pub test_webhook_secret: Option<Secret>,
}

impl Choice for BillingProvider {
    const VALUES: &'static [(&'static str, Self)] =
        &[("none", Self::None), ("stripe", Self::Stripe)];
}

pub(super) fn read(s: &mut Section<'_>) -> Billing {
    Billing {
        provider: s.choice(
            "provider",
            BillingProvider::None,
            "With \"none\" nobody can pay, and `chatkeep user grant` gives subscriptions.",
        ),
        api_base: s.parsed_if_set(
            "api_base",
            "https://api.stripe.com",
            "Another address of the provider, for tests; unset: its own.",
            url::base,
        ),
        secret_key: s.secret("secret_key", "The provider's secret key."),
        publishable_key: s.parsed_if_set(
            "publishable_key",
            "pk_live_…",
            "The provider's publishable key, which pages get to see.",
            text::line,
        ),
        webhook_secret: s.secret("webhook_secret", "Verifies events at POST /payment/events."),
        price_monthly: s.parsed_if_set(
            "price_monthly",
            "price_…",
            "Id of the monthly price.",
            text::line,
        ),
        price_annual: s.parsed_if_set(
            "price_annual",
            "price_…",
            "Id of the annual price.",
            text::line,
        ),
        currency: s.parsed(
            "currency",
            "usd".to_owned(),
            "Currency of top-ups and paid trials.",
            text::currency,
        ),
        trial_days: s.number(
            "trial_days",
            7,
            TRIAL_DAYS,
            "Days of a trial, while trials are on.",
        ),
        success_url: s.parsed_if_set(
            "success_url",
            "https://app.example.com/welcome",
            "Where a checkout leads that went well, when the request names no place.",
            url::web,
        ),
        cancel_url: s.parsed_if_set(
            "cancel_url",
            "https://app.example.com/plans",
            "Where a checkout leads that was given up.",
            url::web,
        ),
        allowed_return_hosts: s.list(
            "allowed_return_hosts",
            &[],
            "Hosts a checkout may lead back to, besides the one of server.public_url.",
            url::host,
        ),
        test_secret_key: s.secret(
            "test_secret_key",
            "The secret key while the flag payment.processor_test_mode is on.",
        ),
        test_publishable_key: s.parsed_if_set(
            "test_publishable_key",
            "pk_test_…",
            "The publishable key in test mode.",
            text::line,
        ),
        test_webhook_secret: s.secret("test_webhook_secret", "Verifies events in test mode."),
    }
}

pub(super) fn check(billing: &Billing, report: &mut Report) {
    if billing.provider != BillingProvider::Stripe {
        return;
    }
    for (key, is_set) in [
        ("billing.secret_key", billing.secret_key.is_some()),
        ("billing.publishable_key", billing.publishable_key.is_some()),
        ("billing.price_monthly", billing.price_monthly.is_some()),
        ("billing.price_annual", billing.price_annual.is_some()),
    ] {
        if !is_set {
            report.problem(key, "is needed with billing.provider = \"stripe\"");
        }
    }
}
