//! Applies an event to our rows, in one transaction with its entry in the ledger. `model::payment`
//! decides how statements about one subscription combine.

use super::event::{CheckoutSession, CustomerRef, EventPayload, Invoice, PaymentEvent};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::model::payment::{
    MergeOutcome, PaymentStatus, ProviderStatement, StoredSubscription, SubscriptionDetails,
    TieBreak, merge,
};
use crate::store::{Tx, UserId};

/// The provider's answer to a look-up.
#[derive(Debug, Clone)]
pub(super) enum ProviderLookup {
    NotAsked,
    Unanswered,
    Answered(ProviderStatement),
}

#[derive(Debug)]
pub(super) enum EventOutcome {
    /// Applied, with a text for the log.
    Done {
        user: Option<UserId>,
        note: &'static str,
    },
    /// Nothing is written yet: the subscription must be looked up at the provider first.
    NeedsLookup { subscription_id: String },
}

/// Applies an event that has not taken effect yet.
pub(super) fn event(
    tx: &mut Tx,
    event: &PaymentEvent,
    lookup: &ProviderLookup,
    now: Timestamp,
) -> Result<EventOutcome> {
    if tx.knows_payment_event(&event.id)? {
        return Ok(outcome_done(None, "was applied before"));
    }
    let applied = match &event.payload {
        EventPayload::Subscription(statement, customer) => {
            subscription(tx, statement, customer, lookup, now)?
        }
        EventPayload::Unpaid(invoice) => unpaid(tx, invoice, lookup, now)?,
        EventPayload::Paid(invoice) => paid(tx, invoice, lookup, now)?,
        EventPayload::CheckedOut(session, customer) => {
            checked_out(tx, session, customer, lookup, now)?
        }
        EventPayload::MethodsChanged(customer) => match owner(tx, customer)? {
            Some(user) => outcome_done(Some(user), "payment methods changed"),
            None => NOBODY,
        },
        EventPayload::CustomerDeleted { customer_id, at } => {
            customer_deleted(tx, customer_id, *at)?
        }
        EventPayload::NotSoldHere(why) => outcome_done(None, why),
        EventPayload::Unknown => outcome_done(None, "this type of event is not handled"),
    };
    if let EventOutcome::Done { .. } = applied {
        tx.insert_payment_event(&event.id, &event.kind, now)?;
    }
    Ok(applied)
}

const NOBODY: EventOutcome = EventOutcome::Done {
    user: None,
    note: "the customer is unknown",
};
const ANOTHER_PRICE: EventOutcome = EventOutcome::Done {
    user: None,
    note: "a subscription to a price that is not sold here",
};

fn outcome_done(user: Option<UserId>, note: &'static str) -> EventOutcome {
    EventOutcome::Done { user, note }
}

/// Merges the provider's statement about a subscription with the stored subscription. Also used by
/// `reconcile`.
pub(super) fn subscription(
    tx: &mut Tx,
    statement: &ProviderStatement,
    customer: &CustomerRef,
    lookup: &ProviderLookup,
    now: Timestamp,
) -> Result<EventOutcome> {
    let row = tx.subscription(&statement.subscription_id)?;
    let stored = row.as_ref().map(|row| &row.subscription);
    if is_for_other_price(stored, statement) {
        return Ok(ANOTHER_PRICE);
    }
    let user = match &row {
        Some(row) => Some(row.user),
        None => owner(tx, customer)?,
    };
    let Some(user) = user else {
        return Ok(NOBODY);
    };
    let merged = match lookup {
        ProviderLookup::NotAsked => merge(stored, statement, TieBreak::Ask),
        ProviderLookup::Unanswered => merge(stored, statement, TieBreak::Rank),
        ProviderLookup::Answered(answer) => {
            let answer = dated_at(answer, statement.at);
            merge(stored, &answer, TieBreak::Settled)
        }
    };
    match merged {
        MergeOutcome::Tied => Ok(EventOutcome::NeedsLookup {
            subscription_id: statement.subscription_id.clone(),
        }),
        MergeOutcome::Same => Ok(outcome_done(Some(user), "changes nothing")),
        MergeOutcome::Changed(subscription) => {
            if let Some(customer_id) = &subscription.customer_id {
                tx.tie_customer(user, customer_id)?;
            }
            put(tx, user, stored.is_none(), &subscription, now)?;
            Ok(outcome_done(Some(user), "applied"))
        }
    }
}

