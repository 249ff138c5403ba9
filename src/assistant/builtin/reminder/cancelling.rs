//! Cancelling open reminders by their words, day or time of day: "cancel my reminder to run",
//! "cancel all reminders this week except the one about mum".

mod unnamed;

use std::ops::Range;

use super::parts::{WORDS_MAX, after_link};
use crate::assistant::builtin::{
    Intent, ParsedMessage, RemindersToCancel, agenda, subject, wording,
};
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when::{self, Day, TimeExpression};
use crate::assistant::text::words::Words;
use crate::clock::Timestamp;
use unnamed::{alarm, everything};

/// Before the answer to the question which reminder to cancel.
pub const CANCEL: &str = "cancel my reminder to ";
const HALF_DAY_MINUTES: u32 = 12 * 60;
/// Reminders that are named to be kept.
const KEPT_MAX: usize = 6;

/// What stands before all of those that are named.
static ALL: Phrases = Phrases::new(&[
    "both of my", "both of our", "both my", "both our", "both the", "both", "all of my",
    "all of our", "all of the", "all my", "all our", "all the", "all", "every",
]);

/// What stands between those that are cancelled and those that stay.
static EXCEPT: Phrases = Phrases::new(&[
    "but not", "but keep", "but", "except for", "except", "excluding", "apart from", "other than",
    "besides", "not",
]);

/// "cancel my reminder to …", "cancel all reminders", "cancel the dentist reminder on friday".
pub(super) fn cancel(message: &ParsedMessage) -> Option<Intent> {
    let words = &message.words;
    let end = without_courtesies(words);
    if let Some(about) = words.after(
        message.start,
        phrases!["dont remind me", "stop reminding me"],
    ) {
        return Some(cancelled(message, after_link(words, about)..end, false));
    }
    if matches!(words.get(message.start), "dont") {
        return None;
    }
    let at = message.start + 1;
    let whole =
        words.len() == at + 1 && matches!(words.get(at), "it" | "that" | "this" | "everything");
    if words.get(message.start) == "cancel" && message.is_addressed && (words.len() == at || whole)
    {
        return Some(which_reminder());
    }
    if let Some(found) = everything(message, at..end) {
        return Some(found);
    }
    let all = words.after(at, &ALL);
    let at = all
        .or_else(|| words.after(at, phrases!["my", "our", "the", "that", "this", "a"]))
        .unwrap_or(at);
    // In a group only its own are meant.
    let at = match message.context.group {
        true => words.skip(
            at,
            phrases!["group's", "groups", "group", "of this group's"],
        ),
        false => at,
    };
    if let Some(found) = alarm(message, at..end, all.is_some()) {
        return Some(found);
    }
    let found = (at..words.len().min(at + 8))
        .find(|n| matches!(words.get(*n), "reminder" | "reminders"))?;
    let several = all.is_some() || words.get(found) == "reminders";
    let after = after_link(words, found + 1)..end.max(found + 1);
    let is_own = message.context.group && (message.start..found).any(|at| words.get(at) == "my");
    let own = |found: Intent| match found {
        Intent::CancelReminders(request) => {
            Intent::CancelReminders(RemindersToCancel { is_own, ..request })
        }
        other => other,
    };
    if found == at {
        return Some(own(cancelled(message, after, several)));
    }
    // "cancel the dentist reminder": the words before "reminder" are the subject.
    let before = named_before(message, at..found, several);
    let before = match before {
        Ok(before) => before,
        Err(reply) => return Some(Intent::Unclear(reply)),
    };
    if after.start >= end {
        return Some(own(Intent::CancelReminders(before)));
    }
    match cancelled(message, after, several) {
        Intent::CancelReminders(limits) => {
            limited(before, limits).map(|both| own(Intent::CancelReminders(both)))
        }
        unclear => Some(unclear),
    }
}

/// Asks which one to cancel.
fn which_reminder() -> Intent {
    Intent::AskRest {
        reply: wording::WHICH_REMINDER.to_owned(),
        before: CANCEL.to_owned(),
        after: String::new(),
    }
}

