//! Parsers that several superpowers share: lists, references to entries, days.

use chrono::NaiveDate;

use super::local_time::{date, minute_of_day};
use super::texts::same;
use crate::assistant::builtin::subject;
use crate::assistant::text::function_words::without_article;
use crate::assistant::text::phrases::phrases;
use crate::assistant::text::when::{self, Day, TimeExpression, TimeOfDay};
use crate::assistant::text::words::Words;
use crate::clock::{Timestamp, Zone};

/// Limit of entries in one message.
const NAMED_MAX: usize = 50;

/// Characters of a word that is looked for only as a whole word: "Bo" is not in "Booking".
const SHORT_CHARS_MAX: usize = 3;
/// Characters of a word that may be within another, as in a German compound.
const LONG_CHARS_MIN: usize = 6;

/// The minute of the day at which something is to come every day: "8" is 08:00.
pub(super) fn daily_minute(time: TimeExpression, now: Timestamp) -> Option<u32> {
    let clock = TimeOfDay {
        bare: false,
        ..time.clock?
    };
    // "8 in the evening" is told from "8" when it is a time of some day.
    let tomorrow = TimeExpression {
        day: Some(Day::InDays(1)),
        clock: Some(clock),
        ..time
    };
    let at = when::resolve(&tomorrow, now, Zone::UTC).ok()?;
    Some(minute_of_day(at, Zone::UTC))
}

/// The text has all the words, or words that begin with them.
pub(super) fn mentions(text: &str, words: &str) -> bool {
    let (text, words) = (text.to_lowercase(), words.to_lowercase());
    let ends = |c: char| !c.is_alphanumeric();
    let mut words = words.split(ends).filter(|word| !word.is_empty()).peekable();
    words.peek().is_some()
        && words.all(|word| {
            let mut all = text.split(ends);
            match word.chars().count() {
                ..=SHORT_CHARS_MAX => all.any(|one| one == word),
                LONG_CHARS_MIN.. => text.contains(word),
                _ => all.any(|one| one.starts_with(word)),
            }
        })
}

/// Things that have "and" in their name, by the words around it.
const PAIRS: [(&str, &str); 11] = [
    ("rock", "roll"),
    ("drum", "bass"),
    ("mac", "cheese"),
    ("macaroni", "cheese"),
    ("fish", "chips"),
    ("butter", "jelly"),
    ("cookies", "cream"),
    ("gin", "tonic"),
    ("half", "half"),
    ("salt", "vinegar"),
    ("sweet", "sour"),
];

/// "milk, two eggs and tea" has three entries; a quoted text is one.
pub(super) fn things(text: &str) -> Vec<String> {
    let whole = text.trim();
    let quoted = |open, close| {
        whole.chars().count() > 2 && whole.starts_with(open) && whole.ends_with(close)
    };
    if quoted('"', '"') || quoted('“', '”') {
        return vec![subject(whole)];
    }
    let mut found = Vec::new();
    for part in parts_of(whole) {
        let mut rest = part.trim();
        rest = strip_word(rest, "and").unwrap_or(rest);
        // "plus size dress" as the first is a thing.
        let mut add = |text: &str| match found.is_empty() {
            true => found.push(subject(text)),
            false => found.push(subject(without_link(text))),
        };
        while let Some((one, more)) = split_at_and(rest) {
            add(one);
            rest = more;
        }
        add(rest);
    }
    found.retain(|thing| !thing.is_empty());
    found.truncate(NAMED_MAX);
    found
}

/// "also sugar" after "flour and".
fn without_link(text: &str) -> &str {
    let text = text.trim();
    ["also", "then", "plus", "as well as"]
        .iter()
        .find_map(|word| strip_word(text, word))
        .unwrap_or(text)
}

/// The parts of a text between separators; the comma of "1,5 kg" is none.
fn parts_of(text: &str) -> Vec<&str> {
    let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let (mut parts, mut from) = (Vec::new(), 0);
    for (at, separator) in text.match_indices([',', ';', '\n', '•']) {
        let after = at + separator.len();
        let is_decimal = separator == ","
            && is_digit(text[..at].chars().next_back())
            && is_digit(text[after..].chars().next());
        if !is_decimal {
            parts.push(&text[from..at]);
            from = after;
        }
    }
    parts.push(&text[from..]);
    parts
}

fn strip_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let rest = text.get(..word.len())?.eq_ignore_ascii_case(word);
    let rest = rest.then(|| &text[word.len()..])?;
    rest.starts_with(char::is_whitespace).then(|| rest.trim())
}

fn split_at_and(text: &str) -> Option<(&str, &str)> {
    let links = [" as well as ", " and ", " And ", " AND ", " & ", " n "];
    let each = |link: &&'static str| text.match_indices(*link).collect::<Vec<_>>();
    let mut found: Vec<(usize, &str)> = links.iter().flat_map(each).collect();
    found.sort_unstable();
    let split = |(at, link): (usize, &str)| (&text[..at], &text[at + link.len()..]);
    let mut found = found.into_iter().map(split);
    found.find(|(before, after)| !is_one_thing(before, after))
}

