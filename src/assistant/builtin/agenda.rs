//! Questions about a span of time: "what do I have tomorrow?", "reminders for friday", "my
//! reminders about mom".

mod hours;

use std::ops::Range;

use chrono::{Datelike, Days, Months, NaiveDate};

use super::{Intent, ParsedMessage, Span, subject, wording};
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when;
use crate::assistant::text::words::Words;
use crate::clock::{Timestamp, Zone};

/// A longer message is no such question.
const WORDS_MAX: usize = 16;

static REMINDERS: Phrases = Phrases::new(&[
    "how many reminders do i have", "how many reminders have i", "is there a reminder",
    "do i have a reminder", "what reminders do i have", "which reminders do i have",
    "do i have any reminders", "do i have reminders", "what are my reminders",
    "show me my reminders", "show my reminders", "show me the reminders", "list my reminders",
    "list reminders", "show reminders", "any reminders", "my reminders", "reminders",
    "whats my first reminder", "what is my first reminder", "whats the first reminder",
]);

/// Beginnings of questions when a reminder comes.
static WHEN: Phrases = Phrases::new(&[
    "when is my", "whens my", "when will my", "when does my", "what time is my",
    "what time does my", "how long until my", "how long till my", "how long is left on my",
    "how long left on my", "how long on my", "how much time is left on my",
    "how much time left on my", "did i set a", "did i set an", "do i have a", "do i have an",
]);

static EVERYTHING: Phrases = Phrases::new(&[
    "whats on my day", "what is on my day", "whats in my day", "hows my day looking",
    "whats on my plate", "whats on my calendar", "what is on my calendar", "whats in my calendar",
    "whats on", "what is on", "whats due", "what is due", "show my calendar",
    "show me my calendar", "my calendar", "any meetings", "do i have meetings",
    "whats my day like", "what is my day like", "what does my day look like",
    "how does my day look", "what do i have on", "what do i have", "what have i got",
    "whats planned", "what is planned", "whats happening", "do i have anything",
    "do i have something", "anything", "am i free", "whats my schedule", "my schedule",
    "whats my agenda", "my agenda", "agenda", "is there anything", "whats my day look like",
    "whats coming up", "what is there", "what i have on", "what i have", "what i have got",
    "what my plans are", "what are my plans", "what im doing", "what am i doing",
    "what am i up to", "is there something", "whats left", "what is left", "what else do i have",
    "what do i need to do", "what do i have to do", "what have i got to do", "what must i do",
    "what do we have", "what do we have on", "what have we got", "what do i have left",
    "what do i still have", "what have i got left", "what have i left",
    "what do i still have to do", "what do i still need to do", "what am i supposed to do",
    "what do i gotta do", "what i need to do", "what i have to do", "what do i do",
]);

