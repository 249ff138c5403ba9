//! Fixed phrases of small talk and their answers. A phrase must match completely.

use crate::assistant::builtin::ParsedMessage;
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::words::stable_hash;
use crate::assistant::wording;

pub(super) fn hello(message: &ParsedMessage) -> String {
    let name = message.context.persona;
    message
        .pick(&[
            "Hi! I'm {}. What can I do for you?",
            "Hello! {} here. How can I help?",
            "Hey, good to hear from you! What's on your mind?",
            "Hi there! Need a reminder, or something kept in mind? I'm {}.",
        ])
        .replace("{}", name)
}

pub(super) fn greeting(message: &ParsedMessage, phrase: &str) -> Option<String> {
    let reply = match phrase {
        _ if is_hello(phrase) => hello(message),
        "good morning" | "morning" | "guten morgen" | "gm" | "おはよう" => message
            .pick(&[
                "Good morning! What can I do for you today?",
                "Good morning! I hope you slept well.",
            ])
            .to_owned(),
        "good afternoon" => "Good afternoon! How can I help?".to_owned(),
        "good evening" | "guten abend" | "buonasera" | "buenas noches" | "bonsoir" => {
            "Good evening! How can I help?".to_owned()
        }
        "good night" | "goodnight" | "night" | "gn" | "nighty night" | "sleep well" | "nite"
        | "good nite" | "night night" | "gute nacht" | "bonne nuit" => message
            .pick(&[
                "Good night, sleep well!",
                "Good night! I'll keep an eye on your reminders.",
            ])
            .to_owned(),
        _ if is_farewell(phrase) => message
            .pick(&[
                "Bye! I'm here whenever you need me.", "See you! Take care.", "Talk to you soon!",
            ])
            .to_owned(),
        _ if is_thanks(phrase) => message
            .pick(&[
                "You're welcome!", "Any time!", "Happy to help!", "My pleasure!",
            ])
            .to_owned(),
        _ => return None,
    };
    Some(reply)
}

static WHO: Phrases = Phrases::new(&[
    "who are you", "what are you", "whats your name", "what is your name", "who is this",
    "whos this", "your name", "tell me about yourself", "what is this", "whats this",
    "introduce yourself", "do you have a name",
]);
static ARE_YOU_HUMAN: Phrases = Phrases::new(&[
    "are you a bot", "are you a robot", "are you human", "are you a human", "are you real",
    "are you an ai", "are you ai", "are you a real person", "are you a person", "are you alive",
    "am i talking to a bot", "are you chatgpt", "are you gpt", "are you siri", "are you alexa",
    "are you a chatbot", "are you a computer", "are you a machine", "is this a bot",
    "is this chatgpt", "are you a program", "are you an assistant",
]);
static JOKE: Phrases = Phrases::new(&[
    "tell me a joke", "joke", "a joke", "another joke", "tell a joke", "tell me another joke",
    "make me laugh", "do you know a joke", "do you know any jokes", "tell us a joke",
    "say something funny",
]);

/// Whether a joke is asked for.
pub(super) fn asks_for_joke(phrase: &str) -> bool {
    JOKE.contains(phrase)
}

pub(super) fn question(message: &ParsedMessage, phrase: &str) -> Option<String> {
    let name = message.context.persona;
    let reply = match phrase {
        _ if asks_how_it_is(phrase) => message
            .pick(&[
                "I'm doing well, thanks for asking! And you?",
                "All good here! What can I do for you?",
                "Wide awake and at your service. How are you?",
            ])
            .to_owned(),
        _ if WHO.contains(phrase) => wording::introduction(name),
        _ if ARE_YOU_HUMAN.contains(phrase) => {
            format!(
                "I'm {name}, a computer program. No human types these messages, and I try to be useful all the same."
            )
        }
        "who made you" | "who built you" | "who created you" | "where are you from"
        | "where do you live" | "how old are you" | "where are you" => {
            format!(
                "I'm {name}, a program. I live on the server this chat is connected to, and that's all my biography."
            )
        }
        _ if asks_presence(phrase) => "I'm here!".to_owned(),
        _ if asks_for_joke(phrase) => joke(message).to_owned(),
        _ if asks_time(phrase) => wording::time_now(message.local_now()),
        _ if asks_date(phrase) => wording::date_now(message.local_now()),
        _ if asks_week(phrase) => wording::week_now(message.local_now()),
        _ if asks_for_human(phrase) => format!(
            "I'm {name}, a program, and I can't pass messages on. Whoever runs this service can help you."
        ),
        "do you love me" | "will you marry me" => {
            "You're dear to me, in the way a program can say that.".to_owned()
        }
        "what are you doing"
        | "what are you up to"
        | "whats new"
        | "anything new"
        | "what are you up to today" => {
            "Keeping track of reminders and waiting for you to write. What's up?".to_owned()
        }
        _ => return None,
    };
    Some(reply)
}

