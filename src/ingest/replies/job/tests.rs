//! A reply whose making panics, and the replies queued after it; and a reply that its relay has no
//! room for.

use serde_json::Value;

use super::*;
use crate::assistant::persona::Persona;
use crate::clock::{Clock, Timestamp};
use crate::edge::hub::{self, Hub};
use crate::flags::Flags;
use crate::ingest::replies::{Replies, ReplySettings};
use crate::mcp::McpServers;
use crate::media::Photos;
use crate::memory::Memories;
use crate::setting::Setting;
use crate::store::{AgentId, CommandState, Store, look};

const DATABASE: &str = "
    INSERT INTO users (id, user_id, phone, created_at) VALUES (1, 'u', 'ana', 0);
    INSERT INTO rooms (id, chat_guid, mode, owner_id, members, created_at)
      VALUES (1, 'chat', 'direct', 1, x'', 0);
    INSERT INTO messages (id, room_id, user_id, sent_s, received_at, sender, text, counted, unwritten)
      VALUES (1, 1, 1, 0, 0, 'ana', 'hi', 0, -1), (2, 1, 1, 0, 0, 'ana', 'hi', 0, -1);
    INSERT INTO pending_replies (message_id, room_id, unprompted) VALUES (1, 1, 0), (2, 1, 0);";

fn ingest(store: Store, clock: Clock) -> Arc<Ingest> {
    let store = Arc::new(store);
    let terms = hub::HubSettings {
        heartbeat_s: 30,
        silence_s: 90,
        ack_timeout_s: 30,
        max_in_flight: 64,
        command_ttl_s: 60,
        commands_per_minute: 50,
    };
    let hub = Hub::new(store.clone(), clock.clone(), terms, String::new());
    let flags = Arc::new(Flags::new(false, clock.clone()));
    let replies = Replies::new(ReplySettings {
        model: None,
        mcp: Setting::new(McpServers::default()),
        system_prompt: Setting::new(None),
        stream: false,
        deadline_s: 25,
        pending: 2,
        photos: Arc::new(Photos::new(
            store.clone(),
            clock.clone(),
            "chatkeep.db".as_ref(),
            "http://127.0.0.1:8080",
            7,
        )),
    });
    let persona = Persona {
        name: "Juno".to_owned(),
        ..Persona::default()
    };
    let memories = Memories::new(store.clone(), flags.clone(), clock.clone(), None);
    let memories = Arc::new(memories);
    Arc::new(Ingest::new(
        store, hub, flags, clock, persona, memories, replies,
    ))
}

/// On one thread, so that a making has not begun before it is replaced.
#[tokio::test]
async fn a_panic_is_apologized_for_and_the_next_has_its_turn() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("chatkeep.db");
    drop(Store::open_in(folder.path()));
    let conn = rusqlite::Connection::open(&path).unwrap();
    conn.execute_batch(DATABASE).unwrap();
    drop(conn);
    let ingest = ingest(Store::open_in(folder.path()), Clock::system());
    let mut queues = RoomQueues::new(ingest.clone());
    assert!(!queues.read_new().await.unwrap());
    assert_eq!(queues.count, 2);
    // In the place of the first one's making.
    queues.under_way.shutdown().await;
    queues.tasks.clear();
    let broken = queues
        .under_way
        .spawn(async { panic!("as a mistake of ours would") });
    queues.tasks.insert(broken.id(), RoomId(1));
    while let Some(ended) = queues.under_way.join_next_with_id().await {
        match ended {
            Ok((task, ())) => queues.ended(task, false),
            Err(error) => queues.ended(error.id(), error.is_panic()),
        }
    }
    assert_eq!(
        (queues.count, queues.rooms.len(), queues.tasks.len()),
        (0, 0, 0)
    );
    for (id, failure) in [(1, "internal"), (2, "no model")] {
        let message = look(&path, |view| view.message(id)).unwrap().unwrap();
        assert!(message.bubbles.unwrap().contains("can't find the words"));
        let decision: Value = serde_json::from_str(&message.decision.unwrap()).unwrap();
        assert_eq!(decision["failure"], failure);
    }
    assert!(!ingest.replies.are_too_many());
    let left = look(&path, |view| view.count_pending_replies()).unwrap();
    assert_eq!(left, 0);
}

/// A relay that is full: its replies wait, however long, and take no place of others'.
#[tokio::test]
async fn a_reply_waits_for_its_relay_as_long_as_its_command_would_live() {
    for freed in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("chatkeep.db");
        drop(Store::open_in(folder.path()));
        let conn = rusqlite::Connection::open(&path).unwrap();
        conn.execute_batch(DATABASE).unwrap();
        conn.execute_batch(
            "INSERT INTO agents (id, agent_id, created_at) VALUES (1, 'a', 0);
             WITH RECURSIVE n(seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM n WHERE seq < 10000)
             INSERT INTO commands (agent_id, seq, command_id, room_id, kind, payload, state,
               created_at, expires_at)
             SELECT 1, seq, seq, 0, 'send_message_now', '{}', 'queued', 0, 4000000000000 FROM n;
             UPDATE messages SET agent_id = 1;
             UPDATE pending_replies SET late = 1, starts = 2;",
        )
        .unwrap();
        let clock = Clock::fixed(Timestamp(0));
        let ingest = ingest(Store::open_in(folder.path()), clock.clone());
        let mut queues = RoomQueues::new(ingest.clone());
        queues.delivery_pause = Duration::ZERO;
        queues.read_new().await.unwrap();
        let room = queues.blocked.recv().await.unwrap();
        queues.set_blocked(room);
        assert_eq!(
            (queues.count, queues.rooms.len()),
            (0, 1),
            "no place of others'"
        );
        for _ in 0..100 {
            ingest.store.write(|_| Ok(())).await.unwrap(); // others' writes between its tries
        }
        let left = || look(&path, |view| view.count_pending_replies()).unwrap();
        assert_eq!(left(), 2);
        if freed {
            let end = ingest.store.write(|tx| {
                for seq in 1..=10_000 {
                    let (agent, now) = (AgentId(1), Timestamp(0));
                    tx.finish_command(agent, seq, CommandState::Completed, None, now)?;
                }
                Ok(())
            });
            end.await.unwrap();
        }
        for reply in 0..2 {
            if !freed {
                if reply > 0 {
                    queues.blocked.recv().await.unwrap();
                }
                clock.advance(60_000);
            }
            let ended = queues.under_way.join_next_with_id().await;
            queues.ended(ended.unwrap().unwrap().0, false);
        }
        assert_eq!((left(), queues.count, queues.rooms.len()), (0, 0, 0));
        let sql =
            "SELECT count(*), (SELECT count(late) FROM messages) FROM commands WHERE room_id <> 0";
        let (commands, stored): (i64, i64) = conn
            .query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap();
        assert_eq!((commands, stored), (if freed { 2 } else { 0 }, 2));
    }
}
