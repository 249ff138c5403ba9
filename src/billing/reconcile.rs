//! Reconciliation: compares the provider's data with ours and fixes missed events and differing
//! subscriptions. It works in pages, so that neither side is busy for long.

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::time::Instant;

use super::Billing;
use super::apply::{self, ProviderLookup};
use super::event::{CustomerRef, PaymentEvent};
use super::stripe::objects::{self, list};
use super::stripe::{Form, StripeCall, StripeFailure, query};
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::model::payment::{MergeOutcome, ProviderStatement, StoredSubscription, TieBreak, merge};
use crate::model::public_id::PublicId;
use crate::store::Customer;

pub const INTERVAL: Duration = Duration::from_secs(3_600);
/// Customers per page. A whole page must finish within `PAGE_MAX`.
const PAGE_CUSTOMERS: usize = 20;
const PAGE_MAX: Duration = Duration::from_secs(8);
/// If a call fails with less time left than this, the next page retries it.
const PAGE_RESERVE: Duration = Duration::from_millis(500);
/// Marks the start: before all customers and after the missed events.
const START: &str = " ";
/// Pages per hourly run; the next run continues there.
const RUN_PAGES_MAX: usize = 25;
/// Subscriptions read per customer.
const SUBSCRIPTIONS_MAX: usize = 100;
/// Pages of undelivered events, of 100 each.
const EVENT_PAGES_MAX: usize = 10;
/// Pages of all events after a restore, and the time limit for reading them.
const RESTORE_PAGES_MAX: usize = 500;
const RESTORE_MAX: Duration = Duration::from_secs(600);
/// How late an event may be delivered. The newest event in a backup may be newer than one that had
/// not arrived.
const LATE_MAX_S: i64 = 3 * 86_400;
/// The provider lists events of this period.
const LISTED_MAX_S: i64 = 30 * 86_400;
/// Event types that we handle.
const KINDS: [&str; 8] = [
    "customer.subscription.created",
    "customer.subscription.updated",
    "customer.subscription.deleted",
    "customer.deleted",
    "invoice.payment_failed",
    "invoice.paid",
    "checkout.session.completed",
    "checkout.session.async_payment_succeeded",
];

/// The result of one page.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ReconciledPage")]
pub struct Page {
    /// Number of compared customers.
    pub checked: usize,
    /// Number of undelivered events that had not been applied.
    pub missed_events: usize,
    pub drift: Vec<SubscriptionDrift>,
    /// Start of the next page; null after the last page.
    pub next: Option<String>,
}

/// A subscription that differs between the provider and the service.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct SubscriptionDrift {
    #[schemars(with = "PublicId")]
    pub user_id: String,
    pub subscription_id: String,
    /// "status plan, until …"; null if the service did not know the subscription.
    pub held: Option<String>,
    pub provider: String,
}

/// Runs until the service ends: immediately, and then every hour.
impl Billing {
    /// One run. Returns the pause before the next one.
    pub async fn reconcile(self: Arc<Self>) -> Result<Duration> {
        let (events, drift) = self.run_once().await?;
        if (events, drift) != (0, 0) {
            log::info!("billing: fixed {events} missed events and {drift} differences");
        }
        Ok(INTERVAL)
    }

    /// Compares one page of customers after the id `after`. An empty `after` starts, and applies
    /// missed events first.
    pub async fn reconcile_page(&self, after: &str, dry_run: bool) -> Result<Page> {
        self.stripe()?;
        let until = Instant::now() + PAGE_MAX;
        let mut page = Page::default();
        if after.is_empty() {
            page.missed_events = self.apply_missed_events(dry_run, until).await?;
            page.next = Some(START.to_owned());
        }
        let from = after.to_owned();
        let customers = self
            .store
            .read(move |view| view.customers(&from, PAGE_CUSTOMERS))
            .await?;
        for customer in &customers {
            match self.compare(customer, dry_run, until).await {
                Ok(drift) => page.drift.extend(drift),
                // A slow provider makes progress as long as each page advances.
                Err(_) if page.next.is_some() && Instant::now() + PAGE_RESERVE >= until => {
                    return Ok(page);
                }
                Err(error) => return Err(error),
            }
            page.checked += 1;
            page.next = Some(customer.customer_id.clone());
        }
        if customers.len() < PAGE_CUSTOMERS {
            page.next = None;
        }
        Ok(page)
    }