fn without_courtesies(words: &Words) -> usize {
    let is_courtesy = |at: usize| {
        matches!(
            words.get(at),
            "please" | "pls" | "thanks" | "now" | "anymore"
        )
    };
    let mut end = words.len();
    while end > 0 && is_courtesy(end - 1) {
        end -= 1;
    }
    end
}

/// Both together; `None` where both name words, or both a time.
fn limited(named: RemindersToCancel, limits: RemindersToCancel) -> Option<RemindersToCancel> {
    let has_time = |one: &RemindersToCancel| one.on.is_some() || !one.minutes.is_empty();
    let clashes =
        named.about.is_some() && limits.about.is_some() || has_time(&named) && has_time(&limits);
    let several = named.several || limits.several && named.about.is_none();
    (!clashes).then(|| RemindersToCancel {
        about: named.about.or(limits.about),
        on: named.on.or(limits.on),
        minutes: [named.minutes, limits.minutes].concat(),
        is_next: named.is_next || limits.is_next,
        several,
        ..limits
    })
}

/// The words after "reminders": "for friday", "about mum this week", "but not saturday's".
fn cancelled(message: &ParsedMessage, range: Range<usize>, several: bool) -> Intent {
    let words = &message.words;
    let is_text = matches!(words.get(range.start - 1), "to" | "that");
    let except = |at: &usize| words.after(*at, &EXCEPT).is_some();
    let except = range.clone().find(except).filter(|_| !is_text);
    let end = except.unwrap_or(range.end).max(range.start);
    let which = match named(message, range.start..end, several) {
        Ok(which) => which,
        Err(reply) => return Intent::Unclear(reply),
    };
    let Some(except) = except else {
        let is_all = which == RemindersToCancel::default();
        return match is_all && !several {
            true => which_reminder(),
            false => Intent::CancelReminders(which),
        };
    };
    let from = words.skip(except, &EXCEPT);
    match kept(message, from..range.end) {
        Ok(kept) => Intent::CancelReminders(RemindersToCancel {
            kept,
            several: true,
            ..which
        }),
        Err(reply) => Intent::Unclear(reply),
    }
}

/// The reminders that stay: "the one about mum", "saturday's", "swim and run".
fn kept(message: &ParsedMessage, range: Range<usize>) -> Result<Vec<RemindersToCancel>, String> {
    let words = &message.words;
    let mut all = Vec::new();
    let mut from = range.start;
    while from < range.end && all.len() < KEPT_MAX {
        let ends = |at: &usize| {
            matches!(words.get(*at), "and" | "or") || *at > from && words.is_set_off(*at - 1)
        };
        let end = (from..range.end).find(ends).unwrap_or(range.end);
        if end > from {
            all.push(kept_one(message, from..end)?);
        }
        from = end + usize::from(matches!(words.get(end), "and" | "or"));
    }
    match all.is_empty() || from < range.end {
        true => Err(wording::REMINDERS_TO_CANCEL_UNCLEAR.to_owned()),
        false => Ok(all),
    }
}

fn kept_one(message: &ParsedMessage, range: Range<usize>) -> Result<RemindersToCancel, String> {
    const NOUNS: [&str; 4] = ["one", "ones", "reminder", "reminders"];
    let words = &message.words;
    let from = words.skip(range.start, phrases!["the", "my", "those", "that"]);
    let noun = (from..range.end).find(|at| NOUNS.contains(&words.get(*at)));
    let found = match noun {
        Some(noun) if noun > from => named_before(message, from..noun, true),
        Some(noun) => named(message, after_link(words, noun + 1)..range.end, true),
        None if words.get(from).ends_with("s") => named_before(message, from..range.end, true),
        None => named(message, after_link(words, from)..range.end, true),
    }?;
    let is_all = RemindersToCancel {
        several: false,
        ..found.clone()
    } == RemindersToCancel::default();
    match is_all {
        true => Err(wording::REMINDERS_TO_CANCEL_UNCLEAR.to_owned()),
        false => Ok(found),
    }
}

