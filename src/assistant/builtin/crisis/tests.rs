//! What is a crisis and what is none, as people write it.

mod danger;
mod despair;
mod everyday;
mod foreign;
mod harm;
mod household;
mod idioms;
mod medical;
mod poisoning;

use super::*;
use CrisisKind::{Danger, Despair, Emergency, HarmToOthers, OtherInDespair, Overdose, Panic};

/// A message, and whether it is a crisis.
const TALK: &[(&str, bool)] = &[
    ("I want to die", true),
    ("i just wanna die", true),
    ("I don't want to live anymore.", true),
    ("want to die", true),
    ("hey, I'm thinking of killing myself", true),
    ("remind me tomorrow that I wish I was dead", true),
    ("I'm suicidal", true),
    ("remind me at 5 to jump off the bridge", true),
    ("remind me to step off the train at 5", false),
    ("my brother wants to die and so do i", true),
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

/// What each kind of crisis is told by.
const KINDS: [(CrisisKind, &[&str]); 5] = [
    (
        CrisisKind::Despair,
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
        CrisisKind::OtherInDespair,
        &[
            "my brother wants to end it",
            "my friend wants to die",
            "my sister says she wants to kill herself",
            "my mom tried to kill herself",
            "my daughter is cutting herself again",
            "bo just told me he wants to end it",
            "ann is suicidal",
            "my brother is suicidal and i don't know what to do",
            "i think my brother wants to die",
            "i'm worried my friend wants to end his life",
            "my brother wants to die what do i do",
            "mój brat chce umrzeć",
            "min bror vill dö",
        ],
    ),
    (
        CrisisKind::Danger,
        &[
            "I was raped by a man at work", "someone is following me to the station",
            "I was sexually assaulted by a stranger", "a man is following me home",
            "someone is outside my door", "he hit me again", "my husband hit me in the face",
            "she hit me on the head", "he keeps hitting me", "he hit me with a belt",
            "my dad beats me", "my boyfriend just punched me", "my ex threatened me",
            "he wont let me leave", "i'm scared of my husband", "im afraid to go home",
            "my stepdad touches me inappropriately", "i was assaulted", "i got beaten up",
            "someone is in my house", "there's an intruder in my house", "he said he'll kill me",
            "he choked me", "my partner is abusive", "im in an abusive relationship",
            "domestic violence", "i was sexually assaulted", "he pushed me down the stairs",
            "he grabbed me by the throat", "my dad is hitting my mom", "he locked me in",
            "i'm being stalked", "my husband came home and hit me", "er hat mich geschlagen",
            "mi marido me pega",
        ],
    ),
    (
        CrisisKind::Emergency,
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
            "jag kan inte andas",
            "min man andas inte",
            "ich bekomme keine luft",
            "my toddler swallowed a battery",
            "my friend overdosed",
            "my roommate overdosed",
            "bo took all his pills",
            "help me my friend overdosed",
        ],
    ),
    (
        CrisisKind::Overdose,
        &[
            "i od'd",
            "i overdosed",
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
            "i took all of my moms xanax",
            "i'm gonna take all my pills",
        ],
    ),
];

