//! Applies an event to our rows, in one transaction with its entry in the ledger. `model::payment`
//! decides how statements about one subscription combine.

use super::event::{CustomerRef, Event, EventPayload, Invoice, Session};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::model::payment::{
    Details, HeldSubscription, MergeOutcome, ProviderStatement, Status, Tie, merge,
};
use crate::store::{Tx, UserId};

/// The provider's answer to a look-up.
#[derive(Debug, Clone)]
pub(super) enum ProviderLookup {
    NotYet,
    Unanswered,
    Answered(ProviderStatement),
}

#[derive(Debug)]
pub(super) enum EventOutcome {
    /// Applied, with a text for the log.
    Done {
        user: Option<UserId>,
        what: &'static str,
    },
    /// Nothing is written yet: the provider must be asked first.
    Ask { subscription_id: String },
}

/// Applies an event that has not taken effect yet.
pub(super) fn event(
    tx: &mut Tx<'_>,
    event: &Event,
    asked: &ProviderLookup,
    now: Timestamp,
) -> Result<EventOutcome> {
    if tx.view().knows_payment_event(&event.id)? {
        return Ok(done(None, "had taken effect before"));
    }
    let applied = match &event.happened {
        EventPayload::Subscription(said, whose) => subscription(tx, said, whose, asked, now)?,
        EventPayload::Unpaid(invoice) => unpaid(tx, invoice, asked, now)?,
        EventPayload::Paid(invoice) => paid(tx, invoice, asked, now)?,
        EventPayload::CheckedOut(session, whose) => checked_out(tx, session, whose, asked, now)?,
        EventPayload::MethodsChanged(whose) => match owner(tx, whose)? {
            Some(user) => done(Some(user), "other ways to pay"),
            None => NOBODY,
        },
        EventPayload::CustomerGone { customer_id, at } => customer_gone(tx, customer_id, *at)?,
        EventPayload::NotOurs(why) => done(None, why),
        EventPayload::Unknown => done(None, "nothing that is acted upon"),
    };
    if let EventOutcome::Done { .. } = applied {
        tx.insert_payment_event(&event.id, &event.kind, now)?;
    }
    Ok(applied)
}

const NOBODY: EventOutcome = EventOutcome::Done {
    user: None,
    what: "about nobody we know",
};
const ANOTHER_PRICE: EventOutcome = EventOutcome::Done {
    user: None,
    what: "a subscription to a price that is not ours",
};

fn done(user: Option<UserId>, what: &'static str) -> EventOutcome {
    EventOutcome::Done { user, what }
}

/// Puts what is said of a subscription beside what is held of it. Of use to reconciling too.
pub(super) fn subscription(
    tx: &mut Tx<'_>,
    said: &ProviderStatement,
    whose: &CustomerRef,
    asked: &ProviderLookup,
    now: Timestamp,
) -> Result<EventOutcome> {
    let row = tx.view().subscription(&said.subscription_id)?;
    let known = row.as_ref().map(|row| &row.held);
    if is_to_another_price(known, said) {
        return Ok(ANOTHER_PRICE);
    }
    let user = match &row {
        Some(row) => Some(row.user),
        None => owner(tx, whose)?,
    };
    let Some(user) = user else {
        return Ok(NOBODY);
    };
    let merged = match asked {
        ProviderLookup::NotYet => merge(known, said, Tie::Ask),
        ProviderLookup::Unanswered => merge(known, said, Tie::Rank),
        ProviderLookup::Answered(answer) => {
            let answer = at_the_time_of(answer, said.at);
            merge(known, &answer, Tie::Settled)
        }
    };
    match merged {
        MergeOutcome::Tied => Ok(EventOutcome::Ask {
            subscription_id: said.subscription_id.clone(),
        }),
        MergeOutcome::Same => Ok(done(Some(user), "changes nothing")),
        MergeOutcome::Changed(held) => {
            if let Some(customer_id) = &held.customer_id {
                tx.tie_customer(user, customer_id)?;
            }
            put(tx, user, known.is_none(), &held, now)?;
            Ok(done(Some(user), "applied"))
        }
    }
}

