//! Statements that something is needed or used up, without a request: "i need toothpaste", "we're
//! out of milk". The assistant only offers to put the thing on the list.

use super::{ParsedMessage, reminder, subject};
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when;

/// Words of what is needed.
const THING_WORDS_MAX: usize = 4;

static NEEDS: Phrases = Phrases::new(&[
    "i need to buy some", "i need to buy", "we need to buy some", "we need to buy",
    "need to buy some", "need to buy", "i have to buy", "buy some", "buy", "i need some more",
    "i need more", "i need some", "i need new", "i need", "i also need some", "i also need",
    "i need also some", "i need also", "we also need", "need some", "need", "we need some more",
    "we need more", "we need some", "we need new", "we need", "i ran out of", "we ran out of",
    "ive run out of", "weve run out of", "im out of", "i am out of", "were out of",
    "we are out of", "there is no more", "theres no more",
]);

/// A word of what nobody buys by a list, or of a longer sentence.
const NO_PURCHASE: &str = "to is are was has have or but if when because so you u your \
     me my him her his them their us our it this that these those one ones \
     someone somebody something anything nothing everything anyone help sleep rest break hug \
     hugs time money cash advice love space vacation holiday nap job work motivation energy \
     friend friends therapy minute moment second info information answer answers support change \
     plan plans ride lift reminder reminders alarm timer list ideas idea breath luck town \
     office here control patience words memory battery gas fuel petrol attention peace quiet \
     doctor hospital therapist lawyer police ambulance shower now not no from for with by at on \
     in about what how who out up better bed options excuses proof reason reasons hope courage \
     strength company drink vent talk instead wifi password code number link im ive i we he she they";

/// "i'm going to rome from 3 to 7 december", "i'm off to paris next weekend": the place with its days.
pub(super) fn trip(message: &ParsedMessage) -> Option<String> {
    static GOES: Phrases = Phrases::new(&[
        "im going to", "i am going to", "were going to", "we are going to", "im flying to",
        "i am flying to", "were flying to", "im travelling to", "im traveling to", "im off to",
        "im visiting", "i will be in",
    ]);
    const TRIP_WORDS_MAX: usize = 10;
    const PLACE_WORDS_MAX: usize = 3;
    let (words, at) = (&message.words, message.start);
    let from = words.after(at, &GOES)?;
    let is_short = words.len() - from <= TRIP_WORDS_MAX;
    let is_place = !reminder::is_task_word(words.get(from));
    if !is_short || !is_place {
        return None;
    }
    let place_ends = from + 1..=from + PLACE_WORDS_MAX;
    let is_days = |days: usize| {
        let mut rest = words.iter().skip(days);
        let is_span = rest.any(|word| word == "to" || word == "until");
        let mut rest = words.iter().skip(days);
        is_span && rest.any(|word| when::month(word).is_some())
    };
    let mut places = place_ends.clone();
    let days = places.find(|at| words.get(*at) == "from");
    let is_dated = days.is_some_and(is_days);
    // "i'm going to relax next weekend"
    let is_on_way = words.get(from - 1) == "to" && words.get(from - 2) != "going";
    let is_of_somebody = words.original(from..words.len()).contains(['\'', '’']);
    let is_there = is_on_way && !is_of_somebody && !is_no_place(words.get(from));
    let mut place_ends = place_ends.filter(|_| is_there);
    let weekend = phrases!["next weekend", "this weekend"];
    let is_weekend = place_ends.any(|at| words.after(at, weekend) == Some(words.len()));
    (is_dated || is_weekend).then(|| subject(words.original(from..words.len())))
}

/// "i'm off to work": no place of a trip.
fn is_no_place(word: &str) -> bool {
    let is_other = phrases![
        "a", "an", "the", "my", "our", "his", "her", "their", "some", "work", "school", "bed",
        "church", "uni", "college", "see", "meet", "visit", "buy", "get", "do", "have", "be",
        "mum", "mom", "dad", "grandma", "grandpa", "you", "another", "this", "that"
    ];
    is_other.contains(word)
}

/// The needed thing, if it may be bought; `None` for people, feelings and tasks.
pub(super) fn needed_thing(message: &ParsedMessage) -> Option<String> {
    let (words, at) = (&message.words, message.start);
    let from = words.after(at, &NEEDS)?;
    let from = words.skip(from, phrases!["a", "an", "the", "any"]);
    let end = reminder::without_courtesies(words, from..words.len());
    let is_short = (1..=THING_WORDS_MAX).contains(&end.saturating_sub(from));
    if !is_short || (from..end).any(|at| is_no_purchase(words.get(at))) {
        return None;
    }
    let thing = subject(words.original(from..end));
    let is_timed = (from..end).any(|at| when::read(words, at).is_some());
    (!is_timed && !thing.is_empty()).then_some(thing)
}

fn is_no_purchase(word: &str) -> bool {
    NO_PURCHASE.split(' ').any(|one| one == word)
}

#[cfg(test)]
mod tests {
    use super::super::{MessageContext, PossibleMeanings, Statement};
    use crate::clock::Timestamp;

    #[test]
    fn things_to_buy_are_told_from_other_needs() {
        for (text, expected) in [
            ("i need toothpaste", Some("toothpaste")),
            ("I need some milk and eggs.", Some("milk and eggs")),
            ("we're out of olive oil", Some("olive oil")),
            ("I ran out of milk", Some("milk")),
            ("i need a new phone", Some("new phone")),
            ("buy milk", Some("milk")),
            ("need to buy milk and eggs", Some("milk and eggs")),
            ("buy time", None),
            ("i need help", None),
            ("i need you", None),
            ("i need to sleep", None),
            ("i need a break", None),
            ("we're out of town", None),
            ("i ran out of time", None),
            ("i need milk tomorrow", None),
            ("i need the car at 5", None),
            ("i need milk?", None),
            ("do i need milk", None),
            ("i don't need milk", None),
            ("i need bo to call", None),
        ] {
            let context = MessageContext::direct(text, Timestamp(0));
            let needed = match PossibleMeanings::read(&context).statement {
                Some(Statement::Needed(thing)) => Some(thing),
                _ => None,
            };
            assert_eq!(needed.as_deref(), expected, "{text}");
        }
    }
}