/// Whether "and" between them belongs to the name of one thing: "mac and cheese".
fn is_one_thing(before: &str, after: &str) -> bool {
    let last = before.rsplit(' ').next().unwrap_or_default().to_lowercase();
    let first = after.split([' ', ',']).next().unwrap_or_default();
    let first = first.to_lowercase();
    PAIRS.contains(&(last.as_str(), first.as_str()))
}

/// Finds the requested entry: by number from 1, by the same text, else the first that begins with
/// it, else the first that contains it.
pub(super) fn which<'a>(
    phrase: &str,
    texts: impl Iterator<Item = &'a str> + Clone,
) -> Option<usize> {
    all_named(phrase, texts).first().copied()
}

/// All entries that may be meant: the one with that number, those of the same text, else those
/// that begin with it, else those that contain it.
pub(super) fn all_named<'a>(
    phrase: &str,
    texts: impl Iterator<Item = &'a str> + Clone,
) -> Vec<usize> {
    let phrase = phrase.to_lowercase();
    let number = phrase.trim_start_matches(['#', 'n', 'o', '.', ' ']);
    if let Ok(number) = number.parse::<usize>() {
        let is_known = (1..=texts.count()).contains(&number);
        return is_known.then(|| number - 1).into_iter().collect();
    }
    let lower = texts.map(str::to_lowercase);
    let phrase = phrase.as_str();
    let bare = without_article(phrase);
    if bare.is_empty() {
        return Vec::new();
    }
    let all = |is_meant: &dyn Fn(&str) -> bool| -> Vec<usize> {
        let meant = lower.clone().enumerate().filter(|(_, text)| is_meant(text));
        meant.map(|(at, _)| at).collect()
    };
    let readings = [
        all(&|text| text == phrase || text == bare),
        all(&|text| text.starts_with(bare)),
        all(&|text| has_part(text, bare)),
    ];
    let mut readings = readings.into_iter();
    readings.find(|found| !found.is_empty()).unwrap_or_default()
}

/// Whether `part` is in the text, a short one as the beginning of a word: "x" is no part of
/// "netflix".
fn has_part(text: &str, part: &str) -> bool {
    const SHORT: usize = 3;
    let begins_word = |at: usize| !text[..at].ends_with(char::is_alphanumeric);
    let is_short = part.len() <= SHORT && part.is_ascii();
    let mut found = text.match_indices(part);
    found.any(|(at, _)| !is_short || begins_word(at))
}

/// The texts of which `phrase` is a part, if several are. Empty when one of them is named in full,
/// or only one fits.
pub(super) fn several_named<'a>(
    phrase: &str,
    texts: impl Iterator<Item = &'a str>,
) -> Vec<&'a str> {
    let phrase = phrase.to_lowercase();
    let bare = without_article(&phrase);
    let is_number = bare.trim_start_matches('#').parse::<usize>().is_ok();
    let found: Vec<&str> = texts
        .filter(|text| !text.is_empty() && has_part(&text.to_lowercase(), bare))
        .collect();
    let is_whole = found
        .iter()
        .any(|text| same(text, bare) || same(text, &phrase));
    match is_number || is_whole || found.len() < 2 {
        true => Vec::new(),
        false => found,
    }
}

/// Which of `names` somebody chooses: by its number from 1, or by a part of one of them only.
pub fn choice(phrase: &str, names: &[&str]) -> Option<usize> {
    let phrase = subject(phrase);
    let lower = phrase.to_lowercase();
    let bare = lower.strip_suffix(" one").unwrap_or(&lower);
    let bare = bare.strip_prefix("the ").unwrap_or(bare);
    let ordinal = when::ordinal(bare).map(|number| number.to_string());
    let bare = ordinal.as_deref().unwrap_or(bare);
    let found = which(bare, names.iter().copied())?;
    let fits = |name: &&&str| name.to_lowercase().contains(bare);
    let is_number = bare.trim_start_matches('#').parse::<usize>().is_ok();
    (is_number || names.iter().filter(fits).count() == 1).then_some(found)
}

/// The end of a text: before "please" and "thank you".
pub(super) fn end(words: &Words) -> usize {
    let end = words.before_courtesy(1, words.len());
    match words.get(end.saturating_sub(1)) {
        "ty" if end > 1 => words.before_courtesy(1, end - 1),
        _ => end,
    }
}

/// The original words without surrounding punctuation.
pub(super) fn original(words: &Words, from: usize, to: usize) -> String {
    subject(words.original(from..to.max(from)))
}

