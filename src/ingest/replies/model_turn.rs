//! A message's turn to be answered by the language model: the prompts of its calls, and the
//! result of all calls together. The calls are in `conversation`, those of other servers' tools in
//! `remote_calls`.

use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value;

use super::claims::text_claims::claims_something;
use super::context::{self, ReplyContext};
use super::failed_changes::FailedChanges;
use super::plan::ReplyPlan;
use super::result::{CallRecord, ReplyDecision, ReplyResult, ToolCall};
use crate::access::Denial;
use crate::assistant::classify::Class;
use crate::assistant::prompt::{self, Author, PASS, Prompt, PromptContext};
use crate::assistant::tools::OfferedTool;
use crate::assistant::wording::{self, Apology};
use crate::clock::{Monotonic, Timestamp, Zone};
use crate::engine::{self, CallPermit, Model, ModelFailure};
use crate::ingest::Ingest;
use crate::memory::ServiceMemories;
use crate::store::{PendingReply, TokenUsage};

/// Requests in which photos of one message are looked at.
pub(super) const PHOTO_REQUESTS_MAX: usize = 20;
/// Requests for one message that offer tools or contain their results.
pub(super) const REQUESTS_MAX: usize = 6;
/// Requests for photos: one in which they are looked at and one with the results of calls.
const REQUESTS_A_BATCH: usize = 2;
/// Requests for photos that fail one after the other, after which the others are not looked at.
const FAILED_BATCHES_MAX: usize = 2;
/// Earlier messages whose language is looked for.
const LANGUAGE_MESSAGES_MAX: usize = 10;

/// A message's turn to be answered.
pub(super) struct ModelTurn<'a> {
    pub(super) ingest: &'a Arc<Ingest>,
    pub(super) model: &'a Arc<Model>,
    pub(super) plan: ReplyPlan,
    pub(super) context: ReplyContext,
    pub(super) pending: PendingReply,
    pub(super) deadline: Monotonic,
    pub(super) now: Timestamp,
    /// The zone that the message told, once a call for it noted it.
    pub(super) told_zone: Mutex<Option<Zone>>,
}

impl<'a> ModelTurn<'a> {
    pub(super) fn of(
        ingest: &'a Arc<Ingest>,
        model: &'a Arc<Model>,
        mut context: ReplyContext,
        pending: PendingReply,
    ) -> Self {
        let now = ingest.clock.now();
        let flags = ingest.flags.for_user(&context.user.public_id);
        let mut plan = ReplyPlan::of(ingest, &flags, &mut context, &pending, now);
        if !model.takes_tools() {
            plan.withhold_tools();
        }
        log::debug!(
            "message {}: class {} ({})",
            pending.message_id,
            plan.class.class.as_str(),
            plan.class.reason
        );
        let elapsed_ms = (now.0 - context.message.received_at.0).max(0) as u64;
        let deadline_ms = match pending.starts {
            0 => ingest.replies.deadline_ms().saturating_sub(elapsed_ms),
            // After a restart the deadline begins again.
            _ => ingest.replies.deadline_ms(),
        };
        Self {
            ingest,
            model,
            plan,
            context,
            pending,
            deadline: ingest.clock.monotonic().plus_ms(deadline_ms),
            now,
            told_zone: Mutex::default(),
        }
    }

    /// Photos in batches, one a call, with the index of the first photo of each batch.
    pub(super) fn photo_batches(&self) -> Vec<(usize, &[String])> {
        let batch_size = self.plan.batch;
        let photo_batches = self.context.photos.chunks(batch_size).enumerate();
        let photo_batches = photo_batches.map(|(at, photos)| (at * batch_size, photos));
        let mut photo_batches: Vec<_> = photo_batches.take(PHOTO_REQUESTS_MAX).collect();
        if photo_batches.is_empty() {
            photo_batches.push((0, &[]));
        }
        photo_batches
    }

    /// The whole reply, if all parts are cached.
    pub(super) fn cached_result(&self) -> Option<ReplyResult> {
        let mut totals = CallTotals::default();
        for (first, photos) in self.photo_batches() {
            let prompt = self.prompt(photos, first, &self.plan.tools);
            totals.is_message_cut |= prompt.is_cut;
            self.recall(&self.cache_key(&prompt), &mut totals)
                .then_some(())?;
        }
        Some(self.result(totals))
    }

