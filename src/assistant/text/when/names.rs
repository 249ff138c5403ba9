//! Names of weekdays and months, and ordinal numbers.

use chrono::Weekday;

use crate::assistant::text::words::Words;

/// Short names are also ordinary words ("sun", "sat"), so they need an "on" before them.
pub(super) fn weekday(word: &str, short: bool) -> Option<Weekday> {
    Some(match word {
        "monday" => Weekday::Mon,
        "tuesday" => Weekday::Tue,
        "wednesday" => Weekday::Wed,
        "thursday" => Weekday::Thu,
        "friday" => Weekday::Fri,
        "saturday" => Weekday::Sat,
        "sunday" => Weekday::Sun,
        _ if !short => return None,
        "mon" => Weekday::Mon,
        "tue" | "tues" => Weekday::Tue,
        "wed" | "weds" => Weekday::Wed,
        "thu" | "thur" | "thurs" => Weekday::Thu,
        "fri" => Weekday::Fri,
        "sat" => Weekday::Sat,
        "sun" => Weekday::Sun,
        _ => return None,
    })
}

/// A weekday by any of its names, also in the plural ("mondays").
pub(in crate::assistant) fn weekday_name(word: &str) -> Option<Weekday> {
    let one = word.strip_suffix('s').filter(|one| one.ends_with("day"));
    weekday(one.unwrap_or(word), true)
}

/// "24th", "third"; numbers above 99 are not days.
pub(in crate::assistant) fn ordinal(word: &str) -> Option<u32> {
    const NAMES: [&str; 20] = [
        "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
        "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth",
        "seventeenth", "eighteenth", "nineteenth", "twentieth",
    ];
    // "twenty-first"
    let tens = [("twenty-", 20), ("thirty-", 30)];
    let of_tens = |(ten, n): (&str, u32)| {
        let one = word.strip_prefix(ten).and_then(ordinal)?;
        (one < 10).then_some(n + one)
    };
    if let Some(n) = tens.into_iter().find_map(of_tens) {
        return Some(n);
    }
    if word == "thirtieth" {
        return Some(30);
    }
    if let Some((n, _)) = (1..).zip(NAMES).find(|(_, name)| *name == word) {
        return Some(n);
    }
    let digits = ["st", "nd", "rd", "th"]
        .iter()
        .find_map(|end| word.strip_suffix(end))?;
    (digits.len() <= 2 && digits.bytes().all(|b| b.is_ascii_digit()))
        .then(|| digits.parse().ok())?
}

/// "the 21st", "twenty first": the number, and the index after it.
pub(super) fn ordinal_at(words: &Words, at: usize) -> Option<(u32, usize)> {
    let tens = match words.get(at) {
        "twenty" => 20,
        "thirty" => 30,
        word => return Some((ordinal(word)?, at + 1)),
    };
    let one = ordinal(words.get(at + 1)).filter(|one| *one < 10)?;
    Some((tens + one, at + 2))
}

pub(in crate::assistant) fn month(word: &str) -> Option<u32> {
    const NAMES: [&str; 12] = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september",
        "october", "november", "december",
    ];
    (1..)
        .zip(NAMES)
        .find(|(_, name)| {
            *name == word
                || (word.len() == 3 && name.starts_with(word))
                || (word == "sept" && *name == "september")
        })
        .map(|(n, _)| n)
}
