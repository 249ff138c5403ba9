//! Messages that a superpower sends on its own: when each is sent, and which were sent. A notice is
//! sent once, within the person's waking hours.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Power, PowerContext, local_time};
use crate::assistant::text::when;
use crate::clock::{Timestamp, Zone};

/// A notice so shortly before the beginning comes too late.
const LEAD_MIN_MS: i64 = 5 * 60_000;
/// How long the key of a sent notice is kept after the notice is over.
const SENT_KEPT_MS: i64 = 3 * 24 * 60 * 60_000;
/// Notices in one message.
const AT_ONCE_MAX: usize = 10;

/// A planned message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Notice {
    /// Identifies the thing and the kind of notice; only one notice with a key is sent.
    pub(super) key: String,
    pub(super) planned: Timestamp,
    /// The notice is dropped if it was not sent before this time.
    pub(super) over: Timestamp,
    pub(super) text: String,
}

impl Notice {
    /// When it is sent, at the earliest now; `None`: it is too late.
    fn goes_out_at(&self, context: &PowerContext) -> Option<Timestamp> {
        let (waking, zone, now) = (context.waking, context.zone(), context.now);
        if self.over <= now {
            return None;
        }
        let at = self.planned.max(now);
        if waking.is_awake(at, zone) {
            return Some(at);
        }
        let start = waking.next_start(at, zone)?;
        if start.plus_ms(LEAD_MIN_MS) <= self.over {
            return Some(start);
        }
        waking
            .last_before_bed(at, zone)
            .map(|bed| bed.max(now))
            .filter(|at| waking.is_awake(*at, zone))
    }
}

/// When it is too late to tell: first the moment to leave, so that it is told the evening before
/// where the person sleeps until then; later, that it begins.
pub(super) fn leave_until(
    leave: Timestamp,
    begins: Timestamp,
    context: &PowerContext,
) -> Timestamp {
    if leave > context.now { leave } else { begins }
}

/// The sentence about the notice that a superpower will send, or why it can send none.
pub(super) fn promise(power: Power, promised: &str, context: &PowerContext) -> String {
    if !context.reachable {
        return "I can't write to you by myself in this chat, so ask me.".to_owned();
    }
    if context.muted {
        return format!(
            "You stopped my messages about this, so ask me; “resume {}” brings them back.",
            power.title()
        );
    }
    format!("{promised}{}", context.zone_hint())
}

/// The keys of sent notices, and when each key can be removed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct SentNotices(BTreeMap<String, i64>);

impl SentNotices {
    /// When the next of `notices` is sent.
    pub(super) fn next(&self, notices: &[Notice], context: &PowerContext) -> Option<Timestamp> {
        notices
            .iter()
            .filter(|notice| !self.0.contains_key(&notice.key))
            .filter_map(|notice| notice.goes_out_at(context))
            .min()
    }

    pub(super) fn has(&self, notice: &Notice) -> bool {
        self.0.contains_key(&notice.key)
    }

    /// The due notices, which count as sent from now on.
    pub(super) fn take_due(&mut self, notices: Vec<Notice>, context: &PowerContext) -> Vec<Notice> {
        let kept_from = context.now.plus_ms(-SENT_KEPT_MS).0;
        self.0.retain(|_, forget_at| *forget_at > kept_from);
        let mut due: Vec<Notice> = notices
            .into_iter()
            .filter(|notice| !self.0.contains_key(&notice.key))
            .filter(|notice| {
                notice
                    .goes_out_at(context)
                    .is_some_and(|at| at <= context.now)
            })
            .collect();
        due.sort_by_key(|notice| (notice.planned, notice.over));
        due.truncate(AT_ONCE_MAX);
        for notice in &due {
            self.0.insert(notice.key.clone(), notice.over.0);
        }
        due
    }

    /// Counts notices whose time has passed as sent: the person has just entered the subject. False:
    /// there are none.
    pub(super) fn skip_past(&mut self, notices: &[Notice], now: Timestamp) -> bool {
        let past = notices.iter().filter(|notice| notice.planned <= now);
        let mut has_past = false;
        for notice in past {
            self.0.insert(notice.key.clone(), notice.over.0);
            has_past = true;
        }
        has_past
    }
}

