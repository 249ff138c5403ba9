//! Corrections of one value of the last message: "no, 4 May", "sorry, it's abd", "no, 25".

mod days_span;

use std::ops::Range;

use days_span::days_span;
pub use days_span::names_days_span;
use days_span::with_other_days;

use super::revised_time::{ValueTime, told, whole_time};
use crate::assistant::builtin::settings::is_first_name;
use crate::assistant::builtin::subject;
use crate::assistant::text::corrections::{self, MarkStrength};
use crate::assistant::text::function_words::is_question_word;
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when::{self, Day};
use crate::assistant::text::words::{Words, has_digit};

/// A longer message corrects nothing.
pub(super) const WORDS_MAX: usize = 12;
/// A longer message isn't corrected.
const CORRECTED_WORDS_MAX: usize = 30;

/// Words that correct only numbers: "that was 14".
static STATEMENTS: Phrases = Phrases::new(&[
    "that was", "it was", "that cost", "it cost", "it should be", "that should be", "should be",
    "should have been", "last one was", "the last one was", "last one should be",
    "the last one should be", "the last one cost", "last one cost",
]);

/// Words that change what was said.
static CHANGES: Phrases = Phrases::new(&[
    "change the last one to", "correct that to", "make it", "make that", "change it to",
    "change that to", "move it to", "move that to", "push it to", "reschedule it to",
    "change the time to",
]);

/// Whether the message changes what it calls "it": "make it 8", unlike "no, 8".
pub fn names_it(words: &Words) -> bool {
    words
        .after(words.skip(0, phrases!["please", "ok", "and"]), &CHANGES)
        .is_some()
}

/// The text after "no," or "make it" and the like.
pub fn corrected_value(words: &Words) -> Option<String> {
    if words.len() > WORDS_MAX || words.is_question() {
        return None;
    }
    let stated = || {
        words
            .after(0, &STATEMENTS)
            .filter(|from| from + 1 == words.len() && has_digit(words.get(*from)))
    };
    let changed = || words.after(words.skip(0, phrases!["please", "ok", "and"]), &CHANGES);
    // "8 people", "for 8 people"
    let counted = || {
        let from = words.skip(0, phrases!["for"]);
        people(words, from).filter(|(_, end)| *end == words.len())?;
        Some(from)
    };
    if let Some(value) = marked_at_end(words).or_else(|| told(words)) {
        return Some(value);
    }
    let is_time = |from| whole_time(&Words::new(words.original(from..words.len()))).is_some();
    let mark = corrections::after_mark(words, 0)
        .filter(|(from, strength)| *strength > MarkStrength::BeforeTime || is_time(*from))
        .map(|(from, _)| from);
    let from = mark.or_else(stated).or_else(changed).or_else(counted)?;
    let from = corrections::skip_links(words, from);
    // "make it for 8"
    let is_for_count = words.get(from) == "for" && words.get(from + 1).parse::<u32>().is_ok();
    let from = from + usize::from(is_for_count);
    let end = match words.get(words.len() - 1) {
        "please" | "pls" | "instead" if words.len() > from + 1 => words.len() - 1,
        _ => words.len(),
    };
    let value = subject(words.original(from..end));
    let is_talk = phrases![
        "thanks", "thank", "problem", "worries", "way", "need", "idea", "i", "you", "we", "not",
        "dont", "for", "about", "to"
    ]
    .contains(words.get(from));
    (!value.is_empty() && !is_talk).then_some(value)
}

/// "half past 8" of "at half past 8 sorry", "9 i meant", "it's 9 actually".
fn marked_at_end(words: &Words) -> Option<String> {
    let to = corrections::last_mark(words, 0..words.len())?;
    let value = words.original(corrections::skip_links(words, 0).min(to)..to);
    let new = Words::new(value);
    let is_hour = when::read_hour_alone(&new, 0).is_some_and(|(_, end)| end == new.len());
    (is_hour || whole_time(&new).is_some()).then(|| subject(value))
}

