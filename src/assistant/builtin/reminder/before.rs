//! Reminders before an event: "the day before my trip to pack", "an hour before the meeting", "on
//! the morning of Ana's birthday".

mod offsets;
mod on_that_day;
mod without_length;

use std::ops::Range;

use chrono::{Days, Months};

pub(in crate::assistant::builtin) use offsets::other_offset;
pub use offsets::{around_missing_event, is_other_offset, names_offset, with_other_offset};
pub(super) use offsets::{first_of_two, several};
use on_that_day::{EVENING_HOUR, of_part_of_day};
pub(super) use without_length::without_length;

use super::half_understood::has_time_left;
use super::names_nothing;
use super::parts::{after_link, text_of};
use super::task_words::is_task_word;
use crate::assistant::builtin::ParsedMessage;
use crate::assistant::builtin::memory::matching::memory_matches;
use crate::assistant::plan::Plan;
use crate::assistant::text::phrases::phrases;
use crate::assistant::text::when::{self, DAY_HOUR, TimeExpression, amount};
use crate::assistant::text::words::Words;
use crate::clock::{Timestamp, Zone};

/// Words searched for "before".
const WORDS_MAX: usize = 60;
/// Words of an amount ("two and a half hours").
const AMOUNT_WORDS_MAX: usize = 6;
/// Words of a place.
const PLACE_WORDS_MAX: usize = 2;
/// Where the event may end and the text begin.
const READINGS_MAX: usize = 4;

/// Verbs of things that people do before a journey. Sorted.
const DONE: [&str; 70] = [
    "arrange", "ask", "be", "book", "bring", "buy", "call", "cancel", "change", "charge", "check",
    "check-in", "clean", "collect", "confirm", "do", "download", "drive", "drop", "eat", "email",
    "empty", "exchange", "feed", "fill", "find", "finish", "get", "give", "go", "have", "inform",
    "iron", "leave", "lock", "look", "make", "move", "notify", "order", "pack", "pay", "pick",
    "plan", "prepare", "print", "put", "read", "refuel", "renew", "rent", "reserve", "return",
    "say", "send", "set", "sleep", "start", "stop", "take", "tell", "text", "turn", "unpack",
    "visit", "wake", "wash", "water", "withdraw", "write",
];

/// A request for a reminder before an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BeforeEvent {
    /// In "my trip to Lisbon to pack" either "to" may begin the text: the longest event first.
    pub readings: Vec<EventReading>,
    offset: Offset,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventReading {
    /// "my trip to Lisbon"
    pub event: String,
    /// The reminder's text; "" for the event.
    pub text: String,
}

/// How long before the event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Offset {
    /// Calendar days, and the time of that day in hours and minutes.
    Days(u64, (u32, u32)),
    /// Calendar months, and the time of day.
    Months(u32, (u32, u32)),
    Seconds(i64),
}

/// Why there is no moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BeforeProblem {
    /// Only the day of the event is known.
    NoHour,
    Past,
    /// On the day itself, but after it has begun.
    AfterIt,
}

