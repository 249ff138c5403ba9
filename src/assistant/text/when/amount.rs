//! Durations: numbers and units in words and digits ("20 min", "an hour and a half", "1h30", "two
//! days from now").

use super::Delay;
use crate::assistant::text::phrases::phrases;
use crate::assistant::text::words::Words;

/// Thousandths, which represent halves and quarters exactly.
type Milli = i64;

/// Largest amount; far beyond what a reminder allows.
const AMOUNT_MAX: i64 = 1_000_000_000;

/// "1 day 2 hours 3 minutes 4 seconds" has four components.
const COMPONENTS_MAX: usize = 4;

#[derive(Clone, Copy)]
enum Unit {
    Seconds(i64),
    Days(i64),
    Months(i64),
}

impl Unit {
    /// About how long it is, to compare it with others.
    const fn seconds(self) -> i64 {
        const DAY: i64 = 86_400;
        match self {
            Self::Seconds(n) => n,
            Self::Days(n) => n * DAY,
            Self::Months(n) => n * 30 * DAY,
        }
    }

    /// Whether a span in `unit` after one in this unit is the rest of it: "2 hours and 10 minutes",
    /// "2 hours and half an hour".
    const fn has_part(self, span: Delay, unit: Self) -> bool {
        let is_fraction = span.months == 0 && span.days == 0 && span.seconds < self.seconds();
        unit.seconds() < self.seconds() || is_fraction
    }
}

/// A duration at `at`. Without an "in" before it (`linked`), it needs "from now" or "later" after
/// it.
pub(in crate::assistant) fn delay(
    words: &Words,
    at: usize,
    linked: bool,
) -> Option<(Delay, usize)> {
    let mut total = Delay::default();
    let mut end = at;
    let mut last: Option<Unit> = None;
    for part in 0..COMPONENTS_MAX {
        let from = if part > 0 && words.get(end) == "and" {
            end + 1
        } else {
            end
        };
        // "10 min and 20 min" are two spans.
        let goes_down = |more: Delay, unit: Unit| last.is_none_or(|last| last.has_part(more, unit));
        let found = component(words, from).filter(|(more, unit, _)| goes_down(*more, *unit));
        let Some((more, unit, next)) = found else {
            break;
        };
        last = Some(unit);
        total = Delay {
            months: total.months + more.months,
            days: total.days + more.days,
            seconds: total.seconds + more.seconds,
        };
        end = next;
    }
    if end == at {
        return None;
    }
    if let Some((seconds, next)) = last.and_then(|unit| bare_rest(words, end, unit)) {
        (total.seconds, end) = (total.seconds + seconds, next);
    }
    let later = words.after(end, phrases!["from now", "later"]);
    // "in 2 weeks time to call"
    let end = match words.after(end, phrases!["time", "times"]) {
        Some(next) if linked && matches!(words.get(next), "" | "to") => next,
        _ => end,
    };
    (linked || later.is_some()).then_some((total, later.unwrap_or(end)))
}

/// "thirty" of "one hour thirty", in seconds: minutes after hours, and seconds after minutes.
fn bare_rest(words: &Words, at: usize, unit: Unit) -> Option<(i64, usize)> {
    let smaller = match unit {
        Unit::Seconds(3_600) => 60,
        Unit::Seconds(60) => 1,
        _ => return None,
    };
    let (number, end) = count(words, words.skip(at, phrases!["and"]))?;
    // "2 hours 15 to call" is not clear.
    let ends = matches!(words.get(end), "" | "for" | "please" | "pls" | "from");
    let is_rest = ends && (5..60).contains(&number);
    is_rest.then(|| (i64::from(number) * smaller, end))
}

/// "in 20": minutes, where nothing else is counted.
pub(super) fn bare_minutes(words: &Words, at: usize) -> Option<i64> {
    let minutes = words.get(at).parse::<i64>().ok();
    let ends = matches!(words.get(at + 1), "" | "to" | "that" | "pls" | "please");
    minutes.filter(|minutes| ends && (5..=120).contains(minutes))
}

/// "this time tomorrow", "same time next week": in so many days.
pub(super) fn same_time(words: &Words, at: usize) -> Option<(i64, usize)> {
    const PHRASES: [(&str, i64); 8] = [
        ("this time tomorrow", 1),
        ("same time tomorrow", 1),
        ("the same time tomorrow", 1),
        ("tomorrow same time", 1),
        ("tomorrow this time", 1),
        ("tomorrow at the same time", 1),
        ("this time next week", 7),
        ("same time next week", 7),
    ];
    let mut phrases = PHRASES.iter();
    phrases.find_map(|(phrase, days)| Some((*days, words.after(at, &[*phrase])?)))
}

