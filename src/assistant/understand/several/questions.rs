//! How a question begins that follows a request, and is no part of it.

use crate::assistant::text::function_words::is_question_word;
use crate::assistant::text::phrases::Phrases;
use crate::assistant::text::words::Words;

/// How a question begins that nobody is to be reminded of, where a comma is before it.
pub(super) static QUESTIONS: Phrases = Phrases::new(&[
    "what time", "what day", "whats", "what is", "how is", "hows", "how are", "who is", "whos",
    "when is", "whens", "where is", "wheres", "are you", "do i have", "will it", "how much",
    "who owes", "what do i have", "how many", "can you tell", "could you tell",
]);

/// "what should i", "how do you": a question, also without a mark; "should i …?".
pub(super) fn begins_question(words: &Words, at: usize) -> bool {
    let verbs = [
        "should", "shall", "can", "could", "do", "does", "did", "is", "are", "am", "will", "would",
        "was", "were", "have", "has",
    ];
    let persons = ["i", "you", "u", "we", "he", "she", "it", "they", "there"];
    let is_asked =
        |at: usize| verbs.contains(&words.get(at)) && persons.contains(&words.get(at + 1));
    is_question_word(words.get(at)) && is_asked(at + 1) || words.is_question() && is_asked(at)
}

/// Whether somebody is to be asked or told what follows: "ask bo, what should we cook".
pub(super) fn is_to_be_asked(words: &Words) -> bool {
    const ASKING: [&str; 14] = [
        "ask", "tell", "google", "check", "see", "find", "figure", "wonder", "know", "decide",
        "think", "text", "write", "answer",
    ];
    words.iter().any(|word| ASKING.contains(&word))
}
