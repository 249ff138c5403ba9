//! Joins local memories with the service's. Pure.

use std::collections::HashSet;

use super::mem0::List;
use super::{Memory, ServiceMemories};
use crate::clock::Timestamp;
use crate::store::{self, MemoryTask, MemoryTaskKind};

/// Memories, and whether the list is complete.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FoundMemories {
    /// Newest first; for a search the best match first.
    pub memories: Vec<Memory>,
    /// The external service could not be reached.
    pub is_cut_off: bool,
}

/// Joins both lists, without duplicates and without memories to be deleted in the service. `local`
/// is oldest first, `tasks` are the person's.
pub fn merged(
    local: Vec<store::Memory>,
    service_memories: &ServiceMemories,
    tasks: &[MemoryTask],
) -> FoundMemories {
    let forgotten = ForgottenMemories::of(tasks);
    let mut memories: Vec<Memory> = local.into_iter().map(Memory::from).collect();
    memories.reverse();
    let is_cut_off = match service_memories {
        ServiceMemories::Nothing => false,
        ServiceMemories::Unreachable => true,
        ServiceMemories::Listed(list) => {
            let local_ids: HashSet<String> =
                memories.iter().map(|memory| memory.id.clone()).collect();
            let remote = list.memories.iter().filter(|memory| {
                let is_local = memory
                    .kept_for
                    .as_ref()
                    .is_some_and(|id| local_ids.contains(id));
                !is_local && !forgotten.includes(memory)
            });
            memories.extend(remote.cloned());
            // A stable sort keeps the order of memories without a time, or with a rank.
            memories.sort_by_key(|memory| std::cmp::Reverse(memory.created_at));
            false
        }
    };
    FoundMemories {
        memories,
        is_cut_off,
    }
}

/// The service's search results, best first and without memories to be deleted there, then the
/// other local memories in their order.
pub fn found_first(results: &List, local: Vec<Memory>, tasks: &[MemoryTask]) -> Vec<Memory> {
    let forgotten = ForgottenMemories::of(tasks);
    let results = results
        .memories
        .iter()
        .filter(|memory| !forgotten.includes(memory));
    let mut memories: Vec<Memory> = results.cloned().collect();
    let stored_locally: HashSet<&str> = memories
        .iter()
        .filter_map(|m| m.kept_for.as_deref())
        .collect();
    let other: Vec<Memory> = local
        .into_iter()
        .filter(|memory| !stored_locally.contains(memory.id.as_str()))
        .collect();
    memories.extend(other);
    memories
}

/// Memories that the service may still list although they were or will be deleted there.
pub struct ForgottenMemories<'a> {
    ids: HashSet<&'a str>,
    /// Everything is to be deleted.
    all: bool,
    /// Everything up to this time was deleted.
    all_until: Option<Timestamp>,
}

impl<'a> ForgottenMemories<'a> {
    pub fn of(tasks: &'a [MemoryTask]) -> Self {
        let deletions = tasks.iter().filter(|t| t.kind == MemoryTaskKind::Delete);
        let all = tasks.iter().filter(|t| t.kind == MemoryTaskKind::DeleteAll);
        Self {
            ids: deletions.filter_map(|t| t.memory_id.as_deref()).collect(),
            all: all.clone().any(|t| !t.is_done),
            all_until: all.map(|t| t.created_at).max(),
        }
    }

    pub fn includes(&self, memory: &Memory) -> bool {
        let is_forgotten = |id: &str| self.ids.contains(id);
        self.all
            || is_forgotten(&memory.id)
            || memory.kept_for.as_deref().is_some_and(is_forgotten)
            || (self.all_until.is_some() && memory.created_at <= self.all_until)
    }
}

