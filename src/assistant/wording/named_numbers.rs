//! The numbers in figures that a text tells, and whether they are among known ones. Pure.

use std::collections::BTreeSet;

use serde_json::Value;

use super::named_times::{begins_distance, has_part_of_hour, is_unit_of_time};
use crate::assistant::text::figures::with_ascii_digits;

/// Between the digits of one number; the spaces only before three digits.
const SEPARATORS: [char; 7] = ['.', ',', ' ', '\'', '’', '\u{a0}', '\u{202f}'];
/// Digits of a group.
const GROUP_DIGITS: usize = 3;
/// Numbers up to this one may be a part of a time.
const TIME_MAX: u32 = 60;
const HOURS_A_DAY: u32 = 24;
const HALF_DAY: u32 = 12;
/// Numbers up to this one are often counts that nobody told.
const COUNT_MAX: u32 = 2;
/// Digits from which on those of a number may be grouped in any way: "555-0123", "5550123".
const CODE_DIGITS: usize = 5;
/// Between two codes.
const ENDS_OF_CODES: [char; 5] = [',', ';', ':', '"', '\n'];
/// Before what a number is for.
const FOR: [&str; 12] = [
    "for", "on", "für", "auf", "en", "pour", "per", "voor", "para", "por", "på", "för",
];

/// A number, and how it can be read: as a whole, or as parts of a date or an hour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedNumber {
    whole: String,
    parts: Vec<String>,
}

impl NamedNumber {
    /// Whether both are one number: "12.0" and "12".
    pub fn is_same(&self, other: &Self) -> bool {
        self.whole == other.whole
    }

    fn times_thousand(self) -> Self {
        let (before, after) = self.whole.split_once('.').unwrap_or((&self.whole, ""));
        let whole = plain(&format!("{before}{after:0<GROUP_DIGITS$}"));
        // "10k" is a distance, too.
        let part = if after.is_empty() { before } else { &whole };
        Self {
            parts: vec![part.to_owned()],
            whole,
        }
    }

    /// Whether it may be a part of a time.
    pub fn may_be_of_time(&self) -> bool {
        self.parts.iter().all(|part| is_at_most(part, TIME_MAX))
    }
}

fn is_at_most(number: &str, max: u32) -> bool {
    number.parse::<u32>().is_ok_and(|number| number <= max)
}

/// Numbers that are known, in all readings, and those of them that are hours.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnownNumbers {
    all: BTreeSet<String>,
    hours: BTreeSet<u32>,
    /// The digits of codes, without what is between them.
    digits: Vec<String>,
}

impl KnownNumbers {
    pub fn add(&mut self, text: &str) {
        let text = &*with_ascii_digits(text);
        let pieces = text.split(|c: char| c.is_alphabetic() || ENDS_OF_CODES.contains(&c));
        let digits = pieces.map(|piece| piece.chars().filter(char::is_ascii_digit).collect());
        let digits = digits.filter(|digits: &String| digits.len() >= CODE_DIGITS);
        self.digits.extend(digits);
        // "B42" may be told as "B 42".
        let words = text.split(|c: char| !c.is_alphanumeric());
        let codes = words.map(|word| word.trim_start_matches(char::is_alphabetic));
        let is_number = |code: &&str| !code.is_empty() && code.bytes().all(|b| b.is_ascii_digit());
        self.all.extend(codes.filter(is_number).map(plain));
        for found in numbers(text) {
            if text[found.end..].starts_with(':') {
                self.hours.extend(found.number.whole.parse::<u32>());
                // "1800"
                let minutes = text[found.end + 1..].get(..2).unwrap_or_default();
                self.all.insert(format!("{}{minutes}", found.number.whole));
            }
            self.all.insert(found.number.whole);
            self.all.extend(found.number.parts);
        }
    }

    /// The numbers of things in lists of JSON, at any depth.
    pub fn add_lengths(&mut self, json: &Value) {
        match json {
            Value::Array(all) => {
                self.all.insert(all.len().to_string());
                all.iter().for_each(|one| self.add_lengths(one));
            }
            Value::Object(fields) => fields.values().for_each(|one| self.add_lengths(one)),
            _ => {}
        }
    }

    pub fn add_all(&mut self, other: &Self) {
        self.all.extend(other.all.iter().cloned());
        self.hours.extend(&other.hours);
        self.digits.extend(other.digits.iter().cloned());
    }

