//! The job that sends changes to the external memory service. A task is a row until it is done, so
//! neither an outage nor a crash loses one. A call that may have been made before is checked first,
//! so that no memory is stored twice.

use std::sync::Arc;
use std::time::Duration;

use super::mem0::{Mem0, MemoryServiceError};
use super::{CALL_MAX, Memories, Memory, blocking};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::store::{MemoryTask, MemoryTaskKind};

pub const POLL_INTERVAL: Duration = Duration::from_secs(5);
const RETRY_FIRST_S: i64 = 2;
const RETRY_MAX_S: i64 = 600;
/// How long a finished task is kept: longer than any list may take.
const KEEP_FINISHED_S: i64 = 60;

/// Executes due tasks. Returns the pause before the next ones.
pub async fn run_due_tasks(memories: Arc<Memories>) -> Result<Duration> {
    let has_more = match &memories.service {
        Some(service) => execute_due(&memories, service).await?,
        None => false,
    };
    Ok(match has_more {
        true => Duration::ZERO,
        false => POLL_INTERVAL,
    })
}

/// True when there may be more.
async fn execute_due(memories: &Memories, service: &Arc<Mem0>) -> Result<bool> {
    remove_finished(memories).await?;
    let now = memories.clock.now();
    let due = memories.store.read(move |view| view.due_memory_tasks(now));
    let due = due.await?;
    let mut has_progress = false;
    for task in due {
        if !begin(memories, &task).await? {
            continue;
        }
        let outcome = execute(memories, service, &task).await?;
        // Lists fetched before may be outdated, whatever the outcome.
        memories.cache.forget(&task.user_id);
        match outcome {
            Ok(()) => has_progress = true,
            Err(error) => {
                postpone(memories, &task, &error).await?;
                if !error.is_final() {
                    return Ok(false); // the next task would fail too
                }
            }
        }
    }
    Ok(has_progress)
}

/// Counts the call before it is made; false when the task was cancelled meanwhile.
async fn begin(memories: &Memories, task: &MemoryTask) -> Result<bool> {
    let id = task.id;
    memories
        .store
        .write(move |tx| tx.begin_memory_task(id))
        .await
}

/// Makes the calls and records them.
async fn execute(
    memories: &Memories,
    service: &Arc<Mem0>,
    task: &MemoryTask,
) -> Result<Result<(), MemoryServiceError>> {
    let memory = match (task.kind, task.memory_id.clone()) {
        (MemoryTaskKind::Add, Some(id)) => {
            let row = memories.store.read(move |view| view.memory(&id)).await?;
            row.map(Memory::from)
        }
        _ => None,
    };
    let (service, task_to_call) = (service.clone(), task.clone());
    let result = blocking(move || call(&service, &task_to_call, memory.as_ref())).await;
    if result.is_ok() {
        let (id, now) = (task.id, memories.clock.now());
        let finishing = memories
            .store
            .write(move |tx| tx.finish_memory_task(id, now));
        finishing.await?;
    }
    Ok(result)
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
            if task.attempts > 0 && is_stored(service, user_id, &memory.id)? {
                return Ok(());
            }
            service.add(user_id, memory, CALL_MAX)
        }
        (MemoryTaskKind::Delete, Some(id)) => {
            let list = service.list(user_id, CALL_MAX)?;
            let is_same = |memory: &&Memory| memory.kept_for.as_ref() == Some(id);
            for memory in list.memories.iter().filter(is_same) {
                service.delete(&memory.id, CALL_MAX)?;
            }
            // Also deletes a memory that the list doesn't include.
            service.delete(id, CALL_MAX)
        }
    }
}

fn is_stored(service: &Mem0, user_id: &str, id: &str) -> Result<bool, MemoryServiceError> {
    let list = service.list(user_id, CALL_MAX)?;
    let mut memories = list.memories.iter();
    Ok(memories.any(|memory| memory.kept_for.as_deref() == Some(id)))
}

async fn postpone(
    memories: &Memories,
    task: &MemoryTask,
    error: &MemoryServiceError,
) -> Result<()> {
    log::warn!("the memory service: {error}; trying again later");
    let (id, kind, now) = (task.id, task.kind, memories.clock.now());
    let due_at = next_attempt(task.attempts, now);
    let is_final = error.is_final();
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
fn next_attempt(attempts: i64, now: Timestamp) -> Timestamp {
    let pause_s = RETRY_FIRST_S << attempts.clamp(0, 16);
    now.plus_s(pause_s.min(RETRY_MAX_S))
}

async fn remove_finished(memories: &Memories) -> Result<()> {
    let before = memories.clock.now().plus_s(-KEEP_FINISHED_S);
    let has_finished = memories
        .store
        .read(move |view| view.any_settled_memory_task(before));
    if has_finished.await? {
        let removing = memories
            .store
            .write(move |tx| tx.settle_memory_tasks(before));
        removing.await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_between_attempts_double() {
        let now = Timestamp::from_seconds(1_000);
        let waits = [(0, 2), (1, 4), (2, 8), (8, 512), (9, 600), (1_000_000, 600)];
        for (attempts, seconds) in waits {
            assert_eq!(
                next_attempt(attempts, now),
                now.plus_s(seconds),
                "{attempts}"
            );
        }
    }
}
