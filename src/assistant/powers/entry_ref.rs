//! How a person names something that is kept: by words of its name, and by its day or hour. A name
//! that doesn't fit means something else.

use std::ops::Range;

use chrono::NaiveDate;

use super::entries::Entry;
use super::{PowerContext, parsers, statement};
use crate::assistant::builtin::ParsedMessage;
use crate::assistant::text::when::{self, TimeOfDay};
use crate::assistant::text::words::Words;
use crate::clock::{Timestamp, Zone};

const HALF_DAY_MINUTES: u32 = 12 * 60;

/// Words that say nothing of which one is meant.
const LINKS: [&str; 29] = [
    "a", "an", "any", "appointment", "at", "booked", "booking", "by", "for", "from", "in", "into",
    "my", "next", "of", "on", "one", "our", "planned", "reservation", "that", "the", "this", "to",
    "upcoming", "w", "with", "w/", "your",
];

/// Words that end no name: the time after them was taken out.
const PREPOSITIONS: [&str; 10] = [
    "at", "by", "for", "from", "in", "of", "on", "the", "to", "with",
];

/// Words of a condition: nothing is asked for yet.
const CONDITIONS: [&str; 8] = [
    "if", "unless", "when", "whenever", "whether", "once", "maybe", "perhaps",
];

/// Words after which something else than the name is said.
const ENDS: [&str; 16] = [
    "again", "already", "and", "anymore", "as", "cause", "instead", "now", "please", "since", "so",
    "then", "thanks", "thank", "too", "well",
];

/// A thing as it was named: "the exam in maths on friday".
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EntryRef {
    /// Its name, without its time.
    pub(super) name: String,
    pub(super) on: Option<NaiveDate>,
    pub(super) clock: Option<TimeOfDay>,
    /// All of it as it was typed.
    pub(super) said: String,
}

impl EntryRef {
    pub(super) fn of_name(name: String) -> Self {
        Self {
            said: name.clone(),
            name,
            ..Self::default()
        }
    }

    /// The words of the range that name it: those before a clause or another thing.
    pub(super) fn read(message: &ParsedMessage, range: Range<usize>) -> Self {
        let words = &message.words;
        let (now, zone) = (message.context.now, message.zone());
        let mut found = Self::default();
        let mut names: Vec<String> = Vec::new();
        let (mut at, mut named_to) = (range.start, range.start);
        while at < range.end {
            let word = words.get(at);
            if let Some((spec, next)) = when::read(words, at).filter(|read| read.1 <= range.end) {
                found.clock = found.clock.or(spec.clock);
                let day = spec
                    .day
                    .and_then(|_| parsers::read_day(words, at, now, zone));
                found.on = found.on.or(day.map(|(day, _)| day));
                at = next;
                named_to = next;
                continue;
            }
            if let Some(day) = possessive_day(word, now, zone) {
                found.on = Some(day);
            } else if CONDITIONS.contains(&word) {
                // It is no name that fits.
                names.push(parsers::original(words, at, range.end));
                named_to = range.end;
                break;
            } else if ENDS.contains(&word) || statement::is_clause_word(word) {
                break;
            } else {
                names.push(parsers::original(words, at, at + 1));
            }
            at += 1;
            named_to = at;
            let is_time_next = || when::read(words, at).is_some();
            if words.is_set_off(at - 1) && at < range.end && !is_time_next() {
                break;
            }
        }
        let ends_open = |names: &[String]| {
            let last = names.last().map(|word| word.to_lowercase());
            last.is_some_and(|word| PREPOSITIONS.contains(&word.as_str()))
        };
        while ends_open(&names) {
            names.pop();
        }
        found.name = names.join(" ");
        found.said = parsers::original(words, range.start, named_to);
        found
    }

    /// Whether the entry is of the day and the hour that were named.
    pub(super) fn is_then(&self, entry: &Entry, context: &PowerContext) -> bool {
        let is_on = self.on.is_none() || entry.date(context.today()) == self.on;
        is_on && self.clock.is_none_or(|clock| is_at(clock, entry.minute))
    }
}

/// "tuesday's": the day.
fn possessive_day(word: &str, now: Timestamp, zone: Zone) -> Option<NaiveDate> {
    let day = word.strip_suffix("'s").or_else(|| {
        let day = word.strip_suffix('s')?;
        matches!(day, "today" | "tomorrow").then_some(day)
    })?;
    Some(parsers::read_day(&Words::new(day), 0, now, zone)?.0)
}

/// A bare 8 is also 20:00.
fn is_at(clock: TimeOfDay, minute: Option<u32>) -> bool {
    let said = clock.hour * 60 + clock.minute;
    minute.is_some_and(|minute| match clock.exact {
        true => said == minute,
        false => said % HALF_DAY_MINUTES == minute % HALF_DAY_MINUTES,
    })
}

/// Whether `text` has every word of `name` but those that only link. A name of such words alone
/// fits nothing.
pub(super) fn fits(text: &str, name: &str) -> bool {
    /// Characters of a word of which the beginning is enough.
    const PART_CHARS_MIN: usize = 4;
    let (text, name) = (Words::new(text), Words::new(name));
    let has = |word: &str| {
        let word = singular(word);
        let is_long = word.chars().count() >= PART_CHARS_MIN;
        text.iter()
            .any(|one| singular(one) == word || is_long && one.starts_with(word))
    };
    let mut named = name.iter().filter(|word| !LINKS.contains(word)).peekable();
    named.peek().is_some() && named.all(has)
}

/// Without the "s" of the plural or the possessive: "luigi" of "luigi's".
fn singular(word: &str) -> &str {
    let word = word.strip_suffix("'s").unwrap_or(word);
    word.strip_suffix('s').unwrap_or(word)
}
