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

    pub(super) const fn time_after(before: String) -> Self {
        Self {
            before,
            after: String::new(),
            answer: AnswerKind::Time,
        }
    }
}
