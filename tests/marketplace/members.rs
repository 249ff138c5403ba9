//! An app speaks in a room as long as whoever installed it takes part there; who takes part
//! sees a room's apps and removes them, and so does its owner.

use super::*;

const ANA: &str = "+15550102";
const BEN: &str = "+15550103";
const ROOM: &str = "/marketplace/rooms/g1/apps";

/// A message of a group with these participants.
fn message(sender: &str, participants: &[&str]) -> Value {
    let mut message = support::group("g1", sender, "hi");
    message["participants"] = json!(participants);
    message
}

async fn write(service: &Service, sender: &str, participants: &[&str]) {
    let answer = service
        .edge_message("a", &message(sender, participants))
        .await;
    assert_eq!(answer.status, 200, "{}", answer.text);
}

async fn ask(service: &Service, token: &str, method: &str, path: &str) -> Answer {
    service.send(&request(method, path).bearer(token)).await
}

/// A group of three, which Ana owns, with the creator's app in it.
async fn group_with_app() -> (Market, String, String) {
    let market = Market::open().await;
    let service = &market.service;
    for sender in [ANA, BEN, CREATOR] {
        write(service, sender, &[ANA, BEN, CREATOR]).await;
    }
    let tokens = [ANA, BEN].map(|phone| service.user_token(&service.user_id(phone)));
    let path = format!("/marketplace/apps/{}/rooms/g1", market.app_id);
    assert_eq!(ask(service, &market.token, "PUT", &path).await.status, 200);
    let [ana, ben] = tokens;
    (market, ana, ben)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_former_direct_chat_has_no_apps() {
    let market = Market::open().await;
    let service = &market.service;
    let chat = format!("chat;{CREATOR}");
    let answer = service
        .edge_message("a", &support::group(&chat, ANA, "hi"))
        .await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let rooms = service.rows("SELECT id FROM rooms WHERE mode = 'direct'");
    let former = format!("{chat}%01direct%20{}", rooms[0][0]);
    let path = format!("/marketplace/apps/{}/rooms/{former}", market.app_id);
    for method in ["PUT", "DELETE"] {
        let answer = ask(service, &market.token, method, &path).await;
        refused(&answer, 404, "not_found");
    }
    let path = format!("/marketplace/rooms/{former}/apps");
    let answer = ask(service, &market.token, "GET", &path).await;
    refused(&answer, 404, "not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_app_is_silent_when_its_installer_is_gone() {
    let (market, ana, ben) = group_with_app().await;
    let (service, body) = (&market.service, r#"{"title":"x","n":1}"#);
    assert_eq!(market.call(body).await.status, 200);
    assert_eq!(market.sent_texts(), ["x 1"]);
    // The creator is removed from the group, which the relay's next message tells.
    write(service, BEN, &[ANA, BEN]).await;
    refused(&market.call(body).await, 500, "action_failed");
    let event = &market.events().await[0];
    let why = event["error_message"].as_str().unwrap();
    assert!(why.contains("install it again"), "{why}");
    assert_eq!(market.sent_texts(), ["x 1"], "nowhere else either");
    let path = format!("/marketplace/apps/{}/rooms/g1", market.app_id);
    for method in ["PUT", "DELETE"] {
        refused(
            &ask(service, &market.token, method, &path).await,
            404,
            "not_found",
        );
    }
    refused(
        &ask(service, &market.token, "GET", ROOM).await,
        404,
        "not_found",
    );
    let apps = ask(service, &ana, "GET", ROOM).await.json();
    assert_eq!(apps["apps"][0]["installed_by"], Value::Null);
    // Back in the group it speaks again.
    write(service, BEN, &[ANA, BEN, CREATOR]).await;
    assert_eq!(market.call(body).await.status, 200);
    // Gone for good: another member stands for it, and takes it out.
    write(service, BEN, &[ANA, BEN]).await;
    assert_eq!(ask(service, &ben, "PUT", &path).await.status, 200);
    assert_eq!(market.call(body).await.status, 200);
    let apps = ask(service, &ana, "GET", ROOM).await.json();
    assert_eq!(apps["apps"][0]["installed_by"], BEN);
    assert_eq!(market.sent_texts().len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_begin_where_the_installer_takes_part() {
    let (mut market, ..) = group_with_app().await;
    let play = json!([{"action_id": "play", "kind": "start_session"}]);
    market.app_id = app(&market.service, &market.token, &play).await;
    let body = json!({"action_id": "play"});
    let created = hook(&market.service, &market.token, &market.app_id, &body).await;
    market.webhook_id = created["webhook_id"].as_str().unwrap().to_owned();
    market.secret = created["secret"].as_str().unwrap().to_owned();
    let path = format!("/marketplace/apps/{}/rooms/g1", market.app_id);
    let installed = ask(&market.service, &market.token, "PUT", &path).await;
    assert_eq!(installed.status, 200);
    write(&market.service, BEN, &[ANA, BEN]).await;
    refused(&market.call("{}").await, 500, "action_failed");
    let sessions = market.service.rows("SELECT count(*) FROM miniapp_sessions");
    assert_eq!(sessions, [[0]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn members_and_the_owner_see_and_remove_a_room_s_apps() {
    let (market, ana, ben) = group_with_app().await;
    let service = &market.service;
    let path = format!("/marketplace/apps/{}/rooms/g1", market.app_id);
    for token in [&market.token, &ben, &ana] {
        let answer = ask(service, token, "GET", ROOM).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        let mut apps = answer.json();
        let at = apps["apps"][0]["installed_at"].take();
        assert!(at.as_str().is_some_and(|at| at.ends_with('Z')));
        let expected = json!({"apps": [{"app_id": market.app_id, "name": "Door bell",
            "description": "", "installed_at": null, "installed_by": CREATOR}], "total": 1});
        assert_eq!(apps, expected);
        assert_eq!(ask(service, token, "DELETE", &path).await.status, 200);
        assert_eq!(ask(service, token, "GET", ROOM).await.json()["total"], 0);
        assert_eq!(ask(service, &market.token, "PUT", &path).await.status, 200);
    }
    // The owner, who left the group, still may; somebody else may not.
    write(service, BEN, &[BEN, CREATOR]).await;
    assert_eq!(ask(service, &ana, "GET", ROOM).await.json()["total"], 1);
    refused(&ask(service, &ana, "PUT", &path).await, 404, "not_found");
    assert_eq!(ask(service, &ana, "DELETE", &path).await.status, 200);
    let stranger = person(service, "+15550109").await;
    refused(
        &ask(service, &stranger, "GET", ROOM).await,
        404,
        "not_found",
    );
    refused(
        &ask(service, &stranger, "DELETE", &path).await,
        404,
        "not_found",
    );
}

/// The owner that the relay names takes part, also before they have written.
#[tokio::test(flavor = "multi_thread")]
async fn a_named_owner_takes_part() {
    let market = Market::open().await;
    let service = &market.service;
    let mut message = support::group("g1", ANA, "hi");
    message["participants"] = json!([]);
    message["context"] = json!({"owner": CREATOR});
    assert_eq!(service.edge_message("a", &message).await.status, 200);
    let path = format!("/marketplace/apps/{}/rooms/g1", market.app_id);
    assert_eq!(ask(service, &market.token, "PUT", &path).await.status, 200);
    assert_eq!(market.call(r#"{"title":"x","n":1}"#).await.status, 200);
    let rooms = service.rows("SELECT chat_guid FROM commands JOIN rooms ON rooms.id = room_id");
    assert_eq!(rooms, [["g1"]]);
}

/// A message that Ben's app in his direct chat sent waits there until somebody else writes alone in it.
/// It then goes to another direct chat of his, and never to the app's creator.
#[tokio::test(flavor = "multi_thread")]
async fn a_message_of_an_app_follows_the_person_of_a_direct_chat() {
    let market = Market::open().await;
    let service = &market.service;
    let token = person(service, BEN).await;
    let path = format!("/marketplace/apps/{}/rooms/chat;{BEN}", market.app_id);
    let installed = ask(service, &token, "PUT", &path).await;
    assert_eq!(installed.status, 200, "{}", installed.text);
    assert_eq!(market.call(r#"{"title":"x","n":1}"#).await.status, 200);
    let mut in_other = direct(BEN, "hi");
    in_other["chat_guid"] = json!("other");
    let mut of_ana = direct(ANA, "hi");
    of_ana["chat_guid"] = json!(format!("chat;{BEN}"));
    for message in [in_other, of_ana] {
        let answer = service.edge_message("a", &message).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    }
    let sent = "SELECT json_extract(payload, '$.chat_guid'), json_extract(payload, '$.text')
                FROM commands WHERE state = 'queued'";
    assert_eq!(service.rows(sent), [["other", "x 1"]]);
}
