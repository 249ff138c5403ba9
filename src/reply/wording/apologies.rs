//! Wording for replies that could not be made. It never mentions the cause, which is logged.

/// A language model failed, or took too long.
pub fn apology(persona: &str) -> String {
    format!("Sorry, {persona} can't find the words right now. Please try again in a moment.")
}

/// A language model refused to answer.
pub fn refused(persona: &str) -> String {
    format!("That's something {persona} would rather not answer. Is there anything else?")
}

/// Too many replies are pending.
pub fn overloaded(persona: &str) -> String {
    format!("{persona} is talking with a lot of people right now. Please try again in a minute.")
}

/// After what the builtin assistant did in a language model's place.
pub fn without_model() -> &'static str {
    "(The language model did not answer, so this is from the basic assistant.)"
}

/// After the beginning of a reply that is longer than a chat takes.
pub fn cut_short() -> &'static str {
    "(That was too long for this chat; this is its beginning.)"
}
