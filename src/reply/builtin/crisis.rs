//! Detects messages of people who may be suicidal or in danger. It is checked before any other
//! rule, and must not know the answer. In doubt it says yes.

use super::words::Words;

/// Explicit statements by the writer about themselves.
const PHRASES: [&str; 26] = [
    "kill myself",
    "killing myself",
    "end my life",
    "ending my life",
    "end it all",
    "take my own life",
    "taking my own life",
    "take my life",
    "hang myself",
    "shoot myself",
    "hurt myself",
    "hurting myself",
    "harm myself",
    "harming myself",
    "commit suicide",
    "committing suicide",
    "thinking about suicide",
    "thinking of suicide",
    "better off dead",
    "better off without me",
    "no reason to live",
    "nothing to live for",
    "wish i was dead",
    "wish i were dead",
    "wish i was never born",
    "someone is trying to kill me",
];

/// The same, if the word "i" or "im" is at most `BEFORE_MAX` words before.
const PHRASES_OF_I: [&str; 15] = [
    "want to die",
    "wanna die",
    "want to be dead",
    "ready to die",
    "going to die by suicide",
    "suicidal",
    "dont want to live",
    "do not want to live",
    "dont want to be alive",
    "do not want to be alive",
    "cant go on living",
    "dont feel safe",
    "in danger",
    "being abused",
    "being beaten",
];

const BEFORE_MAX: usize = 3;

/// Each phrase contains one of these words. Most messages contain none, so the phrases aren't
/// compared.
fn is_telling(word: &str) -> bool {
    matches!(
        word,
        "myself"
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
