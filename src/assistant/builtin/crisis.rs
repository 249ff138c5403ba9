//! Detects messages of people who may be suicidal, in danger or in an emergency. It is checked before
//! any other rule, and must not know the answer. In doubt it says yes.

mod dangers;
mod home;
mod languages;
mod phrases;
mod spelling;
mod telling;

use std::sync::LazyLock;

use super::word_set::WordMap;
use super::words::Words;
use dangers::{
    DANGERS, DANGERS_OF_I, EMERGENCIES, EMERGENCIES_ENDING, EMERGENCIES_OF_I,
    EMERGENCIES_OF_PERSON, LAUGHED_AT, LAUGHTER, NO_EMERGENCY, NO_EMERGENCY_OF_SLEEP, NO_VIOLENCE,
    NO_VIOLENCE_ENDS, NOBODY, OF_SLEEP, OVERDOSES, VIOLENCE, WHOLE_EMERGENCIES,
};
use phrases::{
    ACCIDENTS, ENDING, ENDING_FOLLOWS, IDIOMS, NO_SUICIDE_AFTER, NO_SUICIDE_BEFORE, PHRASES,
    PHRASES_OF_I, THINGS, WHOLE,
};
use telling::TELLING;

/// What somebody in a crisis needs to be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CrisisKind {
    /// They may want to die or to hurt themselves.
    Despair,
    /// Somebody hurts or threatens them.
    Danger,
    /// Somebody needs an ambulance, or the fire brigade.
    Emergency,
    /// An emergency of somebody who may want to die, as after too many pills.
    Overdose,
}

/// More pills at once are an emergency.
const PILLS_MAX: u32 = 5;

/// Words between "i" and a phrase that needs it.
const BEFORE_MAX: usize = 3;
/// Words between a person and what they do.
const PERSON_BEFORE_MAX: usize = 8;

fn is_telling(word: &str) -> bool {
    TELLING.contains(word) || !word.is_ascii() || spelling::is_misspelled(word)
}

pub(in crate::assistant) fn kind(words: &Words) -> Option<CrisisKind> {
    use CrisisKind::{Danger, Despair, Emergency, Overdose};
    if !words.iter().any(is_telling) {
        return None; // most messages
    }
    let text = spelling::plain(words);
    let words = &Words::new(&text);
    let is_in = |rule: fn(&Words, usize) -> bool| (0..words.len()).any(|at| rule(words, at));
    let is_despair = is_in(is_despair) || is_whole(words, WHOLE);
    let laughs = words.iter().any(|word| LAUGHTER.contains(&word));
    let is_meant = |at: usize| !laughs || words.after(at, LAUGHED_AT).is_none();
    let is_emergency = (0..words.len()).any(|at| is_emergency(words, at) && is_meant(at))
        || is_whole(words, WHOLE_EMERGENCIES);
    if is_in(is_overdose) || is_despair && is_emergency {
        Some(Overdose)
    } else if is_emergency {
        Some(Emergency)
    } else if is_despair {
        Some(Despair)
    } else {
        is_in(is_danger).then_some(Danger)
    }
}

fn is_despair(words: &Words, at: usize) -> bool {
    let word = words.get(at);
    begins_phrase(word) && is_phrase(words, at)
        || languages::PARTS.iter().any(|part| word.contains(part))
        || is_of_suicide(words, at)
        || is_of_another(words, at)
}

/// Whether one of the phrases begins with this word: few words do.
fn begins_phrase(word: &str) -> bool {
    static FIRST_WORDS: LazyLock<WordMap<()>> = LazyLock::new(|| {
        let phrases = PHRASES.iter().chain(&languages::PHRASES);
        let phrases = phrases.chain(PHRASES_OF_I).chain(ENDING);
        let words = phrases.filter_map(|phrase| phrase.split(' ').next());
        WordMap::merged(words.map(|word| (word, ())), |(), ()| ())
    });
    word == "kms" || FIRST_WORDS.get(word).is_some()
}