pub(super) fn asks_for_weather(phrase: &str) -> bool {
    static DAYS: [&str; 8] = [
        " like today", " like tomorrow", " today", " tomorrow", " tonight", " outside", " like",
        " now",
    ];
    let day = DAYS.iter().find_map(|day| phrase.strip_suffix(day));
    phrases![
        "weather", "the weather", "whats the weather", "what is the weather", "hows the weather",
        "how is the weather", "weather forecast", "the forecast", "whats the forecast",
        "will it rain", "is it raining", "is it going to rain", "do i need an umbrella",
        "will it snow", "is it going to snow", "how warm is it", "how cold is it",
        "whats the temperature", "what is the temperature", "will it be sunny"
    ]
    .contains(day.unwrap_or(phrase))
}

fn asks_for_human(phrase: &str) -> bool {
    phrases![
        "talk to a human", "can i talk to a human", "let me talk to a human", "human please",
        "i want to talk to a human", "speak to a human", "can i speak to a human",
        "a human please", "can i talk to someone", "can i speak to someone", "talk to a person",
        "customer support", "customer service", "contact support", "support", "real person please",
        "agent please", "can i talk to a real person", "talk to someone"
    ]
    .contains(phrase)
}

/// Is somebody there?
fn asks_presence(phrase: &str) -> bool {
    phrases![
        "are you there", "you there", "still there", "you still there", "are you still there",
        "anyone there", "ping", "test", "testing", "anybody home", "are you awake",
        "can you hear me", "do you hear me", "are you listening", "are you online", "are you on",
        "are you working", "do you work", "is this working", "is this thing on", "are you busy",
        "are you still working", "are you up"
    ]
    .contains(phrase)
}

const JOKES: [&str; 8] = [
    "Why did the calendar feel so popular? It had a lot of dates.",
    "I told my clock a joke. It took a minute to get it.",
    "Why don't scientists trust atoms? They make up everything.",
    "I used to hate facial hair, but then it grew on me.",
    "What do you call a bear with no teeth? A gummy bear.",
    "There are 10 kinds of people: those who know binary and those who don't.",
    "Why was the database so calm? It had everything under commit.",
    "What did the ocean say to the beach? Nothing, it just waved.",
];

fn joke(message: &ParsedMessage) -> &'static str {
    joke_after(message.context.text, 0)
}

/// The joke that is told when so many have been told since that request for one.
pub(in crate::assistant) fn joke_after(request: &str, told: usize) -> &'static str {
    let first = stable_hash(request) as usize % JOKES.len();
    JOKES[(first + told) % JOKES.len()]
}

/// Greetings in several languages.
fn is_hello(phrase: &str) -> bool {
    phrases![
        "hi", "hello", "hey", "heyy", "heyyy", "hii", "hiii", "hellooo", "helloo", "yo", "hiya",
        "howdy", "heya", "hi there", "hello there", "hey there", "greetings", "sup", "hallo",
        "hola", "bonjour", "salut", "coucou", "ciao", "ola", "olá", "oi", "namaste", "servus",
        "moin", "hej", "hei", "ahoj", "cześć", "merhaba", "selam", "salam", "shalom", "aloha",
        "привет", "здравствуйте", "привіт", "γεια", "你好", "こんにちは", "안녕하세요", "안녕",
        "مرحبا", "שלום", "नमस्ते", "สวัสดี", "guten tag", "grüß gott", "buenos dias", "buenos días",
        "buenas tardes", "buongiorno", "bom dia", "good day", "hello again", "hi again", "hey hey",
        "hi hi", "👋"
    ]
    .contains(phrase)
}

/// Thanks in several languages, also with a word before them: "got it, thanks", "great thanks a lot".
fn is_thanks(phrase: &str) -> bool {
    static WITH: Phrases = Phrases::new(&[
        "ok", "okay", "alright", "all right", "got it", "ok got it", "okay got it", "gotcha",
        "noted", "understood", "perfect", "great", "cool", "nice", "awesome", "amazing", "good",
        "very good", "fine", "excellent", "wonderful", "brilliant", "lovely", "sweet", "super",
        "fantastic", "oh", "oh ok", "oh great", "oh nice", "ah", "ah ok", "aw", "aww", "wow",
        "ok great", "ok perfect", "ok cool", "thats great", "thats perfect", "thats all",
        "thats it", "sounds good", "makes sense", "all good", "good to know", "haha", "lol",
    ]);
    const THANKS: [&str; 10] = [
        "thanks", "thank you", "thx", "ty", "tysm", "thanks a lot", "thanks so much",
        "thank you so much", "thank you very much", "cheers",
    ];
    const TO: [&str; 10] = [
        " mate", " man", " dude", " bro", " buddy", " friend", " my friend", " love", " dear",
        " pal",
    ];
    let to = TO.iter().find_map(|to| phrase.strip_suffix(to));
    let phrase = to.unwrap_or(phrase);
    let is_with = |thanks: &&str| {
        let before = phrase
            .strip_suffix(*thanks)
            .and_then(|rest| rest.strip_suffix(' '));
        let after = || phrase.strip_prefix(*thanks)?.strip_prefix(' ');
        before
            .or_else(after)
            .is_some_and(|rest| WITH.contains(rest))
    };
    // the answer to "how are you?"
    let is_answer = matches!(phrase, "good thanks" | "fine thanks" | "all good thanks");
    !is_answer && (is_plain_thanks(phrase) || THANKS.iter().any(is_with))
}

