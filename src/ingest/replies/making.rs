//! Makes one reply: reads the context, chooses the class, checks the cache, calls the model, and
//! records the outcome. Every failure ends in a text of the assistant. Nothing is committed here.

use std::sync::Arc;

use super::cache;
use super::context::{self, Context};
use super::length::{cut_short, is_too_long, shorter};
use super::made::{ReplyDecision, ReplyResult, ToolCall};
use super::plan::{self, ReplyPlan};
use crate::clock::{Monotonic, Timestamp, Zone};
use crate::engine::{self, CallPermit, Model, ModelFailure, ModelRequest};
use crate::error::Result;
use crate::ingest::Ingest;
use crate::reply::classify::Class;
use crate::reply::prompt::{self, PASS, Prompt, PromptContext};
use crate::reply::tools::Tool;
use crate::reply::{MessageContext, wording};
use crate::store::{Digest, PendingReply, TokenUsage};

/// After this many service starts without a finished reply it is abandoned, because making it may
/// crash the service.
const STARTS_MAX: i64 = 3;
/// Model calls per message; photos that don't fit are ignored.
const PHOTO_CALLS_MAX: usize = 20;

/// Makes a reply. `None` when its message was removed.
pub(super) async fn make(
    ingest: &Arc<Ingest>,
    pending: PendingReply,
) -> Result<Option<ReplyResult>> {
    let failed = |why| ReplyResult::failed(&ingest.persona.get().name, pending.unprompted, why);
    let Some(model) = &ingest.replies.settings.model else {
        return Ok(Some(failed("no model")));
    };
    if pending.starts > STARTS_MAX {
        return Ok(Some(failed("given up")));
    }
    let mono = || ingest.clock.monotonic();
    let outcome = mono();
    let Some(mut context) = read(ingest, pending).await? else {
        return Ok(None);
    };
    let elapsed_ms = ingest.clock.now().0 - context.message.received_at.0;
    let queued_ms = (elapsed_ms.max(0) as u64).saturating_sub(mono().since(outcome));
    // A greeting must wait neither for other messages nor for memories.
    let greeted = |context: &Context| {
        let text = plan::small_talk(ingest, context, &pending, ingest.clock.now())?;
        Some(ReplyResult::small_talk(text).after(queued_ms, mono().since(outcome), 0))
    };
    if model.is_busy()
        && let Some(made) = greeted(&context)
    {
        return Ok(Some(made));
    }
    context.known.memories = context::memories(ingest, &context).await?;
    let context_ms = mono().since(outcome);
    let mut waited_ms = 0;
    let place = match model.free_place() {
        Some(place) => place,
        None => {
            if let Some(made) = greeted(&context) {
                return Ok(Some(made));
            }
            // A cached reply needs no call, and a waiting reply should use little memory.
            let memories = std::mem::take(&mut context.known.memories);
            context.known.memories.clone_from(&memories);
            if let Some(made) = ModelTurn::of(ingest, model, context, pending).remembered() {
                return Ok(Some(made.after(queued_ms, context_ms, 0)));
            }
            let waits = mono();
            let place = model.place().await;
            waited_ms = mono().since(waits);
            let Some(again) = read(ingest, pending).await? else {
                return Ok(None);
            };
            context = again;
            context.known.memories = memories;
            place
        }
    };
    let photos = &ingest.replies.settings.photos;
    // Uploaded photos are large, so few are in memory at once.
    let _showing = match context.photos.iter().any(|url| photos.id_in(url).is_some()) {
        true => Some(photos.showing_permit().await?),
        false => None,
    };
    context::load_photos(photos, &mut context, pending.agent).await?;
    let turn = ModelTurn::of(ingest, model, context, pending);
    let made = turn
        .ask(&place)
        .await
        .after(queued_ms, context_ms, waited_ms);
    if turn.plan.detailed_logging {
        made.log(pending.message_id);
    }
    Ok(Some(made))
}

async fn read(ingest: &Ingest, pending: PendingReply) -> Result<Option<Context>> {
    let id = pending.message_id;
    let _turn = ingest.replies.reads.acquire().await; // the semaphore is never closed
    let read = ingest.store.read(move |view| context::read(view, id));
    read.await
}

/// One message's reply being made.
struct ModelTurn<'a> {
    ingest: &'a Arc<Ingest>,
    model: &'a Arc<Model>,
    plan: ReplyPlan,
    context: Context,
    pending: PendingReply,
    deadline: Monotonic,
    now: Timestamp,
}

impl<'a> ModelTurn<'a> {
    fn of(
        ingest: &'a Arc<Ingest>,
        model: &'a Arc<Model>,
        mut context: Context,
        pending: PendingReply,
    ) -> Self {
        let now = ingest.clock.now();
        let flags = ingest.flags.for_user(&context.user.public_id);
        let mut plan = ReplyPlan::of(ingest, &flags, &mut context, &pending, now);
        if !model.takes_tools() {
            plan.tools.clear();
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
        }
    }

