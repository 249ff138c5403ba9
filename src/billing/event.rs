//! The provider's events as parsed types. `apply` executes them.

use serde_json::{Map, Value};

use super::stripe::objects::{self, Prices, id, reference};
use crate::error::{Error, Result};
use crate::model::payment::{PaymentStatus, ProviderStatement};

const KIND_BYTES_MAX: usize = 100;

#[derive(Debug, Clone)]
pub(super) struct PaymentEvent {
    pub(super) id: String,
    pub(super) kind: String,
    /// `None` when the event doesn't say.
    pub(super) livemode: Option<bool>,
    pub(super) payload: EventPayload,
}

#[derive(Debug, Clone)]
pub(super) enum EventPayload {
    /// A change of a subscription.
    Subscription(ProviderStatement, CustomerRef),
    /// An unpaid invoice.
    Unpaid(Invoice),
    Paid(Invoice),
    CheckedOut(CheckoutSession, CustomerRef),
    /// A payment method was added or removed.
    MethodsChanged(CustomerRef),
    CustomerDeleted {
        customer_id: String,
        at: i64,
    },
    /// An event about something we don't sell, with the reason.
    NotSoldHere(&'static str),
    /// An event type that we don't handle, or one with missing fields.
    Unknown,
}

/// Identifies the customer of an event.
#[derive(Debug, Clone, Default)]
pub(super) struct CustomerRef {
    pub(super) customer_id: Option<String>,
    /// Our id of the user, as metadata that we sent to the provider.
    pub(super) user_id: Option<String>,
}

#[derive(Debug, Clone)]
pub(super) struct Invoice {
    /// `None` when the invoice doesn't name it, as in the current API.
    pub(super) subscription_id: Option<String>,
    pub(super) customer: CustomerRef,
    /// Whether it is for one of our prices; `None` when it names no price.
    pub(super) is_sold_here: Option<bool>,
    pub(super) at: i64,
}

#[derive(Debug, Clone)]
pub(super) struct CheckoutSession {
    pub(super) id: String,
    pub(super) subscription_id: Option<String>,
    /// The credit bought and paid; `None` when the session sold no credit.
    pub(super) credit_cents: Option<i64>,
    pub(super) at: i64,
}

impl PaymentEvent {
    /// Parses an event. 422 if the body is no event; an event that lacks needed fields is
    /// `Unknown`.
    pub(super) fn read(body: &Map<String, Value>, prices: &Prices) -> Result<Self> {
        let required = |name: &str| Error::invalid_field(format!("/{name}"), "is required.");
        let event_id = id(body.get("id")).ok_or_else(|| required("id"))?;
        let kind = body.get("type").and_then(Value::as_str);
        let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.');
        let kind = kind
            .filter(|kind| kind.len() <= KIND_BYTES_MAX && kind.bytes().all(plain))
            .ok_or_else(|| required("type"))?;
        let at = body.get("created").and_then(Value::as_i64);
        let object = body.get("data").and_then(|data| data.get("object"));
        let payload = match (at, object) {
            (Some(at), Some(object)) => parse_payload(kind, object, prices, at),
            _ => None,
        };
        Ok(Self {
            id: event_id,
            kind: kind.to_owned(),
            livemode: body.get("livemode").and_then(Value::as_bool),
            payload: payload.unwrap_or(EventPayload::Unknown),
        })
    }
}

fn parse_payload(kind: &str, object: &Value, prices: &Prices, at: i64) -> Option<EventPayload> {
    Some(match kind {
        "customer.subscription.created"
        | "customer.subscription.updated"
        | "customer.subscription.deleted"
        | "customer.subscription.paused"
        | "customer.subscription.resumed" => {
            let mut statement = objects::subscription(object, prices, at)?;
            let status = object.get("status").and_then(Value::as_str);
            match kind.rsplit('.').next() {
                Some("deleted") => statement.status = Some(PaymentStatus::Canceled),
                Some("created") if status.is_none() => {
                    statement.status = Some(PaymentStatus::Active)
                }
                _ => {}
            }
            if let (None, Some(_)) = (statement.status, status) {
                log::warn!("payment event: a subscription has an unknown status");
            }
            EventPayload::Subscription(statement, customer_ref(object))
        }
        "invoice.payment_failed" => EventPayload::Unpaid(invoice(object, prices, at)?),
        "invoice.paid" | "invoice.payment_succeeded" => {
            EventPayload::Paid(invoice(object, prices, at)?)
        }
        "checkout.session.completed" | "checkout.session.async_payment_succeeded" => {
            checked_out(object, prices, at)?
        }
        "payment_method.attached" | "payment_method.detached" => {
            EventPayload::MethodsChanged(customer_ref(object))
        }
        "customer.deleted" => EventPayload::CustomerDeleted {
            customer_id: id(object.get("id"))?,
            at,
        },
        _ => return None,
    })
}

fn customer_ref(object: &Value) -> CustomerRef {
    let user_id = object
        .get("client_reference_id")
        .filter(|value| value.is_string())
        .or_else(|| object.pointer("/metadata/user_id"));
    CustomerRef {
        customer_id: reference(object.get("customer")),
        user_id: id(user_id),
    }
}

/// `None` for an invoice that states that it has no subscription.
fn invoice(object: &Value, prices: &Prices, at: i64) -> Option<Invoice> {
    let subscription_id = objects::invoice_subscription(object);
    let names_nothing = object.get("parent").is_none() && object.get("subscription").is_none();
    let user_id = object.pointer("/parent/subscription_details/metadata/user_id");
    (subscription_id.is_some() || names_nothing).then(|| Invoice {
        subscription_id,
        customer: CustomerRef {
            user_id: id(user_id).or(customer_ref(object).user_id),
            customer_id: customer_ref(object).customer_id,
        },
        is_sold_here: objects::invoice_is_for_sold_price(object, prices),
        at,
    })
}

/// A session that was created here names the user twice. Sessions of payment links and of other
/// programs on the same account don't, and are ignored.
fn checked_out(object: &Value, prices: &Prices, at: i64) -> Option<EventPayload> {
    let metadata_user_id = id(object.pointer("/metadata/user_id"));
    if metadata_user_id.is_none() || metadata_user_id != id(object.get("client_reference_id")) {
        return Some(EventPayload::NotSoldHere(
            "the checkout was not created here",
        ));
    }
    let session = session(object, at)?;
    let currency = object.get("currency").and_then(Value::as_str);
    let is_other_currency =
        currency.is_none_or(|currency| !currency.eq_ignore_ascii_case(prices.currency));
    Some(if session.credit_cents.is_some() && is_other_currency {
        EventPayload::NotSoldHere("the credit is in another currency")
    } else {
        EventPayload::CheckedOut(session, customer_ref(object))
    })
}

fn session(object: &Value, at: i64) -> Option<CheckoutSession> {
    let text = |name: &str| object.get(name).and_then(Value::as_str);
    let is_paid_credit =
        text("mode") == Some("payment") && text("payment_status") != Some("unpaid");
    let amount = object.get("amount_total").and_then(Value::as_i64);
    Some(CheckoutSession {
        id: id(object.get("id"))?,
        subscription_id: reference(object.get("subscription")),
        credit_cents: amount.filter(|amount| is_paid_credit && *amount > 0),
        at,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const PRICES: Prices<'_> = Prices {
        monthly: [Some("price_m"), None],
        annual: [None, None],
        currency: "usd",
    };

    fn read(kind: &str, object: Value) -> EventPayload {
        let event = json!({"id": "evt_1", "type": kind, "created": 5, "data": {"object": object}});
        PaymentEvent::read(event.as_object().unwrap(), &PRICES)
            .unwrap()
            .payload
    }

    #[test]
    fn invalid_events_are_refused_and_unknown_ones_are_accepted() {
        for invalid in [
            json!({}),
            json!({"id": 7, "type": "x"}),
            json!({"id": "evt_1"}),
            json!({"id": "evt_1", "type": "line\nbreak"}),
        ] {
            assert!(PaymentEvent::read(invalid.as_object().unwrap(), &PRICES).is_err());
        }
        let unknown = |payload: &EventPayload| matches!(payload, EventPayload::Unknown);
        assert!(unknown(&read("charge.refunded", json!({"id": "ch_1"}))));
        assert!(unknown(&read("customer.subscription.updated", json!({}))));
        assert!(unknown(&read("customer.subscription.updated", json!(7))));
        assert!(unknown(&read("customer.deleted", json!({"id": "a/b"}))));
    }

    #[test]
    fn the_type_of_an_event_overrides_the_objects_status() {
        use PaymentStatus::{Active, Canceled, Free, PastDue, Trial};
        let cases = [
            ("created", json!("active"), Some(Active)),
            ("created", json!("trialing"), Some(Trial)),
            ("created", json!("incomplete"), Some(Free)),
            ("created", json!(null), Some(Active)),
            ("created", json!("newfangled"), None),
            ("updated", json!("paused"), Some(PastDue)),
            ("updated", json!(null), None),
            ("deleted", json!("active"), Some(Canceled)),
            ("deleted", json!(null), Some(Canceled)),
            ("paused", json!("paused"), Some(PastDue)),
            ("resumed", json!("active"), Some(Active)),
        ];
        for (kind, word, expected) in cases {
            let kind = format!("customer.subscription.{kind}");
            let object = json!({"id": "sub_1", "status": word});
            let EventPayload::Subscription(statement, _) = read(&kind, object) else {
                panic!("{kind}");
            };
            assert_eq!(statement.status, expected, "{kind} {word}");
        }
    }

    /// A session that was created here, with other fields.
    fn session_with(fields: Value) -> Value {
        let mut session = json!({
            "id": "cs_1", "mode": "payment", "payment_status": "paid", "amount_total": 500,
            "currency": "usd", "client_reference_id": "u-1", "metadata": {"user_id": "u-1"},
        });
        let object = session.as_object_mut().unwrap();
        object.extend(fields.as_object().cloned().unwrap());
        session
    }

    #[test]
    fn only_paid_sessions_give_credit() {
        let credit = |object: Value| match read("checkout.session.completed", object) {
            EventPayload::CheckedOut(session, _) => session.credit_cents,
            _ => panic!("no session"),
        };
        let session = |mode: &str, paid: &str, amount: i64| {
            session_with(json!({"mode": mode, "payment_status": paid, "amount_total": amount}))
        };
        assert_eq!(credit(session("payment", "paid", 500)), Some(500));
        assert_eq!(credit(session("payment", "unpaid", 500)), None);
        assert_eq!(credit(session("subscription", "paid", 500)), None);
        assert_eq!(credit(session("payment", "paid", -500)), None);
    }

    #[test]
    fn only_sessions_created_here_count() {
        let counts = |fields: Value| {
            let payload = read("checkout.session.completed", session_with(fields));
            matches!(payload, EventPayload::CheckedOut(..))
        };
        for own in [
            json!({}),
            json!({"currency": "USD"}),
            json!({"mode": "subscription", "currency": "eur"}),
        ] {
            assert!(counts(own.clone()), "{own}");
        }
        for other in [
            json!({"metadata": {}}),
            json!({"metadata": null}),
            json!({"client_reference_id": null}),
            json!({"client_reference_id": "u-2"}),
            json!({"metadata": {"user_id": "u-2"}}),
            json!({"currency": "eur"}),
            json!({"currency": null}),
            json!({"mode": "subscription", "metadata": {}}),
        ] {
            assert!(!counts(other.clone()), "{other}");
        }
    }

    #[test]
    fn an_invoice_without_a_subscription_is_ignored() {
        let one_off = json!({"id": "in_1", "customer": "cus_1", "parent": null});
        assert!(matches!(
            read("invoice.payment_failed", one_off),
            EventPayload::Unknown
        ));
        let unnamed = json!({"id": "in_1", "customer": "cus_1"});
        assert!(matches!(
            read("invoice.payment_failed", unnamed),
            EventPayload::Unpaid(_)
        ));
    }
}