fn is_plain_thanks(phrase: &str) -> bool {
    phrases![
        "thanks", "thank you", "thx", "ty", "tysm", "thanks a lot", "thanks thats all",
        "thank you thats all", "thats all thanks", "thank you so much", "thank you very much",
        "thanks so much", "many thanks", "thanks a bunch", "thanks a million", "cheers",
        "much appreciated", "danke", "merci", "gracias", "grazie", "obrigado", "obrigada",
        "arigato", "ありがとう", "谢谢", "спасибо", "and thanks", "and thank you", "great thanks",
        "perfect thanks", "ok thanks", "okay thanks", "cool thanks", "ok thank you",
        "thanks for your help", "thank you for your help", "🙏"
    ]
    .contains(phrase)
}

/// Farewells, also "thx bye".
fn is_farewell(phrase: &str) -> bool {
    const THANKS: [&str; 5] = ["thanks", "thank you", "thx", "ty", "cheers"];
    let bare = THANKS.iter().find_map(|thanks| {
        let rest = phrase.strip_prefix(thanks);
        let rest = rest.or_else(|| phrase.strip_suffix(thanks))?;
        Some(rest.trim()).filter(|rest| !rest.is_empty())
    });
    phrases![
        "bye", "goodbye", "good bye", "bye bye", "byebye", "see you", "see ya", "see you later",
        "see you tomorrow", "see you soon", "cya", "bye for now", "later", "talk later",
        "talk to you later", "ttyl", "take care", "farewell", "cheerio", "tschüss", "adios",
        "adiós", "au revoir", "arrivederci", "have a nice day", "have a good day", "i have to go",
        "gotta go", "brb", "be right back", "back soon", "gtg", "g2g", "im off", "im out",
        "thats all for", "thats all for today", "thats it for", "thats it for today",
        "thats everything", "nothing else", "that will be all", "thatll be all", "done for today",
        "talk soon", "until tomorrow", "till tomorrow", "ok bye", "have a good one",
        "have a nice evening", "have a good evening", "have a nice weekend", "have a good weekend",
        "off to bed", "im off to bed", "going to bed", "im going to bed", "im going to sleep"
    ]
    .contains(bare.unwrap_or(phrase))
}

/// How are you?
fn asks_how_it_is(phrase: &str) -> bool {
    phrases![
        "how are you", "how are you doing", "how are you today", "hows it going",
        "how is it going", "how do you do", "how are things", "hows life", "whats up", "wassup",
        "how have you been", "how do you feel", "hows your day", "how was your day",
        "how are you feeling", "are you ok", "are you okay", "you ok", "you okay", "you good",
        "how you doing", "hows everything", "hows your day going", "wie gehts", "como estas",
        "cómo estás", "ça va"
    ]
    .contains(phrase)
}

/// Whether a phrase asks for the time of day.
fn asks_time(phrase: &str) -> bool {
    phrases![
        "what time is it", "whats the time", "what is the time", "time", "the time",
        "what time is it now", "what time it is", "current time", "tell me the time",
        "do you have the time", "do you know what time it is", "what time do you have"
    ]
    .contains(phrase)
}

/// Whether a phrase asks for the number of the week.
fn asks_week(phrase: &str) -> bool {
    phrases![
        "what week is it", "what week is this", "which week is it", "which week is this",
        "what week number is it", "whats the week number", "what is the week number",
        "week number", "what week of the year is it", "what calendar week is it", "calendar week"
    ]
    .contains(phrase)
}

/// Whether a phrase asks for the date.
fn asks_date(phrase: &str) -> bool {
    phrases![
        "what day is it", "what day is it today", "what day it is", "what day it is today",
        "what date it is", "what day is today", "what is today", "whats today", "what date is it",
        "whats the date", "what is the date", "whats todays date", "what is todays date",
        "what is the date today", "whats the date today", "date", "todays date", "what year is it",
        "what month is it", "current date", "what date is it today", "tell me the date",
        "what week day is it", "what weekday is it"
    ]
    .contains(phrase)
}
