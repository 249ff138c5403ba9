//! Questions about connected calendars: when somebody is seen next, whether a time is free, how
//! many meetings there are; and what a person wants changed in them. What is on at a day is told
//! with the reminders of that day.

pub(super) mod changes;
mod operations;
mod proposals;

use chrono::{Datelike, Duration, NaiveDate};
use serde::{Deserialize, Serialize};

use super::events;
use super::facts::EventFact;
use super::planned_time;
use super::{CalendarRequest, PowerContext, PowerEffect, RequestStrength, Superpower};
use super::{local_time, parsers, texts};
use crate::assistant::builtin::ParsedMessage;
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when::TimeOfDay;
use crate::assistant::text::words::Words;
use crate::clock::Timestamp;
use changes::{EventChangeRequest, EventDraft};
pub(super) use operations::Arguments;

/// Events that are named as the next ones.
const NEXT_MAX: usize = 3;
const NAME_WORDS_MAX: usize = 5;
const DAY_MINUTES: u32 = 24 * 60;

#[derive(Debug, Clone, PartialEq)]
pub enum CalendarQuery {
    /// With whom or about what; `None`: whatever comes next.
    Next(Option<String>),
    /// The minutes after midnight, the end excluded.
    IsFree {
        day: NaiveDate,
        from: u32,
        to: u32,
    },
    /// From the first to the last day.
    Count {
        from: NaiveDate,
        to: NaiveDate,
        name: String,
    },
    Add(EventDraft),
    Change(EventChangeRequest),
    Unclear(String),
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct CalendarQueryState {
    /// The request that the last answer was about.
    #[serde(skip)]
    request: Option<CalendarRequest>,
}

static NEXT: Phrases = Phrases::new(&[
    "whats my next meeting", "what is my next meeting", "when is my next meeting",
    "whats my next event", "what is my next event", "when is my next event", "my next meeting",
    "next meeting", "whats my next appointment", "when is my next call", "whats my next call",
    "whats next on my calendar",
]);

pub(super) fn parse(message: &ParsedMessage) -> Option<(RequestStrength, CalendarQuery)> {
    use RequestStrength::Clear;
    let words = &message.words;
    let (at, end) = (message.start, parsers::end(words));
    match message.request() {
        request if NEXT.contains(request) => {
            return Some((Clear, CalendarQuery::Next(None)));
        }
        _ => {}
    }
    if let Some(name) = parse_meeting_with(message, at, end) {
        return Some((Clear, CalendarQuery::Next(Some(name))));
    }
    if let Some(from) = words.after(
        at,
        phrases![
            "how many meetings do i have", "how many meetings", "how many events do i have",
            "how many events", "how many calls do i have", "how many calls",
        ],
    ) {
        return Some((Clear, count(message, from, end)?));
    }
    let from = words.after(
        at,
        phrases![
            "am i free", "am i available", "am i busy", "is my calendar free",
        ],
    );
    match from {
        Some(from) => free(message, from, end).map(|query| (Clear, query)),
        None => changes::parse(message),
    }
}

/// "when do I see Ana next?": Ana.
fn parse_meeting_with(message: &ParsedMessage, at: usize, end: usize) -> Option<String> {
    let words = &message.words;
    let from = words.after(
        at,
        phrases![
            "when do i see", "when do i meet", "when am i seeing", "when am i meeting",
            "when will i see", "when is my next meeting with", "when is my meeting with",
            "when do i next see", "when do i next meet", "when is my call with",
            "when is my next call with", "whens my meeting with", "when is my appointment with",
        ],
    )?;
    let to = match words.get(end - 1) {
        "next" | "again" => end - 1,
        _ => end,
    };
    let name = parsers::original(words, from, to);
    let is_name = !name.is_empty() && to - from <= NAME_WORDS_MAX;
    is_name.then_some(name)
}

fn count(message: &ParsedMessage, from: usize, end: usize) -> Option<CalendarQuery> {
    let words = &message.words;
    let today = local_time::date(message.context.now, message.zone());
    let monday = today - Duration::days(i64::from(today.weekday().num_days_from_monday()));
    let name = words.phrase(from..end);
    let (from, to) = match name.as_str() {
        "" | "today" => (today, today),
        "this week" => (monday, monday + Duration::days(6)),
        "next week" => (monday + Duration::days(7), monday + Duration::days(13)),
        _ => {
            let from = words.skip(from, phrases!["on", "for"]);
            let (day, next) = parsers::read_day(words, from, message.context.now, message.zone())?;
            (next == end).then_some((day, day))?
        }
    };
    let name = if name.is_empty() {
        "today".to_owned()
    } else {
        name
    };
    Some(CalendarQuery::Count { from, to, name })
}

/// "on the 3rd between 2 and 4", "tomorrow at 3", "on friday from 10 to 12".
fn free(message: &ParsedMessage, from: usize, end: usize) -> Option<CalendarQuery> {
    let words = &message.words;
    let link = (from..end).find(|n| matches!(words.get(*n), "between" | "from"));
    let today = local_time::date(message.context.now, message.zone());
    let Some(link) = link else {
        // Without a time of day it is asked what there is on that day.
        let found = planned_time::find(message, from, end, false)?;
        return match found.time {
            Ok(time) => {
                let minute = time.minute?;
                Some(CalendarQuery::IsFree {
                    day: time.day,
                    from: minute,
                    to: minute + 60,
                })
            }
            Err(why) => Some(CalendarQuery::Unclear(why)),
        };
    };
    let (from_minute, to_minute, next) = hours(words, link + 1)?;
    let day = match (from < link, next < end) {
        (true, _) => {
            parsers::read_day(
                words,
                day_from(message, from),
                message.context.now,
                message.zone(),
            )?
            .0
        }
        (false, true) => {
            parsers::read_day(
                words,
                day_from(message, next),
                message.context.now,
                message.zone(),
            )?
            .0
        }
        (false, false) => today,
    };
    Some(match from_minute < to_minute {
        true => CalendarQuery::IsFree {
            day,
            from: from_minute,
            to: to_minute,
        },
        false => CalendarQuery::Unclear(
            "From when to when? For example “am I free on friday between 14:00 and 16:00?”."
                .to_owned(),
        ),
    })
}

/// "2 and 4", "10 to 12": minutes after midnight, and the word after them. A span that does not
/// end after its begin on the same day has the same minute twice.
fn hours(words: &Words, at: usize) -> Option<(u32, u32, usize)> {
    let (begins, next) = parsers::read_hour(words, at)?;
    let next = words.after(next, phrases!["and", "to", "till", "until"])?;
    let (ends, next) = parsers::read_hour(words, next)?;
    let minute = |clock: TimeOfDay| match clock.hour {
        // "between 2 and 4" is in the afternoon.
        hour @ 1..=6 if clock.bare && !clock.exact => (hour + 12) * 60 + clock.minute,
        hour => hour * 60 + clock.minute,
    };
    let (from, mut to) = (minute(begins), minute(ends));
    if to <= from && ends.hour < 12 && !ends.exact {
        to += 12 * 60;
    }
    let is_span = from < to && to <= DAY_MINUTES;
    Some((from, if is_span { to } else { from }, next))
}

fn day_from(message: &ParsedMessage, at: usize) -> usize {
    // A bare "3rd" is a day only after "on".
    match message.words.get(at) {
        "on" if message.words.get(at + 1) != "the" => at + 1,
        _ => at,
    }
}

impl Superpower for CalendarQueryState {
    type Action = CalendarQuery;