/// A number with its unit, or with several in one word: what it adds up to, the smallest unit, and
/// the index after it.
fn component(words: &Words, at: usize) -> Option<(Delay, Unit, usize)> {
    if let Some((delay, unit)) = compact(words.get(at)) {
        return Some((delay, unit, at + 1));
    }
    if let Some((delay, end)) = clock_like(words, at) {
        return Some((delay, Unit::Seconds(60), end));
    }
    let (mut milli, mut end) = number(words, at)?;
    if let Some(next) = words.after(end, phrases!["and a half", "and half", "1/2"]) {
        (milli, end) = (milli + 500, next);
    }
    let end = words.skip(end, phrases!["more"]);
    let unit = unit(words.get(end))?;
    let (delay, end) = end_with_half(words, end + 1, milli, unit)?;
    Some((delay, unit, end))
}

/// "2:30 hours".
fn clock_like(words: &Words, at: usize) -> Option<(Delay, usize)> {
    let (hours, minutes) = words.get(at).split_once(':')?;
    let is_hours = matches!(words.get(at + 1), "hours" | "hour" | "hrs" | "hr" | "h");
    let number = |text: &str| {
        let is_number = (1..=2).contains(&text.len());
        is_number.then(|| text.parse::<u8>().ok()).flatten()
    };
    let (hours, minutes) = (number(hours)?, number(minutes).filter(|n| *n < 60)?);
    let seconds = i64::from(hours) * 3_600 + i64::from(minutes) * 60;
    let delay = Delay {
        seconds,
        ..Delay::default()
    };
    is_hours.then_some((delay, at + 2))
}

/// "an hour and a half".
fn end_with_half(words: &Words, at: usize, milli: Milli, unit: Unit) -> Option<(Delay, usize)> {
    match words.after(at, phrases!["and a half"]) {
        Some(next) => Some((scaled(milli + 500, unit)?, next)),
        None => Some((scaled(milli, unit)?, at)),
    }
}

/// "20min", "2d", "1h30", "1h30m", and the smallest unit.
fn compact(word: &str) -> Option<(Delay, Unit)> {
    if !word.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let mut total = Delay::default();
    let mut rest = word;
    let mut last = None;
    for _ in 0..COMPONENTS_MAX {
        let digits = rest.len()
            - rest
                .trim_start_matches(|c: char| c.is_ascii_digit() || c == '.')
                .len();
        let letters = rest[digits..]
            .find(|c: char| c.is_ascii_digit())
            .map_or(rest.len(), |n| digits + n);
        let milli = digits_milli(&rest[..digits])?;
        let unit = match (&rest[digits..letters], last) {
            ("", Some(Unit::Seconds(3600))) => Unit::Seconds(60),
            ("", Some(Unit::Seconds(60))) => Unit::Seconds(1),
            (name, _) => unit(name)?,
        };
        let more = scaled(milli, unit)?;
        total.months += more.months;
        total.days += more.days;
        total.seconds += more.seconds;
        last = Some(unit);
        rest = &rest[letters..];
        if rest.is_empty() {
            return Some((total, unit));
        }
    }
    None
}

fn unit(word: &str) -> Option<Unit> {
    Some(match word {
        "s" | "sec" | "secs" | "second" | "seconds" => Unit::Seconds(1),
        "m" | "min" | "mins" | "minute" | "minutes" => Unit::Seconds(60),
        "h" | "hr" | "hrs" | "hour" | "hours" => Unit::Seconds(3600),
        "d" | "day" | "days" => Unit::Days(1),
        "w" | "wk" | "wks" | "week" | "weeks" => Unit::Days(7),
        "fortnight" | "fortnights" => Unit::Days(14),
        "month" | "months" => Unit::Months(1),
        "y" | "yr" | "yrs" | "year" | "years" => Unit::Months(12),
        _ => return None,
    })
}

fn scaled(milli: Milli, unit: Unit) -> Option<Delay> {
    let mut delay = Delay::default();
    match unit {
        Unit::Seconds(n) => delay.seconds = milli * n / 1000,
        Unit::Days(n) if milli * n % 1000 == 0 => delay.days = milli * n / 1000,
        // Half of a week is no day.
        Unit::Days(7..) => return None,
        Unit::Days(n) => delay.seconds = milli * n * 86_400 / 1000,
        Unit::Months(n) if milli * n % 1000 == 0 => delay.months = milli * n / 1000,
        Unit::Months(_) => return None,
    }
    Some(delay)
}

/// "20", "1.5", "two", "twenty-five", "a couple of", "half an".
fn number(words: &Words, at: usize) -> Option<(Milli, usize)> {
    const PHRASES: [(&str, Milli); 11] = [
        ("half an", 500),
        ("half a", 500),
        ("a quarter of an", 250),
        ("quarter of an", 250),
        ("three quarters of an", 750),
        ("a couple of", 2_000),
        ("a couple", 2_000),
        ("couple of", 2_000),
        ("a few", 3_000),
        ("another", 1_000),
        ("the next", 1_000),
    ];
    let word = words.get(at);
    let first = word.as_bytes().first();
    for (phrase, milli) in PHRASES {
        // Most words are told by their first letter.
        if phrase.as_bytes().first() == first
            && let Some(end) = words.after(at, &[phrase])
        {
            return Some((milli, end));
        }
    }
    if let Some(milli) = digits_milli(word) {
        return Some((milli, at + 1));
    }
    if matches!(word, "a" | "an") {
        return Some((1_000, at + 1));
    }
    let (value, end) = spelled(words, at)?;
    Some((i64::from(value) * 1_000, end))
}

