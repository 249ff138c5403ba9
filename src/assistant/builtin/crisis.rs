//! Detects messages of people who may be suicidal or in danger. It is checked before any other
//! rule, and must not know the answer. In doubt it says yes.

use super::word_set::WordSet;
use super::words::Words;

/// Explicit statements by the writer about themselves.
const PHRASES: [&str; 99] = [
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
    "wants to kill me",
    "threatened to kill me",
    "threatens to kill me",
    "tried to kill me",
    "kill herself",
    "kill himself",
    "kill themselves",
    "killing herself",
    "killing himself",
    "is suicidal",
    "shes suicidal",
    "hes suicidal",
    "isnt worth living",
    "not worth living",
    "point of living",
    "point in living",
    "nobody would miss me",
    "no one would miss me",
    "nobody will miss me",
    "no one will miss me",
    "would care if i died",
    "im not safe",
    "i am not safe",
    "breaking into my house",
    "breaking into my home",
    "breaking into my apartment",
    "breaking into my flat",
    "break into my house",
    "someone is following me",
    "someones following me",
    "having a heart attack",
    "having a stroke",
    // In other languages, as whoever writes them may get this answer only.
    "ich will sterben",
    "will nicht mehr leben",
    "quiero morir",
    "will mich umbringen",
    "bringe mich um",
    "bring mich um",
    "no quiero vivir",
    "quiero suicidarme",
    "quiero matarme",
    "me quiero matar",
    "veux mourir",
    "veux me tuer",
    "vais me tuer",
    "veux me suicider",
    "veux plus vivre",
    "quero morrer",
    "quero me matar",
    "voglio morire",
    "voglio uccidermi",
    "voglio ammazzarmi",
    "ik wil dood",
    "хочу умереть",
    "не хочу жить",
];

/// The same in languages without spaces between words.
const PARTS: [&str; 6] = [
    "死にたい",
    "自殺したい",
    "想死",
    "想自杀",
    "不想活",
    "죽고싶",
];

/// The same, if the word "i" or "im" is at most `BEFORE_MAX` words before.
const PHRASES_OF_I: [&str; 50] = [
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
    "took all my pills",
    "took all the pills",
    "took all of my pills",
    "took a lot of pills",
    "took a bunch of pills",
    "took a bottle of pills",
    "took an overdose",
    "taken an overdose",
    "overdosed",
    "jump off a bridge",
    "jump off the bridge",
    "jump off a building",
    "jump off a roof",
    "jump off the roof",
    "jump in front of a train",
    "being followed",
    "cant breathe",
    "cant do this anymore",
    "cannot do this anymore",
    "cant do this any more",
    "cant take it anymore",
    "cant take this anymore",
    "cant go on anymore",
    "cant go on like this",
    "want to disappear",
    "wanna disappear",
];

/// What people say of boredom, after "want to die".
const IDIOMS: [&str; 7] = [
    "of boredom",
    "of laughter",
    "laughing",
    "of embarrassment",
    "of cringe",
    "of shame",
    "from boredom",
];

/// Violence, after a person: "my boyfriend hits me".
const VIOLENCE: [&str; 10] = [
    "hits me",
    "is hitting me",
    "beats me",
    "beat me up",
    "beats me up",
    "is beating me",
    "chokes me",
    "choked me",
    "punched me",
    "raped me",
];

/// More pills at once are an emergency.
const PILLS_MAX: u32 = 5;

const BEFORE_MAX: usize = 3;

/// Each phrase contains one of these words. Most messages contain none, so the phrases aren't
/// compared.
static TELLING: WordSet = WordSet::new(&[
    "abused",
    "alive",
    "ammazzarmi",
    "anymore",
    "beat",
    "beaten",
    "beating",
    "beats",
    "better",
    "born",
    "break",
    "breaking",
    "breathe",
    "choked",
    "chokes",
    "danger",
    "dead",
    "die",
    "died",
    "disappear",
    "dood",
    "dying",
    "end",
    "exist",
    "followed",
    "following",
    "heart",
    "here",
    "herself",
    "himself",
    "hits",
    "hitting",
    "jump",
    "kill",
    "kms",
    "leben",
    "life",
    "like",
    "live",
    "living",
    "matar",
    "matarme",
    "miss",
    "more",
    "morir",
    "morire",
    "morrer",
    "mourir",
    "myself",
    "overdose",
    "overdosed",
    "pills",
    "punched",
    "raped",
    "safe",
    "self",
    "sterben",
    "stroke",
    "suicidal",
    "suicidarme",
    "suicide",
    "suicidel",
    "suicider",
    "tablets",
    "themselves",
    "tuer",
    "uccidermi",
    "um",
    "umbringen",
    "vivir",
    "vivre",
    "worthless",
]);

