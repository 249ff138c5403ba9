//! Steps that may answer a message, tried in their order. Who answers a message, and in which order:
//!
//! 1. Nobody, if it is an edit that changes no word; `after_crisis`, if it is beyond the limits.
//!    Then `decide`: nobody, the answer to a crisis, or a refusal. An edited message whose earlier
//!    version stays, or that a limit refuses, is answered by `edited_messages`.
//! 2. `respond::STEPS`, also where a language model understands the message.
//! 3. `respond::OWN_STEPS`, unless it is left to a language model: `respond::POWER_STEPS` if a
//!    superpower is requested.
//! 4. `carry_out::run`, if the meaning of the message is the builtin assistant's: by its intent. One
//!    that refers to something said before goes to `follow_ups::carry_out` (a new time to its
//!    `CHANGE_STEPS`), and one that is not understood to `carry_out::UNKNOWN_STEPS`.
//! 5. A language model (`replies`), or a refusal when it has too many messages to answer.

use super::turn::MessageTurn;
use crate::error::Result;

/// What the step answers, for the log, and the function that has its answer. `None`: the message is
/// not for it.
pub(super) type AnswerStep<F> = (&'static str, F);

/// The answer of the first step that has one.
pub(super) fn first_answer<F>(
    steps: &[AnswerStep<F>],
    turn: &MessageTurn,
    mut answer: impl FnMut(&F) -> Result<Option<String>>,
) -> Result<Option<String>> {
    for (name, step) in steps {
        if let Some(reply) = answer(step)? {
            log::debug!("message {}: {name}", turn.message_id);
            return Ok(Some(reply));
        }
    }
    Ok(None)
}