pub(super) fn command(message: &ParsedMessage) -> Option<Intent> {
    let words = &message.words;
    if words.len() > WORDS_MAX || !message.is_addressed {
        return None;
    }
    let end = words.before_courtesy(0, words.len());
    if let Some(from) = words.after(message.start, &REMINDERS) {
        let about = words.after(from, phrases!["about", "of", "with"]);
        let for_what = words.after(from, phrases!["for", "to"]);
        let from = words.skip(from, phrases!["due on", "due in", "due", "for", "on", "in"]);
        let found = |span| Intent::FindReminders {
            span: Some(span),
            about: None,
        };
        if let Some(asked) = spans(message, from..end, found) {
            return Some(asked);
        }
        let about = subject(words.original(about.or(for_what)?..end));
        return (!about.is_empty()).then_some(Intent::FindReminders {
            span: None,
            about: Some(about),
        });
    }
    if let Some(asked) = fixed(message) {
        return Some(asked);
    }
    if let Some(from) = words.after(message.start, &WHEN) {
        return one_reminder(message, from..end);
    }
    if let Some(from) = another_day(message) {
        let from = words.skip(from, phrases!["for", "on"]);
        return spans(message, from..end, |span| Intent::Agenda {
            span,
            of_calendar: false,
        });
    }
    let Some(from) = words.after(message.start, &EVERYTHING) else {
        return schedule_of_day(message, end).or_else(|| of_day_alone(message, end));
    };
    // "whats on" alone may be about anything; a day or a schedule is the person's.
    let is_own = matches!(
        words.get(from - 1),
        "like" | "look" | "looking" | "day" | "schedule" | "agenda" | "calendar" | "do"
    ) || words.phrase(message.start..from) == "what do i have on";
    let of_calendar =
        (message.start..from).any(|at| matches!(words.get(at), "calendar" | "meetings" | "free"));
    let agenda = |span| Intent::Agenda { span, of_calendar };
    // "what do i do" alone may ask for advice.
    let is_asked = words.phrase(message.start..from) != "what do i do";
    if from == end && is_own && is_asked {
        return today(message).map(agenda);
    }
    // A calendar tells of hours by itself.
    if !of_calendar {
        let from = words.skip(from, phrases!["planned", "for", "on"]);
        if let Some(asked) = spans(message, from..end, agenda) {
            return Some(asked);
        }
    }
    let from = words.skip(from, phrases!["going on", "coming up", "planned"]);
    let from = words.skip(from, phrases!["for", "on", "in"]);
    span(message, from..end).map(agenda)
}

/// "todays schedule", "whats tomorrow's agenda", "today's reminders".
fn schedule_of_day(message: &ParsedMessage, end: usize) -> Option<Intent> {
    let words = &message.words;
    static ASKED: Phrases = Phrases::new(&[
        "whats", "what is", "what are", "show me", "show", "tell me", "list",
    ]);
    let from = words.skip(message.start, &ASKED);
    let name = words.get(from);
    let day = name.strip_suffix("'s").or_else(|| name.strip_suffix('s'))?;
    let noun = phrases![
        "schedule", "agenda", "plans", "plan", "calendar", "events", "appointments", "reminders"
    ];
    if words.after(from + 1, noun) != Some(end) {
        return None; // most messages
    }
    let day = Words::new(day);
    let (now, zone) = (message.context.now, message.zone());
    let range = self::day(&day, 0..1, now, zone)?;
    let name = wording::day_name(range.start, now, zone);
    let span = Span { range, name };
    Some(match words.get(from + 1) {
        "reminders" => Intent::FindReminders {
            span: Some(span),
            about: None,
        },
        noun => Intent::Agenda {
            span,
            of_calendar: noun == "calendar",
        },
    })
}

/// "whats tomorrow", "what is on friday"; "whats today" asks for the date.
fn of_day_alone(message: &ParsedMessage, end: usize) -> Option<Intent> {
    let words = &message.words;
    let from = words.after(
        message.start,
        phrases!["whats", "what is", "hows", "how is"],
    )?;
    let from = words.skip(from, phrases!["for", "on"]);
    if words.get(from) == "today" {
        return None;
    }
    let span = span(message, from..end)?;
    let of_calendar = false;
    Some(Intent::Agenda { span, of_calendar })
}

/// The question about one span or several: "tomorrow", "friday at 9", "tomorrow and friday". Where
/// the words are another time, it is asked which days are meant.
fn spans(
    message: &ParsedMessage,
    range: Range<usize>,
    intent: impl Fn(Span) -> Intent,
) -> Option<Intent> {
    let words = &message.words;
    let one = |range: Range<usize>| {
        // "the next week" is no day.
        let counted = hours::is_count(words, range.start);
        let counted = counted
            .then(|| hours::asked(message, range.clone()))
            .flatten();
        counted
            .or_else(|| span(message, range.clone()))
            .or_else(|| hours::asked(message, range))
    };
    if let Some(span) = one(range.clone()) {
        return Some(intent(span));
    }
    let mut ands = range.clone().filter(|at| words.get(*at) == "and");
    let both = ands.find_map(|and| Some([one(range.start..and)?, one(and + 1..range.end)?]));
    if let Some(both) = both {
        return Some(Intent::Several(both.into_iter().map(intent).collect()));
    }
    let from = words.skip(
        range.start,
        phrases!["after", "before", "between", "from", "until", "till", "by"],
    );
    let is_time = when::read(words, from).is_some() || hours::is_count(words, from);
    (is_time && from < range.end).then(|| Intent::unclear(wording::ASKED_DAYS_UNCLEAR))
}

