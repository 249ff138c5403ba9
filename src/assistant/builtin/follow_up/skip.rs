//! Parses requests to leave out times of a repeating reminder: "skip tomorrow", "skip my run
//! reminder on friday", "pause it until friday".

use std::ops::Range;

use chrono::{Datelike, Months, NaiveDate};

use super::{FollowUp, NewTimeText, ReminderRef, TimeChange};
use crate::assistant::builtin::reminder::repeats;
use crate::assistant::builtin::{ParsedMessage, agenda, subject};
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when::{self, Day};
use crate::assistant::text::words::Words;
use crate::clock::{Timestamp, Zone};

/// A date without a year that was so lately is not the one of next year.
const JUST_PAST_MS: i64 = 60 * 24 * 60 * 60 * 1000;
/// Words of a reminder of which no time is named: "skip my morning run".
const ALONE_WORDS_MAX: usize = 3;

/// The words after "pause": "it until friday", "my swim reminder for 2 weeks". Without an end there
/// is none, but "next week" has one.
pub(super) fn pause(message: &ParsedMessage, range: Range<usize>) -> Option<FollowUp> {
    let words = &message.words;
    let span = |at: usize| {
        let from = words.skip(at, phrases!["for", "in"]);
        let is_named = matches!(words.get(from), "this" | "next");
        let span = agenda::named_span(message, &words.phrase(from..range.end));
        Some((at, span.filter(|_| is_named)?.range))
    };
    if let Some((about_end, day)) = (range.start + 1..range.end).find_map(span) {
        let which = which(words, range.start..about_end)?;
        let day = Some(day);
        return Some(FollowUp::Skip { which, day });
    }
    let pause = |at: usize| Some((at, pause_at(message, at..range.end)?));
    let (about_end, span) = (range.start + 1..range.end).find_map(pause)?;
    let which = which(words, range.start..about_end)?;
    Some(FollowUp::Skip {
        which,
        day: Some(span),
    })
}

/// "until friday", "till february", "for the next 3 days": from now to there.
fn pause_at(message: &ParsedMessage, range: Range<usize>) -> Option<Range<Timestamp>> {
    let words = &message.words;
    let (now, zone) = (message.context.now, message.zone());
    let until = words.after(range.start, phrases!["until", "till", "til"]);
    if let Some(from) = until
        && from + 1 == range.end
        && let Some(month) = when::month(words.get(from))
    {
        let today = now.utc().with_timezone(&zone).date_naive();
        let year = today.year() + i32::from(month <= today.month());
        let first = NaiveDate::from_ymd_opt(year, month, 1)?;
        return Some(now..when::at_hour(first, 0, 0, zone)?);
    }
    let (spec, end) = match until {
        Some(from) => when::read(words, from)?,
        None => {
            let from = words.after(range.start, phrases!["for the next", "for"])?;
            when::read_duration(words, from)?
        }
    };
    let is_day = until.is_some() && spec.day.is_some() && !spec.has_time();
    let to = match is_day {
        true => when::day_of(&spec, now, zone)?.start,
        false => when::resolve(&spec, now, zone).ok()?,
    };
    (end == range.end).then_some(now..to)
}

/// The reminder that is named: "it", "my swim reminder".
fn which(words: &Words, about: Range<usize>) -> Option<ReminderRef> {
    if about.is_empty() {
        return None;
    }
    match words.phrase(about.clone()).as_str() {
        "it" | "that" | "this" | "the reminder" | "my reminder" | "that reminder" => {
            Some(ReminderRef::Latest)
        }
        _ => {
            let from = words.after(about.start, phrases!["my", "the"]);
            let from = from.unwrap_or(about.start);
            let end = about.end - usize::from(words.get(about.end - 1) == "reminder");
            (from < end).then(|| ReminderRef::About(subject(words.original(from..end))))
        }
    }
}

/// The words after "skip".
pub(super) fn skip(message: &ParsedMessage, range: Range<usize>) -> Option<FollowUp> {
    let words = &message.words;
    if let Some(found) = of_day(message, range.clone()) {
        return Some(found);
    }
    let has_end = |at: usize| matches!(words.get(at), "until" | "till" | "til");
    if range.clone().any(has_end) {
        return pause(message, range);
    }
    static NEXT: Phrases = Phrases::new(&[
        "the next one", "the next time", "next one", "next time", "this time", "this one",
        "the next", "next", "once",
    ]);
    let (about_end, day) = (range.start..range.end).find_map(|at| {
        if words.after(at, &NEXT) == Some(range.end) {
            return Some((at, None));
        }
        let from = words.skip(at, phrases!["on", "for", "in"]);
        if let Some(day) = skipped_day(message, from..range.end) {
            return Some((at, Some(day)));
        }
        // "skip run"
        let is_alone = at + 1 == range.end && range.len() <= ALONE_WORDS_MAX;
        is_alone.then_some((range.end, None))
    })?;
    let about = range.start..about_end;
    let which = match words.phrase(about.clone()).as_str() {
        "" | "it" | "that" | "this" | "the reminder" | "my reminder" => ReminderRef::Latest,
        _ => {
            let from = words.skip_article(about.start);
            let about = subject(words.original(from..about.end));
            let bare = about.strip_suffix("reminder").unwrap_or(&about).trim();
            ReminderRef::About(bare.to_owned())
        }
    };
    Some(FollowUp::Skip { which, day })
}