    pub fn has(&self, number: &NamedNumber) -> bool {
        let whole = &number.whole;
        let is_code =
            || whole.len() >= CODE_DIGITS && self.digits.iter().any(|all| all.contains(whole));
        self.has_part(whole) || is_code() || number.parts.iter().all(|part| self.has_part(part))
    }

    /// An hour may be told as one twelve hours earlier.
    fn has_part(&self, part: &str) -> bool {
        let hour = part.parse::<u32>().ok().filter(|hour| *hour <= HALF_DAY);
        let later = hour.map(|hour| (hour + HALF_DAY) % HOURS_A_DAY);
        self.all.contains(part) || later.is_some_and(|later| self.hours.contains(&later))
    }
}

/// The numbers of a text, in figures.
pub fn numbers_of(text: &str) -> Vec<NamedNumber> {
    numbers(&with_ascii_digits(text))
        .into_iter()
        .map(|found| found.number)
        .collect()
}

/// The numbers that a statement tells as facts: without those of lines and labels, and without those
/// that follow from others: shares, distances, small counts, and hours told by their quarters.
pub fn told_numbers(statement: &str) -> Vec<NamedNumber> {
    let statement = &*with_ascii_digits(statement);
    let tells_parts = has_part_of_hour(statement);
    let told = numbers(statement).into_iter().filter(|found| {
        let (before, after) = (&statement[..found.start], &statement[found.end..]);
        let line = before.rsplit('\n').next().unwrap_or_default();
        let is_line_number = line.chars().all(|c| !c.is_alphanumeric())
            && after.starts_with(['.', ')', ':', '\u{fe0f}', '\u{20e3}']);
        let is_share = after.trim_start().starts_with('%');
        let is_label = after.starts_with(": ");
        let last = before
            .trim_end()
            .rsplit(|c: char| !c.is_alphabetic())
            .next();
        let next = after.trim_start_matches([' ', '\u{a0}', '-']);
        let next = next.split(|c: char| !c.is_alphabetic()).next();
        let is_distance = next.is_some_and(|next| {
            let next = next.to_lowercase();
            let is_led = last.is_some_and(|last| begins_distance(&last.to_lowercase()));
            is_unit_of_time(&next, is_led)
        });
        let is_hour = tells_parts && found.number.may_be_of_time();
        let is_count = is_at_most(&found.number.whole, COUNT_MAX);
        !is_line_number && !is_label && !is_share && !is_distance && !is_hour && !is_count
    });
    told.map(|found| found.number).collect()
}

/// The numbers that stand before what they are for: "12 on hats", "12 € für Mützen".
pub fn numbers_for_things(statement: &str) -> Vec<NamedNumber> {
    let statement = &*with_ascii_digits(statement).to_lowercase();
    let all = numbers(statement).into_iter();
    let are_for_things = all.filter(|found| {
        let after = statement[found.end..].split(|c: char| !c.is_alphabetic());
        let mut words = after.filter(|word| !word.is_empty());
        let (first, second) = (words.next(), words.next());
        let is_currency =
            first.is_some_and(|word| matches!(word, "eur" | "euro" | "euros" | "dollars"));
        let lead = if is_currency { second } else { first };
        lead.is_some_and(|lead| FOR.contains(&lead))
    });
    are_for_things.map(|found| found.number).collect()
}

/// A number with its place.
struct FoundNumber {
    start: usize,
    end: usize,
    number: NamedNumber,
}

/// The numbers of a text; those within a word, as of a code, are parts of it. Of a moment the hour
/// stands after the letter T.
fn numbers(text: &str) -> Vec<FoundNumber> {
    let mut all = Vec::new();
    let mut before = (' ', ' ');
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let is_in_word =
            before.1.is_alphabetic() && !(before.1 == 'T' && before.0.is_ascii_digit());
        if !c.is_ascii_digit() || is_in_word {
            // The rest of a code is no number.
            let is_code = c.is_ascii_digit() && is_in_word;
            before = (before.1, if is_code { before.1 } else { c });
            at += c.len_utf8();
            continue;
        }
        let length = length_of_number(&text[at..]);
        let mut number = number(&text[at..at + length]);
        if is_of_thousands(&text[at + length..]) {
            number = number.times_thousand();
        }
        all.push(FoundNumber {
            start: at,
            end: at + length,
            number,
        });
        before = ('0', '0');
        at += length;
    }
    all
}

/// "1.5k"
fn is_of_thousands(after: &str) -> bool {
    let rest = after.strip_prefix(['k', 'K']);
    rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
}

