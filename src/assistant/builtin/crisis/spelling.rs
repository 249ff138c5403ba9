//! The plain spelling of a word that is searched for a crisis: short forms are written out,
//! misspelled words corrected, accents left out.

use std::borrow::Cow;
use std::sync::LazyLock;

use crate::assistant::text::word_set::{HashedWord, WordMap, WordSet};

/// Misspelled words by which a crisis is told, and what they mean. Of the words of `LONG_WORDS` any
/// slip is known.
const MISSPELLED: [&str; 44] = [
    "brathe: breathe", "breth: breathe", "brethe: breathe", "brething: breathing",
    "breathin: breathing", "cheast: chest", "chets: chest", "choken: choking", "d1e: die",
    "diee: die", "dyin: dying", "hittin: hitting", "kil: kill", "killin: killing", "klil: kill",
    "kll: kill", "livin: living", "meself: myself", "msyelf: myself", "myelf: myself",
    "mysef: myself", "mysel: myself", "myseld: myself", "myselff: myself", "myslef: myself",
    "myslf: myself", "od-ed: overdosed", "oded: overdosed", "sewerslide: suicide", "slef: self",
    "unaliv: unalive", "unalived: unalive", "plz: please", "pls: please", "hubby: husband",
    "bby: baby", "tn: tonight", "ded: dead", "pils: pills", "pilss: pills", "sucide: suicide",
    "siucide: suicide", "suecide: suicide", "sucidal: suicidal",
];

/// Words by which a crisis is told, which are long enough to be known with a slip: a letter that is
/// missing, twice there or exchanged with the next, or another vowel.
const LONG_WORDS: [&str; 37] = [
    "ambulance", "antidepressants", "antifreeze", "breathing", "bleeding", "collapsed", "choking",
    "disappear", "drowning", "emergency", "goodbye", "hitting", "hurting", "ibuprofen", "overdose",
    "overdosed", "overdosing", "paracetamol", "painkillers", "painless", "poisoned", "poisoning",
    "responding", "seizure", "suicidal", "suicide", "swallowed", "tablets", "threatened",
    "threatening", "toddler", "tylenol", "unalive", "unconscious", "unresponsive", "worthless",
    "swelling",
];

/// Short forms of words that are in many messages.
const SHORT_FORMS: [&str; 78] = [
    "aint: is not", "anymor: anymore", "anymroe: anymore", "arent: are not", "bc: because",
    "bout: about", "cannot: can not", "cant: can not", "cany: can not", "cnt: can not",
    "couldnt: could not", "cuz: because", "coz: because", "didnt: did not", "dnt: do not",
    "doesnt: does not", "dont: do not", "dunno: do not know", "gf: girlfriend", "bf: boyfriend",
    "gona: going to", "gonna: going to", "gotta: have to", "gunna: going to", "hadnt: had not",
    "hasnt: has not", "havent: have not", "hed: he would", "hes: he is", "ill: i will", "im: i am",
    "ima: i am going to", "imma: i am going to", "isnt: is not", "its: it is", "ive: i have",
    "lemme: let me", "noone: nobody", "prolly: probably", "rn: right now", "shes: she is",
    "shouldnt: should not", "somebodys: somebody is", "someones: someone is", "smth: something",
    "sth: something", "thats: that is", "theres: there is", "theyll: they will",
    "theyre: they are", "theyve: they have", "tryna: trying to", "u: you", "ur: your",
    "wana: want to", "wanna: want to", "wasnt: was not", "werent: were not", "weve: we have",
    "whats: what is", "whos: who is", "wnna: want to", "wnat: want", "wont: will not",
    "wouldnt: would not", "youre: you are", "asap: right now", "somethings: something is",
    "gma: grandma", "gpa: grandpa", "wat: what", "luv: love", "hv: have", "idw: i do not want",
    "idk: i do not know", "nymore: anymore", "someon: someone", "id: i would",
];