/// Whether words may be the value of what was told: no sentence, no talk, and no time beside
/// something else, as in "5 tomorrow".
pub fn may_be_value(value: &str) -> bool {
    /// How a sentence of its own, or talk, begins.
    const BEGINS: [&str; 49] = [
        "it", "that", "thats", "this", "he", "hes", "she", "shes", "they", "theyre", "him", "her",
        "them", "let", "lets", "wrong", "can", "could", "would", "will", "should", "shall", "do",
        "does", "did", "is", "are", "was", "am", "im", "ill", "id", "never", "cancel", "delete",
        "remove", "forget", "undo", "stop", "add", "ask", "tell", "remind", "maybe", "sure", "yes",
        "please", "nothing", "hold",
    ];
    const VERBS: [&str; 8] = ["is", "are", "was", "were", "isnt", "arent", "wasnt", "has"];
    let words = Words::new(value);
    let has_verb = words.iter().any(|word| VERBS.contains(&word));
    let names_time = (0..words.len()).any(|at| when::read(&words, at).is_some());
    let is_time = whole_time(&words).is_some();
    let begins = BEGINS.contains(&words.get(0)) || is_question_word(words.get(0));
    !begins && !has_verb && (is_time || !names_time)
}

/// The message with that value instead of its own of the same kind: its time, its only number, or
/// what comes after "is". `None`: it is not clear what is replaced.
pub fn with_corrected_value(message: &str, value: &str) -> Option<String> {
    let (words, new) = (Words::new(message), Words::new(value));
    if words.len() > CORRECTED_WORDS_MAX {
        return None;
    }
    if let Some(text) = with_other_person(message, value) {
        return Some(text);
    }
    // One day says nothing of the other.
    if is_day_for_span(message, value) {
        return None;
    }
    if let Some(span) = days_span(&words, 0)
        && let Some(days) = with_other_days(&words, span, &new)
    {
        return days;
    }
    let mut link = "";
    let replaced = match whole_time(&new) {
        Some(value) => match dated(&words, &value) {
            Some(time) => time,
            None => return with_other_kind(&words, &value, new.original(0..new.len())),
        },
        None if people(&new, 0).is_some_and(|(_, end)| end == new.len()) => {
            return with_people(&words, new.original(0..new.len()));
        }
        None if new.len() == 1 && has_digit(new.get(0)) => {
            match only_number(&words, 0..words.len()) {
                Some(number) => number,
                // "at 7 for 4": either may be meant.
                None if numbers_beside_times(&words).next().is_some() => return None,
                // "it was 80" is no hour.
                None if when::read_hour_alone(&new, 0).is_none() => return None,
                None => {
                    let time = dated(&words, &ValueTime::default())?;
                    if words.get(time.start) == "at" {
                        link = "at ";
                    }
                    time
                }
            }
        }
        None => {
            // "level 4" after "is parked on level 3"
            let first = new.get(0);
            let alike = (1..words.len()).rev().find(|at| words.get(*at) == first);
            let ends_in_number =
                |words: &Words| has_digit(words.get(words.len().saturating_sub(1)));
            let are_numbers = ends_in_number(&new) && ends_in_number(&words);
            let alike =
                alike.filter(|at| are_numbers && new.len() > 1 && words.len() - at == new.len());
            let is = alike.map(|at| at - 1).or_else(|| {
                (1..words.len())
                    .rev()
                    .find(|at| matches!(words.get(*at), "is" | "are" | "called" | "named"))
            })?;
            is + 1..words.len()
        }
    };
    let (before, after) = (
        words.original(0..replaced.start),
        words.original(replaced.end..words.len()),
    );
    let text = format!("{before} {link}{value} {after}");
    (!replaced.is_empty() && !before.is_empty()).then(|| text.trim().to_owned())
}

