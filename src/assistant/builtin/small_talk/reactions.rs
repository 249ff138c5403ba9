//! Answers to yes, no, praise, blame and similar. A phrase must match completely, and must be
//! addressed to the assistant.

use crate::assistant::builtin::ParsedMessage;
use crate::assistant::text::function_words::{is_no, is_yes};
use crate::assistant::text::phrases::Phrases;

const SAD: &[&str] = &[
    "I'm sorry to hear that. I hope it gets better soon; I'm here if you want something off your mind.",
];
const LOSS: &[&str] =
    &["I'm so sorry for your loss. I'm here if there's something I can take off your mind."];
const YES: &[&str] = &[
    "Good! Just tell me what you'd like.", "All right! What shall I do?",
];
const NO: &[&str] = &["All right.", "Okay, no problem."];
const CONGRATULATIONS: &[&str] = &[
    "Congratulations! That's great news.", "How wonderful, well done!",
];
const GLAD: &[&str] = &["Glad to hear it!", "That's good to hear!"];

/// What was said is agreed to, and asks for nothing more.
static AGREED: Phrases = Phrases::new(&[
    "ok", "okay", "k", "kk", "alright", "all right", "got it", "i see", "understood", "fine",
    "sounds good", "deal", "great", "cool", "perfect", "nice", "awesome", "good", "excellent",
    "wonderful", "gotcha", "noted", "makes sense", "fair enough", "all good", "its fine", "its ok",
    "its okay", "thats fine", "thats ok", "thats okay", "no worries", "no problem", "np",
    "cool cool", "nice one", "very good", "very nice", "oh ok", "oh okay", "ah ok", "ah okay",
    "ok cool", "ok great", "ok good", "ok nice", "ok perfect", "ok fine", "thats it", "thats all",
    "will do", "roger", "roger that", "copy that", "i know", "good to know", "true", "exactly",
    "right", "indeed", "fantastic", "brilliant", "lovely", "amazing", "sweet", "super", "wow",
    "yay", "woohoo", "neat", "works for me", "on it", "whatever", "fine by me", "fine with me",
    "good idea", "👍", "👌", "✅",
]);
static WAIT: Phrases = Phrases::new(&[
    "one sec", "a sec", "just a sec", "sec", "one second", "just a second", "one moment",
    "one minute", "just a moment", "just a minute", "a moment please", "hold on", "hang on",
    "wait", "wait a sec", "wait a second", "wait a minute", "wait a moment", "give me a sec",
    "give me a second", "give me a moment", "let me think", "let me check", "let me see", "hmm",
    "hm", "hmmm", "um", "uhm", "mhm",
]);
static ANNOYED: Phrases = Phrases::new(&[
    "this is annoying", "youre annoying", "you are annoying", "are you stupid", "are you dumb",
    "are you kidding", "are you kidding me", "you dont understand", "you dont get it",
    "you dont understand me", "you didnt understand", "you misunderstood", "thats not right",
    "thats not what i meant", "thats not what i said", "thats not what i asked",
    "not what i meant", "not what i asked", "not what i said", "wrong", "that is wrong", "wtf",
    "this is useless", "this doesnt work", "it doesnt work", "this isnt working",
]);