fn is_phrase(words: &Words, at: usize) -> bool {
    words
        .after(at, PHRASES)
        .is_some_and(|next| !is_accident(words, at, next) && !is_of_things(words, at, next))
        || words.after(at, &languages::PHRASES).is_some()
        || is_ending(words, at, ENDING)
        || is_of_i(words, at)
        || words.get(at) == "kms" && at > 0 && !is_distance(words.get(at - 1))
        || words.get(at) == "kms"
            && at == 0
            && matches!(
                words.get(1),
                "tonight" | "now" | "today" | "tomorrow" | "lol" | "fr"
            )
}

/// The words before "kms" where it is kilometers.
fn is_distance(before: &str) -> bool {
    before.starts_with(|c: char| c.is_ascii_digit())
        || matches!(
            before,
            "many"
                | "few"
                | "more"
                | "some"
                | "of"
                | "the"
                | "in"
                | "extra"
                | "hundred"
                | "ten"
                | "two"
                | "three"
                | "five"
                | "six"
                | "several"
                | "per"
                | "my"
                | "ran"
                | "total"
        )
}

/// The whole message, which has no other words.
fn is_whole(words: &Words, phrases: &[&str]) -> bool {
    let is_all = |phrase: &&str| words.after(0, &[phrase]) == Some(words.len());
    phrases.iter().any(is_all)
}

/// The word itself, unlike "suicide squad" and "career suicide".
fn is_of_suicide(words: &Words, at: usize) -> bool {
    let before = at.checked_sub(1).map_or("", |before| words.get(before));
    words.get(at) == "suicide"
        && !NO_SUICIDE_BEFORE.contains(&before)
        && words.after(at + 1, NO_SUICIDE_AFTER).is_none()
}

/// "cut myself shaving", "accidentally hurt myself", "shoot myself in the foot".
fn is_accident(words: &Words, at: usize, next: usize) -> bool {
    let hurt = ["cut myself", "hurt myself", "shoot myself"];
    let is_hurt = words.after(at, &hurt).is_some();
    let is_told_so = at > 0 && words.get(at - 1) == "accidentally";
    is_hurt && (is_told_so || words.after(next, ACCIDENTS).is_some())
}

/// "send it all emails" with a letter missing: other things are meant by "all".
fn is_of_things(words: &Words, at: usize, next: usize) -> bool {
    words.after(at, &["end it all"]) == Some(next) && words.after(next, THINGS) == Some(words.len())
}

/// "I want to end it", and no more: "… the meeting early" is none.
fn is_ending(words: &Words, at: usize, phrases: &[&str]) -> bool {
    let Some(next) = words.after(at, phrases) else {
        return false;
    };
    next == words.len() || words.after(next, ENDING_FOLLOWS).is_some()
}

fn is_of_i(words: &Words, at: usize) -> bool {
    let Some(next) = after_i(words, at, PHRASES_OF_I) else {
        return false;
    };
    let is_idiom = words.after(next, IDIOMS).is_some();
    let is_of_home = words.get(next - 1) == "live" && home::is_named(words, next);
    !is_idiom && !is_of_home
}

/// The word after a phrase that "i" is before; `None` also where it is denied.
fn after_i(words: &Words, at: usize, phrases: &[&str]) -> Option<usize> {
    let next = words.after(at, phrases)?;
    let is_denied = at > 0
        && matches!(words.get(at), "suicidal" | "in" | "being" | "choking")
        && matches!(words.get(at - 1), "not" | "never");
    let of_i = |n: usize| {
        matches!(
            words.get(n),
            "i" | "im" | "ive" | "id" | "ill" | "am" | "we" | "were"
        )
    };
    let begins = matches!(
        words.get(0),
        "going" | "want" | "might" | "ready" | "trying"
    );
    let is_own =
        at == 0 || begins && at <= BEFORE_MAX || (at.saturating_sub(BEFORE_MAX)..=at).any(of_i);
    (is_own && !is_denied).then_some(next)
}

fn is_overdose(words: &Words, at: usize) -> bool {
    let phrase = words.after(at, OVERDOSES);
    is_of_many_pills(words, at) || phrase.is_some_and(|next| words.after(next, IDIOMS).is_none())
}

/// What too much of is an emergency.
const DRUGS: [&str; 19] = [
    "pills", "pils", "tablets", "tylenol", "tylenols", "paracetamol", "paracetamols", "xanax",
    "ibuprofen", "ibuprofens", "sleeping", "antidepressants", "aspirin", "aspirins", "painkillers",
    "valium", "ambien", "meds", "opioids",
];

