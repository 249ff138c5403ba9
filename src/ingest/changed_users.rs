//! People whose calendars or mails have changed since superpowers' messages to them were planned.
//! Kept in memory only; the changes are read from the database at each check.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::clock::Timestamp;
use crate::store::{ServiceChanges, UserId};

/// How long a change may take from its date to its commit.
const CHANGE_COMMITTED_MS: i64 = 15_000;

/// Whoever is to be planned for, in order.
#[derive(Debug, Default)]
pub(super) struct ChangedUsers {
    /// `None` before the first check, which plans for everybody.
    since: Option<Timestamp>,
    /// The changes that the last check read.
    latest: HashMap<UserId, (Timestamp, i64)>,
    /// The state of each user when the change was planned.
    planned: HashMap<UserId, (Timestamp, i64)>,
    waiting: VecDeque<UserId>,
    is_waiting: HashSet<UserId>,
}

impl ChangedUsers {
    pub(super) fn since(&self) -> Option<Timestamp> {
        self.since
    }

    /// Everybody who has a connected service waits, as nothing is known of them.
    pub(super) fn begin(&mut self, everybody: Vec<UserId>, now: Timestamp) {
        everybody.into_iter().for_each(|user| self.wait(user));
        self.since = Some(now.plus_ms(-CHANGE_COMMITTED_MS));
    }

    /// Takes in the changes since `since`. Somebody is planned for when a change becomes known,
    /// and once more when all of them are so old that none can be committed any more.
    pub(super) fn note(&mut self, changes: Vec<ServiceChanges>, now: Timestamp) {
        let mut latest: HashMap<UserId, (Timestamp, i64)> = HashMap::new();
        for change in changes {
            let known = latest.entry(change.user).or_insert((Timestamp(0), 0));
            *known = (known.0.max(change.last_at), known.1 + change.count);
        }
        let settled: Vec<UserId> = self
            .planned
            .keys()
            .filter(|user| !latest.contains_key(user))
            .copied()
            .collect();
        for user in settled {
            self.planned.remove(&user);
            self.wait(user);
        }
        let is_new = |(user, (at, count)): (&UserId, &(Timestamp, i64))| {
            let planned = self.planned.get(user);
            let known = planned.is_some_and(|planned| planned.0 >= *at && planned.1 >= *count);
            (!known).then_some(*user)
        };
        let new: Vec<UserId> = latest.iter().filter_map(is_new).collect();
        new.into_iter().for_each(|user| self.wait(user));
        self.latest = latest;
        let next = now.plus_ms(-CHANGE_COMMITTED_MS);
        self.since = Some(self.since.map_or(next, |since| since.max(next)));
    }

    /// The next to plan for, at most `limit`.
    pub(super) fn next(&self, limit: usize) -> Vec<UserId> {
        self.waiting.iter().take(limit).copied().collect()
    }

    /// The first that wait were planned for.
    pub(super) fn done(&mut self, users: &[UserId]) {
        for user in users {
            self.waiting.pop_front_if(|first| first == user);
            self.is_waiting.remove(user);
            if let Some(known) = self.latest.get(user) {
                self.planned.insert(*user, *known);
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    fn wait(&mut self, user: UserId) {
        if self.is_waiting.insert(user) {
            self.waiting.push_back(user);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changes(all: &[(i64, i64, i64)]) -> Vec<ServiceChanges> {
        let change = |(user, last_at, count): &(i64, i64, i64)| ServiceChanges {
            user: UserId(*user),
            last_at: Timestamp(*last_at),
            count: *count,
        };
        all.iter().map(change).collect()
    }

    fn planned(users: &mut ChangedUsers) -> Vec<i64> {
        let next = users.next(10);
        users.done(&next);
        let mut ids: Vec<i64> = next.iter().map(|user| user.0).collect();
        ids.sort_unstable();
        ids
    }

    #[test]
    fn a_change_is_planned_when_it_is_known_and_when_it_is_settled() {
        let mut users = ChangedUsers::default();
        assert_eq!(users.since(), None);
        users.begin(vec![UserId(1), UserId(2), UserId(1)], Timestamp(100_000));
        assert_eq!(users.since(), Some(Timestamp(85_000)));
        assert_eq!(planned(&mut users), [1, 2]);
        type Case = (&'static [(i64, i64, i64)], i64, &'static [i64]);
        let cases: [Case; 7] = [
            (&[(2, 101_000, 3)], 101_000, &[2]),
            // The same again, and of a second table.
            (&[(2, 101_000, 3)], 102_000, &[]),
            (&[(2, 101_000, 3), (2, 101_000, 1)], 103_000, &[2]),
            (&[(2, 104_000, 1), (2, 101_000, 4)], 104_000, &[2]),
            (&[(2, 104_000, 1)], 117_000, &[]),
            // It left the window: once more, in case something was committed late.
            (&[], 120_000, &[2]),
            (&[], 125_000, &[]),
        ];
        for (known, now, expected) in cases {
            users.note(changes(known), Timestamp(now));
            assert_eq!(planned(&mut users), expected, "{known:?} at {now}");
        }
        assert_eq!(users.since(), Some(Timestamp(110_000)));
    }

    #[test]
    fn whoever_is_not_reached_waits() {
        let mut users = ChangedUsers::default();
        users.begin((0..5).map(UserId).collect(), Timestamp(0));
        let first = users.next(3);
        assert_eq!(first, [UserId(0), UserId(1), UserId(2)]);
        // Taken again after a failure.
        assert_eq!(users.next(3), first);
        users.done(&first);
        users.note(changes(&[(0, 1, 1)]), Timestamp(1));
        assert_eq!(users.next(9), [UserId(3), UserId(4), UserId(0)]);
        assert!(!users.is_empty());
    }
}
