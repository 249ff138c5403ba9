//! The person's settings: name and time zone.

mod first_names;

use std::ops::Range;

use super::{Intent, ParsedMessage, subject, wording};
use crate::assistant::text::corrections::{self, MarkStrength};
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::words::Words;
use crate::assistant::text::zone;
use crate::clock::Zone;
pub(in crate::assistant) use first_names::is_first_name;

/// Characters in a name.
pub const NAME_CHARS_MAX: usize = 64;

/// Before the answers to the questions for the time zone and for the name.
pub const TIME_ZONE_IS: &str = "my time zone is ";
pub const NAME_IS: &str = "my name is ";

/// Words in a name.
const NAME_WORDS_MAX: usize = 4;

pub(super) fn command(message: &ParsedMessage) -> Option<Intent> {
    match message.words.get(message.start) {
        "my" | "set" | "change" | "use" | "timezone" | "time" | "im" | "i" | "switch"
        | "update" => timezone(message)
            .or_else(|| name(message))
            .or_else(|| introduction(message)),
        "call" | "you" | "name" => name(message),
        _ => None,
    }
}

fn timezone(message: &ParsedMessage) -> Option<Intent> {
    let words = &message.words;
    let stated = words.skip(
        message.start,
        phrases!["set", "change", "use", "switch", "update"],
    );
    let stated = words.skip_article(stated);
    let place = match words.after(stated, phrases!["timezone", "time zone"]) {
        Some(next) => next,
        None => return resident(message),
    };
    let place = words.skip(place, phrases!["is now", "is", "to", "as"]);
    let place = words.skip(place, phrases!["in"]);
    let phrase = subject(words.original(place..words.len()));
    if phrase.is_empty() {
        let asked = || Intent::AskRest {
            reply: wording::timezone_unclear(""),
            before: TIME_ZONE_IS.to_owned(),
            after: String::new(),
        };
        return (place > stated && message.is_addressed).then(asked);
    }
    Some(zone::find(&phrase).map_or_else(
        || Intent::Unclear(wording::timezone_unclear(&phrase)),
        Intent::SetTimezone,
    ))
}

/// "I live in Berlin", "I'm in Tokyo": only with a known place.
fn resident(message: &ParsedMessage) -> Option<Intent> {
    let words = &message.words;
    let from = words.after(
        message.start,
        phrases![
            "i live in", "im in", "i am in", "im now in", "i am now in", "im living in",
            "i moved to", "im based in",
        ],
    )?;
    let end = words.len();
    let end = if words.get(end - 1) == "now" {
        end - 1
    } else {
        end
    };
    if end > from + NAME_WORDS_MAX {
        return None;
    }
    known_place(&subject(words.original(from..end))).map(Intent::SetTimezone)
}

/// Short forms ("im in pm", "I'm in est") are often ordinary words.
fn known_place(phrase: &str) -> Option<Zone> {
    if phrase.chars().count() > 3 {
        zone::find(phrase)
    } else {
        None
    }
}

fn name(message: &ParsedMessage) -> Option<Intent> {
    let words = &message.words;
    let from = words.after(
        message.start,
        phrases![
            "my name is", "my names", "set my name to", "change my name to", "update my name to",
            "you can call me", "you may call me", "call me", "name is", "im called", "i am called",
        ],
    )?;
    let called = words.get(from - 1) == "me";
    let from = corrected_from(words, from);
    if called && is_appointment(words.get(from)) {
        return None;
    }
    let mut end = words.len();
    while end > from && matches!(words.get(end - 1), "please" | "pls" | "thanks" | "now") {
        end -= 1;
    }
    // "My name is Ana, what can you do?": the name ends with the clause.
    end = (from..end)
        .find(|at| words.is_set_off(*at) && !is_shortened(words.get(*at)))
        .map_or(end, |at| at + 1);
    end = (from + 1..end)
        .find(|at| {
            words.get(*at) == "and" && matches!(words.get(at + 1), "i" | "im" | "ive" | "my")
        })
        .unwrap_or(end);
    // "kim and slept badly"
    let is_name = |at: usize| {
        is_first_name(words.get(at)) || words.original(at..at + 1).starts_with(char::is_uppercase)
    };
    let rest = (from + 1..end).find(|at| words.get(*at) == "and" && !is_name(at + 1));
    // "Tom not Tim"
    let not = (from + 1..end).find(|at| words.get(*at) == "not");
    let named_end = rest.or(not).unwrap_or(end);
    let rest = rest.map(|and| words.original(and + 1..end));
    let end = named_end;
    let name = subject(words.original(from..end));
    let is_name = end <= from + NAME_WORDS_MAX
        && name.chars().count() <= NAME_CHARS_MAX
        && name.chars().any(char::is_alphabetic)
        && !name
            .chars()
            .any(|c| c.is_control() || matches!(c, '<' | '>' | '/' | '\\' | '{' | '}'));
    if !called && tells_no_name(words, from..end) {
        return Some(Intent::unclear(wording::NAME_LEFT));
    }
    match is_name {
        true => Some(match rest {
            Some(rest) => Intent::Several(vec![
                Intent::SetName(name),
                Intent::Unclear(wording::part_not_understood(rest)),
            ]),
            None => Intent::SetName(name),
        }),
        false if called => None,
        false if name.is_empty() => Some(Intent::AskRest {
            reply: wording::name_unclear(NAME_CHARS_MAX),
            before: NAME_IS.to_owned(),
            after: String::new(),
        }),
        false => Some(Intent::Unclear(wording::name_unclear(NAME_CHARS_MAX))),
    }
}

