//! What becomes of a reply whose making panics, and of those behind it.

use serde_json::Value;

use super::*;
use crate::clock::Clock;
use crate::edge::hub::{self, Hub};
use crate::flags::Flags;
use crate::ingest::replies::{Replies, Settings};
use crate::ingest::voice::Voice;
use crate::media::Photos;
use crate::memory::Memories;
use crate::setting::Setting;
use crate::store::{Options, Store, look};

const DATABASE: &str = "
    INSERT INTO users (id, user_id, phone, created_at) VALUES (1, 'u', 'ana', 0);
    INSERT INTO rooms (id, chat_guid, mode, owner_id, members, created_at)
      VALUES (1, 'chat', 'direct', 1, x'', 0);
    INSERT INTO messages (id, room_id, user_id, sent_at, received_at, sender, text, counted, unwritten)
      VALUES (1, 1, 1, 0, 0, 'ana', 'hi', 0, -1), (2, 1, 1, 0, 0, 'ana', 'hi', 0, -1);
    INSERT INTO pending_replies (message_id, room_id, unprompted) VALUES (1, 1, 0), (2, 1, 0);";

fn ingest(store: Store) -> Arc<Ingest> {
    let (store, clock) = (Arc::new(store), Clock::system());
    let terms = hub::Settings {
        heartbeat_s: 30,
        silence_s: 90,
        ack_timeout_s: 30,
        max_in_flight: 64,
        command_ttl_s: 60,
    };
    let hub = Hub::new(store.clone(), clock.clone(), terms, String::new());
    let flags = Arc::new(Flags::new(false, clock.clone()));
    let replies = Replies::new(Settings {
        model: None,
        system_prompt: Setting::new(None),
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
    let voice = Voice {
        persona: "Juno".to_owned(),
        ..Voice::default()
    };
    let memories = Memories::new(store.clone(), flags.clone(), clock.clone(), None);
    let memories = Arc::new(memories);
    Arc::new(Ingest::new(
        store, hub, flags, clock, voice, memories, replies,
    ))
}

/// On one thread, so that a making has not begun before it is replaced.
#[tokio::test]
async fn a_panic_is_apologized_for_and_the_next_has_its_turn() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("chatkeep.db");
    let options = Options {
        path: path.clone(),
        full_durability: false,
        readers: 2,
        payment_provider: false,
    };
    drop(Store::open(&options).unwrap());
    let conn = rusqlite::Connection::open(&path).unwrap();
    conn.execute_batch(DATABASE).unwrap();
    drop(conn);
    let ingest = ingest(Store::open(&options).unwrap());
    let mut desk = Desk::new(ingest.clone());
    assert!(!desk.look().await.unwrap());
    assert_eq!(desk.count, 2);
    // In the place of the first one's making.
    desk.under_way.shutdown().await;
    desk.tasks.clear();
    let broken = desk
        .under_way
        .spawn(async { panic!("as a mistake of ours would") });
    desk.tasks.insert(broken.id(), RoomId(1));
    while let Some(ended) = desk.under_way.join_next_with_id().await {
        match ended {
            Ok((task, ())) => desk.ended(task, false),
            Err(error) => desk.ended(error.id(), error.is_panic()),
        }
    }
    assert_eq!((desk.count, desk.rooms.len(), desk.tasks.len()), (0, 0, 0));
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
