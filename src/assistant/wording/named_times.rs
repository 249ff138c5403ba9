//! The days and hours that a text names, and how often, in the languages that have sentences. Pure.

mod day_parts;
mod distance_after;
mod hours_in_words;
mod names;
mod reading;
mod relative;
mod repetition;
mod tokens;
mod unspaced;
mod zones;

use std::sync::LazyLock;

use chrono::{Datelike, NaiveDate, NaiveTime, Timelike, Weekday};

use super::calendar;
use crate::assistant::text::figures::with_ascii_digits;
use crate::clock::{Timestamp, Zone};
use day_parts::{in_day_part, is_after_noon};
pub use reading::has_part_of_hour;
use reading::{day, has_part_near, hour};
pub(super) use relative::begins_distance;
pub use relative::is_unit_of_time;
pub use relative::tells_number_in_words;
use repetition::NamedRepetition;
use tokens::{TextToken, tokens};

/// Afternoon words in scripts without spaces, or with many forms.
const AFTERNOON_PARTS: [&str; 12] = [
    "午後", "下午", "晚上", "夜", "夕", "晩", "傍晚", "오후", "저녁", "вечера", "дня", "مساء",
];
const MIDNIGHT: [&str; 8] = [
    "midnight", "mitternacht", "medianoche", "minuit", "mezzanotte", "meianoite", "middernacht",
    "midnatt",
];
/// Minutes by which an hour may differ that has such a word beside it.
const PART_TOLERANCE: u32 = 45;

/// Minutes by which a midnight in words may differ.
const MIDNIGHT_TOLERANCE: u32 = 30;

/// Tokens after "until" among which its day stands.
const END_TOKENS: usize = 5;

const DAY_MINUTES: i64 = 24 * 60;

/// A day that a text names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NamedDay {
    Date(NaiveDate),
    /// From the first to the last day.
    Within(NaiveDate, NaiveDate),
    /// The day and the month in either order.
    InFigures {
        numbers: (u32, u32),
        year: Option<i32>,
    },
    Weekday(Weekday),
    /// The weekday of a date after it, which says which day is meant.
    OfDate(Weekday),
    /// The 29th.
    OfMonth(u32),
    OfYear {
        month: u32,
        day: u32,
        year: Option<i32>,
    },
}

/// An hour that a text names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct NamedHour {
    hour: u32,
    minute: u32,
    /// The hour may be twelve hours later, too.
    is_loose: bool,
    /// Minutes by which it may differ.
    tolerance: u32,
}

/// The days and hours that a text names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NamedTimes {
    days: Vec<NamedDay>,
    hours: Vec<NamedHour>,
    repetitions: Vec<NamedRepetition>,
    /// The last days: "until 5 December".
    ends: Vec<NamedDay>,
    /// Through how many days: "for 5 days".
    lengths: Vec<u32>,
    /// A part of the day is named.
    names_part: bool,
}

