//! Retries without an idempotency key. A relay repeats a request when the connection breaks: the
//! repeated request waits while the first one is still in flight, and an answer that could not
//! be written is stored for the retry.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;

use super::{Ingest, IngestOutcome};
use crate::http::{Connection, DeliveryOutcome, Peer};

use crate::store::Digest;

/// Requests in flight, by the digest of relay, endpoint and body.
#[derive(Default)]
pub struct Retries {
    in_flight: Mutex<HashMap<Digest, Vec<InFlightEntry>>>,
    legacy_used: AtomicBool,
}

#[derive(Clone)]
struct InFlightEntry {
    connection: Connection,
    done: Arc<Semaphore>,
}

/// A request being handled. Dropping it lets an identical request start.
pub struct InFlight {
    retries: Arc<Retries>,
    request: Digest,
    /// A semaphore without permits; it is closed when the request is done.
    done: Arc<Semaphore>,
}

impl Retries {
    /// Waits while the same request of a disconnected client is in flight, then starts.
    pub async fn enter(self: &Arc<Self>, request: Digest, connection: &Connection) -> InFlight {
        loop {
            let done = match self.begin(request, connection) {
                Ok(in_flight) => return in_flight,
                Err(done) => done,
            };
            let _ = done.acquire().await; // acquire fails when the semaphore is closed: the request is done
        }
    }

    fn begin(
        self: &Arc<Self>,
        request: Digest,
        connection: &Connection,
    ) -> Result<InFlight, Arc<Semaphore>> {
        // `peer` runs outside the lock, because it may find that an answer was lost.
        let entries = self
            .in_flight
            .lock()
            .get(&request)
            .cloned()
            .unwrap_or_default();
        if let Some(disconnected) = entries.iter().find(|w| w.connection.peer() != Peer::Open) {
            return Err(disconnected.done.clone());
        }
        let done = Arc::new(Semaphore::new(0));
        self.in_flight
            .lock()
            .entry(request)
            .or_default()
            .push(InFlightEntry {
                connection: connection.clone(),
                done: done.clone(),
            });
        Ok(InFlight {
            retries: self.clone(),
            request,
            done,
        })
    }

    pub fn record_legacy_use(&self) {
        self.legacy_used.store(true, Ordering::Relaxed);
    }

    /// Whether the legacy endpoint was used since the last call of this function.
    pub fn legacy_was_used(&self) -> bool {
        self.legacy_used.swap(false, Ordering::Relaxed)
    }
}

impl InFlight {
    /// Watches the answer that is about to be written. If it can't be delivered, it is stored for
    /// the retry.
    pub fn watch_answer(
        self,
        ingest: &Arc<Ingest>,
        connection: &Connection,
        outcome: IngestOutcome,
    ) {
        let (ingest, peer) = (ingest.clone(), connection.peer());
        let undelivered = UndeliveredAnswer {
            in_flight: self,
            ingest,
            outcome,
        };
        if peer == Peer::Open {
            // Nearly all answers are delivered, so storing happens only in this callback.
            connection.if_not_written(move || {
                if let Ok(runtime) = Handle::try_current() {
                    runtime.spawn(undelivered.run());
                }
            });
            return;
        }
        let delivery = connection.delivery();
        tokio::spawn(async move {
            if delivery.await == DeliveryOutcome::Lost {
                undelivered.run().await;
            }
        });
    }
}

/// The data needed to store an answer that wasn't delivered. It is dropped when the answer was
/// delivered.
struct UndeliveredAnswer {
    in_flight: InFlight,
    ingest: Arc<Ingest>,
    outcome: IngestOutcome,
}

impl UndeliveredAnswer {
    async fn run(self) {
        let stored = self
            .ingest
            .keep_answer(self.in_flight.request, self.outcome.message_id);
        if let Err(error) = stored.await {
            log::warn!("an undelivered answer could not be stored: {error}");
        }
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        let mut in_flight = self.retries.in_flight.lock();
        if let Some(entries) = in_flight.get_mut(&self.request) {
            entries.retain(|w| !Arc::ptr_eq(&w.done, &self.done));
            if entries.is_empty() {
                in_flight.remove(&self.request);
            }
        }
        self.done.close();
    }
}