impl BeforeEvent {
    /// The first reading of which events are known, and those events, soonest first; else the
    /// reading that is likeliest, and none.
    pub fn known<'p>(&self, plans: &'p [Plan]) -> (&EventReading, Vec<&'p Plan>) {
        let found = self.readings.iter().find_map(|reading| {
            let events = matching(&reading.event, plans);
            (!events.is_empty()).then_some((reading, events))
        });
        // Two readings at least differ in where the text begins.
        let likeliest = self.readings.get(1).unwrap_or(&self.readings[0]);
        found.unwrap_or((likeliest, Vec::new()))
    }

    /// The reminder's text, where no event is named: "remind me the day before"; "" for the event.
    pub fn text_without_event(&self) -> Option<&str> {
        let first = self.readings.first()?;
        first.event.is_empty().then_some(first.text.as_str())
    }

    /// Whether it is for the day itself, which was named before: "on the day at 8".
    pub fn is_on_that_day(&self) -> bool {
        self.text_without_event().is_some() && matches!(self.offset, Offset::Days(0, _))
    }

    /// Whether an offset, or another time after "and", is left in the text.
    pub(super) fn has_time_left(&self) -> bool {
        self.readings.iter().any(|reading| {
            let has_another = || reading.text.starts_with("and ") && has_time_left(&reading.text);
            // "two days and" of "two days and two hours before"
            let is_open = || reading.text.ends_with(" and") || reading.text.ends_with(" &");
            names_offset(&reading.text) || is_open() || has_another()
        })
    }

    /// With the text that was said apart from the event.
    pub(super) fn with_text(mut self, text: String) -> Self {
        self.readings.truncate(1);
        for reading in &mut self.readings {
            reading.text.clone_from(&text);
        }
        self
    }

    pub(super) fn has_text_over(&self, chars_max: usize) -> bool {
        let mut texts = self.readings.iter().flat_map(|r| [&r.text, &r.event]);
        texts.any(|text| text.chars().count() > chars_max)
    }

    /// When to remind of an event.
    pub fn moment(
        &self,
        event: &Plan,
        zone: Zone,
        now: Timestamp,
    ) -> Result<Timestamp, BeforeProblem> {
        let at = match self.offset {
            Offset::Days(days, (hour, minute)) => {
                let date = event.day.checked_sub_days(Days::new(days));
                date.and_then(|date| when::at_hour(date, hour, minute, zone))
            }
            Offset::Months(months, (hour, minute)) => {
                let date = event.day.checked_sub_months(Months::new(months));
                date.and_then(|date| when::at_hour(date, hour, minute, zone))
            }
            Offset::Seconds(seconds) => {
                event.minute.ok_or(BeforeProblem::NoHour)?;
                event.begins(zone).map(|begins| begins.plus_s(-seconds))
            }
        };
        let at = at.filter(|at| *at > now).ok_or(BeforeProblem::Past)?;
        match event.begins(zone).is_some_and(|begins| at > begins) {
            true => Err(BeforeProblem::AfterIt),
            false => Ok(at),
        }
    }
}

/// The events that the words name: of several with one title the next.
fn matching<'p>(event: &str, plans: &'p [Plan]) -> Vec<&'p Plan> {
    let lower = event.to_lowercase();
    let is_own_birthday = matches!(lower.as_str(), "my birthday" | "my bday");
    let (is_next, bare) = bare(&lower);
    let fits = |plan: &&Plan| match is_own_birthday {
        true => plan.what.eq_ignore_ascii_case("your birthday"),
        false => {
            memory_matches(&format!("{} {}", plan.what, plan.place), &bare)
                || plan.what.to_lowercase().replace(['\'', '’'], "")
                    == bare.replace(['\'', '’'], "")
        }
    };
    let mut found: Vec<&Plan> = plans.iter().filter(fits).collect();
    let is_exact = |plan: &&Plan| plan.what.to_lowercase() == bare;
    if found.iter().any(is_exact) {
        found.retain(is_exact);
    }
    found.sort_by_key(|plan| (plan.day, plan.minute));
    let mut titles: Vec<String> = Vec::new();
    found.retain(|plan| {
        let title = plan.what.to_lowercase();
        let is_new = !titles.contains(&title);
        titles.push(title);
        is_new
    });
    found.truncate(if is_next { 1 } else { found.len() });
    found
}