impl NamedTimes {
    /// `now`: when it is said, there.
    pub fn of(text: &str, now: Timestamp, zone: Zone) -> Self {
        let today = now.utc().with_timezone(&zone).date_naive();
        let text = with_ascii_digits(text).to_lowercase();
        let text = unspaced::with_figures(&text);
        let tokens = tokens(&text);
        let is_afternoon = tokens.iter().any(|token| is_after_noon(token.text))
            || AFTERNOON_PARTS.iter().any(|part| text.contains(part));
        let mut named = Self {
            days: unspaced::days(&text, today),
            repetitions: unspaced::repetitions(&text).collect(),
            names_part: is_afternoon,
            ..Self::default()
        };
        let mut is_elsewhere = false;
        for at in 0..tokens.len() {
            named.days.extend(day(&tokens, at, today));
            let clock = hour(&tokens, at, is_afternoon)
                .or_else(|| hours_in_words::hour_in_words(&tokens, at))
                .map(|hour| in_day_part(hour, &tokens, at));
            let (read, parts_from) = match hour_by_distance(&tokens, at, now, zone) {
                Some((hour, end)) if clock.is_none() => (Some(hour), end + 1),
                _ => (clock, 0),
            };
            let is_whole = |hour: &NamedHour| hour.minute == 0 || hour.tolerance > 0;
            let place = zones::zone_after(&tokens, at);
            is_elsewhere |= read.is_some() && place.is_some_and(|place| place != zone);
            let read = read.map(|hour| match place {
                Some(place) => zones::hour_here(hour, (place, zone), now),
                None => hour,
            });
            named.hours.extend(read.map(|hour| NamedHour {
                tolerance: match is_whole(&hour) && has_part_near(&tokens, at, parts_from) {
                    true => hour.tolerance.max(PART_TOLERANCE),
                    false => hour.tolerance,
                },
                ..hour
            }));
            named
                .repetitions
                .extend(repetition::repetition(&tokens, at));
            named.lengths.extend(repetition::length(&tokens, at));
            if repetition::ends(tokens[at].text) {
                let after = at + 1..(at + 1 + END_TOKENS).min(tokens.len());
                let found = after.flat_map(|at| day(&tokens, at, today));
                named
                    .ends
                    .extend(found.filter(|day| !matches!(day, NamedDay::OfDate(_))));
            }
        }
        named.names_part &= !named.hours.is_empty();
        named.join_week();
        // The day there may be another one than here.
        if is_elsewhere {
            named.days.clear();
        }
        if (0..tokens.len()).any(|at| is_twelve_am(&tokens, at)) {
            named.add_next_days();
        }
        if tokens.iter().any(|token| MIDNIGHT.contains(&token.text)) {
            // The midnight of a day is 00:00 of it or of the next day.
            named.days.clear();
            named.hours.push(NamedHour {
                hour: 0,
                minute: 0,
                is_loose: false,
                tolerance: MIDNIGHT_TOLERANCE,
            });
        }
        named
    }

    /// "12 am tonight" is tomorrow.
    fn add_next_days(&mut self) {
        for day in &mut self.days {
            if let NamedDay::Date(date) = *day {
                *day = NamedDay::Within(date, date.succ_opt().unwrap_or(date));
            }
        }
    }

    /// "Friday next week" is one day.
    fn join_week(&mut self) {
        let in_week = self.days.iter().find_map(|day| match day {
            NamedDay::Within(first, last) if (*last - *first).num_days() < 7 => Some(*first),
            _ => None,
        });
        let has_weekday = self
            .days
            .iter()
            .any(|day| matches!(day, NamedDay::Weekday(_)));
        let Some(first) = in_week.filter(|first| has_weekday && first.weekday() == Weekday::Mon)
        else {
            return;
        };
        self.days.retain(|day| !matches!(day, NamedDay::Within(..)));
        for day in &mut self.days {
            if let NamedDay::Weekday(weekday) = day {
                let ahead = i64::from(weekday.num_days_from_monday());
                *day = NamedDay::Date(first + chrono::TimeDelta::days(ahead));
            }
        }
    }

    pub fn add(&mut self, other: Self) {
        self.days.extend(other.days);
        self.hours.extend(other.hours);
        self.repetitions.extend(other.repetitions);
        self.ends.extend(other.ends);
        self.lengths.extend(other.lengths);
        self.names_part |= other.names_part;
    }

    /// Without how often something comes.
    #[must_use]
    pub fn without_repetitions(self) -> Self {
        Self {
            repetitions: Vec::new(),
            ends: Vec::new(),
            lengths: Vec::new(),
            ..self
        }
    }

    /// Whether it names how often something comes, and no reminder of these comes so: each its rule,
    /// if it has one, and its next time.
    pub fn has_other_repetition<'r>(
        &self,
        reminders: impl Iterator<Item = (Option<&'r str>, Timestamp, Zone)> + Clone,
    ) -> bool {
        self.repetitions.iter().any(|repetition| {
            let mut reminders = reminders.clone();
            match repetition.times() {
                Some((count, days)) => {
                    let counts = reminders.map(|one| repetition::count_within(one, days));
                    counts.sum::<usize>() != count
                }
                None => !reminders.any(|(rule, at, zone)| repetition.is_of(rule, at, zone)),
            }
        })
    }

    /// Whether it names how often something comes and until which day, and that is none of `ends`.
    pub fn has_other_end(&self, ends: &[(Timestamp, Zone)]) -> bool {
        let is_end = |day: &NamedDay| {
            let mut dates = ends
                .iter()
                .map(|(end, zone)| end.utc().with_timezone(zone).date_naive());
            dates.any(|date| day.is(date))
        };
        !self.repetitions.is_empty() && !self.ends.is_empty() && !self.ends.iter().any(is_end)
    }

