//! Abbreviations whose dot ends no sentence: "dr. klein", "j. smith", "e.g. milk".

/// Before a name or a number, also with a capital: "Dr. Heller", "No. 5".
const TITLES: [&str; 13] = [
    "capt", "dr", "lt", "mr", "mrs", "ms", "mt", "mx", "prof", "rev", "sgt", "sr", "st",
];
/// Before other words in lower case; units and streets often end a sentence and are left out.
const OTHERS: [&str; 4] = ["approx", "dept", "ext", "incl"];

/// Whether the dot at the end of `before` is that of an abbreviation that goes on with `after`.
pub(in crate::assistant) fn ends_with_abbreviation(before: &str, after: &str) -> bool {
    let Some(before) = before.strip_suffix('.') else {
        return false;
    };
    let word = before.rsplit(char::is_whitespace).next().unwrap_or(before);
    let word = word.trim_start_matches(['(', '"', '“', '\'']);
    let after = after.trim_start();
    if word.len() > 6 || after.is_empty() || is_request(after) {
        return false; // most words
    }
    let is_one_of = |words: &[&str]| words.iter().any(|one| word.eq_ignore_ascii_case(one));
    let is_lower = !after.starts_with(char::is_uppercase);
    is_one_of(&TITLES)
        || word.eq_ignore_ascii_case("no") && after.starts_with(|c: char| c.is_ascii_digit())
        || is_initial(word) && !is_pronoun(word)
        || is_lower && (is_one_of(&OTHERS) || is_dotted(word))
}

/// "see the dr. remind me at 7"
fn is_request(after: &str) -> bool {
    after
        .get(..6)
        .is_some_and(|start| start.eq_ignore_ascii_case("remind"))
}

/// "j" of "j. smith".
fn is_initial(word: &str) -> bool {
    matches!(word.as_bytes(), [letter] if letter.is_ascii_alphabetic())
}

fn is_pronoun(word: &str) -> bool {
    matches!(word, "i" | "I" | "u" | "U")
}

/// "e.g", "u.s", "a.k.a": single letters with dots between.
fn is_dotted(word: &str) -> bool {
    word.contains('.') && word.split('.').all(is_initial)
}

#[cfg(test)]
mod tests {
    use super::ends_with_abbreviation;

    #[test]
    fn a_dot_of_an_abbreviation_ends_no_sentence() {
        for (before, after) in [
            ("call dr.", "heller tomorrow"),
            ("Please call Mrs.", "Miller"),
            ("ask j.", "smith"),
            ("go to st.", "mary"),
            ("room no.", "5"),
            ("snacks, e.g.", "nuts"),
            ("ask the dept.", "of history"),
            ("the u.s.", "embassy"),
            ("(prof.", "klein)"),
        ] {
            assert!(ends_with_abbreviation(before, after), "{before} {after}");
        }
        for (before, after) in [
            ("see the dr.", "remind me at 7 to go"),
            ("no.", "i meant 5"),
            ("so do i.", "we are out of milk"),
            ("in the u.s.", "We fly on friday"),
            ("wait 10 min.", "add milk"),
            ("ask the dept.", "Then rest"),
            ("call bo.", "add milk"),
            ("call dr.", ""),
            ("call dr", "heller"),
        ] {
            assert!(!ends_with_abbreviation(before, after), "{before} {after}");
        }
    }
}
