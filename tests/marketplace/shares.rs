//! What apps send has a share of a relay's outbox: replies and reminders keep the rest.

use super::*;
use chatkeep::store::{AgentId, UserId};
use support::token;

/// The room that is left for everybody and for each creator, against the rows that are counted.
async fn assert_exact(service: &Service) {
    let unfinished = "state IN ('queued', 'sent', 'received', 'executing')";
    let left = service.rows(&format!(
        "SELECT agents.id, NULL, 10000 - count(commands.id)
         FROM agents LEFT JOIN commands ON commands.agent_id = agents.id AND {unfinished}
         GROUP BY agents.id
         UNION ALL
         SELECT agents.id, users.id, 500 - count(commands.id)
         FROM agents, users LEFT JOIN commands
           ON commands.agent_id = agents.id AND app_creator_id = users.id AND {unfinished}
         GROUP BY agents.id, users.id"
    ));
    assert!(left.len() >= 2, "{left:?}");
    for row in left {
        let agent = AgentId(row[0].as_i64().unwrap());
        let creator = row[1].as_i64().map(UserId);
        let left = row[2].as_u64().unwrap() as usize;
        let has_room = service.app.store.write(move |tx| {
            let has_room = tx.has_room_for(agent, left, creator)?;
            Ok((has_room, tx.has_room_for(agent, left + 1, creator)?))
        });
        assert_eq!(has_room.await.unwrap(), (true, false), "{row:?}");
    }
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
    assert_exact(&market.service).await;

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
    assert_exact(&service).await;
    let ack: Vec<Value> = list
        .iter()
        .map(|command| json!({"command_id": command["command_id"], "success": true}))
        .collect();
    poll(&service, json!({"acks": ack, "limit": 1})).await;
    assert_exact(&service).await;
    let call = signed(&market.webhook_id, &market.secret, body);
    assert_eq!(service.send(&call).await.status, 200);
    refused(&service.send(&call).await, 500, "action_failed");
    assert_exact(&service).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn apps_leave_the_half_to_replies_and_reminders() {
    let market = Market::open().await;
    let service = &market.service;
    let body = r#"{"title":"x","n":1}"#;
    service.fill_outbox("a", 4_999, true).await;
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
    assert_exact(service).await;
    let answer = service.edge_message("b", &direct(CREATOR, "hello")).await;
    assert_eq!(answer.status, 200);
    assert_exact(service).await;
    let rows = service.rows(
        "SELECT count(commands.id) FROM agents LEFT JOIN commands ON commands.agent_id = agents.id
           AND finished_at IS NULL AND app_creator_id IS NOT NULL
         GROUP BY agents.id ORDER BY agents.agent_id",
    );
    assert_eq!(rows, [[0], [3]]);
}