/// The text with another person in place of the only one that it names: "call cy" for "call bo".
pub fn with_other_person(text: &str, person: &str) -> Option<String> {
    let (words, new) = (Words::new(text), Words::new(person));
    if new.len() != 1 || !is_person(new.get(0)) || words.len() > CORRECTED_WORDS_MAX {
        return None;
    }
    let name = |at: usize| {
        let typed = words.original(at..at + 1).to_lowercase();
        let typed = typed.trim_matches(|c: char| !c.is_alphanumeric());
        let owner = typed.strip_suffix("'s").or(typed.strip_suffix("’s"));
        (owner.unwrap_or(typed).to_owned(), owner.is_some())
    };
    let mut people = (0..words.len()).filter(|at| is_person(&name(*at).0));
    let (Some(at), None) = (people.next(), people.next()) else {
        return None;
    };
    let tail = if name(at).1 { "'s" } else { "" };
    let (before, after) = (words.original(0..at), words.original(at + 1..words.len()));
    let text = format!("{before} {person}{tail} {after}");
    Some(text.trim().to_owned())
}

fn is_person(word: &str) -> bool {
    let is_kin = || {
        [
            "mom", "mum", "dad", "grandma", "grandpa", "granny", "auntie", "daddy", "mommy",
        ]
        .contains(&word)
    };
    is_first_name(word) || is_kin()
}

/// The text with one word, or several in a row, in place of others; `None`: it has them not, or more
/// than once.
pub fn reworded(text: &str, old: &str, new: &str) -> Option<String> {
    let (words, old) = (Words::new(text), Words::new(old).phrase(0..usize::MAX));
    let mut found = (0..words.len()).filter_map(|at| Some((at, words.after(at, &[old.as_str()])?)));
    let (Some((at, end)), None) = (found.next(), found.next()) else {
        return None;
    };
    let (before, after) = (words.original(0..at), words.original(end..words.len()));
    let replaced = words.original(at..end);
    let separator = if replaced.ends_with([',', ';', ':']) {
        &replaced[replaced.len() - 1..]
    } else {
        ""
    };
    let text = format!("{before} {new}{separator} {after}");
    Some(text.trim().to_owned())
}

/// Whether the value is one day, and the message names a first and a last one: "no, 10 december"
/// after "from 3 to 7 december".
pub fn is_day_for_span(message: &str, value: &str) -> bool {
    let (words, new) = (Words::new(message), Words::new(value));
    whole_time(&new).is_some_and(|time| time.day.is_some()) && days_span(&words, 0).is_some()
}

/// The only time of a message, or the part of it for which the new one stands: the time of day of
/// "on friday at 8", or its day. A day of a month does not stand for one with its month.
fn dated(words: &Words, value: &ValueTime) -> Option<Range<usize>> {
    let day = value.day;
    let mut found = None;
    let mut at = 0;
    while at < words.len() {
        match when::read(words, at) {
            Some(_) if found.is_some() => return None,
            Some((spec, end)) => {
                let is_whole = !matches!(day, Some(Day::OfMonth(_)))
                    || matches!(spec.day, Some(Day::OfMonth(_)));
                if !is_whole {
                    return None;
                }
                found = Some(match day.is_some() && value.has_clock {
                    true => at..end,
                    false => of_kind(words, at..end, day.is_some())?,
                });
                at = end;
            }
            None => at += 1,
        }
    }
    found
}

/// The words of a time that name its day, or its time of day.
fn of_kind(words: &Words, time: Range<usize>, is_day: bool) -> Option<Range<usize>> {
    let is_one = |part: &Range<usize>| {
        let read = when::read(words, part.start).filter(|(_, end)| *end >= part.end);
        read.is_some_and(|(spec, end)| {
            let is_kind = match is_day {
                true => spec.day.is_some() && spec.clock.is_none(),
                false => spec.day.is_none(),
            };
            end == part.end && is_kind
        })
    };
    let ends = (time.start + 1..time.end).map(|at| at..time.end);
    let mut parts = std::iter::once(time.clone()).chain(ends);
    if let Some(part) = parts.find(is_one) {
        return Some(part);
    }
    // "at 8 on friday": the other kind stands at the end.
    let other = (time.start + 1..time.end).find(|at| {
        let read = when::read(words, *at).filter(|(_, end)| *end == time.end);
        read.is_some_and(|(spec, _)| match is_day {
            true => spec.day.is_none(),
            false => spec.day.is_some() && spec.clock.is_none(),
        })
    });
    // "on friday": its first word alone is no time.
    let is_time = |part: &Range<usize>| whole_time(&Words::new(words.original(part.clone())));
    let part = other.map(|at| time.start..at);
    part.filter(|part| is_time(part).is_some())
}

