//! Reminders in plain language: setting, listing and cancelling. The time may be before or after
//! the text. Whether there is room for another reminder is decided by the store.

mod answer;
pub(super) mod before;
mod before_event;
mod before_request;
mod before_time;
mod cancelling;
mod correction;
mod day_in_text;
mod event_with_reminder;
mod half_hour;
mod half_understood;
mod later;
mod led_by_times;
mod no_thing;
mod parts;
mod pending;
mod recurring;
pub(in crate::assistant) mod repeats;
mod several_times;
mod spans;
mod spoken_of;
mod task_words;
mod telling;
mod timers;
mod two_things;
mod unread_words;
mod vague;
mod waking;
mod who;
mod zones;

use std::ops::Range;

pub(super) use answer::{answered_text, may_answer, text_alone};
use before_request::{after_talk, asks_why, parsed_request};
pub use cancelling::CANCEL as REMINDER_TO_CANCEL;
use correction::CorrectedTime;
use half_understood::{
    begins_with_hour, has_second_day, has_time_left, is_half_read, names_day_of_another,
};
pub(in crate::assistant) use later::counts_from_another;
use no_thing::names_nothing;
pub(super) use parts::split_words;
pub(in crate::assistant) use parts::without_courtesies;
use parts::{split_request, text_of};
use recurring::{recurring, repeated};
use repeats::repeats;
use several_times::{at_several_times, each_with_text, each_with_time};
pub(super) use spoken_of::spoken_of;
pub(in crate::assistant) use task_words::is_task_word;
use task_words::not_to_forget;
use timers::{often_first, timer_first};
use two_things::{day_for_both, two};
use waking::{WAKE_UP, is_early, is_waking};
use who::{everyone_here, somebody_else};

use super::follow_up;
use super::memory::matching::memory_matches;
use super::{Intent, ParsedMessage, wording};
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when::{self, TimeExpression};
use crate::assistant::text::words::Words;

/// Limit of a reminder's text in characters.
pub const REMINDER_CHARS_MAX: usize = 1_000;

/// Before the answer to the question what to remind of, and when.
pub const ANYTHING_TO_REMIND: &str = "remind me ";
/// Words of a time before "remind me".
const BEFORE_WORDS_MAX: usize = 12;

static REMIND: Phrases = Phrases::new(&[
    "remind me again", "remind me", "remind us", "be reminded", "i need to be reminded",
    "i want to be reminded", "set a reminder", "set me a reminder", "set up a reminder",
    "set reminder", "create a reminder", "create reminder", "add a reminder", "add reminder",
    "make a reminder", "make me a reminder", "schedule a reminder", "give me a reminder",
    "send me a reminder", "i need a reminder", "i want a reminder", "new reminder", "a reminder",
    "reminder", "dont let me forget", "do not let me forget", "never let me forget", "nudge me",
    "ping me", "alert me", "notify me", "wake me up", "wake me", "set an alarm", "set alarm",
    "set alarms", "set my alarms", "set a timer", "set timer", "add an alarm", "add alarm",
    "add a timer", "add timer", "create an alarm", "make an alarm", "create a timer",
    "set up an alarm", "set up a timer", "put an alarm on", "put on an alarm", "start a timer",
    "poke me", "timer", "alarm",
]);

static NOT_TO_FORGET: Phrases = Phrases::new(&[
    "dont forget to", "do not forget to", "remember to", "help me remember to",
    "help me to remember to",
]);

pub(super) fn command(message: &ParsedMessage) -> Option<Intent> {
    match message.words.get(message.start) {
        "list" | "how" | "show" | "what" | "whats" | "when" | "whens" | "next" | "which" | "my"
        | "do" | "reminders" | "upcoming" | "all" | "see" | "pending"
            if pending::lists(message.request()) =>
        {
            Some(Intent::ListReminders)
        }
        "pause" | "resume" | "unpause" | "mute" | "suspend" => pending::paused(message),
        "cancel" | "delete" | "remove" | "clear" | "drop" | "stop" | "forget" | "dont" => {
            cancelling::cancel(message).or_else(|| set(message))
        }
        "remind" | "set" | "create" | "add" | "make" | "schedule" | "give" | "be" | "send"
        | "new" | "a" | "reminder" | "do" | "never" | "nudge" | "ping" | "alert" | "notify"
        | "wake" | "timer" | "alarm" | "remember" | "put" | "start" | "poke" | "help" => {
            set(message)
        }
        "i" => set(message).or_else(|| set_late(message)),
        "tell" | "text" | "message" | "write" => telling::tell(message),
        // "10 min timer"
        word if word.starts_with(|c: char| c.is_ascii_digit()) => {
            timer_first(message).or_else(|| set_late(message))
        }
        _ => pending::came(message).or_else(|| set_late(message)),
    }
}

