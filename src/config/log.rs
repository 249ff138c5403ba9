//! `[log]`: what is logged, how and where.

use std::path::PathBuf;

use super::section::{Choice, Section};
use super::text;

pub(super) const ABOUT: &str = "What is logged, how and where.";

const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];
/// The service's own parts, which a filter may name without a level.
const OURS: &str = "chatkeep";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    Text,
    Json,
}

#[derive(Debug, Clone)]
pub struct Log {
    /// A filter as env_logger reads it: "debug", or "info,chatkeep::http::access=off".
    pub level: String,
    pub format: LogFormat,
    /// `None`: stderr.
    pub file: Option<PathBuf>,
}

impl Choice for LogFormat {
    const VALUES: &'static [(&'static str, Self)] = &[("text", Self::Text), ("json", Self::Json)];
}

pub(super) fn read(s: &mut Section<'_>) -> Log {
    Log {
        level: s.parsed(
            "level",
            "info".to_owned(),
            &format!(
                "A level (off, error, warn, info, debug, trace) for everything, and with commas for \
                 parts: \"info,{OURS}::http::access=off\". CHATKEEP_LOG beats it."
            ),
            filter,
        ),
        format: s.choice(
            "format",
            LogFormat::Text,
            "\"json\" writes one JSON object a line. CHATKEEP_LOG_FORMAT beats it.",
        ),
        file: s
            .parsed_if_set(
                "file",
                "/var/log/chatkeep/chatkeep.log",
                "The file that lines are appended to; without one they go to stderr. SIGHUP opens \
                 it anew, as after a rotation.",
                text::line,
            )
            .map(PathBuf::from),
    }
}

/// The words of a filter are known ones; a mistyped level would silently be taken for the name
/// of a part.
fn filter(text: &str) -> Result<String, String> {
    // Behind "/" stands a text that lines must hold.
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
            assert_eq!(filter(good).as_deref(), Ok(good));
        }
        for (bad, word) in [
            ("verbose", "\"verbose\""),
            ("inof", "\"inof\""),
            ("info,chatkep", "\"chatkep\""),
            ("chatkeep=loud", "\"loud\""),
            ("chatkeep=", "\"\""),
            ("hy per=info", "\"hy per\""),
            ("", "\"\""),
        ] {
            let why = filter(bad).unwrap_err();
            assert!(why.contains(word), "{bad}: {why}");
        }
        assert!(filter("loud").unwrap_err().contains("error, warn, info"));
    }
}
