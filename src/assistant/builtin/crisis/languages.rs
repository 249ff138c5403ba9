//! What people say in a crisis in other languages than English, in the notation of `grammar`, and without
//! accents and apostrophes as `spelling` leaves them out.

mod danger;
mod despair;
mod emergency;

use super::rule_set::CrisisKind::{Danger, Despair, Emergency, Overdose};
use super::rule_set::{RuleSet, context::*};

pub(super) const LANGUAGES: [RuleSet; 4] = [
    RuleSet {
        kind: Despair,
        yields_to: 0,
        rules: despair::DESPAIR,
    },
    RuleSet {
        kind: Danger,
        yields_to: 0,
        rules: danger::DANGERS,
    },
    RuleSet {
        kind: Emergency,
        yields_to: LAUGHTER | PAST,
        rules: emergency::EMERGENCIES,
    },
    RuleSet {
        kind: Overdose,
        yields_to: LAUGHTER,
        rules: emergency::OVERDOSES,
    },
];

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
