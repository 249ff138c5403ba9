//! Reconciliation: compares the provider's data with ours and fixes missed events and differing
//! subscriptions. It works in pages, so that neither side is busy for long.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::time::Instant;

use super::Billing;
use super::apply::{self, ProviderLookup};
use super::event::{CustomerRef, Event};
use super::stripe::objects::{self, list};
use super::stripe::{Call, Failure, Form, query};
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::metrics::Job;
use crate::model::payment::{HeldSubscription, MergeOutcome, ProviderStatement, Tie, merge};
use crate::store::Customer;

const EVERY: Duration = Duration::from_secs(3_600);
/// Customers per page. A whole page must finish within `PAGE_MAX`.
const PAGE_CUSTOMERS: usize = 20;
const PAGE_MAX: Duration = Duration::from_secs(8);
/// If a call fails with less time left than this, the next page retries it.
const PAGE_REST: Duration = Duration::from_millis(500);
/// Marks the start: before all customers and after the missed events.
const FIRST: &str = " ";
/// Pages per hourly run; the next run continues there.
const RUN_PAGES_MAX: usize = 25;
/// Subscriptions read per customer.
const SUBSCRIPTIONS_MAX: usize = 100;
/// Pages of undelivered events, of 100 each.
const EVENT_PAGES_MAX: usize = 10;
/// The same for all events after a restore, and the time limit for it.
const LOST_PAGES_MAX: usize = 500;
const LOST_MAX: Duration = Duration::from_secs(600);
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
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Page {
    /// Compared customers.
    pub checked: usize,
    /// Undelivered events that had not been applied.
    pub missed_events: usize,
    pub drift: Vec<SubscriptionDrift>,
    /// Where the next page begins; `None` after the last page.
    pub next: Option<String>,
}

/// A subscription that differs between the provider and us.
#[derive(Debug, Serialize, Deserialize)]
pub struct SubscriptionDrift {
    pub user_id: String,
    pub subscription_id: String,
    /// "status plan, until …"; `None` when we didn't know the subscription.
    pub held: Option<String>,
    pub provider: String,
}

/// Runs until the service ends: at once, and every hour.
pub async fn run(billing: Arc<Billing>, numbers: Arc<Job>) {
    loop {
        let ran = billing.run_once().await;
        numbers.ran(&ran, billing.clock.now().0);
        match ran {
            Ok((0, 0)) => {}
            Ok((events, drift)) => {
                log::info!("billing: {events} missed events and {drift} differences made good");
            }
            Err(error) => log::warn!("billing can't be compared with the provider: {error}"),
        }
        tokio::time::sleep(EVERY).await;
    }
}