/// Whether the words ask for the next event, and the words of its name.
fn bare(event: &str) -> (bool, String) {
    let mut is_next = false;
    let mut words: Vec<&str> = Vec::new();
    for word in event.split_whitespace() {
        match word {
            "next" | "upcoming" | "coming" => is_next = true,
            "holiday" | "vacation" | "journey" | "travel" => words.push("trip"),
            "bday" | "b-day" => words.push("birthday"),
            word => words.push(word),
        }
    }
    // "my dentist appointment" may be entered as "dentist".
    let is_kind = |word: &&str| {
        [
            "appointment", "meeting", "event", "visit", "reservation", "booking", "my", "the",
        ]
        .contains(word)
    };
    // "my visa expires"
    let is_verb = matches!(
        words.last(),
        Some(&("expires" | "ends" | "renews" | "starts" | "begins" | "leaves" | "arrives"))
    );
    if is_verb && words.len() > 1 {
        words.pop();
    }
    if words.iter().any(|word| !is_kind(word)) {
        words.retain(|word| !is_kind(word));
    }
    (is_next, words.join(" "))
}

/// "dentist" of "my dentist appointment".
pub fn event_name(words: &str) -> String {
    bare(&words.to_lowercase()).1
}

/// `None` when the words name no event.
pub(super) fn read(message: &ParsedMessage, range: Range<usize>) -> Option<BeforeEvent> {
    let words = &message.words;
    let end = range.end.min(range.start + WORDS_MAX);
    if let Some(found) = before_it(words, range.start..end) {
        return Some(found);
    }
    if let Some(found) = on_that_day::read(words, range.start..end) {
        return Some(found);
    }
    let named = (range.start..end).find_map(|at| {
        let (lead, offset) = offset_before(words, range.start, at)?;
        is_event(words, at + 1, end).then_some((lead, at + 1, offset))
    });
    let (lead, from, offset) =
        named.or_else(|| on_that_day::of_birthday(words, range.start..end))?;
    let hour_at_end = |end: usize| {
        let (spec, at) = when::trailing_time(words, from + 1..end)?;
        (spec.day.is_none() && spec.delay.is_none()).then_some((spec, at))
    };
    // "the day before the trip at 6pm to pack"
    let hour_first = || {
        let mut links = (from + 2..end).filter(|at| words.get(*at) == "to");
        links.find_map(|to| Some((hour_at_end(to)?, to)))
    };
    let (spec, event_end, text_from) = match hour_at_end(end) {
        Some((spec, at)) => (Some(spec), at, None),
        None => match hour_first() {
            Some(((spec, at), to)) => (Some(spec), at, Some(to + 1)),
            None => (None, end, None),
        },
    };
    let begin = after_link(words, range.start);
    let (spec, lead) = match (spec, offset) {
        (None, Offset::Days(..) | Offset::Months(..)) => {
            on_that_day::leading_hour(words, begin..lead)
        }
        (spec, _) => (spec, lead),
    };
    let offset = at_time(offset, spec)?;
    let reading = |event_end: usize, text: String| EventReading {
        event: super::super::subject(words.original(from..event_end)),
        text,
    };
    let before = text_of(words, begin..lead);
    let before = Some(before)
        .filter(|text| !names_nothing(text))
        .unwrap_or_default();
    if let Some(text) = text_from.filter(|_| before.is_empty()) {
        let readings = vec![reading(event_end, text_of(words, text..end))];
        return Some(BeforeEvent { readings, offset });
    }
    let mut readings = vec![reading(event_end, before.clone())];
    if before.is_empty() {
        // "2 buy flowers"
        let is_to = |at: usize| words.get(at) == "2" && is_task_word(words.get(at + 1));
        let links = (from + 1..end)
            .filter(|at| matches!(words.get(*at), "to" | "that" | "about") || is_to(*at));
        // "to water the plants and to lock the cellar" is one text.
        let links = links.filter(|at| {
            !is_destination(words, *at, event_end) && !matches!(words.get(at - 1), "and" | "&")
        });
        let links: Vec<usize> = links.take(READINGS_MAX - 1).collect();
        // A time after the text belongs to the reminder as well.
        let split = |at: &usize| reading(*at, text_of(words, at + 1..event_end));
        readings.extend(links.iter().rev().map(split));
    }
    Some(BeforeEvent { readings, offset })
}

