//! Clauses after a request: why it is asked for, or a sentence of its own.

use std::ops::Range;

use super::phrases::Phrases;
use super::words::{Words, has_digit};

/// "because we're out": why something is asked for.
pub(in crate::assistant) fn begins_reason(words: &Words, at: usize) -> bool {
    matches!(
        words.get(at),
        "because" | "cause" | "cuz" | "cos" | "bc" | "since" | "as"
    )
}

/// "we're out", "bo is coming": a sentence, which is no part of a thing.
pub(in crate::assistant) fn begins_clause(words: &Words, at: usize, end: usize) -> bool {
    const SUBJECT_WORDS_MAX: usize = 3;
    let is_subject = matches!(
        words.get(at),
        "we" | "were"
            | "weve"
            | "i"
            | "im"
            | "ive"
            | "its"
            | "it"
            | "theres"
            | "there"
            | "they"
            | "theyre"
            | "he"
            | "hes"
            | "she"
            | "shes"
            | "thats"
    );
    let mut verbs = at + 1..end.min(at + 1 + SUBJECT_WORDS_MAX);
    let is_verb = |n: usize| {
        matches!(
            words.get(n),
            "is" | "are" | "was" | "has" | "have" | "ran" | "comes" | "likes" | "wants"
        )
    };
    is_subject && end > at + 1 || verbs.any(is_verb)
}

/// "i meant the swim": what takes the request back is no reason for it.
fn takes_back(words: &Words, at: usize) -> bool {
    static TAKEN_BACK: Phrases = Phrases::new(&[
        "i mean", "i meant", "i dont mean", "i didnt mean", "i was joking", "im joking",
        "im kidding", "just kidding", "i was kidding", "i changed my mind", "im not sure",
        "i am not sure", "im unsure", "i was wrong", "my mistake", "you know",
    ]);
    words.after(at, &TAKEN_BACK).is_some()
}

/// Where a reason begins after a comma or a sentence, to the end: "i'm injured" of "cancel the gym, i'm injured". A
/// number in it may be of something else: "cancel dinner, lunch is at 2".
pub(in crate::assistant) fn reason_after_comma(
    words: &Words,
    range: Range<usize>,
) -> Option<usize> {
    static OPINIONS: Phrases = Phrases::new(&[
        "too", "not needed", "no longer needed", "no need", "no longer", "nobody", "noone",
        "no one", "everyone", "everybody", "finally", "dont need", "not any more", "not anymore",
    ]);
    let begins = |at: &usize| {
        // unlike "add eggs, too; brown ones"
        let is_apart = *at + 1 < range.end && words.is_set_off(*at);
        let is_opinion = || words.after(*at, &OPINIONS).is_some() && !is_apart;
        words
            .original(*at - 1..*at)
            .ends_with([',', ';', '–', '—', '.', '!'])
            && !matches!(words.get(*at), "if" | "unless" | "when" | "once" | "until")
            && (begins_reason(words, *at) && words.get(at + 1) != "well"
                || begins_clause(words, *at, range.end)
                || is_opinion())
    };
    let at = (range.start + 1..range.end).find(begins)?;
    if takes_back(words, at) {
        return None;
    }
    let asks_more = |word: &str| {
        has_digit(word)
            || matches!(
                word,
                "remind"
                    | "add"
                    | "cancel"
                    | "delete"
                    | "remove"
                    | "move"
                    | "put"
                    | "make"
                    | "set"
                    | "spent"
                    | "paid"
                    | "remember"
                    | "tell"
                    | "and"
                    | "need"
                    | "instead"
                    | "if"
                    | "unless"
                    | "when"
                    | "until"
                    | "wait"
                    | "later"
                    | "joke"
                    | "kidding"
                    | "leave"
                    | "keep"
                    | "must"
                    | "should"
                    | "today"
                    | "tomorrow"
                    | "tonight"
            )
    };
    // "add salt, we have none, pepper, rice" goes on.
    let goes_on = (at..range.end - 1).any(|at| words.original(at..at + 1).ends_with(','));
    let is_plain =
        !goes_on && !(at..range.end).any(|at| asks_more(words.get(at))) && !words.is_question();
    is_plain.then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_begins_after_a_comma() {
        for (text, rest) in [
            ("cancel the gym, i'm injured", Some("i'm injured")),
            ("cancel netflix, too expensive", Some("too expensive")),
            ("remove bread, nobody eats it", Some("nobody eats it")),
            ("cancel it, he's away", Some("he's away")),
            (
                "add eggs, because we have none",
                Some("because we have none"),
            ),
            ("cancel bo, cy and ann", None),
            ("cancel dinner, lunch is at 2", None),
            ("cancel it, i want to add milk", None),
            ("cancel it i'm injured", None),
            ("add milk, eggs", None),
            ("cancel gym, yoga", None),
            ("cancel the run, if bo is away", None),
            ("add eggs, too; brown ones", None),
            ("cancel bo. he's away", Some("he's away")),
            ("cancel the run. i meant the swim", None),
            ("cancel the run? he's away", None),
            ("add tea. it must be green", None),
            ("add salt, we have none, pepper, rice", None),
            ("cancel call bo, he's away unless it rains", None),
            ("add butter, never salted", None),
            ("cancel the run, it's tomorrow", None),
        ] {
            let words = Words::new(text);
            let found = reason_after_comma(&words, 0..words.len());
            let found = found.map(|at| words.original(at..words.len()));
            assert_eq!(found, rest, "{text}");
        }
    }
}