/// What is said for the first time of a subscription must name a price that is sold. What is
/// held stays ours, since prices come and go.
pub(super) fn is_to_another_price(
    known: Option<&HeldSubscription>,
    said: &ProviderStatement,
) -> bool {
    let is_held = known.is_some_and(|held| held.details_at.is_some());
    let names_none = |details: &Details| details.plan.is_none();
    !is_held && said.details.as_ref().is_some_and(names_none)
}

/// Any subscription of an unpaid invoice is past due.
fn unpaid(
    tx: &mut Tx<'_>,
    invoice: &Invoice,
    asked: &ProviderLookup,
    now: Timestamp,
) -> Result<EventOutcome> {
    invoiced(tx, invoice, Some(Status::PastDue), asked, now)
}

/// A paid invoice says that a subscription which was not paid is; which others hold, a trial
/// for one, it does not say.
fn paid(
    tx: &mut Tx<'_>,
    invoice: &Invoice,
    asked: &ProviderLookup,
    now: Timestamp,
) -> Result<EventOutcome> {
    let Some(subscription_id) = invoiced_subscription(tx, invoice)? else {
        return Ok(NOBODY);
    };
    let status = match tx.view().subscription(&subscription_id)? {
        None => Some(Status::Active),
        Some(row) => {
            let waited = matches!(row.held.status, Status::PastDue | Status::Free);
            let newer = invoice.at >= row.held.status_at;
            let open = waited && newer;
            if open && matches!(asked, ProviderLookup::NotYet) {
                return Ok(EventOutcome::Ask { subscription_id });
            }
            open.then_some(Status::Active)
        }
    };
    match status {
        Some(_) => invoiced(tx, invoice, status, asked, now),
        None => Ok(done(None, "changes nothing")),
    }
}

fn invoiced(
    tx: &mut Tx<'_>,
    invoice: &Invoice,
    status: Option<Status>,
    asked: &ProviderLookup,
    now: Timestamp,
) -> Result<EventOutcome> {
    let Some(subscription_id) = invoiced_subscription(tx, invoice)? else {
        return Ok(NOBODY);
    };
    let known = tx.view().subscription(&subscription_id)?;
    let said = ProviderStatement {
        subscription_id: subscription_id.clone(),
        customer_id: invoice.whose.customer_id.clone(),
        status,
        details: None,
        at: invoice.at,
    };
    if known.is_some() {
        return subscription(tx, &said, &invoice.whose, asked, now);
    }
    // An invoice lacks the subscription's age and plan, so the provider is asked; the event's state
    // is used all the same.
    match asked {
        _ if invoice.is_ours == Some(false) => Ok(ANOTHER_PRICE),
        ProviderLookup::NotYet if owner(tx, &invoice.whose)?.is_none() => Ok(NOBODY),
        ProviderLookup::NotYet => Ok(EventOutcome::Ask { subscription_id }),
        ProviderLookup::Answered(answer) if is_to_another_price(None, answer) => Ok(ANOTHER_PRICE),
        // Past due grants nothing, but active does.
        ProviderLookup::Unanswered
            if status == Some(Status::Active) && invoice.is_ours.is_none() =>
        {
            Ok(done(
                None,
                "nobody can tell whether the subscription is ours",
            ))
        }
        ProviderLookup::Unanswered => subscription(tx, &said, &invoice.whose, asked, now),
        ProviderLookup::Answered(answer) => {
            let said = ProviderStatement {
                status: match status {
                    Some(Status::PastDue) => status,
                    _ => answer.status,
                },
                details: None,
                ..said
            };
            // Dated at its start, so that no event about it is older.
            let details = ProviderStatement {
                status: None,
                ..at_the_time_of(answer, began(answer.details.as_ref()).min(said.at))
            };
            subscription(
                tx,
                &details,
                &invoice.whose,
                &ProviderLookup::Unanswered,
                now,
            )?;
            subscription(tx, &said, &invoice.whose, &ProviderLookup::Unanswered, now)
        }
    }
}

