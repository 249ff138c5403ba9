//! Listing and cancelling open reminders. It sets none.

use super::parts::{WORDS_MAX, after_link};
use crate::assistant::builtin::when::{self, Day, Spec, trailing_time};
use crate::assistant::builtin::words::Words;
use crate::assistant::builtin::{
    Intent, ParsedMessage, RemindersToCancel, Span, agenda, subject, wording,
};

const HALF_DAY_MINUTES: u32 = 12 * 60;

pub(super) fn lists(request: &str) -> bool {
    matches!(
        request,
        "reminders"
            | "next reminder"
            | "my next reminder"
            | "whats my next reminder"
            | "what is my next reminder"
            | "when is my next reminder"
            | "whens my next reminder"
            | "my reminders"
            | "all reminders"
            | "all my reminders"
            | "upcoming reminders"
            | "pending reminders"
            | "list reminders"
            | "list my reminders"
            | "list all reminders"
            | "list all my reminders"
            | "show reminders"
            | "show my reminders"
            | "show me my reminders"
            | "show all reminders"
            | "show all my reminders"
            | "show me all my reminders"
            | "see my reminders"
            | "what reminders do i have"
            | "what reminders have i set"
            | "which reminders do i have"
            | "what are my reminders"
            | "whats on my reminders"
            | "do i have reminders"
            | "do i have any reminders"
            | "what reminders are set"
            | "what reminders are there"
            | "how many reminders do i have"
            | "what will you remind me of"
            | "what will you remind me about"
            | "what did i ask you to remind me of"
            | "what did i ask you to remind me about"
            | "when will you remind me"
            | "whats next"
            | "what is next"
            | "whats coming up"
    )
}

/// "cancel my reminder to …", "cancel all reminders", "cancel the dentist reminder".
pub(super) fn cancel(message: &ParsedMessage) -> Option<Intent> {
    let words = &message.words;
    if let Some(about) = words.after(message.start, &["dont remind me", "stop reminding me"]) {
        return Some(cancelled(
            message,
            after_link(words, about),
            words.len(),
            false,
        ));
    }
    if matches!(words.get(message.start), "dont") {
        return None;
    }
    let at = message.start + 1;
    let whole =
        words.len() == at + 1 && matches!(words.get(at), "it" | "that" | "this" | "everything");
    if words.get(message.start) == "cancel" && message.is_addressed && (words.len() == at || whole)
    {
        return Some(Intent::Unclear(wording::which_reminder()));
    }
    let all = words.after(
        at,
        &[
            "all of my", "all of the", "all my", "all the", "all", "every",
        ],
    );
    let at = all
        .or_else(|| words.after(at, &["my", "the", "that", "this", "a"]))
        .unwrap_or(at);
    let found = (at..words.len().min(at + 8))
        .find(|n| matches!(words.get(*n), "reminder" | "reminders"))?;
    if found > at {
        // "cancel the dentist reminder": the words before "reminder" are the subject.
        if found + 1 < words.len() {
            return None;
        }
        let several = all.is_some() || words.get(found) == "reminders";
        // "this week's reminders"
        let name = words.phrase(at..found);
        let name = name.strip_suffix('s').unwrap_or(&name);
        if let Some(span) = agenda::named_span(message, name) {
            return Some(cancelled_within(span));
        }
        if let Some(spec) = time_before(words, at, found) {
            return Some(cancelled_at(message, &spec, several));
        }
        return Some(Intent::CancelReminders(RemindersToCancel {
            about: Some(subject(words.original(at..found))),
            ..RemindersToCancel::default()
        }));
    }
    let several = all.is_some() || words.get(found) == "reminders";
    Some(cancelled(
        message,
        after_link(words, found + 1),
        words.len(),
        several,
    ))
}

/// "pause my reminders", "resume it": there is no pause without an end.
pub(super) fn paused(message: &ParsedMessage) -> Option<Intent> {
    let words = &message.words;
    let at = message.start + 1;
    let is_meant = (at..words.len().min(at + 6))
        .any(|at| matches!(words.get(at), "reminder" | "reminders" | "alarm" | "alarms"));
    let is_it = words.len() == at + 1 && matches!(words.get(at), "it" | "that" | "this");
    (message.is_addressed && (is_meant || is_it))
        .then(|| Intent::Unclear(wording::reminders_not_paused()))
}

fn cancelled(message: &ParsedMessage, from: usize, end: usize, several: bool) -> Intent {
    let mut end = end;
    while end > from
        && matches!(
            message.words.get(end - 1),
            "please" | "pls" | "thanks" | "now" | "anymore"
        )
    {
        end -= 1;
    }
    // "cancel all reminders this week"
    let at = message
        .words
        .after(from, &["for", "in", "on"])
        .unwrap_or(from);
    let is_about = matches!(
        message.words.get(at.saturating_sub(1)),
        "to" | "that" | "about" | "of" | "titled" | "called"
    );
    if let Some(span) = agenda::span(message, at..end).filter(|_| !is_about) {
        return cancelled_within(span);
    }
    // "cancel all reminders for tomorrow": those of one day.
    if let Some((spec, _)) = when::read(&message.words, from).filter(|(_, next)| *next == end)
        && (spec.day.is_some() || spec.clock.is_some())
    {
        return cancelled_at(message, &spec, several || spec.clock.is_none());
    }
    // A time isn't part of a reminder's text: "… to call mom tomorrow".
    if end - from <= WORDS_MAX
        && let Some((_, at)) = trailing_time(&message.words, from..end).filter(|(_, at)| *at > from)
    {
        end = at;
    }
    let about = subject(message.words.original(from..end));
    match (about.is_empty(), several) {
        (false, _) => Intent::CancelReminders(RemindersToCancel {
            about: Some(about),
            ..RemindersToCancel::default()
        }),
        (true, true) => Intent::CancelReminders(RemindersToCancel {
            several,
            ..RemindersToCancel::default()
        }),
        (true, false) => Intent::Unclear(wording::which_reminder()),
    }
}

fn cancelled_within(span: Span) -> Intent {
    Intent::CancelReminders(RemindersToCancel {
        on: Some(span.range),
        several: true,
        ..RemindersToCancel::default()
    })
}

/// The time before "reminder": "my 7pm reminder", "tomorrow's reminders".
fn time_before(words: &Words, at: usize, end: usize) -> Option<Spec> {
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
        return Some(Spec {
            day: Some(day),
            ..Spec::default()
        });
    }
    let found = when::read(words, at).filter(|(_, next)| *next == end);
    let found = found.or_else(|| when::read_hour_alone(words, at));
    let (spec, next) = found?;
    let is_time = spec.wait.is_none() && (spec.day.is_some() || spec.clock.is_some());
    (next == end && is_time).then_some(spec)
}

/// Those of a day, at a time of day, or both. A bare hour is that of either half of the day.
fn cancelled_at(message: &ParsedMessage, spec: &Spec, several: bool) -> Intent {
    let day = Spec {
        day: spec.day,
        ..Spec::default()
    };
    let on = when::day_of(&day, message.context.now, message.zone());
    let of_clock = |spec: &Spec| when::time_of_day(spec).map(|(hour, minute)| hour * 60 + minute);
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
        (Err(_), _, _) | (_, None, Some(_)) => Intent::Unclear(wording::reminder_no_such_time()),
        (Ok(minutes), on, _) => Intent::CancelReminders(RemindersToCancel {
            about: None,
            on,
            minutes,
            several,
        }),
    }
}
