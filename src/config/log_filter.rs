//! The filter of `log.level`, as env_logger reads it. env_logger takes a mistyped level for
//! the name of a part; this check refuses it.

use super::unknown_keys;

const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];
/// The target prefix of the service's own lines, whose parts may be named without a level.
const OWN_TARGET: &str = "chatkeep";

/// Accepts a filter whose levels are known.
pub(super) fn check(text: &str) -> Result<String, String> {
    // The text after "/" must occur in a line.
    let directives = text
        .split_once('/')
        .map_or(text, |(directives, _)| directives);
    for directive in directives.split(',').map(str::trim) {
        let (part, level) = match directive.split_once('=') {
            Some((part, level)) => (part.trim(), level.trim()),
            None if is_own(directive) => (directive, "trace"),
            None => ("", directive),
        };
        let is_empty_item = directive.is_empty() && text != directive;
        if !is_level(level) && !is_empty_item {
            return Err(format!(
                "has the unknown level {level:?}; known levels are {}, for everything or, as \
                 \"warn,{OWN_TARGET}::http=debug\", for a part",
                LEVELS.join(", ")
            ));
        }
        let first = part.split("::").next().unwrap_or_default();
        if unknown_keys::is_mistyped(first, OWN_TARGET) {
            return Err(format!(
                "has the unknown part {part:?}; the nearest is \"{OWN_TARGET}\""
            ));
        }
        if directive.starts_with('=') {
            return Err(format!(
                "has {directive:?} without the name of a part, as \"{OWN_TARGET}::http=debug\""
            ));
        }
        if part.contains(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | ':' | '-'))) {
            return Err(format!(
                "has {part:?} where the name of a part belongs, as \"{OWN_TARGET}::http\""
            ));
        }
    }
    Ok(text.to_owned())
}

fn is_level(word: &str) -> bool {
    LEVELS.iter().any(|level| level.eq_ignore_ascii_case(word))
}

fn is_own(part: &str) -> bool {
    let rest = part.strip_prefix(OWN_TARGET);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_has_known_words_only() {
        for valid in [
            "info", "WARN", "off", "chatkeep=debug,warn", "info,chatkeep::http::access=off",
            "chatkeep::edge", "info, hyper=error,", "debug/needle",
        ] {
            assert_eq!(check(valid).as_deref(), Ok(valid));
        }
        for (invalid, word) in [
            ("verbose", "\"verbose\""),
            ("inof", "\"inof\""),
            ("info,chatkep", "\"chatkep\""),
            ("chatkeep=loud", "\"loud\""),
            ("chatkeep=", "\"\""),
            ("hy per=info", "\"hy per\""),
            ("", "\"\""),
            ("chatkep::http=debug", "\"chatkep::http\""),
            ("info,Chatkeep=debug", "\"Chatkeep\""),
            ("=debug", "\"=debug\""),
        ] {
            let message = check(invalid).unwrap_err();
            assert!(message.contains(word), "{invalid}: {message}");
        }
        assert!(check("loud").unwrap_err().contains("error, warn, info"));
    }
}
