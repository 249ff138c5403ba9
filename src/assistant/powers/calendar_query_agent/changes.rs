//! Events that a person wants added, moved or deleted: "put lunch with Bo on tuesday at 1", "move
//! lunch with Bo to 2", "delete lunch with Bo".

use chrono::NaiveDate;

use super::{CalendarQuery, RequestStrength, hours};
use crate::assistant::MessageContext;
use crate::assistant::builtin::parsing::read_message;
use crate::assistant::builtin::{ParsedMessage, TimeChange, follow_up};
use crate::assistant::powers::{PowerContext, planned_time};
use crate::assistant::powers::{local_time, parsers, texts};
use crate::assistant::text::phrases::phrases;
use crate::assistant::text::when;
use crate::model::calendar_change::TITLE_CHARS_MAX;

/// The length of an event without an end.
pub(super) const USUAL_MINUTES: i64 = 60;
const DAY_MINUTES: i64 = 24 * 60;
/// Words of a calendar's name.
const CALENDAR_WORDS_MAX: usize = 4;
/// Words of the title of an event that is to be found.
const NAME_WORDS_MAX: usize = 12;

/// An event as the message describes it.
#[derive(Debug, Clone, PartialEq)]
pub struct EventDraft {
    pub(super) title: String,
    pub(super) day: NaiveDate,
    /// After midnight; `None`: all day.
    pub(super) minute: Option<u32>,
    pub(super) minutes: i64,
    /// The calendar's name, if one was named.
    pub(super) calendar: Option<String>,
}

impl EventDraft {
    /// Minutes are after midnight. The error says what is wrong.
    pub(super) fn new(
        title: String,
        day: NaiveDate,
        from: Option<u32>,
        to: Option<u32>,
        calendar: Option<String>,
    ) -> Result<Self, String> {
        if title.chars().count() > TITLE_CHARS_MAX {
            return Err(too_long());
        }
        let minutes = match (from, to) {
            (Some(from), Some(to)) => i64::from(to) - i64::from(from),
            _ => USUAL_MINUTES,
        };
        if minutes <= 0 {
            return Err("\"from\" must be before \"to\".".to_owned());
        }
        Ok(Self {
            title,
            day,
            minute: from,
            minutes,
            calendar,
        })
    }
}

impl EventDraft {
    /// Whether it may be about something named before: "put it off until friday".
    pub(super) fn is_vague(&self) -> bool {
        let first = self.title.split_whitespace().next().unwrap_or_default();
        matches!(
            first.to_lowercase().as_str(),
            "it" | "that" | "this" | "them" | "me" | "us" | "off" | "down" | "him" | "her"
        )
    }

    /// For somebody without a calendar.
    pub(super) fn not_put(&self, context: &PowerContext) -> String {
        let day = self.day.format("%-d %B");
        let at = self
            .minute
            .map_or_else(String::new, |m| format!(" at {}", texts::clock_text(m)));
        format!(
            "No calendar of yours is connected, so I put nothing into one. I can remind you of it: “remind me on {day}{at} of {}”. Say “connect my calendar” to connect one.{}",
            self.title,
            context.zone_hint()
        )
    }
}