/// "whats my week look like", "my alarms".
fn fixed(message: &ParsedMessage) -> Option<Intent> {
    if let Some(about) = alarms(message.request()) {
        return Some(Intent::FindReminders {
            span: None,
            about: Some(about.to_owned()),
        });
    }
    let is_week = phrases![
        "whats my week look like", "what does my week look like", "how does my week look",
        "whats my week like"
    ]
    .contains(message.request());
    let span = is_week
        .then(|| named_span(message, "this week"))
        .flatten()?;
    Some(Intent::Agenda {
        span,
        of_calendar: false,
    })
}

/// "my alarms", "show my timers": which of both.
fn alarms(request: &str) -> Option<&'static str> {
    let (asking, about) = match request.strip_suffix("alarms") {
        Some(asking) => (asking, "alarm"),
        None => match request.strip_suffix("timers") {
            Some(asking) => (asking, "timer"),
            None => return one_alarm(request),
        },
    };
    let is_asked = matches!(
        asking.trim_end(),
        "" | "my" | "show my" | "show me my" | "show" | "list" | "list my" | "all my" | "any"
    );
    is_asked.then_some(about)
}

/// "my timer", "show my alarm", but not "alarm", which may begin a request.
fn one_alarm(request: &str) -> Option<&'static str> {
    let (asking, about) = match request.strip_suffix(" alarm") {
        Some(asking) => (asking, "alarm"),
        None => (request.strip_suffix(" timer")?, "timer"),
    };
    let is_asked = matches!(
        asking,
        "my" | "show my"
            | "show me my"
            | "see my"
            | "check my"
            | "whats my"
            | "what is my"
            | "wheres my"
            | "where is my"
            | "hows my"
            | "show the"
            | "show me the"
    );
    is_asked.then_some(about)
}

/// "call mom reminder", "timer go off": the reminders about that, or all where it says no more.
fn one_reminder(message: &ParsedMessage, range: Range<usize>) -> Option<Intent> {
    let words = &message.words;
    let noun = range
        .clone()
        .find(|at| matches!(words.get(*at), "reminder" | "alarm" | "timer"))?;
    let rest = words.skip(
        noun + 1,
        phrases!["go off", "going off", "ring", "due", "set for", "set"],
    );
    let about = match words.after(rest, phrases!["for", "about", "of", "to"]) {
        Some(from) => words.original(from..range.end),
        None if rest == range.end => words.original(range.start..noun),
        None => return None,
    };
    let about = subject(about);
    Some(match about.to_lowercase().as_str() {
        "" | "next" => Intent::ListReminders,
        _ => Intent::FindReminders {
            span: None,
            about: Some(about),
        },
    })
}

/// Where the day begins in "and tomorrow?", "what about friday?".
fn another_day(message: &ParsedMessage) -> Option<usize> {
    let (words, at) = (&message.words, message.start);
    if !words.is_question() {
        return None;
    }
    let is_more = at.checked_sub(1).map(|before| words.get(before)) == Some("and");
    let from = words.after(at, phrases!["what about", "how about"]);
    from.or_else(|| is_more.then_some(at))
}

fn today(message: &ParsedMessage) -> Option<Span> {
    let zone = message.zone();
    let date = message.context.now.utc().with_timezone(&zone).date_naive();
    let next = date.succ_opt()?;
    Some(Span {
        range: when::at_hour(date, 0, 0, zone)?..when::at_hour(next, 0, 0, zone)?,
        name: "today".to_owned(),
    })
}