/// With the time of day where only a day was named, or the other way round.
fn with_other_kind(words: &Words, value: &ValueTime, typed: &str) -> Option<String> {
    let mut at = 0;
    let mut found = None;
    while at < words.len() {
        match when::read(words, at) {
            Some(_) if found.is_some() => return None,
            Some(time) => {
                found = Some(time);
                at = time.1;
            }
            None => at += 1,
        }
    }
    let (spec, end) = found?;
    let is_other = match value.day {
        Some(_) => spec.day.is_none() && spec.clock.is_some() && !value.has_clock,
        None => spec.day.is_some() && spec.lacks_hour() && value.has_clock,
    };
    let (before, after) = (words.original(0..end), words.original(end..words.len()));
    let text = format!("{before} {typed} {after}");
    (is_other && spec.delay.is_none()).then(|| text.trim().to_owned())
}

/// "8 people": the number, and the index after it.
fn people(words: &Words, at: usize) -> Option<(u32, usize)> {
    let number = words.get(at).parse().ok()?;
    static NOUNS: Phrases = Phrases::new(&[
        "people", "persons", "ppl", "guests", "adults", "of us", "pax",
    ]);
    Some((number, words.after(at + 1, &NOUNS)?))
}

/// A booking at some time of day, for so many people.
fn with_people(words: &Words, people_typed: &str) -> Option<String> {
    let counted: Vec<Range<usize>> = numbers_beside_times(words)
        .filter(|at| *at > 0 && words.get(at - 1) == "for" || people(words, *at).is_some())
        .map(|at| at..people(words, at).map_or(at + 1, |(_, end)| end))
        .collect();
    let replaced = match counted.as_slice() {
        [only] => only.clone(),
        [] if dated(words, &ValueTime::default()).is_some() => {
            let text = words.original(0..words.len());
            return Some(format!("{text} for {people_typed}"));
        }
        _ => return None,
    };
    let (before, after) = (
        words.original(0..replaced.start),
        words.original(replaced.end..words.len()),
    );
    Some(format!("{before} {people_typed} {after}").trim().to_owned())
}

/// The hour and the people of "make it 8" after "at 7 for 4": what each reading says. `None`: it can
/// be read in one way only.
pub fn hour_or_people(message: &str, value: &str) -> Option<(String, String)> {
    let number: u32 = value.parse().ok().filter(|n| (1..=24).contains(n))?;
    let words = Words::new(message);
    let other = numbers_beside_times(&words).next()?;
    let counts = words.get(other.checked_sub(1)?) == "for" || people(&words, other).is_some();
    let hour = format!("at {number}");
    let count = format!("{number} people");
    let is_both = counts
        && with_corrected_value(message, &hour).is_some()
        && with_corrected_value(message, &count).is_some();
    is_both.then_some((hour, count))
}

/// The only number within those words.
pub(super) fn only_number(words: &Words, range: Range<usize>) -> Option<Range<usize>> {
    let mut numbers = range.filter(|at| has_digit(words.get(*at)));
    match (numbers.next(), numbers.next()) {
        (Some(at), None) => Some(at..at + 1),
        _ => None,
    }
}