pub(super) fn reaction(message: &ParsedMessage, phrase: &str) -> Option<String> {
    let choices: &[&str] = match phrase {
        "of course" | "absolutely" | "si" | "oui" | "ja" => YES,
        _ if is_yes(phrase) => YES,
        "no thanks" | "no thank you" | "not now" | "not really" | "nein" | "non" => NO,
        _ if is_no(phrase) => NO,
        "never mind" | "nevermind" | "nvm" | "nothing" => &["Okay, never mind.", "No problem."],
        _ if AGREED.contains(phrase) => &["👍", "Great!", "Good."],
        _ if WAIT.contains(phrase) => &["Take your time.", "No hurry, I'm here."],
        _ if ANNOYED.contains(phrase) => &[
            "I'm sorry. “undo” takes back the last change, and “help” shows how to say things to me.",
        ],
        "good bot" | "good job" | "well done" | "nice work" | "great job" | "good work"
        | "youre great" | "you are great" | "youre awesome" | "you are awesome"
        | "youre the best" | "you are the best" | "youre amazing" | "you are amazing"
        | "youre so helpful" | "you rock" | "i like you" | "youre cute" | "youre funny"
        | "youre smart" | "you are smart" | "youre a star" | "youre a lifesaver" | "you legend"
        | "good girl" | "good boy" | "love it" | "i love it" | "thats amazing"
        | "thats awesome" | "so helpful" | "very helpful" | "👏" | "🎉" => &[
            "That's kind of you, thank you!", "Thank you, that makes my day!",
        ],
        "i love you" | "love you" | "i love you so much" | "❤" | "😍" | "🥰" | "😘" => {
            &["Aw, thank you! ❤️", "That's lovely of you to say."]
        }
        "haha" | "hahaha" | "lol" | "lmao" | "rofl" | "hehe" | "thats funny" | "funny" | "😂"
        | "🤣" | "😄" | "😀" => &["😄", "Glad you like it!"],
        "sorry" | "im sorry" | "i am sorry" | "my bad" | "oops" => {
            &["No worries at all.", "It's all right!"]
        }
        "you suck" | "bad bot" | "youre stupid" | "you are stupid" | "youre useless"
        | "you are useless" | "i hate you" | "shut up" | "thats wrong" | "youre wrong" => {
            &["I'm sorry I wasn't more helpful. “help” shows what I can do."]
        }
        "bad day" | "i had a bad day" | "😢" | "😭" => SAD,
        "good thanks" | "and you" | "not bad" | "fine thanks" => GLAD,
        "im back" | "i am back" | "im home" | "i am home" | "back" | "back home" => {
            &["Welcome back!", "Good to have you back!"]
        }
        "happy monday" | "happy friday" | "happy weekend" | "happy sunday" | "happy easter" => {
            &["Thank you, to you too!"]
        }
        "nice to meet you" | "pleased to meet you" | "welcome" | "welcome back" => {
            &["Nice to meet you too!", "The pleasure is mine!"]
        }
        "happy birthday" => &["Thank you! If it's yours: happy birthday! 🎂"],
        "merry christmas" | "happy christmas" | "happy holidays" => &["Happy holidays to you too!"],
        "happy new year" => &["Happy new year! May it be a good one."],
        "what" | "huh" | "why" => &["I'm not sure what you mean. “help” shows what I can do."],
        _ => return None,
    };
    // A single word to others in a group needs no answer.
    message
        .is_addressed
        .then(|| message.pick(choices).to_owned())
}

/// The answer to how somebody is: "i'm so tired today".
pub(super) fn feeling(phrase: &str) -> Option<&'static [&'static str]> {
    const OWN: [&str; 4] = ["im ", "i am ", "i feel ", "feeling "];
    const BEFORE: [&str; 11] = [
        "feeling ", "still ", "so ", "very ", "really ", "just ", "a bit ", "a little ", "kinda ",
        "pretty ", "super ",
    ];
    const AFTER: [&str; 13] = [
        " today", " right now", " tonight", " again", " lately", " these days", " thanks", " now",
        " rn", " about tomorrow", " about it", " about that", " about today",
    ];
    if tells_of_death(phrase) {
        return Some(LOSS);
    }
    if let Some(choices) = news(phrase) {
        return Some(choices);
    }
    let rest = phrase.strip_prefix("today ").unwrap_or(phrase);
    let mut rest = OWN.iter().find_map(|own| rest.strip_prefix(own))?;
    while let Some(shorter) = BEFORE.iter().find_map(|word| rest.strip_prefix(word)) {
        rest = shorter;
    }
    while let Some(shorter) = AFTER.iter().find_map(|word| rest.strip_suffix(word)) {
        rest = shorter;
    }
    match rest {
        "sad" | "lonely" | "not well" | "unwell" | "bad" | "down" | "low" | "unhappy" | "upset"
        | "stressed" | "stressed out" | "anxious" | "nervous" | "worried" | "overwhelmed"
        | "depressed" | "miserable" | "terrible" | "awful" | "frustrated" | "angry" | "annoyed"
        | "disappointed" | "sick" | "ill" | "not feeling well" | "not good" | "not great" => {
            Some(SAD)
        }
        "tired" | "exhausted" | "sleepy" | "worn out" | "bored" | "hungry" => {
            Some(&["I know no cure, but I can tell you a joke, or remind you to take a break."])
        }
        "fine" | "good" | "well" | "doing well" | "doing great" | "doing fine" | "happy"
        | "great" | "excited" | "proud" | "relaxed" | "relieved" => Some(GLAD),
        _ => None,
    }
}

