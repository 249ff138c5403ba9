//! Days that have a name: "christmas eve", "easter monday".

use super::Day;
use crate::assistant::text::words::Words;

/// Days that have a name, each year on the same date.
const DATES: [(&str, u32, u32); 12] = [
    ("christmas eve", 12, 24),
    ("xmas eve", 12, 24),
    ("christmas day", 12, 25),
    ("christmas", 12, 25),
    ("xmas", 12, 25),
    ("boxing day", 12, 26),
    ("new years eve", 12, 31),
    ("new years day", 1, 1),
    ("new years", 1, 1),
    ("halloween", 10, 31),
    ("valentines day", 2, 14),
    ("valentines", 2, 14),
];

/// Days that have a name, so many days after Easter Sunday.
const OF_EASTER: [(&str, i64); 4] = [
    ("good friday", -2),
    ("easter monday", 1),
    ("easter sunday", 0),
    ("easter", 0),
];

/// The longest name at `at`, its day, and the index after it.
fn named(words: &Words, at: usize) -> Option<(&'static str, Day, usize)> {
    let dates = DATES.iter().map(|(name, month, day)| {
        let (month, day) = (*month, *day);
        (*name, Day::OfYear { month, day })
    });
    let of_easter = OF_EASTER
        .iter()
        .map(|(name, days)| (*name, Day::Easter(*days)));
    let mut all = dates.chain(of_easter);
    all.find_map(|(name, day)| Some((name, day, words.after(at, &[name])?)))
}

/// Whether such a name stands at `at`, and "to" after it.
pub(in crate::assistant) fn names_holiday(words: &Words, at: usize) -> bool {
    named(words, at).is_some_and(|(_, _, end)| words.get(end) == "to")
}

/// Whether the words from `at` to the end are such a name: "christmas day".
pub(in crate::assistant) fn is_holiday(words: &Words, at: usize) -> bool {
    named(words, at).is_some_and(|(_, _, end)| end == words.len())
}

pub(super) fn holiday(words: &Words, at: usize) -> Option<(Day, usize)> {
    let (name, day, end) = named(words, at)?;
    let before = |n: usize| at.checked_sub(n).map_or("", |n| words.get(n));
    // "christmas presents", "new years resolutions" name no day, and "buy flowers for valentine's
    // day" names none on which to buy them.
    let is_linked = match before(1) {
        "for" => matches!(before(2), "" | "me" | "us" | "reminder" | "alarm"),
        link => matches!(
            link,
            "on" | "at"
                | "by"
                | "next"
                | "from"
                | "after"
                | "before"
                | "me"
                | "us"
                | "until"
                | "till"
                | "til"
        ),
    };
    // "buy champagne new year's eve", unlike "plan christmas eve".
    let is_of_two = name.contains(' ') && name != "new years";
    let is_after_task = is_of_two && at > 1 && before(1) != "for" && before(2) != "to";
    let ends = end >= words.len()
        || matches!(words.get(end), "at" | "to" | "by" | "around")
        || is_hour(words.get(end));
    ((is_linked || is_after_task) && ends).then_some((day, end))
}

/// "10am", "18:30"
fn is_hour(word: &str) -> bool {
    let is_half = word.ends_with("am") || word.ends_with("pm");
    word.starts_with(|c: char| c.is_ascii_digit()) && (is_half || word.contains(':'))
}
