//! Parses durations in options: 90s, 30m, 2h, 7d.

const UNITS: [(&str, i64); 4] = [("s", 1), ("m", 60), ("h", 3600), ("d", 86_400)];

/// The duration in seconds; `None` for an invalid text.
pub(super) fn seconds(text: &str) -> Option<i64> {
    UNITS.iter().find_map(|(unit, seconds)| {
        let count: i64 = text.strip_suffix(unit)?.parse().ok()?;
        count.checked_mul(*seconds)
    })
}
