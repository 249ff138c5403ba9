//! Features of a text that need no understanding.

/// Phrases that ask for reasoning, in lower case.
const REASONING: &[&str] = &[
    "why", "explain", "compare", "analyze", "analyse", "summarize", "summarise", "calculate",
    "prove", "derive", "debug", "evaluate", "outline", "draft", "step by step", "pros and cons",
    "trade-offs", "tradeoffs", "make a plan", "plan for", "how would", "how should", "how does",
    "how do i", "what would happen", "which is better", "difference between", "should i",
    "think through", "in detail",
];
/// Bytes of a text that are examined.
const LOOKED_AT_BYTES_MAX: usize = 8 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TextFeatures {
    pub(super) words: usize,
    pub(super) questions: usize,
    /// Non-empty lines, at least 1.
    pub(super) lines: usize,
    /// Words with a digit.
    pub(super) numbers: usize,
    /// Different phrases that ask for reasoning.
    pub(super) reasoning: usize,
    pub(super) has_code: bool,
}

impl TextFeatures {
    pub(super) fn of(text: &str) -> Self {
        let text = &text[..text.floor_char_boundary(LOOKED_AT_BYTES_MAX)];
        // Spaces on both sides, so that phrases match whole words only.
        let mut spaced = String::with_capacity(text.len() + 2);
        for word in text.split_whitespace() {
            spaced.push(' ');
            let word = word.trim_matches(|c: char| !c.is_alphanumeric());
            spaced.extend(word.chars().flat_map(char::to_lowercase));
        }
        spaced.push(' ');
        let is_in = |phrase: &&&str| spaced.contains(&format!(" {phrase} "));
        Self {
            words: text.split_whitespace().count(),
            questions: text.matches(['?', '？']).count(),
            lines: text
                .lines()
                .filter(|line| !line.trim().is_empty())
                .count()
                .max(1),
            numbers: text
                .split_whitespace()
                .filter(|word| word.bytes().any(|b| b.is_ascii_digit()))
                .count(),
            reasoning: REASONING.iter().filter(is_in).count(),
            has_code: text.contains("```") || text.contains("();") || text.contains("=> {"),
        }
    }
}
