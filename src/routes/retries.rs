//! Retries without a key, of relays that repeat a request when the connection breaks: a
//! request waits while the same one is being worked on for a client that is gone, and an
//! answer that could not be written is kept for the retry.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Semaphore;

use crate::http::{Connection, Fate, Peer};
use crate::ingest::{Ingest, Received};
use crate::store::Digest;

/// Requests being worked on, by relay, endpoint and body.
#[derive(Default)]
pub struct Retries {
    turns: Mutex<HashMap<Digest, Vec<Working>>>,
    legacy_used: AtomicBool,
}

struct Working {
    connection: Connection,
    over: Arc<Semaphore>,
}

/// A request's turn; the next one of its kind comes when it is dropped.
pub struct Turn {
    retries: Arc<Retries>,
    request: Digest,
    /// Has no permits; it is closed when the turn is over.
    over: Arc<Semaphore>,
}

impl Retries {
    /// Waits for the same request of a client that is gone, then takes its turn.
    pub async fn enter(self: &Arc<Self>, request: Digest, connection: &Connection) -> Turn {
        loop {
            let over = match self.take_turn(request, connection) {
                Ok(turn) => return turn,
                Err(over) => over,
            };
            let _ = over.acquire().await; // an error: it is over
        }
    }

    fn take_turn(
        self: &Arc<Self>,
        request: Digest,
        connection: &Connection,
    ) -> Result<Turn, Arc<Semaphore>> {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        let working = turns.entry(request).or_default();
        if let Some(gone) = working.iter().find(|w| w.connection.peer() != Peer::Open) {
            return Err(gone.over.clone());
        }
        let over = Arc::new(Semaphore::new(0));
        working.push(Working {
            connection: connection.clone(),
            over: over.clone(),
        });
        Ok(Turn {
            retries: self.clone(),
            request,
            over,
        })
    }

    pub fn note_legacy_use(&self) {
        self.legacy_used.store(true, Ordering::Relaxed);
    }

    /// Whether the legacy endpoint was used since the last time this was asked.
    pub fn legacy_was_used(&self) -> bool {
        self.legacy_used.swap(false, Ordering::Relaxed)
    }
}

impl Turn {
    /// The request's answer is about to be written: sees to it that it is kept if nobody is
    /// there to read it.
    pub fn answered(self, ingest: &Arc<Ingest>, connection: &Connection, received: Received) {
        let Received {
            message_id, due, ..
        } = received;
        if connection.peer() == Peer::Open {
            if let Some(due) = due {
                connection.hold_until_written(due);
            }
            return;
        }
        let (ingest, settled) = (ingest.clone(), connection.settle());
        tokio::spawn(async move {
            if settled.await == Fate::Lost
                && let Err(error) = ingest.keep_answer(self.request, message_id).await
            {
                log::warn!("an answer that was not delivered could not be kept: {error}");
            }
            drop((self, due));
        });
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut turns = self
            .retries
            .turns
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(working) = turns.get_mut(&self.request) {
            working.retain(|w| !Arc::ptr_eq(&w.over, &self.over));
            if working.is_empty() {
                turns.remove(&self.request);
            }
        }
        self.over.close();
    }
}