/// Whether an unknown subscription is for a price that is not sold here. A stored subscription is
/// always accepted, because its price may no longer be sold.
pub(super) fn is_for_other_price(
    stored: Option<&StoredSubscription>,
    statement: &ProviderStatement,
) -> bool {
    let has_details = stored.is_some_and(|subscription| subscription.details_s.is_some());
    let lacks_plan = |details: &SubscriptionDetails| details.plan.is_none();
    !has_details && statement.details.as_ref().is_some_and(lacks_plan)
}

/// The subscription of an unpaid invoice becomes past due.
fn unpaid(
    tx: &mut Tx,
    invoice: &Invoice,
    lookup: &ProviderLookup,
    now: Timestamp,
) -> Result<EventOutcome> {
    invoiced(tx, invoice, Some(PaymentStatus::PastDue), lookup, now)
}

/// A paid invoice reactivates a subscription that was past due or free. It says nothing about
/// subscriptions in other states, such as a trial.
fn paid(
    tx: &mut Tx,
    invoice: &Invoice,
    lookup: &ProviderLookup,
    now: Timestamp,
) -> Result<EventOutcome> {
    let Some(subscription_id) = invoiced_subscription(tx, invoice)? else {
        return Ok(NOBODY);
    };
    let status = match tx.subscription(&subscription_id)? {
        None => Some(PaymentStatus::Active),
        Some(row) => {
            let was_unpaid = matches!(
                row.subscription.status,
                PaymentStatus::PastDue | PaymentStatus::Free
            );
            let is_newer = invoice.at >= row.subscription.status_s;
            let reactivates = was_unpaid && is_newer;
            if reactivates && matches!(lookup, ProviderLookup::NotAsked) {
                return Ok(EventOutcome::NeedsLookup { subscription_id });
            }
            reactivates.then_some(PaymentStatus::Active)
        }
    };
    match status {
        Some(_) => invoiced(tx, invoice, status, lookup, now),
        None => Ok(outcome_done(None, "changes nothing")),
    }
}

fn invoiced(
    tx: &mut Tx,
    invoice: &Invoice,
    status: Option<PaymentStatus>,
    lookup: &ProviderLookup,
    now: Timestamp,
) -> Result<EventOutcome> {
    let Some(subscription_id) = invoiced_subscription(tx, invoice)? else {
        return Ok(NOBODY);
    };
    let stored = tx.subscription(&subscription_id)?;
    let statement = ProviderStatement {
        subscription_id: subscription_id.clone(),
        customer_id: invoice.customer.customer_id.clone(),
        status,
        details: None,
        at: invoice.at,
    };
    if stored.is_some() {
        return subscription(tx, &statement, &invoice.customer, lookup, now);
    }
    // An invoice lacks the subscription's start and plan, so the provider is asked for them. The
    // status of the event is used nevertheless.
    match lookup {
        _ if invoice.is_sold_here == Some(false) => Ok(ANOTHER_PRICE),
        ProviderLookup::NotAsked if owner(tx, &invoice.customer)?.is_none() => Ok(NOBODY),
        ProviderLookup::NotAsked => Ok(EventOutcome::NeedsLookup { subscription_id }),
        ProviderLookup::Answered(answer) if is_for_other_price(None, answer) => Ok(ANOTHER_PRICE),
        // Only an active status grants something, so it needs the provider's confirmation.
        ProviderLookup::Unanswered
            if status == Some(PaymentStatus::Active) && invoice.is_sold_here.is_none() =>
        {
            Ok(outcome_done(
                None,
                "the provider did not answer, so it is unknown whether the subscription is sold here",
            ))
        }
        ProviderLookup::Unanswered => subscription(tx, &statement, &invoice.customer, lookup, now),
        ProviderLookup::Answered(answer) => {
            let statement = ProviderStatement {
                status: match status {
                    Some(PaymentStatus::PastDue) => status,
                    _ => answer.status,
                },
                details: None,
                ..statement
            };
            // Dated at its start, so that no event about it is older.
            let details = ProviderStatement {
                status: None,
                ..dated_at(answer, start_of(answer.details.as_ref()).min(statement.at))
            };
            subscription(
                tx,
                &details,
                &invoice.customer,
                &ProviderLookup::Unanswered,
                now,
            )?;
            subscription(
                tx,
                &statement,
                &invoice.customer,
                &ProviderLookup::Unanswered,
                now,
            )
        }
    }
}

