//! How a turn uses the cache of replies: under which key, and which replies are cached.

use super::cache;
use super::length::ReplyRoom;
use super::model_turn::{CallTotals, ModelTurn};
use crate::assistant::classify::Class;
use crate::assistant::prompt::Prompt;
use crate::engine::ModelReply;
use crate::store::Digest;

impl ModelTurn<'_> {
    pub(super) fn cache_key(&self, prompt: &Prompt) -> Digest {
        let class = self.plan.class.class;
        cache::key(
            self.context.user.id,
            self.model.name(class == Class::Vision),
            class.as_str(),
            self.plan.tokens_max,
            self.now.utc_day(),
            prompt,
        )
    }

    /// Whether the cache had it.
    pub(super) fn recall(&self, key: &Digest, totals: &mut CallTotals) -> bool {
        let now = self.ingest.clock.monotonic();
        let cache = &self.ingest.replies.cache;
        let ttl_s = self.plan.cache_ttl_s;
        let Some(text) = ttl_s.and_then(|ttl_s| cache.get(key, ttl_s, now)) else {
            return false;
        };
        totals.used.cache_hits += 1;
        totals.texts.push(text);
        true
    }

    /// Keeps a whole reply that called no tool and claims nothing that was not done. What may be the
    /// answer to a request is asked for each time: a claim in words that nobody knows would last.
    pub(super) fn cache_reply(&self, key: Digest, reply: &ModelReply, totals: &CallTotals) {
        let is_whole = !reply.cut_off && ReplyRoom::WHOLE.holds(&reply.text);
        if self.plan.cache_ttl_s.is_some()
            && is_whole
            && !totals.lacks_tools
            && !self.has_request_shape()
            && !self.is_denied(&reply.text, totals)
        {
            let now = self.ingest.clock.monotonic();
            self.ingest.replies.cache.put(key, &reply.text, now);
        }
    }
}
