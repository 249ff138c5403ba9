//! Reminders over the changes of the clocks, in every zone there is.

use chrono::{NaiveDate, Offset, TimeZone};

use super::*;
use crate::clock::Timestamp;

/// The days of a year on which the clocks of a zone change.
fn changes(zone: Zone, year: i32) -> Vec<NaiveDate> {
    let offset = |date: NaiveDate| {
        let midday = date.and_hms_opt(12, 0, 0).unwrap().and_utc();
        zone.offset_from_utc_datetime(&midday.naive_utc()).fix()
    };
    let first = NaiveDate::from_ymd_opt(year, 1, 2).unwrap();
    let days = first.iter_days().take(364);
    days.filter(|day| offset(*day) != offset(day.pred_opt().unwrap()))
        .collect()
}

/// Whether `at` is the first moment of a day at which the clock shows this time or a later one.
fn is_first(at: Timestamp, date: NaiveDate, (hour, minute): (u32, u32), zone: Zone) -> bool {
    let wall = date.and_hms_opt(hour, minute, 0).unwrap();
    let local = |at: Timestamp| at.utc().with_timezone(&zone).naive_local();
    local(at) >= wall && local(at).date() == date && local(at.plus_s(-1)) < wall
}

fn intent_at(text: &str, now: Timestamp, zone: Zone) -> Intent {
    understand(&MessageContext {
        now,
        timezone: Some(zone),
        ..context(text)
    })
}

#[test]
fn the_clock_on_the_wall_counts_in_every_zone() {
    let (mut zones, mut days) = (0, 0);
    for name in Zone::names() {
        let zone: Zone = name.parse().unwrap();
        zones += 1;
        for date in changes(zone, 2027) {
            days += 1;
            let day_before = date.pred_opt().unwrap().and_hms_opt(12, 0, 0).unwrap();
            let now = zone.from_local_datetime(&day_before).earliest().unwrap();
            let now = Timestamp(now.timestamp_millis());
            for (clock, time) in [("9am", (9, 0)), ("2:30am", (2, 30)), ("00:15", (0, 15))] {
                let text = format!("remind me tomorrow at {clock} to call");
                let Intent::Remind { send_at, .. } = intent_at(&text, now, zone) else {
                    panic!("{zone:?} {date}: {text}");
                };
                assert!(
                    is_first(send_at, date, time, zone),
                    "{zone:?} {date} {text}"
                );
                let text = format!("remind me every day at {clock} to call");
                let Intent::Remind { recurrence, .. } = intent_at(&text, now, zone) else {
                    panic!("{zone:?} {date}: {text}");
                };
                let times = recurrence.unwrap().upcoming(3);
                let dates = date.iter_days().zip(&times);
                let all = dates.map(|(date, at)| is_first(*at, date, time, zone));
                assert!(all.eq([true; 3]), "{zone:?} {date} {text}: {times:?}");
            }
        }
    }
    assert!(zones > 400 && days > 150, "{zones} zones, {days} days");
}