/// A time where a day is expected, so "4.12." is the fourth of December.
pub(super) fn read_date(words: &Words, at: usize) -> Option<(TimeExpression, usize)> {
    let is_dotted = words
        .get(at)
        .split_once('.')
        .is_some_and(|(day, month)| [day, month].iter().all(|part| part.parse::<u8>().is_ok()));
    let dotted = is_dotted.then(|| when::day_at(words, at)).flatten();
    let whole = |(day, end)| {
        let day = TimeExpression {
            day: Some(day),
            ..TimeExpression::default()
        };
        (day, end)
    };
    dotted.map(whole).or_else(|| when::read(words, at))
}

/// The day at `at` and the index after it: a written date, or else the next such day.
pub(super) fn read_day(
    words: &Words,
    at: usize,
    now: Timestamp,
    zone: Zone,
) -> Option<(NaiveDate, usize)> {
    let (spec, end) = read_date(words, at)?;
    let day = match spec.day? {
        Day::Date { year, month, day } => NaiveDate::from_ymd_opt(year, month, day)?,
        Day::Today => date(now, zone),
        day => {
            let spec = TimeExpression {
                day: Some(day),
                ..TimeExpression::default()
            };
            date(when::resolve(&spec, now, zone).ok()?, zone)
        }
    };
    Some((day, end))
}

/// The hour at `at`, also where it is only a number: "8", "8:30", "8 pm". It is no part of
/// "8 to 9".
pub(super) fn read_hour(words: &Words, at: usize) -> Option<(TimeOfDay, usize)> {
    let half = words.after(at + 1, phrases!["am", "pm", "a.m", "p.m"]);
    let end = half.unwrap_or(at + 1);
    let text = words.phrase(at..end);
    let alone = Words::new(&text);
    let (spec, next) = when::read_hour_alone(&alone, 0)?;
    let clock = spec.clock.filter(|_| next == alone.len())?;
    let is_time = clock.minute < 60 && (clock.hour < 24 || (clock.hour, clock.minute) == (24, 0));
    is_time.then_some((clock, end))
}

/// Whether a day is named in `text`.
pub(super) fn has_day(text: &str) -> bool {
    let words = Words::new(text);
    (0..words.len()).any(|at| {
        when::read(&words, at).is_some_and(|(spec, _)| spec.day.is_some() || spec.delay.is_some())
    })
}

/// "june", "jun": its number.
pub(super) fn read_month(word: &str) -> Option<u32> {
    when::month(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_begin_words_of_a_text() {
        for (text, words, expected) in [
            ("Call with Ana", "ana", true),
            ("Management meeting", "Ana", false),
            ("Your booking", "Bo", false),
            ("Please come", "lease", false),
            ("The leases of 2026", "lease", true),
            ("Nebenkostenabrechnung", "Rechnung", true),
            ("Stand-up", "stand-up", true),
            ("Dinner with Ana Silva", "ana silva", true),
            ("Dinner with Ana Silva", "ana berg", false),
            ("Dinner", "?", false),
        ] {
            assert_eq!(mentions(text, words), expected, "{text}: {words}");
        }
    }

    #[test]
    fn things_in_one_breath() {
        let cases: [(&str, &[&str]); 16] = [
            ("milk", &["milk"]),
            ("plus size dress, also tea", &["plus size dress", "tea"]),
            ("flour and also sugar", &["flour", "sugar"]),
            ("flour, plus Sugar", &["flour", "Sugar"]),
            ("mac and cheese", &["mac and cheese"]),
            (
                "eggs and mac and cheese, tea",
                &["eggs", "mac and cheese", "tea"],
            ),
            ("macs and cheese", &["macs", "cheese"]),
            ("milk and eggs", &["milk", "eggs"]),
            ("1,5 kg flour, 3 eggs", &["1,5 kg flour", "3 eggs"]),
            ("milk, two eggs and tea.", &["milk", "two eggs", "tea"]),
            ("milk, eggs, and tea", &["milk", "eggs", "tea"]),
            ("“mac and cheese”", &["mac and cheese"]),
            ("Sand & Andes", &["Sand", "Andes"]),
            ("a\nb\n", &["a", "b"]),
            ("Jalapeño and 牛乳", &["Jalapeño", "牛乳"]),
            (" , and ;", &["and"]),
        ];
        for (text, expected) in cases {
            assert_eq!(things(text), expected, "{text}");
        }
        assert_eq!(things(&"x,".repeat(500)).len(), NAMED_MAX);
    }

    #[test]
    fn what_is_meant() {
        let texts = ["Milk", "oat milk", "eggs from Ana"];
        let cases = [
            ("milk", Some(0)),
            ("the milk", Some(0)),
            ("oat", Some(1)),
            ("Ana", Some(2)),
            ("3", Some(2)),
            ("#2", Some(1)),
            ("ilk", None),
            ("4", None),
            ("0", None),
            ("beer", None),
            ("", None),
            ("the ", None),
        ];
        for (phrase, expected) in cases {
            assert_eq!(which(phrase, texts.iter().copied()), expected, "{phrase}");
        }
    }
}