    pub(super) async fn ask(&self, permit: &CallPermit<'_>) -> ReplyResult {
        let mut totals = self.committed_totals();
        let photo_batches = self.photo_batches();
        let mut failed_in_row = 0;
        for (at, (first, photos)) in photo_batches.iter().enumerate() {
            // Each batch may call once and speak; the remaining requests go to the first batches
            // that need them.
            let all_max = REQUESTS_MAX + REQUESTS_A_BATCH * (photo_batches.len() - 1);
            let later = photo_batches.len() - 1 - at;
            let requests_max = (all_max - later - totals.requests).min(REQUESTS_MAX);
            let tools = match requests_max {
                ..REQUESTS_A_BATCH => &[],
                _ => &self.plan.tools[..],
            };
            totals.begin_photo_batch();
            self.converse(permit, photos, *first, (tools, requests_max), &mut totals)
                .await;
            // One photo that the server refuses loses none of the others; a server that is down
            // would refuse all.
            if let Some(failure) = totals.failure.take() {
                totals.drop_photo_batch(failure);
                totals.photos_unseen.push((*first, photos.len()));
                failed_in_row += 1;
            } else {
                failed_in_row = 0;
            }
            let is_over = self.ingest.clock.monotonic() >= self.deadline;
            if failed_in_row >= FAILED_BATCHES_MAX || failed_in_row > 0 && is_over {
                let rest = photo_batches[at + 1..].iter();
                let rest = rest.map(|(first, photos)| (*first, photos.len()));
                totals.photos_unseen.extend(rest);
                break;
            }
        }
        if totals.texts.is_empty() {
            totals.failure = totals.photo_failure;
        }
        self.shorten(permit, &mut totals).await;
        if totals.failure.is_some() && self.ingest.memories.has_service() {
            totals.service_memories = self.service_memories().await;
        }
        self.result(totals)
    }

    /// Without the assistant's name in front.
    pub(super) fn without_name<'t>(&self, text: &'t str) -> &'t str {
        without_name(text, &self.ingest.persona.get().name)
    }

    /// The text beside these photos, the first of which is number `first`, from 0.
    pub(super) fn prompt(&self, photos: &[String], first: usize, tools: &[OfferedTool]) -> Prompt {
        let context = &self.context;
        let all = context.photos.len();
        let shown_max = self.plan.batch * PHOTO_REQUESTS_MAX;
        let note = (all > photos.len() && !photos.is_empty())
            .then(|| photos_note(first, photos.len(), all, shown_max));
        let persona = self.ingest.persona.get();
        let system_prompt = self.ingest.replies.settings.system_prompt.get();
        prompt::prompt(&PromptContext {
            persona: &persona.name,
            system_prompt: system_prompt.as_deref(),
            now: self.now,
            is_edited: context.is_edited,
            of_earlier_version: &context::of_earlier_version(context),
            timezone: context.user.timezone.map(Zone::name),
            group: context.group,
            is_private: context.is_private,
            unprompted: self.pending.unprompted,
            known: &context.known,
            came: &context.came,
            messages: &context.messages,
            photos,
            photos_note: note.as_deref(),
            reduced: self.plan.reduced,
            tools,
            connectable: &self.plan.connectable,
        })
    }

    /// The reply's text, without what was sent before.
    pub(super) fn text_of(&self, totals: &CallTotals) -> String {
        let texts = totals.texts.iter().map(|text| self.without_name(text));
        texts.collect::<Vec<_>>().join("\n\n")
    }

    /// The language of sentences that are added to a reply: the one that the person chose, or else
    /// that of the message, of the reply or of the newest message of a person before it that tells,
    /// unless the message or the reply is in another script.
    pub(super) fn language_with(&self, reply: &str) -> Option<&str> {
        let message = &self.context.message.text;
        let chosen = self.context.known.language.as_deref();
        chosen
            .or_else(|| wording::language_of(message))
            .or_else(|| wording::language_of(reply))
            .or_else(|| {
                let may_tell = [message, reply]
                    .into_iter()
                    .all(wording::may_have_sentences);
                let before = self.context.messages.iter().rev();
                let by_people = before.filter(|message| message.by != Author::Assistant);
                by_people
                    .take(if may_tell { LANGUAGE_MESSAGES_MAX } else { 0 })
                    .find_map(|message| wording::language_of(&message.text))
            })
    }

    /// With the sentence that not all of the message was read, where that is so.
    fn with_cut_message(&self, text: String, totals: &CallTotals) -> String {
        if self.pending.unprompted || text.is_empty() || !totals.is_message_cut {
            return text;
        }
        let sentence = wording::message_cut(self.language_with(&text));
        format!("{text}\n\n{sentence}")
    }

    fn endpoint(&self) -> &'static str {
        match self.pending.agent {
            Some(_) => "/edge/message",
            None => "/orchestrator/message",
        }
    }

    fn decision(&self, totals: &mut CallTotals) -> ReplyDecision {
        let plan = &self.plan;
        let vision = plan.class.class == Class::Vision;
        ReplyDecision {
            class: plan.class.class.as_str(),
            class_reason: plan.class.reason.clone(),
            classifier: plan.classifier,
            basic_mode: plan.basic_mode,
            model: self.model.name(vision).to_owned(),
            outcome: "replied",
            failure: totals
                .failure
                .or(totals.photo_failure)
                .map(|failure| failure.to_string()),
            messages_told: self.context.messages.len(),
            photos_shown: totals.photos_shown,
            parts_sent: totals.parts.len(),
            tools_offered: plan.tools.len(),
            is_asked_again: totals.is_asked_again || totals.is_set_right,
            acted_at: totals.tried_at.map(|at| at.0),
            tool_calls: std::mem::take(&mut totals.records),
            tokens_max: plan.tokens_max,
            calls: totals.used.calls,
            cache_hits: totals.used.cache_hits,
            prompt_tokens: totals.used.prompt_tokens,
            completion_tokens: totals.used.completion_tokens,
            tokens_estimated: totals.used.estimated_calls > 0,
            cut_off: totals.cut_off,
            model_ms: totals.model_ms,
            ..ReplyDecision::default()
        }
    }

    fn result(&self, mut totals: CallTotals) -> ReplyResult {
        let plan = &self.plan;
        let unprompted = self.pending.unprompted;
        let lacks_tools = plan.lacks_tools || totals.lacks_tools;
        let text = match totals.failure.is_some() && !totals.committed.is_empty() {
            // What was done with the beginning stays done.
            true => self.what_was_done(&totals.parts.join("\n\n"), &totals),
            false => Some(self.with_denial(self.text_of(&totals), &totals)),
        };
        let text = text.unwrap_or_default();
        let text = self.with_unseen_photos(text, &totals);
        let text = self.with_cut_message(text, &totals);
        let decision = self.decision(&mut totals);
        let mut reply = ReplyResult {
            text: None,
            apology: None,
            changes: totals.changes,
            tried_at: totals.tried_at.unwrap_or(self.now),
            denied: totals.denied.filter(|_| totals.failure.is_none()),
            service_memories: totals.service_memories,
            is_for_builtin: false,
            decision,
            used: plan.monitored.then(|| (self.endpoint(), totals.used)),
            others: self.context.others.clone(),
        };
        match totals.failure {
            // Nothing is done for what nobody asked.
            _ if unprompted && (is_pass(&text) || claims_something(&text)) => {
                reply.decision.outcome = "passed";
            }
            // All of it was sent before.
            None if text.is_empty() => {}
            // What was said of the first photos is worth saying.
            _ if !text.is_empty() => {
                if !reply.changes.is_empty() || !totals.committed.is_empty() {
                    reply.decision.outcome = "acted";
                }
                // What is plain is done by the builtin assistant, as this model could do nothing.
                reply.is_for_builtin = lacks_tools && !unprompted && reply.changes.is_empty();
                reply.text = Some(text);
            }
            failure => {
                reply.is_for_builtin = !unprompted;
                reply.apologize(
                    unprompted,
                    match failure {
                        Some(ModelFailure::Refused) => Apology::Refused,
                        _ => Apology::NoWords,
                    },
                );
            }
        }
        reply
    }
}

