//! Memories: parses requests to remember, recall and forget.

pub(super) mod fact;
pub(super) mod matching;

use super::{
    Intent, ParsedMessage, REMINDER_CHARS_MAX, subject, tidied, with_corrected_value, wording,
};
use crate::assistant::text::corrections::{self, MarkStrength};
use crate::assistant::text::function_words::is_question_word;
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::words::Words;

/// A longer text is no question about memories.
const QUESTION_WORDS_MAX: usize = 20;

/// And in bytes.
const QUESTION_BYTES_MAX: usize = 400;

/// Characters in one memory.
pub const MEMORY_CHARS_MAX: usize = 2_000;

pub(super) fn command(message: &ParsedMessage) -> Option<Intent> {
    let words = &message.words;
    let at = message.start;
    match words.get(at) {
        "remember" | "note" | "add" | "take" | "write" | "keep" | "save" | "memorize"
        | "memorise" | "make" | "dont" | "do" | "never" | "what" | "whats" | "when" | "whens"
        | "where" | "wheres" | "who" | "whos" | "tell" | "show" | "list" | "my" | "memories"
        | "all" | "which" | "recall" | "how" => recall(message).or_else(|| remember(message)),
        "forget" | "delete" | "remove" | "erase" | "clear" | "wipe" => forget(message),
        _ => None,
    }
}

/// Words that begin a memory.
static REMEMBER: Phrases = Phrases::new(&[
    "remember that", "remember this", "remember the following", "remember also that",
    "remember also", "remember", "memorize that", "memorise that", "memorize", "memorise",
    "make a note that", "make a note of", "make a note", "take a note that", "take a note of",
    "take a note", "take note that", "take note of", "note that", "note to self", "note down that",
    "note down", "note this", "write down that", "write down", "write this down",
    "keep in mind that", "keep in mind", "save that", "save this", "save a note",
    "dont forget that", "do not forget that", "never forget that", "dont forget", "do not forget",
    "add a memory that", "add a memory", "add memory", "add a note that", "add a note", "add note",
]);

/// "my pin is", unlike "who she is".
fn is_unfinished(text: &Words) -> bool {
    const SUBJECT_WORDS_MAX: usize = 5;
    let last = text.len().saturating_sub(1);
    (2..=SUBJECT_WORDS_MAX).contains(&last)
        && matches!(text.get(last), "is" | "are")
        && matches!(text.get(0), "my" | "our" | "the")
        && !matches!(
            text.get(last - 1),
            "it" | "he" | "she" | "they" | "we" | "that" | "there"
        )
}

fn remember(message: &ParsedMessage) -> Option<Intent> {
    let words = &message.words;
    let from = words.after(message.start, &REMEMBER);
    let from = match from {
        Some(from) => from,
        None if words.get(message.start) == "note" && words.is_set_off(message.start) => {
            message.start + 1
        }
        None => return None,
    };
    // "remember this too: …", "remember that too"
    let from = match words.get(from - 1) {
        "this" | "that" => words.skip(from, phrases!["too", "also", "as well"]),
        _ => from,
    };
    let text = tidied(words.original(from..words.len()));
    if text.is_empty() || says_nothing(&text) {
        return message
            .is_addressed
            .then(|| Intent::unclear(wording::MEMORY_EMPTY));
    }
    if is_unfinished(&Words::new(&text)) {
        return Some(Intent::Unclear(wording::memory_unfinished(&text)));
    }
    if words.is_question() && words.get(message.start) == "remember" {
        // "Remember that time …?" is a question.
        return Some(Intent::Recall {
            about: Some(subject(&text)),
        });
    }
    // "remember when we were young" tells of the past.
    let said = Words::new(&text);
    if words
        .after(message.start, phrases!["remember when"])
        .is_some()
        && (1..said.len()).any(|at| matches!(said.get(at), "was" | "were" | "used" | "had"))
    {
        return None;
    }
    // "remember to buy milk"
    if let Some(task) = text.strip_prefix("to ")
        && !words.is_question()
    {
        let text = task.trim().to_owned();
        if text.chars().count() <= REMINDER_CHARS_MAX {
            let reply = wording::reminder_without_time(&text);
            return Some(Intent::AskWhen {
                reply,
                text,
                month: None,
            });
        }
    }
    if text.chars().count() > MEMORY_CHARS_MAX {
        return Some(Intent::Unclear(wording::memory_too_long(MEMORY_CHARS_MAX)));
    }
    Some(match meant(&text) {
        Some(text) => Intent::Remember { text },
        None => Intent::unclear(wording::MEMORY_UNCLEAR),
    })
}

