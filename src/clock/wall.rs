//! The moment at which a clock on the wall of a zone shows a time. A time that the clocks jump
//! over is the first moment after the gap; one that comes twice is the earlier.

use chrono::{DateTime, NaiveDateTime, Offset, TimeZone, Utc};

use super::{Timestamp, Zone};

/// `None`: no moment that can be counted.
pub fn at_wall_time(local: NaiveDateTime, zone: Zone) -> Option<Timestamp> {
    match zone.from_local_datetime(&local).earliest() {
        Some(found) => Some(Timestamp(found.timestamp_millis())),
        None => after_gap(local, zone),
    }
}

/// The moment at which clocks jumped over `local`, to the second. The offset before a gap
/// is the smaller one, and no zone ever skipped more than a day.
fn after_gap(local: NaiveDateTime, zone: Zone) -> Option<Timestamp> {
    let offset = |utc: i64| -> Option<i32> {
        let at: DateTime<Utc> = DateTime::from_timestamp(utc, 0)?;
        Some(
            zone.offset_from_utc_datetime(&at.naive_utc())
                .fix()
                .local_minus_utc(),
        )
    };
    let (mut before, mut after) = (
        local.and_utc().timestamp() - 2 * 86_400,
        local.and_utc().timestamp() + 2 * 86_400,
    );
    let old = offset(before)?;
    while after - before > 1 {
        let middle = before + (after - before) / 2;
        if offset(middle)? == old {
            before = middle
        } else {
            after = middle
        }
    }
    Some(Timestamp::from_seconds(after))
}
