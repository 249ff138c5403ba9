//! Tests of the store alone: which changes are undone together, and how far the log grows.

use std::fs::File;
use std::time::Duration;

use super::*;
use crate::error::ErrorKind;

const LOG_BYTES_MAX: u64 = 64 << 20;

fn options(folder: &tempfile::TempDir) -> Options {
    Options {
        path: folder.path().join("chatkeep.db"),
        full_durability: false,
        readers: 2,
        payment_provider: true,
    }
}

fn log_bytes(store: &Store) -> u64 {
    std::fs::metadata(database_files::wal_path(store.path())).map_or(0, |m| m.len())
}

/// Writes enough to make the log as large as `bytes` without checkpoints. Returns its largest size.
async fn fill(store: &Store, bytes: usize) -> u64 {
    const ROW_BYTES: usize = 64 << 10;
    let user = "INSERT OR IGNORE INTO users (id, user_id, created_at) VALUES (1, 'u', 1)";
    let made = store.write(|tx| tx.execute(user, []).map(drop)).await;
    made.unwrap();
    let mut most = 0;
    for _ in 0..bytes / ROW_BYTES / 64 {
        let writes = (0..64).map(|_| {
            store.write(|tx| {
                let text = "x".repeat(ROW_BYTES);
                let id = crate::random::uuid().to_string();
                tx.insert_memory(UserId(1), &id, &text, "said", Timestamp(0))
            })
        });
        futures_util::future::try_join_all(writes).await.unwrap();
        most = most.max(log_bytes(store));
    }
    most
}

#[tokio::test(flavor = "multi_thread")]
async fn the_log_stays_small_and_is_emptied_when_it_is_quiet() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&options(&folder)).unwrap();
    let most = fill(&store, 2 * LOG_BYTES_MAX as usize).await;
    assert!(most < LOG_BYTES_MAX, "{most} bytes");
    assert!(
        most > 8 << 20,
        "{most} bytes: checkpoints do not stand in the way"
    );
    let emptied = async {
        while log_bytes(&store) > 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), emptied)
        .await
        .expect("an empty log");
    drop(store);
    assert!(!database_files::wal_path(&options(&folder).path).exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_that_holds_the_log_back_has_to_go() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(Store::open(&options(&folder)).unwrap());
    let (begun, has_begun) = tokio::sync::oneshot::channel();
    let reading = tokio::spawn({
        let store = store.clone();
        async move {
            let read = store.read(|view| {
                view.edge_epoch()?;
                let _ = begun.send(());
                let endless = "WITH RECURSIVE n(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM n)
                               SELECT count(*) FROM n, meta";
                Ok(view
                    .conn
                    .query_row(endless, [], |row| row.get::<_, i64>(0))?)
            });
            read.await
        }
    });
    has_begun.await.unwrap();
    let most = fill(&store, 2 * LOG_BYTES_MAX as usize).await;
    let error = reading.await.unwrap().unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unavailable, "{error}");
    assert!(most < LOG_BYTES_MAX, "{most} bytes");
}

