//! Text as the assistant reads it: its words, lists of phrases, times and time zones. Nothing here
//! knows what a message is for.

pub(in crate::assistant) mod abbreviations;
pub(in crate::assistant) mod clauses;
pub(in crate::assistant) mod corrections;
pub(in crate::assistant) mod figures;
pub(in crate::assistant) mod function_words;
mod misspelled;
pub(in crate::assistant) mod phrases;
mod time_cache;
mod time_expression;
pub(in crate::assistant) mod verbs;
pub(in crate::assistant) mod when;
pub(in crate::assistant) mod word_set;
pub(in crate::assistant) mod words;
pub(in crate::assistant) mod zone;
