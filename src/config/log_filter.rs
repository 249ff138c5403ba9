//! The filter of `log.level`, as env_logger reads it. env_logger takes a mistyped level for
//! the name of a part; this check refuses it.

use super::unknown;

const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];
/// The target prefix of the service's own lines, whose parts may be named without a level.
const OURS: &str = "chatkeep";

/// Accepts a filter whose levels are known.
pub(super) fn check(text: &str) -> Result<String, String> {
    // After "/" comes a text that lines must contain.
    let directives = text
        .split_once('/')
        .map_or(text, |(directives, _)| directives);
    for directive in directives.split(',').map(str::trim) {
        let (part, level) = match directive.split_once('=') {
            Some((part, level)) => (part.trim(), level.trim()),
            None if is_ours(directive) => (directive, "trace"),
            None => ("", directive),
        };
        let is_left_out = directive.is_empty() && text != directive;
        if !is_level(level) && !is_left_out {
            return Err(format!(
                "has the unknown level {level:?}; known are {}, for everything or, as \
                 \"warn,{OURS}::http=debug\", for a part",
                LEVELS.join(", ")
            ));
        }
        let first = part.split("::").next().unwrap_or_default();
        if unknown::is_mistyped(first, OURS) {
            return Err(format!(
                "has the unknown part {part:?}; the nearest is \"{OURS}\""
            ));
        }
        if directive.starts_with('=') {
            return Err(format!(
                "has {directive:?} without the name of a part, as \"{OURS}::http=debug\""
            ));
        }
        if part.contains(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | ':' | '-'))) {
            return Err(format!(
                "has {part:?} where the name of a part belongs, as \"{OURS}::http\""
            ));
        }
    }
    Ok(text.to_owned())
}

fn is_level(word: &str) -> bool {
    LEVELS.iter().any(|level| level.eq_ignore_ascii_case(word))
}

fn is_ours(part: &str) -> bool {
    let rest = part.strip_prefix(OURS);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_has_known_words_only() {
        for good in [
            "info",
            "WARN",
            "off",
            "chatkeep=debug,warn",
            "info,chatkeep::http::access=off",
            "chatkeep::edge",
            "info, hyper=error,",
            "debug/needle",
        ] {
            assert_eq!(check(good).as_deref(), Ok(good));
        }
        for (bad, word) in [
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
            let why = check(bad).unwrap_err();
            assert!(why.contains(word), "{bad}: {why}");
        }
        assert!(check("loud").unwrap_err().contains("error, warn, info"));
    }
}
