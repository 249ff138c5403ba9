//! Reminders before an event whose time is said with it: "an hour before my meeting at 5", "half an
//! hour before 9am to pack".

use std::ops::Range;

use super::REMINDER_CHARS_MAX;
use super::before::{BeforeEvent, first_of_two, is_event, seconds_before};
use super::parts::{after_link, text_of};
use super::repeats::repeats;
use crate::assistant::builtin::follow_up;
use crate::assistant::builtin::{Intent, ParsedMessage, wording};
use crate::assistant::plan::Plan;
use crate::assistant::text::when::{self, TimeExpression};
use crate::assistant::text::words::Words;

/// Words searched.
const WORDS_MAX: usize = 60;

/// A request for a reminder some seconds before a time.
pub(super) struct BeforeTime {
    /// The time of the event.
    spec: TimeExpression,
    seconds: i64,
    /// "my meeting"; "" where only a time is named.
    event: String,
    /// The reminder's text; "" for the event.
    text: String,
    /// "a day and an hour before": another one before the same.
    other: Option<BeforeEvent>,
}

/// `None` when no time of day follows "before".
pub(super) fn read(message: &ParsedMessage, range: Range<usize>) -> Option<BeforeTime> {
    let words = &message.words;
    let end = words.before_courtesy(range.start, range.end);
    if end - range.start > WORDS_MAX || repeats(words, range.clone()) {
        return None;
    }
    let (lead, from, seconds) = (range.start..end).find_map(|at| {
        let (lead, seconds) = seconds_before(words, range.start, at)?;
        Some((lead, at + 1, seconds))
    })?;
    // "an hour before and at 5"
    if matches!(words.get(from), "and" | "or" | "&") {
        return None;
    }
    let (event_end, spec, next) = time_of_event(words, from, end)?;
    let other = first_of_two(words, range.start, end).filter(|(_, link)| link + 1 == lead);
    let other = other.map(|(first, _)| first);
    let before = match &other {
        Some(_) => String::new(),
        None => text_of(words, after_link(words, range.start)..lead),
    };
    let after = text_of(words, after_link(words, next)..end);
    let text = match (before.is_empty(), after.is_empty()) {
        (false, false) => return None,
        // "leave 10 minutes before 5pm" may all be the text.
        (false, true) if event_end == from => return None,
        (false, true) => before,
        _ => after,
    };
    Some(BeforeTime {
        spec,
        seconds,
        event: text_of(words, from..event_end),
        text,
        other,
    })
}

/// The end of the event's words, the time after them, and the first word after the time.
fn time_of_event(words: &Words, from: usize, end: usize) -> Option<(usize, TimeExpression, usize)> {
    let is_time = |(spec, next): &(TimeExpression, usize)| {
        let ends = *next == end || matches!(words.get(*next), "to" | "that" | "about");
        spec.clock.is_some() && spec.delay.is_none() && *next <= end && ends
    };
    let hour = || when::read_hour(words, from).filter(is_time);
    if let Some((spec, next)) = when::read(words, from).filter(is_time).or_else(hour) {
        return Some((from, spec, next));
    }
    if !is_event(words, from, end) {
        return None;
    }
    let (at, spec, next) = (from + 1..end).find_map(|at| {
        let (spec, next) = when::time_at(words, at).filter(is_time)?;
        Some((at, spec, next))
    })?;
    // "before dinner, and at noon to shop"
    let is_another = matches!(words.get(at - 1), "and" | "&" | "then" | "also");
    (!is_another).then_some((at, spec, next))
}

impl BeforeTime {
    /// The text contains the event's time, from which the reminder's time was computed.
    pub(super) fn intent(&self, message: &ParsedMessage) -> Intent {
        let (now, zone) = (message.context.now, message.zone());
        let event_at = match when::resolve(&self.spec, now, zone) {
            Ok(event_at) => event_at,
            Err(problem) => return Intent::Unclear(follow_up::problem(problem)),
        };
        let send_at = event_at.plus_s(-self.seconds);
        let clock = event_at
            .utc()
            .with_timezone(&self.spec.zone.unwrap_or(zone))
            .format("%H:%M");
        let text = match (self.text.as_str(), self.event.as_str()) {
            ("", "") => String::new(),
            ("", event) => format!("{event} at {clock}"),
            (text, "") => text.to_owned(),
            (text, event) => format!("{text} ({event} at {clock})"),
        };
        if text.chars().count() > REMINDER_CHARS_MAX {
            return Intent::Unclear(wording::reminder_too_long(REMINDER_CHARS_MAX));
        }
        let other = self.other.as_ref().map(|other| {
            let event = Plan::at(&text, event_at, zone);
            other.moment(&event, zone, now)
        });
        let is_past = send_at <= now || matches!(other, Some(Err(_)));
        match (!is_past, text.is_empty()) {
            (false, true) => Intent::unclear(wording::REMINDER_PAST),
            (false, false) => Intent::AskWhen {
                reply: wording::REMINDER_PAST.to_owned(),
                text,
                month: None,
            },
            (true, true) => Intent::AskWhat {
                reply: wording::REMINDER_WITHOUT_TEXT.to_owned(),
                send_at,
                recurrence: None,
            },
            (true, false) => {
                let once = |send_at| Intent::Remind {
                    text: text.clone(),
                    send_at,
                    zone: self.spec.zone,
                    recurrence: None,
                };
                match other {
                    Some(Ok(first)) => Intent::Several(vec![once(first), once(send_at)]),
                    _ => once(send_at),
                }
            }
        }
    }
}
