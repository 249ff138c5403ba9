//! Messages whose answers may not have been delivered yet. Each message's row stores how many
//! before it are undelivered, which costs no extra row or page. After a crash the next start keeps
//! the answers that may not have reached their relays.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use rusqlite::Connection;

use super::Tx;
use crate::clock::Timestamp;
use crate::error::Result;

/// An answer that takes longer counts as delivered, so that one stuck client doesn't make later
/// answers look undelivered.
const WRITING_MS_MAX: i64 = 10_000;
/// An answer that is followed by more messages than this counts as delivered, too.
const MESSAGES_MAX: i64 = 1_024;

#[derive(Clone, Default)]
pub(super) struct UndeliveredAnswers(Arc<Mutex<DeliveryState>>);

#[derive(Default)]
struct DeliveryState {
    due: BTreeMap<i64, Timestamp>,
    newest: i64,
    /// Answers up to this message are recorded on disk as delivered.
    noted: i64,
}

/// An answer to be delivered; drop it after delivery.
pub struct AnswerDelivery {
    message_id: i64,
    undelivered: UndeliveredAnswers,
}

impl Drop for AnswerDelivery {
    fn drop(&mut self) {
        self.undelivered.0.lock().due.remove(&self.message_id);
    }
}

impl UndeliveredAnswers {
    pub(super) fn from(newest: i64) -> Self {
        let state = DeliveryState {
            newest,
            noted: newest,
            ..DeliveryState::default()
        };
        Self(Arc::new(Mutex::new(state)))
    }

    /// Adds a stored message whose answer must be delivered, if it is recognised by its request.
    /// Returns how many before it are undelivered.
    pub(super) fn add(
        &self,
        message_id: i64,
        now: Timestamp,
        known: bool,
    ) -> (i64, Option<AnswerDelivery>) {
        let mut state = self.0.lock();
        let before = message_id - 1 - state.written_to(message_id - 1, now);
        state.newest = message_id;
        let due = known.then(|| {
            state.due.insert(message_id, now);
            AnswerDelivery {
                message_id,
                undelivered: self.clone(),
            }
        });
        (before, due)
    }

    /// Whether newer state could be written to disk.
    pub(super) fn is_behind(&self, now: Timestamp) -> bool {
        let mut state = self.0.lock();
        let newest = state.newest;
        state.written_to(newest, now) > state.noted
    }
}

impl DeliveryState {
    /// The id up to which all answers are delivered; `newest` is the newest message.
    fn written_to(&mut self, newest: i64, now: Timestamp) -> i64 {
        while let Some(oldest) = self.due.first_entry() {
            if now.0 - oldest.get().0 <= WRITING_MS_MAX {
                break;
            }
            oldest.remove();
        }
        let written = self.due.first_key_value().map_or(newest, |(id, _)| id - 1);
        written.max(newest - MESSAGES_MAX)
    }
}

impl Tx<'_> {
    /// Writes the state to disk when no message has done so.
    pub fn note_written(&mut self, now: Timestamp) -> Result<()> {
        let undelivered = self.cache.undelivered.clone();
        let written = {
            let mut state = undelivered.0.lock();
            let newest = state.newest;
            state.written_to(newest, now)
        };
        self.run(
            "UPDATE messages SET unwritten = id - 1 - min(?1, id)
             WHERE id = (SELECT max(id) FROM messages)",
            [written],
        )?;
        self.after_commit(move || undelivered.0.lock().noted = written);
        Ok(())
    }
}

/// Keeps the answers that a crash may have left undelivered.
pub(super) fn keep_after_kill(conn: &mut Connection) -> rusqlite::Result<()> {
    let tx = conn.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let newest = "SELECT id, unwritten FROM messages ORDER BY id DESC LIMIT 1";
    let found = tx.query_row(newest, [], |row| {
        Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?))
    });
    let (newest, undelivered) = match found {
        Err(rusqlite::Error::QueryReturnedNoRows) | Ok((_, ..0)) => return Ok(()),
        found => found?,
    };
    tx.execute(
        "INSERT INTO undelivered_answers (request, message_id, created_at)
         SELECT request, id, received_at FROM messages
         WHERE id >= ?1 AND request IS NOT NULL
           AND id NOT IN (SELECT message_id FROM undelivered_answers) ORDER BY id",
        [newest - undelivered],
    )?;
    tx.execute("UPDATE messages SET unwritten = -1 WHERE id = ?1", [newest])?;
    tx.commit()
}
