//! Replies that say that they noted what a message only states ("12 on lunch"), or what a photo
//! shows, although nothing was called. The words of the message ask for nothing, so those of the
//! reply tell.

use super::claim_words::NOT_DONE;
use super::statements::{clauses, plain, statements, words};
use super::text_claims::{is_done, is_plain_question, says_done, without_turkish_not};
use crate::assistant::wording::told_numbers;
use crate::ingest::replies::model_turn::ModelTurn;

/// Statements at the beginning of a reply in which such a word is looked for.
const STATEMENTS: usize = 2;
/// A reply with one of these says that something was put down.
const RECORDED: [&str; 15] = [
    "logged", "recorded", "eingetragen", "verbucht", "registrado", "registré", "enregistré",
    "registrato", "geregistreerd", "registrerat", "記録しました", "kaydettim", "kaydedildi",
    "已记录", "기록했",
];
/// The same after a number; after other talk it is a mere "I see".
const NOTED: [&str; 14] = [
    "noted", "notiert", "anotado", "apuntado", "noté", "annotato", "segnato", "genoteerd",
    "noterat", "antecknat", "записано", "записал", "zanotowane", "zapisane",
];
/// Beginnings of what the assistant says of itself.
const OWN: [&str; 11] = [
    "i've ", "i have ", "ich hab", "hab ", "he ", "j'ai ", "ho ", "ik heb ", "eu ", "jag har ",
    "я ",
];

impl ModelTurn<'_> {
    pub(super) fn claims_noted(&self, text: &str) -> bool {
        let message = &self.context.message.text;
        let has_photos = !self.context.photos.is_empty();
        let tells_amount =
            || !told_numbers(message).is_empty() && !self.times_in(message).names_hour();
        !is_plain_question(message)
            && !says_done(message)
            && begins_with(text, |clause| {
                let has = |words: &[&str]| words.iter().any(|word| has_word(clause, word));
                has(&RECORDED)
                    || has(&NOTED) && (has_photos || tells_amount())
                    || has_photos
                        && is_done(clause)
                        && OWN.iter().any(|own| clause.starts_with(own))
            })
    }
}

/// Whether a clause of the first statements is such a one.
fn begins_with(text: &str, is_one: impl Fn(&str) -> bool) -> bool {
    let text = plain(text);
    let mut clauses = statements(&text).take(STATEMENTS).flat_map(clauses);
    clauses.any(|clause| {
        let clause = without_turkish_not(&clause);
        let mut words = words(&clause);
        !words.any(|word| NOT_DONE.contains(&word))
            && is_one(clause.trim_start_matches(|c: char| !c.is_alphanumeric()))
    })
}

/// Whether it stands there as a word, or, in a script without spaces, as a part.
fn has_word(clause: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphabetic() && !is_unspaced(c);
    clause.match_indices(word).any(|(at, _)| {
        !clause[..at].ends_with(is_part) && !clause[at + word.len()..].starts_with(is_part)
    })
}

fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_down_is_told_from_an_echo() {
        for (text, expected) in [
            ("Logged your run!", true),
            ("昼食の1200円を記録しました。", true),
            ("Kaydettim.", true),
            ("12 Euro, schon eingetragen!", true),
            ("Great run! It is not recorded yet.", false),
            ("A fine run. Well done. It was recorded in 2009.", false),
            ("Catalogued.", false),
        ] {
            let is_recorded = |clause: &str| RECORDED.iter().any(|word| has_word(clause, word));
            assert_eq!(begins_with(text, is_recorded), expected, "{text}");
        }
    }
}