/// The words before "reminder": "dentist", "this week's", "7pm".
fn named_before(
    message: &ParsedMessage,
    range: Range<usize>,
    several: bool,
) -> Result<RemindersToCancel, String> {
    let words = &message.words;
    let name = words.phrase(range.clone());
    if matches!(
        name.as_str(),
        "recurring" | "repeating" | "repeated" | "my recurring" | "my repeating" | "one-time"
    ) {
        return Err(wording::REMINDERS_TO_CANCEL_BY_NUMBER.to_owned());
    }
    let name = name.strip_suffix('s').unwrap_or(&name);
    if let Some(span) = agenda::named_span(message, name) {
        return Ok(within(span.range));
    }
    if let Some(span) = agenda::span(message, range.clone()) {
        return Ok(RemindersToCancel {
            several,
            ..within(span.range)
        });
    }
    if let Some(spec) = time_before(words, range.start, range.end) {
        return at_time(message, &spec, several);
    }
    if name == "next" {
        return Ok(RemindersToCancel {
            is_next: true,
            several,
            ..RemindersToCancel::default()
        });
    }
    let about = subject(words.original(range));
    Ok(RemindersToCancel {
        about: Some(about),
        several,
        ..RemindersToCancel::default()
    })
}

/// Reminders named by their words, their time, or both.
fn named(
    message: &ParsedMessage,
    range: Range<usize>,
    several: bool,
) -> Result<RemindersToCancel, String> {
    let words = &message.words;
    let link = words.get(range.start.saturating_sub(1));
    let is_about = matches!(link, "to" | "that" | "about" | "of" | "titled" | "called");
    if range.is_empty() {
        return Ok(RemindersToCancel {
            several,
            ..RemindersToCancel::default()
        });
    }
    if let Some(limits) = limits(message, range.clone(), several, is_about)? {
        return Ok(limits);
    }
    let whole = subject(words.original(range.clone()));
    if range.len() <= WORDS_MAX {
        for at in range.start + 1..range.end {
            let is_of_text = matches!(
                words.get(at - 1),
                "of" | "the" | "a" | "my" | "our" | "before"
            );
            if !is_of_text && let Some(limits) = limits(message, at..range.end, several, false)? {
                return Ok(RemindersToCancel {
                    about: Some(subject(words.original(range.start..at))),
                    with_time: Some(whole),
                    several,
                    ..limits
                });
            }
        }
    }
    Ok(RemindersToCancel {
        about: Some(whole),
        several,
        ..RemindersToCancel::default()
    })
}

/// All of these words as the time of reminders: "this week", "on friday at 9", "before friday".
fn limits(
    message: &ParsedMessage,
    range: Range<usize>,
    several: bool,
    is_about: bool,
) -> Result<Option<RemindersToCancel>, String> {
    let words = &message.words;
    if let Some(bounded) = bounded(message, range.clone())? {
        return Ok(Some(within(bounded)));
    }
    let at = words.skip(range.start, phrases!["for", "in", "on"]);
    let is_about = is_about && at == range.start;
    if let Some(span) = agenda::span(message, at..range.end).filter(|_| !is_about) {
        return Ok(Some(within(span.range)));
    }
    let found = when::read(words, range.start).filter(|(_, next)| *next == range.end);
    match found.filter(|(spec, _)| spec.day.is_some() || spec.clock.is_some()) {
        Some((spec, _)) => at_time(message, &spec, several || spec.clock.is_none()).map(Some),
        None => Ok(None),
    }
}

