//! Who waits for which answer, in memory. It follows the database: an entry is opened and
//! closed after the commits that say so, on the writing thread.

use std::collections::HashMap;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::watch;

use crate::ingest::answer::Answer;

/// As many entries as there are pending replies, which have their bound.
#[derive(Default)]
pub(super) struct ReplyWaiters(Mutex<HashMap<i64, watch::Sender<Option<Answer>>>>);

impl ReplyWaiters {
    pub(super) fn open(&self, message_id: i64) {
        let mut waiting = self.0.lock();
        waiting
            .entry(message_id)
            .or_insert_with(|| watch::Sender::new(None));
    }

    /// Everybody who waits gets the answer.
    pub(super) fn close(&self, message_id: i64, answer: Answer) {
        let sender = self.0.lock().remove(&message_id);
        if let Some(sender) = sender {
            sender.send_replace(Some(answer));
        }
    }

    /// `None` when it was not there in time, or is not waited for any more: the database
    /// knows.
    pub(super) async fn answer(&self, message_id: i64, most: Duration) -> Option<Answer> {
        let mut answer = self.0.lock().get(&message_id)?.subscribe();
        let outcome = tokio::time::timeout(most, answer.wait_for(Option::is_some)).await;
        outcome.ok()?.ok()?.clone()
    }
}
