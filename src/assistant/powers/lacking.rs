//! What a reply of a superpower asks for, and what answers it.

use serde::{Deserialize, Serialize};

/// A part of a request that the reply asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LackingPart {
    /// The words of the request before it.
    pub before: String,
    pub after: String,
    pub answer: AnswerKind,
}

/// What answers the question for a part.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum AnswerKind {
    #[default]
    Any,
    /// Only a time.
    Time,
    /// Only a time with a day.
    Day,
    /// Only names of people.
    People,
}

impl LackingPart {
    pub(super) const fn between(before: String, after: String) -> Self {
        Self {
            before,
            after,
            answer: AnswerKind::Any,
        }
    }

    /// `clock`: the time of day that was said, where the answer has none.
    pub(super) const fn day_between(before: String, clock: String) -> Self {
        Self {
            before,
            after: clock,
            answer: AnswerKind::Day,
        }
    }

    pub(super) const fn time_after(before: String) -> Self {
        Self {
            before,
            after: String::new(),
            answer: AnswerKind::Time,
        }
    }
}