    fn apply(&mut self, action: CalendarQuery, context: &PowerContext) -> Option<String> {
        self.request = None;
        if !context.facts.has_calendar {
            if let CalendarQuery::Add(event) = &action
                && !event.is_vague()
            {
                return Some(event.not_put(context));
            }
            let is_sure = match &action {
                CalendarQuery::Change(change) => change.is_explicit,
                CalendarQuery::Add(_) => context.sure,
                _ => true,
            };
            return is_sure.then(|| self.overview(context));
        }
        let mut reply = match action {
            CalendarQuery::Add(event) => {
                return self.ask(proposals::propose_add(&event, context)?);
            }
            CalendarQuery::Change(change) => {
                return self.ask(proposals::propose_change(&change, context)?);
            }
            CalendarQuery::Next(about) => next(about.as_deref(), context),
            CalendarQuery::IsFree { day, from, to } => is_free(day, from, to, context)?,
            CalendarQuery::Count { from, to, name } => counted(from, to, &name, context)?,
            CalendarQuery::Unclear(why) => why,
        };
        if context.facts.is_calendar_of_mail {
            reply.push_str("\nI go by the invitations in your mail, as no calendar is connected. Say “connect my calendar”, and I see all of it.");
        }
        reply.push_str(context.zone_hint());
        Some(reply)
    }

