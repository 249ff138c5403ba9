//! Estimates of a language model's tokens.

/// Estimated tokens of a text, rather too high than too low: a quarter for each ASCII character,
/// one for each other.
pub fn estimated_tokens(text: &str) -> usize {
    let ascii = text.bytes().filter(u8::is_ascii).count();
    let others = text.chars().filter(|c| !c.is_ascii()).count();
    ascii.div_ceil(4) + others
}
