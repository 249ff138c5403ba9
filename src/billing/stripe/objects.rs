//! Parses the provider's objects, including those of older API versions. A field of another type
//! counts as absent. Pure.

use serde_json::Value;

use crate::model::payment::{PaymentStatus, ProviderStatement, SubscriptionDetails};

/// The end of the year 9999; later times are refused.
const LAST_SECOND: i64 = 253_402_300_799;
/// Longer than any id of the provider.
const ID_BYTES_MAX: usize = 255;

/// Price ids of the plans, including those of test mode.
pub(crate) struct Prices<'a> {
    pub(crate) monthly: [Option<&'a str>; 2],
    pub(crate) annual: [Option<&'a str>; 2],
    /// The currency of credit, in lower case.
    pub(crate) currency: &'a str,
}

impl Prices<'_> {
    fn plan(&self, price_id: &str) -> Option<&'static str> {
        if self.monthly.contains(&Some(price_id)) {
            Some("monthly")
        } else if self.annual.contains(&Some(price_id)) {
            Some("annual")
        } else {
            None
        }
    }
}

/// A subscription, as of `at` (Unix seconds).
pub(crate) fn subscription(object: &Value, prices: &Prices, at: i64) -> Option<ProviderStatement> {
    let item = object.pointer("/items/data/0");
    let period_end = item
        .and_then(|item| seconds(item, "current_period_end"))
        .or_else(|| seconds(object, "current_period_end"));
    let cancel = object.get("cancel_at_period_end").and_then(Value::as_bool);
    Some(ProviderStatement {
        subscription_id: id(object.get("id"))?,
        customer_id: reference(object.get("customer")),
        status: object
            .get("status")
            .and_then(Value::as_str)
            .and_then(status),
        details: Some(SubscriptionDetails {
            began_s: seconds(object, "created"),
            current_period_end_s: period_end,
            cancel_at_period_end: cancel.unwrap_or(false),
            plan: plan(item, object, prices).map(str::to_owned),
            trial_started_s: seconds(object, "trial_start"),
            trial_expires_s: seconds(object, "trial_end"),
        }),
        at,
    })
}

/// `None` for an unknown word.
pub(crate) fn status(word: &str) -> Option<PaymentStatus> {
    match word {
        "trialing" => Some(PaymentStatus::Trial),
        "active" => Some(PaymentStatus::Active),
        "past_due" | "unpaid" | "paused" => Some(PaymentStatus::PastDue),
        "canceled" => Some(PaymentStatus::Canceled),
        "incomplete" | "incomplete_expired" => Some(PaymentStatus::Free),
        _ => None,
    }
}

/// The subscription of an invoice, from the field of the current API or of older versions.
pub(crate) fn invoice_subscription(invoice: &Value) -> Option<String> {
    let newer = invoice.pointer("/parent/subscription_details/subscription");
    reference(newer).or_else(|| reference(invoice.get("subscription")))
}

/// Whether an invoice is for a price that is sold here, from the fields of the current API or of
/// older versions; `None` if the invoice names no price.
pub(crate) fn invoice_is_for_sold_price(invoice: &Value, prices: &Prices) -> Option<bool> {
    let lines = invoice.pointer("/lines/data")?.as_array()?;
    let ids = lines.iter().filter_map(|line| {
        let newer = line.pointer("/pricing/price_details/price");
        reference(newer)
            .or_else(|| reference(line.get("price")))
            .or_else(|| reference(line.get("plan")))
    });
    ids.map(|id| prices.plan(&id).is_some())
        .reduce(|any, is_sold| any || is_sold)
}

/// An id, or the id of an expanded object.
pub(crate) fn reference(value: Option<&Value>) -> Option<String> {
    match value? {
        Value::Object(object) => id(object.get("id")),
        other => id(Some(other)),
    }
}

/// An id that is safe in a path and in a log.
pub(crate) fn id(value: Option<&Value>) -> Option<String> {
    let text = value?.as_str()?;
    is_id(text).then(|| text.to_owned())
}

pub(crate) fn is_id(text: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
    (1..=ID_BYTES_MAX).contains(&text.len()) && text.bytes().all(plain)
}

/// The objects of a list, and whether there are more.
pub(crate) fn list(answer: &Value) -> Option<(&Vec<Value>, bool)> {
    let data = answer.get("data")?.as_array()?;
    let has_more = answer.get("has_more").and_then(Value::as_bool);
    Some((data, has_more.unwrap_or(false)))
}

pub(crate) fn seconds(object: &Value, name: &str) -> Option<i64> {
    let at = object.get(name)?.as_i64();
    at.filter(|at| (1..=LAST_SECOND).contains(at))
}

