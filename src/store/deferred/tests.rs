//! Deferred rows against a model: what the writer, readers and the next start see of them, also
//! when closures fail and when the process is killed at any moment.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;

use super::super::seeded_random::SeededRandom;
use super::super::{NewMessage, NewRoom, NewUser, RoomId, Store, Timestamp, Tx, UserId};
use crate::error::{Error, Result};
use crate::model::answer::Answer;

const USERS: u64 = 4;
const ROOMS: u64 = 6;
const DAYS: [i64; 2] = [20_000, 20_001];
const DAY_MS: i64 = 86_400_000;
const ROUNDS: u64 = 60;
const SEEDS: u64 = 6;
/// Nothing in a test waits longer.
const PATIENCE: Duration = Duration::from_secs(10);

/// A message to be stored, or undone after it was.
#[derive(Debug, Clone, Copy)]
struct Attempt {
    user: i64,
    room: i64,
    day: i64,
    counted: bool,
    humans: i64,
    fails: bool,
    repeatable: bool,
}

impl Attempt {
    fn random(random: &mut SeededRandom) -> Self {
        Self {
            user: random.below(USERS) as i64 + 1,
            room: random.below(ROOMS) as i64 + 1,
            day: DAYS[random.below(2) as usize],
            counted: random.below(3) > 0,
            humans: random.below(4) as i64,
            fails: random.below(6) == 0,
            repeatable: random.below(4) > 0,
        }
    }

    fn run(self, tx: &mut Tx) -> Result<i64> {
        let chat_guid = room_name(self.room);
        let mut room = tx.room(&chat_guid)?.ok_or_else(Error::not_found)?;
        if self.counted {
            tx.count_message(UserId(self.user), self.day)?;
        }
        let new = NewMessage {
            user: UserId(self.user),
            agent: None,
            chat_guid: &chat_guid,
            sent_at_s: 0,
            now: Timestamp(self.day * DAY_MS + 1),
            sender: "+15550100",
            text: "hello",
            metadata: None,
            context: None,
            counted: self.counted,
            humans: self.humans,
            answer: &Answer::default(),
            request: None,
        };
        let id = tx.insert_message(&mut room, &new)?.0;
        let kept = !self.fails;
        kept.then_some(id).ok_or_else(Error::not_found)
    }
}

#[derive(Default)]
struct Model {
    /// Newest message and humans, by room.
    heads: BTreeMap<i64, (i64, i64)>,
    /// By user and day.
    counts: BTreeMap<(i64, i64), i64>,
    /// Stored messages that count, with their user and day.
    counted: Vec<(i64, i64, i64)>,
}

impl Model {
    fn stored(&mut self, attempt: Attempt, id: i64) {
        self.heads.insert(attempt.room, (id, attempt.humans));
        if attempt.counted {
            *self.counts.entry((attempt.user, attempt.day)).or_default() += 1;
            self.counted.push((id, attempt.user, attempt.day));
        }
    }

    fn head(&self, room: i64) -> (Option<i64>, i64) {
        let head = self.heads.get(&room);
        head.map_or((None, 0), |(id, humans)| (Some(*id), *humans))
    }

    fn newest_room(&self, owner: i64) -> Option<i64> {
        let own = self
            .heads
            .iter()
            .filter(|(room, _)| owner_of(**room) == owner);
        own.max_by_key(|(_, head)| head.0).map(|(room, _)| *room)
    }
}

fn owner_of(room: i64) -> i64 {
    room % 2 + 1
}

fn room_name(room: i64) -> String {
    format!("chat {room}")
}

async fn set_up(store: &Store) {
    let set_up = store.write(|tx| {
        let now = Timestamp(1);
        for user in 1..=USERS {
            tx.insert_user(&NewUser {
                public_id: &format!("user {user}"),
                phone: &format!("+1555010{user}"),
                now,
            })?;
        }
        for room in 1..=ROOMS as i64 {
            let made = tx.insert_room(&NewRoom {
                chat_guid: &room_name(room),
                mode: "direct",
                owner: UserId(owner_of(room)),
                agent: None,
                now,
            })?;
            assert_eq!(made.id, RoomId(room));
        }
        Ok(())
    });
    set_up.await.unwrap();
}

