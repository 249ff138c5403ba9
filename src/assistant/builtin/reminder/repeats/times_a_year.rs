//! How often a year: "twice yearly", "4 times a year".

use crate::assistant::text::phrases::Phrases;
use crate::assistant::text::words::Words;

/// How many months are between "twice a year", "4 times a year".
pub(super) fn months(words: &Words, at: usize) -> Option<(u32, usize)> {
    static COUNTS: [(Phrases, u32); 3] = [
        (Phrases::new(&["twice", "two times", "2 times", "2x"]), 6),
        (Phrases::new(&["three times", "3 times", "3x"]), 4),
        (Phrases::new(&["four times", "4 times", "4x"]), 3),
    ];
    let (months, from) = COUNTS
        .iter()
        .find_map(|(counts, months)| Some((*months, words.after(at, counts)?)))?;
    static YEAR: Phrases = Phrases::new(&[
        "a year", "per year", "each year", "every year", "yearly", "annually",
    ]);
    Some((months, words.after(from, &YEAR)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_a_year_are_so_many_months_apart() {
        for (text, expected) in [
            ("twice yearly", Some(6)),
            ("twice a year", Some(6)),
            ("3 times a year", Some(4)),
            ("four times a year", Some(3)),
            ("twice a week", None),
            ("5 times a year", None),
        ] {
            let found = months(&Words::new(text), 0).map(|(months, _)| months);
            assert_eq!(found, expected, "{text}");
        }
    }
}