/// Totals over the calls for one message.
#[derive(Default)]
pub(super) struct CallTotals {
    pub(super) texts: Vec<String>,
    /// The part of the current reply that was sent.
    pub(super) sent_now: String,
    /// The beginning of the reply, a command each.
    pub(super) parts: Vec<String>,
    /// No more of it is sent before it is complete.
    pub(super) is_withheld: bool,
    /// The model was asked to go on after it had broken off.
    pub(super) is_continued: bool,
    /// The model called no tool for a request, and was asked once more.
    pub(super) is_asked_again: bool,
    /// The model's reply named another time of a reminder than what is set, and it was asked once more.
    pub(super) is_set_right: bool,
    /// The server failed with tools, and replied without them.
    pub(super) lacks_tools: bool,
    /// Calls that were to change something, and did not.
    pub(super) failed_changes: FailedChanges,
    /// Requests of this conversation so far.
    pub(super) requests: usize,
    /// Requests of the conversation for a private answer; within it, those before it and one
    /// after it.
    pub(super) private_requests: usize,
    /// Calls that were committed with its beginning, and how many calls there were by then.
    pub(super) committed: Vec<ToolCall>,
    pub(super) records_committed: usize,
    /// Calls that change something.
    pub(super) changes: Vec<ToolCall>,
    /// How many of them, and of all calls, are for photos before those that are looked at now.
    pub(super) changes_before: usize,
    pub(super) records_before: usize,
    /// All calls.
    pub(super) records: Vec<CallRecord>,
    pub(super) tried_at: Option<Timestamp>,
    /// Calls of other servers' tools that were made, each a name and arguments, with the results.
    pub(super) remote_calls: Vec<((String, String), Value)>,
    /// Time that calls of other servers' tools took.
    pub(super) remote_ms: u64,
    pub(super) denied: Option<Denial>,
    pub(super) service_memories: ServiceMemories,
    pub(super) used: TokenUsage,
    pub(super) photos_shown: usize,
    /// Only the beginning and the end of the message were shown.
    pub(super) is_message_cut: bool,
    /// Photos that were not looked at, as requests for them failed: the number of the first of a
    /// batch, from 0, and how many.
    pub(super) photos_unseen: Vec<(usize, usize)>,
    /// Why the first of these requests failed.
    pub(super) photo_failure: Option<ModelFailure>,
    pub(super) cut_off: bool,
    pub(super) model_ms: u64,
    pub(super) failure: Option<ModelFailure>,
}

