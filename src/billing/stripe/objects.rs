//! Parses the provider's objects, including those of older API versions. A field of another type
//! counts as absent. Pure.

use serde_json::Value;

use crate::model::payment::{Details, ProviderStatement, Status};

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
pub(crate) fn subscription(
    object: &Value,
    prices: &Prices<'_>,
    at: i64,
) -> Option<ProviderStatement> {
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
        details: Some(Details {
            began_at: seconds(object, "created"),
            current_period_end: period_end,
            cancel_at_period_end: cancel.unwrap_or(false),
            plan: plan(item, object, prices).map(str::to_owned),
            trial_started_at: seconds(object, "trial_start"),
            trial_expires_at: seconds(object, "trial_end"),
        }),
        at,
    })
}

/// `None`: a word that we don't know.
pub(crate) fn status(word: &str) -> Option<Status> {
    match word {
        "trialing" => Some(Status::Trial),
        "active" => Some(Status::Active),
        "past_due" | "unpaid" | "paused" => Some(Status::PastDue),
        "canceled" => Some(Status::Canceled),
        "incomplete" | "incomplete_expired" => Some(Status::Free),
        _ => None,
    }
}

/// The subscription an invoice is for, in the newer place and the older one.
pub(crate) fn invoice_subscription(invoice: &Value) -> Option<String> {
    let newer = invoice.pointer("/parent/subscription_details/subscription");
    reference(newer).or_else(|| reference(invoice.get("subscription")))
}

/// Whether an invoice is for one of our prices, in the newer place and the older ones; `None`:
/// it names no price.
pub(crate) fn invoice_is_ours(invoice: &Value, prices: &Prices<'_>) -> Option<bool> {
    let lines = invoice.pointer("/lines/data")?.as_array()?;
    let ids = lines.iter().filter_map(|line| {
        let newer = line.pointer("/pricing/price_details/price");
        reference(newer)
            .or_else(|| reference(line.get("price")))
            .or_else(|| reference(line.get("plan")))
    });
    ids.map(|id| prices.plan(&id).is_some())
        .reduce(|any, ours| any || ours)
}

/// An id, or the id of the object that stands in its place.
pub(crate) fn reference(value: Option<&Value>) -> Option<String> {
    match value? {
        Value::Object(object) => id(object.get("id")),
        other => id(Some(other)),
    }
}

/// An id that can stand in a path and a log.
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
    let more = answer.get("has_more").and_then(Value::as_bool);
    Some((data, more.unwrap_or(false)))
}

pub(crate) fn seconds(object: &Value, name: &str) -> Option<i64> {
    let at = object.get(name)?.as_i64();
    at.filter(|at| (1..=LAST_SECOND).contains(at))
}

/// By the price's id. `None`: nothing that we sell, or sell any more.
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
        use Status::{Active, Canceled, Free, PastDue, Trial};
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
    fn periods_and_plans_stand_in_several_places() {
        let said = |rest: Value| {
            let mut object = json!({"id": "sub_1", "customer": "cus_1", "status": "active"});
            let fields = object.as_object_mut().unwrap();
            fields.extend(rest.as_object().cloned().unwrap());
            subscription(&object, &PRICES, 7).unwrap()
        };
        let details = |rest: Value| said(rest).details.unwrap();
        let newer = details(json!({"items": {"data": [
            {"current_period_end": 50, "price": {"id": "price_a"}}]}}));
        assert_eq!(newer.current_period_end, Some(50));
        assert_eq!(newer.plan.as_deref(), Some("annual"));
        let older = details(json!({"current_period_end": 60, "plan": {"id": "price_m"}}));
        assert_eq!(older.current_period_end, Some(60));
        assert_eq!(older.plan.as_deref(), Some("monthly"));
        let priced = |price: Value| details(json!({"items": {"data": [{"price": price}]}})).plan;
        let test = priced(json!({"id": "price_test_m"}));
        assert_eq!(test.as_deref(), Some("monthly"));
        let other = json!({"id": "price_x", "recurring": {"interval": "month"}});
        assert_eq!(priced(other), None, "another product's");
        let expanded = said(json!({"customer": {"id": "cus_9"}}));
        assert_eq!(expanded.customer_id.as_deref(), Some("cus_9"));
        let wrong = said(
            json!({"items": 7, "customer": 8, "status": [], "created": "x",
            "trial_end": -1, "trial_start": 253_402_300_800_i64, "cancel_at_period_end": "yes", "plan": "gold"}),
        );
        assert_eq!((wrong.customer_id, wrong.status), (None, None));
        assert_eq!(wrong.details, Some(Details::default()));
    }

    #[test]
    fn ids_can_stand_in_a_path() {
        for bad in ["", "../x", "a b", "a/b", "a?b", "\u{e9}", &"x".repeat(256)] {
            assert!(!is_id(bad), "{bad}");
        }
        assert!(is_id("sub_1ABC") && is_id("in_1-2"));
        assert_eq!(subscription(&json!({"id": "a/b"}), &PRICES, 1), None);
    }

    #[test]
    fn an_invoice_names_its_subscription_here_or_there() {
        let newer = json!({"parent": {"subscription_details": {"subscription": "sub_1"}}});
        let older = json!({"subscription": "sub_2"});
        assert_eq!(invoice_subscription(&newer).as_deref(), Some("sub_1"));
        assert_eq!(invoice_subscription(&older).as_deref(), Some("sub_2"));
        assert_eq!(invoice_subscription(&json!({"parent": null})), None);
    }

    #[test]
    fn an_invoice_names_its_prices_here_or_there() {
        let newer = |id: &str| json!({"pricing": {"price_details": {"price": id}}});
        let ours = |lines: Value| invoice_is_ours(&json!({"lines": {"data": lines}}), &PRICES);
        assert_eq!(ours(json!([newer("price_m")])), Some(true));
        assert_eq!(ours(json!([newer("price_x")])), Some(false));
        assert_eq!(
            ours(json!([newer("price_x"), newer("price_a")])),
            Some(true)
        );
        assert_eq!(ours(json!([{"price": {"id": "price_a"}}])), Some(true));
        assert_eq!(ours(json!([{"plan": {"id": "gold"}}])), Some(false));
        assert_eq!(ours(json!([{"amount": 5}])), None);
        assert_eq!(invoice_is_ours(&json!({}), &PRICES), None);
    }
}