/// The plan of the price. `None` for a price that is not sold (any more).
fn plan(item: Option<&Value>, object: &Value, prices: &Prices<'_>) -> Option<&'static str> {
    let price = item
        .and_then(|item| item.get("price").or_else(|| item.get("plan")))
        .or_else(|| object.get("plan"));
    prices.plan(&reference(price)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const PRICES: Prices<'_> = Prices {
        monthly: [Some("price_m"), Some("price_test_m")],
        annual: [Some("price_a"), None],
        currency: "usd",
    };

    #[test]
    fn words_for_statuses() {
        use PaymentStatus::{Active, Canceled, Free, PastDue, Trial};
        let cases = [
            ("trialing", Some(Trial)),
            ("active", Some(Active)),
            ("past_due", Some(PastDue)),
            ("unpaid", Some(PastDue)),
            ("paused", Some(PastDue)),
            ("canceled", Some(Canceled)),
            ("incomplete", Some(Free)),
            ("incomplete_expired", Some(Free)),
            ("Active", None),
            ("", None),
        ];
        for (word, expected) in cases {
            assert_eq!(status(word), expected, "{word}");
        }
    }

    #[test]
    fn periods_and_plans_are_read_from_several_places() {
        let parsed = |rest: Value| {
            let mut object = json!({"id": "sub_1", "customer": "cus_1", "status": "active"});
            let fields = object.as_object_mut().unwrap();
            fields.extend(rest.as_object().cloned().unwrap());
            subscription(&object, &PRICES, 7).unwrap()
        };
        let details = |rest: Value| parsed(rest).details.unwrap();
        let newer = details(json!({"items": {"data": [
            {"current_period_end": 50, "price": {"id": "price_a"}}]}}));
        assert_eq!(newer.current_period_end_s, Some(50));
        assert_eq!(newer.plan.as_deref(), Some("annual"));
        let older = details(json!({"current_period_end": 60, "plan": {"id": "price_m"}}));
        assert_eq!(older.current_period_end_s, Some(60));
        assert_eq!(older.plan.as_deref(), Some("monthly"));
        let plan_of_price =
            |price: Value| details(json!({"items": {"data": [{"price": price}]}})).plan;
        let test = plan_of_price(json!({"id": "price_test_m"}));
        assert_eq!(test.as_deref(), Some("monthly"));
        let other = json!({"id": "price_x", "recurring": {"interval": "month"}});
        assert_eq!(plan_of_price(other), None, "another product's");
        let expanded = parsed(json!({"customer": {"id": "cus_9"}}));
        assert_eq!(expanded.customer_id.as_deref(), Some("cus_9"));
        let invalid = parsed(
            json!({"items": 7, "customer": 8, "status": [], "created": "x",
            "trial_end": -1, "trial_start": 253_402_300_800_i64, "cancel_at_period_end": "yes", "plan": "gold"}),
        );
        assert_eq!((invalid.customer_id, invalid.status), (None, None));
        assert_eq!(invalid.details, Some(SubscriptionDetails::default()));
    }

    #[test]
    fn ids_are_safe_in_a_path() {
        for invalid in ["", "../x", "a b", "a/b", "a?b", "\u{e9}", &"x".repeat(256)] {
            assert!(!is_id(invalid), "{invalid}");
        }
        assert!(is_id("sub_1ABC") && is_id("in_1-2"));
        assert_eq!(subscription(&json!({"id": "a/b"}), &PRICES, 1), None);
    }

    #[test]
    fn an_invoices_subscription_is_read_from_both_places() {
        let newer = json!({"parent": {"subscription_details": {"subscription": "sub_1"}}});
        let older = json!({"subscription": "sub_2"});
        assert_eq!(invoice_subscription(&newer).as_deref(), Some("sub_1"));
        assert_eq!(invoice_subscription(&older).as_deref(), Some("sub_2"));
        assert_eq!(invoice_subscription(&json!({"parent": null})), None);
    }

    #[test]
    fn an_invoices_prices_are_read_from_all_places() {
        let newer = |id: &str| json!({"pricing": {"price_details": {"price": id}}});
        let is_sold =
            |lines: Value| invoice_is_for_sold_price(&json!({"lines": {"data": lines}}), &PRICES);
        assert_eq!(is_sold(json!([newer("price_m")])), Some(true));
        assert_eq!(is_sold(json!([newer("price_x")])), Some(false));
        assert_eq!(
            is_sold(json!([newer("price_x"), newer("price_a")])),
            Some(true)
        );
        assert_eq!(is_sold(json!([{"price": {"id": "price_a"}}])), Some(true));
        assert_eq!(is_sold(json!([{"plan": {"id": "gold"}}])), Some(false));
        assert_eq!(is_sold(json!([{"amount": 5}])), None);
        assert_eq!(invoice_is_for_sold_price(&json!({}), &PRICES), None);
    }
}
