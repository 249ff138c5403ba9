//! The job that delivers due reminders and superpowers' messages as commands, including those that
//! came due while the service was down. A recurring reminder moves to its next time in the same
//! transaction. Due rows are read from the database each time; memory holds only the time of the
//! next check.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use tokio::sync::Notify;

use super::Ingest;
use super::dialog;
use super::dialog::latest::{ItemEvent, LastNamed};
use crate::assistant::{LocalNow, wording};
use crate::clock::Timestamp;
use crate::edge::queue::{self, OutgoingMessage};
use crate::error::Result;
use crate::metrics::JobMetrics;
use crate::model::recurrence::RuleProgress;
use crate::store::{Reminder, Tx, View};

/// How soon a changed clock is noticed.
const POLL_INTERVAL: Duration = Duration::from_secs(5);
/// Delay when the relay has too many unfinished commands, or there is no relay.
const POSTPONE_S: i64 = 60;
/// People whose calendars are planned in one transaction, which messages wait for.
const PLANNED_AT_ONCE: usize = 5;
/// People whose calendars are planned before due messages are looked for again.
const PLANNED_MAX: usize = 100;
/// The pause where more people wait.
const PLAN_ON_MS: i64 = 500;
/// A reminder later than this says so.
const LATE_MS: i64 = 5 * 60_000;
/// Reminders that come within so long are meant together by "done" and "snooze".
const TOGETHER_MS: i64 = 60_000;
/// Pause after a failed check.
const FAILED_PAUSE: Duration = Duration::from_secs(1);

/// Wakes the job when something becomes due before its next check. Most reminders are further away,
/// and a check costs more than the message that set the reminder.
#[derive(Clone)]
pub struct ReminderWaker(Arc<NextLook>);

struct NextLook {
    /// `i64::MAX` during a check, which may already have missed a new row.
    at_ms: AtomicI64,
    sooner: Notify,
}

impl Default for ReminderWaker {
    fn default() -> Self {
        Self(Arc::new(NextLook {
            at_ms: AtomicI64::new(i64::MAX),
            sooner: Notify::new(),
        }))
    }
}

impl ReminderWaker {
    /// A row due at `at` was committed.
    pub fn by(&self, at: Timestamp) {
        if at.0 <= self.0.at_ms.load(Ordering::SeqCst) {
            self.now();
        }
    }

    /// Makes the job check immediately.
    pub fn now(&self) {
        self.0.sooner.notify_one();
    }

    /// A check begins: rows committed from now on wake the job.
    fn looking(&self) {
        self.set(i64::MAX);
    }

    fn set(&self, at_ms: i64) {
        self.0.at_ms.store(at_ms, Ordering::SeqCst);
    }

    /// Sleeps until the pause ends at the next check, or until something becomes due before it.
    async fn sleep(&self, next_check: Timestamp, pause: impl Future<Output = ()>) {
        self.set(next_check.0);
        tokio::select! {
            () = pause => {}
            () = self.0.sooner.notified() => {}
        }
    }
}

/// Runs until the service ends.
pub async fn run(ingest: Arc<Ingest>, metrics: Arc<JobMetrics>) {
    loop {
        ingest.reminders.looking();
        let begun_at = ingest.clock.now();
        let delivered = deliver_due(&ingest, begun_at).await;
        let now = ingest.clock.now();
        metrics.ran(&delivered, now.0);
        let pause = match delivered {
            Ok(Some(next)) => {
                let ms = next.0.saturating_sub(now.0).max(0) as u64;
                Duration::from_millis(ms).min(POLL_INTERVAL)
            }
            Ok(None) => POLL_INTERVAL,
            Err(error) => {
                log::warn!("due reminders could not be sent: {error}");
                FAILED_PAUSE
            }
        };
        let next_check = now.plus_ms(pause.as_millis() as i64);
        let pause = ingest.clock.pause(begun_at, pause);
        ingest.reminders.sleep(next_check, pause).await;
    }
}

/// Queues due messages. Returns when the next one is due.
async fn deliver_due(ingest: &Arc<Ingest>, now: Timestamp) -> Result<Option<Timestamp>> {
    let all_planned = plan_changed_calendars(ingest, now).await?;
    let soon = |next: Option<Timestamp>| match all_planned {
        true => next,
        false => Some(next.map_or(now.plus_ms(PLAN_ON_MS), |at| {
            at.min(now.plus_ms(PLAN_ON_MS))
        })),
    };
    // Reads first, because usually nothing is due.
    let next = ingest.store.read(next_due).await?;
    if next.is_none_or(|at| at > now) {
        return Ok(soon(next));
    }
    let worker = ingest.clone();
    let delivered = ingest.store.write(move |tx| {
        for reminder in tx.due_reminders(now)? {
            deliver(&worker, tx, &reminder, now)?;
        }
        worker.handle_due_alarms(tx, now)?;
        next_due(tx.view())
    });
    delivered.await.map(soon)
}

