//! Things that are corrected in one breath: "beer, no wait, wine".

use crate::assistant::powers::parsers::things;
use crate::assistant::text::corrections::{self, MarkStrength};
use crate::assistant::text::phrases::Phrases;
use crate::assistant::text::words::Words;
use crate::assistant::wording::texts::same;

/// Words between what is meant and what isn't.
static EXCHANGES: Phrases = Phrases::new(&["but not", "but no", "instead of", "rather than"]);

/// Words after such a mark by which nothing takes its place.
static TAKING_BACK: Phrases = Phrases::new(&[
    "dont", "never mind", "nevermind", "nvm", "cancel", "forget it", "nothing",
]);

/// The things that are meant in the end; `None`: it is not clear which.
pub(super) fn things_meant(text: &str) -> Option<Vec<String>> {
    let words = Words::new(text);
    let mark = (1..words.len()).find_map(|at| Some((at, after_mark(&words, at)?)));
    let Some((at, from)) = mark else {
        let found = things(text);
        let is_taken_back = |thing: &String| Words::new(thing).get(0) == "no";
        let exchanged = |at: usize| words.after(at, &EXCHANGES).is_some();
        let is_unclear = found.iter().skip(1).any(is_taken_back) || (1..words.len()).any(exchanged);
        return (!is_unclear).then_some(found);
    };
    let mut meant = things(words.original(0..at));
    let rest = words.original(from..words.len());
    if let Some((new, old)) = rest.split_once(" not ") {
        let old = things(old);
        let is_old = |thing: &String| old.iter().any(|one| same(one, thing));
        let place = meant.iter().position(is_old)?;
        meant.retain(|thing| !is_old(thing));
        meant.splice(place..place, things(new));
        return Some(meant);
    }
    if Words::new(rest).after(0, &TAKING_BACK).is_some() {
        return None;
    }
    let new = things_meant(rest)?;
    let is_new = |thing: &String| new.iter().any(|one| same(one, thing));
    // "milk, bread, actually no bread"
    if meant.iter().any(is_new) {
        meant.retain(|thing| !is_new(thing));
    } else if let [count] = new.as_slice()
        && is_count(count)
    {
        // "2 beers no wait 3"
        let last = meant.pop()?;
        let (first, thing) = last.split_once(' ')?;
        if !is_count(first) {
            return None;
        }
        meant.push(format!("{count} {thing}"));
    } else {
        meant.pop()?;
        meant.extend(new);
    }
    (!meant.is_empty()).then_some(meant)
}

fn is_count(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_digit())
}

fn after_mark(words: &Words, at: usize) -> Option<usize> {
    let (from, strength) = corrections::after_mark(words, at)?;
    // "eggs. no, cheese", unlike "coke, no sugar" and "pens, correction tape"
    let is_of_thing = || {
        matches!(words.get(at), "no" | "nope" | "nah" | "correction") && !words.is_set_off(from - 1)
    };
    let corrects = match strength {
        MarkStrength::BeforeTime => false,
        MarkStrength::BeforeValue => words.is_set_off(at - 1) && !is_of_thing(),
        MarkStrength::BeforeAny | MarkStrength::Sure => true,
    };
    corrects.then(|| corrections::skip_links(words, from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_word_counts() {
        let cases: [(&str, Option<&[&str]>); 19] = [
            ("milk, 2 beers no wait 3", Some(&["milk", "3 beers"])),
            ("milk no wait 3", None),
            ("milk but not eggs", None),
            ("milk no wait dont", None),
            ("eggs. no, cheese", Some(&["cheese"])),
            ("coke, no sugar", None),
            ("no sugar cookies", Some(&["no sugar cookies"])),
            ("beer. no wait, wine", Some(&["wine"])),
            ("milk, beer, no wait, wine", Some(&["milk", "wine"])),
            ("milk, actually no, oat milk", Some(&["oat milk"])),
            ("milk i mean oat milk", Some(&["oat milk"])),
            (
                "milk and eggs, sorry, bread not eggs",
                Some(&["milk", "bread"]),
            ),
            ("milk, bread, actually no bread", Some(&["milk"])),
            ("milk, wait no, make it butter", Some(&["butter"])),
            ("milk and eggs", Some(&["milk", "eggs"])),
            ("sorry cards", Some(&["sorry cards"])),
            ("milk no wait", None),
            ("milk, no wait, bread not eggs", None),
            ("bread, actually no bread", None),
        ];
        for (text, expected) in cases {
            let found = things_meant(text);
            let expected = expected.map(|all| all.iter().map(ToString::to_string).collect());
            assert_eq!(found, expected, "{text}");
        }
    }
}