    /// Photos grouped by call, with the index of each group's first photo.
    fn groups(&self) -> Vec<(usize, &[String])> {
        let batch = self.plan.batch;
        let groups = self.context.photos.chunks(batch).enumerate();
        let groups = groups.map(|(at, group)| (at * batch, group));
        let mut groups: Vec<_> = groups.take(PHOTO_CALLS_MAX).collect();
        if groups.is_empty() {
            groups.push((0, &[]));
        }
        groups
    }

    /// The whole reply, if all parts are cached.
    fn remembered(&self) -> Option<ReplyResult> {
        let mut work = CallTotals::default();
        for (first, photos) in self.groups() {
            let prompt = self.prompt(photos, first, &self.plan.tools);
            self.recall(&self.key(&prompt), &mut work).then_some(())?;
        }
        Some(self.made(work))
    }

    async fn ask(&self, place: &CallPermit<'_>) -> ReplyResult {
        let mut work = CallTotals::default();
        for (first, photos) in self.groups() {
            let prompt = self.prompt(photos, first, &self.plan.tools);
            self.ask_about(place, photos, first, prompt, &mut work)
                .await;
            if work.failure.is_some() {
                break;
            }
        }
        if work.tool_calls.is_empty() && !work.tools.is_empty() {
            // None of its tool calls can be executed, so the model is asked for a text.
            let prompt = self.prompt(&[], 0, &[]);
            self.ask_about(place, &[], 0, prompt, &mut work).await;
        }
        self.shorten(place, &mut work).await;
        self.made(work)
    }

    /// A reply that is too long is requested once more, and cut if it stays too long.
    async fn shorten(&self, place: &CallPermit<'_>, work: &mut CallTotals) {
        let text = work.texts.join("\n\n");
        if !is_too_long(&text) {
            return;
        }
        let ask = ModelRequest {
            prompt: shorter(self.prompt(&[], 0, &[]), &text),
            without_tools: None,
            vision: self.plan.class.class == Class::Vision,
            tokens_max: self.plan.tokens_max,
            retry_until: self.deadline,
            wanted_until: self.pending.agent.is_none().then_some(self.deadline),
        };
        let made = self.model.ask(place, ask).await;
        work.asked(&made);
        let text = made.said.map_or(text, |said| said.text);
        work.texts = vec![match is_too_long(&text) {
            true => cut_short(&text),
            false => text,
        }];
    }

    /// Makes one call, or uses the cache.
    async fn ask_about(
        &self,
        place: &CallPermit<'_>,
        photos: &[String],
        first: usize,
        prompt: Prompt,
        work: &mut CallTotals,
    ) {
        let plan = &self.plan;
        let key = self.key(&prompt);
        if self.recall(&key, work) {
            return;
        }
        let without_tools = (!prompt.tools.is_empty()).then(|| self.prompt(photos, first, &[]));
        let ask = ModelRequest {
            prompt,
            without_tools,
            vision: plan.class.class == Class::Vision,
            tokens_max: plan.tokens_max,
            retry_until: self.deadline,
            wanted_until: self.pending.agent.is_none().then_some(self.deadline),
        };
        let made = self.model.ask(place, ask).await;
        work.photos_shown += photos.len();
        work.asked(&made);
        match made.said {
            Ok(said) if !said.calls.is_empty() => self.take_calls(&said.calls, work),
            Ok(said) => {
                if plan.cache_ttl_s.is_some() && !said.cut_off && !is_too_long(&said.text) {
                    let now = self.ingest.clock.monotonic();
                    self.ingest.replies.cache.put(key, &said.text, now);
                }
                work.cut_off |= said.cut_off;
                work.texts.push(said.text);
            }
            Err(failure) => {
                log::warn!(
                    "message {}: the model gave no reply: {failure}",
                    self.pending.message_id
                );
                work.failure = Some(failure);
            }
        }
    }

