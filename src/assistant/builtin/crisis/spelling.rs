//! The plain spelling of a message that is searched for a crisis: short forms are written out,
//! misspelled words corrected, and words that only stress others left out.

use std::sync::LazyLock;

use crate::assistant::builtin::word_set::WordMap;
use crate::assistant::builtin::words::Words;

/// Misspelled words by which a crisis is told, and what they mean.
const MISSPELLED: [&str; 57] = [
    "abulance: ambulance", "ambulace: ambulance", "ambulence: ambulance", "brathe: breathe",
    "brathing: breathing", "breathin: breathing", "breth: breathe", "brethe: breathe",
    "brething: breathing", "cheast: chest", "chets: chest", "choken: choking",
    "colapsed: collapsed", "collasped: collapsed", "diee: die", "dyin: dying", "hittin: hitting",
    "hurtin: hurting", "kil: kill", "killin: killing", "klil: kill", "kll: kill", "livin: living",
    "meself: myself", "msyelf: myself", "myelf: myself", "mysef: myself", "mysel: myself",
    "myseld: myself", "myselff: myself", "myslef: myself", "myslf: myself", "od-ed: overdosed",
    "oded: overdosed", "overdosd: overdosed", "seizre: seizure", "sewerslide: suicide",
    "sezure: seizure", "siezure: seizure", "siucide: suicide", "slef: self", "sucidal: suicidal",
    "sucide: suicide", "sucied: suicide", "suecide: suicide", "suicde: suicide", "suicid: suicide",
    "suicidel: suicidal", "suicied: suicide", "suiscide: suicide", "suisidal: suicidal",
    "suiside: suicide", "unaliv: unalive", "unalived: unalive", "unconcious: unconscious",
    "unconsious: unconscious", "worthles: worthless",
];

/// Short forms of words that are in many messages.
const SHORT_FORMS: [&str; 16] = [
    "wanna: want to", "wana: want to", "wnna: want to", "gonna: going to", "gunna: going to",
    "gona: going to", "tryna: trying to", "imma: im going to", "ima: im going to", "cannot: cant",
    "cnt: cant", "cany: cant", "noone: nobody", "anymor: anymore", "anymroe: anymore", "u: you",
];

/// Words that only stress others.
const STRESSING: [&str; 23] = [
    "really", "rly", "rlly", "just", "jus", "fucking", "fuckin", "fkn", "fking", "actually",
    "literally", "honestly", "seriously", "truly", "kinda", "lowkey", "basically", "simply",
    "even", "still", "constantly", "always", "sometimes",
];

/// Two words, and how they are written as one.
const PAIRS: [&str; 24] = [
    "can not: cant", "do not: dont", "does not: doesnt", "is not: isnt", "will not: wont",
    "i am: im", "i m: im", "i have: ive", "i will: ill", "they are: theyre", "he will: hell",
    "she will: shell", "my self: myself", "her self: herself", "him self: himself",
    "any more: anymore", "any longer: anymore", "no longer: anymore", "no one: nobody",
    "some one: someone", "want 2: want to", "want too: want to", "going 2: going to",
    "sewer slide: suicide",
];

/// What a misspelled word or a short form means.
static MEANT: LazyLock<WordMap<&'static str>> = LazyLock::new(|| {
    let all = MISSPELLED.iter().chain(&SHORT_FORMS);
    WordMap::merged(all.filter_map(|pair| pair.split_once(": ")), |one, _| one)
});

/// Whether a misspelled word or a short form may be one of a crisis.
pub(super) fn is_misspelled(word: &str) -> bool {
    MEANT.get(word).is_some() || is_drawn_out(word)
}

/// "dieee"
fn is_drawn_out(word: &str) -> bool {
    let mut triples = word.as_bytes().windows(3);
    triples.any(|letters| {
        letters[0].is_ascii_lowercase() && letters.iter().all(|one| *one == letters[0])
    })
}

/// The same message in plain spelling.
pub(super) fn plain(words: &Words<'_>) -> String {
    let mut all: Vec<(String, &str)> = Vec::new();
    for at in 0..words.len() {
        let typed = words.original(at..at + 1);
        let word = plain_word(words.get(at), typed);
        let pair = all.last().and_then(|(last, _)| joined(last, &word));
        if let Some(one) = pair {
            all.pop();
            all.push((one.to_owned(), typed));
        } else if let Some(one) = person_of(&word) {
            all.push((one.to_owned(), typed));
            all.push(("is".to_owned(), "is"));
        } else if !STRESSING.contains(&word.as_str()) || words.after(at, &["just end it"]).is_some()
        {
            all.push((word, typed));
        }
    }
    let mut text = String::new();
    for (word, typed) in all {
        // Names are told by their capital letters.
        let same = typed.trim_matches(|c: char| !c.is_alphanumeric());
        text.push_str(if same.eq_ignore_ascii_case(&word) {
            same
        } else {
            &word
        });
        let is_mark = |c: &char| matches!(c, ',' | '.' | '!' | '?' | ';' | ':');
        text.extend(typed.chars().next_back().filter(is_mark));
        text.push(' ');
    }
    text
}

fn plain_word(word: &str, typed: &str) -> String {
    // "od'd", unlike "odd".
    if word == "odd" && !typed.to_lowercase().contains("odd") {
        return "overdosed".to_owned();
    }
    let mut letters: Vec<char> = word.chars().collect();
    if is_drawn_out(word) {
        letters.dedup();
    }
    let word: String = letters.into_iter().collect();
    MEANT.get(&word).map_or(word, str::to_owned)
}

/// "hes" is "he is".
fn person_of(word: &str) -> Option<&'static str> {
    match word {
        "hes" => Some("he"),
        "shes" => Some("she"),
        "someones" | "somebodys" => Some("someone"),
        _ => None,
    }
}

fn joined(first: &str, second: &str) -> Option<&'static str> {
    PAIRS.iter().find_map(|pair| {
        let (two, one) = pair.split_once(": ")?;
        (two.split_once(' ') == Some((first, second))).then_some(one)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_spelled_plainly() {
        for (typed, expected) in [
            ("I wanna dieeee, Bo", "I want to die, Bo"),
            ("i can not breth!", "i cant breathe!"),
            (
                "i just do not want 2 live any more", "i dont want to live anymore",
            ),
            ("i od'd. that is odd", "i overdosed. that is odd"),
            ("Berlin is not it", "Berlin isnt it"),
        ] {
            assert_eq!(plain(&Words::new(typed)).trim(), expected, "{typed}");
        }
    }
}
