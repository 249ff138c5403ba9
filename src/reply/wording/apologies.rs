//! What is said when no reply could be made. Never what went wrong: that is for the log.

/// A language model failed, or took too long.
pub fn apology(persona: &str) -> String {
    format!("Sorry, {persona} can't find the words right now. Please try again in a moment.")
}

/// A language model would not say it.
pub fn refused(persona: &str) -> String {
    format!("That's something {persona} would rather not answer. Is there anything else?")
}

/// Too many people wait for a reply.
pub fn overloaded(persona: &str) -> String {
    format!("{persona} is talking with a lot of people right now. Please try again in a minute.")
}

/// After the beginning of a reply that is longer than a chat takes.
pub fn cut_short() -> &'static str {
    "(That was too long for this chat; this is its beginning.)"
}
