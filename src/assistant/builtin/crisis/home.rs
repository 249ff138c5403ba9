//! Tells where or with whom somebody doesn't want to live from not wanting to live. What is not known
//! as a place or a person is none.

use crate::assistant::text::phrases::phrases;
use crate::assistant::text::words::Words;
use crate::assistant::text::zone;

/// "in Berlin", "with my parents anymore": where or with whom somebody doesn't want to live. What is
/// not known as a place or a person is none.
pub(super) fn is_named(words: &Words, at: usize) -> bool {
    let link = words.get(at);
    let noun = words.after(at + 1, phrases!["my", "our", "the", "a", "an", "this"]);
    let from = noun.unwrap_or(at + 1);
    let known = |count: usize| match link {
        "in" | "near" => is_place(words, from, count, noun.is_some()),
        "with" if noun.is_some() => count == 1 && PEOPLE.contains(&words.get(from)),
        "with" => count == 1 && is_name(words, from),
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
        phrases!["anymore", "any more", "any longer", "forever", "again"],
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

/// "Bo", "bo": one that may be a name. A longer word in small letters may be an illness.
fn is_name(words: &Words, at: usize) -> bool {
    let word = words.get(at);
    let typed = words.original(at..at + 1);
    let typed = typed.trim_end_matches(|sign: char| !sign.is_alphanumeric());
    let is_capital = typed.starts_with(char::is_uppercase) && typed.contains(char::is_lowercase);
    let is_short = (2..=4).contains(&word.len()) && typed == word;
    (is_capital || is_short) && !BURDENS.contains(&word) && !STATES.contains(&word)
}

/// Things that people suffer from, and words that are no names.
const BURDENS: [&str; 65] = [
    "abuse", "acne", "add", "adhd", "aids", "all", "als", "anxiety", "arthritis", "asd", "bipolar",
    "bpd", "cancer", "cfs", "copd", "crps", "debt", "depression", "diabetes", "did", "dpdr",
    "endometriosis", "epilepsy", "evil", "fibro", "gout", "grief", "guilt", "hate", "hell", "her",
    "him", "hiv", "hurt", "ibd", "ibs", "lies", "loss", "lupus", "meds", "mine", "ms", "no", "now",
    "ocd", "parkinsons", "pcos", "pmdd", "pots", "ptsd", "rage", "regret", "schizophrenia", "sin",
    "sma", "so", "such", "that", "them", "these", "tics", "tinnitus", "trauma", "what", "you",
];

/// Words that may be written like a place and are none.
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