/// The subscription that the invoice names, else the user's current one.
fn invoiced_subscription(tx: &Tx, invoice: &Invoice) -> Result<Option<String>> {
    if invoice.subscription_id.is_some() {
        return Ok(invoice.subscription_id.clone());
    }
    let Some(user) = owner(tx, &invoice.customer)? else {
        return Ok(None);
    };
    let current = tx.current_subscription(user)?;
    Ok(current.map(|row| row.subscription.subscription_id))
}

fn checked_out(
    tx: &mut Tx,
    session: &CheckoutSession,
    customer: &CustomerRef,
    lookup: &ProviderLookup,
    now: Timestamp,
) -> Result<EventOutcome> {
    let Some(user) = owner(tx, customer)? else {
        if let Some(cents) = session.credit_cents {
            let id = &session.id;
            log::warn!("checkout {id}: {cents} cents of credit for an unknown user");
        }
        return Ok(NOBODY);
    };
    if let (Some(subscription_id), ProviderLookup::NotAsked) = (&session.subscription_id, lookup)
        && tx.subscription(subscription_id)?.is_none()
    {
        return Ok(EventOutcome::NeedsLookup {
            subscription_id: subscription_id.clone(),
        });
    }
    if let Some(customer_id) = &customer.customer_id {
        tx.tie_customer(user, customer_id)?;
    }
    if let ProviderLookup::Answered(answer) = lookup {
        let at = start_of(answer.details.as_ref()).min(session.at);
        let answer = dated_at(answer, at);
        subscription(tx, &answer, customer, &ProviderLookup::Unanswered, now)?;
    }
    let Some(amount) = session.credit_cents else {
        return Ok(outcome_done(Some(user), "a checkout was completed"));
    };
    let is_new = tx.credit_topup(user, &session.id, amount, now)?;
    let note = if is_new {
        "credit was bought"
    } else {
        "this credit was added before"
    };
    Ok(outcome_done(Some(user), note))
}

fn customer_deleted(tx: &mut Tx, customer_id: &str, at: i64) -> Result<EventOutcome> {
    let user = tx.user_of_customer(customer_id)?;
    if let Some(user) = user {
        tx.untie_customer(user, customer_id)?;
    }
    // Deleting a customer ends its subscriptions.
    for row in tx.subscriptions_of_customer(customer_id)? {
        let subscription = StoredSubscription {
            status: PaymentStatus::Canceled,
            status_s: row.subscription.status_s.max(at),
            ..row.subscription
        };
        tx.put_subscription(row.user, &subscription)?;
    }
    Ok(match user {
        Some(_) => outcome_done(user, "the customer was deleted at the provider"),
        None => NOBODY,
    })
}

fn put(
    tx: &mut Tx,
    user: UserId,
    is_new: bool,
    subscription: &StoredSubscription,
    now: Timestamp,
) -> Result<()> {
    tx.put_subscription(user, subscription)?;
    // The person's account is pending deletion, and they returned from a checkout.
    if is_new && tx.payer(user)?.deletion_pending {
        tx.cancel_at_period_end(user, now)?;
    }
    Ok(())
}

/// Finds the user by the customer id, else by the user's public id.
fn owner(tx: &Tx, customer: &CustomerRef) -> Result<Option<UserId>> {
    if let Some(customer_id) = &customer.customer_id
        && let Some(user) = tx.user_of_customer(customer_id)?
    {
        return Ok(Some(user));
    }
    match &customer.user_id {
        Some(user_id) => tx.user_id(user_id),
        None => Ok(None),
    }
}

fn dated_at(answer: &ProviderStatement, at: i64) -> ProviderStatement {
    ProviderStatement {
        at,
        ..answer.clone()
    }
}

fn start_of(details: Option<&SubscriptionDetails>) -> i64 {
    details
        .and_then(|details| details.began_s)
        .unwrap_or_default()
}
