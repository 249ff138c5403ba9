//! Tells where or with whom somebody doesn't want to live from not wanting to live. What is not known
//! as a place or a person is none.

use crate::assistant::builtin::words::Words;
use crate::assistant::builtin::zone;

/// "in Berlin", "with my parents anymore": where or with whom somebody doesn't want to live. What is
/// not known as a place or a person is none.
pub(super) fn is_named(words: &Words, at: usize) -> bool {
    let link = words.get(at);
    let noun = words.after(at + 1, &["my", "our", "the", "a", "an", "this"]);
    let from = noun.unwrap_or(at + 1);
    let known = |count: usize| match link {
        "in" | "near" => is_place(words, from, count, noun.is_some()),
        "with" => count == 1 && noun.is_some() && PEOPLE.contains(&words.get(from)),
        _ => false,
    };
    let Some(end) = (1..=2)
        .map(|count| (known(count), from + count))
        .find(|(is, _)| *is)
    else {
        return false;
    };
    let after = words.after(
        end.1,
        &["anymore", "any more", "any longer", "forever", "again"],
    );
    let end = after.unwrap_or(end.1);
    end >= words.len()
        || words.is_set_off(end - 1)
        || matches!(words.get(end), "because" | "but" | "so")
}

/// `is_named`: an article stands before it.
fn is_place(words: &Words, at: usize, count: usize, is_named: bool) -> bool {
    let name = words.phrase(at..at + count);
    if is_named || STATES.contains(&words.get(at)) {
        return is_named && count == 1 && PLACES.contains(&name.as_str());
    }
    let typed = words.original(at..at + count);
    let is_name = typed
        .split(' ')
        .all(|word| word.starts_with(char::is_uppercase));
    is_name && !typed.is_empty() || zone::find(&name).is_some()
}

/// What may be written like a place and is none.
const STATES: [&str; 12] = [
    "hell", "fear", "pain", "misery", "darkness", "shame", "agony", "despair", "silence", "it",
    "this", "me",
];
const PLACES: [&str; 20] = [
    "city", "town", "village", "country", "house", "flat", "apartment", "dorm", "suburbs",
    "countryside", "neighbourhood", "neighborhood", "area", "building", "studio", "hostel",
    "street", "us", "uk", "usa",
];
const PEOPLE: [&str; 22] = [
    "parents", "mom", "mum", "mother", "dad", "father", "brother", "sister", "roommate",
    "roommates", "flatmate", "flatmates", "housemate", "housemates", "family", "grandparents",
    "grandma", "in-laws", "cousin", "cousins", "uncle", "aunt",
];