/// Where numbers stand outside of all times.
fn numbers_beside_times<'w>(words: &'w Words<'w>) -> impl Iterator<Item = usize> + 'w {
    let mut time_end = 0;
    (0..words.len()).filter(move |at| {
        if *at >= time_end
            && let Some((_, end)) = when::read(words, *at)
        {
            time_end = end;
        }
        *at >= time_end && has_digit(words.get(*at))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assistant::builtin::words_without_name;

    #[test]
    fn a_word_takes_the_place_of_another() {
        for (text, old, new, expected) in [
            ("call Mom", "mom", "dad", Some("call dad")),
            (
                "call my mom at home",
                "my mom",
                "dad",
                Some("call dad at home"),
            ),
            ("call mom", "bo", "dad", None),
            ("mom and mom", "mom", "dad", None),
        ] {
            assert_eq!(reworded(text, old, new).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn a_value_takes_the_place_of_one_of_its_kind() {
        let cases = [
            (
                "julia's birthday is 5 june", "no, 4 May", "julia's birthday is 4 May",
            ),
            (
                "ana's birthday is on the 3rd of march", "i mean the 4th", "",
            ),
            (
                "the wifi password is abc", "no, it's abd", "the wifi password is abd",
            ),
            (
                "my locker code is 1234", "no, 1243", "my locker code is 1243",
            ),
            ("spent 20 on lunch", "sorry 25", "spent 25 on lunch"),
            (
                "spent 20 on lunch yesterday", "no, 25", "spent 25 on lunch yesterday",
            ),
            ("spent 5 on bus and 12 on lunch", "no, 25", ""),
            ("my boss is Julia", "Juno, no, Julie", "my boss is Julie"),
            (
                "bo's birthday is 5 june", "i meant cy", "cy's birthday is 5 june",
            ),
            ("Bo owes me 20", "no, cy", "cy owes me 20"),
            ("bo and cy owe me 20", "no, dan", ""),
            ("my boss is Julia", "no thanks", ""),
            ("my boss is Julia", "no, is it Julie?", ""),
            (
                "my car is parked on level 3", "no, level 4", "my car is parked on level 4",
            ),
            ("add milk", "no, eggs", ""),
            (
                "dinner at luigi on friday at 8", "make it 9pm", "dinner at luigi on friday 9pm",
            ),
            (
                "dinner at luigi on friday at 8", "make it saturday please",
                "dinner at luigi saturday at 8",
            ),
            (
                "dinner at 8 on friday", "change it to 9pm", "dinner 9pm on friday",
            ),
            (
                "i have an interview tomorrow at 10", "make it 11",
                "i have an interview tomorrow at 11",
            ),
            (
                "dentist on friday at 10", "no, saturday", "dentist saturday at 10",
            ),
            (
                "dentist on dec 14 at 9", "no, dec 15 at 10", "dentist dec 15 at 10",
            ),
            (
                "dentist on dec 14 at 9", "make it 10", "dentist on dec 14 at 10",
            ),
            ("table at luigi's tomorrow at 7 for 4", "make it 8", ""),
            (
                "table at luigi's tomorrow at 7 for 4",
                "make it 8 people",
                "table at luigi's tomorrow at 7 for 8 people",
            ),
            (
                "table for 4 people at luigi's tomorrow at 7",
                "for 6 people",
                "table for 6 people at luigi's tomorrow at 7",
            ),
            (
                "table at luigi's tomorrow at 7",
                "make it for 6 people",
                "table at luigi's tomorrow at 7 for 6 people",
            ),
            ("spent 20 on lunch", "make it 8 people", ""),
            (
                "i have an exam on friday", "it's at 10", "i have an exam on friday at 10",
            ),
            (
                "dinner with bo at 8", "it's on saturday", "dinner with bo at 8 on saturday",
            ),
            (
                "i have an exam on dec 2", "it was moved to dec 4", "i have an exam dec 4",
            ),
            ("i have an exam on dec 2", "it's raining", ""),
            ("i have an exam on dec 2", "it's 10", ""),
            ("", "no, 5", ""),
            (
                "plan a trip to Porto from 4 to 8 january",
                "make it 5 to 9",
                "plan a trip to Porto from 5 to 9 january",
            ),
            (
                "trip to Porto 4-8 jan with bo", "no, 5-9", "trip to Porto 5 to 9 jan with bo",
            ),
            ("trip to Porto from dec 30 to jan 2", "make it 5 to 9", ""),
        ];
        for (said, correction, expected) in cases {
            let value = corrected_value(&words_without_name(correction, "Juno"));
            let text = value.and_then(|value| with_corrected_value(said, &value));
            assert_eq!(text.unwrap_or_default(), expected, "{said}: {correction}");
        }
    }
}
