//! What became of a reply: what is said, how it came about, what it cost. It asks nobody.

use serde::Serialize;

use crate::clock::Timestamp;
use crate::error::Result;
use crate::ingest::answer::Answer;
use crate::reply::wording;
use crate::store::{TokenUsage, Tx};

/// What became of a reply.
pub(super) struct Made {
    /// `None`: nothing is said.
    pub(super) text: Option<String>,
    pub(super) decision: Decision,
    /// Endpoint and counts; `None`: they are not to be counted.
    pub(super) used: Option<(&'static str, TokenUsage)>,
}

/// How it came about, for operators: no word of anybody's.
#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct Decision {
    pub(super) class: &'static str,
    pub(super) class_reason: String,
    pub(super) classifier: &'static str,
    pub(super) basic_mode: bool,
    pub(super) model: String,
    /// `replied`, `passed` (nothing to add), `apologized`, `silent` (nobody had asked)
    pub(super) outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) failure: Option<String>,
    /// Messages of the room that were told, the last one included.
    pub(super) messages_told: usize,
    pub(super) photos_shown: usize,
    pub(super) tokens_max: i64,
    pub(super) calls: u64,
    pub(super) cache_hits: u64,
    pub(super) prompt_tokens: u64,
    pub(super) completion_tokens: u64,
    pub(super) tokens_estimated: bool,
    pub(super) cut_off: bool,
    /// From the message's arrival until its turn in its room came.
    pub(super) queued_ms: u64,
    pub(super) context_ms: u64,
    /// For a free place among the calls under way.
    pub(super) waited_ms: u64,
    pub(super) model_ms: u64,
}

impl Made {
    /// A legacy relay can't be told later.
    pub(super) fn deadline_passed(persona: &str, unprompted: bool) -> Self {
        Self::failed(persona, unprompted, "deadline")
    }

    pub(super) fn failed(persona: &str, unprompted: bool, failure: &str) -> Self {
        let mut made = Self {
            text: None,
            decision: Decision {
                failure: Some(failure.to_owned()),
                ..Decision::default()
            },
            used: None,
        };
        made.apologize(unprompted, wording::apology(persona));
        made
    }

    /// Nobody wants an apology for what nobody had asked for.
    pub(super) fn apologize(&mut self, unprompted: bool, words: String) {
        self.decision.outcome = if unprompted { "silent" } else { "apologized" };
        self.text = (!unprompted).then_some(words);
    }

    pub(super) fn answer(&self) -> Answer {
        self.text
            .as_deref()
            .map_or(Answer::silence(), Answer::saying)
    }

    pub(super) fn decision_json(&self) -> String {
        serde_json::to_string(&self.decision).unwrap_or_default()
    }

    /// Adds what it cost to the day's counts.
    pub(super) fn count(&self, tx: &Tx<'_>, now: Timestamp) -> Result<()> {
        match &self.used {
            Some((endpoint, used)) if *used != TokenUsage::default() => {
                tx.add_token_usage(now.utc_day(), endpoint, self.decision.class, used)
            }
            _ => Ok(()),
        }
    }
}
