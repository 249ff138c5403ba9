//! Restated amounts: "lunch was 14" after "spent 12 on lunch" replaces the number.

use std::ops::Range;

use super::corrected_value::{WORDS_MAX, corrected_value, only_number};
use crate::assistant::text::corrections;
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::words::{Words, has_digit};

/// A longer text restates no number.
const TEXT_BYTES_MAX: usize = 200;

/// Whether `restated` may find something, at little cost: most messages say no number so.
pub fn may_restate(text: &str) -> bool {
    text.len() <= TEXT_BYTES_MAX
        && text.contains(|c: char| c.is_ascii_digit())
        && verb_and_value(&Words::new(text)).is_some()
}

/// Whether words without the assistant's name may correct a value of what was said last.
pub(in crate::assistant::builtin) fn may_correct(words: &Words) -> bool {
    corrected_value(words).is_some() || verb_and_value(words).is_some()
}

/// Where the verb and the number of "lunch was 14" are, if that is the whole text.
fn verb_and_value(words: &Words) -> Option<(usize, usize)> {
    if words.len() > WORDS_MAX || words.is_question() {
        return None;
    }
    static VERBS: Phrases = Phrases::new(&[
        "was", "were", "cost", "is", "should be", "should have been", "costs",
    ]);
    let verb = |at: usize| Some((at, words.after(at, &VERBS)?));
    let (verb, value) = (1..words.len()).find_map(verb)?;
    let value = words.skip(value, phrases!["actually", "really"]);
    let not = words
        .after(value + 1, phrases!["not"])
        .filter(|not| has_digit(words.get(*not)));
    let end = not.map_or(value + 1, |not| not + 1);
    let last = words.after(end, phrases!["actually", "sorry", "instead"]);
    (has_digit(words.get(value)) && last.unwrap_or(end) == words.len()).then_some((verb, value))
}

/// "lunch was 14" after "spent 12 on lunch": that message with this number, where what it is said of
/// stands there with one number.
pub fn restated(text: &str, said: &str) -> Option<String> {
    let words = Words::new(text);
    let (verb, value) = verb_and_value(&words)?;
    let from = corrections::skip_mark(&words, 0);
    let from = words.skip_article(from);
    let thing = words.phrase(from..verb);
    let said = Words::new(said);
    let mut named = (0..said.len()).filter_map(|at| Some(at..said.after(at, &[thing.as_str()])?));
    let (Some(named), None) = (named.next(), named.next()) else {
        return None;
    };
    // "I paid the taxi, 30"
    let whole = || Some(0..said.len()).filter(|all| !all.clone().any(|at| is_link(&said, at)));
    let old =
        only_number(&said, part_around(&said, named)).or_else(|| only_number(&said, whole()?))?;
    let (before, after) = (
        said.original(0..old.start),
        said.original(old.end..said.len()),
    );
    let typed = words.original(value..value + 1);
    let value = typed.trim_end_matches(['.', ',', '!', ';']);
    Some(format!("{before} {value} {after}").trim().to_owned())
}

/// The words between "and" and commas in which those stand.
fn part_around(words: &Words, named: Range<usize>) -> Range<usize> {
    let mut before = (0..named.start).rev();
    let from = before.find(|at| is_link(words, *at) || words.is_set_off(*at));
    let ends = |at: &usize| is_link(words, *at) || words.is_set_off(at - 1);
    let end = (named.end..words.len()).find(ends);
    from.map_or(0, |at| at + 1)..end.unwrap_or(words.len())
}

fn is_link(words: &Words, at: usize) -> bool {
    matches!(
        words.get(at),
        "and" | "n" | "&" | "plus" | "then" | "also" | "but"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn a_number_is_corrected_by_what_it_is_said_of() {
        let several = "spent 5 on milk, 22 on flour and 3 on tea";
        for (said, restatement, expected) in [
            ("spent 12 on lunch", "lunch was 14", "spent 14 on lunch"),
            (
                "spent 12 on lunch", "no, the lunch was 14.50", "spent 14.50 on lunch",
            ),
            (
                several,
                "flour was 220",
                "spent 5 on milk, 220 on flour and 3 on tea",
            ),
            (
                several,
                "tea was actually 4",
                "spent 5 on milk, 22 on flour and 4 on tea",
            ),
            (
                several,
                "milk was 6 not 5",
                "spent 6 on milk, 22 on flour and 3 on tea",
            ),
            (several, "rice was 6", ""),
            (several, "was flour 220?", ""),
            ("I paid the taxi, 30", "taxi was 35", "I paid the taxi, 35"),
            ("spent 12 on lunch and got tea", "tea was 3", ""),
            ("spent 5 on tea and 6 on tea", "tea was 7", ""),
            ("spent 12 on lunch", "lunch was great", ""),
        ] {
            let text = restated(restatement, said);
            assert_eq!(text.unwrap_or_default(), expected, "{said}: {restatement}");
        }
    }
}