/// "before friday", "from wednesday to friday". The error asks whether "until friday" counts friday,
/// or says that no end is known.
fn bounded(
    message: &ParsedMessage,
    range: Range<usize>,
) -> Result<Option<Range<Timestamp>>, String> {
    let words = &message.words;
    let now = message.context.now;
    let after = |links: &[&str]| words.after(range.start, links);
    let span = |words: Range<usize>| agenda::span(message, words).map(|span| span.range);
    if let Some(from) = after(&["before"])
        && let Some(day) = span(from..range.end)
    {
        return Ok(Some(now..day.start));
    }
    if let Some(from) = after(&[
        "through", "thru", "up to and including", "until and including",
    ]) && let Some(day) = span(from..range.end)
    {
        return Ok(Some(now..day.end));
    }
    if let Some(from) = after(&["from", "between"]) {
        let to = (from + 1..range.end)
            .find(|at| matches!(words.get(*at), "to" | "until" | "till" | "through" | "and"));
        if let Some(to) = to
            && let (Some(first), Some(last)) = (span(from..to), span(to + 1..range.end))
        {
            return Ok(Some(first.start..last.end));
        }
    }
    if let Some(from) = after(&["by", "until", "till", "til", "up to"])
        && span(from..range.end).is_some()
    {
        let day = words.original(from..range.end);
        return Err(wording::last_day_unsure(&subject(day)));
    }
    let open = [
        "by", "until", "till", "til", "up to", "before", "after", "from", "since", "between",
        "starting", "through",
    ];
    match after(&open).is_some_and(|from| when::read(words, from).is_some()) {
        true => Err(wording::REMINDERS_TO_CANCEL_UNCLEAR.to_owned()),
        false => Ok(None),
    }
}

fn within(span: Range<Timestamp>) -> RemindersToCancel {
    RemindersToCancel {
        on: Some(span),
        several: true,
        ..RemindersToCancel::default()
    }
}

/// The time before "reminder": "my 7pm reminder", "tomorrow's reminders".
fn time_before(words: &Words, at: usize, end: usize) -> Option<TimeExpression> {
    let day = match words.get(at) {
        "today's" | "todays" => Some(Day::Today),
        "tomorrow's" | "tomorrows" => Some(Day::InDays(1)),
        day => {
            let weekday = day.strip_suffix("'s").and_then(when::weekday_name);
            weekday.map(|day| Day::Weekday {
                day,
                next_week: false,
            })
        }
    };
    if let (Some(day), true) = (day, at + 1 == end) {
        return Some(TimeExpression {
            day: Some(day),
            ..TimeExpression::default()
        });
    }
    let found = when::read(words, at).filter(|(_, next)| *next == end);
    let found = found.or_else(|| when::read_hour_alone(words, at));
    let (spec, next) = found?;
    let is_time = spec.delay.is_none() && (spec.day.is_some() || spec.clock.is_some());
    (next == end && is_time).then_some(spec)
}

/// The reminders of a day, at a time of day, or both. A bare hour is that of either half of the day.
fn at_time(
    message: &ParsedMessage,
    spec: &TimeExpression,
    several: bool,
) -> Result<RemindersToCancel, String> {
    let day = TimeExpression {
        day: spec.day,
        ..TimeExpression::default()
    };
    let on = when::day_of(&day, message.context.now, message.zone());
    let of_clock =
        |spec: &TimeExpression| when::time_of_day(spec).map(|(hour, minute)| hour * 60 + minute);
    let minutes = match spec.clock {
        None => Ok(Vec::new()),
        Some(_) => of_clock(spec).and_then(|minute| {
            let late = of_clock(&spec.in_the_evening())?;
            let early = match spec.clock.is_some_and(|clock| clock.exact) || spec.part.is_some() {
                true => minute,
                false => late % HALF_DAY_MINUTES,
            };
            let mut minutes = vec![minute, early, late];
            minutes.sort_unstable();
            minutes.dedup();
            Ok(minutes)
        }),
    };
    match (minutes, on, spec.day) {
        (Err(_), _, _) | (_, None, Some(_)) => Err(wording::REMINDER_NO_SUCH_TIME.to_owned()),
        (Ok(minutes), on, _) => Ok(RemindersToCancel {
            on,
            minutes,
            several,
            ..RemindersToCancel::default()
        }),
    }
}