fn length_of_number(text: &str) -> usize {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let mut length = digits(text);
    while let Some(separator) = text[length..]
        .chars()
        .next()
        .filter(|c| SEPARATORS.contains(c))
    {
        let group = digits(&text[length + separator.len_utf8()..]);
        let is_point = matches!(separator, '.' | ',');
        if group == 0 || !is_point && group != GROUP_DIGITS {
            break;
        }
        length += separator.len_utf8() + group;
    }
    length
}

/// Digits without zeros before them.
fn plain(digits: &str) -> String {
    match digits.trim_start_matches('0') {
        "" => "0".to_owned(),
        rest => rest.to_owned(),
    }
}

/// `text`: digits and separators between them.
fn number(text: &str) -> NamedNumber {
    let groups: Vec<&str> = text.split(SEPARATORS).collect();
    let parts = groups.iter().map(|group| plain(group)).collect();
    let is_grouped =
        groups.len() > 1 && groups[1..].iter().all(|group| group.len() == GROUP_DIGITS);
    let whole = match &groups[..] {
        _ if is_grouped => plain(&groups.concat()),
        [_] => plain(text),
        [before @ .., last] => {
            let whole = plain(&before.concat());
            match last.trim_end_matches('0') {
                "" => whole,
                part => format!("{whole}.{part}"),
            }
        }
        [] => String::new(),
    };
    NamedNumber { whole, parts }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn is_known(known: &str, statement: &str) -> bool {
        let mut all = KnownNumbers::default();
        all.add(known);
        told_numbers(statement).iter().all(|number| all.has(number))
    }

    #[test]
    fn equal_numbers_are_known_however_they_are_written() {
        for (known, told) in [
            ("31.4", "Noted: 31,40 €."),
            ("1234.5", "That is 1.234,50 EUR."),
            ("12000", "12 000, or 12,000, or 12'000, or 12\u{202f}000"),
            (
                "\"at\":\"2026-12-03T10:30\"",
                "On 3.12. at 10:30, on the 3rd, at 10.30",
            ),
            ("\"at\":\"2026-12-03T19:00\"", "On 3 December at 7pm"),
            ("at 0:15", "at 12:15 am"),
            ("milk", "1. milk\n2. eggs\n3️⃣ tea"),
            ("milk", "(2) milk"),
            ("the museum", "Day 7: the museum"),
            ("40 of 90", "That is 44 % of it, 3 days are left."),
            ("2026-12-03T20:45", "At quarter to 9."),
            ("2026-12-03T20:45", "Il est programmé dans 90 minutes."),
            ("code 4471", "The code is 4471; the plug is USB3, room B12."),
            ("flight LH123", "LH 123"),
            ("555-0123", "5550123"),
            ("DE12 3456 7890", "DE1234567890, or 1234567890"),
            ("1500", "1.5k, or 1,5K, or 1500.00"),
            ("4000", "４０００円"),
            ("ran a 10k", "10 km"),
            ("10 km", "10k"),
        ] {
            assert!(is_known(known, told), "{known}: {told}");
        }
    }

    #[test]
    fn other_numbers_are_not_known() {
        for (known, told) in [
            ("31.40", "Noted: 41.30 for the gloves."),
            ("31.40", "Noted: 31.04 for the gloves."),
            ("90 by 3", "That is 45 each."),
            ("3 to 7 December", "From 3 to 9 December."),
            ("31.40", "12 on hats."),
            ("mood 4", "Mood 6 is noted."),
            ("focus for 25 minutes", "Focus for 50 minutes."),
            ("summary at 20:00", "Summary at 21:00."),
            ("code 4471", "The code 4417 is noted."),
            ("\"id\":\"a3f41c9b\"", "It costs 41."),
            ("pin 4471, alarm 9900", "The pin is 44719."),
            ("4471, 9900", "The pin is 44719."),
            ("12 345", "The code is 23451."),
        ] {
            assert!(!is_known(known, told), "{known}: {told}");
        }
    }

    #[test]
    fn the_lengths_of_lists_are_known() {
        let mut known = KnownNumbers::default();
        known.add_lengths(&json!({"items": ["tea", "rum", {"of": [1, 2]}]}));
        for (told, expected) in [
            ("All 3 are there", true),
            ("2 of them", true),
            ("All 4", false),
        ] {
            let all = told_numbers(told);
            assert_eq!(
                all.iter().all(|number| known.has(number)),
                expected,
                "{told}"
            );
        }
    }
}
