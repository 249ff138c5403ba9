//! `GET /billing/history`: the customer's invoices from the provider, with receipts.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use tokio::time::Instant;

use super::Billing;
use super::stripe::objects::{id, list, reference, seconds};
use super::stripe::{Form, Stripe, StripeCall, StripeFailure, query};
use crate::clock::Timestamp;
use crate::config::Secret;
use crate::error::{Error, Result};
use crate::store::UserId;

const HISTORY_MAX: Duration = Duration::from_secs(9);
/// The provider's largest page.
const PAGE_ITEMS: usize = 100;
/// Pages read to count invoices; beyond 5,000 the count is a lower bound.
const COUNT_PAGES_MAX: usize = 50;
/// Pages of charges read to find receipts.
const CHARGE_PAGES_MAX: usize = 5;

#[derive(Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "BillingHistory")]
pub struct History {
    pub transactions: Vec<Transaction>,
    pub has_more: bool,
    /// Number of all invoices of the caller.
    pub total_count: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Transaction {
    #[schemars(example = &"in_0001")]
    pub id: String,
    pub date: Timestamp,
    /// In minor currency units.
    pub amount: i64,
    #[schemars(example = &"usd", extend("pattern" = "^[a-z]*$"))]
    pub currency: String,
    pub description: String,
    #[schemars(example = &"paid")]
    pub status: String,
    pub invoice_url: String,
    pub receipt_url: String,
}

/// Reads one customer's data.
struct InvoiceReader<'a> {
    stripe: &'a Stripe,
    secret: Secret,
    customer: String,
    until: Instant,
}

impl Billing {
    /// The user's invoices, newest first, at most `limit`, after the invoice `starting_after`.
    pub async fn history(
        &self,
        user: UserId,
        limit: usize,
        starting_after: Option<&str>,
    ) -> Result<History> {
        let payer = self.store.read(move |view| view.payer(user)).await?;
        let Some(customer) = payer.customer_id else {
            return Ok(History::default());
        };
        let reader = InvoiceReader {
            stripe: self.stripe()?,
            secret: self.keys()?.secret,
            customer,
            until: Instant::now() + HISTORY_MAX,
        };
        match reader.history(limit, starting_after).await {
            Err(failure) if failure.is_missing() && failure.is_for_field("starting_after") => {
                let expected = "must be the id of the last transaction seen.";
                Err(Error::invalid_field("/starting_after", expected))
            }
            // The provider has deleted the customer.
            Err(failure) if failure.is_missing() => Ok(History::default()),
            outcome => Ok(outcome?),
        }
    }
}

impl InvoiceReader<'_> {
    async fn history(
        &self,
        limit: usize,
        starting_after: Option<&str>,
    ) -> Result<History, StripeFailure> {
        let page = self
            .page("/v1/invoices", limit, starting_after, Some("data.payments"))
            .await?;
        let (invoices, has_more) =
            list(&page).ok_or(StripeFailure::InvalidAnswer("no list of invoices"))?;
        let total_count = match (starting_after, has_more) {
            (None, false) => invoices.len(),
            _ => self.count().await?,
        };
        let intents = invoices.iter().filter_map(payment_intent).collect();
        let receipts = self.receipts(intents).await?;
        let transactions = invoices
            .iter()
            .map(|invoice| transaction(invoice, &receipts))
            .collect::<Option<Vec<_>>>()
            .ok_or(StripeFailure::InvalidAnswer(
                "an invoice without id, date or amount",
            ))?;
        Ok(History {
            transactions,
            has_more,
            total_count,
        })
    }

    async fn count(&self) -> Result<usize, StripeFailure> {
        let (mut count, mut after) = (0, None);
        for _ in 0..COUNT_PAGES_MAX {
            let page = self
                .page("/v1/invoices", PAGE_ITEMS, after.as_deref(), None)
                .await?;
            let (invoices, has_more) =
                list(&page).ok_or(StripeFailure::InvalidAnswer("no list of invoices"))?;
            count += invoices.len();
            after = invoices.last().and_then(|invoice| id(invoice.get("id")));
            if !has_more || after.is_none() {
                break;
            }
        }
        Ok(count)
    }

    /// The receipts of these payments.
    async fn receipts(
        &self,
        mut intents: HashSet<String>,
    ) -> Result<HashMap<String, String>, StripeFailure> {
        let (mut receipts, mut after) = (HashMap::new(), None);
        for _ in 0..CHARGE_PAGES_MAX {
            if intents.is_empty() {
                break;
            }
            let page = self
                .page("/v1/charges", PAGE_ITEMS, after.as_deref(), None)
                .await?;
            let (charges, has_more) =
                list(&page).ok_or(StripeFailure::InvalidAnswer("no list of charges"))?;
            for charge in charges {
                let Some(intent) = reference(charge.get("payment_intent")) else {
                    continue;
                };
                if intents.remove(&intent) {
                    receipts.insert(intent, text(charge, "receipt_url"));
                }
            }
            after = charges.last().and_then(|charge| id(charge.get("id")));
            if !has_more || after.is_none() {
                break;
            }
        }
        Ok(receipts)
    }

    async fn page(
        &self,
        path: &str,
        limit: usize,
        after: Option<&str>,
        expand: Option<&str>,
    ) -> Result<Value, StripeFailure> {
        let form = Form::default()
            .with("customer", &self.customer)
            .with("limit", limit)
            .with_some("starting_after", after)
            .with_some("expand[]", expand);
        let call = StripeCall::get(query(path, &form));
        self.stripe.call(&self.secret, &call, self.until).await
    }
}

fn transaction(invoice: &Value, receipts: &HashMap<String, String>) -> Option<Transaction> {
    let description = text(invoice, "description");
    let receipt = payment_intent(invoice).and_then(|intent| receipts.get(&intent));
    Some(Transaction {
        id: id(invoice.get("id"))?,
        date: Timestamp::from_seconds(seconds(invoice, "created")?),
        amount: invoice.get("total")?.as_i64()?,
        currency: text(invoice, "currency").to_lowercase(),
        description: if description.is_empty() {
            text(invoice, "number")
        } else {
            description
        },
        status: text(invoice, "status"),
        invoice_url: text(invoice, "hosted_invoice_url"),
        receipt_url: receipt.cloned().unwrap_or_default(),
    })
}

/// The payment intent of an invoice: in its `payments`, or in older API versions on the invoice.
fn payment_intent(invoice: &Value) -> Option<String> {
    let payments = invoice.pointer("/payments/data").and_then(Value::as_array);
    let current = payments
        .into_iter()
        .flatten()
        .find_map(|payment| reference(payment.pointer("/payment/payment_intent")));
    current.or_else(|| reference(invoice.get("payment_intent")))
}

/// A text field; empty if it is missing.
fn text(object: &Value, name: &str) -> String {
    let text = object.get(name).and_then(Value::as_str);
    text.unwrap_or_default().to_owned()
}
