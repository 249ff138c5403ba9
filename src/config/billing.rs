//! `[billing]`: the payment provider.

use std::ops::RangeInclusive;

use super::report::Report;
use super::secret::Secret;
use super::section::{Choice, Section};
use super::{text, url};

pub(super) const ABOUT: &str = "The payment provider.";

/// The provider itself takes at most two years.
const TRIAL_DAYS: RangeInclusive<u64> = 1..=730;

const PROVIDER: &str =
    "With \"none\" nobody can pay, and `chatkeep user grant` gives subscriptions.";

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
    /// Unset: those of `price_monthly` and `price_annual`.
    pub test_price_monthly: Option<String>,
    pub test_price_annual: Option<String>,
}

impl Billing {
    /// No other server stands in for the provider.
    pub(super) fn is_at_stripe(&self) -> bool {
        let base = self.api_base.as_deref();
        base.is_none_or(|base| base.starts_with("https://api.stripe.com"))
    }
}

impl Choice for BillingProvider {
    const VALUES: &'static [(&'static str, Self)] =
        &[("none", Self::None), ("stripe", Self::Stripe)];
}

pub(super) fn read(s: &mut Section<'_>) -> Billing {
    Billing {
        provider: s.choice("provider", BillingProvider::None, PROVIDER),
        api_base: s.parsed_if_set(
            "api_base",
            "https://api.stripe.com",
            "Another address for the provider, as for tests.",
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
        price_monthly: price(s, "price_monthly", "Id of the monthly price."),
        price_annual: price(s, "price_annual", "Id of the annual price."),
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
        test_price_monthly: price(
            s,
            "test_price_monthly",
            "Id of the monthly price in test mode, where it has another one.",
        ),
        test_price_annual: price(s, "test_price_annual", "The same of the annual price."),
    }
}

pub(super) fn check(billing: &Billing, report: &mut Report) {
    let test_keys = [
        billing.test_secret_key.is_some(),
        billing.test_publishable_key.is_some(),
        billing.test_webhook_secret.is_some(),
    ];
    if test_keys.contains(&true) && test_keys.contains(&false) {
        report.warning(
            "billing.test_secret_key, test_publishable_key and test_webhook_secret belong together; \
             the payment provider's test mode won't work with only some of them.",
        );
    }
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

fn price(s: &mut Section<'_>, name: &str, note: &str) -> Option<String> {
    s.parsed_if_set(name, "price_…", note, text::line)
}
