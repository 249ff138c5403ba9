//! Events against a model: what is read of them, also when closures fail and when the process is
//! killed at any moment.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::Connection;

use super::super::seeded_random::SeededRandom;
use super::super::{Store, Timestamp, Tx, WebhookId};
use super::NewEvent;
use crate::error::{Error, Result};

const WEBHOOKS: u64 = 5;
const ROUNDS: u64 = 60;
const SEEDS: u64 = 6;

/// The ids of each webhook's events, oldest first.
type Model = BTreeMap<i64, Vec<String>>;

/// An event to be logged, or undone after it was.
#[derive(Debug, Clone)]
struct Attempt {
    webhook: i64,
    event_id: String,
    fails: bool,
    repeatable: bool,
}

impl Attempt {
    fn random(random: &mut SeededRandom, number: usize) -> Self {
        Self {
            webhook: random.below(WEBHOOKS) as i64 + 1,
            event_id: format!("event {number}"),
            fails: random.below(6) == 0,
            repeatable: random.below(4) > 0,
        }
    }

    async fn run(&self, store: &Store) -> Result<()> {
        let this = self.clone();
        let log = move |tx: &mut Tx<'_>| {
            tx.insert_webhook_event(
                WebhookId(this.webhook),
                &NewEvent {
                    event_id: &this.event_id,
                    signature_valid: true,
                    action_triggered: "",
                    result_status: "ok",
                    error_message: None,
                    ip_address: "192.0.2.1",
                    now: Timestamp(1),
                },
            )?;
            (!this.fails).then_some(()).ok_or_else(Error::not_found)
        };
        match self.repeatable {
            true => store.write_repeatable(log).await,
            false => store.write(log).await,
        }
    }
}

fn make_webhooks(folder: &Path) {
    drop(Store::open_in(folder));
    let conn = Connection::open(folder.join("chatkeep.db")).unwrap();
    conn.execute_batch(
        "INSERT INTO users (id, user_id, phone, created_at) VALUES (1, 'u', '+15550100', 1);
         INSERT INTO apps (id, app_id, creator_id, name, description, actions, created_at)
         VALUES (1, 'a', 1, 'a', '', '[]', 1)",
    )
    .unwrap();
    for id in 1..=WEBHOOKS {
        conn.execute(
            "INSERT INTO webhooks (id, webhook_id, app_id, action_id, description, payload_mapping,
               scheme, rate_limit, is_active, secret, version, created_at, updated_at)
             VALUES (?1, 'w' || ?1, 1, 'a', '', '{}', 'plain', 60, 1, x'00', 1, 1, 1)",
            [id as i64],
        )
        .unwrap();
    }
}

/// What is stored, in the rings or not yet.
async fn logged(store: &Store) -> Model {
    let read = store.write(|tx| {
        let mut all = Model::new();
        for id in 1..=WEBHOOKS as i64 {
            let (events, total) =
                tx.webhook_events(WebhookId(id), usize::MAX >> 1, Timestamp(2))?;
            assert_eq!(events.len(), total);
            let ids = events.into_iter().rev().map(|event| event.event_id);
            all.insert(id, ids.collect());
        }
        Ok(all)
    });
    let mut all = read.await.unwrap();
    all.retain(|_, events| !events.is_empty());
    all
}

/// What the next start makes of the files as a kill would leave them now.
async fn check_after_kill(folder: &Path, model: &Model) {
    let killed = tempfile::tempdir().unwrap();
    for name in ["chatkeep.db", "chatkeep.db-wal"] {
        std::fs::copy(folder.join(name), killed.path().join(name)).unwrap();
    }
    // A second start changes nothing.
    for _ in 0..2 {
        let store = Store::open_in(killed.path());
        assert_eq!(logged(&store).await, *model);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn events_are_exact_whatever_is_undone_and_killed() {
    for seed in 1..=SEEDS {
        let mut random = SeededRandom::new(seed);
        let folder = tempfile::tempdir().unwrap();
        make_webhooks(folder.path());
        let store = Store::open_in(folder.path());
        let (mut model, mut number) = (Model::new(), 0);
        for _ in 0..ROUNDS {
            let group = random.below(9) as usize;
            let attempts: Vec<_> = (number..number + group)
                .map(|number| Attempt::random(&mut random, number))
                .collect();
            number += group;
            // They are queued in this order.
            let ended = futures_util::future::join_all(attempts.iter().map(|a| a.run(&store)));
            for (attempt, ended) in attempts.iter().zip(ended.await) {
                assert_eq!(ended.is_err(), attempt.fails, "{attempt:?}");
                if !attempt.fails {
                    let events = model.entry(attempt.webhook).or_default();
                    events.push(attempt.event_id.clone());
                }
            }
            match random.below(8) {
                0 => store.write(|tx| tx.settle_deferred()).await.unwrap(),
                1 => {
                    let settled = store.write(|tx| {
                        tx.settle_webhook_events()?;
                        Err::<(), _>(Error::not_found())
                    });
                    assert!(settled.await.is_err());
                }
                2 => {
                    let id = random.below(WEBHOOKS) as i64 + 1;
                    // Its cursor is read again.
                    store
                        .write(move |tx| {
                            tx.cache.remove_event_cursor(WebhookId(id));
                            Ok(())
                        })
                        .await
                        .unwrap();
                }
                3 => check_after_kill(folder.path(), &model).await,
                4 => assert_eq!(logged(&store).await, model),
                _ => {}
            }
        }
        let deleted = random.below(WEBHOOKS) as i64 + 1;
        let delete = store.write(move |tx| tx.delete_webhook(WebhookId(deleted)));
        delete.await.unwrap();
        model.remove(&deleted);
        check_after_kill(folder.path(), &model).await;
        assert_eq!(logged(&store).await, model);
    }
}