/// The day or span that all of these words name.
fn skipped_day(message: &ParsedMessage, range: Range<usize>) -> Option<Range<Timestamp>> {
    let (words, now, zone) = (&message.words, message.context.now, message.zone());
    let (span, is_each_year) = match agenda::named_span(message, &words.phrase(range.clone())) {
        Some(span) => (span.range, true),
        None => {
            let (day, _) = when::day_at(words, range.start)?;
            let without_year = matches!(
                day,
                Day::OfYear { .. } | Day::Easter(_) | Day::WeekdayAndDate { year: None, .. }
            );
            (agenda::day(words, range, now, zone)?, without_year)
        }
    };
    let past = is_each_year.then(|| of_last_year(&span, now, zone));
    Some(past.flatten().unwrap_or(span))
}

/// "1 november" on the tenth was this year. `None`: a year before is too long ago.
fn of_last_year(day: &Range<Timestamp>, now: Timestamp, zone: Zone) -> Option<Range<Timestamp>> {
    let past = by_years(day, -1, zone)?;
    let is_just_past = past.start <= now && now.0 - past.start.0 <= JUST_PAST_MS;
    is_just_past.then_some(past)
}

/// The same days so many years later.
pub fn by_years(day: &Range<Timestamp>, years: i32, zone: Zone) -> Option<Range<Timestamp>> {
    let midnight = |at: Timestamp| {
        let date = at.utc().with_timezone(&zone).date_naive();
        let months = Months::new(12 * years.unsigned_abs());
        let date = match years < 0 {
            true => date.checked_sub_months(months)?,
            false => date.checked_add_months(months)?,
        };
        when::at_hour(date, 0, 0, zone)
    };
    Some(midnight(day.start)?..midnight(day.end)?)
}

/// "not this saturday", "not tomorrow", "not on monday", but not "not on mondays".
pub(super) fn skip_last(message: &ParsedMessage, range: Range<usize>) -> Option<FollowUp> {
    static NOT: Phrases = Phrases::new(&[
        "not on", "not for", "not", "but not on", "but not", "except for", "except on", "except",
        "no need for", "no need on", "no need",
    ]);
    let words = &message.words;
    let from = words.after(range.start, &NOT)?;
    let said = words.phrase(from..range.end);
    let day = skipped_day(message, from..range.end)?;
    let weekdays = repeats::weekdays(words, words.skip(from, phrases!["the"]));
    let weekdays = weekdays.filter(|(_, end)| *end == range.end);
    let is_each = weekdays.as_ref().is_some_and(|(days, _)| days.len() > 1) || said.ends_with('s');
    if weekdays.is_some() && is_each {
        return None;
    }
    let or_each = weekdays.map(|(days, _)| TimeChange(NewTimeText::NotOn(days)));
    Some(FollowUp::SkipLast { day, or_each })
}

/// "turn off tomorrow's alarm", "turn off my alarm for tomorrow", "turn it off for a week": those times
/// of it.
pub(super) fn switched_off_on_day(
    message: &ParsedMessage,
    range: Range<usize>,
) -> Option<FollowUp> {
    let words = &message.words;
    static IT: Phrases = Phrases::new(&["turn it off", "turn that off", "switch it off"]);
    if let Some(from) = words.after(range.start, &IT) {
        return Some(FollowUp::Skip {
            which: ReminderRef::Latest,
            day: Some(pause_at(message, from..range.end)?),
        });
    }
    let from = words.after(range.start, phrases!["turn off", "switch off"])?;
    let is_named = |at: usize| matches!(words.get(at), "alarm" | "timer" | "reminder");
    let found = skip(message, from..range.end).filter(|_| (from..range.end).any(is_named))?;
    matches!(found, FollowUp::Skip { day: Some(_), .. }).then_some(found)
}

/// "tomorrow's alarm", "friday's run"
fn of_day(message: &ParsedMessage, range: Range<usize>) -> Option<FollowUp> {
    let words = &message.words;
    let day = match words.get(range.start) {
        "tomorrows" => "tomorrow",
        "todays" => "today",
        "tonights" => "tonight",
        word => word.strip_suffix("'s")?,
    };
    let day = Words::new(day);
    let (day, _) = when::day_at(&day, 0)?;
    let spec = when::TimeExpression {
        day: Some(day),
        ..when::TimeExpression::default()
    };
    let span = when::day_of(&spec, message.context.now, message.zone())?;
    let which = which(words, range.start + 1..range.end)?;
    Some(FollowUp::Skip {
        which,
        day: Some(span),
    })
}