/// The one the invoice names, else the user's current one.
fn invoiced_subscription(tx: &Tx<'_>, invoice: &Invoice) -> Result<Option<String>> {
    if invoice.subscription_id.is_some() {
        return Ok(invoice.subscription_id.clone());
    }
    let Some(user) = owner(tx, &invoice.whose)? else {
        return Ok(None);
    };
    let current = tx.view().current_subscription(user)?;
    Ok(current.map(|row| row.held.subscription_id))
}

fn checked_out(
    tx: &mut Tx<'_>,
    session: &Session,
    whose: &CustomerRef,
    asked: &ProviderLookup,
    now: Timestamp,
) -> Result<EventOutcome> {
    let Some(user) = owner(tx, whose)? else {
        if let Some(cents) = session.credit_cents {
            let id = &session.id;
            log::warn!("checkout {id}: {cents} cents of credit for a user who is not known");
        }
        return Ok(NOBODY);
    };
    if let (Some(subscription_id), ProviderLookup::NotYet) = (&session.subscription_id, asked)
        && tx.view().subscription(subscription_id)?.is_none()
    {
        return Ok(EventOutcome::Ask {
            subscription_id: subscription_id.clone(),
        });
    }
    if let Some(customer_id) = &whose.customer_id {
        tx.tie_customer(user, customer_id)?;
    }
    if let ProviderLookup::Answered(answer) = asked {
        let at = began(answer.details.as_ref()).min(session.at);
        let answer = at_the_time_of(answer, at);
        subscription(tx, &answer, whose, &ProviderLookup::Unanswered, now)?;
    }
    let Some(amount) = session.credit_cents else {
        return Ok(done(Some(user), "a checkout is done"));
    };
    let new = tx.credit_topup(user, &session.id, amount, now)?;
    let what = if new {
        "credit was bought"
    } else {
        "credit that was added before"
    };
    Ok(done(Some(user), what))
}

fn customer_gone(tx: &mut Tx<'_>, customer_id: &str, at: i64) -> Result<EventOutcome> {
    let user = tx.view().user_of_customer(customer_id)?;
    if let Some(user) = user {
        tx.untie_customer(user, customer_id)?;
    }
    // Deleting a customer ends its subscriptions.
    for row in tx.view().subscriptions_of_customer(customer_id)? {
        let held = HeldSubscription {
            status: Status::Canceled,
            status_at: row.held.status_at.max(at),
            ..row.held
        };
        tx.put_subscription(row.user, &held)?;
    }
    Ok(match user {
        Some(_) => done(user, "the customer is gone"),
        None => NOBODY,
    })
}

fn put(
    tx: &mut Tx<'_>,
    user: UserId,
    new: bool,
    held: &HeldSubscription,
    now: Timestamp,
) -> Result<()> {
    tx.put_subscription(user, held)?;
    // The person's account is pending deletion, and they returned from a checkout.
    if new && tx.view().payer(user)?.deletion_pending {
        tx.cancel_at_period_end(user, now)?;
    }
    Ok(())
}

/// By the customer, else by our own name for the user.
fn owner(tx: &Tx<'_>, whose: &CustomerRef) -> Result<Option<UserId>> {
    if let Some(customer_id) = &whose.customer_id
        && let Some(user) = tx.view().user_of_customer(customer_id)?
    {
        return Ok(Some(user));
    }
    match &whose.user_id {
        Some(user_id) => tx.user_id(user_id),
        None => Ok(None),
    }
}

fn at_the_time_of(answer: &ProviderStatement, at: i64) -> ProviderStatement {
    ProviderStatement {
        at,
        ..answer.clone()
    }
}

fn began(details: Option<&Details>) -> i64 {
    details
        .and_then(|details| details.began_at)
        .unwrap_or_default()
}
