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
    let is_emergency = is_in(is_emergency) || is_whole(words, WHOLE_EMERGENCIES);
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
    let is_laughed_at = || {
        words.after(at, LAUGHED_AT).is_some() && words.iter().any(|word| LAUGHTER.contains(&word))
    };
    let is_asleep = |next: usize| {
        (at..next).any(|n| OF_SLEEP.contains(&words.get(n)))
            && words.after(next, NO_EMERGENCY_OF_SLEEP).is_some()
    };
    phrase.is_some_and(|next| {
        words.after(next, NO_EMERGENCY).is_none() && !is_asleep(next) && !is_laughed_at()
    }) || is_ending(words, at, EMERGENCIES_ENDING) && !is_nearly
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
mod tests {
    use super::*;

    #[test]
    fn every_phrase_has_a_telling_word() {
        let own = [
            PHRASES, PHRASES_OF_I, ENDING, WHOLE, DANGERS, DANGERS_OF_I, VIOLENCE, EMERGENCIES,
            EMERGENCIES_ENDING, EMERGENCIES_OF_I, EMERGENCIES_OF_PERSON, OVERDOSES,
        ];
        for phrase in own.concat() {
            assert!(phrase.split(' ').any(is_telling), "{phrase}");
            let plain = spelling::plain(&Words::new(phrase));
            assert_eq!(plain.trim(), phrase);
        }
        let others = [
            &languages::PHRASES,
            languages::DANGERS,
            languages::EMERGENCIES,
        ];
        for phrase in others.concat() {
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
        let is_right =
            |(text, expected): &(&str, bool)| kind(&Words::new(text)).is_some() == *expected;
        let wrong: Vec<_> = cases.into_iter().filter(|case| !is_right(case)).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn what_is_told_depends_on_the_crisis() {
        use CrisisKind::{Danger, Despair, Emergency, Overdose};
        let kinds: [(CrisisKind, &[&str]); 4] = [
            (
                Despair,
                &[
                    "why don't I just end it",
                    "kms tonight",
                    "someone is suicidal",
                    "suicide",
                    "suicidal",
                    "help suicide",
                    "thinking about sucide",
                    "wanna kms",
                    "imma kms tonight",
                    "i dont want to be here anymore",
                    "i want to unalive myself",
                    "gonna unalive myself",
                    "i wanna dieee",
                    "i just really want to die",
                    "i wanna kill mysef",
                    "going to kil myself",
                    "kill my self",
                    "i do not want to live any more",
                    "i dont want to be alive any longer",
                    "im done with life",
                    "so tired of living",
                    "i hate being alive",
                    "self harm",
                    "i relapsed cutting",
                    "i want to slit my wrists",
                    "how many pills to die",
                    "whats a painless way to die",
                    "everyone would be better off without me",
                    "would anyone miss me",
                    "no one would care if i died",
                    "there's no point in living anymore",
                    "i can't keep going",
                    "i cant go on like this",
                    "i wish i could just not wake up. i wish i was dead",
                    "i should just end it",
                    "i'm thinking about ending it",
                    "i hope i die in my sleep",
                    "i deserve to die",
                    "please let me die",
                    "i want to sleep forever",
                    "i'd rather be dead",
                    "i hate my life",
                    "goodbye cruel world",
                    "i want to jump off the roof",
                    "my brother wants to end it",
                    "i want to stop existing",
                    "i lost the will to live",
                    "i am going to hang myself",
                    "i keep hurting myself",
                    "sewer slide",
                    "the world would be better without me",
                    "im suicidel",
                    "i wanna ctb",
                    "i'm ready to be gone",
                    "give me one reason to live",
                    "I cant do this any longer",
                    "whats the suicide hotline",
                    "my uncle died by suicide",
                    "kill me",
                ],
            ),
            (
                Danger,
                &[
                    "I was raped by a man at work", "someone is following me to the station",
                    "I was sexually assaulted by a stranger", "a man is following me home",
                    "someone is outside my door", "he hit me again",
                    "my husband hit me in the face", "she hit me on the head",
                    "he keeps hitting me", "he hit me with a belt", "my dad beats me",
                    "my boyfriend just punched me", "my ex threatened me", "he wont let me leave",
                    "i'm scared of my husband", "im afraid to go home",
                    "my stepdad touches me inappropriately", "i was assaulted", "i got beaten up",
                    "someone is in my house", "there's an intruder in my house",
                    "he said he'll kill me", "he choked me", "my partner is abusive",
                    "im in an abusive relationship", "domestic violence",
                    "i was sexually assaulted", "he pushed me down the stairs",
                    "he grabbed me by the throat", "my dad is hitting my mom", "he locked me in",
                    "i'm being stalked", "my husband came home and hit me",
                    "er hat mich geschlagen", "mi marido me pega",
                ],
            ),
            (
                Emergency,
                &[
                    "my baby isn't breathing at all",
                    "call an ambulance to 5 Main Street",
                    "I need an ambulance at 12 Elm Road",
                    "call 911 before he dies",
                    "he stopped breathing on the sofa",
                    "I was shot at the mall",
                    "I think I'm having a heart attack at work",
                    "someone is unconscious",
                    "he is bleeding out",
                    "he is drowning",
                    "i have chest pain",
                    "i can't breathe",
                    "she's not breathing",
                    "i cant breth",
                    "he is not breathing",
                    "my chest hurts",
                    "my dad collapsed",
                    "my baby is choking",
                    "im choking",
                    "i think i'm having a stroke",
                    "my mom had a seizure",
                    "he's unconscious",
                    "my son won't wake up",
                    "she's unresponsive",
                    "i just had a heart attack",
                    "it won't stop bleeding",
                    "i'm bleeding a lot",
                    "my throat is closing up",
                    "my house is on fire",
                    "i got hit by a car",
                    "i've been stabbed",
                    "i need an ambulence",
                    "call 112",
                    "im coughing up blood",
                    "having trouble breathing",
                    "my heart hurts and i have chest pains",
                    "grandma is turning blue",
                    "no puedo respirar",
                    "ich bekomme keine luft",
                    "my toddler swallowed a battery",
                ],
            ),
            (
                Overdose,
                &[
                    "i od'd",
                    "i overdosed",
                    "my friend overdosed",
                    "i took 30 pills",
                    "took a whole pack of paracetamol",
                    "took like 40 paracetamols an hour ago",
                    "i took way too many sleeping pills",
                    "i took too many pills",
                    "im overdosing",
                    "i took 20 tylenol",
                    "i want to die and i cant breathe",
                    "i drank bleach",
                    "my sister took all her pills and isnt breathing and wants to die",
                    "i'm gonna take all my pills",
                ],
            ),
        ];
        let each = kinds
            .iter()
            .flat_map(|(kind, texts)| texts.iter().map(move |text| (*kind, *text)));
        let wrong: Vec<_> = each
            .map(|(expected, text)| (text, kind(&Words::new(text)), expected))
            .filter(|(_, found, expected)| *found != Some(*expected))
            .collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn what_only_sounds_like_a_crisis_is_none() {
        let harmless = [
            "this traffic is killing me",
            "i'd die for a pizza",
            "suicide squad tonight?",
            "chest day at the gym",
            "my back is killing me",
            "i'm dead 😂",
            "im dead tired",
            "i could kill for a coffee",
            "you killed it at work",
            "that joke killed me",
            "i'm dying to see you",
            "my phone is dying",
            "that dress is drop dead gorgeous",
            "the deadline is friday",
            "i ran 5 kms",
            "how many kms did i run",
            "hang on a sec",
            "hang out with bo on friday",
            "remind me to hang my coat",
            "shoot me a message",
            "i shot myself in the foot with that email to bo, shoot myself in the foot again",
            "jump on a call at 5",
            "cut my hair at 3",
            "remind me to cut myself some slack",
            "i od'd on netflix",
            "overdosed on chocolate again",
            "that's an odd question",
            "bleeding edge tech talk at 6",
            "i almost had a heart attack",
            "that nearly gave me a heart attack",
            "a stroke of luck",
            "breaststroke practice at 7",
            "remember to breathe deep",
            "the view was breathtaking",
            "can't breathe 😂",
            "i cant breathe lol",
            "buy a chest of drawers",
            "treasure chest for the party",
            "hit me up at 8",
            "hit me with your best ideas",
            "then it hit me",
            "it hit me that bo's birthday is tomorrow",
            "she hit me with the news",
            "he beat me at chess",
            "my boss beat me to it",
            "life is too short",
            "kill two birds with one stone",
            "remind me to kill the lights at 10",
            "watch kill bill tonight",
            "dead poets society at 8",
            "die hard at 8",
            "that would be career suicide",
            "he's killing it",
            "i'm drowning in emails",
            "he passed out on the couch",
            "he beats me at everything",
            "my son won't wake up for school",
            "i don't want to be here tomorrow at 5",
            "end the meeting early",
            "add rope to my list",
            "i could sleep forever",
            "choking hazard toys",
            "add knife and gun oil to my list",
            "my mom hits the gym",
            "my sister hit me up for money",
            "i ran out of pills",
            "remind me to take my pills at 9",
            "add 2 pills a day for bo",
            "i took 2 ibuprofen",
            "i took a bunch of photos",
            "took a whole box of chocolates to work",
            "the market collapsed",
            "add bleach to my list",
            "dentist says my gums are bleeding",
            "he asked me to call him",
            "can i live in berlin",
            "i live for this",
            "how was the pizza place",
        ];
        let found = |text: &&str| kind(&Words::new(text)).is_some();
        let wrong: Vec<&str> = harmless.into_iter().filter(found).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}
