//! Every use is a session: begun with the first turn, ended by word, by another superpower,
//! or by half an hour of quiet.

use super::support::Service;
use super::{
    MINUTE_MS, alone, in_group, naming, noon, say, send, service_at, sessions, subscriber, talk,
};
use crate::support::direct;

#[tokio::test(flavor = "multi_thread")]
async fn turns_are_counted_and_sessions_end() {
    let clock = noon();
    let service = service_at(&clock).await;
    subscriber(&service, "ana").await;
    talk(
        &service,
        alone("ana"),
        "add milk to my list → Added
         eggs done → don't see eggs
         status → subscribed
         add eggs → Added eggs
         done → that's it",
    )
    .await;
    assert_eq!(
        sessions(&service),
        [["todo_list".into(), "ended".into(), serde_json::json!(4)]]
    );
    // Without one, what only means something within it means nothing.
    talk(&service, alone("ana"), "remove bread → !Removed").await;
    say(&service, "ana", "my list").await;
    clock.advance(30 * MINUTE_MS - 1);
    talk(&service, alone("ana"), "add bread → Added bread").await;
    clock.advance(30 * MINUTE_MS);
    talk(
        &service,
        alone("ana"),
        "remove butter → !Removed
         mood 7 → Noted",
    )
    .await;
    let rows = service.rows(
        "SELECT app_id, state, message_count, ended_at - started_at FROM miniapp_sessions ORDER BY id",
    );
    let quiet = 60 * MINUTE_MS - 1;
    assert_eq!(
        rows[1],
        [
            "todo_list".into(),
            "ended".into(),
            2.into(),
            serde_json::json!(quiet)
        ]
    );
    assert_eq!(rows[2][1], "active");
    // Another superpower takes over.
    say(&service, "ana", "my list").await;
    assert_eq!(
        sessions(&service)[2..],
        [
            ["mood_tracker".into(), "ended".into(), serde_json::json!(1)],
            ["todo_list".into(), "active".into(), serde_json::json!(1)]
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn each_person_has_one_in_each_room() {
    let clock = noon();
    let service = service_at(&clock).await;
    subscriber(&service, "ana").await;
    talk(&service, in_group("ana"), "add milk to our list → Added").await;
    talk(&service, in_group("ben"), "what's on our list → milk").await;
    talk(&service, alone("ana"), "my list → empty").await;
    let rows = service.rows("SELECT count(*), count(DISTINCT user_id), count(DISTINCT room_id) FROM miniapp_sessions WHERE state = 'active'");
    assert_eq!(rows, [[3, 2, 2]]);
    let (_, folder) = service.stop().await;
    clock.advance(31 * MINUTE_MS);
    let service = Service::in_folder(folder, &[], clock).await;
    // What went quiet while it was down is over, also for the row.
    send(&service, &naming(direct("ana", "hello"), "todo_list")).await;
    let rows = service.rows("SELECT count(*) FROM miniapp_sessions WHERE state = 'active' AND user_id = (SELECT id FROM users WHERE phone = 'ana')");
    assert_eq!(rows, [[2]], "the one in the group is ended by housekeeping");
}