/// What just happened to somebody: "i got the job", "i have a headache".
fn news(phrase: &str) -> Option<&'static [&'static str]> {
    static GOOD: Phrases = Phrases::new(&[
        "i got the job", "got the job", "i got a job", "i got a new job", "i got promoted",
        "i got a promotion", "i got a raise", "i got engaged", "were engaged", "we got engaged",
        "im engaged", "we got married", "im getting married", "were getting married",
        "im pregnant", "were pregnant", "i won", "we won", "i did it", "we did it", "i made it",
        "i got in", "i got accepted", "i passed", "i graduated", "i got the flat",
        "we got the house", "i got the keys",
    ]);
    static BAD: Phrases = Phrases::new(&[
        "cant sleep", "i cant sleep", "i couldnt sleep", "i slept badly", "i didnt sleep well",
        "i didnt sleep", "i had a nightmare", "i lost my job", "i got fired", "i was fired",
        "i got laid off", "we broke up", "i failed", "we lost", "i didnt get the job",
        "i didnt get it", "im heartbroken", "rough day", "hard day", "tough day", "terrible day",
        "awful day",
    ]);
    static ILL: Phrases = Phrases::new(&[
        "headache", "bad headache", "migraine", "cold", "bad cold", "fever", "flu", "the flu",
        "toothache", "stomach ache", "stomachache", "sore throat", "backache", "cough", "hangover",
    ]);
    const OF: [(&str, &[&str]); 4] = [
        ("i passed my ", CONGRATULATIONS),
        ("i failed my ", SAD),
        ("i had a fight with ", SAD),
        ("i had an argument with ", SAD),
    ];
    const AFTER: [&str; 5] = [" today", " last night", " again", " tonight", " yesterday"];
    let after = AFTER.iter().find_map(|after| phrase.strip_suffix(after));
    let phrase = after.unwrap_or(phrase);
    if GOOD.contains(phrase) {
        return Some(CONGRATULATIONS);
    }
    let illness = ["i have a ", "i have ", "ive got a ", "ive got ", "i got a "];
    let illness = illness.iter().filter_map(|own| phrase.strip_prefix(own));
    if BAD.contains(phrase) || illness.into_iter().any(|rest| ILL.contains(rest)) {
        return Some(SAD);
    }
    let of = OF.iter().find(|(start, _)| phrase.starts_with(start));
    of.map(|(_, choices)| *choices)
}

/// "my dad died", unlike "my phone died".
fn tells_of_death(phrase: &str) -> bool {
    const ENDS: [&str; 5] = [
        " died", " passed away", " has died", " has passed away", " just died",
    ];
    const AFTER: [&str; 5] = [
        " today", " last week", " last night", " this morning", " yesterday",
    ];
    let Some(rest) = phrase.strip_prefix("my ") else {
        return false; // most phrases
    };
    let rest = AFTER
        .iter()
        .find_map(|after| rest.strip_suffix(after))
        .unwrap_or(rest);
    let who = ENDS.iter().find_map(|end| rest.strip_suffix(end));
    who.is_some_and(|who| {
        matches!(
            who.strip_prefix("best ").unwrap_or(who),
            "dad"
                | "father"
                | "mum"
                | "mom"
                | "mother"
                | "grandma"
                | "grandmother"
                | "gran"
                | "nan"
                | "grandpa"
                | "grandfather"
                | "grandad"
                | "brother"
                | "sister"
                | "son"
                | "daughter"
                | "husband"
                | "wife"
                | "partner"
                | "boyfriend"
                | "girlfriend"
                | "uncle"
                | "aunt"
                | "cousin"
                | "friend"
                | "dog"
                | "cat"
        )
    })
}
