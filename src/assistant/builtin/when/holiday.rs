//! Days that have a name: "christmas eve". It knows no others.

use super::Day;
use crate::assistant::builtin::words::Words;

/// Days that have a name, each year on the same date.
const HOLIDAYS: [(&str, u32, u32); 11] = [
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
];

/// Whether such a name stands at `at`, and "to" after it.
pub(in crate::assistant::builtin) fn names_holiday(words: &Words, at: usize) -> bool {
    let mut names = HOLIDAYS.iter();
    names.any(|(name, ..)| {
        words
            .after(at, &[name])
            .is_some_and(|end| words.get(end) == "to")
    })
}

/// Whether the words from `at` to the end are such a name: "christmas day".
pub(in crate::assistant::builtin) fn is_holiday(words: &Words, at: usize) -> bool {
    let mut names = HOLIDAYS.iter();
    names.any(|(name, ..)| words.after(at, &[name]) == Some(words.len()))
}

pub(super) fn holiday(words: &Words, at: usize) -> Option<(Day, usize)> {
    HOLIDAYS.iter().find_map(|(name, month, day)| {
        let end = words.after(at, &[name])?;
        // "christmas presents", "new years resolutions" name no day.
        let is_linked = at > 0
            && matches!(
                words.get(at - 1),
                "on" | "at" | "by" | "for" | "next" | "from" | "after" | "me" | "us"
            );
        let ends = end >= words.len() || matches!(words.get(end), "at" | "to" | "by" | "around");
        let (month, day) = (*month, *day);
        (is_linked && ends).then_some((Day::OfYear { month, day }, end))
    })
}