async fn attempt(store: &Store, attempt: Attempt) -> Result<i64> {
    match attempt.repeatable {
        true => store.write_repeatable(move |tx| attempt.run(tx)).await,
        false => store.write(move |tx| attempt.run(tx)).await,
    }
}

/// What the writer and the readers of a running store see.
async fn check_live(store: &Store, model: &Model) {
    for day in DAYS {
        let users = store.look_up(|view| view.users(None, 100, day)).unwrap();
        let pooled = store.read(move |view| view.users(None, 100, day)).await;
        for user in users.iter().chain(&pooled.unwrap()) {
            let expected = model.counts.get(&(user.user.id.0, day)).copied();
            assert_eq!(user.day_count, expected.unwrap_or(0));
        }
    }
    let seen = store.write(|tx| {
        let mut heads = Vec::new();
        for room in 1..=ROOMS as i64 {
            let room = tx.room(&room_name(room))?.ok_or_else(Error::not_found)?;
            heads.push((room.head, room.humans));
        }
        let mut newest = Vec::new();
        for owner in 1..=USERS as i64 {
            let chat = tx.newest_direct_chat(UserId(owner), false)?;
            newest.push(chat.map(|chat| chat.room.0));
        }
        let mut counts = BTreeMap::new();
        for (user, day) in (1..=USERS as i64).flat_map(|user| DAYS.map(|day| (user, day))) {
            counts.insert((user, day), tx.day_count(UserId(user), day)?);
        }
        Ok((heads, newest, counts))
    });
    let (heads, newest, mut counts) = seen.await.unwrap();
    let expected: Vec<_> = (1..=ROOMS as i64).map(|room| model.head(room)).collect();
    assert_eq!(heads, expected);
    let expected: Vec<_> = (1..=USERS as i64).map(|u| model.newest_room(u)).collect();
    assert_eq!(newest, expected);
    counts.retain(|_, count| *count > 0);
    assert_eq!(counts, without_zeros(&model.counts));
}

fn without_zeros(counts: &BTreeMap<(i64, i64), i64>) -> BTreeMap<(i64, i64), i64> {
    let counts = counts.iter().filter(|(_, count)| **count > 0);
    counts.map(|(key, count)| (*key, *count)).collect()
}

/// Heads by room, and counts by user and day.
type Tables = (BTreeMap<i64, (i64, i64)>, BTreeMap<(i64, i64), i64>);

/// The tables as they are on disk.
fn tables(path: &Path) -> Tables {
    let conn = Connection::open(path).unwrap();
    let mut heads = conn
        .prepare("SELECT room_id, message_id, humans FROM room_heads")
        .unwrap();
    let heads = heads.query_map([], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))));
    let mut counts = conn
        .prepare("SELECT user_id, day, count FROM usage_days WHERE count > 0")
        .unwrap();
    let counts = counts.query_map([], |row| Ok(((row.get(0)?, row.get(1)?), row.get(2)?)));
    (
        heads.unwrap().collect::<rusqlite::Result<_>>().unwrap(),
        counts.unwrap().collect::<rusqlite::Result<_>>().unwrap(),
    )
}

