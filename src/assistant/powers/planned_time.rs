//! The day and the time of day in a sentence about something planned, wherever it stands in it:
//! "dinner at Luigi on friday at 8, +1555 123".

use chrono::NaiveDate;

use super::{local_time, parsers, texts};
use crate::assistant::builtin::reminder::repeats::repeats;
use crate::assistant::builtin::{ParsedMessage, TimeChange};
use crate::assistant::text::phrases::Phrases;
use crate::assistant::text::when::{self, Day, Problem, TimeExpression, TimeOfDay};
use crate::assistant::text::words::Words;
use crate::assistant::wording;

/// Words that are looked through.
const WORDS_MAX: usize = 120;

/// A day, and the minute after midnight if a time was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlannedTime {
    pub day: NaiveDate,
    pub minute: Option<u32>,
}

impl PlannedTime {
    /// "Friday, 27 November at 17:00", with the year when it is another than today's.
    pub(super) fn display(self, today: NaiveDate) -> String {
        texts::time_text(self.day, self.minute, today)
    }

    /// As `typed`, with its time of day alone where no more was said.
    pub(super) fn typed_part(self, part: Option<&TimeChange>) -> String {
        match self.minute {
            Some(minute) if part.is_some_and(TimeChange::is_hour) => texts::clock_text(minute),
            _ => self.typed(),
        }
    }

    /// "2026-11-27 at 17:00", as it may be typed.
    pub(super) fn typed(self) -> String {
        match self.minute {
            Some(minute) => format!("{} at {}", self.day, texts::clock_text(minute)),
            None => self.day.to_string(),
        }
    }
}

/// The time in a sentence.
pub(super) struct TimeInText {
    /// The error is the reply that says why it can't be used.
    pub(super) time: Result<PlannedTime, String>,
    /// Where it names only a day or only a time of day: the change of something known.
    pub(super) part: Option<TimeChange>,
    /// The words that say it: first, and after the last.
    spans: Vec<(usize, usize)>,
}

impl TimeInText {
    /// Where the time begins and where it ends.
    pub(super) fn range(&self) -> (usize, usize) {
        let from = self.spans.iter().map(|span| span.0).min();
        let to = self.spans.iter().map(|span| span.1).max();
        (from.unwrap_or(0), to.unwrap_or(0))
    }

    /// The words of its time of day alone: "at 10" of "next week at 10".
    pub(super) fn clock_text(&self, words: &Words) -> Option<String> {
        let is_clock = |(from, to): &(usize, usize)| {
            let read = when::read(words, *from).filter(|(_, end)| end == to);
            read.is_some_and(|(spec, _)| spec.clock.is_some() && spec.day.is_none())
        };
        let parts = self
            .spans
            .iter()
            .flat_map(|(from, to)| (*from..*to).map(|at| (at, *to)));
        let (from, to) = parts.into_iter().find(is_clock)?;
        Some(parsers::original(words, from, to))
    }

    /// The words from `from` to `end` without the words of the time.
    pub(super) fn rest(&self, words: &Words, from: usize, end: usize) -> Vec<String> {
        let (first, last) = self.range();
        let inside = (first..last).find(|at| !self.spans.iter().any(|s| (s.0..s.1).contains(at)));
        let mut parts = vec![(from, first.max(from))];
        if inside.is_some() {
            let mut spans = self.spans.clone();
            spans.sort_unstable();
            parts.extend(spans.windows(2).map(|pair| (pair[0].1, pair[1].0)));
        }
        parts.push((last.max(from), end));
        parts
            .into_iter()
            .map(|(from, to)| parsers::original(words, from, before_link(words, from, to.min(end))))
            .filter(|text| !text.is_empty())
            .collect()
    }
}

/// Where words end that are no link to the time after them: "hotel Astoria from", "table is".
fn before_link(words: &Words, from: usize, to: usize) -> usize {
    let is_link = |at: usize| {
        [
            "from", "on", "at", "is", "are", "now", "until", "till", "by", "starting", "its",
            "the", "of", "booked", "leaves", "departs", "goes", "lands", "starts", "begins",
        ]
        .contains(&words.get(at))
    };
    let mut to = to;
    while to > from && is_link(to - 1) {
        to -= 1;
    }
    to
}

/// Whether a word names something of the evening, so that "at 8" is 20:00.
pub(super) fn is_evening(word: &str) -> bool {
    [
        "dinner", "drinks", "concert", "gig", "theatre", "theater", "opera", "ballet", "musical",
        "cinema", "movie", "show", "play", "party",
    ]
    .contains(&word)
}