/// A change that is requested, and the event that it is for.
#[derive(Debug, Clone, PartialEq)]
pub struct EventChangeRequest {
    pub which: EventRef,
    /// `None`: it is deleted.
    pub to: Option<TimeChange>,
    /// The message names the calendar, so it is about nothing else.
    pub is_explicit: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub enum EventRef {
    /// The event as the message names it, also with its day: "standup on friday".
    Named(String),
    /// The one that was changed last.
    Latest {
        uid: String,
        /// Which instance of a series; empty for a single event.
        instance: String,
    },
}

/// "put lunch with Bo on tuesday at 1 in my work calendar", "move …", "delete …".
pub(super) fn parse(message: &ParsedMessage) -> Option<(RequestStrength, CalendarQuery)> {
    let (at, end) = (message.start, parsers::end(&message.words));
    match message.words.get(at) {
        "put" | "add" | "schedule" | "create" | "new" | "pencil" => add(message, at, end),
        "move" | "reschedule" | "push" | "postpone" | "shift" => relocate(message, at + 1, end),
        "delete" | "remove" | "cancel" => delete(message, at + 1, end),
        _ => None,
    }
}

fn add(message: &ParsedMessage, at: usize, end: usize) -> Option<(RequestStrength, CalendarQuery)> {
    let words = &message.words;
    let from = words.after(
        at,
        phrases![
            "put", "pencil in", "schedule", "add an event", "add event", "add", "create an event",
            "create event", "create", "new event",
        ],
    )?;
    let named = calendar_phrase(message, from, end);
    let is_event = from > at + 1 || named.is_some();
    if matches!(words.get(at), "add" | "create") && !is_event {
        return None;
    }
    let strength = match is_event {
        true => RequestStrength::Clear,
        false => RequestStrength::Soft,
    };
    let from = words.skip(from, phrases!["called", "about"]);
    let spans = named.as_ref().map(|(span, _)| *span);
    let calendar = named.and_then(|(_, name)| name);
    let (length, rest) = length(message, &without(message, from, end, spans));
    let parsed = match time_and_title(message, &rest, &length) {
        Some(Ok(parsed)) => parsed,
        Some(Err(why)) => return Some((strength, CalendarQuery::Unclear(why))),
        // "put the milk into the fridge" is about no time.
        None if strength == RequestStrength::Soft => return None,
        None => return Some((strength, CalendarQuery::Unclear(UNCLEAR.to_owned()))),
    };
    let event = EventDraft { calendar, ..parsed };
    Some((strength, CalendarQuery::Add(event)))
}

fn too_long() -> String {
    format!("That's too long. Please keep it to {TITLE_CHARS_MAX} characters.")
}

const UNCLEAR: &str = "What shall I put into your calendar, and when? For example “put lunch with Bo on tuesday at 1 in my calendar”.";

/// "in my work calendar", "to the calendar": its words, and the calendar's name.
fn calendar_phrase(
    message: &ParsedMessage,
    from: usize,
    end: usize,
) -> Option<((usize, usize), Option<String>)> {
    let words = &message.words;
    let last = (from..end).rev().find(|at| words.get(*at) == "calendar")?;
    let first = last.saturating_sub(CALENDAR_WORDS_MAX + 2).max(from);
    let begin = (first..last).rev().find(|at| {
        matches!(
            words.get(*at),
            "in" | "into" | "to" | "on" | "onto" | "from" | "of"
        )
    })?;
    let name_from = words.skip_article(begin + 1);
    let name = parsers::original(words, name_from, last);
    Some((
        (begin, last + 1),
        Some(name).filter(|name| !name.is_empty()),
    ))
}

/// The words from `from` to `end` without those of a span, as one text.
fn without(
    message: &ParsedMessage,
    from: usize,
    end: usize,
    span: Option<(usize, usize)>,
) -> String {
    let words = &message.words;
    match span {
        Some((begin, over)) => {
            let before = words.original(from..begin.max(from));
            let after = words.original(over.min(end)..end);
            format!("{} {}", before.trim(), after.trim())
        }
        None => words.original(from..end).to_owned(),
    }
}

/// How long it takes, or from when to when.
enum Length {
    Usual,
    Minutes(i64),
    /// Minutes after midnight.
    Hours(u32, u32),
}

/// The length in a text, and the text without it.
fn length(message: &ParsedMessage, text: &str) -> (Length, String) {
    let context = MessageContext {
        text,
        ..*message.context
    };
    let inner = read_message(&context);
    let (words, end) = (&inner.words, inner.words.len());
    for at in 0..end {
        let found = match words.get(at) {
            "from" | "between" => {
                hours(words, at + 1).map(|(from, to, next)| (Length::Hours(from, to), next))
            }
            "for" => when::read_duration(words, at + 1).and_then(|(spec, next)| {
                let wait = spec.delay.filter(|wait| wait.months == 0)?;
                let minutes = wait.days * DAY_MINUTES + wait.seconds / 60;
                (minutes > 0).then_some((Length::Minutes(minutes), next))
            }),
            _ => None,
        };
        if let Some((length, next)) = found {
            return (length, without(&inner, 0, end, Some((at, next))));
        }
    }
    (Length::Usual, text.to_owned())
}

/// `None`: the message has no time. The error is the reply.
fn time_and_title(
    message: &ParsedMessage,
    text: &str,
    length: &Length,
) -> Option<Result<EventDraft, String>> {
    let context = MessageContext {
        text,
        ..*message.context
    };
    let inner = read_message(&context);
    let end = inner.words.len();
    // The meaning rests on the person's time zone.
    let zone = message.zone();
    let found = planned_time::find(&inner, 0, end, false);
    let title = match &found {
        Some(found) => found.rest(&inner.words, 0, end).join(" "),
        None => parsers::original(&inner.words, 0, end),
    };
    let title = match title.strip_prefix("called ") {
        Some(name) => name.to_owned(),
        None => title,
    };
    let (day, minute) = match (found.map(|found| found.time), length) {
        (Some(Err(why)), _) => return Some(Err(why)),
        (Some(Ok(time)), _) => (time.day, time.minute),
        (None, Length::Hours(..)) => (local_time::date(message.context.now, zone), None),
        (None, _) => return None,
    };
    let (minute, minutes) = match *length {
        Length::Hours(from, to) => (Some(from), i64::from(to) - i64::from(from)),
        Length::Minutes(minutes) => (minute, minutes),
        Length::Usual => (minute, USUAL_MINUTES),
    };
    if title.is_empty() {
        return Some(Err(UNCLEAR.to_owned()));
    }
    if title.chars().count() > TITLE_CHARS_MAX {
        return Some(Err(too_long()));
    }
    Some(Ok(EventDraft {
        title,
        day,
        minute,
        minutes,
        calendar: None,
    }))
}

fn relocate(
    message: &ParsedMessage,
    at: usize,
    end: usize,
) -> Option<(RequestStrength, CalendarQuery)> {
    let words = &message.words;
    let named = calendar_phrase(message, at, end).map(|(span, _)| span);
    let end = named
        .filter(|span| span.1 == end)
        .map_or(end, |span| span.0);
    let (name_end, to) = (at + 1..end).find_map(|link| {
        let is_link = matches!(
            words.get(link),
            "to" | "till" | "until" | "by" | "back" | "forward"
        );
        let to = is_link.then(|| follow_up::read_new_time(words, link..end))?;
        Some((link, to?))
    })?;
    let which = event_name(message, at, name_end)?;
    Some((
        strength(named.is_some()),
        CalendarQuery::Change(EventChangeRequest {
            which: EventRef::Named(which),
            to: Some(to),
            is_explicit: named.is_some(),
        }),
    ))
}

fn delete(
    message: &ParsedMessage,
    at: usize,
    end: usize,
) -> Option<(RequestStrength, CalendarQuery)> {
    let named = calendar_phrase(message, at, end).map(|(span, _)| span);
    let end = named
        .filter(|span| span.1 == end)
        .map_or(end, |span| span.0);
    let which = event_name(message, at, end)?;
    Some((
        strength(named.is_some()),
        CalendarQuery::Change(EventChangeRequest {
            which: EventRef::Named(which),
            to: None,
            is_explicit: named.is_some(),
        }),
    ))
}

fn strength(is_explicit: bool) -> RequestStrength {
    match is_explicit {
        true => RequestStrength::Clear,
        false => RequestStrength::Soft,
    }
}

/// "my lunch with Bo": without the words before it. "it" and numbers name no event.
fn event_name(message: &ParsedMessage, at: usize, end: usize) -> Option<String> {
    let words = &message.words;
    let from = words.skip(at, phrases!["my event", "the event", "my", "the", "our"]);
    let name = parsers::original(words, from, end);
    let is_name = !matches!(
        words.get(from),
        "it" | "that" | "this" | "these" | "those" | "all" | "everything"
    ) && name.chars().any(char::is_alphabetic)
        && end.saturating_sub(from) <= NAME_WORDS_MAX;
    is_name.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assistant::powers::{Power, PowerAction, recognise};
    use crate::clock::Timestamp;

    /// Wednesday, 4 March 2026, 12:00 UTC: 13:00 in Berlin.
    const NOW: Timestamp = Timestamp(1_772_625_600_000);

    fn understood(text: &str) -> Option<(RequestStrength, CalendarQuery)> {
        let context = MessageContext {
            timezone: Some("Europe/Berlin".parse().unwrap()),
            ..MessageContext::direct(text, NOW)
        };
        let calls = recognise(&context);
        let call = calls.of(Power::CalendarQueryAgent)?;
        match &call.action {
            PowerAction::CalendarQueryAgent(query) => Some((call.strength, query.clone())),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn events_are_understood() {
        let cases = [
            (
                "put lunch with Bo on tuesday at 1", "lunch with Bo|2026-03-10|780|60|",
            ),
            (
                "put lunch with Bo on tuesday at 1 in my calendar",
                "lunch with Bo|2026-03-10|780|60|",
            ),
            (
                "please put tea into my work calendar on friday at 4 pm",
                "tea|2026-03-06|960|60|work",
            ),
            (
                "schedule a call with Ana tomorrow at 10:30 for 30 minutes",
                "a call with Ana|2026-03-05|630|30|",
            ),
            (
                "schedule yoga tomorrow from 6 to 8", "yoga|2026-03-05|1080|120|",
            ),
            (
                "add dentist on 12 march at 9 am to my calendar",
                "dentist|2026-03-12|540|60|",
            ),
            (
                "put holiday on friday in my calendar", "holiday|2026-03-06|all day|60|",
            ),
            (
                "create an event called picnic on saturday at noon",
                "picnic|2026-03-07|720|60|",
            ),
        ];
        for (text, expected) in cases {
            let Some((_, CalendarQuery::Add(event))) = understood(text) else {
                panic!("{text}: {:?}", understood(text));
            };
            let minute = event.minute.map_or("all day".to_owned(), |m| m.to_string());
            let found = format!(
                "{}|{}|{minute}|{}|{}",
                event.title,
                event.day,
                event.minutes,
                event.calendar.unwrap_or_default()
            );
            assert_eq!(found, expected, "{text}");
        }
        for text in [
            "put the milk into the fridge", "add milk", "add milk to my shopping list",
            "create a poem", "new shoes", "put on your shoes",
        ] {
            assert_eq!(understood(text), None, "{text}");
        }
    }

    #[test]
    fn events_that_are_meant_are_named() {
        let cases = [
            ("move lunch with Bo to 2", Some("lunch with Bo"), true),
            (
                "reschedule my dentist to friday at 3",
                Some("dentist"),
                true,
            ),
            ("push the standup back by 30 minutes", Some("standup"), true),
            ("delete lunch with Bo", Some("lunch with Bo"), false),
            (
                "remove lunch with Bo from my calendar",
                Some("lunch with Bo"),
                false,
            ),
            ("move it to 2", None, true),
            ("delete it", None, false),
            ("cancel 2", None, false),
        ];
        for (text, expected, moves) in cases {
            let found = understood(text).map(|(_, query)| match query {
                CalendarQuery::Change(EventChangeRequest {
                    which: EventRef::Named(name),
                    to,
                    ..
                }) => (name, to.is_some()),
                other => panic!("{text}: {other:?}"),
            });
            let expected = expected.map(|name| (name.to_owned(), moves));
            assert_eq!(found, expected, "{text}");
        }
    }
}
