//! The invariants of the model test: at each send, and on the rows.

use std::collections::BTreeMap;

use super::relay::GivenCommand;
use super::world::World;
use crate::clock::Monotonic;
use crate::store::{AgentId, Command, UnfinishedCommand};

impl World {
    pub(super) fn check_sent(&mut self, agent: usize, command: &Command) {
        let agent = self.relays[agent].id;
        let place = (agent, command.seq);
        let row = self.open.get(&place);
        let row = row.unwrap_or_else(|| panic!("{command:?} had ended"));
        assert_eq!(*row.command_id, *command.command_id);
        assert!(command.expires_at > self.clock.now(), "{command:?} expired");
        assert!(
            (1..=5 + row.refusals).contains(&command.attempts),
            "{command:?}"
        );
        assert!(row.refusals < 12, "{command:?} was refused 12 times");
        let now = self.clock.monotonic();
        let waits_until = self.backoffs.remove(&place);
        assert!(waits_until <= Some(now), "{command:?} was refused just now");
        self.sends.push((agent, now));
        let recent = |(of, at): &&(AgentId, Monotonic)| *of == agent && now.since(*at) < 60_000;
        let recent = self.sends.iter().filter(recent).count() as u64;
        assert!(recent <= self.settings.commands_per_minute, "too fast");
        if self.sent.insert(place) {
            let before = self.first_sends.insert((agent, row.room), command.seq);
            assert!(before < Some(command.seq), "{command:?} after {before:?}");
        }
    }

    pub(super) fn check_listed(&mut self, agent: usize, text: &str) -> GivenCommand {
        let command: serde_json::Value = serde_json::from_str(text).unwrap();
        let place = (self.relays[agent].id, command["seq"].as_u64().unwrap());
        let row = self.open.get(&place);
        let row = row.unwrap_or_else(|| panic!("{text} had ended")).clone();
        assert_eq!(command["command_id"], *row.command_id);
        self.check_sent(
            agent,
            &Command {
                seq: row.seq,
                command_id: row.command_id.to_string(),
                kind: String::new(),
                payload: String::new(),
                created_at: self.clock.now(),
                expires_at: row.expires_at,
                attempts: command["attempt"].as_u64().unwrap() as u32,
            },
        );
        GivenCommand {
            id: row.command_id.to_string(),
            seq: row.seq,
        }
    }

    /// Reads the rows: seqs without gap, ended ones stay ended, and nothing is finished that
    /// its relay did not finish.
    pub(super) async fn check(&mut self) {
        let ids: Vec<AgentId> = self.relays.iter().map(|relay| relay.id).collect();
        let read = self.store.write(move |tx| {
            let rows = ids
                .iter()
                .map(|id| Ok((*id, tx.unfinished_commands(*id)?, tx.head_seq(*id)?)));
            rows.collect::<crate::error::Result<Vec<_>>>()
        });
        let mut open = BTreeMap::new();
        for (agent, rows, head) in read.await.unwrap() {
            for row in rows {
                self.check_refusals(agent, &row);
                assert!((1..=head).contains(&row.seq));
                let was_known = self.known.insert((agent, row.seq), row.clone());
                let was_open = self.open.contains_key(&(agent, row.seq));
                assert_eq!(was_known.is_some(), was_open, "{row:?} came back");
                open.insert((agent, row.seq), row);
            }
        }
        self.open = open;
    }

    /// A refusal that counted begins the shortest backoff that it may.
    fn check_refusals(&mut self, agent: AgentId, row: &UnfinishedCommand) {
        let place = (agent, row.seq);
        let known = self.refusals.insert(place, row.refusals).unwrap_or(0);
        assert!((known..12).contains(&row.refusals), "{row:?}");
        if row.refusals > known {
            let shortest_ms = (800 << (row.refusals - 1)).min(480_000);
            let until = self.clock.monotonic().plus_ms(shortest_ms);
            self.backoffs.insert(place, until);
        }
    }

    pub(super) fn all_ended(&self) -> bool {
        self.open.is_empty()
    }

    pub(super) async fn check_rows(&mut self) {
        for model in &self.relays {
            let id = model.id;
            let rows = self.store.write(move |tx| tx.command_ends(id));
            let rows = rows.await.unwrap();
            let seqs: Vec<u64> = rows.iter().map(|row| row.0).collect();
            assert_eq!(seqs, (1..=rows.len() as u64).collect::<Vec<_>>());
            for (seq, command_id, state) in &rows {
                let finished = model.finished.contains(command_id);
                match state.as_str() {
                    "completed" => assert!(finished, "{seq} was not finished by its relay"),
                    "failed" | "expired" | "moved" => {}
                    other => panic!("{seq} is still {other}"),
                }
            }
        }
    }
}
