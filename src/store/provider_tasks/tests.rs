//! Tasks that replace one another, and which of them reach the provider.

use super::*;
use crate::store::{Options, Store};

const USER: UserId = UserId(1);
const NOW: Timestamp = Timestamp(1_000_000);

fn open(folder: &tempfile::TempDir, payment_provider: bool) -> Store {
    Store::open(&Options {
        path: folder.path().join("chatkeep.db"),
        full_durability: false,
        readers: 1,
        payment_provider,
    })
    .unwrap()
}

/// A user with a customer and these subscriptions: name, status, whether it ends by itself.
async fn subscribed(store: &Store, subscriptions: &'static [(&str, &str, bool)]) {
    let created = store.write(move |tx| {
        tx.execute(
            "INSERT INTO users (id, user_id, created_at, customer_id) VALUES (1, 'u', 0, 'cus_1')",
            [],
        )?;
        for (name, status, ends) in subscriptions {
            tx.execute(
                "INSERT INTO subscriptions
                   (subscription_id, user_id, customer_id, status, status_s, cancel_at_period_end)
                 VALUES (?1, 1, 'cus_1', ?2, 0, ?3)",
                (name, status, ends),
            )?;
        }
        Ok(())
    });
    created.await.unwrap();
}

async fn pending(store: &Store) -> Vec<(&'static str, String)> {
    let due = store.read(|view| view.due_tasks(NOW)).await.unwrap();
    let tasks = due.into_iter();
    tasks.map(|t| (t.kind.as_str(), t.subject)).collect()
}

async fn cancel(store: &Store) {
    let done = store.write(|tx| tx.cancel_at_period_end(USER, NOW));
    done.await.unwrap();
}

async fn reactivate(store: &Store) {
    let done = store.write(|tx| tx.reactivate_subscription(USER, NOW));
    done.await.unwrap();
}

/// The next task's attempt, as the worker makes it.
async fn begin(store: &Store) -> Option<ProviderTask> {
    let due = store.read(|view| view.due_tasks(NOW)).await.unwrap();
    let id = due.first()?.id;
    store.write(move |tx| tx.begin_task(id, NOW)).await.unwrap()
}

#[test]
fn pauses_double_up_to_an_hour() {
    let minutes: Vec<i64> = (0..9).map(|before| pause_ms(before) / 60_000).collect();
    assert_eq!(minutes, [1, 2, 4, 8, 16, 32, 60, 60, 60]);
}

#[tokio::test]
async fn only_what_goes_on_is_ended() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder, true);
    subscribed(
        &store,
        &[
            ("sub_live", "active", false),
            ("sub_trial", "trial", false),
            ("sub_ending", "active", true),
            ("sub_over", "canceled", false),
            ("sub_unpaid", "free", false),
        ],
    )
    .await;
    cancel(&store).await;
    cancel(&store).await;
    let cancel = |name: &str| ("cancel_at_period_end", name.to_owned());
    assert_eq!(
        pending(&store).await,
        [cancel("sub_live"), cancel("sub_trial")]
    );
    reactivate(&store).await;
    assert_eq!(pending(&store).await, [], "none was sent");
    reactivate(&store).await;
    assert_eq!(pending(&store).await, []);
}

#[tokio::test]
async fn a_later_wish_replaces_one_that_may_have_been_sent() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder, true);
    subscribed(&store, &[("sub", "active", false)]).await;
    cancel(&store).await;
    let first = begin(&store).await.unwrap();
    assert_eq!(first.attempts, 1);
    assert_eq!(pending(&store).await, [], "the next attempt is put off");
    reactivate(&store).await;
    assert_eq!(pending(&store).await, [("reactivate", "sub".to_owned())]);
    let replaced = first.clone();
    let ended = store.write(move |tx| tx.end_task(&replaced)).await.unwrap();
    assert!(!ended, "the answer to the first wish counts no more");
    let second = begin(&store).await.unwrap();
    assert_ne!(first.idempotency_key(), second.idempotency_key());
    cancel(&store).await;
    assert_eq!(
        pending(&store).await,
        [("cancel_at_period_end", "sub".to_owned())]
    );
}

#[tokio::test]
async fn each_attempt_has_a_key_and_a_longer_pause() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder, true);
    subscribed(&store, &[("sub", "active", false)]).await;
    cancel(&store).await;
    let id = begin(&store).await.unwrap().id;
    let due = async || {
        let next = store.read(|view| view.next_task_due()).await.unwrap();
        next.unwrap().0 - NOW.0
    };
    assert_eq!(due().await, 60_000);
    let again = store.write(move |tx| tx.begin_task(id, NOW)).await.unwrap();
    assert!(again.unwrap().idempotency_key().ends_with("-2"));
    assert_eq!(due().await, 120_000);
}

#[tokio::test]
async fn a_customer_is_forgotten_after_the_user() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder, true);
    subscribed(&store, &[("sub", "active", false)]).await;
    cancel(&store).await;
    let removed = store.write(|tx| {
        tx.delete_customer_of(USER, NOW)?;
        tx.execute("DELETE FROM provider_tasks WHERE user_id = 1", [])?;
        tx.execute("DELETE FROM subscriptions WHERE user_id = 1", [])?;
        tx.execute("DELETE FROM users WHERE id = 1", [])?;
        tx.delete_customer("cus_1", NOW)
    });
    removed.await.unwrap();
    let expected = [("delete_customer", "cus_1".to_owned())];
    assert_eq!(pending(&store).await, expected);
}

#[tokio::test]
async fn without_a_provider_nothing_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder, false);
    subscribed(&store, &[("sub", "active", false)]).await;
    cancel(&store).await;
    reactivate(&store).await;
    let deletion = store.write(|tx| tx.delete_customer_of(USER, NOW));
    deletion.await.unwrap();
    assert_eq!(pending(&store).await, []);
}
