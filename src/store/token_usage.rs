//! Token usage of language models by day, endpoint and class. It isn't linked to people.

use schemars::JsonSchema;
use serde::Serialize;

use super::query::from_row;
use super::{Tx, View};
use crate::error::Result;

/// Calls and their tokens.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct TokenUsage {
    pub calls: u64,
    /// Number of calls whose tokens were estimated, because the model did not report them.
    pub estimated_calls: u64,
    pub prompt_tokens: u64,
    pub completion_tokens: u64,
    pub cache_hits: u64,
}

impl TokenUsage {
    pub fn add(&mut self, other: &Self) {
        self.calls += other.calls;
        self.estimated_calls += other.estimated_calls;
        self.prompt_tokens += other.prompt_tokens;
        self.completion_tokens += other.completion_tokens;
        self.cache_hits += other.cache_hits;
    }
}

impl Tx<'_> {
    /// Adds to a day's counts.
    pub fn add_token_usage(
        &self,
        day: i64,
        endpoint: &str,
        class: &str,
        used: &TokenUsage,
    ) -> Result<()> {
        self.run(
            "INSERT INTO token_usage (day, endpoint, class, calls, estimated_calls, prompt_tokens,
               completion_tokens, cache_hits)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
             ON CONFLICT DO UPDATE SET calls = calls + ?4, estimated_calls = estimated_calls + ?5,
               prompt_tokens = prompt_tokens + ?6, completion_tokens = completion_tokens + ?7,
               cache_hits = cache_hits + ?8",
            (
                day, endpoint, class, used.calls as i64, used.estimated_calls as i64,
                used.prompt_tokens as i64, used.completion_tokens as i64, used.cache_hits as i64,
            ),
        )
    }
}

impl View<'_> {
    /// Totals since a day: endpoint, class, counts.
    pub fn token_usage(&self, since_day: i64) -> Result<Vec<(String, String, TokenUsage)>> {
        self.all(
            "SELECT endpoint, class, sum(calls), sum(estimated_calls), sum(prompt_tokens),
               sum(completion_tokens), sum(cache_hits)
             FROM token_usage WHERE day >= ?1 GROUP BY endpoint, class ORDER BY endpoint, class",
            [since_day],
        )
    }
}

from_row!(TokenUsage: calls, estimated_calls, prompt_tokens, completion_tokens, cache_hits);
