//! Requests waiting for replies, in memory. Entries are opened and closed on the writer thread
//! after the corresponding commits.

use std::collections::HashMap;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::watch;

use crate::model::answer::Answer;

/// At most as many entries as pending replies, which are bounded.
#[derive(Default)]
pub(super) struct ReplyWaiters(Mutex<HashMap<i64, watch::Sender<Option<Answer>>>>);

impl ReplyWaiters {
    pub(super) fn open(&self, message_id: i64) {
        let mut waiting = self.0.lock();
        waiting
            .entry(message_id)
            .or_insert_with(|| watch::Sender::new(None));
    }

    /// Gives the answer to all waiting requests.
    pub(super) fn close(&self, message_id: i64, answer: Answer) {
        let sender = self.0.lock().remove(&message_id);
        if let Some(sender) = sender {
            sender.send_replace(Some(answer));
        }
    }

    /// `None` when the time is over or the entry was closed: the database has the state.
    pub(super) async fn answer(&self, message_id: i64, most: Duration) -> Option<Answer> {
        let mut answer = self.0.lock().get(&message_id)?.subscribe();
        let outcome = tokio::time::timeout(most, answer.wait_for(Option::is_some)).await;
        outcome.ok()?.ok()?.clone()
    }
}
