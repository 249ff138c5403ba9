//! Whether an answer may change with time. In doubt it says yes.

const WORDS: &[&str] = &[
    "time", "clock", "oclock", "now", "today", "tonight", "tomorrow", "yesterday", "date", "day",
    "days", "hour", "hours", "minute", "minutes", "second", "seconds", "morning", "noon",
    "afternoon", "evening", "midnight", "late", "early", "soon", "ago", "since", "until", "again",
    "latest", "current", "currently", "another", "random",
];

/// Whether `text` contains a word of time, or asks for something new each time.
pub fn depends_on_time(text: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '\'')
        .map(|word| word.replace('\'', "").to_lowercase())
        .any(|word| WORDS.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_time() {
        for text in [
            "What time is it?", "how late is it", "5 o'clock", "Another one!", "NOW",
        ] {
            assert!(depends_on_time(text), "{text}");
        }
        for text in [
            "", "sometimes", "tell me of Bath", "knowing", "what is a datetree",
        ] {
            assert!(!depends_on_time(text), "{text}");
        }
    }
}