/// Copies are complete while the service writes, and the log stays within its limit.
#[tokio::test(flavor = "multi_thread")]
async fn backups_do_not_hold_the_log_back() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(Store::open(&options(&folder)).unwrap());
    fill(&store, 40 << 20).await;
    let to = folder.path().join("backup.db");
    let stopping = Arc::new(AtomicBool::new(false));
    let backing_up = tokio::spawn({
        let (store, to, stopping) = (store.clone(), to.clone(), stopping.clone());
        async move {
            let mut made = 0;
            let mut is_last = false;
            // The last copy is made without writers.
            while !is_last {
                is_last = stopping.load(Ordering::SeqCst);
                let live = store.copy_beside(|_, _| {}).await.unwrap();
                let copy = File::open(live_copy_path(store.path())).unwrap();
                drop(live);
                let (from, to) = (store.path().to_owned(), to.clone());
                let taking = move || take_over(copy, &from, &to, true, &mut |_| ());
                let backup = tokio::task::spawn_blocking(taking).await.unwrap().unwrap();
                assert_eq!(backup.schema_version, file::schema::schema().version);
                made += 1;
            }
            made
        }
    });
    let most = fill(&store, 2 * LOG_BYTES_MAX as usize).await;
    assert!(most < LOG_BYTES_MAX, "{most} bytes");
    stopping.store(true, Ordering::SeqCst);
    let made = backing_up.await.unwrap();
    println!("{made} backups were made meanwhile");
    let rows = |path: &Path| {
        let conn = Connection::open(path).unwrap();
        conn.query_row("SELECT count(*) FROM memories", [], |row| {
            row.get::<_, i64>(0)
        })
        .unwrap()
    };
    assert_eq!(rows(&to), rows(store.path()));
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_fails_is_undone_alone() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(Store::open(&options(&folder)).unwrap());
    let writes = (0..300).map(|n: i64| {
        store.write(move |tx| {
            let agent = tx.agent(&format!("agent-{n}"), Timestamp(n))?;
            match n % 3 {
                0 => Err(Error::not_found()),
                1 => panic!("as a mistake of ours would"),
                _ => Ok(agent.id),
            }
        })
    });
    let results = futures_util::future::join_all(writes).await;
    let kinds = |kind| {
        let failed = results.iter().filter_map(|result| result.as_ref().err());
        failed.filter(|error| error.kind == kind).count()
    };
    assert_eq!(
        (kinds(ErrorKind::NotFound), kinds(ErrorKind::Internal)),
        (100, 100)
    );
    let agents = store.read(|view| view.agents()).await.unwrap();
    assert_eq!(agents.len(), 100);
    // Memory was rolled back too.
    let made = store.write(|tx| Ok(tx.agent("agent-0", Timestamp(1))?.id));
    let made = made.await.unwrap();
    assert!(agents.iter().all(|agent| agent.id != made));
}

/// The cache of people without an open question follows the database, also after a rollback.
#[tokio::test(flavor = "multi_thread")]
async fn questions_are_found_after_what_was_undone() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&options(&folder)).unwrap();
    let now = Timestamp(1);
    let made = store.write(move |tx| {
        let user = tx.insert_user(&NewUser {
            public_id: "ana",
            phone: "+15550000001",
            now,
        })?;
        let room = tx.insert_room(&NewRoom {
            chat_guid: "direct",
            mode: "direct",
            owner: user.id,
            agent: None,
            now,
        })?;
        Ok((room.id, user.id))
    });
    let (room, user) = made.await.unwrap();
    let question = || async {
        let found = store.write(move |tx| tx.question(room, user)).await;
        found.unwrap().map(|(json, _)| json)
    };
    let set = |json: Option<&'static str>, is_kept: bool| {
        store.write(move |tx| {
            tx.set_dialog(room, user, DialogPart::Question, json, now)?;
            let stored = tx.question(room, user)?.map(|(json, _)| json);
            assert_eq!(stored.as_deref(), json, "inside the transaction");
            is_kept.then_some(()).ok_or_else(Error::not_found)
        })
    };
    assert_eq!(question().await, None);
    assert!(set(Some("undone"), false).await.is_err());
    assert_eq!(question().await, None);
    set(Some("asked"), true).await.unwrap();
    assert_eq!(question().await.as_deref(), Some("asked"));
    assert!(set(None, false).await.is_err());
    assert_eq!(question().await.as_deref(), Some("asked"));
    set(None, true).await.unwrap();
    assert_eq!(question().await, None);
}

/// Blocks the writer thread until something is sent, so that queued closures form one transaction.
async fn hold_up(store: &Store) -> std::sync::mpsc::Sender<()> {
    let (begun, has_begun) = tokio::sync::oneshot::channel();
    let (go_on, going_on) = std::sync::mpsc::channel();
    store.post(move |_| {
        let _ = begun.send(());
        let _ = going_on.recv();
        Ok(())
    });
    has_begun.await.unwrap();
    go_on
}

