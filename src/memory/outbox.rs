//! The job that sends changes to the external memory service. A task is a row until it is done, so
//! neither an outage nor a crash loses one. A call that may have been made before is checked first,
//! so that no memory is stored twice.

use std::sync::Arc;
use std::time::Duration;

use super::mem0::{Mem0, MemoryServiceError};
use super::{CALL_MAX, Memories, Memory, blocking};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::metrics::Job;
use crate::store::{MemoryTask, MemoryTaskKind};

const LOOK_EVERY: Duration = Duration::from_secs(5);
const RETRY_FIRST_S: i64 = 2;
const RETRY_MAX_S: i64 = 600;
/// How long a finished task is kept: longer than any list may take.
const SETTLED_AFTER_S: i64 = 60;

/// Runs until the service ends.
pub async fn run(memories: Arc<Memories>, numbers: Arc<Job>) {
    let Some(service) = memories.service.clone() else {
        return;
    };
    loop {
        let worked = work(&memories, &service).await;
        numbers.ran(&worked, memories.clock.now().0);
        let more = match worked {
            Ok(more) => more,
            Err(error) => {
                log::warn!("memories: {error}");
                false
            }
        };
        if !more {
            tokio::select! {
                () = tokio::time::sleep(LOOK_EVERY) => {}
                () = memories.wake.notified() => {}
            }
        }
    }
}

/// Executes due tasks; true when there may be more.
async fn work(memories: &Memories, service: &Arc<Mem0>) -> Result<bool> {
    settle(memories).await?;
    let now = memories.clock.now();
    let due = memories.store.read(move |view| view.due_memory_tasks(now));
    let due = due.await?;
    let mut done = false;
    for task in due {
        if !is_wanted(memories, &task).await? {
            continue;
        }
        let outcome = perform(memories, service, &task).await?;
        // Lists fetched before may be outdated, whatever the outcome.
        memories.cache.forget(&task.user_id);
        match outcome {
            Ok(()) => done = true,
            Err(trouble) => {
                put_off(memories, &task, &trouble).await?;
                if !trouble.is_final() {
                    return Ok(false); // the next task would fail too
                }
            }
        }
    }
    Ok(done)
}

/// Counts the call before it is made; false when the task was cancelled meanwhile.
async fn is_wanted(memories: &Memories, task: &MemoryTask) -> Result<bool> {
    let id = task.id;
    memories
        .store
        .write(move |tx| tx.begin_memory_task(id))
        .await
}

/// Makes the calls and records them.
async fn perform(
    memories: &Memories,
    service: &Arc<Mem0>,
    task: &MemoryTask,
) -> Result<Result<(), MemoryServiceError>> {
    let memory = match (task.kind, task.memory_id.clone()) {
        (MemoryTaskKind::Add, Some(id)) => {
            let kept = memories.store.read(move |view| view.memory(&id)).await?;
            kept.map(Memory::from)
        }
        _ => None,
    };
    let (service, asked) = (service.clone(), task.clone());
    let called = blocking(move || call(&service, &asked, memory.as_ref())).await;
    if called.is_ok() {
        let (id, now) = (task.id, memories.clock.now());
        let done = memories
            .store
            .write(move |tx| tx.finish_memory_task(id, now));
        done.await?;
    }
    Ok(called)
}

fn call(
    service: &Mem0,
    task: &MemoryTask,
    memory: Option<&Memory>,
) -> Result<(), MemoryServiceError> {
    let user_id = &task.user_id;
    match (task.kind, &task.memory_id) {
        (MemoryTaskKind::DeleteAll, _) | (_, None) => service.delete_all(user_id, CALL_MAX),
        (MemoryTaskKind::Add, Some(_)) => {
            let Some(memory) = memory else {
                return Ok(()); // deleted before it was sent
            };
            if task.attempts > 0 && is_kept(service, user_id, &memory.id)? {
                return Ok(());
            }
            service.add(user_id, memory, CALL_MAX)
        }
        (MemoryTaskKind::Delete, Some(id)) => {
            let list = service.list(user_id, CALL_MAX)?;
            let ours = |memory: &&Memory| memory.kept_for.as_ref() == Some(id);
            for memory in list.memories.iter().filter(ours) {
                service.delete(&memory.id, CALL_MAX)?;
            }
            // Also deletes a memory that the list doesn't include.
            service.delete(id, CALL_MAX)
        }
    }
}

fn is_kept(service: &Mem0, user_id: &str, id: &str) -> Result<bool, MemoryServiceError> {
    let list = service.list(user_id, CALL_MAX)?;
    let mut kept = list.memories.iter();
    Ok(kept.any(|memory| memory.kept_for.as_deref() == Some(id)))
}

async fn put_off(
    memories: &Memories,
    task: &MemoryTask,
    trouble: &MemoryServiceError,
) -> Result<()> {
    log::warn!("the memory service: {trouble}; trying again later");
    let (id, kind, now) = (task.id, task.kind, memories.clock.now());
    let due_at = next_try(task.attempts, now);
    let is_final = trouble.is_final();
    memories
        .store
        .write(move |tx| match kind {
            // The service will never accept it, so it stays in the database only.
            MemoryTaskKind::Add if is_final => tx.delete_memory_task(id),
            _ => tx.postpone_memory_task(id, due_at),
        })
        .await
}

/// Doubles from 2 s to 10 minutes.
fn next_try(attempts: i64, now: Timestamp) -> Timestamp {
    let doubled = RETRY_FIRST_S << attempts.clamp(0, 16);
    now.plus_s(doubled.min(RETRY_MAX_S))
}

async fn settle(memories: &Memories) -> Result<()> {
    let before = memories.clock.now().plus_s(-SETTLED_AFTER_S);
    let any = memories
        .store
        .read(move |view| view.any_settled_memory_task(before));
    if any.await? {
        let settled = memories
            .store
            .write(move |tx| tx.settle_memory_tasks(before));
        settled.await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tries_come_further_and_further_apart() {
        let now = Timestamp::from_seconds(1_000);
        let waits = [(0, 2), (1, 4), (2, 8), (8, 512), (9, 600), (1_000_000, 600)];
        for (attempts, seconds) in waits {
            assert_eq!(next_try(attempts, now), now.plus_s(seconds), "{attempts}");
        }
    }
}