/// Words that only stress others.
static STRESSING: WordSet = WordSet::new(&[
    "actually", "always", "basically", "completely", "constantly", "even", "fking", "fkn",
    "fuckin", "fucking", "honestly", "jus", "just", "kinda", "literally", "lowkey", "probably",
    "really", "rlly", "rly", "seriously", "simply", "sometimes", "still", "totally", "truly",
]);

static CORRECTED: LazyLock<WordMap<&'static str>> = LazyLock::new(|| {
    let listed = MISSPELLED.iter().filter_map(|pair| pair.split_once(": "));
    let slips = LONG_WORDS
        .iter()
        .flat_map(|word| slips(word).map(move |slip| (slip, *word)));
    WordMap::merged(listed.chain(slips), |one, _| one)
});

static WRITTEN_OUT: LazyLock<WordMap<&'static str>> = LazyLock::new(|| {
    let all = SHORT_FORMS.iter();
    WordMap::merged(all.filter_map(|pair| pair.split_once(": ")), |one, _| one)
});

/// The ways of mistyping a word, but for those that are words.
fn slips(word: &'static str) -> impl Iterator<Item = &'static str> {
    let mut all: Vec<String> = Vec::new();
    for at in 1..word.len() {
        let (before, rest) = word.split_at(at);
        let letter = &rest[..1];
        all.push(format!("{before}{}", &rest[1..]));
        all.push(format!("{before}{letter}{rest}"));
        if let Some(next) = rest.get(1..2) {
            all.push(format!("{before}{next}{letter}{}", &rest[2..]));
        }
        all.extend(["a", "e", "i", "o", "u"].map(|vowel| format!("{before}{vowel}{rest}")));
        if "aeiou".contains(letter) {
            let vowels = "aeiou".chars();
            all.extend(vowels.map(|vowel| format!("{before}{vowel}{}", &rest[1..])));
        }
    }
    let is_slip = |slip: &String| !WORDS.contains(&&**slip) && !LONG_WORDS.contains(&&**slip);
    all.retain(is_slip);
    all.into_iter().map(|slip| &*slip.leak())
}

/// Words that are slips of no other.
const WORDS: [&str; 8] = [
    "tablet", "toddle", "downing", "shallowed", "breeding", "hutting", "coking", "choring",
];

/// Whether a misspelled word may be one of a crisis.
pub(super) fn is_misspelled(hashed: HashedWord) -> bool {
    is_drawn_out(hashed.word) || CORRECTED.get(hashed).is_some()
}

/// Whether the word is in plain spelling, with or without an apostrophe, whatever is before it.
pub(super) fn is_plain(word: &str) -> bool {
    word.is_ascii()
        && meaning(word).is_none()
        && with_apostrophe(word).is_none()
        && !is_drawn_out(word)
        && !word.ends_with("yo")
}

/// Whether a sentence may have this word when it is compared: it is neither a short form, which is
/// written out, nor left out.
pub(super) fn is_compared(word: &str) -> bool {
    let has_two_meanings = matches!(word, "ill" | "id");
    !is_stress(word) && (has_two_meanings || WRITTEN_OUT.get(word).is_none())
}

/// "od'd", unlike "odd"; "we're", unlike "were".
fn with_apostrophe(word: &str) -> Option<&'static str> {
    Some(match word {
        "odd" => "overdosed",
        "were" => "we are",
        "hell" => "he will",
        "shell" => "she will",
        _ => return None,
    })
}

/// "dieee"
fn is_drawn_out(word: &str) -> bool {
    let mut triples = word.as_bytes().windows(3);
    triples.any(|letters| {
        letters[0].is_ascii_lowercase() && letters.iter().all(|one| *one == letters[0])
    })
}

/// The ways of writing words that are no slips, and the words.
pub(super) fn short_forms() -> impl Iterator<Item = (&'static str, &'static str)> {
    let all = SHORT_FORMS.iter().chain(&TWO_WORDS);
    all.filter_map(|pair| pair.split_once(": "))
}

