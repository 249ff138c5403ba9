//! Answers of superpowers without what they tell people to write, which a model is not to repeat: it
//! calls tools. Pure.

use super::claims::statements::sentences;

/// A sentence with it says how a change is taken back.
const UNDO: &str = "“undo” brings";
/// Sentences with these say what to write.
const SAY: [&str; 2] = ["Say “", "say “"];

/// The text without such sentences; as it is if no other is left.
pub(super) fn without_command_hints(text: &str) -> String {
    let others = sentences(text).into_iter().filter_map(|sentence| {
        let all = sentence.text;
        match all.find(UNDO) {
            Some(at) => all[..at].rfind(';').map(|end| format!("{}.", &all[..end])),
            None if SAY.iter().any(|say| all.contains(say)) => None,
            None => Some(all.to_owned()),
        }
    });
    let others: String = others.collect();
    match others.trim() {
        "" => text.to_owned(),
        others => others.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_may_write_is_left_out() {
        for (text, expected) in [
            (
                "Okay, no longer on the list: milk. “undo” brings it back.",
                "Okay, no longer on the list: milk.",
            ),
            (
                "That leaves 5 this month; “undo” brings it back.",
                "That leaves 5 this month.",
            ),
            (
                "No habits yet. Say “track habit: yoga” first.",
                "No habits yet.",
            ),
            (
                "Added milk.\nThe list:\n1. milk", "Added milk.\nThe list:\n1. milk",
            ),
            (
                "Say “mood 7/10” to note one.", "Say “mood 7/10” to note one.",
            ),
        ] {
            assert_eq!(without_command_hints(text), expected);
        }
    }
}