    /// Whether it names how often something comes and through how many days, and none of these does:
    /// each its next and its last time.
    pub fn has_other_length(
        &self,
        mut all: impl Iterator<Item = (Timestamp, Timestamp, Zone)>,
    ) -> bool {
        let on = |at: Timestamp, zone: Zone| at.utc().with_timezone(&zone).date_naive();
        let is_named = |(first, last, zone): (Timestamp, Timestamp, Zone)| {
            let days = (on(last, zone) - on(first, zone)).num_days() + 1;
            // The first day may be counted or not.
            self.lengths
                .iter()
                .any(|one| (i64::from(*one) - days).abs() <= 1)
        };
        self.names_repetition() && !self.lengths.is_empty() && !all.any(is_named)
    }

    /// How often something comes, and until when.
    pub fn names_end(&self) -> bool {
        self.names_repetition() && !(self.ends.is_empty() && self.lengths.is_empty())
    }

    pub fn names_repetition(&self) -> bool {
        !self.repetitions.is_empty()
    }

    /// An hour is named, and not this one.
    pub fn lacks_hour(&self, at: Timestamp, zone: Zone) -> bool {
        let at = at.utc().with_timezone(&zone).time();
        !self.hours.is_empty() && !self.hours.iter().any(|hour| hour.is(at))
    }

    /// This hour is named only as one twelve hours earlier, without a part of the day: "at 10" for 22:00.
    pub fn tells_hour_loosely(&self, at: Timestamp, zone: Zone) -> bool {
        /// Earlier ones are mostly after noon.
        const MORNING_FROM: u32 = 7;
        let at = at.utc().with_timezone(&zone).time();
        let mut found = self.hours.iter().filter(|hour| hour.is(at)).peekable();
        let is_other_half = |hour: &NamedHour| {
            let exact = NamedHour {
                is_loose: false,
                ..*hour
            };
            (MORNING_FROM..12).contains(&hour.hour) && !exact.is(at)
        };
        !self.names_part && found.peek().is_some() && found.all(is_other_half)
    }

    /// Whether it names an hour of `asked` that is none of `known`.
    pub fn has_unknown_of(&self, asked: &Self, known: &Self) -> bool {
        let is_in = |hour: &NamedHour, all: &Self| all.hours.iter().any(|one| hour.is_same(one));
        self.hours
            .iter()
            .any(|hour| is_in(hour, asked) && !is_in(hour, known))
    }

    /// A day is named, and not this one.
    pub fn lacks_day(&self, at: Timestamp, zone: Zone) -> bool {
        let on = at.utc().with_timezone(&zone).date_naive();
        let is_said = |day: &NamedDay| !matches!(day, NamedDay::OfDate(_)) && day.is(on);
        !self.days.is_empty() && !self.days.iter().any(is_said)
    }

    /// Whether it names an hour that is none of `known`.
    pub fn has_other_hour(&self, known: &Self) -> bool {
        let is_known = |hour: &NamedHour| known.hours.iter().any(|one| hour.is_same(one));
        !self.hours.iter().all(is_known)
    }

    /// Whether it names a day that is none of `known`.
    pub fn has_other_day(&self, known: &Self) -> bool {
        let is_same = |day: &NamedDay, one: &NamedDay| match one {
            NamedDay::Date(date) => day.is(*date),
            one => one == day,
        };
        let is_known = |day: &NamedDay| known.days.iter().any(|one| is_same(day, one));
        !self.days.iter().all(is_known)
    }

    /// Whether it names the month and the day of a date, as "4 May", that is none of those that
    /// `known` names.
    pub fn has_other_date(&self, known: &Self) -> bool {
        let is_known = |date: (u32, u32)| known.days.iter().any(|day| day.has_date(date));
        let names_any = known
            .days
            .iter()
            .any(|day| !matches!(day, NamedDay::Weekday(_) | NamedDay::OfDate(_)));
        let dates = self.days.iter().filter_map(|day| match day {
            NamedDay::OfYear { month, day, .. } => Some((*month, *day)),
            _ => None,
        });
        names_any && !dates.into_iter().all(is_known)
    }