/// A longer text corrects nothing.
const CORRECTED_WORDS_MAX: usize = 40;

/// "the wifi is abc no wait abd": with the later value. `None`: it is not clear what is meant.
fn meant(text: &str) -> Option<String> {
    let words = Words::new(text);
    // "there is actually no lift"
    let is_sure =
        |at: usize, strength| strength == MarkStrength::Sure && words.get(at) != "actually";
    let mark = |at: usize| {
        let (from, strength) = corrections::after_mark(&words, at)?;
        is_sure(at, strength).then_some((at, from))
    };
    let Some((at, from)) = (1..words.len().min(CORRECTED_WORDS_MAX)).find_map(mark) else {
        return Some(text.to_owned());
    };
    let from = corrections::skip_links(&words, from);
    let said = tidied(words.original(0..at));
    with_corrected_value(&said, &subject(words.original(from..words.len())))
}

/// "me", "nothing", and "this ticket", of which a superpower asks what it says.
fn says_nothing(text: &str) -> bool {
    matches!(
        subject(text).to_lowercase().as_str(),
        "ticket" | "tickets" | "me" | "nothing" | "everything" | "it" | "this" | "that"
    )
}

static ALL_MEMORIES: Phrases = Phrases::new(&[
    "memories", "my memories", "all memories", "all my memories", "show my memories",
    "show me my memories", "show memories", "show all memories", "show all my memories",
    "list memories", "list my memories", "list all memories", "list all my memories",
    "what are my memories", "what have i told you", "what did i tell you",
]);

fn recall(message: &ParsedMessage) -> Option<Intent> {
    let words = &message.words;
    match message.request() {
        request if ALL_MEMORIES.contains(request) => {
            return Some(Intent::Recall { about: None });
        }
        _ => {}
    }
    let start = words.after(
        message.start,
        phrases![
            "what do you remember about", "what do you remember of", "what do you remember",
            "what else do you remember about", "what else do you remember",
            "what can you remember about", "what can you remember", "what do you know about",
            "what do you know", "what have i told you about", "what did i tell you about",
            "what did i say about", "what i told you about", "what i said about",
            "tell me what you remember about", "tell me what you remember",
            "tell me what you know about", "tell me what you know",
            "tell me everything you know about", "show me what you remember about",
            "show me what you remember", "show my memories about", "show me my memories about",
            "list my memories about", "recall", "do you remember", "do you still remember",
            "do you know what my", "do you know when my", "do you know where my", "do you know my",
        ],
    );
    if let Some(from) = start {
        return Some(Intent::Recall {
            about: about(message, from),
        });
    }
    if let Some(about) = asked_how(message) {
        return Some(Intent::Recall { about: Some(about) });
    }
    question(message).map(|from| Intent::Recall {
        about: about(message, from),
    })
}

/// The subject of "how did my interview go?".
fn asked_how(message: &ParsedMessage) -> Option<String> {
    let words = &message.words;
    let from = words.after(message.start, phrases!["how did my", "how did the"])?;
    let end = words.len().checked_sub(1).filter(|end| *end > from)?;
    let is_asked = message.is_addressed && words.get(end) == "go";
    is_asked.then(|| subject(words.original(from..end)))
}

/// "what's my wifi password?", "where did I park?": a question that only the person's memories
/// could answer; in a group only if the assistant is addressed.
fn question(message: &ParsedMessage) -> Option<usize> {
    let words = &message.words;
    if !message.is_addressed {
        return None;
    }
    match words.get(message.start) {
        "whats" | "whens" | "wheres" | "whos" => words.after(message.start + 1, phrases!["my"]),
        "what" | "when" | "where" | "who" | "which" => words.after(
            message.start + 1,
            phrases!["is my", "are my", "was my", "were my", "did i", "do i"],
        ),
        _ => None,
    }
}

