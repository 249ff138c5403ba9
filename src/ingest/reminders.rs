//! Delivers reminders, and what superpowers say by themselves, at their time as commands, also those that came due while the service
//! was down. The work is found in the database each time; nothing is kept in memory but the
//! wish to look again.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;

use super::Ingest;
use crate::clock::Timestamp;
use crate::edge::queue::{self, Message};
use crate::error::Result;
use crate::metrics::Job;
use crate::reply::wording;
use crate::store::{Reminder, Tx, View};

/// A clock that jumps is noticed within this time.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// When the relay has too many unfinished commands, or there is no relay.
const POSTPONE_S: i64 = 60;
/// Pause after a look that failed.
const FAILED_PAUSE: Duration = Duration::from_secs(1);

/// Wakes the job: an earlier reminder may have been set.
#[derive(Default, Clone)]
pub struct Wake(Arc<Notify>);

impl Wake {
    pub fn now(&self) {
        self.0.notify_one();
    }
}

/// Runs until the service ends.
pub async fn run(ingest: Arc<Ingest>, numbers: Arc<Job>) {
    loop {
        let delivered = deliver_due(&ingest).await;
        numbers.ran(&delivered, ingest.clock.now().0);
        let pause = match delivered {
            Ok(Some(next)) => {
                let ms = next.0.saturating_sub(ingest.clock.now().0).max(0) as u64;
                Duration::from_millis(ms).min(LOOK_EVERY)
            }
            Ok(None) => LOOK_EVERY,
            Err(error) => {
                log::warn!("reminders: {error}");
                FAILED_PAUSE
            }
        };
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = ingest.reminders.0.notified() => {}
        }
    }
}

/// Queues what is due; when the next one is.
async fn deliver_due(ingest: &Arc<Ingest>) -> Result<Option<Timestamp>> {
    let now = ingest.clock.now();
    // A look first: most of the time there is nothing to write.
    let next = ingest.store.read(next_due).await?;
    if next.is_none_or(|at| at > now) {
        return Ok(next);
    }
    let worker = ingest.clone();
    ingest
        .store
        .write(move |tx| {
            for reminder in tx.due_reminders(now)? {
                deliver(&worker, tx, &reminder, now)?;
            }
            worker.ring_due(tx, now)?;
            next_due(&tx.view())
        })
        .await
}

/// When the next reminder is, or a superpower's next word.
fn next_due(view: &View<'_>) -> Result<Option<Timestamp>> {
    let both = [view.next_reminder_due()?, view.next_power_alarm_due()?];
    Ok(both.into_iter().flatten().min())
}

fn deliver(ingest: &Ingest, tx: &mut Tx<'_>, reminder: &Reminder, now: Timestamp) -> Result<()> {
    let chat = tx.chat_for(reminder.room, Some(reminder.user))?;
    // A group's reminder does not wait for one person's focus.
    if !chat.as_ref().is_some_and(|chat| chat.group)
        && let Some(until) = ingest.focus_until(tx, reminder.user, now)?
    {
        return tx.postpone_reminder(reminder.id, until);
    }
    let queued = match chat.and_then(|chat| Some((chat.agent?, chat))) {
        Some((agent, chat)) => {
            let message = Message {
                agent,
                room: chat.room,
                chat_guid: &chat.chat_guid,
                text: &wording::reminder_text(&reminder.text),
                user: Some(reminder.user),
                is_one_bubble: true,
                app_creator: None,
            };
            queue::send_message(tx, &ingest.hub, &message, now)?
        }
        None => false,
    };
    if queued {
        tx.delete_reminder(reminder.id)
    } else {
        log::warn!("reminder {} can't be queued yet", reminder.schedule_id);
        tx.postpone_reminder(reminder.id, now.plus_s(POSTPONE_S))
    }
}
