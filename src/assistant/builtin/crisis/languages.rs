//! What people say in a crisis in other languages than English, in the notation of `grammar`, and
//! without accents and apostrophes as `spelling` leaves them out.

mod danger;
mod despair;
mod emergency;
mod of_others;
mod other_meanings;

use super::CrisisKind::{self, Danger, Despair, Emergency, OtherInDespair, Overdose};
use super::pattern_set::{PatternSet, context::*};

pub(super) use other_meanings::OTHER_MEANINGS;

/// A language (a tag of BCP 47) and its patterns.
type InLanguage = (&'static str, &'static [&'static str]);

/// Each kind of crisis: the contexts that rule it out, and its patterns.
const KINDS: [(CrisisKind, u16, &[InLanguage]); 6] = [
    (Despair, 0, despair::DESPAIR),
    (Despair, LAUGHTER | TRIFLE, despair::VEILED),
    (OtherInDespair, FICTION, of_others::OF_OTHERS),
    (Danger, 0, danger::DANGERS),
    (Emergency, LAUGHTER | PAST, emergency::EMERGENCIES),
    (Overdose, LAUGHTER, emergency::OVERDOSES),
];

pub(super) fn pattern_sets() -> impl Iterator<Item = PatternSet> {
    KINDS.into_iter().flat_map(|(kind, yields_to, languages)| {
        languages
            .iter()
            .map(move |(language, patterns)| PatternSet {
                kind,
                yields_to,
                language,
                patterns,
            })
    })
}

/// Whether a word without spaces says it.
pub(super) fn is_despair(word: &str) -> bool {
    !word.is_ascii() && PARTS.iter().any(|part| word.contains(part))
}

/// Parts of words, in languages without spaces between words.
const PARTS: [&str; 15] = [
    "消えたい",
    "死にたい",
    "自殺したい",
    "消えてしまいたい",
    "生きていたくない",
    "想死",
    "想自杀",
    "想自殺",
    "不想活",
    "活不下去",
    "죽고싶",
    "자살하고싶",
    "อยากตาย",
    "ไม่อยากมีชีวิตอยู่",
    "ฆ่าตัวตาย",
];
