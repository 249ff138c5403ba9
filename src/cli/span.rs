//! Parses durations and times in options: 90s, 30m, 2h, 7d, a day, a time.

use crate::clock::Timestamp;

const UNITS: [(&str, i64); 4] = [("s", 1), ("m", 60), ("h", 3600), ("d", 86_400)];

/// The duration in seconds; `None` for an invalid text.
pub(super) fn seconds(text: &str) -> Option<i64> {
    UNITS.iter().find_map(|(unit, seconds)| {
        let count: i64 = text.strip_suffix(unit)?.parse().ok()?;
        count.checked_mul(*seconds)
    })
}

/// The start of a day like 2030-01-31 (UTC), or a time like 2030-01-31T12:00:00Z.
pub(super) fn day_or_time(text: &str) -> Option<Timestamp> {
    Timestamp::parse(text).or_else(|| Timestamp::parse(&format!("{text}T00:00:00Z")))
}