/// One message of what is due; `None`: nothing.
pub(super) fn joined(due: &[Notice]) -> Option<String> {
    let texts: Vec<&str> = due.iter().map(|notice| notice.text.as_str()).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

/// The messages that come at that minute of each day, today and on the next two days. Their text is
/// made when they are sent.
pub(super) fn daily(name: &str, minute: u32, late_s: i64, context: &PowerContext) -> Vec<Notice> {
    let days = context.today().iter_days().take(3);
    let notice = |date| {
        let planned = local_time::moment(date, minute, context.zone())?;
        Some(Notice {
            key: format!("{name} {}", local_time::number(date)),
            planned,
            over: planned.plus_s(late_s),
            text: String::new(),
        })
    };
    days.filter_map(notice).collect()
}

/// A time of day some days before a day.
pub(super) fn days_before(
    day: chrono::NaiveDate,
    days: i64,
    hour: u32,
    zone: Zone,
) -> Option<Timestamp> {
    let date = day.checked_sub_signed(chrono::Duration::days(days))?;
    when::at_hour(date, hour, 0, zone)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assistant::powers::{Facts, WakingHours};

    fn context<'a>(now: &str, waking: WakingHours, facts: &'a Facts) -> PowerContext<'a> {
        PowerContext {
            now: Timestamp::parse(now).unwrap(),
            timezone: Some("Europe/Berlin".parse().unwrap()),
            waking,
            ..PowerContext::alone(Timestamp(0), 1, facts)
        }
    }

    fn notice(planned: &str, over: &str) -> Notice {
        Notice {
            key: "k".to_owned(),
            planned: Timestamp::parse(planned).unwrap(),
            over: Timestamp::parse(over).unwrap(),
            text: "t".to_owned(),
        }
    }

    #[test]
    fn a_notice_keeps_to_waking_hours() {
        let usual = WakingHours::default();
        let late = WakingHours {
            from: 10 * 60,
            to: 60,
        };
        // Berlin is an hour ahead of UTC.
        let cases = [
            (
                usual,
                "2026-11-23T12:00:00Z",
                "2026-11-23T16:00:00Z",
                "2026-11-23T18:00:00Z",
                Some("2026-11-23T16:00:00.000Z"),
            ),
            // Planned at 5:30, begins at 7:30: at 7:00.
            (
                usual,
                "2026-11-23T12:00:00Z",
                "2026-11-24T04:30:00Z",
                "2026-11-24T06:30:00Z",
                Some("2026-11-24T06:00:00.000Z"),
            ),
            // Begins at 6:30: the evening before.
            (
                usual,
                "2026-11-23T12:00:00Z",
                "2026-11-24T03:30:00Z",
                "2026-11-24T05:30:00Z",
                Some("2026-11-23T20:30:00.000Z"),
            ),
            // It is past bedtime already.
            (
                usual, "2026-11-23T21:30:00Z", "2026-11-24T03:30:00Z", "2026-11-24T05:30:00Z", None,
            ),
            // Late, but not over.
            (
                usual,
                "2026-11-23T17:00:00Z",
                "2026-11-23T16:00:00Z",
                "2026-11-23T18:00:00Z",
                Some("2026-11-23T17:00:00.000Z"),
            ),
            (
                usual, "2026-11-23T18:00:00Z", "2026-11-23T16:00:00Z", "2026-11-23T18:00:00Z", None,
            ),
            // Somebody who goes to bed at one.
            (
                late,
                "2026-11-23T12:00:00Z",
                "2026-11-23T23:30:00Z",
                "2026-11-24T01:30:00Z",
                Some("2026-11-23T23:30:00.000Z"),
            ),
            (
                late,
                "2026-11-23T12:00:00Z",
                "2026-11-24T06:00:00Z",
                "2026-11-24T08:00:00Z",
                Some("2026-11-23T23:30:00.000Z"),
            ),
        ];
        let facts = Facts::default();
        for (waking, now, planned, over, expected) in cases {
            let at = notice(planned, over).goes_out_at(&context(now, waking, &facts));
            let at = at.map(|at| at.to_string());
            assert_eq!(at.as_deref(), expected, "{planned} {over} at {now}");
        }
    }

    #[test]
    fn a_notice_goes_out_once() {
        let mut sent = SentNotices::default();
        let facts = Facts::default();
        let context = context("2026-11-23T16:00:00Z", WakingHours::default(), &facts);
        let all = vec![notice("2026-11-23T16:00:00Z", "2026-11-23T18:00:00Z")];
        assert_eq!(sent.next(&all, &context), Some(context.now));
        assert_eq!(sent.take_due(all.clone(), &context), all);
        assert_eq!(sent.take_due(all.clone(), &context), []);
        assert_eq!(sent.next(&all, &context), None);
        let mut other = SentNotices::default();
        other.skip_past(&all, context.now);
        assert_eq!(other, sent);
        // Long after, it is forgotten.
        let later = PowerContext {
            now: context.now.plus_s(10 * 86_400),
            ..context
        };
        assert_eq!(sent.take_due(Vec::new(), &later), []);
        assert_eq!(sent, SentNotices::default());
    }
}