    fn overview(&self, context: &PowerContext) -> String {
        match context.facts.has_calendar {
            true => next(None, context),
            false => events::not_connected(
                "answer “when do I see Ana next?” and “am I free on the 3rd between 2 and 4?”, and with CalDAV “put lunch with Bo on tuesday at 1”",
            ),
        }
    }

    fn effect(&self) -> Option<PowerEffect> {
        self.request.clone().map(PowerEffect::ChangeCalendar)
    }
}

impl CalendarQueryState {
    fn ask(&mut self, (reply, request): proposals::Proposal) -> Option<String> {
        self.request = request;
        Some(reply)
    }
}

fn next(about: Option<&str>, context: &PowerContext) -> String {
    let mut found = events::between(context.now, Timestamp(i64::MAX), context);
    found.retain(|event| event.starts_at > context.now);
    if let Some(about) = about {
        let is_about = |text: &String| parsers::mentions(text, about);
        found.retain(|event| is_about(&event.title) || event.people.iter().any(is_about));
    } else {
        found.retain(|event| !event.is_all_day);
    }
    found.truncate(NEXT_MAX);
    match (found.as_slice(), about) {
        ([], Some(about)) => {
            format!("I find nothing with {about} in your calendars in the weeks ahead.")
        }
        ([], None) => "I find nothing ahead in your calendars.".to_owned(),
        ([one], _) => format!("{}: {}", one.start_text(context), described(one)),
        ([first, rest @ ..], Some(_)) => format!(
            "{}: {}. After that:{}",
            first.start_text(context),
            described(first),
            events::listed(rest, true, context)
        ),
        ([first, ..], None) => format!("{}: {}", first.start_text(context), described(first)),
    }
}

fn described(event: &EventFact) -> String {
    let mut parts = vec![event.title()];
    parts.extend(event.place_texts());
    parts.join(", ")
}

fn is_free(day: NaiveDate, from: u32, to: u32, context: &PowerContext) -> Option<String> {
    let zone = context.zone();
    let end = match to {
        to if to >= DAY_MINUTES => local_time::moment(day.succ_opt()?, to - DAY_MINUTES, zone)?,
        to => local_time::moment(day, to, zone)?,
    };
    let mut found = events::between(local_time::moment(day, from, zone)?, end, context);
    found.retain(|event| event.fills_time());
    let span = format!(
        "{} from {} to {}",
        texts::display(day, context.today()),
        texts::clock_text(from),
        texts::clock_text(to % DAY_MINUTES)
    );
    Some(match found.is_empty() {
        true => format!("Yes, your calendars are free on {span}."),
        false => format!(
            "No, on {span} there is:{}",
            events::listed(&found, false, context)
        ),
    })
}

fn counted(from: NaiveDate, to: NaiveDate, name: &str, context: &PowerContext) -> Option<String> {
    let zone = context.zone();
    let start = local_time::moment(from, 0, zone)?;
    let end = local_time::moment(to.succ_opt()?, 0, zone)?;
    let mut found = events::between(start, end, context);
    found.retain(|event| !event.is_all_day && event.starts_at >= start);
    if found.is_empty() {
        return Some(format!("No meetings {name}."));
    }
    let minutes: i64 = found
        .iter()
        .map(|event| (event.ends_at.0 - event.starts_at.0) / 60_000)
        .sum();
    Some(format!(
        "{} {name}, {} in all:{}",
        texts::counted(found.len(), "meeting"),
        hours_text(minutes),
        events::listed(&found, from != to, context)
    ))
}

/// "2 h 30 min"
pub(super) fn hours_text(minutes: i64) -> String {
    match (minutes / 60, minutes % 60) {
        (0, minutes) => format!("{minutes} min"),
        (hours, 0) => format!("{hours} h"),
        (hours, minutes) => format!("{hours} h {minutes} min"),
    }
}
