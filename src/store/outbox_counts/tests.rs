//! Counts in memory against the rows, also when closures fail, and after a restart.

use super::super::seeded_random::SeededRandom;
use super::super::unfinished_commands::UnfinishedCommands;
use super::super::{AgentId, CommandState, NewCommand, RoomId, Store, Tx, UserId};
use super::{UNFINISHED_MAX, UNFINISHED_OF_CREATOR_MAX};
use crate::clock::Timestamp;
use crate::error::{Error, Result};

const NOW: Timestamp = Timestamp(1);
const ROUNDS: u64 = 60;
const SEEDS: u64 = 6;

/// One change of an outbox.
#[derive(Debug, Clone, Copy)]
struct Attempt {
    number: u64,
    agent: AgentId,
    app_creator: Option<UserId>,
    /// The seq of a command to end and perhaps remove, in place of a new one.
    ends: Option<u64>,
    is_removed: bool,
    fails: bool,
    repeatable: bool,
}

impl Attempt {
    fn random(random: &mut SeededRandom, number: u64) -> Self {
        Self {
            number,
            agent: AgentId(random.below(2) as i64 + 1),
            app_creator: Some(UserId(random.below(3) as i64)).filter(|user| user.0 > 0),
            ends: Some(random.below(number + 1)).filter(|_| random.below(3) > 0),
            is_removed: random.below(2) == 0,
            fails: random.below(6) == 0,
            repeatable: random.below(4) > 0,
        }
    }

    fn make(self, tx: &mut Tx) -> Result<()> {
        match self.ends {
            None => {
                insert(tx, self.agent, self.app_creator, self.number)?;
            }
            Some(seq) => {
                tx.finish_command(self.agent, seq, CommandState::Completed, None, NOW)?;
                if self.is_removed {
                    tx.run(
                        "DELETE FROM commands WHERE agent_id = ?1 AND seq = ?2
                         AND finished_at IS NOT NULL",
                        (self.agent, seq as i64),
                    )?;
                }
            }
        }
        (!self.fails).then_some(()).ok_or_else(Error::not_found)
    }
}

fn insert(tx: &mut Tx, agent: AgentId, app_creator: Option<UserId>, number: u64) -> Result<u64> {
    let command = tx.insert_command(&NewCommand {
        agent,
        room: RoomId(1),
        command_id: &format!("command {number}"),
        kind: "send_message_now",
        payload: "{}",
        user: None,
        app_creator,
        expires_at: Timestamp(2),
        now: NOW,
    })?;
    Ok(command.seq)
}

/// The unfinished commands and the counts are those of the rows.
async fn check(store: &Store, context: &str) {
    let of_rows = context.to_owned();
    let counts = store.write(move |tx| {
        let loaded = UnfinishedCommands::load(tx.conn)?;
        assert_eq!(tx.cache.unfinished, loaded, "{of_rows}");
        for agent in [AgentId(1), AgentId(2)] {
            let read = tx.unfinished_commands(agent)?.into_iter();
            let sql =
                "SELECT seq FROM commands WHERE agent_id = ?1 AND finished_at IS NULL ORDER BY seq";
            let stored: Vec<u64> = tx.all(sql, [agent])?;
            assert_eq!(read.map(|command| command.seq).collect::<Vec<_>>(), stored);
        }
        [AgentId(1), AgentId(2)]
            .into_iter()
            .map(|agent| Ok((tx.outbox_counts(agent)?.clone(), tx.count_outbox(agent)?)))
            .collect::<Result<Vec<_>>>()
    });
    for (known, counted) in counts.await.unwrap() {
        assert_eq!(known, counted, "{context}");
    }
}

#[tokio::test]
async fn counts_are_those_of_the_rows() {
    for seed in 1..=SEEDS {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open_in(folder.path());
        let agents = store.write(|tx| Ok((tx.agent("a", NOW)?, tx.agent("b", NOW)?)));
        agents.await.unwrap();
        let mut random = SeededRandom::new(seed);
        let mut highest = [0; 2];
        for round in 0..ROUNDS {
            let context = format!("seed {seed}, round {round}");
            let attempts = (0..random.below(6)).map(|n| round * 6 + n);
            let attempts: Vec<_> = attempts.map(|n| Attempt::random(&mut random, n)).collect();
            // In one batch, where a failure may make the others run again.
            let writes = attempts.iter().copied().map(async |attempt| {
                let outcome = match attempt.repeatable {
                    true => store.write_repeatable(move |tx| attempt.make(tx)).await,
                    false => store.write(move |tx| attempt.make(tx)).await,
                };
                assert_eq!(outcome.is_err(), attempt.fails, "{attempt:?}");
            });
            futures_util::future::join_all(writes).await;
            if random.below(4) == 0 {
                drop(store);
                store = Store::open_in(folder.path());
            }
            check(&store, &context).await;
            // No seq is given again, even when its command is gone.
            for (at, before) in highest.iter_mut().enumerate() {
                let agent = AgentId(at as i64 + 1);
                let head = store.write(move |tx| tx.head_seq(agent)).await.unwrap();
                assert!(head >= *before, "{context}");
                *before = head;
            }
        }
        assert!(highest.iter().all(|head| *head > 10), "{highest:?}");
    }
}

#[tokio::test]
async fn limits_are_exact() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open_in(folder.path());
    let (agent, creator) = (AgentId(1), Some(UserId(1)));
    let write = store.write(move |tx| {
        tx.agent("a", NOW)?;
        let has_room = |tx: &mut Tx<'_>, app_creator| tx.has_room_for(agent, 1, app_creator);
        for number in 0..UNFINISHED_OF_CREATOR_MAX as u64 {
            assert!(has_room(tx, creator)?);
            insert(tx, agent, creator, number)?;
        }
        assert!(!has_room(tx, creator)?);
        assert!(has_room(tx, Some(UserId(2)))?);
        for number in UNFINISHED_OF_CREATOR_MAX..UNFINISHED_MAX {
            insert(tx, agent, None, number as u64)?;
        }
        assert!(!has_room(tx, None)?);
        tx.finish_command(agent, 1, CommandState::Completed, None, NOW)?;
        assert!(has_room(tx, creator)?);
        assert!(!tx.has_room_for(agent, 2, None)?);
        // A command ends only once.
        tx.finish_command(agent, 1, CommandState::Completed, None, NOW)?;
        assert!(!tx.has_room_for(agent, 2, None)?);
        Ok(())
    });
    write.await.unwrap();
}
