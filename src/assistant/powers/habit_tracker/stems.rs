//! Words of habits in any form: "went running" is about "run".

use crate::assistant::text::verbs;

/// The stems of a habit's words: "went running" becomes "run".
pub(super) fn stems(text: &str) -> Vec<String> {
    text.to_lowercase()
        .split_whitespace()
        .filter(|word| {
            !matches!(
                *word,
                "my" | "the" | "a" | "an" | "for" | "went" | "go" | "have" | "some" | "to"
            )
        })
        .map(stem)
        .collect()
}

fn stem(word: &str) -> String {
    if let Some(base) = verbs::irregular_base(word) {
        return base.trim_end_matches('e').to_owned();
    }
    // "meditation"
    if let Some(bare) = word.strip_suffix("ation") {
        return format!("{bare}at");
    }
    let bare = ["ing", "ed"]
        .iter()
        .find_map(|tail| word.strip_suffix(tail))
        .filter(|bare| bare.chars().count() > 2)
        .unwrap_or(word);
    let mut bare = bare.trim_end_matches('e').to_owned();
    // "running" is "runn" at this point.
    let doubled = bare.len() < word.trim_end_matches('e').len()
        && bare
            .chars()
            .rev()
            .take(2)
            .collect::<Vec<_>>()
            .windows(2)
            .any(|w| w[0] == w[1]);
    if doubled && !bare.ends_with("ss") && !bare.ends_with("ll") {
        bare.pop();
    }
    bare
}
