//! How often an entry recurs, counted from its first day.

use chrono::{Duration, Months, NaiveDate};
use serde::{Deserialize, Serialize};

use crate::assistant::text::when::Delay;

/// Days of the shortest period that gets its notice a week ahead.
const LONG_DAYS: i64 = 28;
const WEEK_DAYS: i64 = 7;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Period {
    /// The subscription ends then, and does not recur.
    Once,
    Monthly,
    Yearly,
    /// Every so many months, at least one.
    Months(u32),
    /// Every so many days, at least one.
    Days(u32),
}

impl Period {
    /// `None`: not in whole days or months.
    pub(in super::super) fn of(step: Delay) -> Option<Self> {
        Some(match (step.months, step.days, step.seconds) {
            (1, 0, 0) => Self::Monthly,
            (12, 0, 0) => Self::Yearly,
            (months @ 1.., 0, 0) => Self::Months(u32::try_from(months).ok()?),
            (0, days @ 1.., 0) => Self::Days(u32::try_from(days).ok()?),
            _ => return None,
        })
    }

    /// "every month"; `None`: it doesn't recur.
    pub(in super::super) fn often(self) -> Option<String> {
        Some(match self {
            Self::Once => return None,
            Self::Monthly | Self::Months(1) => "every month".to_owned(),
            Self::Yearly | Self::Months(12) => "every year".to_owned(),
            Self::Months(n) if n % 12 == 0 => format!("every {} years", n / 12),
            Self::Months(n) => format!("every {n} months"),
            Self::Days(1) => "every day".to_owned(),
            Self::Days(7) => "every week".to_owned(),
            Self::Days(n) if n % 7 == 0 => format!("every {} weeks", n / 7),
            Self::Days(n) => format!("every {n} days"),
        })
    }

    /// How many days before it the notice goes out: a week, or one day for what comes more often
    /// than monthly.
    pub(in super::super) fn notice_days(self) -> i64 {
        match self {
            Self::Days(n) if i64::from(n) < LONG_DAYS => 1,
            _ => WEEK_DAYS,
        }
    }

    /// Its first day on or after `today`; without a recurrence its only day.
    pub(super) fn next(self, first: NaiveDate, today: NaiveDate) -> Option<NaiveDate> {
        let months = match self {
            Self::Once => return Some(first),
            Self::Monthly => 1,
            Self::Yearly => 12,
            Self::Months(months) => months.max(1),
            Self::Days(days) => {
                let step = i64::from(days.max(1));
                let steps = ((today - first).num_days().max(0) + step - 1) / step;
                return first.checked_add_signed(Duration::try_days(steps * step)?);
            }
        };
        let mut date = first;
        // Counted from the first day, so that the 31st stays the 31st.
        for n in 1.. {
            if date >= today {
                break;
            }
            date = first.checked_add_months(Months::new(months.checked_mul(n)?))?;
        }
        Some(date)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_day_of_each_period() {
        let day = |month, day| NaiveDate::from_ymd_opt(2026, month, day).unwrap();
        let cases = [
            (Period::Once, day(1, 31), day(3, 1), day(1, 31), None),
            (
                Period::Monthly,
                day(1, 31),
                day(2, 1),
                day(2, 28),
                Some("every month"),
            ),
            (
                Period::Months(3),
                day(1, 31),
                day(3, 1),
                day(4, 30),
                Some("every 3 months"),
            ),
            (
                Period::Days(7),
                day(1, 31),
                day(2, 7),
                day(2, 7),
                Some("every week"),
            ),
            (
                Period::Days(14),
                day(1, 31),
                day(2, 7),
                day(2, 14),
                Some("every 2 weeks"),
            ),
            (
                Period::Days(10),
                day(1, 31),
                day(1, 1),
                day(1, 31),
                Some("every 10 days"),
            ),
        ];
        for (period, first, today, expected, often) in cases {
            assert_eq!(period.next(first, today), Some(expected), "{period:?}");
            assert_eq!(period.often().as_deref(), often, "{period:?}");
        }
        for (stored, period) in [
            ("\"monthly\"", Period::Monthly),
            ("\"yearly\"", Period::Yearly),
            ("{\"months\":3}", Period::Months(3)),
        ] {
            assert_eq!(serde_json::from_str::<Period>(stored).unwrap(), period);
        }
    }
}
