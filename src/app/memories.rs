//! Builds the storage of memories: the database, and an external service if one is configured.

use std::sync::Arc;

use crate::clock::Clock;
use crate::config::{Config, MemoryProvider, Secret};
use crate::flags::Flags;
use crate::memory::{Memories, mem0::Mem0};
use crate::store::SharedStore;

pub(super) fn memories(
    config: &Config,
    store: &SharedStore,
    flags: &Arc<Flags>,
    clock: &Clock,
) -> Arc<Memories> {
    Arc::new(Memories::new(
        store.clone(),
        flags.clone(),
        clock.clone(),
        memory_service(config),
    ))
}

fn memory_service(config: &Config) -> Option<Mem0> {
    let memory = &config.memory;
    let key = memory.api_key.as_ref().map(Secret::expose);
    match memory.provider {
        MemoryProvider::Local => None,
        MemoryProvider::Mem0 => Some(Mem0::new(memory.base_url.as_deref()?, key)),
    }
}