/// The day of something else.
static OF_ANOTHER: Phrases = Phrases::new(&[
    "on the same day", "the same day", "on that same day", "that same day", "same day",
    "on that day", "that day", "the day after that", "the next day", "the following day",
]);

const DAY_UNSURE: &str =
    "I'm not sure which day you mean. Please say it like “on friday” or “on 5 December”.";

/// The time between the words `from` and `end`. `evening`: a bare 8 is 20:00.
pub(super) fn find(
    message: &ParsedMessage,
    from: usize,
    end: usize,
    evening: bool,
) -> Option<TimeInText> {
    let words = &message.words;
    let mut found: Option<(TimeExpression, Vec<(usize, usize)>)> = None;
    let mut is_two = false;
    let mut at = from;
    while at < end.min(from + WORDS_MAX) {
        let Some((spec, next)) = when::read(words, at).filter(|(_, next)| *next <= end) else {
            at += 1;
            continue;
        };
        match &mut found {
            None => found = Some((spec, vec![(at, next)])),
            Some((whole, spans)) => match whole.merged(spec) {
                Some(merged) => {
                    *whole = merged;
                    spans.push((at, next));
                }
                None => is_two |= spec.day.is_some() && whole.day != spec.day,
            },
        }
        at = next;
    }
    let (spec, mut spans) = found?;
    // "the same day at 12"
    let of_another = (from..end).find_map(|at| Some((at, words.after(at, &OF_ANOTHER)?)));
    spans.extend(of_another);
    let time = if of_another.is_some() {
        Err(DAY_UNSURE.to_owned())
    } else if repeats(words, from..end) {
        Err(COMES_AGAIN.to_owned())
    } else if has_span(words, from..end, &spec)
        || spec.clock.is_some() && has_begin_left(words, from, &spans)
    {
        Err("When does it begin? Please say one day and one time.".to_owned())
    } else if is_two || has_choice(words, from..end) {
        Err("Which one is it? Please say one day and one time.".to_owned())
    } else if has_day_left(words, from..end, &spans)
        || spec.day.is_none() && names_other_day_of(words, from..end)
        || spans.iter().any(|span| is_any_day(words, *span))
        || spans
            .iter()
            .any(|(_, to)| *to < end && words.get(*to) == "day")
        || spec.day.is_none() && has_slashed_left(words, from..end, &spans)
    {
        Err(DAY_UNSURE.to_owned())
    } else if is_vague(words, &spans) {
        Err("Which day exactly? Please say it with the day, for example “on friday” or “on 5 December”.".to_owned())
    } else {
        resolved(spec, message, evening).map_err(problem_text)
    };
    Some(TimeInText {
        time,
        part: TimeChange::in_part(spec),
        spans,
    })
}

/// "sat" directly after a verb, with the hour after it: elsewhere it may be another word.
pub(super) fn short_day(message: &ParsedMessage, at: usize, end: usize) -> Option<TimeInText> {
    let words = &message.words;
    let name = words.get(at);
    let is_short = when::weekday_name(name).is_some() && !name.ends_with("day");
    let (day, next) = when::day_at(words, at).filter(|(_, next)| is_short && *next <= end)?;
    let day = TimeExpression {
        day: Some(day),
        ..TimeExpression::default()
    };
    let hour = when::read(words, next).filter(|(_, next)| *next <= end);
    let whole = hour.and_then(|(hour, next)| Some((day.merged(hour)?, next)));
    let (spec, next) = whole.unwrap_or((day, next));
    let is_one = !matches!(words.get(next), "or" | "and" | "to" | "-");
    is_one.then(|| TimeInText {
        time: resolved(spec, message, false).map_err(problem_text),
        part: TimeChange::in_part(spec),
        spans: vec![(at, next)],
    })
}

/// The reply about a recurring time.
pub(super) const COMES_AGAIN: &str = "I keep only what comes once here. Tell me the next day of it; or I remind you each time: “remind me every friday at 9 of …”.";

/// Whether words of a day are left, so that it was half understood: "friday week".
fn has_day_left(words: &Words, range: std::ops::Range<usize>, spans: &[(usize, usize)]) -> bool {
    let mut left = range.filter(|at| !spans.iter().any(|span| (span.0..span.1).contains(at)));
    left.any(|at| {
        let word = words.get(at);
        word.ends_with("day") && when::weekday_name(word).is_some()
            || matches!(word, "tomorrow" | "today" | "tonight" | "yesterday")
    })
}

