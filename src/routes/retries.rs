//! Retries without a key, of relays that repeat a request when the connection breaks: a
//! request waits while the same one is being worked on for a client that is gone, and an
//! answer that could not be written is kept for the retry.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::runtime::Handle;
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

#[derive(Clone)]
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
        // Looked at without the lock: a look may find that an answer was lost.
        let working = self.turns().get(&request).cloned().unwrap_or_default();
        if let Some(gone) = working.iter().find(|w| w.connection.peer() != Peer::Open) {
            return Err(gone.over.clone());
        }
        let over = Arc::new(Semaphore::new(0));
        self.turns().entry(request).or_default().push(Working {
            connection: connection.clone(),
            over: over.clone(),
        });
        Ok(Turn {
            retries: self.clone(),
            request,
            over,
        })
    }

    fn turns(&self) -> MutexGuard<'_, HashMap<Digest, Vec<Working>>> {
        self.turns.lock().unwrap_or_else(PoisonError::into_inner)
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
        let (ingest, peer) = (ingest.clone(), connection.peer());
        let keep = Keep {
            turn: self,
            ingest,
            received,
        };
        if peer == Peer::Open {
            // Most answers are written, and then this is all that was done for them.
            connection.if_not_written(move || {
                if let Ok(runtime) = Handle::try_current() {
                    runtime.spawn(keep.run());
                }
            });
            return;
        }
        let settled = connection.settle();
        tokio::spawn(async move {
            if settled.await == Fate::Lost {
                keep.run().await;
            }
        });
    }
}

/// What is held until an answer is written, and used when it is not. Dropping it says that
/// the answer was written.
struct Keep {
    turn: Turn,
    ingest: Arc<Ingest>,
    received: Received,
}

impl Keep {
    async fn run(self) {
        let kept = self
            .ingest
            .keep_answer(self.turn.request, self.received.message_id);
        if let Err(error) = kept.await {
            log::warn!("an answer that was not delivered could not be kept: {error}");
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut turns = self.retries.turns();
        if let Some(working) = turns.get_mut(&self.request) {
            working.retain(|w| !Arc::ptr_eq(&w.over, &self.over));
            if working.is_empty() {
                turns.remove(&self.request);
            }
        }
        self.over.close();
    }
}