/// "tomorrow at 9 remind me to …".
fn set_late(message: &ParsedMessage) -> Option<Intent> {
    // A cheap check first: parsing a time costs more, and most messages aren't reminders.
    if !message
        .words
        .iter()
        .any(|word| matches!(word, "remind" | "wake"))
    {
        return None;
    }
    if asks_why(message) {
        return None;
    }
    if let Some(found) = led_by_times::read(message) {
        return Some(found);
    }
    let late = phrases!["remind me", "remind us", "wake me up", "wake me"];
    let Some((spec, end)) = when::read(&message.words, message.start) else {
        // "on mondays at 9 remind me to …".
        let before = (message.start..message.words.len().min(message.start + BEFORE_WORDS_MAX))
            .find(|at| message.words.after(*at, late).is_some())?;
        let body = message.words.after(before, late)?;
        if let Some(found) = event_with_reminder::read(message, before, body) {
            return Some(found);
        }
        if let Some(found) = after_talk(message, before, body) {
            return Some(found);
        }
        let text = parts::after_link(&message.words, body);
        let text = text_of(&message.words, text..message.words.len());
        let left = Words::new(&text);
        if repeats(&left, 0..left.len()) || has_time_left(&text) {
            return Some(Intent::Unclear(wording::reminder_half_understood(&text)));
        }
        if let Some(event) = before::read(message, message.start..before) {
            return Some(Intent::RemindBefore(event.with_text(text)));
        }
        if !repeats(&message.words, message.start..before) {
            return None;
        }
        let found = repeats::read(&message.words, message.start).filter(|(_, end)| *end == before);
        return Some(match found {
            Some((repeat, _)) => recurring(message, &repeat, &text),
            None => Intent::unclear(wording::REMINDER_REPEATS_UNCLEAR),
        });
    };
    let after = message.words.skip(end, phrases!["please"]);
    let body = message.words.after(after, late)?;
    let nothing = match message.words.get(after) {
        "wake" => WAKE_UP,
        _ => "",
    };
    Some(reminder(
        message,
        &ReminderText {
            body,
            lead: Some(spec),
            nothing,
            timer: false,
        },
    ))
}

struct ReminderText {
    /// The first word after the command.
    body: usize,
    /// A time before the command.
    lead: Option<TimeExpression>,
    /// The text when none is given ("wake me at 7").
    nothing: &'static str,
    /// "timer for 20 minutes" is a duration.
    timer: bool,
}

fn set(message: &ParsedMessage) -> Option<Intent> {
    let words = &message.words;
    let at = message.start;
    let named = words.after(at, &NOT_TO_FORGET);
    if let Some(body) = named.or_else(|| not_to_forget(words, at)) {
        // Without a time it is a memory.
        let parsed = split_request(message, body..words.len(), false);
        let request = ReminderText {
            body,
            lead: None,
            nothing: "",
            timer: false,
        };
        return parsed.spec.map(|_| reminder(message, &request));
    }
    // "remember me at 5 to call" is meant like "remind me".
    if let Some(body) = words.after(at, phrases!["remember me"]) {
        let is_request = words.get(body) == "to"
            || split_request(message, body..words.len(), false)
                .spec
                .is_some();
        let request = ReminderText {
            body,
            lead: None,
            nothing: "",
            timer: false,
        };
        return is_request.then(|| reminder(message, &request));
    }
    if let Some(found) = timer_first(message).or_else(|| often_first(message)) {
        return Some(found);
    }
    let body = everyone_here(message).or_else(|| words.after(at, &REMIND));
    let Some(body) = body else {
        return somebody_else(message);
    };
    let command = words.phrase(at..body);
    let timer = command.ends_with("timer");
    let nothing = match command.as_str() {
        "wake me up" | "wake me" => WAKE_UP,
        _ if timer => "timer",
        _ if command.ends_with("alarm") || command.ends_with("alarms") => "alarm",
        _ => "",
    };
    if let Some(request) = at_hour_alone(words, body, nothing) {
        return Some(reminder(message, &request));
    }
    // The word alone, or talk about alarms, is no request; the verb is.
    let loose = matches!(
        words.get(at),
        "timer" | "alarm" | "ping" | "alert" | "nudge" | "notify" | "a" | "reminder"
    );
    // "alarm went off at 3"
    let is_told = spoken_of::is_past(words.get(body));
    let spec = || split_request(message, body..words.len(), timer).spec;
    if loose && (is_told || words.get(at) != "reminder" && spec().is_none()) {
        return None;
    }
    Some(reminder(
        message,
        &ReminderText {
            body,
            lead: None,
            nothing,
            timer,
        },
    ))
}

