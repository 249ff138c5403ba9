//! The only reader of the system's time. Wall time is for what people and other machines see
//! (dates, expiry, signatures). Monotonic time is for limits and timers, so that a changed clock
//! blocks nothing.

mod steadiness;
mod wall;
mod zone;

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use chrono::{DateTime, Days, NaiveDate, NaiveDateTime, NaiveTime, SecondsFormat, Utc};
use parking_lot::Mutex;
use rustix::time::{ClockId, clock_gettime};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use tokio::sync::watch;

use steadiness::{ClockCheck, ClockReading};
pub use wall::at_wall_time;
pub use zone::{Zone, ZoneOffset};

const STAMP_FORMAT: &str = "%Y%m%dT%H%M%S%.3fZ";

/// Wall time, milliseconds since the Unix epoch (UTC).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub i64);

impl Timestamp {
    pub const fn from_seconds(seconds: i64) -> Self {
        Self(seconds.saturating_mul(1000))
    }

    /// Whole seconds since the epoch, rounded down.
    pub const fn seconds(self) -> i64 {
        self.0.div_euclid(1000)
    }

    pub const fn plus_ms(self, ms: i64) -> Self {
        Self(self.0.saturating_add(ms))
    }

    pub const fn plus_s(self, seconds: i64) -> Self {
        self.plus_ms(seconds.saturating_mul(1000))
    }

    pub fn utc(self) -> DateTime<Utc> {
        DateTime::from_timestamp_millis(self.0).unwrap_or_default()
    }

    /// Parses an ISO 8601 time with its offset (RFC 3339).
    pub fn parse(text: &str) -> Option<Self> {
        let at = DateTime::parse_from_rfc3339(text).ok()?;
        Some(Self(at.timestamp_millis()))
    }

    /// The end of a date (YYYY-MM-DD) in UTC: the midnight after it.
    pub fn end_of_date(text: &str) -> Option<Self> {
        let date = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?;
        // The parser accepts other forms of digits and signs; only the canonical form is allowed.
        let date = Some(date).filter(|date| text.len() == 10 && date.to_string() == text)?;
        let end = date
            .checked_add_days(Days::new(1))?
            .and_time(NaiveTime::MIN);
        Some(Self(end.and_utc().timestamp_millis()))
    }

    /// The date in UTC, as 2030-12-31.
    pub fn utc_date(self) -> String {
        self.utc().date_naive().to_string()
    }

    /// A form for file names: 20301231T235959.123Z.
    pub fn stamp(self) -> String {
        self.utc().format(STAMP_FORMAT).to_string()
    }

    /// Parses a stamp.
    pub fn from_stamp(text: &str) -> Option<Self> {
        let at = NaiveDateTime::parse_from_str(text, STAMP_FORMAT).ok()?;
        let at = Self(at.and_utc().timestamp_millis());
        // The parser is lenient; only the canonical form is allowed.
        (at.stamp() == text).then_some(at)
    }

    /// Days since the epoch in UTC: the key of daily counts.
    pub const fn utc_day(self) -> i64 {
        self.0.div_euclid(86_400_000)
    }
}

impl From<SystemTime> for Timestamp {
    fn from(at: SystemTime) -> Self {
        let since = at.duration_since(UNIX_EPOCH);
        Self(since.map_or(0, |since| since.as_millis() as i64))
    }
}

/// ISO 8601 in UTC with milliseconds, the form in all answers.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.utc().to_rfc3339_opts(SecondsFormat::Millis, true))
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl JsonSchema for Timestamp {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Timestamp".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "format": "date-time",
            "examples": ["2030-01-31T12:00:00.000Z"],
        })
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom("no RFC 3339 time"))
    }
}

/// Monotonic time: milliseconds since the clock was created.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Monotonic(pub u64);

impl Monotonic {
    pub const fn plus_ms(self, ms: u64) -> Self {
        Self(self.0.saturating_add(ms))
    }

    pub const fn since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// The source of both times. Tests use a fixed clock that they move.
#[derive(Clone, Debug)]
pub struct Clock {
    source: Source,
    steadiness: Arc<Mutex<ClockCheck>>,
}

#[derive(Clone, Debug)]
enum Source {
    System(Instant),
    Fixed {
        start: Arc<AtomicI64>,
        now: watch::Sender<i64>,
    },
}

impl Clock {
    pub fn system() -> Self {
        Self::of(Source::System(Instant::now()))
    }

    /// A clock that stays at `now` until `advance` moves it.
    pub fn fixed(now: Timestamp) -> Self {
        Self::of(Source::Fixed {
            start: Arc::new(AtomicI64::new(now.0)),
            now: watch::Sender::new(now.0),
        })
    }

