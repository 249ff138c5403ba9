//! What a message says to the question how something was.

use super::NAME_WORDS_MAX;
use crate::assistant::text::function_words::is_no;
use crate::assistant::text::phrases::Phrases;
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
    "stop", "stop it", "stop asking", "stop asking me", "rather not say", "id rather not say",
    "no comment",
]);

/// The event isn't over, or how it was is told later.
static LATER: Phrases = Phrases::new(&[
    "ask me later", "ask later", "ask me tomorrow", "ask tomorrow", "ask me again later",
    "ask me again tomorrow", "ask again later", "ask again tomorrow", "ask again", "ask me again",
    "ask me tonight", "ask tonight", "tomorrow", "tonight", "later", "not yet", "still in it",
    "im still in it", "its not over", "its not over yet", "not over yet", "still waiting",
    "its still going on", "still going on", "ill tell you later", "i will tell you later",
    "tell you later",
]);

/// The same, with when.
static LATER_AT: Phrases = Phrases::new(&[
    "ask me again", "ask again", "ask me later", "ask me in", "ask me at", "not yet",
]);

/// What answers nothing.
static NO_ANSWERS: Phrases = Phrases::new(&[
    "hi", "hello", "hey", "thanks", "thank you", "good morning", "good evening", "good night",
    "bye", "help", "yes", "ok", "okay", "hi there", "hey there", "done", "thx for asking",
    "thanks for asking", "thank you for asking", "thx", "nice of you to ask",
]);

/// The event is at another time, or there is another one.
static OTHER_TIME: Phrases = Phrases::new(&[
    "its at", "its on", "its tomorrow", "its later", "its not until", "it is at", "it is on",
    "it is tomorrow", "it is later", "next",
]);
static NEXT_ONE: Phrases = Phrases::new(&[
    "next one", "the next one", "next round", "the next round", "second round", "the second round",
    "another one",
]);

/// Beginnings of an answer that tells how something was.
static HOW_IT_WAS: Phrases =
    Phrases::new(&["it was", "it went", "they were", "i passed", "i failed"]);
/// Such an answer, or such a beginning before "but" and the like.
static WORDS_FOR_IT: Phrases = Phrases::new(&[
    "passed", "failed", "great", "good", "very good", "really good", "pretty good", "fine", "well",
    "very well", "ok", "okay", "not bad", "not good", "not great", "not so good", "so so", "bad",
    "terrible", "awful", "horrible", "amazing", "brilliant", "excellent", "perfect", "wonderful",
    "lovely", "nice", "fun", "hard", "tough", "easy", "boring", "long", "exhausting", "tiring",
    "stressful", "interesting",
]);

/// Beginnings of other questions and requests, also without a mark.
static ASKING: Phrases = Phrases::new(&[
    "what time", "what day", "what date", "whats", "what is", "what are", "what do", "what did",
    "when is", "whens", "when are", "when do", "where is", "wheres", "who is", "whos", "which",
    "how is", "hows", "how are", "how much", "how many", "how long", "do i", "do you", "can you",
    "could you", "will you", "will it", "are you", "tell me", "show me", "give me", "why do you",
    "why are you", "why did you", "what else",
]);

/// Whether a part of a message is an answer by itself, not only by being no request. "ok" and "well"
/// alone may begin anything.
pub fn tells_how_it_was(text: &str) -> bool {
    let words = Words::new(text);
    if words.after(0, &HOW_IT_WAS).is_some() {
        return true;
    }
    let is_filler = words.len() == 1 && matches!(words.get(0), "ok" | "okay" | "well");
    let goes_on = |at: usize| matches!(words.get(at), "" | "but" | "and" | "so" | "though");
    !is_filler && words.after(0, &WORDS_FOR_IT).is_some_and(goes_on)
}

/// "next one on 14 june at 9"
pub fn names_next_one(text: &str) -> bool {
    let words = Words::new(text);
    let after = words.after(0, &NEXT_ONE).map(|at| words.skip(at, &["is"]));
    after.is_some_and(|at| when::read(&words, at).is_some())
}

/// "it's at 3"
fn tells_other_time(words: &Words) -> bool {
    words.after(0, &OTHER_TIME).is_some()
        && (0..words.len()).any(|at| when::read(words, at).is_some())
}

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
    // "what interview", but not "what a day"
    let asks_which = words.len() == 2 && words.get(0) == "what";
    let is_asked = words.is_question() || words.after(0, &ASKING).is_some();
    if words.len() == 0 || asks_which || is_asked {
        return CheckinAnswer::None;
    }
    // "fine. what else is today", "next one on 14 june at 9"
    let asks_more =
        (1..words.len()).any(|at| words.is_set_off(at - 1) && words.after(at, &ASKING).is_some());
    if asks_more || names_next_one(text) || tells_other_time(&words) {
        return CheckinAnswer::None;
    }
    if words.after(0, &LATER_AT).is_some() {
        return CheckinAnswer::Later;
    }
    match words.phrase(0..words.len().min(NAME_WORDS_MAX)).as_str() {
        request if NO_ANSWERS.contains(request) => CheckinAnswer::None,
        request if LATER.contains(request) => CheckinAnswer::Later,
        request if is_no(request) || REFUSED.contains(request) => CheckinAnswer::Refused,
        _ => CheckinAnswer::Text(text.trim().chars().take(ANSWER_CHARS_MAX).collect()),
    }
}
