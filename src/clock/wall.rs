//! Converts a local time of a zone to a moment. A local time in a gap becomes the first moment
//! after the gap; an ambiguous one becomes the earlier moment.

use chrono::{DateTime, NaiveDateTime, Offset, TimeZone, Utc};

use super::{Timestamp, Zone};

/// `None` outside the range of timestamps.
pub fn at_wall_time(local: NaiveDateTime, zone: Zone) -> Option<Timestamp> {
    match zone.from_local_datetime(&local).earliest() {
        Some(time) => Some(Timestamp(time.timestamp_millis())),
        None => after_gap(local, zone),
    }
}

/// The moment of the gap that skipped `local`, to the second. The offset before a gap is the
/// smaller one, and no zone ever skipped more than a day.
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