/// What readers and the next start make of the files as a kill would leave them now.
fn check_after_kill(folder: &Path, model: &Model) {
    let killed = tempfile::tempdir().unwrap();
    for name in ["chatkeep.db", "chatkeep.db-wal"] {
        std::fs::copy(folder.join(name), killed.path().join(name)).unwrap();
    }
    let path = killed.path().join("chatkeep.db");
    for day in DAYS {
        let users = super::super::look(&path, |view| view.users(None, 100, day)).unwrap();
        for user in users {
            let expected = model.counts.get(&(user.user.id.0, day)).copied();
            assert_eq!(user.day_count, expected.unwrap_or(0));
        }
    }
    // A second start changes nothing.
    for _ in 0..2 {
        drop(Store::open_in(killed.path()));
        let (heads, counts) = tables(&path);
        assert_eq!(heads, model.heads);
        assert_eq!(counts, without_zeros(&model.counts));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn deferred_rows_are_exact_whatever_is_undone_and_killed() {
    for seed in 1..=SEEDS {
        let mut random = SeededRandom::new(seed);
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open_in(folder.path());
        set_up(&store).await;
        let mut model = Model::default();
        for _ in 0..ROUNDS {
            let group = random.below(9);
            let attempts: Vec<_> = (0..group).map(|_| Attempt::random(&mut random)).collect();
            let running = attempts.iter().map(|each| attempt(&store, *each));
            // They are queued in this order.
            let ended = futures_util::future::join_all(running).await;
            for (attempt, ended) in attempts.into_iter().zip(ended) {
                assert_eq!(ended.is_err(), attempt.fails, "{attempt:?}");
                if let Ok(id) = ended {
                    model.stored(attempt, id);
                }
            }
            match random.below(8) {
                0 => store.write(|tx| tx.settle_deferred()).await.unwrap(),
                1 => {
                    let settled = store.write(|tx| {
                        tx.settle_deferred()?;
                        Err::<(), _>(Error::not_found())
                    });
                    assert!(settled.await.is_err());
                }
                2 if !model.counted.is_empty() => {
                    let at = random.below(model.counted.len() as u64) as usize;
                    let (id, user, day) = model.counted.swap_remove(at);
                    let uncounted = store.write(move |tx| {
                        tx.uncount_message(id, UserId(user), day)?;
                        tx.uncount_message(id, UserId(user), day)
                    });
                    uncounted.await.unwrap();
                    *model.counts.entry((user, day)).or_default() -= 1;
                }
                3 => check_after_kill(folder.path(), &model),
                _ => check_live(&store, &model).await,
            }
        }
        check_live(&store, &model).await;
        check_after_kill(folder.path(), &model);
        drop(store);
        let (heads, counts) = tables(&folder.path().join("chatkeep.db"));
        assert_eq!(heads, model.heads);
        assert_eq!(counts, without_zeros(&model.counts));
    }
}

/// An id that was given and undone is above every row; the next start must not give it again, or
/// its message would look as if it was written.
#[tokio::test(flavor = "multi_thread")]
async fn a_message_after_an_undone_one_is_taken_up_too() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open_in(folder.path());
    set_up(&store).await;
    let (mut random, mut model) = (SeededRandom::new(7), Model::default());
    let mut kept = Attempt::random(&mut random);
    (kept.fails, kept.counted) = (false, true);
    let undone = Attempt {
        fails: true,
        ..kept
    };
    model.stored(kept, attempt(&store, kept).await.unwrap());
    assert!(attempt(&store, undone).await.is_err());
    store.write(|tx| tx.settle_deferred()).await.unwrap();
    drop(store);
    let store = Store::open_in(folder.path());
    model.stored(kept, attempt(&store, kept).await.unwrap());
    check_after_kill(folder.path(), &model);
}

#[tokio::test(flavor = "multi_thread")]
async fn deferred_rows_are_written_when_nothing_else_is() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open_in(folder.path());
    set_up(&store).await;
    let (mut random, mut model) = (SeededRandom::new(3), Model::default());
    let mut one = Attempt::random(&mut random);
    one.fails = false;
    model.stored(one, attempt(&store, one).await.unwrap());
    let path = folder.path().join("chatkeep.db");
    let written = async {
        while tables(&path).0 != model.heads {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, written).await.unwrap();
    check_live(&store, &model).await;
}