/// Where the name begins that is meant in the end: "Anna, no wait, Ana", "anna no ana".
fn corrected_from(words: &Words, from: usize) -> usize {
    let is_name = |at: usize| {
        let is_capital = words.original(at..at + 1).starts_with(char::is_uppercase);
        words.len() <= at + 2 && (is_capital || is_first_name(words.get(at)))
    };
    let after = |at: usize| {
        let (end, strength) = corrections::after_mark(words, at)?;
        let next = corrections::skip_links(words, end);
        (strength > MarkStrength::BeforeTime && is_name(next)).then_some(next)
    };
    let mut starts = from + 1..words.len();
    starts.find_map(after).unwrap_or(from)
}

/// "I'm Ana", "i am ana silva": only with a common first name, and nothing else in that clause.
fn introduction(message: &ParsedMessage) -> Option<Intent> {
    let words = &message.words;
    let from = words.after(message.start, phrases!["im", "i am"])?;
    let from = match is_first_name(words.get(from)) {
        true => corrected_from(words, from),
        false => from,
    };
    if words.is_question() || !message.is_addressed || !is_first_name(words.get(from)) {
        return None;
    }
    let is_surname = |at: &usize| words.original(*at..*at + 1).starts_with(char::is_uppercase);
    let mut end = from + 1;
    while end < words.len() && end < from + NAME_WORDS_MAX && !words.is_set_off(end - 1) {
        if !is_surname(&end) {
            break;
        }
        end += 1;
    }
    static GOES_ON: Phrases = Phrases::new(&[
        "and", "but", "btw", "by the way", "nice to meet you", "please", "thanks", "here",
    ]);
    let is_whole =
        end == words.len() || words.is_set_off(end - 1) || words.after(end, &GOES_ON).is_some();
    is_whole.then(|| Intent::SetName(subject(words.original(from..end))))
}

/// "Dr.", "J.": a name goes on after it.
fn is_shortened(word: &str) -> bool {
    let is_title = matches!(
        word,
        "dr" | "mr" | "mrs" | "ms" | "prof" | "st" | "fr" | "sr"
    );
    is_title || word.chars().count() == 1
}

/// Whether the words after "my name is" tell no name: "not Ana", "none of your business", "on the
/// door". Names begin with a capital letter there.
fn tells_no_name(words: &Words, range: Range<usize>) -> bool {
    let typed = words.original(range.start..range.end);
    if typed.starts_with(char::is_uppercase) {
        return false;
    }
    match words.get(range.start) {
        "not" | "none" | "nothing" | "nobody" | "never" | "neither" | "still" | "already"
        | "always" | "actually" | "unknown" | "secret" | "private" | "confidential"
        | "classified" | "irrelevant" | "unimportant" | "important" | "wrong" | "right"
        | "correct" | "incorrect" | "different" | "misspelled" | "misspelt" | "spelled"
        | "spelt" | "written" | "pronounced" | "what" | "whatever" | "something" | "anything"
        | "changed" | "changing" | "gone" => true,
        // "An" and "My" are names.
        "no" | "a" | "an" | "the" | "my" | "your" | "his" | "her" | "their" | "on" | "in"
        | "at" | "for" | "of" | "too" | "very" | "so" | "only" | "hard" | "easy" | "known"
        | "also" | "now" | "being" | "going" | "it" | "that" | "who" | "how" => range.len() > 1,
        _ => false,
    }
}

/// Words after "call me" when a phone call is meant.
fn is_appointment(word: &str) -> bool {
    [
        "", "later", "tomorrow", "today", "tonight", "back", "when", "at", "in", "on", "if",
        "asap", "now", "maybe", "a", "an", "the", "crazy", "anytime", "after", "before", "please",
        "again", "soon", "once", "whenever", "by", "next", "this", "for", "to", "about", "and",
        "or",
    ]
    .contains(&word)
}
