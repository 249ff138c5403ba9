//! Whether a message addresses the assistant by name, or is one of few fixed commands.

use unicode_segmentation::GraphemeCursor;

use super::help::HelpGroup;

/// Whether `text` contains `persona` as whole words, in any case. Underscores and combining marks
/// belong to a word; apostrophes don't ("Juno's").
pub fn addresses(text: &str, persona: &str) -> bool {
    let name = squeezed(persona);
    if name.is_empty() {
        return false;
    }
    let text = squeezed(text);
    let mut from = 0;
    while let Some(found) = text[from..].find(&name) {
        let start = from + found;
        let end = start + name.len();
        if is_edge(&text, start) && is_edge(&text, end) {
            return true;
        }
        from = start + text[start..].chars().next().map_or(1, char::len_utf8);
    }
    false
}

/// Said alone, with or without the assistant's name, these are never left to a language model.
const FIXED_COMMANDS: [&str; 4] = ["help", "status", "usage", "undo"];

/// Whether `text` is one of the few commands that the builtin assistant always answers.
pub fn is_fixed_command(text: &str, persona: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric());
        let words = words.filter(|word| !word.is_empty());
        words.take(8).map(str::to_lowercase).collect()
    };
    let (phrase, name) = (words(text), words(persona));
    let phrase = phrase.strip_prefix(&name[..]).unwrap_or(&phrase);
    let phrase = phrase.strip_suffix(&name[..]).unwrap_or(phrase);
    match phrase {
        [only] => FIXED_COMMANDS.contains(&only.as_str()),
        // "help reminders", as "help" itself says
        [help, group] => help == "help" && HelpGroup::named(group).is_some(),
        _ => false,
    }
}

/// Lower case, with one space for any white space.
fn squeezed(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.extend(word.chars().flat_map(char::to_lowercase));
    }
    out
}

/// Whether byte `at` is a word boundary.
fn is_edge(text: &str, at: usize) -> bool {
    let in_word = |c: char| c.is_alphanumeric() || c == '_';
    let before = text[..at].chars().next_back().is_some_and(in_word);
    let after = text[at..].chars().next().is_some_and(in_word);
    let grapheme_ends = GraphemeCursor::new(at, text.len(), true)
        .is_boundary(text, 0)
        .unwrap_or(true);
    grapheme_ends && !(before && after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_words_are_fixed_commands() {
        for text in [
            "help", "Help!", "Juno, status", " undo ", "usage, juno?", "help reminders",
        ] {
            assert!(is_fixed_command(text, "Juno"), "{text}");
        }
        for text in [
            "", "Juno", "help me", "undo that", "status status", "hilfe", "help ben",
        ] {
            assert!(!is_fixed_command(text, "Juno"), "{text}");
        }
    }

    #[test]
    fn names_count_as_whole_words() {
        let cases = [
            ("Juno, what time is it?", "Juno", true),
            ("hey JUNO", "Juno", true),
            ("ask juno's friend", "Juno", true),
            ("@juno: hi", "Juno", true),
            ("(juno)", "Juno", true),
            ("junos are moths", "Juno", false),
            ("juneau", "Juno", false),
            ("ajuno juno_bot 2juno", "Juno", false),
            ("ajuno and juno", "Juno", true),
            ("juno\u{301} is another", "Juno", false),
            ("Frag Äffchen mal", "äffchen", true),
            ("Äffchens Ball", "äffchen", false),
            ("ask mary   jane please", "Mary Jane", true),
            ("ask maryjane please", "Mary Jane", false),
            ("anything", "", false),
            ("", "Juno", false),
            ("привет, Юна!", "юна", true),
        ];
        for (text, persona, expected) in cases {
            assert_eq!(addresses(text, persona), expected, "{text:?} {persona:?}");
        }
    }
}