    /// One hourly run. Returns the numbers of missed events and of differences.
    async fn run_once(&self) -> Result<(usize, usize)> {
        let reading = self.store.read(|view| {
            Ok((
                view.customers("", 1)?,
                view.reconciled_up_to()?,
                view.payments_lost_since()?,
            ))
        });
        let (customers, mut after, lost_since) = reading.await?;
        if customers.is_empty() && lost_since.is_none() {
            return Ok((0, 0)); // no user is a customer
        }
        let time_limit = lost_since.map_or(PAGE_MAX, |_| RESTORE_MAX);
        let events = self
            .apply_missed_events(false, Instant::now() + time_limit)
            .await?;
        let mut drift = 0;
        for _ in 0..RUN_PAGES_MAX {
            let start = if after.is_empty() { START } else { &after };
            let page = self.reconcile_page(start, false).await?;
            drift += page.drift.len();
            after = page.next.unwrap_or_default();
            let up_to = after.clone();
            self.store
                .write(move |tx| tx.set_reconciled_up_to(&up_to))
                .await?;
            if after.is_empty() {
                break;
            }
        }
        Ok((events, drift))
    }

    /// Applies events that the provider could not deliver, and after a restore all events since the
    /// backup, oldest first. Returns how many were new.
    async fn apply_missed_events(&self, dry_run: bool, until: Instant) -> Result<usize> {
        let lost_since = self.store.read(|view| view.payments_lost_since()).await?;
        if let Some(since) = lost_since {
            self.warn_about_old_backup(since);
        }
        let events = match self.missed_events(lost_since, until).await {
            // Some test servers of the provider don't support this request; the rest of the page
            // still runs.
            Err(failure) if failure.is_unsupported_request() => {
                log::warn!("missed events can't be listed: {failure}");
                return Ok(0);
            }
            events => events?,
        };
        let mut count = 0;
        for event in events.into_iter().rev() {
            let id = event.id.clone();
            let is_known = self
                .store
                .read(move |view| view.knows_payment_event(&id))
                .await?;
            if is_known {
                continue;
            }
            count += 1;
            if !dry_run {
                self.apply_event(event).await?;
            }
        }
        if lost_since.is_some() && !dry_run {
            self.store.write(|tx| tx.end_lost_payments()).await?;
        }
        Ok(count)
    }

    fn warn_about_old_backup(&self, since: Timestamp) {
        let listed = self.clock.now().plus_s(-LISTED_MAX_S);
        if since < listed {
            let newest = match since {
                Timestamp(0) => "contains no payment event".to_owned(),
                since => format!("contains payment events until {since}"),
            };
            log::warn!(
                "the restored database {newest}, but the payment provider lists events only since \
                 {listed}: compare earlier payments with the provider's dashboard"
            );
        }
    }

    /// Events that could not be delivered, or all events since `since`; newest first.
    async fn missed_events(
        &self,
        since: Option<Timestamp>,
        until: Instant,
    ) -> Result<Vec<PaymentEvent>, StripeFailure> {
        let (filter, pages_max) = match since {
            None => (
                Form::default().with("delivery_success", false),
                EVENT_PAGES_MAX,
            ),
            Some(Timestamp(0)) => (Form::default(), RESTORE_PAGES_MAX),
            Some(since) => {
                let from = since.seconds() - LATE_MAX_S;
                (
                    Form::default().with("created[gte]", from),
                    RESTORE_PAGES_MAX,
                )
            }
        };
        let filter = KINDS.iter().fold(filter.with("limit", 100), |form, kind| {
            form.with("types[]", kind)
        });
        let (mut missed, mut after) = (Vec::new(), None::<String>);
        for _ in 0..pages_max {
            let form = filter.clone().with_some("starting_after", after.as_deref());
            let answer = self.read(query("/v1/events", &form), until).await?;
            let (events, has_more) =
                list(&answer).ok_or(StripeFailure::InvalidAnswer("no list of events"))?;
            let read = |event: &Value| PaymentEvent::read(event.as_object()?, &self.prices()).ok();
            missed.extend(events.iter().filter_map(read));
            after = events.last().and_then(|event| objects::id(event.get("id")));
            if !has_more || after.is_none() {
                return Ok(missed);
            }
        }
        log::warn!("only the newest {pages_max} pages of missed payment events were read");
        Ok(missed)
    }