/// The second of two words that are written apart, and what they mean.
const TWO_WORDS: [&str; 9] = [
    "longer: anymore", "longer: not", "more: anymore", "self: myself", "self: himself",
    "self: herself", "odd: overdosed", "sewer: suicide", "one: nobody",
];

pub(super) fn is_stress(word: &str) -> bool {
    STRESSING.contains(word)
}

/// One or more words. `before`: the word before it, in plain spelling.
pub(super) fn plain<'a>(word: &'a str, typed: &str, before: &str) -> Cow<'a, str> {
    if let Some(meant) = with_apostrophe(word)
        && typed.contains(['\'', '’'])
    {
        return Cow::Borrowed(meant);
    }
    match word {
        "ill" if SICK_AFTER.contains(&before) => return Cow::Borrowed(word),
        "id" if CARD_AFTER.contains(&before) => return Cow::Borrowed(word),
        _ => {}
    }
    // "2yo": two years old.
    if word
        .strip_suffix("yo")
        .is_some_and(|age| age.parse::<u8>().is_ok())
    {
        return Cow::Borrowed("toddler");
    }
    if is_drawn_out(word) {
        let mut letters: Vec<char> = word.chars().collect();
        letters.dedup();
        let word: String = letters.into_iter().collect();
        return meaning(&word).map_or(Cow::Owned(word), Cow::Borrowed);
    }
    meaning(word).map_or_else(|| without_accents(word), Cow::Borrowed)
}

fn meaning(word: &str) -> Option<&'static str> {
    WRITTEN_OUT.get(word).or_else(|| CORRECTED.get(word))
}

/// The words before "ill" and "id" where they are not "I'll" and "I'd".
const SICK_AFTER: [&str; 12] = [
    "am", "is", "are", "was", "be", "been", "feel", "feeling", "mentally", "very", "terminally",
    "fall",
];
const CARD_AFTER: [&str; 8] = ["my", "your", "the", "an", "his", "her", "photo", "user"];

/// Latin letters without their accents: many people leave them out.
pub(super) fn without_accents(word: &str) -> Cow<'_, str> {
    if word.is_ascii() {
        return Cow::Borrowed(word);
    }
    let plain = |letter: char| match letter {
        'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' | 'ą' | 'ă' => 'a',
        'ç' | 'ć' | 'č' => 'c',
        'ď' => 'd',
        'è' | 'é' | 'ê' | 'ë' | 'ę' | 'ě' => 'e',
        'ğ' => 'g',
        'ì' | 'í' | 'î' | 'ï' | 'ı' => 'i',
        'ł' | 'ľ' => 'l',
        'ñ' | 'ń' | 'ň' => 'n',
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' | 'ø' | 'ő' => 'o',
        'ř' => 'r',
        'ś' | 'š' | 'ş' | 'ș' => 's',
        'ť' | 'ţ' | 'ț' => 't',
        'ù' | 'ú' | 'û' | 'ü' | 'ű' | 'ů' => 'u',
        'ý' => 'y',
        'ź' | 'ż' | 'ž' => 'z',
        'ё' => 'е',
        _ => letter,
    };
    Cow::Owned(word.chars().map(plain).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_spelled_plainly() {
        for (typed, before, expected) in [
            ("dieeee", "to", "die"),
            ("breth", "", "breathe"),
            ("cant", "i", "can not"),
            ("ill", "i am", "i will"),
            ("ill", "am", "ill"),
            ("od'd", "i", "overdosed"),
            ("odd", "is", "odd"),
            ("siezure", "a", "seizure"),
            ("unconsious", "is", "unconscious"),
            ("abulance", "an", "ambulance"),
            ("schlägt", "vater", "schlagt"),
            ("berlin", "in", "berlin"),
        ] {
            let word = typed.replace('\'', "");
            assert_eq!(plain(&word, typed, before), expected, "{typed}");
        }
    }
}
