//! The words by which bookings are known, and what they are called.

use std::ops::Range;

use crate::assistant::powers::planned_time;
use crate::assistant::text::words::Words;

/// Words that a booking's name doesn't have before "dinner" and the like. Sorted.
const NO_NAME: [&str; 137] = [
    "a", "about", "add", "an", "are", "arrange", "ask", "asked", "ate", "book", "buy", "call",
    "cancel", "canceled", "cancelled", "cant", "catch", "caught", "change", "check", "clean",
    "cook", "cooking", "could", "create", "delete", "did", "didnt", "do", "does", "doesnt", "dont",
    "drop", "eat", "eating", "enjoy", "enjoyed", "find", "for", "forget", "forgot", "get", "go",
    "going", "had", "has", "hate", "he", "her", "hes", "his", "host", "how", "hows", "i", "if",
    "invite", "invited", "is", "let", "lets", "like", "love", "make", "maybe", "miss", "missed",
    "move", "must", "my", "need", "needs", "never", "no", "not", "of", "order", "our", "paid",
    "pay", "pencil", "plan", "planning", "postpone", "prepare", "push", "put", "remind", "remove",
    "reserve", "schedule", "she", "shes", "should", "show", "skip", "skipping", "some", "spent",
    "take", "takes", "taking", "tell", "that", "the", "their", "they", "theyre", "thinking",
    "this", "to", "took", "try", "trying", "want", "wanted", "wants", "was", "watch", "we", "were",
    "what", "whats", "when", "whens", "where", "wheres", "which", "who", "whos", "why", "without",
    "wont", "would", "you", "your", "youre",
];

pub(super) fn is_booking(word: &str) -> bool {
    matches!(
        word,
        "reservation" | "booking" | "appointment" | "table" | "haircut" | "massage"
    )
}

fn is_meal(word: &str) -> bool {
    matches!(word, "dinner" | "lunch" | "breakfast" | "brunch" | "drinks")
}

pub(super) fn is_stay(word: &str) -> bool {
    matches!(word, "hotel" | "hostel" | "room" | "airbnb" | "flat")
}

pub(super) fn is_ride(word: &str) -> bool {
    matches!(word, "flight" | "train" | "bus" | "ferry")
}

/// Whether a booking of that name is of a ride.
pub(super) fn names_ride(name: &str) -> bool {
    Words::new(name).iter().any(is_ride)
}

/// Whether a word names any booking.
pub(super) fn is_any(about: &str) -> bool {
    matches!(about, "booking" | "reservation" | "appointment" | "table")
}

pub(super) fn is_kind(word: &str) -> bool {
    is_booking(word) || is_meal(word) || is_stay(word) || is_ride(word)
}

/// Whether this is something that a person may ask to book.
pub(super) fn is_ordered(word: &str) -> bool {
    is_kind(word)
        || matches!(
            word,
            "flight" | "ticket" | "tickets" | "taxi" | "cab" | "uber"
        )
}

/// Whether it takes place in the evening, so that "at 8" is 20:00.
pub(super) fn is_in_the_evening(words: &Words, range: Range<usize>) -> bool {
    let has = |is: fn(&str) -> bool| range.clone().any(|n| is(words.get(n)));
    has(planned_time::is_evening)
        || has(|word| matches!(word, "table" | "restaurant" | "reservation"))
            && !has(|word| {
                is_stay(word)
                    || is_ride(word)
                    || matches!(word, "breakfast" | "brunch" | "lunch" | "morning" | "11")
            })
}

/// A word that makes of "… dinner at Luigi" something else than a booking.
pub(super) fn is_no_name(word: &str) -> bool {
    NO_NAME.binary_search(&word).is_ok()
}

/// The words of a name but those that `is_left_out`.
pub(super) fn without(words: &Words, is_left_out: fn(&str) -> bool) -> String {
    let left: Vec<&str> = words.iter().filter(|word| !is_left_out(word)).collect();
    left.join(" ")
}

/// Whether a booking of this name may be one of the other kind: a table is for dinner or lunch, and
/// a name may lack its kind.
pub(super) fn may_be(kept: &Words, said: &Words) -> bool {
    let kind = |words: &Words<'_>, is: fn(&str) -> bool| words.iter().any(is);
    let is_open = |words: &Words<'_>| !kind(words, is_kind) || kind(words, is_any);
    is_open(kept) || is_open(said) || kind(kept, is_stay) && kind(said, is_stay)
}