/// "alarm 7": an hour and nothing else.
fn at_hour_alone(words: &Words, body: usize, nothing: &'static str) -> Option<ReminderText> {
    let is_alarm = matches!(nothing, "alarm" | WAKE_UP);
    let (hour, end) = when::read_hour_alone(words, body).filter(|_| is_alarm)?;
    let is_whole = end == without_courtesies(words, body..words.len());
    is_whole.then_some(ReminderText {
        body: end,
        lead: Some(hour),
        nothing,
        timer: false,
    })
}

/// Reads reminders other than one text at one time: corrected, before an event, repeating, or at
/// several times.
fn other_than_once(
    message: &ParsedMessage,
    range: &Range<usize>,
    request: &ReminderText,
) -> Option<Intent> {
    let is_led = request.lead.is_some();
    let hour = half_hour::of_day(&message.words, range.clone()).filter(|_| !is_led);
    if let Some(hour) = hour {
        return Some(finished(message, &hour, request.nothing));
    }
    let asked = half_hour::asked(&message.words, range.clone(), request);
    if let Some(asked) = asked.or_else(|| vague::sometimes(&message.words, range.start)) {
        return Some(asked);
    }
    if !is_led && let Some(found) = corrected_or_before(message, range.clone(), request.timer) {
        return Some(found);
    }
    if repeats(&message.words, range.clone())
        && let Some(found) = repeated(message, range.clone(), request)
    {
        return Some(found);
    }
    if is_led {
        return None;
    }
    later::read(message, range.clone())
        .or_else(|| day_for_both(message, range.clone()))
        .or_else(|| each_with_text(message, range.clone()))
        .or_else(|| at_several_times(message, range.clone(), request.nothing))
}