/// At that time of its day. `None`: so many hours before something have none.
fn at_time(offset: Offset, spec: Option<TimeExpression>) -> Option<Offset> {
    Some(match (offset, spec) {
        (offset, None) => offset,
        (Offset::Days(days, time), Some(spec)) => {
            let spec = of_part_of_day(spec, time);
            Offset::Days(days, when::time_of_day(&spec).ok()?)
        }
        (Offset::Months(months, _), Some(spec)) => {
            Offset::Months(months, when::time_of_day(&spec).ok()?)
        }
        (Offset::Seconds(_), Some(_)) => return None,
    })
}

/// Whether "to" after a journey leads to a place, not to what is to be done: "my trip to Paris".
fn is_destination(words: &Words, to: usize, end: usize) -> bool {
    let is_journey = [
        "trip", "flight", "train", "bus", "journey", "holiday", "vacation", "travel", "ride",
    ]
    .contains(&words.get(to - 1));
    let (first, count) = (words.get(to + 1), end.saturating_sub(to + 1));
    let is_name = words
        .original(to + 1..to + 2)
        .starts_with(char::is_uppercase);
    let is_short = count <= PLACE_WORDS_MAX && !is_done(first);
    is_journey && words.get(to) == "to" && (is_name || is_short)
}

/// Whether it is what people do before a journey.
fn is_done(word: &str) -> bool {
    DONE.binary_search(&word).is_ok()
}

/// "of tuesday's game an hour before", "the day before to pack", "two hours before it": the event is
/// named first, or in another sentence.
fn before_it(words: &Words, range: Range<usize>) -> Option<BeforeEvent> {
    let end = match words.get(range.end - 1) {
        "please" | "pls" | "plz" | "thanks" | "too" | "also" => range.end - 1,
        "well" if words.get(range.end - 2) == "as" => range.end - 2,
        _ => range.end,
    };
    let (lead, after, offset) = (range.start..end).find_map(|at| {
        let (lead, offset) = offset_before(words, range.start, at)?;
        let is_it = words.after(at + 1, phrases!["it", "that", "then", "hand"]);
        let is_hour = |at: usize| with_hour(words, at, offset).is_some();
        let after =
            is_it.filter(|after| *after == end || words.get(*after) == "to" || is_hour(*after));
        let after = after.unwrap_or(at + 1);
        let (offset, after) = with_hour(words, after, offset).unwrap_or((offset, after));
        let ends = after == end || words.get(after) == "to" && lead == range.start;
        (words.get(at) == "before" && ends).then_some((lead, after, offset))
    })?;
    let begin = after_link(words, range.start).min(lead);
    let (offset, lead) = match after == end {
        true => on_that_day::with_leading_hour(words, begin..lead, offset)?,
        false => (offset, lead),
    };
    let (event, text) = match words.get(range.start) {
        _ if lead == range.start => (String::new(), text_of(words, after_link(words, after)..end)),
        "of" | "about" | "for" => {
            let event = super::super::subject(words.original(range.start + 1..lead));
            let event = Some(event).filter(|event| !names_nothing(event));
            (event.unwrap_or_default(), String::new())
        }
        _ => {
            let text = text_of(words, after_link(words, range.start)..lead);
            (String::new(), text)
        }
    };
    let readings = vec![EventReading { event, text }];
    Some(BeforeEvent { readings, offset })
}

/// "10 minutes before", "an hour before that too" as a whole message.
pub(in crate::assistant::builtin) fn alone(
    words: &Words,
    range: Range<usize>,
) -> Option<BeforeEvent> {
    let before = words.get(range.end.checked_sub(1)?);
    let may_end = matches!(before, "before" | "it" | "that" | "well" | "too");
    let (lead, offset) = range
        .clone()
        .filter(|_| may_end) // most messages
        .find_map(|at| offset_before(words, range.start, at))?;
    let found = before_it(words, range.clone())?;
    let is_alone = lead == range.start && found.offset == offset;
    (is_alone && found.text_without_event() == Some("")).then_some(found)
}