/// The subject of a question that nothing else answers: "what's the wifi password?".
pub(in crate::assistant) fn asked_about(text: &str, words: &Words) -> Option<String> {
    if text.len() > QUESTION_BYTES_MAX || words.len() > QUESTION_WORDS_MAX {
        return None;
    }
    let asks = |at: &usize| is_question_word(words.get(*at)) && words.get(*at) != "why";
    let question_word = (0..words.len()).find(asks);
    let Some(from) = question_word else {
        let start = words.after(
            0,
            phrases![
                "tell me about", "tell me", "give me", "do you know", "show me",
            ],
        );
        let from = start.or_else(|| words.is_question().then_some(0))?;
        let end = words.before_courtesy(0, words.len());
        let about = subject(words.original(from..end.max(from)));
        return Some(about).filter(|about| !about.is_empty());
    };
    let from = words.skip(
        from + 1,
        phrases![
            "is", "are", "was", "were", "does", "do", "did", "much is", "much are", "much does",
            "much do",
        ],
    );
    Some(subject(words.original(from..words.len()))).filter(|about| !about.is_empty())
}

static NO_SUBJECT: Phrases = Phrases::new(&[
    "", "me", "myself", "everything", "anything", "about me", "everything about me",
    "anything about me", "all", "so far",
]);

fn about(message: &ParsedMessage, from: usize) -> Option<String> {
    let words = &message.words;
    let mut end = words.len();
    while end > from && matches!(words.get(end - 1), "please" | "pls" | "again") {
        end -= 1;
    }
    match words.phrase(from..end.min(from + 4)).as_str() {
        request if NO_SUBJECT.contains(request) => None,
        _ => Some(subject(words.original(from..end))).filter(|about| !about.is_empty()),
    }
}

fn forget(message: &ParsedMessage) -> Option<Intent> {
    let words = &message.words;
    let request = message.request();
    if is_forget_everything(request) {
        return Some(Intent::ForgetEverything);
    }
    static FORGET_THAT: Phrases = Phrases::new(&[
        "forget", "forget it", "forget that", "forget this", "forget about it", "forget about that",
    ]);
    if FORGET_THAT.contains(request) {
        return message
            .is_addressed
            .then(|| Intent::Say(wording::NEVER_MIND.to_owned()));
    }
    let from = words.after(
        message.start,
        phrases![
            "forget everything about", "forget everything you know about",
            "forget what i said about", "forget what i told you about",
            "forget what you know about", "forget the memory about", "forget my memory about",
            "forget my memories about", "forget all about", "forget about", "forget that",
            "forget", "delete the memory about", "delete the memory of", "delete the memory that",
            "delete my memory about", "delete my memories about", "delete memory",
            "remove the memory about", "erase the memory about",
        ],
    )?;
    let end = words.before_courtesy(from, words.len());
    // "forget what tom owes me"
    if words.get(from) == "what" && (from..end).any(|at| matches!(words.get(at), "owe" | "owes")) {
        return Some(Intent::unclear(wording::DEBT_IS_NO_MEMORY));
    }
    let about = subject(words.original(from..end));
    (!about.is_empty()).then_some(Intent::Forget { about })
}

fn is_forget_everything(request: &str) -> bool {
    phrases![
        "forget everything", "forget everything about me", "forget all about me", "forget all",
        "forget me", "forget about me", "forget everything you know",
        "forget everything you know about me", "forget everything i told you",
        "forget everything i said", "forget everything ive told you",
        "forget everything i have told you", "forget all my memories", "forget all memories",
        "forget all of it", "forget my memories", "delete my memories", "delete all my memories",
        "delete all memories", "delete everything you know about me", "erase my memories",
        "erase all my memories", "erase all memories", "clear my memories",
        "clear all my memories", "clear all memories", "wipe my memories", "wipe all my memories",
        "wipe your memory", "clear your memory", "erase your memory", "remove all my memories"
    ]
    .contains(request)
}