fn reminder(message: &ParsedMessage, request: &ReminderText) -> Intent {
    let words = &message.words;
    let range = parts::of_body(words, request.body);
    if let Some(found) = other_than_once(message, &range, request) {
        return found;
    }
    let mut parsed = zones::taken(parsed_request(message, range.clone(), request), words);
    if names_nothing(&parsed.text) || parsed.text.is_empty() {
        parsed.text = request.nothing.to_owned();
    }
    parsed.text = request.with_purpose(parsed.text, words);
    waking::take_morning(message, &mut parsed);
    let asked = vague::hour_of_occasion(message, &parsed);
    if let Some(asked) = asked.or_else(|| before::without_length(words, &range, &parsed)) {
        return asked;
    }
    // "the whole next week at 8 to take pills"
    let unread = ["and ", "or ", "the whole to ", "this and to "];
    // "at 5 (van) and 6 (soundcheck)"
    let bracketed = parsed.text.starts_with('(') && parsed.text.matches('(').count() > 1;
    let several = parsed.spec.is_some()
        && (bracketed || unread.iter().any(|begin| parsed.text.starts_with(begin)));
    match parsed.spec {
        Some(_) if is_half_read(words, range.clone()) || has_second_day(words, range.clone()) => {
            Intent::Unclear(wording::reminder_half_understood(&parsed.text))
        }
        _ if several => Intent::unclear(wording::REMINDER_ONE_TIME),
        _ if parsed.text.chars().count() > REMINDER_CHARS_MAX => {
            Intent::Unclear(wording::reminder_too_long(REMINDER_CHARS_MAX))
        }
        Some(_) if !parsed.is_clause && has_time_left(&parsed.text) => {
            let several = match request.lead {
                None => each_with_time(message, range.clone()).or_else(|| two(message, range)),
                Some(_) => None,
            };
            several
                .unwrap_or_else(|| Intent::Unclear(wording::reminder_half_understood(&parsed.text)))
        }
        Some(spec)
            if request.lead.is_none()
                && is_of_either_day(words, range.clone(), &spec, &parsed.text) =>
        {
            Intent::AskWhen {
                reply: wording::reminder_day_unsure(&parsed.text),
                text: parsed.text,
                month: None,
            }
        }
        Some(spec) if spec.lacks_hour() && !parsed.is_clause && begins_with_hour(&parsed.text) => {
            Intent::Unclear(wording::reminder_half_understood(&parsed.text))
        }
        None if parsed.text.is_empty() => Intent::AskRest {
            reply: wording::REMINDER_EMPTY.to_owned(),
            before: ANYTHING_TO_REMIND.to_owned(),
            after: String::new(),
        },
        None if parsed.is_clause => Intent::AskWhen {
            reply: wording::reminder_without_time(&parsed.text),
            text: parsed.text,
            month: None,
        },
        None => unread_words::without_time(
            parsed.text,
            unread_words::begins_with_text(words, range.start),
        ),
        Some(spec) => unread_words::of_request(message, range, &parsed)
            .unwrap_or_else(|| finished(message, &spec, &parsed.text)),
    }
}

/// "at 5, I mean 6, to call", "the day before my trip to pack".
fn corrected_or_before(
    message: &ParsedMessage,
    range: Range<usize>,
    timer: bool,
) -> Option<Intent> {
    if let Some(found) = correction::read(&message.words, range.clone()) {
        return Some(corrected(message, range, &found));
    }
    (!timer)
        .then(|| before_event::read(message, range))
        .flatten()
}

fn corrected(message: &ParsedMessage, range: Range<usize>, found: &CorrectedTime) -> Intent {
    let (text, spec) = correction::merged(found);
    let is_clear = !has_time_left(&text) && !repeats(&message.words, range);
    match spec.filter(|_| is_clear) {
        Some(spec) => finished(message, &spec, &text),
        None => Intent::Unclear(wording::reminder_half_understood(&text)),
    }
}

/// Whether a reminder is about something: by its words, or as an alarm that wakes somebody.
pub fn reminder_matches(text: &str, about: &str) -> bool {
    let is_alarm = matches!(
        about.to_lowercase().as_str(),
        "alarm" | "alarms" | "wake-up" | "wakeup" | "wake-up alarm"
    );
    memory_matches(text, about) || is_alarm && is_waking(text)
}

/// Whether a time of day follows another's day: "friday's exam at 8".
fn is_of_either_day(words: &Words, range: Range<usize>, spec: &TimeExpression, text: &str) -> bool {
    spec.day.is_none()
        && spec.clock.is_some()
        && names_day_of_another(text)
        && when::trailing_time(words, range).is_some()
}

/// The request for a reminder with this text at the time of `spec`.
fn finished(message: &ParsedMessage, spec: &TimeExpression, text: &str) -> Intent {
    if text.chars().count() > REMINDER_CHARS_MAX {
        return Intent::Unclear(wording::reminder_too_long(REMINDER_CHARS_MAX));
    }
    let text = if names_nothing(text) { "" } else { text };
    match when::resolve(spec, message.context.now, message.zone()) {
        Ok(send_at) if text.is_empty() => Intent::AskWhat {
            reply: wording::REMINDER_WITHOUT_TEXT.to_owned(),
            send_at,
            recurrence: None,
        },
        Ok(send_at) => Intent::Remind {
            text: text.to_owned(),
            send_at,
            zone: spec.zone,
            recurrence: None,
        },
        Err(problem) if text.is_empty() => Intent::Unclear(follow_up::problem(problem)),
        Err(problem) => Intent::AskWhen {
            reply: follow_up::problem(problem),
            text: text.to_owned(),
            month: None,
        },
    }
}
