//! Checkout sessions: the provider's pages for paying a subscription or credit. Events report their
//! outcome.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use tokio::time::Instant;

use super::customers::KeyedCallError;
use super::stripe::objects::id;
use super::stripe::{Form, Stripe, StripeCall, StripeFailure};
use super::{Billing, Keys, return_url, unavailable};
use crate::access;
use crate::config::host_of;
use crate::error::{Error, ErrorKind, FieldError, Result};
use crate::flags::FlagReader;
use crate::store::{Digest, Payer, UserId};

/// Time limit of a whole checkout request: clients wait 10 s.
const CHECKOUT_MAX: Duration = Duration::from_secs(9);
const URL_BYTES_MAX: usize = 8_192;

/// Where the provider sends the person afterwards.
#[derive(Debug, Default)]
pub struct ReturnUrls {
    pub success_url: Option<String>,
    pub cancel_url: Option<String>,
}

/// The payment page.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CheckoutSession")]
pub struct CheckoutPage {
    #[schemars(example = &"cs_test_0001")]
    pub session_id: String,
    #[schemars(example = &"https://example.com/checkout")]
    pub url: String,
    #[schemars(example = &"pk_test_0001")]
    pub publishable_key: String,
}

impl Billing {
    /// A page on which the user subscribes to a plan (`monthly` or `annual`).
    pub async fn subscribe(
        &self,
        user: UserId,
        plan: &str,
        return_urls: &ReturnUrls,
    ) -> Result<CheckoutPage> {
        let until = Instant::now() + CHECKOUT_MAX;
        let (success, cancel) = self.return_urls(return_urls)?;
        let payer = self.store.read(move |view| view.payer(user)).await?;
        if access::subscription_status(&payer.user, self.clock.now()).is_subscribed() {
            return Err(Error::new(
                ErrorKind::BadRequest,
                "already_subscribed",
                "There is an active subscription already.",
            ));
        }
        let flags = self.flags.for_user(&payer.user.public_id);
        let missing = || unavailable("the plan's price is not configured");
        let price = self.price(plan).ok_or_else(missing)?;
        let mut form = checkout_form("subscription", &payer)
            .with("line_items[0][price]", price)
            .with("line_items[0][quantity]", 1)
            .with("success_url", success)
            .with("cancel_url", cancel)
            .with(
                "subscription_data[metadata][user_id]", &payer.user.public_id,
            );
        if flags.trial_enabled() && payer.trial_started_at.is_none() {
            form = self.with_trial(form, &flags);
        }
        self.session(user, &flags, form, until).await
    }

    /// A page on which the user buys credit.
    pub async fn top_up(
        &self,
        user: UserId,
        amount_cents: i64,
        return_urls: &ReturnUrls,
    ) -> Result<CheckoutPage> {
        let until = Instant::now() + CHECKOUT_MAX;
        let (success, cancel) = self.return_urls(return_urls)?;
        let payer = self.store.read(move |view| view.payer(user)).await?;
        let flags = self.flags.for_user(&payer.user.public_id);
        if !flags.topup_enabled() {
            return Err(unavailable("payment.topup_enabled is off"));
        }
        let least = flags.topup_min_amount_cents();
        let most = flags.topup_max_amount_cents();
        if !(least..=most).contains(&amount_cents) {
            let expected = format!("must be from {least} to {most}.");
            return Err(Error::invalid_field("/amount_cents", expected));
        }
        let form = checkout_form("payment", &payer)
            .with("line_items[0][price_data][currency]", &self.config.currency)
            .with("line_items[0][price_data][product_data][name]", "Credit")
            .with("line_items[0][price_data][unit_amount]", amount_cents)
            .with("line_items[0][quantity]", 1)
            .with("success_url", success)
            .with("cancel_url", cancel);
        self.session(user, &flags, form, until).await
    }

    /// The price id of a plan in the current mode (live or test).
    fn price(&self, plan: &str) -> Option<&str> {
        let config = &self.config;
        let (price, test) = match plan {
            "annual" => (&config.price_annual, &config.test_price_annual),
            _ => (&config.price_monthly, &config.test_price_monthly),
        };
        let test = test.as_ref().filter(|_| self.in_test_mode());
        test.or(price.as_ref()).map(String::as_str)
    }