/// Plans what goes by calendars and mails for people whose events or mails have changed. False
/// when more of them wait.
async fn plan_changed_calendars(ingest: &Arc<Ingest>, now: Timestamp) -> Result<bool> {
    let since = ingest.changed_users.lock().since();
    match since {
        Some(since) => {
            let read = ingest.store.read(move |view| {
                let mut changes = view.event_changes_by_user(since)?;
                changes.extend(view.new_mails_by_user(since)?);
                Ok(changes)
            });
            let changes = read.await?;
            ingest.changed_users.lock().note(changes, now);
        }
        None => {
            let everybody = ingest.store.read(|view| view.users_with_services()).await?;
            ingest.changed_users.lock().begin(everybody, now);
        }
    }
    for _ in 0..PLANNED_MAX / PLANNED_AT_ONCE {
        let users = ingest.changed_users.lock().next(PLANNED_AT_ONCE);
        if users.is_empty() {
            break;
        }
        let (worker, planned) = (ingest.clone(), users.clone());
        let write = ingest.store.write(move |tx| {
            for user in planned {
                worker.plan_calendar_alarms(tx, user, now)?;
            }
            Ok(())
        });
        write.await?;
        ingest.changed_users.lock().done(&users);
    }
    Ok(ingest.changed_users.lock().is_empty())
}

/// When the next reminder or alarm is due.
fn next_due(view: &View) -> Result<Option<Timestamp>> {
    let both = [view.next_reminder_due()?, view.next_power_alarm_due()?];
    Ok(both.into_iter().flatten().min())
}

fn deliver(ingest: &Ingest, tx: &mut Tx, reminder: &Reminder, now: Timestamp) -> Result<()> {
    let chat = tx.chat_for(reminder.room, Some(reminder.user))?;
    // Whoever was taken out of a group doesn't write there any more.
    let is_group = chat.as_ref().is_some_and(|chat| chat.group);
    if is_group && !tx.takes_part(reminder.room, reminder.user)? {
        return tx.delete_reminder(reminder.id);
    }
    // A group's reminder doesn't wait for one person's focus session.
    if !is_group && let Some(until) = ingest.focus_until(tx, reminder.user, now)? {
        return tx.postpone_reminder(reminder.id, until);
    }
    let progress = match &reminder.recurrence {
        Some(recurrence) => recurrence.progress(now),
        None => RuleProgress {
            due: 1,
            last: Some(reminder.send_at),
            next: None,
        },
    };
    let last = progress.last.unwrap_or(reminder.send_at);
    let language = ingest.language_of_notices(tx, reminder.user, is_group)?;
    let language = language.as_deref();
    let text = if progress.due > 1 || now.0 - last.0 > LATE_MS {
        let clock = LocalNow::new(now, tx.user(reminder.user)?.timezone);
        wording::late_reminder_text(&reminder.text, progress.due, last, clock, language)
    } else {
        wording::reminder_text(&reminder.text, language)
    };
    let message = chat.as_ref().and_then(|chat| {
        let message = OutgoingMessage::to_chat(chat, &text, reminder.user)?;
        Some((chat, message.unsplit()))
    });
    let Some((chat, message)) = message else {
        return postpone(tx, reminder, "its person has no chat with a relay", now);
    };
    if !queue::send_message(tx, &ingest.hub, &message, now)? {
        return postpone(
            tx,
            reminder,
            "the relay has too many unfinished commands",
            now,
        );
    }
    let mut latest = LastNamed::of(ItemEvent::Delivered, std::slice::from_ref(reminder));
    let before = tx.dialog(chat.room, reminder.user)?.latest;
    if let Some((before, _)) = dialog::recent::<LastNamed>(before.as_ref(), TOGETHER_MS, now)
        && before.event == ItemEvent::Delivered
    {
        latest.add_before(before);
    }
    latest.store(tx, (chat.room, reminder.user), now)?;
    match progress.next {
        Some((next, at)) => tx.change_reminder(reminder.id, &reminder.text, at, Some(&next)),
        None => tx.delete_reminder(reminder.id),
    }
}

/// The reminder is tried again soon. The log says so once an hour.
fn postpone(tx: &mut Tx, reminder: &Reminder, why: &str, now: Timestamp) -> Result<()> {
    const HOUR_MS: i64 = 3_600_000;
    let late_ms = (now.0 - reminder.send_at.0).max(0);
    if late_ms % HOUR_MS < POSTPONE_S * 1_000 {
        log::warn!("reminder {} waits: {why}", reminder.schedule_id);
    }
    tx.postpone_reminder(reminder.id, now.plus_s(POSTPONE_S))
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use futures_util::FutureExt;

    use super::*;

    #[tokio::test]
    async fn only_what_falls_due_before_the_next_look_wakes_the_job() {
        let wake = ReminderWaker::default();
        let now = Timestamp(1_000);
        let mut sleep = Box::pin(wake.sleep(now.plus_s(3_600), pending()));
        assert!(sleep.as_mut().now_or_never().is_none());
        for (at, is_awake) in [(3_601_001, false), (i64::MAX, false), (3_601_000, true)] {
            wake.by(Timestamp(at));
            assert_eq!(sleep.as_mut().now_or_never().is_some(), is_awake, "{at}");
        }
        // A new row during a check causes another check.
        wake.looking();
        wake.by(Timestamp(i64::MAX));
        assert!(wake.sleep(now, pending()).now_or_never().is_some());
    }
}
