//! A person's waking hours. Superpowers send messages on their own only within them.

use serde::{Deserialize, Serialize};

use super::{local_time, texts};
use crate::clock::{Timestamp, Zone};

const DAY_MINUTES: u32 = 24 * 60;
/// A notice that is due at night is sent so long before the end of the waking hours.
const BEFORE_BED_MINUTES: u32 = 30;

/// The hours in which a person wants to hear something, in minutes after midnight. They
/// may reach over midnight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct WakingHours {
    pub from: u32,
    pub to: u32,
}

impl Default for WakingHours {
    fn default() -> Self {
        Self {
            from: 7 * 60,
            to: 22 * 60,
        }
    }
}

impl WakingHours {
    fn contains(self, minute: u32) -> bool {
        if self.from < self.to {
            (self.from..self.to).contains(&minute)
        } else {
            minute >= self.from || minute < self.to
        }
    }

    pub(super) fn is_awake(self, at: Timestamp, zone: Zone) -> bool {
        self.contains(local_time::minute_of_day(at, zone))
    }

    /// When the person gets up next; `None`: they are awake.
    pub fn next_morning(self, now: Timestamp, timezone: Option<Zone>) -> Option<Timestamp> {
        let zone = timezone.unwrap_or(Zone::UTC);
        let asleep = !self.is_awake(now, zone);
        asleep.then(|| self.next_start(now, zone)).flatten()
    }

    /// The next moment from `at` on at which the person gets up.
    pub(super) fn next_start(self, at: Timestamp, zone: Zone) -> Option<Timestamp> {
        let today = local_time::date(at, zone);
        [today, today.succ_opt()?]
            .into_iter()
            .filter_map(|date| local_time::moment(date, self.from, zone))
            .find(|start| *start >= at)
    }

    /// The last moment before `at` that is well before bedtime.
    pub(super) fn last_before_bed(self, at: Timestamp, zone: Zone) -> Option<Timestamp> {
        let minute = (self.to + DAY_MINUTES - BEFORE_BED_MINUTES) % DAY_MINUTES;
        let today = local_time::date(at, zone);
        [today, today.pred_opt()?]
            .into_iter()
            .filter_map(|date| local_time::moment(date, minute, zone))
            .find(|moment| *moment < at)
    }

    /// "07:00 to 22:00"
    pub fn display(self) -> String {
        format!(
            "{} to {}",
            texts::clock_text(self.from),
            texts::clock_text(self.to % DAY_MINUTES)
        )
    }
}