fn is_telling(word: &str) -> bool {
    TELLING.contains(word) || !word.is_ascii()
}

pub(in crate::assistant) fn is_in(words: &Words) -> bool {
    if !words.iter().any(is_telling) {
        return false;
    }
    (0..words.len()).any(|at| {
        words.after(at, &PHRASES).is_some()
            || PARTS.iter().any(|part| words.get(at).contains(part))
            || is_of_i(words, at)
            || is_of_many_pills(words, at)
            || is_of_violence(words, at)
    })
}

fn is_of_i(words: &Words, at: usize) -> bool {
    let Some(next) = words.after(at, &PHRASES_OF_I) else {
        return false;
    };
    let is_idiom = words.after(next, &IDIOMS).is_some();
    let is_denied = at > 0
        && matches!(words.get(at), "suicidal" | "in" | "being")
        && matches!(words.get(at - 1), "not" | "never");
    let of_i = |n: usize| matches!(words.get(n), "i" | "im" | "ive" | "am" | "we" | "were");
    !is_idiom && !is_denied && (at == 0 || (at.saturating_sub(BEFORE_MAX)..=at).any(of_i))
}

/// "took 30 pills": two are medicine.
fn is_of_many_pills(words: &Words, at: usize) -> bool {
    let count = || words.get(at + 1).parse::<u32>();
    matches!(words.get(at), "took" | "taken" | "swallowed")
        && matches!(words.get(at + 2), "pills" | "tablets")
        && count().is_ok_and(|count| count > PILLS_MAX)
}

fn is_of_violence(words: &Words, at: usize) -> bool {
    let is_person = at > 0
        && matches!(
            words.get(at - 1),
            "husband"
                | "wife"
                | "boyfriend"
                | "girlfriend"
                | "partner"
                | "ex"
                | "dad"
                | "father"
                | "stepdad"
                | "stepfather"
                | "mom"
                | "mum"
                | "mother"
                | "stepmom"
                | "brother"
                | "uncle"
                | "boss"
                | "he"
                | "she"
        );
    // "He beats me at chess" is a game.
    let game = |next| matches!(words.get(next), "at" | "in" | "to" | "up" | "with" | "on");
    is_person && words.after(at, &VIOLENCE).is_some_and(|next| !game(next))
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
            ("i took all my pills", true),
            ("I took an overdose", true),
            ("i just took 30 pills", true),
            ("i took 2 pills", false),
            ("I took my pills", false),
            ("i'm gonna jump off a bridge", true),
            ("my husband wants to kill me", true),
            ("my boyfriend hits me", true),
            ("my dad beats me at chess", false),
            ("then it hits me", false),
            ("I'm not safe at home", true),
            ("someone is breaking into my house", true),
            ("help i'm being followed", true),
            ("I'm having a heart attack", true),
            ("it isn't worth living", true),
            ("nobody would miss me", true),
            ("whats the point of living", true),
            ("i cant do this anymore", true),
            ("i can't go on friday", false),
            ("i want to disappear forever", true),
            ("my friend wants to kill herself", true),
            ("no quiero vivir", true),
            ("quiero vivir en Madrid", false),
            ("quiero suicidarme", true),
            ("ich bringe mich um", true),
            ("je veux me tuer", true),
            ("voglio morire", true),
            ("もう死にたい", true),
            ("牛乳を買う", false),
            ("I am not suicidal", false),
            ("I'm not in danger", false),
            ("my phone died and I want to die of boredom", false),
            ("", false),
        ];
        for (text, expected) in cases {
            assert_eq!(is_in(&Words::new(text)), expected, "{text}");
        }
    }
}
