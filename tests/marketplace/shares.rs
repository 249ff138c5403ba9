//! What apps send has a share of a relay's outbox: replies and reminders keep the rest.

use super::*;
use support::token;

/// Every count that is kept, against the rows that it counts.
fn assert_exact(service: &Service) {
    let unfinished = "state IN ('queued', 'sent', 'received', 'executing')";
    let stored = service.rows(
        "SELECT agent_id, unfinished, unfinished_of_apps,
           (SELECT coalesce(sum(unfinished), 0) FROM app_commands WHERE app_commands.agent_id = agents.id)
         FROM agents ORDER BY id",
    );
    let counted = service.rows(&format!(
        "SELECT agents.agent_id, count(commands.id), count(app_creator_id), count(app_creator_id)
         FROM agents LEFT JOIN commands ON commands.agent_id = agents.id AND {unfinished}
         GROUP BY agents.id ORDER BY agents.id"
    ));
    assert_eq!(stored, counted);
    let none = service.rows("SELECT count(*) FROM app_commands WHERE unfinished = 0");
    assert_eq!(none, [[0]]);
}

/// An app of somebody in a hundred groups of one relay.
async fn crowd(settings: &[(&str, &str)]) -> Market {
    let market = Market::on(Service::with(settings).await).await;
    let service = &market.service;
    service.set_flag("rate_limit.enabled", false).await;
    service.set_flag("free_tier.enabled", false).await;
    for room in 0..100 {
        let message = support::group(&format!("g{room}"), CREATOR, "hi");
        assert_eq!(service.edge_message("a", &message).await.status, 200);
        let path = format!("/marketplace/apps/{}/rooms/g{room}", market.app_id);
        let install = request("PUT", &path).bearer(&market.token);
        assert_eq!(service.send(&install).await.status, 200);
    }
    market
}

#[tokio::test(flavor = "multi_thread")]
async fn a_creator_has_five_hundred_commands_at_a_relay() {
    let market = crowd(&[("CHATKEEP_EDGE_COMMANDS_PER_MINUTE", "1000")]).await;
    let body = r#"{"title":"x","n":1}"#;
    for _ in 0..5 {
        assert_eq!(market.call(body).await.status, 200);
    }
    refused(&market.call(body).await, 500, "action_failed");
    assert_exact(&market.service);

    // Another creator's app speaks, at the same relay.
    let service = &market.service;
    let other = person(service, "+15550102").await;
    let app_id = app(service, &other, &json!([says("say", "other")])).await;
    let created = hook(service, &other, &app_id, &json!({"action_id": "say"})).await;
    let (id, secret) = (created["webhook_id"].as_str(), created["secret"].as_str());
    let call = signed(id.unwrap(), secret.unwrap(), "{}");
    assert_eq!(service.send(&call).await.status, 200);

    // What the relay finished makes room, in this process and in the next.
    let poll = async |service: &Service, body: Value| {
        let poll = post("/edge/sync", &body).bearer(&token("a"));
        let answer = service.send(&poll).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()["commands"].as_array().unwrap().clone()
    };
    let list = poll(service, json!({"limit": 100})).await;
    assert_eq!(list.len(), 100);
    let (_, folder) = market.service.stop().await;
    let service = Service::in_folder(folder, &[], Clock::system()).await;
    assert_exact(&service);
    let ack: Vec<Value> = list
        .iter()
        .map(|command| json!({"command_id": command["command_id"], "success": true}))
        .collect();
    poll(&service, json!({"acks": ack, "limit": 1})).await;
    assert_exact(&service);
    let call = signed(&market.webhook_id, &market.secret, body);
    assert_eq!(service.send(&call).await.status, 200);
    refused(&service.send(&call).await, 500, "action_failed");
    assert_exact(&service);
}

#[tokio::test(flavor = "multi_thread")]
async fn apps_leave_the_half_to_replies_and_reminders() {
    let market = Market::open().await;
    let service = &market.service;
    let fill = |of_apps: i64| {
        let database = service.folder.path().join("chatkeep.db");
        let sql =
            format!("UPDATE agents SET unfinished = {of_apps}, unfinished_of_apps = {of_apps}");
        let conn = rusqlite::Connection::open(database).unwrap();
        conn.execute(&sql, []).unwrap();
    };
    let body = r#"{"title":"x","n":1}"#;
    fill(4_999);
    assert_eq!(market.call(body).await.status, 200);
    refused(&market.call(body).await, 500, "action_failed");
    let reminder = direct(CREATOR, "remind me in 1 second to stretch");
    assert_eq!(service.edge_message("a", &reminder).await.status, 200);
    support::eventually("the reminder", async || market.sent_texts().len() == 2).await;
    assert!(
        market.sent_texts()[1].contains("stretch"),
        "{:?}",
        market.sent_texts()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn counts_stay_exact_when_a_chat_moves_to_another_relay() {
    let market = Market::open().await;
    let service = &market.service;
    for n in 0..3 {
        assert_eq!(
            market
                .call(&format!(r#"{{"title":"x","n":{n}}}"#))
                .await
                .status,
            200
        );
    }
    assert_exact(service);
    let answer = service.edge_message("b", &direct(CREATOR, "hello")).await;
    assert_eq!(answer.status, 200);
    assert_exact(service);
    let rows = service.rows("SELECT unfinished_of_apps FROM agents ORDER BY agent_id");
    assert_eq!(rows, [[0], [3]]);
}