/// "took 30 pills", "took a whole pack of paracetamol": two are medicine.
fn is_of_many_pills(words: &Words, at: usize) -> bool {
    const AMOUNTS: &[&str] = &[
        "a whole pack of", "the whole pack of", "a whole box of", "the whole box of",
        "a whole bottle of", "the whole bottle of", "way too much", "way too many", "too much",
        "too many", "a bunch of", "a handful of",
    ];
    if !matches!(words.get(at), "took" | "taken" | "swallowed" | "ate") {
        return false;
    }
    let from = words
        .after(at + 1, &["like", "about", "around", "over"])
        .unwrap_or(at + 1);
    let count = words.get(from).parse::<u32>().ok();
    let counted = count.filter(|count| *count > PILLS_MAX).map(|_| from + 1);
    counted
        .or_else(|| words.after(from, AMOUNTS))
        .is_some_and(|next| DRUGS.contains(&words.get(next)))
}

fn is_danger(words: &Words, at: usize) -> bool {
    let phrase = words.after(at, DANGERS);
    let phrase = phrase.or_else(|| after_i(words, at, DANGERS_OF_I));
    phrase.is_some() || words.after(at, languages::DANGERS).is_some() || is_of_violence(words, at)
}

/// "My boyfriend hits me", unlike "he beats me at chess" and "then it hits me".
fn is_of_violence(words: &Words, at: usize) -> bool {
    let Some(next) = words.after(at, VIOLENCE) else {
        return false;
    };
    let is_harmless = words.after(next, NO_VIOLENCE).is_some()
        || words.after(next, NO_VIOLENCE_ENDS) == Some(words.len());
    at > 0 && !NOBODY.contains(&words.get(at - 1)) && !is_harmless && is_after_person(words, at)
}

fn is_emergency(words: &Words, at: usize) -> bool {
    let phrase = words.after(at, EMERGENCIES);
    let phrase = phrase.or_else(|| after_i(words, at, EMERGENCIES_OF_I));
    let phrase = phrase.or_else(|| {
        let next = words.after(at, EMERGENCIES_OF_PERSON)?;
        is_after_person(words, at).then_some(next)
    });
    let is_nearly = at > 0 && matches!(words.get(at - 1), "almost" | "nearly" | "me");
    let is_asleep = |next: usize| {
        (at..next).any(|n| OF_SLEEP.contains(&words.get(n)))
            && words.after(next, NO_EMERGENCY_OF_SLEEP).is_some()
    };
    phrase.is_some_and(|next| words.after(next, NO_EMERGENCY).is_none() && !is_asleep(next))
        || is_ending(words, at, EMERGENCIES_ENDING) && !is_nearly
        || words.after(at, languages::EMERGENCIES).is_some()
}

/// Whether a person stands before the word.
fn is_after_person(words: &Words, at: usize) -> bool {
    (at.saturating_sub(PERSON_BEFORE_MAX)..at).any(|n| is_person(words.get(n)))
}

/// "my friend wants to die", unlike a plant or a phone.
fn is_of_another(words: &Words, at: usize) -> bool {
    let wants = words.after(
        at,
        &[
            "wants to die", "doesnt want to live", "said goodbye to everyone", "wants to end it",
        ],
    );
    wants.is_some_and(|next| words.after(next, IDIOMS).is_none())
        && (at.saturating_sub(2)..at).any(|n| is_person(words.get(n)))
}

fn is_person(word: &str) -> bool {
    PEOPLE.contains(&word)
}

const PEOPLE: [&str; 57] = [
    "husband", "wife", "boyfriend", "girlfriend", "partner", "ex", "bf", "gf", "fiance", "fiancé",
    "dad", "father", "stepdad", "stepfather", "mom", "mum", "mother", "mama", "stepmom",
    "stepmother", "parents", "brother", "sister", "uncle", "aunt", "cousin", "grandma", "grandpa",
    "grandmother", "grandfather", "son", "daughter", "child", "kid", "baby", "toddler", "boss",
    "neighbor", "neighbour", "friend", "roommate", "flatmate", "man", "guy", "woman", "girl",
    "boy", "stranger", "someone", "somebody", "someones", "he", "hes", "she", "shes", "they",
    "theyre",
];

#[cfg(test)]
mod tests;
