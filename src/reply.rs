//! Replies: who is spoken to, what the builtin assistant understands, and every sentence
//! it or another engine's failure is told with. Pure rules: facts in, words out. Nothing
//! here reads the store, the clock or the network; whoever applies an intent does.

mod address;
pub mod builtin;
pub mod classify;
pub mod persona;
pub mod powers;
pub mod prompt;
mod time_words;
pub mod tools;
pub mod wording;

pub use address::addresses;
pub use builtin::{
    Intent, MessageContext, asked_about, memory_matches, memory_overlap, reminder_answer,
    understand,
};
pub use time_words::depends_on_time;
pub use wording::reminder_text;