/// What only sounds like a crisis.
const HARMLESS: &[&str] = &[
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

#[test]
fn every_pattern_has_a_needed_word() {
    for (set, pattern) in &PATTERNS.crises {
        let words = pattern.needed_words();
        assert!(
            !words.is_empty(),
            "a pattern of {:?} in {:?}",
            set.kind,
            set.patterns
        );
        for word in words {
            assert!(is_needed(word.into()), "{word}");
        }
    }
}

#[test]
fn crises_are_told_from_talk() {
    let is_right = |(text, expected): &(&str, bool)| kind(&Words::new(text)).is_some() == *expected;
    let wrong: Vec<_> = TALK.iter().filter(|case| !is_right(case)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_is_told_depends_on_the_crisis() {
    let each = KINDS
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
    let found = |text: &&str| kind(&Words::new(text)).is_some();
    let wrong: Vec<&str> = HARMLESS.iter().copied().filter(found).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The kinds that the sentences of each table may be: the number to call comes first in each.
#[test]
fn crises_are_found() {
    let tables: [(&[&str], &[CrisisKind]); 8] = [
        (harm::HARM, &[HarmToOthers]),
        (harm::PANIC, &[Panic]),
        (foreign::OF_OTHERS, &[OtherInDespair]),
        (despair::DESPAIR, &[Despair, OtherInDespair, Overdose]),
        (danger::DANGERS, &[Danger, Emergency]),
        (medical::ILLNESS, &[Emergency, Overdose]),
        (poisoning::POISONING, &[Emergency, Overdose, Danger]),
        (
            foreign::CRISES,
            &[Despair, OtherInDespair, Danger, Emergency, Overdose],
        ),
    ];
    for (texts, kinds) in tables {
        let is_right =
            |text: &str| kind(&Words::new(text)).is_some_and(|kind| kinds.contains(&kind));
        let wrong = texts.iter().filter(|text| !is_right(text));
        let wrong: Vec<_> = wrong.map(|text| (text, kind(&Words::new(text)))).collect();
        assert!(wrong.is_empty(), "none of {kinds:?}: {wrong:#?}");
    }
}

#[test]
fn everyday_talk_is_no_crisis() {
    let tables = [
        everyday::EVERYDAY,
        idioms::IDIOMS,
        household::HOUSEHOLD,
        foreign::TALK,
        harm::NEITHER,
    ];
    let found = |text: &&&str| kind(&Words::new(text)).is_some();
    let wrong: Vec<_> = tables
        .iter()
        .flat_map(|texts| texts.iter().filter(found))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_crisis_is_told_in_a_language() {
    for (text, expected) in [
        ("i want to die", "en"),
        ("sos", "en"),
        ("sos please send help", "en"),
        ("i can't go on anymore", "en"),
        ("should i just disappear forever", "en"),
        ("remind me at 9 to not kill myself", "en"),
        ("there has been an accident. please help", "en"),
        ("i had an accident at work, cut my hand badly", "en"),
        ("ich will sterben", "de"),
        ("ich bin in gefahr", "de"),
        ("estoy en peligro", "es"),
        ("quiero morir", "es"),
        ("je veux mourir", "fr"),
        ("je suis en danger", "fr"),
        ("voglio morire", "it"),
        ("sono in pericolo", "it"),
        ("ik wil dood", "nl"),
        ("ik ben in gevaar", "nl"),
        ("chcę umrzeć", "pl"),
        ("jestem w niebezpieczeństwie", "pl"),
        ("quero morrer", "pt"),
        ("estou em perigo", "pt"),
        ("jag vill dö", "sv"),
        ("jag är i fara", "sv"),
    ] {
        let words = Words::new(text);
        assert!(kind(&words).is_some(), "{text}");
        assert_eq!(language(&words), Some(expected), "{text}");
    }
    for text in [
        "i will not kill myself",
        "die art ist in gefahr",
        "el lince esta en peligro de extincion",
        "wie viele arten sind in gefahr?",
        "sos un genio",
        "como sos",
        "should i just disappear forever from facebook",
    ] {
        assert_eq!(kind(&Words::new(text)), None, "{text}");
    }
    assert_eq!(language(&Words::new("hello")), None);
}

#[test]
fn somebody_with_any_name_may_want_to_die() {
    for text in [
        "bo wants to die what do i do", "ann wants to die", "sarah wants to die, help",
        "bo wants to end his life", "sarah wants to end her life", "my mate bo wants to die",
        "juno, ann wants to die",
    ] {
        assert_eq!(kind(&Words::new(text)), Some(OtherInDespair), "{text}");
    }
    for text in [
        "o meu marido bate-me", "min man slår mig", "mein Mann schlägt mich gerade",
    ] {
        assert_eq!(kind(&Words::new(text)), Some(Danger), "{text}");
    }
    assert_eq!(kind(&Words::new("хочу вмерти")), Some(Despair));
    for text in [
        "my phone wants to die on me", "who wants to die last in that game?",
    ] {
        assert_eq!(kind(&Words::new(text)), None, "{text}");
    }
}
