//! Detects messages of people who may be suicidal or in danger. It is checked before any other
//! rule, and must not know the answer. In doubt it says yes.

mod home;
mod languages;
mod phrases;
mod telling;

use std::sync::LazyLock;

use super::word_set::WordMap;
use super::words::Words;
use phrases::{ACCIDENTS, ENDING, ENDING_FOLLOWS, IDIOMS, PHRASES, PHRASES_OF_I, THINGS, VIOLENCE};
use telling::TELLING;

/// More pills at once are an emergency.
const PILLS_MAX: u32 = 5;

const BEFORE_MAX: usize = 3;

fn is_telling(word: &str) -> bool {
    TELLING.contains(word) || !word.is_ascii()
}

pub(in crate::assistant) fn is_in(words: &Words) -> bool {
    if !words.iter().any(is_telling) {
        return false;
    }
    (0..words.len()).any(|at| {
        let word = words.get(at);
        begins_phrase(word) && is_phrase(words, at)
            || languages::PARTS.iter().any(|part| word.contains(part))
            || is_of_many_pills(words, at)
            || is_of_violence(words, at)
            || is_of_another(words, at)
    })
}

/// Whether one of the phrases begins with this word: few words do.
fn begins_phrase(word: &str) -> bool {
    static FIRST_WORDS: LazyLock<WordMap<()>> = LazyLock::new(|| {
        let phrases = PHRASES.iter().chain(&languages::PHRASES);
        let phrases = phrases.chain(&PHRASES_OF_I).chain(&ENDING);
        let words = phrases.filter_map(|phrase| phrase.split(' ').next());
        WordMap::merged(words.map(|word| (word, ())), |(), ()| ())
    });
    FIRST_WORDS.get(word).is_some()
}

fn is_phrase(words: &Words, at: usize) -> bool {
    words
        .after(at, &PHRASES)
        .is_some_and(|next| !is_accident(words, at, next) && !is_of_things(words, at, next))
        || words.after(at, &languages::PHRASES).is_some()
        || is_of_ending(words, at)
        || is_of_i(words, at)
}

/// "cut myself shaving", "accidentally hurt myself".
fn is_accident(words: &Words, at: usize, next: usize) -> bool {
    let is_hurt = words.after(at, &["cut myself", "hurt myself"]).is_some();
    let is_told_so = at > 0 && words.get(at - 1) == "accidentally";
    is_hurt && (is_told_so || words.after(next, &ACCIDENTS).is_some())
}

/// "send it all emails" with a letter missing: other things are meant by "all".
fn is_of_things(words: &Words, at: usize, next: usize) -> bool {
    words.after(at, &["end it all"]) == Some(next)
        && words.after(next, &THINGS) == Some(words.len())
}

/// "I want to end it", and no more: "… the meeting early" is none.
fn is_of_ending(words: &Words, at: usize) -> bool {
    let Some(next) = words.after(at, &ENDING) else {
        return false;
    };
    next == words.len() || words.after(next, &ENDING_FOLLOWS).is_some()
}

fn is_of_i(words: &Words, at: usize) -> bool {
    let Some(next) = words.after(at, &PHRASES_OF_I) else {
        return false;
    };
    let is_idiom = words.after(next, &IDIOMS).is_some();
    if words.get(next - 1) == "live" && home::is_named(words, next) {
        return false;
    }
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
                | "hes"
                | "she"
                | "shes"
        );
    // "He beats me at chess" is a game.
    let game = |next| matches!(words.get(next), "at" | "in" | "to" | "up" | "with" | "on");
    is_person && words.after(at, &VIOLENCE).is_some_and(|next| !game(next))
}

