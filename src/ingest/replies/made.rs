//! The result of making a reply: its text or tool calls, how it was made, and what it cost.

use serde::Serialize;

use crate::clock::Timestamp;
use crate::error::Result;
use crate::ingest::answer::ReplyDraft;
use crate::reply::tools::{Tool, ToolAction};
use crate::reply::wording;
use crate::store::{TokenUsage, Tx, UserId};

/// The outcome of what no model was asked for.
pub(in crate::ingest) const SMALL_TALK: &str = "small_talk";

/// What became of a reply.
pub(super) struct ReplyResult {
    /// `None`: nothing is said, unless by what is wished for.
    pub(super) text: Option<String>,
    /// What the model wants done: in the reply's own transaction, and in place of `text`.
    pub(super) tool_calls: Vec<ToolCall>,
    pub(super) decision: ReplyDecision,
    /// Endpoint and counts; `None`: they are not to be counted.
    pub(super) used: Option<(&'static str, TokenUsage)>,
    /// People whose words it may quote, the asker left out.
    pub(super) others: Vec<UserId>,
}

/// A call of a tool that was understood.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ToolCall {
    pub(super) tool: Tool,
    pub(super) action: ToolAction,
}

/// How it came about, for operators: no word of anybody's.
#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct ReplyDecision {
    pub(super) class: &'static str,
    pub(super) class_reason: String,
    pub(super) classifier: &'static str,
    pub(super) basic_mode: bool,
    pub(super) model: String,
    /// `replied`, `acted` (by tools), `passed` (nothing to add), `apologized`, `silent` (nobody
    /// had asked), `small_talk` (the builtin assistant's, as all calls were taken)
    pub(super) outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) failure: Option<String>,
    /// Messages of the room that were told, the last one included.
    pub(super) messages_told: usize,
    pub(super) photos_shown: usize,
    pub(super) tools_offered: usize,
    /// Those that the model called, and what came of it.
    pub(super) tools: Vec<String>,
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

impl ReplyDecision {
    pub(super) fn json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl ReplyResult {
    /// A legacy relay can't be told later.
    pub(super) fn deadline_passed(persona: &str, unprompted: bool) -> Self {
        Self::failed(persona, unprompted, "deadline")
    }

    /// The builtin assistant's words, as the model has no call free.
    pub(super) fn small_talk(text: String) -> Self {
        Self {
            text: Some(text),
            tool_calls: Vec::new(),
            decision: ReplyDecision {
                outcome: SMALL_TALK,
                ..ReplyDecision::default()
            },
            used: None,
            others: Vec::new(),
        }
    }

    pub(super) fn failed(persona: &str, unprompted: bool, failure: &str) -> Self {
        let mut made = Self {
            text: None,
            tool_calls: Vec::new(),
            decision: ReplyDecision {
                failure: Some(failure.to_owned()),
                ..ReplyDecision::default()
            },
            used: None,
            others: Vec::new(),
        };
        made.apologize(unprompted, wording::apology(persona));
        made
    }

    /// Nobody wants an apology for what nobody had asked for.
    pub(super) fn apologize(&mut self, unprompted: bool, words: String) {
        self.decision.outcome = if unprompted { "silent" } else { "apologized" };
        self.text = (!unprompted).then_some(words);
    }

    /// With the times before it was asked for.
    pub(super) fn after(mut self, queued_ms: u64, context_ms: u64, waited_ms: u64) -> Self {
        self.decision.queued_ms = queued_ms;
        self.decision.context_ms = context_ms;
        self.decision.waited_ms = waited_ms;
        self
    }

    pub(super) fn log(&self, message_id: i64) {
        let d = &self.decision;
        log::info!(
            "message {message_id}: {} {}, {} calls, {} prompt and {} completion tokens, {} cache hits, {} ms waiting, {} ms asking",
            d.class,
            d.outcome,
            d.calls,
            d.prompt_tokens,
            d.completion_tokens,
            d.cache_hits,
            d.waited_ms,
            d.model_ms
        );
    }

    /// What is told when nothing is wished for.
    pub(super) fn told(&self) -> ReplyDraft {
        self.text.clone().unwrap_or_default().into()
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
