//! The assistant: whether a message is for it, what the text means, the superpowers, and all
//! wording. Text and facts come in; a reply and intents come out, which the callers apply. Pure
//! rules without store, clock or network.

mod address;
pub mod builtin;
pub mod classify;
pub mod help;
pub mod persona;
pub mod powers;
pub mod prompt;
mod time_words;
pub mod tokens;
pub mod tools;
mod understand;
pub mod wording;

pub use address::{addresses, is_fixed_command};
pub use builtin::{
    AccountTask, CrisisKind, Intent, MessageContext, Statement, UnknownMessage, corrected_value,
    is_consent, may_answer, memory_answers, memory_is_meant, memory_matches, memory_names,
    memory_overlap, missing_part, only_asks, reminder_answer, restated_value, reworded,
    with_corrected_value,
};
pub use time_words::depends_on_time;
pub use understand::{Understanding, is_courtesy, understand, understand_all};
pub use wording::reminder_text;
