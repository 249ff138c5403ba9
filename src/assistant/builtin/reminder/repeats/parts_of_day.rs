//! Parts of a day that recur: "morning and evening".

use super::frequency::{Frequency, Unit, part_of_day};
use crate::assistant::text::when::weekday_name;
use crate::assistant::text::words::Words;

/// The first of "morning and evening": each day, unlike "tomorrow morning and evening".
pub(super) fn read(words: &Words, at: usize) -> Option<(Frequency, usize)> {
    names_parts_of_day(words, at).then(|| {
        let frequency = Frequency {
            part: part_of_day(words.get(at)),
            ..Frequency::of(Unit::Day, 1)
        };
        (frequency, at + 1)
    })
}

pub(super) fn names_parts_of_day(words: &Words, at: usize) -> bool {
    let is_pair = matches!(words.get(at + 1), "and" | "&")
        && part_of_day(words.get(at)).is_some()
        && part_of_day(words.get(at + 2)).is_some();
    let before = at.checked_sub(1).map_or("", |n| words.get(n));
    is_pair
        && !matches!(before, "tomorrow" | "this" | "the" | "next" | "a" | "my")
        && weekday_name(before).is_none()
}
