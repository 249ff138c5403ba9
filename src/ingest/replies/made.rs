//! The result of making a reply: its text or tool calls, how it was made, and what it cost.

use serde::Serialize;

use crate::clock::Timestamp;
use crate::error::Result;
use crate::ingest::answer::ReplyDraft;
use crate::reply::tools::{Tool, ToolAction};
use crate::reply::wording;
use crate::store::{TokenUsage, Tx, UserId};

/// The outcome name when no model was asked.
pub(in crate::ingest) const SMALL_TALK: &str = "small_talk";

/// The result of a reply.
pub(super) struct ReplyResult {
    /// `None`: no text, except from tool calls.
    pub(super) text: Option<String>,
    /// Tool calls, executed in the reply's transaction instead of sending `text`.
    pub(super) tool_calls: Vec<ToolCall>,
    pub(super) decision: ReplyDecision,
    /// Endpoint and token counts; `None` when they aren't counted.
    pub(super) used: Option<(&'static str, TokenUsage)>,
    /// People whose messages it may quote, without its recipient.
    pub(super) others: Vec<UserId>,
}

/// A parsed tool call.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ToolCall {
    pub(super) tool: Tool,
    pub(super) action: ToolAction,
}

/// How the reply was made, for operators; contains no message text.
#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct ReplyDecision {
    pub(super) class: &'static str,
    pub(super) class_reason: String,
    pub(super) classifier: &'static str,
    pub(super) basic_mode: bool,
    pub(super) model: String,
    /// `replied`, `acted` (by tools), `passed` (nothing to add), `apologized`, `silent`
    /// (unprompted), `small_talk` (by the builtin assistant, because all calls were busy)
    pub(super) outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) failure: Option<String>,
    /// Messages of the room in the prompt, including the last one.
    pub(super) messages_told: usize,
    pub(super) photos_shown: usize,
    pub(super) tools_offered: usize,
    /// Tools that the model called, with outcomes.
    pub(super) tools: Vec<String>,
    pub(super) tokens_max: i64,
    pub(super) calls: u64,
    pub(super) cache_hits: u64,
    pub(super) prompt_tokens: u64,
    pub(super) completion_tokens: u64,
    pub(super) tokens_estimated: bool,
    pub(super) cut_off: bool,
    /// From the message's arrival until its turn in the room.
    pub(super) queued_ms: u64,
    pub(super) context_ms: u64,
    /// Waiting for a free model call.
    pub(super) waited_ms: u64,
    pub(super) model_ms: u64,
}

impl ReplyDecision {
    pub(super) fn json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl ReplyResult {
    /// For a legacy relay, which can't receive a late reply.
    pub(super) fn deadline_passed(persona: &str, unprompted: bool) -> Self {
        Self::failed(persona, unprompted, "deadline")
    }

    /// The builtin assistant's text, because no model call is free.
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

    /// An unprompted reply needs no apology.
    pub(super) fn apologize(&mut self, unprompted: bool, words: String) {
        self.decision.outcome = if unprompted { "silent" } else { "apologized" };
        self.text = (!unprompted).then_some(words);
    }

    /// Adds the times before the call.
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

    /// The draft when there are no tool calls.
    pub(super) fn told(&self) -> ReplyDraft {
        self.text.clone().unwrap_or_default().into()
    }

    /// Adds the tokens to the day's counts.
    pub(super) fn count(&self, tx: &Tx<'_>, now: Timestamp) -> Result<()> {
        match &self.used {
            Some((endpoint, used)) if *used != TokenUsage::default() => {
                tx.add_token_usage(now.utc_day(), endpoint, self.decision.class, used)
            }
            _ => Ok(()),
        }
    }
}
