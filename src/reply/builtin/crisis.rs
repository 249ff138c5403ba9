//! Detects messages of people who may be suicidal or in danger. It is checked before any other
//! rule, and must not know the answer. In doubt it says yes.

use super::words::Words;

/// Explicit statements by the writer about themselves.
const PHRASES: [&str; 51] = [
    "kill myself",
    "kill my self",
    "killing myself",
    "kms",
    "unalive myself",
    "off myself",
    "end my life",
    "ending my life",
    "end it all",
    "take my own life",
    "taking my own life",
    "take my life",
    "hang myself",
    "shoot myself",
    "cut myself",
    "cutting myself",
    "drown myself",
    "hurt myself",
    "hurting myself",
    "harm myself",
    "harming myself",
    "commit suicide",
    "committing suicide",
    "thinking about suicide",
    "thinking of suicide",
    "thoughts of suicide",
    "suicidal thoughts",
    "better off dead",
    "better off without me",
    "no reason to live",
    "nothing to live for",
    "life isnt worth living",
    "life is not worth living",
    "my life is worthless",
    "tired of living",
    "wish i was dead",
    "wish i were dead",
    "wish i could die",
    "wish i was never born",
    "someone is trying to kill me",
    "he is going to kill me",
    "hes going to kill me",
    "she is going to kill me",
    "shes going to kill me",
    "my husband beats me",
    "my wife beats me",
    // In other languages, as whoever writes them may get this answer only.
    "ich will sterben",
    "will nicht mehr leben",
    "quiero morir",
    "veux mourir",
    "quero morrer",
];

/// The same, if the word "i" or "im" is at most `BEFORE_MAX` words before.
const PHRASES_OF_I: [&str; 24] = [
    "want to die",
    "wanna die",
    "wana die",
    "want 2 die",
    "feel like dying",
    "want to be dead",
    "ready to die",
    "going to die by suicide",
    "suicidal",
    "suicidel",
    "dont want to live",
    "do not want to live",
    "dont wanna live",
    "dont want to be alive",
    "do not want to be alive",
    "dont want to be here anymore",
    "dont want to exist",
    "cant go on living",
    "cant live like this anymore",
    "dont feel safe",
    "in danger",
    "being abused",
    "being beaten",
    "took too many pills",
];

const BEFORE_MAX: usize = 3;

/// Each phrase contains one of these words. Most messages contain none, so the phrases aren't
/// compared.
fn is_telling(word: &str) -> bool {
    matches!(
        word,
        "myself"
            | "self"
            | "kms"
            | "pills"
            | "exist"
            | "here"
            | "dying"
            | "beats"
            | "worthless"
            | "suicidel"
            | "sterben"
            | "leben"
            | "morir"
            | "mourir"
            | "morrer"
            | "life"
            | "suicide"
            | "suicidal"
            | "dead"
            | "die"
            | "live"
            | "living"
            | "alive"
            | "born"
            | "kill"
            | "end"
            | "better"
            | "safe"
            | "danger"
            | "abused"
            | "beaten"
    )
}

pub(super) fn is_in(words: &Words) -> bool {
    if !words.iter().any(is_telling) {
        return false;
    }
    (0..words.len()).any(|at| {
        if words.after(at, &PHRASES).is_some() {
            return true;
        }
        let of_i = |n: usize| matches!(words.get(n), "i" | "im" | "ive" | "am" | "we" | "were");
        words.after(at, &PHRASES_OF_I).is_some()
            && (at == 0 || (at.saturating_sub(BEFORE_MAX)..=at).any(of_i))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_phrase_has_a_telling_word() {
        for phrase in PHRASES.iter().chain(&PHRASES_OF_I) {
            assert!(phrase.split(' ').any(is_telling), "{phrase}");
        }
    }

    #[test]
    fn crises_are_told_from_talk() {
        let cases = [
            ("I want to die", true),
            ("i just wanna die", true),
            ("I don't want to live anymore.", true),
            ("want to die", true),
            ("hey, I'm thinking of killing myself", true),
            ("remind me tomorrow that I wish I was dead", true),
            ("I'm suicidal", true),
            ("I am in danger", true),
            ("i dont wanna live", true),
            ("kms", true),
            ("I'm having suicidal thoughts", true),
            ("I don't want to be here anymore", true),
            ("ich will nicht mehr leben", true),
            ("Je veux mourir", true),
            ("do I want to be here tomorrow?", false),
            ("cut myself a slice of cake", true),
            ("I don't feel safe at home", true),
            ("I could die for a pizza", false),
            ("we watched Suicide Squad", false),
            ("my plants want to die", false),
            ("these birds are in danger of dying out", false),
            ("I nearly died laughing", false),
            ("remind me at 5 to call mom", false),
            ("", false),
        ];
        for (text, expected) in cases {
            assert_eq!(is_in(&Words::new(text)), expected, "{text}");
        }
    }
}