    fn with_trial(&self, form: Form, flags: &FlagReader) -> Form {
        let days = self.config.trial_days;
        form.with("subscription_data[trial_period_days]", days)
            .with("line_items[1][price_data][currency]", &self.config.currency)
            .with(
                "line_items[1][price_data][product_data][name]",
                format!("Trial of {days} days"),
            )
            .with(
                "line_items[1][price_data][unit_amount]",
                flags.trial_amount_cents(),
            )
            .with("line_items[1][quantity]", 1)
    }

    async fn session(
        &self,
        user: UserId,
        flags: &FlagReader<'_>,
        form: Form,
        until: Instant,
    ) -> Result<CheckoutPage> {
        if !flags.payment_enabled() {
            return Err(unavailable("payment.processor_enabled is off"));
        }
        let (stripe, keys) = (self.stripe()?, self.keys()?);
        let customer = self.customer(stripe, &keys.secret, user, until).await?;
        let session = match self
            .try_session(stripe, &keys, user, &customer, &form, until)
            .await
        {
            // The provider has deleted the customer, or doesn't know it in the current mode.
            Err(KeyedCallError::Provider(failure))
                if failure.is_missing() && failure.is_for_field("customer") =>
            {
                self.store
                    .write(move |tx| tx.untie_customer(user, &customer))
                    .await?;
                let customer = self.customer(stripe, &keys.secret, user, until).await?;
                self.try_session(stripe, &keys, user, &customer, &form, until)
                    .await?
            }
            outcome => outcome?,
        };
        Ok(session)
    }

    async fn try_session(
        &self,
        stripe: &Stripe,
        keys: &Keys<'_>,
        user: UserId,
        customer: &str,
        form: &Form,
        until: Instant,
    ) -> Result<CheckoutPage, KeyedCallError> {
        let form = form.clone().with("customer", customer);
        // The same request uses the same idempotency key until its outcome is known.
        let digest = Digest::of(&[form.encoded().as_bytes()]);
        let operation = format!("checkout {}", hex::encode(digest.0));
        let call = |key| StripeCall::post("/v1/checkout/sessions", &form, key);
        let answer = self
            .call_with_key(stripe, &keys.secret, user, operation.clone(), call, until)
            .await?;
        self.store
            .write(move |tx| tx.remove_provider_key(user, &operation))
            .await?;
        let (session_id, url) = parse_session(&answer)
            .ok_or(StripeFailure::InvalidAnswer(
                "a session without id or address",
            ))
            .map_err(KeyedCallError::Provider)?;
        Ok(CheckoutPage {
            session_id,
            url,
            publishable_key: keys.publishable.to_owned(),
        })
    }

    /// The checked success and cancel URLs. The error (422) names each invalid one.
    fn return_urls(&self, requested: &ReturnUrls) -> Result<(String, String)> {
        let own_page = host_of(&self.public_url).unwrap_or_default();
        let allowed = self.config.allowed_return_hosts.iter();
        let hosts: Vec<&str> = [own_page.as_str()]
            .into_iter()
            .chain(allowed.map(String::as_str))
            .collect();
        let mut errors = Vec::new();
        let mut resolve =
            |name: &str, url: &Option<String>, default: &Option<String>, page: &str| {
                let Some(url) = url else {
                    let own_page = || format!("{}/payment/{page}", self.public_url);
                    return default.clone().unwrap_or_else(own_page);
                };
                if let Err(message) = return_url::check(url, &hosts) {
                    errors.push(FieldError {
                        field: format!("/{name}"),
                        message: message.to_owned(),
                    });
                }
                url.clone()
            };
        let default = &self.config;
        let success = resolve(
            "success_url", &requested.success_url, &default.success_url, "success",
        );
        let cancel = resolve(
            "cancel_url", &requested.cancel_url, &default.cancel_url, "canceled",
        );
        if errors.is_empty() {
            Ok((success, cancel))
        } else {
            Err(Error::invalid(errors))
        }
    }
}

fn checkout_form(mode: &str, payer: &Payer) -> Form {
    Form::default()
        .with("mode", mode)
        .with("client_reference_id", &payer.user.public_id)
        .with("metadata[user_id]", &payer.user.public_id)
}

fn parse_session(answer: &Value) -> Option<(String, String)> {
    let url = answer.get("url")?.as_str()?;
    let is_valid = url.len() <= URL_BYTES_MAX && host_of(url).is_some();
    is_valid.then_some((id(answer.get("id"))?, url.to_owned()))
}