impl Billing {
    /// From the customer after `after`; "" begins, with the events that were missed.
    pub async fn reconcile_page(&self, after: &str, dry_run: bool) -> Result<Page> {
        self.stripe()?;
        let until = Instant::now() + PAGE_MAX;
        let mut page = Page::default();
        if after.is_empty() {
            page.missed_events = self.take_missed_events(dry_run, until).await?;
            page.next = Some(FIRST.to_owned());
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
                Err(_) if page.next.is_some() && Instant::now() + PAGE_REST >= until => {
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

    /// Missed events, and differences.
    async fn run_once(&self) -> Result<(usize, usize)> {
        let known = self.store.read(|view| {
            Ok((
                view.customers("", 1)?,
                view.reconciled_up_to()?,
                view.payments_lost_since()?,
            ))
        });
        let (any, mut after, lost) = known.await?;
        if any.is_empty() && lost.is_none() {
            return Ok((0, 0)); // no user is a customer
        }
        let time = lost.map_or(PAGE_MAX, |_| LOST_MAX);
        let events = self
            .take_missed_events(false, Instant::now() + time)
            .await?;
        let mut drift = 0;
        for _ in 0..RUN_PAGES_MAX {
            let begin = if after.is_empty() { FIRST } else { &after };
            let page = self.reconcile_page(begin, false).await?;
            drift += page.drift.len();
            after = page.next.unwrap_or_default();
            let reached = after.clone();
            self.store
                .write(move |tx| tx.set_reconciled_up_to(&reached))
                .await?;
            if after.is_empty() {
                break;
            }
        }
        Ok((events, drift))
    }

    /// Takes events that the provider could not deliver, and after a restore all that came
    /// after the backup, oldest first; how many were new.
    async fn take_missed_events(&self, dry_run: bool, until: Instant) -> Result<usize> {
        let lost = self.store.read(|view| view.payments_lost_since()).await?;
        if let Some(since) = lost {
            self.warn_of_old_backup(since);
        }
        let missed = match self.missed_events(lost, until).await {
            // Some test servers of the provider don't support this request; the rest of the page
            // still runs.
            Err(refused) if refused.is_of_the_question() => {
                log::warn!("missed events can't be listed: {refused}");
                return Ok(0);
            }
            missed => missed?,
        };
        let mut new = 0;
        for event in missed.into_iter().rev() {
            let id = event.id.clone();
            let known = self
                .store
                .read(move |view| view.knows_payment_event(&id))
                .await?;
            if known {
                continue;
            }
            new += 1;
            if !dry_run {
                self.take(event).await?;
            }
        }
        if lost.is_some() && !dry_run {
            self.store.write(|tx| tx.end_lost_payments()).await?;
        }
        Ok(new)
    }

    fn warn_of_old_backup(&self, since: Timestamp) {
        let listed = self.clock.now().plus_s(-LISTED_MAX_S);
        if since < listed {
            let newest = match since {
                Timestamp(0) => "knows no payment event".to_owned(),
                since => format!("knows payment events until {since}"),
            };
            log::warn!(
                "the restored database {newest}, and the payment provider lists those since \
                 {listed}: compare what was paid before that with its dashboard"
            );
        }
    }

    /// Those that could not be delivered, or all `since` a moment; newest first.
    async fn missed_events(
        &self,
        since: Option<Timestamp>,
        until: Instant,
    ) -> Result<Vec<Event>, Failure> {
        let (which, pages_max) = match since {
            None => (
                Form::default().with("delivery_success", false),
                EVENT_PAGES_MAX,
            ),
            Some(Timestamp(0)) => (Form::default(), LOST_PAGES_MAX),
            Some(since) => {
                let from = since.seconds() - LATE_MAX_S;
                (Form::default().with("created[gte]", from), LOST_PAGES_MAX)
            }
        };
        let which = KINDS.iter().fold(which.with("limit", 100), |form, kind| {
            form.with("types[]", kind)
        });
        let (mut missed, mut after) = (Vec::new(), None::<String>);
        for _ in 0..pages_max {
            let form = which.clone().with_some("starting_after", after.as_deref());
            let answer = self.read(query("/v1/events", &form), until).await?;
            let (events, more) = list(&answer).ok_or(Failure::Garbage("no list of events"))?;
            let read = |event: &Value| Event::read(event.as_object()?, &self.prices()).ok();
            missed.extend(events.iter().filter_map(read));
            after = events.last().and_then(|event| objects::id(event.get("id")));
            if !more || after.is_none() {
                return Ok(missed);
            }
        }
        log::warn!("only the newest {pages_max} pages of missed payment events were asked for");
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
            // Deleted at the provider, or of the other mode.
            Err(gone) if gone.is_missing() => return Ok(Vec::new()),
            answer => answer?,
        };
        let (subscriptions, _) = list(&answer).ok_or(Failure::Garbage("no list"))?;
        let mut drift = Vec::new();
        for object in subscriptions {
            let began = objects::seconds(object, "created").unwrap_or_default();
            let Some(said) = objects::subscription(object, &self.prices(), began) else {
                // A malformed subscription must not stop the others.
                let whose = &customer.customer_id;
                log::warn!("a subscription of {whose} makes no sense and is passed over");
                continue;
            };
            drift.extend(self.settle(customer, said, dry_run).await?);
        }
        Ok(drift)
    }

    /// What the provider says now holds; its time is that of what was last heard, so that
    /// events still on their way are not taken for old ones.
    async fn settle(
        &self,
        customer: &Customer,
        said: ProviderStatement,
        dry_run: bool,
    ) -> Result<Option<SubscriptionDrift>> {
        let (customer, now) = (customer.clone(), self.clock.now());
        self.store
            .write(move |tx| {
                let row = tx.view().subscription(&said.subscription_id)?;
                let known = row.map(|row| row.held);
                if apply::is_to_another_price(known.as_ref(), &said) {
                    return Ok(None);
                }
                let MergeOutcome::Changed(settled) = merge(known.as_ref(), &said, Tie::Settled)
                else {
                    return Ok(None);
                };
                // The time of the last event isn't compared.
                if known.as_ref().is_some_and(|known| {
                    known.status == settled.status && known.details == settled.details
                }) {
                    return Ok(None);
                }
                let drift = SubscriptionDrift {
                    user_id: customer.user_id,
                    subscription_id: said.subscription_id.clone(),
                    held: known.as_ref().map(in_words),
                    provider: in_words(&settled),
                };
                if !dry_run {
                    let whose = CustomerRef {
                        customer_id: Some(customer.customer_id),
                        user_id: None,
                    };
                    apply::subscription(
                        tx,
                        &said,
                        &whose,
                        &ProviderLookup::Answered(said.clone()),
                        now,
                    )?;
                }
                Ok(Some(drift))
            })
            .await
    }

    async fn read(&self, path: String, until: Instant) -> Result<Value, Failure> {
        let ours = |error: Error| Failure::Unreachable(error.to_string());
        let (stripe, keys) = (self.stripe().map_err(ours)?, self.keys().map_err(ours)?);
        stripe.call(&keys.secret, &Call::get(path), until).await
    }
}

fn in_words(held: &HeldSubscription) -> String {
    let details = &held.details;
    let plan = details.plan.as_deref().unwrap_or("no plan we know");
    let end = details.current_period_end.map_or(String::new(), |at| {
        format!(", until {}", Timestamp::from_seconds(at))
    });
    let ends = if details.cancel_at_period_end {
        ", ends then"
    } else {
        ""
    };
    format!("{} ({plan}){end}{ends}", held.status.as_str())
}
