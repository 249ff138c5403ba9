//! Words that are probably days, but are misspelled or of another language: "satruday", "mañana". It
//! guesses no day.

use crate::assistant::builtin::word_set::WordSet;

/// Names of which a misspelled word may be one. Shorter ones are too much like other words.
const NAMES: [&str; 20] = [
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "tomorrow",
    "tonight", "yesterday", "morning", "afternoon", "evening", "midnight", "weekend", "january",
    "february", "september", "november", "december",
];

/// Such words that are other words. Sorted.
static OTHERS: WordSet = WordSet::new(&[
    "frida", "moaning", "mourning", "sundae", "sundaes", "sundry",
]);

/// With this length two letters may be wrong.
const LONG_CHARS: usize = 8;

/// Days in other languages. Sorted.
static FOREIGN: WordSet = WordSet::new(&[
    "abends", "amanhã", "avond", "demain", "dienstag", "dimanche", "dinsdag", "domani", "domenica",
    "domingo", "donderdag", "donnerstag", "dziś", "freitag", "giovedì", "heute", "hoje", "hoy",
    "imorgon", "jeudi", "jueves", "jutro", "lundi", "lunedì", "lunes", "maandag", "manana",
    "mardi", "martedì", "martes", "mañana", "mercoledì", "mercredi", "mittwoch", "miércoles",
    "montag", "morgen", "oggi", "quarta", "quinta", "sabado", "sabato", "samedi", "samstag",
    "segunda", "sexta", "sonntag", "sábado", "terça", "vandaag", "vendredi", "venerdì", "viernes",
    "vrijdag", "woensdag", "zaterdag", "zondag", "übermorgen",
]);

/// Whether a word that is no time may be meant as one.
pub(in crate::assistant::builtin) fn is_like_day(word: &str) -> bool {
    if FOREIGN.contains(word) {
        return true;
    }
    let count = word.chars().count();
    if count < "mondy".len() || OTHERS.contains(word) {
        return false;
    }
    NAMES.iter().any(|name| {
        let wrong_max = match name.len() {
            LONG_CHARS.. if word.as_bytes()[0] == name.as_bytes()[0] => 2,
            _ => 1,
        };
        let plural = name.len() + 1 == word.len() && word.starts_with(name);
        *name != word && !plural && differs_by(word, name, wrong_max)
    })
}

/// Whether at most so many letters are missing, added, wrong or swapped with the next.
fn differs_by(word: &str, name: &str, wrong_max: usize) -> bool {
    let (word, name): (Vec<char>, Vec<char>) = (word.chars().collect(), name.chars().collect());
    if word.len().abs_diff(name.len()) > wrong_max {
        return false;
    }
    // The last two rows of the table of distances.
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=name.len()).collect();
    for at in 1..=word.len() {
        let mut row = vec![at];
        for to in 1..=name.len() {
            let is_same = word[at - 1] == name[to - 1];
            let mut least = (last[to - 1] + usize::from(!is_same))
                .min(last[to] + 1)
                .min(row[to - 1] + 1);
            let is_swapped =
                at > 1 && to > 1 && word[at - 1] == name[to - 2] && word[at - 2] == name[to - 1];
            if is_swapped {
                least = least.min(before[to - 2] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[name.len()] <= wrong_max
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelled_and_foreign_days_are_told_from_other_words() {
        for (word, expected) in [
            ("satruday", true),
            ("mondey", true),
            ("saterdey", true),
            ("wendesday", true),
            ("tomorow", true),
            ("mañana", true),
            ("samstag", true),
            ("monday", false),
            ("mondays", false),
            ("mandy", false),
            ("mourning", false),
            ("sunny", false),
            ("money", false),
            ("turkey", false),
            ("meeting", false),
            ("", false),
        ] {
            assert_eq!(is_like_day(word), expected, "{word}");
        }
    }
}
