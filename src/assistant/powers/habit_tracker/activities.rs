//! What people do as a habit, by the first word of it: running, reading, yoga.

use super::stems::stems;
use crate::assistant::text::word_set::WordSet;
use crate::assistant::text::words::Words;

/// The first words in the form that `stems` gives them. Sorted.
static ACTIVITIES: WordSet = WordSet::new(&[
    "bik", "climb", "cycl", "danc", "draw", "exercis", "floss", "gym", "hik", "jog", "journal",
    "learn", "meditat", "paint", "pilates", "practic", "practis", "pray", "pushup", "pushups",
    "read", "row", "run", "stretch", "study", "swim", "train", "walk", "workout", "writ", "yoga",
]);
/// Words with which it is something else: "run away", "read it". Sorted.
static OTHERS: WordSet = WordSet::new(&[
    "about", "again", "and", "at", "away", "dry", "errands", "from", "her", "him", "how", "into",
    "it", "late", "low", "more", "my", "not", "of", "off", "or", "out", "over", "short", "that",
    "their", "them", "this", "to", "up", "us", "what", "when", "why", "you", "your",
]);
/// Words of it.
const WORDS_MAX: usize = 4;

/// Whether it is an activity: "run", "go for a run", "do yoga", "work out", "drink water".
pub(super) fn is_activity(name: &str) -> bool {
    let lower = name.to_lowercase();
    if matches!(
        lower.as_str(),
        "work out" | "working out" | "drink water" | "drink more water" | "drinking water"
    ) {
        return true;
    }
    let begins = [
        "go for a ", "going for a ", "go to the ", "going to the ", "go to ", "going to ", "go ",
        "do some ", "do ", "doing ", "my ", "hit the ", "went for a ", "went to the ", "went ",
    ];
    let bare = begins.iter().find_map(|begin| lower.strip_prefix(begin));
    let bare = bare.unwrap_or(&lower);
    let words = Words::new(bare);
    let found = stems(bare);
    let is_known = found
        .first()
        .is_some_and(|stem| ACTIVITIES.contains(stem.as_str()));
    let is_other = words.iter().skip(1).any(|word| OTHERS.contains(word));
    is_known && !is_other && (1..=WORDS_MAX).contains(&words.len())
}

/// Whether a report of the day may be of it: what somebody tells of oneself ("I ate cake today") or an
/// activity ("swimming today"), unlike "ran into Tom" and "bo ran".
pub(super) fn may_be_reported(name: &str, is_own: bool) -> bool {
    let is_of_activity = |stem: &String| ACTIVITIES.contains(stem.as_str());
    is_activity(name) || is_own && !stems(name).first().is_some_and(is_of_activity)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn activities_are_told_from_other_wishes() {
        for name in [
            "run", "running", "go for a run", "go running", "do yoga", "work out", "read",
            "read 20 pages", "meditate", "meditation", "my meditation", "go to the gym", "write",
            "practice guitar", "swim",
        ] {
            assert!(is_activity(name), "{name}");
        }
        for name in [
            "run away", "read it", "see you", "sleep", "be happy", "write to you", "eat pizza",
            "learn how it works", "go home", "kill him", "run my own company", "running late", "",
        ] {
            assert!(!is_activity(name), "{name}");
        }
    }
}
