//! The parts of a recurrence's rule, for wording it.

use chrono::{Datelike, NaiveDateTime, Weekday};
use rrule::{Frequency, NWeekday};

use super::{LOCAL, Recurrence};

/// A rule's parts, for wording it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    pub frequency: Frequency,
    pub interval: u16,
    /// With their position in the month: 0 for each of them, -1 for the last.
    pub weekdays: Vec<(i16, Weekday)>,
    /// -1 is the last day of a month.
    pub month_days: Vec<i8>,
    pub months: Vec<u8>,
    /// Hours and minutes of a day; empty when the rule repeats within the day.
    pub times: Vec<(u8, u8)>,
    pub until: Option<NaiveDateTime>,
    /// Whether these parts describe the whole rule.
    pub is_whole: bool,
}

impl Recurrence {
    /// Hours and minutes of a day; empty when the rule repeats within the day.
    pub fn times_of_day(&self) -> Vec<(u8, u8)> {
        self.pattern()
            .map_or_else(Vec::new, |pattern| pattern.times)
    }

    pub fn pattern(&self) -> Option<Pattern> {
        let set = self.set().ok()?;
        let rule = set.get_rrule().first()?;
        let weekdays = rule.get_by_weekday().iter().map(|day| match day {
            NWeekday::Every(day) => (0, *day),
            NWeekday::Nth(n, day) => (*n, *day),
        });
        let month_days = self.part("BYMONTHDAY").unwrap_or_default().split(',');
        let month_days: Vec<i8> = month_days.filter_map(|day| day.parse().ok()).collect();
        // "The 31st" is stored as the last existing day up to the 31st, because shorter months have
        // none.
        let is_last_of = self.part("BYSETPOS") == Some("-1") && month_days.first() == Some(&28);
        let through_the_day = rule.get_freq() >= Frequency::Hourly && self.part("BYHOUR").is_none();
        let times = match through_the_day {
            true => Vec::new(),
            false => rule
                .get_by_hour()
                .iter()
                .flat_map(|hour| rule.get_by_minute().iter().map(|minute| (*hour, *minute)))
                .collect(),
        };
        let known = |part: &str| {
            let key = part.split('=').next().unwrap_or_default();
            [
                "FREQ", "INTERVAL", "BYDAY", "BYMONTHDAY", "BYMONTH", "BYHOUR", "BYMINUTE",
                "UNTIL", "WKST",
            ]
            .contains(&key)
                || key == "BYSETPOS" && is_last_of
        };
        let is_whole = self.rule.split(';').all(known)
            && (rule.get_freq() < Frequency::Hourly || self.part("BYHOUR").is_none());
        Some(Pattern {
            frequency: rule.get_freq(),
            interval: rule.get_interval(),
            weekdays: match self.part("BYDAY") {
                Some(_) => weekdays.collect(),
                None if rule.get_freq() == Frequency::Weekly => vec![(0, self.next.weekday())],
                None => Vec::new(),
            },
            month_days: match (is_last_of, rule.get_freq()) {
                (true, _) => month_days.into_iter().max().into_iter().collect(),
                (_, Frequency::Monthly | Frequency::Yearly)
                    if month_days.is_empty() && self.part("BYDAY").is_none() =>
                {
                    i8::try_from(self.next.day()).into_iter().collect()
                }
                _ => month_days,
            },
            months: match rule.get_freq() {
                Frequency::Yearly => rule.get_by_month().to_vec(),
                _ if self.part("BYMONTH").is_none() => Vec::new(),
                _ => rule.get_by_month().to_vec(),
            },
            times,
            until: self
                .part("UNTIL")
                .and_then(|at| NaiveDateTime::parse_from_str(at, LOCAL).ok()),
            is_whole,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::rule;
    use super::*;

    #[test]
    fn a_pattern_says_what_the_rule_says() {
        let monday = rule("FREQ=WEEKLY", "2026-11-23 09:05", "UTC")
            .pattern()
            .unwrap();
        assert_eq!(monday.weekdays, [(0, Weekday::Mon)]);
        assert_eq!(monday.times, [(9, 5)]);
        assert!(monday.is_whole);
        let last = rule(
            "FREQ=MONTHLY;BYMONTHDAY=-1;BYHOUR=8,20;BYMINUTE=0",
            "2026-11-23 09:05",
            "UTC",
        );
        let last = last.pattern().unwrap();
        assert_eq!(
            (last.month_days, last.times),
            (vec![-1], vec![(8, 0), (20, 0)])
        );
        let odd = rule("FREQ=YEARLY;BYYEARDAY=100", "2026-11-23 09:05", "UTC");
        assert!(!odd.pattern().unwrap().is_whole);
        let hourly = rule("FREQ=HOURLY;INTERVAL=3", "2026-11-23 09:05", "UTC");
        assert_eq!(hourly.pattern().unwrap().times, []);
    }
}
