//! The assistant: whether a message is for it, what the text means, the superpowers, and all
//! wording. Text and facts come in; a reply and intents come out, which the callers apply. Pure
//! rules without store, clock or network.

mod address;
pub mod builtin;
pub mod classify;
pub mod help;
mod local_time;
pub mod persona;
mod plan;
pub mod powers;
pub mod prompt;
mod text;
mod time_words;
pub mod tokens;
pub mod tools;
mod understand;
pub mod wording;

pub use address::{addresses, is_fixed_command};
pub use builtin::{
    ANYTHING_TO_REMIND, AccountTask, CrisisKind, FactChange, Intent, MessageContext,
    PossibleMeanings, ProfilePart, Statement, answered_time, around_missing_event, asks,
    asks_for_joke, asks_for_time, begins_with_task, corrected_value, counted_unit_s,
    crisis_is_over, crisis_language, event_name, hour_or_people, is_consent, is_day_for_span,
    is_figure_of_speech, is_other_offset, is_sentence, is_time_answer, is_unrelated_to_crisis,
    joke_after, may_answer, may_be_value, may_restate, means_all, memory_answers, memory_is_meant,
    memory_matches, memory_names, memory_overlap, missing_part, name_and_day, named_apart,
    names_day, names_days_span, names_hour, names_it, names_offset, names_time, only_asks,
    only_hour, reminder_answer, reminder_matches, request_with_answer, restated, reworded,
    second_request, separate_facts, time_shift, unit_of_s, value_near, with_corrected_value,
    with_other_offset, with_other_person, words_without_name,
};
pub use local_time::LocalNow;
pub use text::function_words::without_article;
pub use text::words::Words;
pub use time_words::depends_on_time;
pub use understand::{Understanding, build_word_tables, is_courtesy, understand, understand_all};
pub use wording::reminder_text;
