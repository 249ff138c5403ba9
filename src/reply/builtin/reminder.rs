//! Reminders in plain language: setting one, listing them, cancelling them. The time may
//! stand before or after what to remind of. It must not decide whether there is room for
//! another reminder; the store knows.

mod parts;
mod pending;

use std::ops::Range;

use parts::{WORDS_MAX, take_apart};

use super::when::{self, Problem, Spec};
use super::words::Words;
use super::{Intent, Talk, wording};

/// Characters of what a person is reminded of.
pub const REMINDER_CHARS_MAX: usize = 1_000;

const REMIND: [&str; 38] = [
    "remind me again",
    "remind me",
    "remind us",
    "be reminded",
    "i need to be reminded",
    "i want to be reminded",
    "set a reminder",
    "set me a reminder",
    "set up a reminder",
    "set reminder",
    "create a reminder",
    "create reminder",
    "add a reminder",
    "add reminder",
    "make a reminder",
    "make me a reminder",
    "schedule a reminder",
    "give me a reminder",
    "send me a reminder",
    "i need a reminder",
    "i want a reminder",
    "new reminder",
    "a reminder",
    "reminder",
    "dont let me forget",
    "do not let me forget",
    "never let me forget",
    "nudge me",
    "ping me",
    "alert me",
    "notify me",
    "wake me up",
    "wake me",
    "set an alarm",
    "set a timer",
    "set timer",
    "timer",
    "alarm",
];

pub(super) fn command(talk: &Talk) -> Option<Intent> {
    let words = &talk.words;
    let at = talk.start;
    match words.get(at) {
        "list" | "how" | "show" | "what" | "whats" | "which" | "my" | "do" | "reminders"
        | "upcoming" | "all" | "see" | "pending"
            if pending::lists(talk.request()) =>
        {
            Some(Intent::ListReminders)
        }
        "cancel" | "delete" | "remove" | "clear" | "drop" | "stop" | "forget" | "dont" => {
            pending::cancel(talk).or_else(|| set(talk))
        }
        "remind" | "set" | "create" | "add" | "make" | "schedule" | "give" | "be" | "send"
        | "i" | "new" | "a" | "reminder" | "do" | "never" | "nudge" | "ping" | "alert"
        | "notify" | "wake" | "timer" | "alarm" | "remember" => set(talk),
        _ => set_late(talk),
    }
}

/// "tomorrow at 9 remind me to …".
fn set_late(talk: &Talk) -> Option<Intent> {
    let (spec, end) = when::read(&talk.words, talk.start)?;
    let after = talk.words.after(end, &["please"]).unwrap_or(end);
    let body = talk
        .words
        .after(after, &["remind me", "remind us", "wake me up", "wake me"])?;
    let nothing = if talk.words.get(after) == "wake" {
        "wake up"
    } else {
        ""
    };
    Some(reminder(
        talk,
        &Request {
            body,
            lead: Some(spec),
            nothing,
            timer: false,
        },
    ))
}

/// "set a 10 minute timer".
fn timer_first(talk: &Talk) -> Option<Intent> {
    let words = &talk.words;
    let from = words.after(talk.start, &["set a", "set an", "start a", "make a"])?;
    let (spec, end) = when::read_duration(words, from)?;
    let body = words.after(end, &["timer", "reminder", "alarm"])?;
    let nothing = if words.get(end) == "alarm" {
        "alarm"
    } else {
        "timer"
    };
    Some(reminder(
        talk,
        &Request {
            body,
            lead: Some(spec),
            nothing,
            timer: false,
        },
    ))
}

struct Request {
    /// The first word after the command.
    body: usize,
    /// A time said before the command.
    lead: Option<Spec>,
    /// What to remind of when nothing is said ("wake me at 7").
    nothing: &'static str,
    /// "timer for 20 minutes" is a wait.
    timer: bool,
}