    async fn compare(
        &self,
        customer: &Customer,
        dry_run: bool,
        until: Instant,
    ) -> Result<Vec<SubscriptionDrift>> {
        let form = Form::default()
            .with("customer", &customer.customer_id)
            .with("status", "all")
            .with("limit", SUBSCRIPTIONS_MAX);
        let answer = match self.read(query("/v1/subscriptions", &form), until).await {
            // The customer is deleted at the provider, or belongs to the other mode.
            Err(failure) if failure.is_missing() => return Ok(Vec::new()),
            answer => answer?,
        };
        let (subscriptions, _) = list(&answer).ok_or(StripeFailure::InvalidAnswer("no list"))?;
        let mut drift = Vec::new();
        for object in subscriptions {
            let started = objects::seconds(object, "created").unwrap_or_default();
            let Some(statement) = objects::subscription(object, &self.prices(), started) else {
                // A malformed subscription must not stop the others.
                let customer_id = &customer.customer_id;
                log::warn!("a subscription of {customer_id} is invalid and was skipped");
                continue;
            };
            drift.extend(
                self.reconcile_subscription(customer, statement, dry_run)
                    .await?,
            );
        }
        Ok(drift)
    }

    /// Applies the provider's current statement. Its time is that of the last event, so that events
    /// still on their way don't count as old.
    async fn reconcile_subscription(
        &self,
        customer: &Customer,
        statement: ProviderStatement,
        dry_run: bool,
    ) -> Result<Option<SubscriptionDrift>> {
        let (customer, now) = (customer.clone(), self.clock.now());
        self.store
            .write(move |tx| {
                let row = tx.subscription(&statement.subscription_id)?;
                let stored = row.map(|row| row.subscription);
                if apply::is_for_other_price(stored.as_ref(), &statement) {
                    return Ok(None);
                }
                let MergeOutcome::Changed(merged) =
                    merge(stored.as_ref(), &statement, TieBreak::Settled)
                else {
                    return Ok(None);
                };
                // The time of the last event isn't compared.
                if stored.as_ref().is_some_and(|stored| {
                    stored.status == merged.status && stored.details == merged.details
                }) {
                    return Ok(None);
                }
                let drift = SubscriptionDrift {
                    user_id: customer.user_id,
                    subscription_id: statement.subscription_id.clone(),
                    held: stored.as_ref().map(describe),
                    provider: describe(&merged),
                };
                if !dry_run {
                    let customer_ref = CustomerRef {
                        customer_id: Some(customer.customer_id),
                        user_id: None,
                    };
                    apply::subscription(
                        tx,
                        &statement,
                        &customer_ref,
                        &ProviderLookup::Answered(statement.clone()),
                        now,
                    )?;
                }
                Ok(Some(drift))
            })
            .await
    }

    async fn read(&self, path: String, until: Instant) -> Result<Value, StripeFailure> {
        let unreachable = |error: Error| StripeFailure::Unreachable(error.to_string());
        let (stripe, keys) = (
            self.stripe().map_err(unreachable)?,
            self.keys().map_err(unreachable)?,
        );
        stripe
            .call(&keys.secret, &StripeCall::get(path), until)
            .await
    }
}

fn describe(stored: &StoredSubscription) -> String {
    let details = &stored.details;
    let plan = details.plan.as_deref().unwrap_or("unknown plan");
    let end = details.current_period_end_s.map_or(String::new(), |at| {
        format!(", until {}", Timestamp::from_seconds(at))
    });
    let ends = if details.cancel_at_period_end {
        ", ends then"
    } else {
        ""
    };
    format!("{} ({plan}){end}{ends}", stored.status.as_str())
}