#[tokio::test]
async fn one_that_fails_halfway_has_the_others_run_again() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&options(&folder)).unwrap();
    let go_on = hold_up(&store).await;
    let (runs, effects) = (Arc::new(AtomicI64::new(0)), Arc::new(AtomicI64::new(0)));
    let writes = (0..30).map(|n: i64| {
        let (runs, effects) = (runs.clone(), effects.clone());
        store.write_repeatable(move |tx| {
            runs.fetch_add(1, Ordering::Relaxed);
            let effects = effects.clone();
            tx.after_commit(move || {
                effects.fetch_add(1, Ordering::Relaxed);
            });
            if n % 5 == 1 {
                return Err(Error::not_found()); // before it writes
            }
            let agent = tx.agent(&format!("agent-{n}"), Timestamp(n))?;
            match n {
                12 => Err(Error::not_found()),
                17 => panic!("as a mistake of ours would"),
                _ => Ok(agent.id),
            }
        })
    });
    let writes = futures_util::future::join_all(writes);
    let released = async { go_on.send(()).unwrap() };
    let (results, ()) = tokio::join!(biased; writes, released);
    for (n, result) in results.iter().enumerate() {
        let kept = n % 5 != 1 && n != 12 && n != 17;
        assert_eq!(result.is_ok(), kept, "{n}: {result:?}");
    }
    let agents = store.read(|view| view.agents()).await.unwrap();
    assert_eq!(agents.len(), 22);
    assert_eq!(effects.load(Ordering::Relaxed), 22);
    // The closures up to the first failure ran twice. The second failing closure had a savepoint.
    assert_eq!(runs.load(Ordering::Relaxed), 30 + 13);
    let made = store.write(|tx| Ok(tx.agent("agent-12", Timestamp(1))?.id));
    let made = made.await.unwrap();
    assert!(agents.iter().all(|agent| agent.id != made));
}

#[tokio::test]
async fn what_is_run_once_is_never_run_again() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&options(&folder)).unwrap();
    let go_on = hold_up(&store).await;
    let write = |name: &'static str, fails: bool| {
        store.write_repeatable(move |tx| {
            let agent = tx.agent(name, Timestamp(1))?;
            match fails {
                true => Err(Error::not_found()),
                false => Ok(agent.id),
            }
        })
    };
    let (before, after) = (write("before", false), write("after", false));
    let once = store.write(|tx| Ok(tx.agent("once", Timestamp(1))?.id));
    let failing = write("failing", true);
    let released = async { go_on.send(()).unwrap() };
    let (before, once, failing, after, ()) =
        tokio::join!(biased; before, once, failing, after, released);
    assert!(before.is_ok() && once.is_ok() && failing.is_err() && after.is_ok());
    let agents = store.read(|view| view.agents()).await.unwrap();
    let names: Vec<&str> = agents.iter().map(|agent| agent.agent_id.as_str()).collect();
    assert_eq!(names, ["after", "before", "once"]);
}

/// A store opened outside a runtime, or one that outlives its runtime.
#[test]
fn callers_are_told_without_the_runtime() {
    let folder = tempfile::tempdir().unwrap();
    let first = tokio::runtime::Runtime::new().unwrap();
    let store = first.block_on(async { Store::open(&options(&folder)).unwrap() });
    assert_eq!(first.block_on(store.write(|_| Ok(1))).unwrap(), 1);
    drop(first);
    let second = tokio::runtime::Runtime::new().unwrap();
    assert_eq!(second.block_on(store.write(|_| Ok(2))).unwrap(), 2);
    drop(store);
    let store = Store::open(&options(&folder)).unwrap();
    assert_eq!(second.block_on(store.write(|_| Ok(3))).unwrap(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_writer_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&options(&folder)).unwrap();
    let mut lost = store.watch_write_failure();
    let effect = store.write(|tx| {
        tx.after_commit(|| panic!("as a mistake of ours would"));
        Ok(())
    });
    assert_eq!(effect.await.unwrap_err().kind, ErrorKind::Unavailable);
    lost.wait_for(|lost| *lost).await.unwrap();
    let later = store.write(|_| Ok(())).await;
    assert_eq!(later.unwrap_err().kind, ErrorKind::Unavailable);
    assert!(store.failing());
}

#[test]
fn the_linked_sqlite_has_its_log_repaired() {
    assert!(
        rusqlite::version_number() >= 3_051_003,
        "{}",
        rusqlite::version()
    );
}