/// "on race day", "on our anniversary", "next time": a day that is known only by what happens on it, or is
/// open.
fn names_other_day_of(words: &Words, range: std::ops::Range<usize>) -> bool {
    const NAME_WORDS_MAX: usize = 3;
    static OPEN: Phrases = Phrases::new(&[
        "next time", "sometime", "someday", "some day", "one day", "another day", "another time",
        "the usual day",
    ]);
    static BESIDE: Phrases = Phrases::new(&[
        "the day before", "the night before", "the evening before", "the morning before",
        "the day after", "the night after", "the morning after",
    ]);
    let is_occasion = |at: usize| match words.get(at) {
        "day" => {
            words.get(at + 1) == "of"
                || !matches!(
                    words.get(at - 1),
                    "the"
                        | "that"
                        | "this"
                        | "same"
                        | "a"
                        | "any"
                        | "one"
                        | "each"
                        | "every"
                        | "another"
                )
        }
        word => matches!(
            word,
            "anniversary" | "payday" | "birthday" | "trip" | "holiday" | "honeymoon"
        ),
    };
    let is_other = |at: usize| {
        let to = range.end.min(at + 1 + NAME_WORDS_MAX);
        let is_set_off = |n: usize| (at..n).any(|n| words.is_set_off(n));
        let on = words.get(at) == "on"
            && (at + 1..to).any(|noun| is_occasion(noun) && !is_set_off(noun));
        let is_open = words.after(at, &OPEN) == Some(range.end);
        on || is_open || words.after(at, &BESIDE).is_some_and(|end| end < range.end)
    };
    range.clone().any(is_other)
}

/// Whether an hour is left before "to" and the one that was read: "from 9 to 10:30".
fn has_begin_left(words: &Words, from: usize, spans: &[(usize, usize)]) -> bool {
    let is_read = |at: usize| spans.iter().any(|span| (span.0..span.1).contains(&at));
    let is_hour =
        |at: usize| when::read_hour_alone(words, at).is_some_and(|(_, end)| end == at + 1);
    spans.iter().any(|(at, _)| {
        let to = at.checked_sub(1).filter(|to| *to > from);
        let to = to.filter(|to| matches!(words.get(*to), "to" | "till" | "until"));
        to.is_some_and(|to| is_hour(to - 1) && !is_read(to - 1))
    })
}

/// "some friday": any of them.
fn is_any_day(words: &Words, (at, _): (usize, usize)) -> bool {
    let is_some = at > 0 && matches!(words.get(at - 1), "some" | "any");
    is_some && when::weekday_name(words.get(at)).is_some()
}

/// Whether "5/6" is left, which has two readings as a date.
fn has_slashed_left(
    words: &Words,
    mut range: std::ops::Range<usize>,
    spans: &[(usize, usize)],
) -> bool {
    range.any(|at| {
        let is_read = spans.iter().any(|span| (span.0..span.1).contains(&at));
        let number = |part: &str| part.parse::<u32>().is_ok_and(|n| (1..=31).contains(&n));
        let parts = words.get(at).split_once('/');
        !is_read && parts.is_some_and(|(first, second)| number(first) && number(second))
    })
}

/// Whether no day is named but a week or a month: "next week".
fn is_vague(words: &Words, spans: &[(usize, usize)]) -> bool {
    let mut inside = spans.iter().flat_map(|(from, to)| *from..*to);
    inside.any(|at| is_open_span(words, at))
}

/// Whether the words at `at` name a week or a month, so that the day is open.
pub(super) fn is_open_span(words: &Words, at: usize) -> bool {
    static PHRASES: Phrases = Phrases::new(&[
        "next week", "next wk", "next month", "next year", "this week", "this weekend",
        "next weekend", "the weekend",
    ]);
    words.after(at, &PHRASES).is_some()
}

/// Whether a day other than today is named between those words.
pub(super) fn names_other_day(words: &Words, mut range: std::ops::Range<usize>) -> bool {
    range.any(|at| {
        let day = when::read(words, at).and_then(|(spec, _)| spec.day);
        day.is_some_and(|day| day != Day::Today) || words.get(at) == "yesterday"
    })
}

/// Whether alternative times are named: "friday or saturday", "at 7 or 8".
fn has_choice(words: &Words, range: std::ops::Range<usize>) -> bool {
    let is_time = |at: usize| {
        let is_number = words.get(at).starts_with(|c: char| c.is_ascii_digit());
        is_number || when::read(words, at).is_some() || when::day_at(words, at).is_some()
    };
    range.clone().any(|at| {
        matches!(words.get(at), "or" | "and/or")
            && at > range.start
            && is_time(at + 1)
            && (is_time(at - 1) || matches!(words.get(at - 1), "am" | "pm"))
    })
}