fn set(talk: &Talk) -> Option<Intent> {
    let words = &talk.words;
    let at = talk.start;
    if let Some(body) = words.after(at, &["dont forget to", "do not forget to", "remember to"]) {
        // Without a time it is something to remember.
        let said = take_apart(talk, body..words.len(), false);
        return said.spec.map(|spec| finished(talk, &spec, &said.text));
    }
    if let Some(found) = timer_first(talk) {
        return Some(found);
    }
    let body = words.after(at, &REMIND)?;
    let command = words.phrase(at..body);
    let timer = command.ends_with("timer");
    let nothing = match command.as_str() {
        "wake me up" | "wake me" => "wake up",
        _ if timer => "timer",
        _ if command.ends_with("alarm") => "alarm",
        _ => "",
    };
    // The word alone, or talk about alarms, is no wish; the verb is.
    let loose = matches!(
        words.get(at),
        "timer" | "alarm" | "ping" | "alert" | "nudge" | "notify" | "a" | "reminder"
    );
    if loose
        && take_apart(talk, body..words.len(), timer).spec.is_none()
        && words.get(at) != "reminder"
    {
        return None;
    }
    Some(reminder(
        talk,
        &Request {
            body,
            lead: None,
            nothing,
            timer,
        },
    ))
}

fn reminder(talk: &Talk, request: &Request) -> Intent {
    let words = &talk.words;
    let range = request.body..words.len();
    if repeats(words, range.clone()) {
        return Intent::Unclear(wording::reminder_repeats());
    }
    let mut said = take_apart(talk, range, request.timer);
    if let Some(lead) = request.lead {
        said.spec = Some(said.spec.and_then(|spec| spec.merged(lead)).unwrap_or(lead));
    }
    if said.text.is_empty() {
        said.text = request.nothing.to_owned();
    }
    if matches!(request.nothing, "wake up" | "alarm") {
        // Here the small hours are meant.
        if let Some(clock) = said.spec.as_mut().and_then(|spec| spec.clock.as_mut()) {
            clock.bare = false;
        }
    }
    let several =
        said.spec.is_some() && (said.text.starts_with("and ") || said.text.starts_with("or "));
    match said.spec {
        _ if several => Intent::Unclear(wording::reminder_one_time()),
        _ if said.text.chars().count() > REMINDER_CHARS_MAX => {
            Intent::Unclear(wording::reminder_too_long(REMINDER_CHARS_MAX))
        }
        None if said.text.is_empty() => Intent::Unclear(wording::reminder_empty()),
        None => Intent::Unclear(wording::reminder_without_time(&said.text)),
        Some(spec) => finished(talk, &spec, &said.text),
    }
}

fn finished(talk: &Talk, spec: &Spec, text: &str) -> Intent {
    if text.is_empty() {
        return Intent::Unclear(wording::reminder_without_text());
    }
    if text.chars().count() > REMINDER_CHARS_MAX {
        return Intent::Unclear(wording::reminder_too_long(REMINDER_CHARS_MAX));
    }
    match when::resolve(spec, talk.heard.now, talk.zone()) {
        Ok(send_at) => Intent::Remind {
            text: text.to_owned(),
            send_at,
        },
        Err(Problem::Past) => Intent::Unclear(wording::reminder_past()),
        Err(Problem::TooFar) => Intent::Unclear(wording::reminder_too_far(when::YEARS_AHEAD_MAX)),
        Err(Problem::Ambiguous) => Intent::Unclear(wording::reminder_date_ambiguous()),
        Err(Problem::NoSuchTime) => Intent::Unclear(wording::reminder_no_such_time()),
    }
}

/// "every day at 9", "daily": not offered, and not to be taken for once.
fn repeats(words: &Words, range: Range<usize>) -> bool {
    range.clone().take(WORDS_MAX).any(|at| match words.get(at) {
        "every" | "each" => {
            matches!(
                words.get(at + 1),
                "day"
                    | "week"
                    | "month"
                    | "year"
                    | "hour"
                    | "minute"
                    | "morning"
                    | "afternoon"
                    | "evening"
                    | "night"
                    | "weekday"
                    | "weekend"
                    | "other"
                    | "monday"
                    | "tuesday"
                    | "wednesday"
                    | "thursday"
                    | "friday"
                    | "saturday"
                    | "sunday"
            ) || words.get(at + 2).ends_with('s')
                && words.get(at + 1).starts_with(|c: char| c.is_ascii_digit())
        }
        "daily" | "weekly" | "monthly" | "hourly" | "yearly" => {
            at + 1 == range.end || at == range.start
        }
        _ => false,
    })
}