/// "at 6pm" after "the day before": at that time of the day.
fn with_hour(words: &Words, at: usize, offset: Offset) -> Option<(Offset, usize)> {
    let Offset::Days(days, part) = offset else {
        return None;
    };
    let (spec, end) = when::read(words, at)?;
    let is_hour = spec.day.is_none() && spec.delay.is_none();
    let spec = of_part_of_day(spec, part);
    let time = when::time_of_day(&spec).ok().filter(|_| is_hour)?;
    Some((Offset::Days(days, time), end))
}

/// Whether the words from `at` on may name an event. A time is none, and several at once
/// ("meetings") are a setting of the calendar's reminders.
pub(super) fn is_event(words: &Words, at: usize, end: usize) -> bool {
    let noun = at + usize::from(matches!(words.get(at), "my" | "our" | "the" | "next" | "a"));
    let is_several = matches!(
        words.get(noun),
        "meetings" | "events" | "appointments" | "calls" | "each" | "every" | "any" | "all"
    );
    noun < end
        && !is_several
        && when::read(words, noun).is_none()
        && when::read(words, at).is_none()
}

/// The seconds of "an hour before", whose last word is at `at`, and its first word.
pub(super) fn seconds_before(words: &Words, from: usize, at: usize) -> Option<(usize, i64)> {
    match offset_before(words, from, at)? {
        (lead, Offset::Seconds(seconds)) => Some((lead, seconds)),
        _ => None,
    }
}

/// The offset whose last word is at `at` ("before", "of"), and its first word.
fn offset_before(words: &Words, from: usize, at: usize) -> Option<(usize, Offset)> {
    let part = |name: &str| -> Option<(u32, u32)> {
        Some(match name {
            "day" | "morning" => (DAY_HOUR, 0),
            "afternoon" => (15, 0),
            "evening" => (EVENING_HOUR, 0),
            "night" => (20, 0),
            _ => return None,
        })
    };
    let starts = |start: usize| match start.checked_sub(1) {
        Some(before)
            if before >= from
                && matches!(words.get(before), "on" | "in" | "at")
                && !when::is_particle(words, before) =>
        {
            before
        }
        _ => start,
    };
    let is_before = match words.get(at) {
        "before" => true,
        "of" => false,
        _ => return None,
    };
    let noun = at.checked_sub(1).filter(|noun| *noun >= from)?;
    let article = noun.checked_sub(1).filter(|n| *n >= from);
    let is_the = article.is_some_and(|n| matches!(words.get(n), "the" | "a" | "one" | "1"));
    if let (Some(start), Some(time)) = (article.filter(|_| is_the), part(words.get(noun))) {
        let days = u64::from(is_before);
        let is_fixed = words.get(start) == "the" || words.get(noun) == "day" && is_before;
        return is_fixed.then_some((starts(start), Offset::Days(days, time)));
    }
    if !is_before {
        return None;
    }
    // "remind me day before"
    if noun == from && matches!(words.get(noun), "day" | "night" | "evening") {
        return part(words.get(noun)).map(|time| (noun, Offset::Days(1, time)));
    }
    if let (Some(start), "week") = (article.filter(|_| is_the), words.get(noun)) {
        return Some((starts(start), Offset::Days(7, (DAY_HOUR, 0))));
    }
    (at.saturating_sub(AMOUNT_WORDS_MAX).max(from)..at).find_map(|start| {
        let (delay, end) = amount::delay(words, start, true)?;
        let offset = match (delay.months, delay.days, delay.seconds) {
            (0, days, 0) => Offset::Days(u64::try_from(days).ok()?, (DAY_HOUR, 0)),
            (0, 0, seconds) => Offset::Seconds(seconds),
            (months, 0, 0) => Offset::Months(u32::try_from(months).ok()?, (DAY_HOUR, 0)),
            _ => return None,
        };
        (end == at).then_some((start, offset))
    })
}
