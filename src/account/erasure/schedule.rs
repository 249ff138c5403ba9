//! The schedule of purges: daily at 03:30 UTC, and 10 minutes after a start if that time was
//! missed. An erasure that has begun goes on a minute after a start.

use std::sync::Arc;
use std::time::Duration;

use super::{Eraser, PurgeRun};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::metrics::JobMetrics;

const DAY_MS: i64 = 86_400_000;
const TIME_OF_DAY_MS: i64 = (3 * 60 + 30) * 60_000;
/// A starting service has other work first.
const AFTER_START_MS: i64 = 10 * 60_000;
/// Interval of checks; also the delay until a changed clock is noticed.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Pause after a failed purge.
const AFTER_FAILURE_MS: i64 = 10 * 60_000;
/// First pause while an erasure waits for other services; it doubles up to an hour.
const WAITING_MS: i64 = 60_000;
const WAITING_MS_MAX: i64 = 3_600_000;

/// Runs until the service ends.
pub async fn run(eraser: Arc<Eraser>, metrics: Arc<JobMetrics>) {
    let started = eraser.clock.now();
    // When a purge last ran and when it must continue; read from the database first.
    let (mut last, mut continue_at, mut is_loaded) = (None, None, false);
    let (mut is_unread_logged, mut has_failed) = (false, false);
    let mut waiting_runs = 0;
    let mut looked_at = started;
    loop {
        let is_requested = tokio::select! {
            () = eraser.clock.pause(looked_at, POLL_INTERVAL) => false,
            () = eraser.wake.notified() => true,
        };
        if !is_loaded {
            match load_state(&eraser).await {
                Ok((purged_at, is_under_way)) => {
                    last = purged_at;
                    continue_at = is_under_way.then(|| started.plus_ms(WAITING_MS));
                    is_loaded = true;
                }
                Err(error) if !is_unread_logged => {
                    log::warn!(
                        "purge: when one last ran can't be read, and is tried again: {error}"
                    );
                    metrics.ran(&Err::<(), _>(error), eraser.clock.now().0);
                    is_unread_logged = true;
                }
                Err(_) => {}
            }
        }
        let now = eraser.clock.now();
        looked_at = now;
        let is_time =
            is_loaded && eraser.clock.steady_now().is_some() && is_due(last, started, now);
        if !(is_requested || is_time || continue_at.is_some_and(|at| is_reached(at, now))) {
            continue;
        }
        // After a start with a wrong clock nothing begins until the operator could have set it.
        let is_whole = is_requested || is_time || has_failed;
        let run = match is_whole {
            true => PurgeRun::default(),
            false => PurgeRun::continuation(),
        };
        let result = eraser.run(run).await;
        has_failed = is_whole && result.is_err();
        metrics.ran(&result, eraser.clock.now().0);
        continue_at = match result {
            Ok(waits) => {
                waiting_runs = if waits { waiting_runs + 1 } else { 0 };
                waits.then(|| now.plus_ms(waiting_ms(waiting_runs)))
            }
            Err(error) => {
                log::warn!("due accounts could not be erased: {error}");
                Some(now.plus_ms(AFTER_FAILURE_MS))
            }
        };
        // Accounts that became due meanwhile are left to the next run.
        if is_whole {
            last = Some(now);
        }
    }
}

/// When a purge last ran, and whether work is left.
async fn load_state(eraser: &Eraser) -> Result<(Option<Timestamp>, bool)> {
    let reading = eraser
        .store
        .read(|view| Ok((view.purged_at()?, !view.erasures(1)?.is_empty())));
    reading.await
}

/// `last`: when a purge last ran, if ever.
fn is_due(last: Option<Timestamp>, started: Timestamp, now: Timestamp) -> bool {
    let since_midnight = (now.0 - TIME_OF_DAY_MS).rem_euclid(DAY_MS);
    let scheduled = now.0 - since_midnight; // today's time, or yesterday's if today's is still ahead
    // A time in the future (the clock was set back) counts as now.
    if last.is_some_and(|last| last.0.min(now.0) >= scheduled) {
        return false;
    }
    let is_missed = started.0 > scheduled;
    // A start in the future: the clock was set back since, so the service has run long enough.
    !is_missed || started > now || now.0 - started.0 >= AFTER_START_MS
}

/// The pause after this many runs that left work.
fn waiting_ms(runs: u32) -> i64 {
    (WAITING_MS << runs.saturating_sub(1).min(6)).min(WAITING_MS_MAX)
}

/// A time beyond any pause means that the clock was set back.
fn is_reached(at: Timestamp, now: Timestamp) -> bool {
    at <= now || at.0 - now.0 > WAITING_MS_MAX
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
            // A usual day.
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
            // Missed while the service was down: 10 minutes after the start.
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
            // A manual purge at night doesn't replace the daily one; a purge after 03:30 does.
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
            // The clock was far ahead before.
            (
                Some("12-31T03:30:00"),
                "05-01T00:00:00",
                "05-02T03:29:00",
                false,
            ),
            (None, "12-31T03:00:00", "05-02T03:29:00", true),
        ] {
            let due = is_due(last.map(at), at(started), at(now));
            assert_eq!(due, expected, "{last:?} {started} {now}");
        }
    }

    #[test]
    fn pauses_between_runs_grow_to_an_hour() {
        let minutes: Vec<i64> = (1..9).map(|runs| waiting_ms(runs) / 60_000).collect();
        assert_eq!(minutes, [1, 2, 4, 8, 16, 32, 60, 60]);
    }

    #[test]
    fn remaining_work_continues_at_its_time() {
        let at_time = at("05-02T03:40:00");
        for (now, expected) in [
            ("05-02T03:39:59", false),
            ("05-02T03:40:00", true),
            ("05-02T03:30:00", false),
            ("05-01T00:00:00", true),
        ] {
            assert_eq!(is_reached(at_time, at(now)), expected, "{now}");
        }
    }
}
