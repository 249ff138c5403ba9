//! What a message says to the question how something was.

use super::NAME_WORDS_MAX;
use crate::assistant::text::function_words::is_no;
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when;
use crate::assistant::text::words::Words;

/// The answer to the question how something was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckinAnswer {
    /// No answer: a greeting, a question.
    None,
    Refused,
    /// "ask me later", "not yet"
    Later,
    /// The answer as it was typed, shortened.
    Text(String),
}

/// Characters of a stored answer.
const ANSWER_CHARS_MAX: usize = 500;

static REFUSED: Phrases = Phrases::new(&[
    "skip", "nothing", "never mind", "nevermind", "not now", "no thanks", "i dont want to say",
    "none of your business", "i dont want to talk", "dont ask", "dont ask me", "please dont ask",
]);

/// It isn't over, or is told at another time.
static LATER: Phrases = Phrases::new(&[
    "ask me later", "ask later", "ask me tomorrow", "ask tomorrow", "ask me again later",
    "ask me again tomorrow", "later", "not yet", "still in it", "im still in it", "its not over",
    "its not over yet", "not over yet", "still waiting", "its still going on", "still going on",
    "ill tell you later", "i will tell you later", "tell you later",
]);

/// What answers nothing.
static NO_ANSWERS: Phrases = Phrases::new(&[
    "hi", "hello", "hey", "thanks", "thank you", "good morning", "good evening", "good night",
    "bye", "help", "yes", "ok", "okay", "hi there", "hey there", "done", "thx for asking",
    "thanks for asking", "thank you for asking", "thx", "nice of you to ask",
]);

/// Beginnings of other questions and requests, also without a mark.
static ASKING: Phrases = Phrases::new(&[
    "what time", "what day", "what date", "whats", "what is", "what are", "what do", "what did",
    "when is", "whens", "when are", "when do", "where is", "wheres", "who is", "whos", "which",
    "how is", "hows", "how are", "how much", "how many", "how long", "do i", "do you", "can you",
    "could you", "will you", "will it", "are you", "tell me", "show me", "give me", "why do you",
    "why are you", "why did you", "what else",
]);

pub fn checkin_answer(text: &str) -> CheckinAnswer {
    let words = Words::new(text);
    // "got moved to next week", "morninnn", "dunno"
    let is_moved = words
        .iter()
        .any(|word| matches!(word, "moved" | "postponed" | "rescheduled"));
    let is_alone = words.len() == 1
        && (words.get(0).starts_with("morn") || matches!(words.get(0), "dunno" | "idk"));
    let is_moved = is_moved && words.len() <= NAME_WORDS_MAX + 3;
    let is_open = |at: usize| matches!(words.get(at + 1), "week" | "month" | "year");
    let names_day =
        |at| !is_open(at) && when::read(&words, at).is_some_and(|(spec, _)| spec.day.is_some());
    if is_moved && !(0..words.len()).any(names_day) {
        return CheckinAnswer::Refused;
    }
    if is_moved || is_alone {
        return CheckinAnswer::None;
    }
    if words.len() == 0 || words.is_question() || words.after(0, &ASKING).is_some() {
        return CheckinAnswer::None;
    }
    // "fine. what else is today", "next one on 14 june at 9"
    let asks_more =
        (1..words.len()).any(|at| words.is_set_off(at - 1) && words.after(at, &ASKING).is_some());
    let is_next = words
        .after(0, phrases!["next one", "the next one", "next"])
        .is_some();
    if asks_more || is_next && (0..words.len()).any(names_day) {
        return CheckinAnswer::None;
    }
    match words.phrase(0..words.len().min(NAME_WORDS_MAX)).as_str() {
        request if NO_ANSWERS.contains(request) => CheckinAnswer::None,
        request if LATER.contains(request) => CheckinAnswer::Later,
        request if is_no(request) || REFUSED.contains(request) => CheckinAnswer::Refused,
        _ => CheckinAnswer::Text(text.trim().chars().take(ANSWER_CHARS_MAX).collect()),
    }
}
