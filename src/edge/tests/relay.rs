//! A relay as the protocol asks it to be: it works through a poll's list in order, reports
//! only what it did, and remembers what it finished. It may be slow, fail, or never ack.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use crate::edge::hub::Relay;
use crate::edge::presence::SocketGuard;
use crate::edge::wire::{Ack, CommandReport};
use crate::store::AgentId;

use super::seeded_random::SeededRandom;

pub(super) struct RelayModel {
    pub(super) id: AgentId,
    pub(super) relay: Arc<Relay>,
    pub(super) guard: Option<SocketGuard>,
    /// Replaced, not yet gone.
    pub(super) old_guards: Vec<SocketGuard>,
    /// Never finishes anything.
    pub(super) idle: bool,
    /// Command ids that came over the socket and wait to be worked on.
    pub(super) inbox: VecDeque<GivenCommand>,
    /// The list of the last answered poll, not yet worked on.
    pub(super) list: VecDeque<GivenCommand>,
    pub(super) finished: BTreeSet<String>,
    /// The seqs of finished commands; a command that moved away and back has a seq for each time.
    pub(super) finished_seqs: BTreeSet<u64>,
    pub(super) last_of_list: Option<String>,
    /// Said to be worked on.
    pub(super) working: BTreeMap<String, u64>,
    pub(super) acks_to_bring: Vec<Ack>,
}

#[derive(Debug, Clone)]
pub(super) struct GivenCommand {
    pub(super) id: String,
    pub(super) seq: u64,
}

impl RelayModel {
    pub(super) fn new(id: AgentId, relay: Arc<Relay>, idle: bool) -> Self {
        Self {
            id,
            relay,
            guard: None,
            old_guards: Vec::new(),
            idle,
            inbox: VecDeque::new(),
            list: VecDeque::new(),
            finished: BTreeSet::new(),
            finished_seqs: BTreeSet::new(),
            last_of_list: None,
            working: BTreeMap::new(),
            acks_to_bring: Vec::new(),
        }
    }

    fn finish(&mut self, given: &GivenCommand) {
        self.finished.insert(given.id.clone());
        self.finished_seqs.insert(given.seq);
        self.working.remove(&given.id);
    }

    /// The acks for a command that came over the socket; none when it is lost.
    pub(super) fn obey(&mut self, given: &GivenCommand, random: &mut SeededRandom) -> Vec<Ack> {
        if self.finished.contains(&given.id) {
            self.finish(given);
            return vec![ack(&given.id, CommandReport::Completed)];
        }
        if self.idle {
            return Vec::new();
        }
        match random.below(10) {
            0 => {
                self.finish(given); // and the ack is lost
                Vec::new()
            }
            1 => Vec::new(),
            2 => {
                self.working.insert(given.id.clone(), given.seq);
                let progress = [CommandReport::Received, CommandReport::Executing];
                progress.map(|report| ack(&given.id, report)).to_vec()
            }
            3 => {
                let refused = ack(&given.id, CommandReport::Failed { retryable: true });
                vec![refused; 1 + random.below(2)] // perhaps twice, which is once
            }
            4 if random.one_in(3) => {
                vec![ack(&given.id, CommandReport::Failed { retryable: false })]
            }
            _ => {
                self.finish(given);
                vec![ack(&given.id, CommandReport::Completed)]
            }
        }
    }

    /// Works through a part of the list, in order, after what it has begun.
    pub(super) fn work_through_list(&mut self, random: &mut SeededRandom) {
        if self.idle {
            return;
        }
        for (id, seq) in std::mem::take(&mut self.working) {
            self.finish(&GivenCommand { id, seq });
        }
        for _ in 0..random.below(self.list.len() + 1) {
            let Some(given) = self.list.pop_front() else {
                break;
            };
            if !self.finished.contains(&given.id) && random.one_in(8) {
                let retryable = !random.one_in(4);
                self.acks_to_bring
                    .push(ack(&given.id, CommandReport::Failed { retryable }));
                if random.one_in(2) {
                    break; // the rest of the list is not looked at
                }
                continue; // finished by its own ack, later
            }
            self.finish(&given);
            if random.one_in(5) {
                self.acks_to_bring
                    .push(ack(&given.id, CommandReport::Completed));
            }
            self.last_of_list = Some(given.id);
        }
    }

    /// The seq up to which it has finished everything.
    pub(super) fn last_seq(&self) -> u64 {
        (1..)
            .find(|seq| !self.finished_seqs.contains(seq))
            .unwrap_or(1)
            - 1
    }
}

pub(super) fn ack(id: &str, report: CommandReport) -> Ack {
    Ack {
        command_id: id.to_owned(),
        report,
        error: None,
    }
}
