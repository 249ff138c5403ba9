//! Spans of time for which spending is added up: "this week", "in november".

use chrono::{Datelike, Days, NaiveDate};

use crate::assistant::builtin::ParsedMessage;
use crate::assistant::powers::{local_time, parsers};
use crate::assistant::text::phrases::phrases;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Span {
    Today,
    Yesterday,
    Week,
    LastWeek,
    Month,
    LastMonth,
    /// "november": by its year and its number from 1.
    MonthOf(i32, u32),
    Year,
}

const SPANS: [(&str, Span); 12] = [
    ("this month", Span::Month),
    ("so far", Span::Month),
    ("in total", Span::Month),
    ("already", Span::Month),
    ("last month", Span::LastMonth),
    ("this week", Span::Week),
    ("last week", Span::LastWeek),
    ("today", Span::Today),
    ("yesterday", Span::Yesterday),
    ("this year", Span::Year),
    ("in this month", Span::Month),
    ("the month", Span::Month),
];

impl Span {
    /// The span of time that is named at `at`, and the index after it.
    pub(super) fn read(message: &ParsedMessage, at: usize) -> Option<(Self, usize)> {
        let words = &message.words;
        let named = |(name, span): &(&str, Self)| Some((*span, words.after(at, &[*name])?));
        SPANS
            .iter()
            .find_map(named)
            .or_else(|| month_of(message, at))
    }

    pub(super) fn has(self, day: NaiveDate, today: NaiveDate) -> bool {
        match self {
            Self::Today => day == today,
            Self::Yesterday => Some(day) == today.pred_opt(),
            Self::Week => day.iso_week() == today.iso_week(),
            Self::LastWeek => (day + Days::new(7)).iso_week() == today.iso_week(),
            Self::Year => day.year() == today.year(),
            Self::Month => months(day) == months(today),
            Self::LastMonth => months(day) + 1 == months(today),
            Self::MonthOf(year, month) => (day.year(), day.month()) == (year, month),
        }
    }

    /// "this week", "in November".
    pub(super) fn name(self) -> String {
        match self {
            Self::Today => "today",
            Self::Yesterday => "yesterday",
            Self::LastWeek => "last week",
            Self::Year => "this year",
            Self::Week => "this week",
            Self::Month => "this month",
            Self::LastMonth => "last month",
            Self::MonthOf(year, month) => {
                let first = NaiveDate::from_ymd_opt(year, month, 1);
                return first.map_or_else(String::new, |day| day.format("in %B %Y").to_string());
            }
        }
        .to_owned()
    }
}

/// Months since the year 0.
pub(super) fn months(date: NaiveDate) -> i32 {
    date.year() * 12 + date.month0() as i32
}

/// "in november", "november": the last one, this month included.
fn month_of(message: &ParsedMessage, at: usize) -> Option<(Span, usize)> {
    let words = &message.words;
    let from = words.skip(at, phrases!["in", "for", "during"]);
    let month = parsers::read_month(words.get(from))?;
    let is_linked = from > at || !matches!(words.get(from), "may" | "march");
    let today = local_time::date(message.context.now, message.zone());
    let year = today.year() - i32::from(month > today.month());
    // "3 november" is a day.
    let is_day = |n: usize| words.get(n).starts_with(|c: char| c.is_ascii_digit());
    let is_of_day = is_day(from + 1) || from > 0 && is_day(from - 1);
    (is_linked && !is_of_day).then_some((Span::MonthOf(year, month), from + 1))
}