/// A whole number that counts something: "3", "three", "third".
pub(in crate::assistant) fn count(words: &Words, at: usize) -> Option<(u32, usize)> {
    let word = words.get(at);
    if word.len() <= 3
        && let Ok(n) = word.parse()
    {
        return Some((n, at + 1));
    }
    match super::ordinal(word) {
        Some(n) => Some((n, at + 1)),
        None => spelled(words, at),
    }
}

/// A word that is a number up to ninety, spelled out: "seven".
pub(in crate::assistant) fn number_word(word: &str) -> Option<u32> {
    ones_word(word).or_else(|| tens_word(word))
}

/// Whether a word is a number that is spelled out.
pub(in crate::assistant) fn is_number(word: &str) -> bool {
    number_word(word).is_some()
}

/// A number in words up to ninety-nine.
pub(super) fn spelled(words: &Words, at: usize) -> Option<(u32, usize)> {
    let word = words.get(at);
    // Most words are told by their first letter.
    if !word.starts_with(['e', 'f', 'n', 'o', 's', 't']) {
        return None;
    }
    if let Some((tens, ones)) = word.split_once('-') {
        return Some((tens_word(tens)? + ones_word(ones)?, at + 1));
    }
    if let Some(tens) = tens_word(word) {
        return Some(match ones_word(words.get(at + 1)).filter(|n| *n < 10) {
            Some(ones) => (tens + ones, at + 2),
            None => (tens, at + 1),
        });
    }
    Some((ones_word(word)?, at + 1))
}

fn ones_word(word: &str) -> Option<u32> {
    const NAMES: [&str; 19] = [
        "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
        "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
        "nineteen",
    ];
    (1..)
        .zip(NAMES)
        .find(|(_, name)| *name == word)
        .map(|(n, _)| n)
}

fn tens_word(word: &str) -> Option<u32> {
    const NAMES: [&str; 8] = [
        "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
    ];
    (2..)
        .zip(NAMES)
        .find(|(_, name)| *name == word)
        .map(|(n, _)| n * 10)
}

/// "20", "1.5", "1,5"; what is larger than `AMOUNT_MAX` is that.
fn digits_milli(word: &str) -> Option<Milli> {
    let (whole, fraction) = word.split_once(['.', ',']).unwrap_or((word, ""));
    let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(fraction) {
        return None;
    }
    let whole = whole.parse::<i64>().unwrap_or(AMOUNT_MAX).min(AMOUNT_MAX);
    let milli = fraction
        .bytes()
        .chain(*b"000")
        .take(3)
        .fold(0, |n, b| n * 10 + i64::from(b - b'0'));
    Some(whole * 1_000 + milli)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_span_has_units_that_go_down() {
        for (text, seconds, rest) in [
            ("1 hour and 30 minutes", 5_400, ""),
            ("an hour and a half", 5_400, ""),
            ("one hour thirty", 5_400, ""),
            ("1 hour and 30", 5_400, ""),
            ("two hours fifteen", 8_100, ""),
            ("2 hours 15 to call", 7_200, "15 to call"),
            ("2 minutes 30", 150, ""),
            ("1 hour 30 people come", 3_600, "30 people come"),
            ("an hour 2", 3_600, "2"),
            ("2 hours and half an hour", 9_000, ""),
            ("half an hour and 10 minutes", 2_400, ""),
            ("1h 30m 10s", 5_410, ""),
            ("10 min and 20 min", 600, "and 20 min"),
            ("10 min 20 min", 600, "20 min"),
            ("30 min and 1 hour", 1_800, "and 1 hour"),
            ("1h30 and 10 min", 5_400, "and 10 min"),
            ("1 hour and 2 hours", 3_600, "and 2 hours"),
        ] {
            let words = Words::new(text);
            let (found, end) = delay(&words, 0, true).expect("a span");
            let left = words.original(end..words.len());
            assert_eq!((found.seconds, left), (seconds, rest), "{text}");
        }
    }

    #[test]
    fn days_and_hours_are_one_span() {
        for (text, days, seconds) in [
            ("2 days and 3 hours", 2, 10_800),
            ("1 week and 2 days", 9, 0),
            ("2 days and 3 days", 2, 0),
            ("2 days and 1 week", 2, 0),
        ] {
            let (found, _) = delay(&Words::new(text), 0, true).expect("a span");
            assert_eq!((found.days, found.seconds), (days, seconds), "{text}");
        }
    }
}