    /// Whether both name the same hour, or the same day other than today.
    /// `now`: when it is said, there.
    pub fn shares_time(&self, other: &Self, now: Timestamp, zone: Zone) -> bool {
        let today = now.utc().with_timezone(&zone).date_naive();
        let mut hours = self.hours.iter();
        let mut days = self.days.iter().filter(|day| !day.is(today));
        hours.any(|hour| other.hours.iter().any(|one| hour.is_same(one)))
            || days.any(|day| other.days.contains(day))
    }

    /// Whether it names an hour that is one of `known`.
    pub fn shares_hour(&self, known: &Self) -> bool {
        let is_known = |hour: &NamedHour| known.hours.iter().any(|one| hour.is_same(one));
        self.hours.iter().any(is_known)
    }

    pub fn names_day(&self) -> bool {
        !self.days.is_empty()
    }

    pub fn names_hour(&self) -> bool {
        !self.hours.is_empty()
    }
}

/// "12 am", and neither "9:12 am" nor the German "am 12. am Abend".
fn is_twelve_am(tokens: &[TextToken], at: usize) -> bool {
    let is_minute = at > 0 && matches!(tokens[at - 1].gap, ":" | ".");
    let next = tokens.get(at + 1);
    tokens[at].text == "12"
        && tokens[at].gap.trim().is_empty()
        && next.is_some_and(|next| next.text == "am")
        && !is_minute
}

/// "In two hours", "two hours from now", and the place where it ends.
fn hour_by_distance(
    tokens: &[TextToken],
    at: usize,
    now: Timestamp,
    zone: Zone,
) -> Option<(NamedHour, usize)> {
    relative::hour(tokens, at, now, zone).or_else(|| {
        let (minutes, end) = distance_after::minutes_after(tokens, at)?;
        Some((relative::hour_in(minutes, now, zone), end))
    })
}

impl NamedDay {
    /// Whether it names the month and the day.
    fn has_date(self, (month, day): (u32, u32)) -> bool {
        let is = |date: NaiveDate| (date.month(), date.day()) == (month, day);
        match self {
            Self::Date(date) => is(date),
            Self::Within(first, last) => first.iter_days().take_while(|day| *day <= last).any(is),
            Self::InFigures { numbers, .. } => numbers == (month, day) || numbers == (day, month),
            Self::OfYear {
                month: named,
                day: on,
                ..
            } => (named, on) == (month, day),
            Self::Weekday(_) | Self::OfDate(_) => false,
            Self::OfMonth(named) => named == day,
        }
    }

    fn is(self, date: NaiveDate) -> bool {
        match self {
            Self::Date(named) => named == date,
            Self::Within(first, last) => (first..=last).contains(&date),
            Self::InFigures { numbers, year } => relative::is_in_figures(date, numbers, year),
            Self::Weekday(weekday) | Self::OfDate(weekday) => date.weekday() == weekday,
            Self::OfMonth(day) => date.day() == day,
            Self::OfYear { month, day, year } => {
                let is_of_year = year.is_none_or(|year| year == date.year());
                date.month() == month && date.day() == day && is_of_year
            }
        }
    }
}

impl NamedHour {
    fn is_same(&self, other: &Self) -> bool {
        let at = NaiveTime::from_hms_opt(other.hour % 24, other.minute, 0);
        at.is_some_and(|at| self.is(at))
    }

    fn is(self, at: NaiveTime) -> bool {
        let hour = self.hour % 24;
        let minute = |hour: u32, minute: u32| i64::from(hour % 24 * 60 + minute);
        let is_near = |hour: u32| {
            let apart = (minute(hour, self.minute) - minute(at.hour(), at.minute()))
                .rem_euclid(DAY_MINUTES);
            apart.min(DAY_MINUTES - apart) <= i64::from(self.tolerance)
        };
        is_near(hour) || self.is_loose && is_near(hour + 12)
    }
}

/// Whether a word is a month's name, or its first three or four letters.
pub fn is_month(word: &str) -> bool {
    static MONTHS: LazyLock<Vec<(String, u8)>> = LazyLock::new(calendar::months);
    let word = word.to_lowercase();
    let is_short = (3..=4).contains(&word.chars().count());
    let mut names = MONTHS.iter().map(|(name, _)| name);
    names.any(|name| *name == word || is_short && name.starts_with(&word))
}

#[cfg(test)]
mod tests;