impl CallTotals {
    /// Notes that the following changes are for the next photos.
    fn begin_photo_batch(&mut self) {
        self.changes_before = self.changes.len();
        self.records_before = self.records.len();
    }

    /// Drops the changes for photos whose call failed. The text about other photos stays.
    fn drop_photo_batch(&mut self, failure: ModelFailure) {
        self.changes.truncate(self.changes_before);
        let first = self.records_before.max(self.records_committed);
        for record in &mut self.records[first..] {
            record.undo();
        }
        self.photo_failure.get_or_insert(failure);
    }

    pub(super) fn add_outcome(&mut self, outcome: &engine::ModelOutcome) {
        self.used.calls += u64::from(outcome.calls);
        self.used.prompt_tokens += outcome.usage.prompt_tokens;
        self.used.completion_tokens += outcome.usage.completion_tokens;
        self.used.estimated_calls += u64::from(outcome.usage.estimated);
        self.model_ms += outcome.took_ms;
        self.lacks_tools |= outcome.without_tools;
    }
}

/// Removes a name prefix, which some models copy from the format of other messages.
fn without_name<'t>(text: &'t str, persona: &str) -> &'t str {
    let rest = text.strip_prefix(persona);
    let rest = rest.and_then(|rest| rest.strip_prefix(':'));
    match rest.map(str::trim_start) {
        Some(rest) if !rest.is_empty() => rest,
        _ => text,
    }
}

fn is_pass(text: &str) -> bool {
    let word = text.trim_matches(|c: char| !c.is_alphanumeric());
    word.is_empty() || word.eq_ignore_ascii_case(PASS)
}

/// The text beside photos of which some are shown in other requests, or in none: `first` is from 0,
/// `shown_max` the number of those that are shown in all.
fn photos_note(first: usize, shown: usize, all: usize, shown_max: usize) -> String {
    let (from, to) = (first + 1, first + shown);
    if all <= shown_max {
        return format!("[photos {from} to {to} of {all}; the others are looked at apart]");
    }
    let unseen = shown_max + 1;
    let say_so = match to == shown_max {
        true => ": say so",
        false => "",
    };
    format!(
        "[photos {from} to {to} of {all}; the others up to photo {shown_max} are looked at apart, \
         those from photo {unseen} on are not looked at{say_so}]"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_other_photos_is_so() {
        let cases = [
            (
                (0, 1, 20, 20),
                "[photos 1 to 1 of 20; the others are looked at apart]",
            ),
            (
                (3, 2, 5, 60),
                "[photos 4 to 5 of 5; the others are looked at apart]",
            ),
            (
                (0, 3, 61, 60),
                "[photos 1 to 3 of 61; the others up to photo 60 are looked at apart, those from \
                 photo 61 on are not looked at]",
            ),
            (
                (57, 3, 70, 60),
                "[photos 58 to 60 of 70; the others up to photo 60 are looked at apart, those from \
                 photo 61 on are not looked at: say so]",
            ),
        ];
        for ((first, shown, all, shown_max), expected) in cases {
            assert_eq!(photos_note(first, shown, all, shown_max), expected);
        }
    }

    #[test]
    fn a_name_in_front_is_not_said() {
        let cases = [
            ("Juno: hi", "hi"),
            ("Juno:hi: you", "hi: you"),
            ("Juno:", "Juno:"),
            ("Junos: hi", "Junos: hi"),
            ("hi", "hi"),
        ];
        for (text, expected) in cases {
            assert_eq!(without_name(text, "Juno"), expected);
        }
    }

    #[test]
    fn nothing_to_add_is_known() {
        for text in ["PASS", "pass.", " *PASS* ", "\"Pass\"", "…"] {
            assert!(is_pass(text), "{text}");
        }
        for text in ["Pass the salt", "passed", "no"] {
            assert!(!is_pass(text), "{text}");
        }
    }
}
