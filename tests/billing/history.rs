//! `GET /billing/history`: the customer's invoices with receipts, page by page.

use super::*;

fn bill(n: usize, customer: &str) -> Value {
    json!({
        "id": format!("in_{n}"), "object": "invoice", "customer": customer,
        "created": 1_790_000_000 - n as i64, "total": 1_000 + n, "currency": "usd",
        "description": null, "number": format!("A-{n}"), "status": "paid",
        "hosted_invoice_url": format!("https://invoices.example/{n}"),
        "payments": {"data": [{"payment": {"payment_intent": format!("pi_{n}")}}]},
    })
}

fn charge(n: usize, customer: &str) -> Value {
    json!({
        "id": format!("ch_{n}"), "customer": customer, "payment_intent": format!("pi_{n}"),
        "receipt_url": format!("https://receipts.example/{n}"),
    })
}

async fn read(world: &World, user: &str, query: &str) -> Value {
    let answer = world.get(user, &format!("/billing/history{query}")).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()
}

fn ids(history: &Value) -> Vec<&str> {
    let transactions = history["transactions"].as_array().unwrap();
    transactions
        .iter()
        .map(|t| t["id"].as_str().unwrap())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invoice_is_shown_with_its_receipt() {
    let world = World::start().await;
    let user = world.customer("cus_1").await;
    let bare = json!({
        "id": "in_0", "customer": "cus_1", "created": 1_790_000_000, "total": 0,
        "currency": "EUR", "description": "A trial", "status": "draft",
    });
    {
        let mut state = world.stripe.state();
        state.invoices = vec![bare, bill(1, "cus_1"), bill(2, "cus_other")];
        state.charges = vec![charge(1, "cus_1"), charge(2, "cus_other")];
    }
    let history = read(&world, &user, "").await;
    let expected = json!({
        "transactions": [
            {"id": "in_0", "date": "2026-09-21T14:13:20.000Z", "amount": 0, "currency": "eur",
             "description": "A trial", "status": "draft", "invoice_url": "", "receipt_url": ""},
            {"id": "in_1", "date": "2026-09-21T14:13:19.000Z", "amount": 1_001, "currency": "usd",
             "description": "A-1", "status": "paid",
             "invoice_url": "https://invoices.example/1",
             "receipt_url": "https://receipts.example/1"},
        ],
        "has_more": false, "total_count": 2,
    });
    assert_eq!(history, expected);
    let requests = world.stripe.requests_for("GET", "/v1/invoices");
    assert_eq!(requests[0].one("expand[]"), "data.payments");
    assert_eq!(requests[0].one("limit"), "20");
    let never = world.user().await;
    let empty = json!({"transactions": [], "has_more": false, "total_count": 0});
    assert_eq!(read(&world, &never, "").await, empty);
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_follow_each_other_and_count_all() {
    let world = World::start().await;
    let user = world.customer("cus_1").await;
    world.stripe.state().invoices = (1..=250).map(|n| bill(n, "cus_1")).collect();
    let first = read(&world, &user, "").await;
    assert_eq!(ids(&first).len(), 20);
    assert_eq!(
        (&first["has_more"], &first["total_count"]),
        (&json!(true), &json!(250))
    );
    let second = read(&world, &user, "?limit=100&starting_after=in_20").await;
    assert_eq!(ids(&second)[..2], ["in_21", "in_22"]);
    assert_eq!(
        (ids(&second).len(), &second["total_count"]),
        (100, &json!(250))
    );
    let last = read(&world, &user, "?limit=1&starting_after=in_249").await;
    assert_eq!(ids(&last), ["in_250"]);
    assert_eq!(
        (&last["has_more"], &last["total_count"]),
        (&json!(false), &json!(250))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_questions_are_refused() {
    let world = World::start().await;
    let user = world.customer("cus_1").await;
    for (query, field) in [
        ("?limit=0", "/limit"),
        ("?limit=101", "/limit"),
        ("?limit=+5", "/limit"),
        ("?limit=five", "/limit"),
        ("?limit=", "/limit"),
        ("?starting_after=", "/starting_after"),
        ("?starting_after=in_1%26limit%3D5", "/starting_after"),
        ("?starting_after=in_none", "/starting_after"),
    ] {
        let answer = world.get(&user, &format!("/billing/history{query}")).await;
        assert_eq!(
            (answer.status, answer.code()),
            (422, "validation_failed".into()),
            "{query}"
        );
        assert_eq!(answer.json()["errors"][0]["field"], field, "{query}");
    }
    let with_prefix = world.get(&user, "/api/v1/billing/history").await;
    assert_eq!(with_prefix.status, 404);
}
