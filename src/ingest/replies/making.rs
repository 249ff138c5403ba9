//! One reply: reads what the model is told, picks the class, looks into the cache, asks, and
//! says what became of it. Whatever fails ends in words of the assistant's own. Nothing is
//! committed here.

use std::sync::Arc;

use super::cache;
use super::context::{self, Context};
use super::made::{Decision, Made};
use super::plan::Plan;
use crate::clock::{Monotonic, Timestamp};
use crate::engine::{Ask, Failure, Model, Place, Said};
use crate::error::Result;
use crate::ingest::Ingest;
use crate::reply::classify::Class;
use crate::reply::prompt::{self, PASS, Prompt, Scene};
use crate::reply::wording;
use crate::store::{PendingReply, TokenUsage};

/// Starts of the service that may find a reply unmade before it is given up: it may be what
/// ends the service.
const STARTS_MAX: i64 = 3;
/// Calls for one message; photos beyond those that fit are not looked at.
const CALLS_PER_MESSAGE_MAX: usize = 4;

/// Makes a reply. `None` when its message is gone.
pub(super) async fn make(ingest: &Arc<Ingest>, pending: PendingReply) -> Result<Option<Made>> {
    let came = ingest.clock.monotonic();
    let place = match &ingest.replies.settings.model {
        Some(model) => Some((model, model.place().await)),
        None => None,
    };
    let begun = ingest.clock.monotonic();
    let id = pending.message_id;
    let read = ingest
        .store
        .read(move |view| context::read(view, id))
        .await?;
    let Some(mut context) = read else {
        return Ok(None);
    };
    let persona = &ingest.voice.persona;
    let failed = |failure| Ok(Some(Made::failed(persona, pending.unprompted, failure)));
    let Some((model, place)) = &place else {
        return failed("no model");
    };
    if pending.starts > STARTS_MAX {
        return failed("given up");
    }
    let flags = ingest.flags.for_user(&context.user.public_id);
    let now = ingest.clock.now();
    let plan = Plan::of(ingest, &flags, &mut context, &pending, now);
    log::debug!(
        "message {id}: class {} ({})",
        plan.class.class.as_str(),
        plan.class.reason
    );
    let queued_ms = (now.0 - context.message.received_at.0).max(0) as u64;
    let read_at = ingest.clock.monotonic();
    let turn = Turn {
        ingest,
        model,
        place,
        plan: &plan,
        context: &context,
        pending: &pending,
        // After a restart the deadline begins anew.
        deadline: begun.plus_ms(match pending.starts {
            0 => ingest.replies.deadline_ms().saturating_sub(queued_ms),
            _ => ingest.replies.deadline_ms(),
        }),
        now,
    };
    let mut made = turn.ask().await;
    made.decision.queued_ms = queued_ms.saturating_sub(read_at.since(came));
    made.decision.waited_ms = begun.since(came);
    made.decision.context_ms = read_at.since(begun);
    if plan.detailed_logging {
        let d = &made.decision;
        log::info!(
            "message {id}: {} {}, {} calls, {} prompt and {} completion tokens, {} cache hits, {} ms waiting, {} ms asking",
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
    Ok(Some(made))
}

/// A message's turn to be answered.
struct Turn<'a> {
    ingest: &'a Arc<Ingest>,
    model: &'a Arc<Model>,
    place: &'a Place<'a>,
    plan: &'a Plan,
    context: &'a Context,
    pending: &'a PendingReply,
    deadline: Monotonic,
    now: Timestamp,
}

impl Turn<'_> {
    async fn ask(&self) -> Made {
        let plan = self.plan;
        let photos = &self.context.photos;
        let mut groups: Vec<&[String]> = photos.chunks(plan.batch).collect();
        groups.truncate(CALLS_PER_MESSAGE_MAX);
        if groups.is_empty() {
            groups.push(&[]);
        }
        let mut work = Work::default();
        for (at, group) in groups.iter().enumerate() {
            self.ask_about(group, at * plan.batch, &mut work).await;
            if work.failure.is_some() {
                break;
            }
        }
        self.made(work)
    }

    /// One call, or what the cache has in its place.
    async fn ask_about(&self, photos: &[String], first: usize, work: &mut Work) {
        let (plan, context) = (self.plan, self.context);
        let vision = plan.class.class == Class::Vision;
        let prompt = self.prompt(photos, first);
        let key = cache::key(
            context.user.id,
            self.model.name(vision),
            plan.class.class.as_str(),
            plan.tokens_max,
            self.now.utc_day(),
            &prompt,
        );
        let cache = &self.ingest.replies.cache;
        let mono = || self.ingest.clock.monotonic();
        if let Some(ttl_s) = plan.cache_ttl_s
            && let Some(text) = cache.get(&key, ttl_s, mono())
        {
            work.used.cache_hits += 1;
            work.texts.push(text);
            return;
        }
        let made = self
            .model
            .ask(
                self.place,
                Ask {
                    prompt,
                    vision,
                    tokens_max: plan.tokens_max,
                    retry_until: self.deadline,
                    wanted_until: self.pending.agent.is_none().then_some(self.deadline),
                },
            )
            .await;
        work.photos_shown += photos.len();
        work.used.calls += u64::from(made.calls);
        work.model_ms += made.took_ms;
        match made.said {
            Ok(said) => {
                if plan.cache_ttl_s.is_some() && !said.cut_off {
                    cache.put(key, &said.text, mono());
                }
                work.heard(said);
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

    /// What is told with these photos, the first of which is number `first`, from 0.
    fn prompt(&self, photos: &[String], first: usize) -> Prompt {
        let context = self.context;
        let all = context.photos.len();
        let note = (all > photos.len() && !photos.is_empty()).then(|| {
            format!(
                "[photos {} to {} of {all}; the others are looked at apart]",
                first + 1,
                first + photos.len()
            )
        });
        prompt::prompt(&Scene {
            persona: &self.ingest.voice.persona,
            system_prompt: self.ingest.replies.settings.system_prompt.as_deref(),
            now: self.now,
            timezone: context.user.timezone.as_deref(),
            group: context.group,
            unprompted: self.pending.unprompted,
            known: &context.known,
            said: &context.said,
            photos,
            photos_note: note.as_deref(),
            reduced: self.plan.reduced,
        })
    }

    fn made(&self, work: Work) -> Made {
        let (plan, persona) = (self.plan, &self.ingest.voice.persona);
        let unprompted = self.pending.unprompted;
        let vision = plan.class.class == Class::Vision;
        let mut made = Made {
            text: None,
            decision: Decision {
                class: plan.class.class.as_str(),
                class_reason: plan.class.reason.clone(),
                classifier: plan.classifier,
                basic_mode: plan.basic_mode,
                model: self.model.name(vision).to_owned(),
                outcome: "replied",
                failure: work.failure.map(|failure| failure.to_string()),
                messages_told: self.context.said.len(),
                photos_shown: work.photos_shown,
                tokens_max: plan.tokens_max,
                calls: work.used.calls,
                cache_hits: work.used.cache_hits,
                prompt_tokens: work.used.prompt_tokens,
                completion_tokens: work.used.completion_tokens,
                tokens_estimated: work.used.estimated_calls > 0,
                cut_off: work.cut_off,
                model_ms: work.model_ms,
                ..Decision::default()
            },
            used: plan.monitored.then(|| {
                let endpoint = match self.pending.agent {
                    Some(_) => "/edge/message",
                    None => "/orchestrator/message",
                };
                (endpoint, work.used)
            }),
        };
        let texts: Vec<&str> = work
            .texts
            .iter()
            .map(|text| spoken(text, persona))
            .collect();
        let text = texts.join("\n\n");
        match work.failure {
            _ if unprompted && is_pass(&text) => made.decision.outcome = "passed",
            // What was said of the first photos is worth saying.
            _ if !text.is_empty() => made.text = Some(text),
            Some(Failure::Refused) => {
                made.apologize(unprompted, wording::refused(persona));
            }
            _ => made.apologize(unprompted, wording::apology(persona)),
        }
        made
    }
}

/// What the calls of one message add up to.
#[derive(Default)]
struct Work {
    texts: Vec<String>,
    used: TokenUsage,
    photos_shown: usize,
    cut_off: bool,
    model_ms: u64,
    failure: Option<Failure>,
}

impl Work {
    fn heard(&mut self, said: Said) {
        self.used.prompt_tokens += said.usage.prompt_tokens;
        self.used.completion_tokens += said.usage.completion_tokens;
        self.used.estimated_calls += u64::from(said.usage.estimated);
        self.cut_off |= said.cut_off;
        self.texts.push(said.text);
    }
}

/// Without the name that some models put in front, as they see it before other people's words.
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