    fn of(source: Source) -> Self {
        let clock = Self {
            source,
            steadiness: Arc::default(),
        };
        clock.check();
        clock
    }

    pub fn now(&self) -> Timestamp {
        match &self.source {
            Source::System(_) => Timestamp::from(SystemTime::now()),
            Source::Fixed { now, .. } => Timestamp(*now.borrow()),
        }
    }

    pub fn monotonic(&self) -> Monotonic {
        match &self.source {
            Source::System(start) => Monotonic(start.elapsed().as_millis() as u64),
            Source::Fixed { .. } => Monotonic(self.since_start_ms().max(0) as u64),
        }
    }

    /// The pause of a job that looked for its work at `since`. It ends early when a fixed clock is
    /// moved: other work may be due then.
    pub async fn pause(&self, since: Timestamp, pause: Duration) {
        let elapsed = tokio::time::sleep(pause);
        let Source::Fixed { now, .. } = &self.source else {
            return elapsed.await;
        };
        let mut now = now.subscribe();
        tokio::select! {
            () = elapsed => {}
            _ = now.wait_for(|now| *now != since.0) => {}
        }
    }

    /// The time for decisions about permanent deletion. `None` after the clock jumped, until it has
    /// been steady for some hours or an operator has confirmed it.
    pub fn steady_now(&self) -> Option<Timestamp> {
        let (now, is_steady) = self.check();
        is_steady.then_some(now)
    }

    /// The operator confirms that the clock is correct.
    pub fn confirm(&self) {
        let since_start_ms = self.since_start_ms();
        self.steadiness.lock().confirm(self.now(), since_start_ms);
    }

    /// An earlier run saw a jump.
    pub fn wait_until_steady(&self) {
        let since_start_ms = self.since_start_ms();
        self.steadiness.lock().wait(since_start_ms);
    }

    fn check(&self) -> (Timestamp, bool) {
        let mut steadiness = self.steadiness.lock();
        let (now, since_start_ms) = self.both_times();
        let reading = steadiness.check(now, since_start_ms);
        match reading {
            ClockReading::Jumped(by_ms) => log::warn!(
                "the clock jumped by {} s, to {now}: nothing is deleted permanently by time until the \
                 clock has been steady for 6 hours, or `chatkeep purge --now` confirms it",
                by_ms / 1000
            ),
            ClockReading::Recovered => {
                log::info!("the clock has been steady for 6 hours and is trusted again")
            }
            ClockReading::Steady | ClockReading::Waiting => {}
        }
        (
            now,
            matches!(reading, ClockReading::Steady | ClockReading::Recovered),
        )
    }

    /// The time, and the milliseconds since start at that moment.
    fn both_times(&self) -> (Timestamp, i64) {
        match &self.source {
            Source::System(_) => (self.now(), self.since_start_ms()),
            Source::Fixed { start, now } => {
                let now = now.borrow();
                (Timestamp(*now), *now - start.load(Ordering::SeqCst))
            }
        }
    }

    /// Milliseconds since boot including sleep, so that sleep doesn't look like a jump.
    fn since_start_ms(&self) -> i64 {
        match &self.source {
            Source::System(_) => {
                let since = clock_gettime(ClockId::Boottime);
                since.tv_sec * 1000 + since.tv_nsec / 1_000_000
            }
            Source::Fixed { start, now } => *now.borrow() - start.load(Ordering::SeqCst),
        }
    }

    /// Advances a fixed clock; has no effect on the system's clock.
    pub fn advance(&self, ms: i64) {
        if let Source::Fixed { now, .. } = &self.source {
            now.send_modify(|now| *now += ms);
        }
    }

    /// Sets a fixed clock to another wall time, like a change of the system's clock.
    pub fn jump(&self, ms: i64) {
        if let Source::Fixed { start, now } = &self.source {
            now.send_modify(|now| {
                start.fetch_add(ms, Ordering::SeqCst);
                *now += ms;
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn a_pause_ends_when_a_fixed_clock_is_moved() {
        const HOUR: Duration = Duration::from_secs(3_600);
        let clock = Clock::fixed(Timestamp(1_000));
        let mut pause = Box::pin(clock.pause(clock.now(), HOUR));
        assert!(pause.as_mut().now_or_never().is_none());
        clock.advance(-1);
        assert!(pause.now_or_never().is_some());
        let earlier = clock.now();
        clock.jump(1);
        assert!(clock.pause(earlier, HOUR).now_or_never().is_some());
        clock.pause(clock.now(), Duration::ZERO).await;
        let system = Clock::system();
        let earlier = system.now().plus_s(-60);
        assert!(system.pause(earlier, HOUR).now_or_never().is_none());
    }
}
