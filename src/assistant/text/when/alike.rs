//! Words that are probably days, but are misspelled or of another language: "satruday", "mañana".

use crate::assistant::text::word_set::WordSet;

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
pub(in crate::assistant) fn is_like_day(word: &str) -> bool {
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
    // Each such letter is one that only one of them has, or one of each.
    let others = (letters(word) ^ letters(name)).count_ones();
    others as usize <= 2 * wrong_max && strsim::osa_distance(word, name) <= wrong_max
}

/// A bit for each letter of a word; letters that are not of the alphabet have one together.
fn letters(word: &str) -> u32 {
    let bit = |byte: u8| match byte {
        b'a'..=b'z' => 1 << (byte - b'a'),
        _ => 1 << 26,
    };
    word.bytes().fold(0, |all, byte| all | bit(byte))
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