/// Whether a span of numbers is left that may be its time: "from 12 to 2", "12 to 15 march",
/// "6 to 8". "for 4 to 6 people" is none.
fn has_span(words: &Words, range: std::ops::Range<usize>, spec: &TimeExpression) -> bool {
    let is_number = |at: usize| {
        let digits = words
            .get(at)
            .trim_end_matches(|c: char| c.is_ascii_alphabetic());
        at < range.end && (1..=2).contains(&digits.len()) && digits.parse::<u32>().is_ok()
    };
    range.clone().any(|at| {
        let before = at.checked_sub(1).map_or("", |n| words.get(n));
        let is_count = [
            "for", "seat", "seats", "row", "rows", "gate", "platform", "room", "number", "no",
        ]
        .contains(&before);
        if spec.clock.is_none() && !is_count && when::is_dashed_span(words.get(at)) {
            return true;
        }
        if !is_number(at)
            || !matches!(
                words.get(at + 1),
                "to" | "until" | "till" | "and" | "through"
            )
            || !is_number(at + 2)
        {
            return false;
        }
        let is_marked =
            matches!(before, "from" | "between") || when::month(words.get(at + 3)).is_some();
        let is_bare = words.get(at + 1) == "to" && spec.clock.is_none() && !is_count;
        is_marked && spec.clock.is_none() || is_bare
    })
}

/// The time that `spec` says. The error is the reply that says why it can't be used.
pub(super) fn resolve(
    spec: TimeExpression,
    message: &ParsedMessage,
) -> Result<PlannedTime, String> {
    resolved(spec, message, false).map_err(problem_text)
}

/// "my flight is at 6:40": its minutes are as they are printed.
fn as_printed(spec: TimeExpression, message: &ParsedMessage) -> TimeExpression {
    let is_ride = message.words.has_any(&["flight", "plane", "train"]);
    let clock = spec.clock.map(|clock| TimeOfDay {
        bare: clock.bare && !(is_ride && clock.minute > 0 && (4..=6).contains(&clock.hour)),
        ..clock
    });
    TimeExpression { clock, ..spec }
}

fn resolved(
    spec: TimeExpression,
    message: &ParsedMessage,
    evening: bool,
) -> Result<PlannedTime, Problem> {
    let (now, zone) = (message.context.now, message.zone());
    let spec = match evening {
        true => spec.in_the_evening(),
        false => as_printed(spec, message),
    };
    let has_time = spec.clock.is_some()
        || spec.part.is_some()
        || spec.delay.is_some_and(|wait| wait.seconds != 0);
    if !has_time {
        let today = local_time::date(now, zone);
        let day = match spec.day {
            Some(Day::Today) => today,
            Some(Day::Date { year, month, day }) => {
                NaiveDate::from_ymd_opt(year, month, day).ok_or(Problem::NoSuchTime)?
            }
            Some(Day::OfYear { month, day })
                if NaiveDate::from_ymd_opt(chrono::Datelike::year(&today), month, day)
                    == Some(today) =>
            {
                today
            }
            Some(Day::WeekdayAndDate { .. }) => {
                let end_of_day = chrono::NaiveTime::from_hms_opt(23, 59, 0).unwrap_or_default();
                let spec = when::exact_time(end_of_day).merged(spec).unwrap_or(spec);
                local_time::date(when::resolve(&spec, now, zone)?, zone)
            }
            _ => local_time::date(when::resolve(&spec, now, zone)?, zone),
        };
        if day < today {
            return Err(Problem::Past);
        }
        return Ok(PlannedTime { day, minute: None });
    }
    let at = when::resolve(&spec, now, zone)?;
    Ok(PlannedTime {
        day: local_time::date(at, zone),
        minute: Some(local_time::minute_of_day(at, zone)),
    })
}

/// Why a time can't be used, and what to say instead.
fn problem_text(problem: Problem) -> String {
    match problem {
        Problem::Past => "That day has passed. Which one do you mean?".to_owned(),
        Problem::TooFar => format!(
            "That is more than {} years away. Please name a nearer day.",
            when::YEARS_AHEAD_MAX
        ),
        Problem::NoSuchTime => {
            "No calendar has that day or time. Which one do you mean?".to_owned()
        }
        Problem::WeekdayMismatch => wording::WEEKDAY_MISMATCH.to_owned(),
        Problem::NotSummerTime => wording::NOT_SUMMER_TIME.to_owned(),
        Problem::PartMismatch => wording::PART_OF_DAY_MISMATCH.to_owned(),
        Problem::HalfHour(hour) => wording::half_hour_unsure(hour),
        Problem::Ambiguous(a, b) => wording::reminder_date_ambiguous(a, b),
    }
}
