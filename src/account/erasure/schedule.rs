//! When the service purges by itself: every day at 03:30 UTC, and 10 minutes after a start
//! when that was missed.

use std::sync::Arc;
use std::time::Duration;

use super::Eraser;
use crate::clock::Timestamp;
use crate::error::Result;

const DAY_MS: i64 = 86_400_000;
const TIME_OF_DAY_MS: i64 = (3 * 60 + 30) * 60_000;
/// A service that starts has other things to do first.
const AFTER_START_MS: i64 = 10 * 60_000;
/// A clock that jumps is noticed within this time.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// A purge that failed is tried again after this.
const AFTER_FAILURE_MS: i64 = 10 * 60_000;

/// Runs until the service ends.
pub async fn run(eraser: Arc<Eraser>) {
    let started = eraser.clock.now();
    let mut failed_at = None;
    // Known after the first look at the database.
    let mut last = None;
    loop {
        let asked = tokio::select! {
            () = tokio::time::sleep(LOOK_EVERY) => false,
            () = eraser.wake.notified() => true,
        };
        let now = eraser.clock.now();
        let is_due = match (last, failed_at) {
            _ if asked => true,
            (_, Some(failed_at)) => retry_is_due(failed_at, now),
            (Some(last), None) => is_due(last, started, now),
            (None, None) => match last_purge(&eraser).await {
                Ok(found) => {
                    last = Some(found);
                    is_due(found, started, now)
                }
                Err(_) => false,
            },
        };
        if !is_due {
            continue;
        }
        failed_at = match eraser.run().await {
            Ok(()) => None,
            Err(error) => {
                log::warn!("purge: {error}");
                Some(now)
            }
        };
        last = Some(Some(eraser.clock.now()));
    }
}

async fn last_purge(eraser: &Eraser) -> Result<Option<Timestamp>> {
    eraser.store.read(|view| view.purged_at()).await
}

/// `last`: when a purge last ran; `None`: never.
fn is_due(last: Option<Timestamp>, started: Timestamp, now: Timestamp) -> bool {
    let since_midnight = (now.0 - TIME_OF_DAY_MS).rem_euclid(DAY_MS);
    let scheduled = now.0 - since_midnight; // today's, or yesterday's if that is yet to come
    // One that lies in the future, as the clock was set back, counts as just now.
    if last.is_some_and(|last| last.0.min(now.0) >= scheduled) {
        return false;
    }
    let is_missed = started.0 > scheduled;
    // A start in the future: the clock was set back since, long after it.
    !is_missed || started > now || now.0 - started.0 >= AFTER_START_MS
}

fn retry_is_due(failed_at: Timestamp, now: Timestamp) -> bool {
    !(0..AFTER_FAILURE_MS).contains(&(now.0 - failed_at.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(&format!("2030-{text}Z")).unwrap()
    }

    #[test]
    fn it_is_due_once_a_day() {
        for (last, started, now, expected) in [
            // The usual day.
            (
                Some("05-01T03:30:01"),
                "05-01T00:00:00",
                "05-02T03:29:59",
                false,
            ),
            (
                Some("05-01T03:30:01"),
                "05-01T00:00:00",
                "05-02T03:30:00",
                true,
            ),
            (
                Some("05-02T03:30:00"),
                "05-01T00:00:00",
                "05-02T23:00:00",
                false,
            ),
            // Missed while it was down: 10 minutes after the start.
            (
                Some("05-01T03:30:01"),
                "05-02T08:00:00",
                "05-02T08:09:59",
                false,
            ),
            (
                Some("05-01T03:30:01"),
                "05-02T08:00:00",
                "05-02T08:10:00",
                true,
            ),
            (None, "05-02T08:00:00", "05-02T08:00:01", false),
            (None, "05-02T08:00:00", "05-02T08:10:00", true),
            // Started shortly before.
            (
                Some("05-01T03:30:01"),
                "05-02T03:25:00",
                "05-02T03:30:00",
                true,
            ),
            // A purge by hand in the night does not replace it; one after it does.
            (
                Some("05-02T01:00:00"),
                "05-01T00:00:00",
                "05-02T03:30:00",
                true,
            ),
            (
                Some("05-02T03:31:00"),
                "05-02T03:40:00",
                "05-02T08:00:00",
                false,
            ),
            // The clock was far ahead once.
            (
                Some("12-31T03:30:00"),
                "05-01T00:00:00",
                "05-02T03:29:00",
                false,
            ),
            (None, "12-31T03:00:00", "05-02T03:29:00", true),
        ] {
            let decided = is_due(last.map(at), at(started), at(now));
            assert_eq!(decided, expected, "{last:?} {started} {now}");
        }
    }

    #[test]
    fn a_failed_one_is_tried_again() {
        let failed = at("05-02T03:30:00");
        for (now, expected) in [
            ("05-02T03:39:59", false),
            ("05-02T03:40:00", true),
            ("05-01T00:00:00", true),
        ] {
            assert_eq!(retry_is_due(failed, at(now)), expected, "{now}");
        }
    }
}