    fn key(&self, prompt: &Prompt) -> Digest {
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
    fn recall(&self, key: &Digest, work: &mut CallTotals) -> bool {
        let now = self.ingest.clock.monotonic();
        let cache = &self.ingest.replies.cache;
        let ttl_s = self.plan.cache_ttl_s;
        let Some(text) = ttl_s.and_then(|ttl_s| cache.get(key, ttl_s, now)) else {
            return false;
        };
        work.used.cache_hits += 1;
        work.texts.push(text);
        true
    }

    /// Parses the model's tool calls as if the person had written them.
    fn take_calls(&self, calls: &[engine::ToolCall], work: &mut CallTotals) {
        let heard = MessageContext {
            text: "",
            // "In an hour" counts from the message's time.
            now: self.context.message.received_at,
            timezone: self.context.user.timezone,
            persona: &self.ingest.persona.get().name,
            group: self.context.group,
            has_photos: false,
        };
        for call in calls {
            let mut offered = self.plan.tools.iter();
            let Some(tool) = offered.find(|tool| tool.name() == call.name) else {
                work.tools.push("one that was not offered".to_owned());
                continue;
            };
            match tool.read(&call.arguments, &heard) {
                Ok(action) => work.tool_calls.push(ToolCall {
                    tool: *tool,
                    action,
                }),
                Err(unusable) => work
                    .tools
                    .push(format!("{}: {}", tool.name(), unusable.as_str())),
            }
        }
    }

    /// The prompt for these photos; `first` is the index of the first, from 0.
    fn prompt(&self, photos: &[String], first: usize, tools: &[Tool]) -> Prompt {
        let context = &self.context;
        let all = context.photos.len();
        let note = (all > photos.len() && !photos.is_empty()).then(|| {
            format!(
                "[photos {} to {} of {all}; the others are looked at apart]",
                first + 1,
                first + photos.len()
            )
        });
        let persona = self.ingest.persona.get();
        let system_prompt = self.ingest.replies.settings.system_prompt.get();
        prompt::prompt(&PromptContext {
            persona: &persona.name,
            system_prompt: system_prompt.as_deref(),
            now: self.now,
            timezone: context.user.timezone.map(Zone::name),
            group: context.group,
            unprompted: self.pending.unprompted,
            known: &context.known,
            said: &context.said,
            photos,
            photos_note: note.as_deref(),
            reduced: self.plan.reduced,
            tools,
        })
    }

    fn made(&self, work: CallTotals) -> ReplyResult {
        let (plan, persona) = (&self.plan, &self.ingest.persona.get().name);
        let unprompted = self.pending.unprompted;
        let vision = plan.class.class == Class::Vision;
        let mut made = ReplyResult {
            text: None,
            tool_calls: work.tool_calls,
            decision: ReplyDecision {
                class: plan.class.class.as_str(),
                class_reason: plan.class.reason.clone(),
                classifier: plan.classifier,
                basic_mode: plan.basic_mode,
                model: self.model.name(vision).to_owned(),
                outcome: "replied",
                failure: work.failure.map(|failure| failure.to_string()),
                messages_told: self.context.said.len(),
                photos_shown: work.photos_shown,
                tools_offered: plan.tools.len(),
                tools: work.tools,
                tokens_max: plan.tokens_max,
                calls: work.used.calls,
                cache_hits: work.used.cache_hits,
                prompt_tokens: work.used.prompt_tokens,
                completion_tokens: work.used.completion_tokens,
                tokens_estimated: work.used.estimated_calls > 0,
                cut_off: work.cut_off,
                model_ms: work.model_ms,
                ..ReplyDecision::default()
            },
            used: plan.monitored.then(|| {
                let endpoint = match self.pending.agent {
                    Some(_) => "/edge/message",
                    None => "/orchestrator/message",
                };
                (endpoint, work.used)
            }),
            others: self.context.others.clone(),
        };
        let texts: Vec<&str> = work
            .texts
            .iter()
            .map(|text| spoken(text, persona))
            .collect();
        let text = texts.join("\n\n");
        match work.failure {
            _ if !made.tool_calls.is_empty() => made.decision.outcome = "acted",
            _ if unprompted && is_pass(&text) => made.decision.outcome = "passed",
            // An answer about the first photos is still useful.
            _ if !text.is_empty() => made.text = Some(text),
            Some(ModelFailure::Refused) => {
                made.apologize(unprompted, wording::refused(persona));
            }
            _ => made.apologize(unprompted, wording::apology(persona)),
        }
        made
    }
}

/// Totals over the calls for one message.
#[derive(Default)]
struct CallTotals {
    texts: Vec<String>,
    tool_calls: Vec<ToolCall>,
    /// Tools that were called without effect.
    tools: Vec<String>,
    used: TokenUsage,
    photos_shown: usize,
    cut_off: bool,
    model_ms: u64,
    failure: Option<ModelFailure>,
}

impl CallTotals {
    fn asked(&mut self, made: &engine::ModelOutcome) {
        self.used.calls += u64::from(made.calls);
        self.used.prompt_tokens += made.usage.prompt_tokens;
        self.used.completion_tokens += made.usage.completion_tokens;
        self.used.estimated_calls += u64::from(made.usage.estimated);
        self.model_ms += made.took_ms;
    }
}

/// Removes a name prefix, which some models copy from the format of other messages.
fn spoken<'t>(text: &'t str, persona: &str) -> &'t str {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_in_front_is_not_said() {
        let cases = [
            ("Juno: hi", "hi"),
            ("Juno:hi: you", "hi: you"),
            ("Juno:", "Juno:"),
            ("Junos: hi", "Junos: hi"),
            ("hi", "hi"),
        ];
        for (text, said) in cases {
            assert_eq!(spoken(text, "Juno"), said);
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