/// Parses all of these words as a span of time.
pub(super) fn span(message: &ParsedMessage, words: Range<usize>) -> Option<Span> {
    if words.is_empty() {
        return None;
    }
    if let Some(span) = named_span(message, &message.words.phrase(words.clone())) {
        return Some(span);
    }
    let (zone, now) = (message.zone(), message.context.now);
    let Some(range) = day(&message.words, words.clone(), now, zone) else {
        return hours::read(message, words);
    };
    let name = wording::day_name(range.start, now, zone);
    Some(Span { range, name })
}

/// "this week", "next month", "december", "tonight".
pub(super) fn named_span(message: &ParsedMessage, name: &str) -> Option<Span> {
    if let Some(range) = part_of_today(message, name) {
        let name = name.to_owned();
        return Some(Span { range, name });
    }
    let (zone, now) = (message.zone(), message.context.now);
    let name = match name {
        "the week" => "this week",
        "the weekend" => "this weekend",
        name => name,
    };
    let (from, to) = days(name, now.utc().with_timezone(&zone).date_naive())?;
    let range = when::at_hour(from, 0, 0, zone)?..when::at_hour(to, 0, 0, zone)?;
    let name = match when::month(name) {
        Some(_) => format!("in {}", from.format("%B")),
        None => name.to_owned(),
    };
    Some(Span { range, name })
}

/// "tonight" is from 18:00 on.
fn part_of_today(message: &ParsedMessage, name: &str) -> Option<Range<Timestamp>> {
    let (from, to) = match name {
        "this morning" => (0, 12),
        "this afternoon" => (12, 18),
        "tonight" | "this evening" => (18, 24),
        _ => return None,
    };
    let zone = message.zone();
    let today = message.context.now.utc().with_timezone(&zone).date_naive();
    let end = match to {
        24 => when::at_hour(today.succ_opt()?, 0, 0, zone)?,
        hour => when::at_hour(today, hour, 0, zone)?,
    };
    Some(when::at_hour(today, from, 0, zone)?..end)
}

/// Weeks and months: the first day, and the day after the last.
fn days(name: &str, today: NaiveDate) -> Option<(NaiveDate, NaiveDate)> {
    let since_monday = u64::from(today.weekday().num_days_from_monday());
    let monday = today.checked_sub_days(Days::new(since_monday))?;
    let in_days = |date: NaiveDate, n| date.checked_add_days(Days::new(n));
    let next_month = today.with_day(1)?.checked_add_months(Months::new(1))?;
    Some(match name {
        "this week" => (today, in_days(monday, 7)?),
        "next week" => (in_days(monday, 7)?, in_days(monday, 14)?),
        "this weekend" => (in_days(monday, 5)?, in_days(monday, 7)?),
        "next weekend" => (in_days(monday, 12)?, in_days(monday, 14)?),
        "this month" => (today, next_month),
        "next month" => (next_month, next_month.checked_add_months(Months::new(1))?),
        name => {
            let month = when::month(name)?;
            let first = today.with_day(1)?;
            let mut firsts = (0..12).filter_map(|n| first.checked_add_months(Months::new(n)));
            let first = firsts.find(|first| first.month() == month)?;
            let after = first.checked_add_months(Months::new(1))?;
            (first.max(today), after)
        }
    })
}

/// Parses all of these words as a day.
pub(super) fn day(
    words: &Words,
    range: Range<usize>,
    now: Timestamp,
    zone: Zone,
) -> Option<Range<Timestamp>> {
    let (day, end) = when::day_at(words, range.start)?;
    let spec = when::TimeExpression {
        day: Some(day),
        ..when::TimeExpression::default()
    };
    (end == range.end)
        .then(|| when::day_of(&spec, now, zone))
        .flatten()
}