impl From<store::Memory> for Memory {
    fn from(row: store::Memory) -> Self {
        Self {
            id: row.public_id,
            text: row.text,
            category: row.category,
            created_at: Some(row.created_at),
            kept_for: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::store::UserId;

    fn local(id: &str, at: i64) -> store::Memory {
        store::Memory {
            id: at,
            public_id: id.to_owned(),
            text: id.to_owned(),
            category: "said".to_owned(),
            created_at: Timestamp(at),
        }
    }

    fn remote(id: &str, kept_for: Option<&str>, at: Option<i64>) -> Memory {
        Memory {
            id: id.to_owned(),
            text: id.to_owned(),
            category: String::new(),
            created_at: at.map(Timestamp),
            kept_for: kept_for.map(str::to_owned),
        }
    }

    fn task(kind: MemoryTaskKind, memory_id: Option<&str>, at: i64, is_done: bool) -> MemoryTask {
        MemoryTask {
            id: at,
            user: UserId(1),
            user_id: "u".to_owned(),
            kind,
            memory_id: memory_id.map(str::to_owned),
            attempts: 0,
            created_at: Timestamp(at),
            is_done,
        }
    }

    #[test]
    fn both_are_joined_without_memories_to_be_deleted() {
        use MemoryTaskKind::{Add, Delete, DeleteAll};
        let there = || {
            ServiceMemories::Listed(Arc::new(List {
                memories: vec![
                    remote("r1", None, Some(10)),
                    remote("r2", Some("b"), Some(20)),
                    remote("r3", Some("c"), Some(30)),
                    remote("r4", None, None),
                ],
                is_cut: false,
            }))
        };
        let here = || vec![local("a", 5), local("b", 20)];
        type Case = (
            &'static str,
            ServiceMemories,
            Vec<MemoryTask>,
            &'static [&'static str],
            bool,
        );
        let cases: Vec<Case> = vec![
            (
                "only here",
                ServiceMemories::Nothing,
                vec![],
                &["b", "a"],
                false,
            ),
            (
                "down",
                ServiceMemories::Unreachable,
                vec![],
                &["b", "a"],
                true,
            ),
            (
                "both",
                there(),
                vec![],
                &["r3", "b", "r1", "a", "r4"],
                false,
            ),
            (
                "being added",
                there(),
                vec![task(Add, Some("b"), 20, true)],
                &["r3", "b", "r1", "a", "r4"],
                false,
            ),
            (
                "to be deleted, by either id",
                there(),
                vec![
                    task(Delete, Some("r1"), 40, false),
                    task(Delete, Some("c"), 41, true),
                ],
                &["b", "a", "r4"],
                false,
            ),
            (
                "all to be deleted",
                there(),
                vec![task(DeleteAll, None, 15, false)],
                &["b", "a"],
                false,
            ),
            (
                "all deleted until then",
                there(),
                vec![task(DeleteAll, None, 15, true)],
                &["r3", "b", "a"],
                false,
            ),
        ];
        for (case, service_memories, tasks, expected, is_cut_off) in cases {
            let found = merged(here(), &service_memories, &tasks);
            let ids: Vec<&str> = found.memories.iter().map(|m| m.id.as_str()).collect();
            assert_eq!(ids, expected, "{case}");
            assert_eq!(found.is_cut_off, is_cut_off, "{case}");
        }
    }

    #[test]
    fn search_results_are_first_and_not_repeated() {
        let found = List {
            memories: vec![
                remote("r1", Some("b"), Some(20)),
                remote("r2", None, Some(10)),
                remote("r3", None, Some(30)),
            ],
            is_cut: false,
        };
        let here = || {
            ["c", "b", "a"]
                .map(|id| Memory::from(local(id, 1)))
                .to_vec()
        };
        let ids = |tasks: &[MemoryTask]| -> Vec<String> {
            let all = found_first(&found, here(), tasks);
            all.into_iter().map(|memory| memory.id).collect()
        };
        assert_eq!(ids(&[]), ["r1", "r2", "r3", "c", "a"]);
        let forgotten = task(MemoryTaskKind::Delete, Some("r2"), 40, false);
        assert_eq!(ids(&[forgotten]), ["r1", "r3", "c", "a"]);
    }
}
