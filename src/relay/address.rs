//! Whether a group's text addresses the bot, and the text without quotations and the bot's name.
//! Pure.

/// A reply's text without the quoted lines that older clients prepend.
pub(super) fn without_quotation(body: &str) -> &str {
    let mut rest = body;
    while let Some(line) = rest.strip_prefix("> ") {
        rest = line.split_once('\n').map_or("", |(_, after)| after);
    }
    rest.trim_start_matches('\n')
}

/// The text without the bot's name at its start, and whether there was one: "@juno …", "Juno: …",
/// and, if the message mentions the bot, "Juno …".
pub(super) fn without_name<'t>(
    text: &'t str,
    names: &[String],
    is_mentioned: bool,
) -> (&'t str, bool) {
    let text = text.trim();
    let (has_at, bare) = match text.strip_prefix('@') {
        Some(bare) => (true, bare),
        None => (is_mentioned, text),
    };
    let after_name = |name: &String| {
        let name = name.trim_start_matches('@');
        let (start, rest) = bare.split_at_checked(name.len())?;
        let is_whole = match rest.chars().next() {
            None | Some(',' | ':') => true,
            Some(c) => has_at && c.is_whitespace(),
        };
        let is_name = !name.is_empty() && start.eq_ignore_ascii_case(name);
        (is_name && is_whole).then_some(rest)
    };
    // "@juno:server" before "@juno".
    let shortest = names
        .iter()
        .filter_map(after_name)
        .min_by_key(|rest| rest.len());
    shortest.map_or((text, false), |rest| {
        (rest.trim_start_matches([',', ':']).trim_start(), true)
    })
}

/// Whether a name stands in the text as a word of its own.
pub(super) fn holds_name(text: &str, name: &str) -> bool {
    let (text, name) = (text.to_lowercase(), name.to_lowercase());
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    !name.is_empty()
        && text.match_indices(&name).any(|(at, found)| {
            let before = text[..at].chars().next_back();
            let after = text[at + found.len()..].chars().next();
            !is_part(before) && !is_part(after)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotations_and_names_are_left_out() {
        assert_eq!(without_quotation("> <@a:b> hi\n> there\n\nyes"), "yes");
        assert_eq!(without_quotation("yes\n> no"), "yes\n> no");
        let names = [
            "@juno:server".to_owned(),
            "juno".to_owned(),
            "Juno Bot".to_owned(),
        ];
        let cases = [
            ("juno: status", false, ("status", true)),
            ("@juno:server, status", false, ("status", true)),
            ("@juno status", false, ("status", true)),
            ("Juno Bot status", true, ("status", true)),
            ("Juno Bot status", false, ("Juno Bot status", false)),
            ("juno likes tea", false, ("juno likes tea", false)),
            ("junot: status", true, ("junot: status", false)),
            ("tell juno: status", true, ("tell juno: status", false)),
            ("juno", false, ("", true)),
        ];
        for (text, is_mentioned, expected) in cases {
            assert_eq!(without_name(text, &names, is_mentioned), expected, "{text}");
        }
    }

    #[test]
    fn a_name_is_a_word_of_its_own() {
        let cases = [
            ("hey Juno!", true),
            ("@juno hi", true),
            ("ask juno", true),
            ("junot", false),
            ("ajuno", false),
            ("hello", false),
        ];
        for (text, expected) in cases {
            assert_eq!(holds_name(text, "juno"), expected, "{text}");
        }
        assert!(!holds_name("anything", ""));
    }
}
