//! What the model says that it did, against what its calls did: small models claim to have done what
//! they did not. No tool tells what a sentence claims, so it is known by its words, in several
//! languages. The checks, in their order:
//!
//! 1. After an answer that calls no more tools (`conversation`), `missing_calls::call_or_deny` asks
//!    the model once more where
//!    - the message asks for something for certain, and nothing was called (`missing_calls`),
//!    - the answer claims a change for which nothing was called (`unasked_claims`, `noted_facts`),
//!    - it tells more or other than its calls did (`surplus_claims`, `told_numbers`, `told_things`),
//!    - the message may be a request, and nothing was called (`possible_requests`).
//! 2. Else `reminder_times::with_what_is_set` asks it once more where the answer names other times
//!    than those of the reminders that are set.
//! 3. When the answer is final (`model_turn`), `missing_calls::with_denial` leaves out its sentences
//!    of other times, and adds what is true: what is set (`reminder_times`), that nothing or not all
//!    was done (`missing_calls`), what was done (`surplus_claims`) or is untold (`untold_changes`).
//!
//! `statements` parts an answer into sentences, clauses and words; `text_claims` tells whether a text
//! claims or asks for something, by the words in `claim_words`.

mod claim_words;
mod missing_calls;
mod noted_facts;
mod possible_requests;
mod reminder_times;
pub(super) mod statements;
mod surplus_claims;
pub(super) mod text_claims;
mod told_numbers;
mod told_things;
mod unasked_claims;
mod untold_changes;