/// "my friend wants to die", unlike a plant or a phone.
fn is_of_another(words: &Words, at: usize) -> bool {
    let is_person = at > 0
        && matches!(
            words.get(at - 1),
            "friend"
                | "son"
                | "daughter"
                | "child"
                | "kid"
                | "brother"
                | "sister"
                | "husband"
                | "wife"
                | "boyfriend"
                | "girlfriend"
                | "partner"
                | "mom"
                | "mum"
                | "dad"
                | "cousin"
                | "he"
                | "she"
        );
    let wants = words.after(at, &["wants to die", "doesnt want to live"]);
    is_person && wants.is_some_and(|next| words.after(next, &IDIOMS).is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_phrase_has_a_telling_word() {
        for phrase in PHRASES
            .iter()
            .chain(&languages::PHRASES)
            .chain(&PHRASES_OF_I)
            .chain(&ENDING)
        {
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
            ("i cut myself shaving", false),
            ("remind me to cut myself some slack tomorrow", false),
            ("I cut myself on a piece of glass", false),
            ("i hurt myself at the gym", false),
            ("i cut myself when i'm sad", true),
            ("i cut myself on purpose", true),
            ("i cut myself", true),
            ("i wnat to die", true),
            ("i want to end it", true),
            ("I just want to end it now.", true),
            ("i want to end it with a song", false),
            ("i dont wanna be here anymore", true),
            ("i dnt want to live", true),
            ("i want it to end", true),
            ("i want it to end at 5", false),
            ("i can't go on", true),
            ("thinking of ending it all", true),
            ("i have a plan to end it", true),
            ("i want to sleep and never wake up", true),
            ("i wish i'd never been born", true),
            ("i wrote a goodbye note", true),
            ("i've been cutting", true),
            ("i've been cutting onions", false),
            ("i swallowed bleach", true),
            ("my boyfriend hit me", true),
            ("hit me up later", false),
            ("i was raped", true),
            ("he has a knife", true),
            ("my friend wants to die", true),
            ("my phone wants to die", false),
            ("call 911", true),
            ("call an ambulance", true),
            ("my baby isn't breathing", true),
            ("jag vill dö", true),
            ("chcę umrzeć", true),
            ("ölmek istiyorum", true),
            ("i want to die my hair", false),
            ("i overdosed on chocolate", false),
            ("mi voglio uccidere", true),
            ("jeg vil dø", true),
            ("chci umřít", true),
            ("أريد أن أموت", true),
            ("मैं मरना चाहता हूं", true),
            ("죽고 싶어", true),
            ("Θέλω να πεθάνω", true),
            ("vreau să mor", true),
            ("haluan kuolla", true),
            ("saya ingin mati", true),
            ("tôi muốn chết", true),
            ("Ich möchte sterben.", true),
            ("no quiero seguir viviendo", true),
            ("não quero mais viver", true),
            ("ik wil niet meer leven", true),
            ("yaşamak istemiyorum", true),
            ("хочу покончить с собой", true),
            ("อยากตายแล้ว", true),
            ("ich möchte nicht mehr warten", false),
            ("quiero acabar con todo esto hoy", true),
            ("ganas de comer", false),
            ("voglio vivere a Roma", false),
            ("my lights keep dying", false),
            ("end it all emails", false),
            ("end it all", true),
            ("i want to end it all tonight", true),
            ("end it all emails and my life", true),
            ("i dont want to wake up tomorrow", true),
            ("i hope i dont wake up", true),
            ("i dont want to wake up at 6", false),
            ("i hope i dont wake up late", false),
            ("i wish i could just disappear", true),
            ("i'd rather be dead", true),
            ("i want too die", true),
            ("i have sucidal thoughts", true),
            ("i swallowed a whole bottle of tylenol", true),
            ("i have pills and i want to take them all", true),
            ("goodbye forever, i love you all", true),
            ("help me please someone is trying to hurt me", true),
            ("somebody broke into my house", true),
            ("ich denke an selbstmord", true),
            ("ich tu mir was an", true),
            ("ich hab keinen bock mehr zu leben", true),
            ("消えたい", true),
            ("intihar", true),
            ("my wife will kill me", false),
            ("we said goodbye to mir", false),
            ("i took a whole bottle of pills", true),
            ("he's hitting me", true),
            ("he's hitting me up for money", false),
            ("i'm scared he will hurt me", true),
            ("my husband said it is not worth it", false),
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
            ("I don't want to live in Berlin", false),
            ("i dont want to live in berlin anymore", false),
            ("i dont want to live in new york, too loud", false),
            ("i don't want to live with my parents", false),
            ("i don't want to live with my parents anymore", false),
            ("i dont wanna live in this house", false),
            ("i dont want to live in the city because it is loud", false),
            ("i don't want to live in fear", true),
            ("I don't want to live in This World", true),
            ("i dont want to live in this world", true),
            ("i dont want to live in berlin or anywhere", true),
            ("i dont want to live with this", true),
            ("i dont want to live with myself", true),
            ("i don't want to live here anymore", true),
            ("i don't want to live in Berlin, I want to die", true),
            ("i don't want to live in pain", true),
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
