//! The conversation with a language model about one message: requests until it says something.
//! The results of the tools that it calls go back to it. Tools are only tried here; nothing is
//! committed.

use std::pin::pin;
use std::sync::Arc;

use super::failed_changes::sounds_like_change;
use super::length::{ReplyRoom, shorter};
use super::model_turn::{CallTotals, ModelTurn};
use super::remote_calls::{UNKNOWN, canonical};
use super::result::{CallResult, EQUAL_PHOTO, OWN_CHANGE, ToolCall};
use super::streaming::{after_beginning, rest_after};
use crate::assistant::classify::Class;
use crate::assistant::powers::operations::CallContext;
use crate::assistant::prompt::{CallWithResult, Prompt, ToolExchange};
use crate::assistant::tools::{OfferedTool, Operation, RemoteTool, Tool};
use crate::clock::Timestamp;
use crate::engine::{self, CallPermit, ModelFailure, ModelRequest};
use crate::memory::ServiceMemories;
use crate::random;

/// Calls in one reply that are carried out.
const CALLS_MAX: usize = 8;
/// The result of those after them.
const TOO_MANY_CALLS: &str = "Not done: only the first 8 calls of one reply are carried out. \
                              Call it again.";
/// The result of a call in words that can't be read.
const UNREADABLE: &str = "That call could not be read, and nothing was done. Call a tool by its name \
                          with its arguments as JSON, or answer in words.";
/// Beside the result of a call that failed, where what the model wrote before the call was sent.
const ALREADY_READ: &str = "The person has read what you wrote before this call. Say plainly that \
                            it was not done.";

impl ModelTurn<'_> {
    /// Requests until the model says something: the results of its calls go back to it. `first`:
    /// the number of the first of these photos; the tools come with the most requests for them.
    pub(super) async fn converse(
        &self,
        permit: &CallPermit<'_>,
        photos: &[String],
        first: usize,
        (tools, requests_max): (&[OfferedTool], usize),
        totals: &mut CallTotals,
    ) {
        let mut prompt = self.opening_prompt(photos, first, tools, totals);
        totals.is_message_cut |= prompt.is_cut;
        let requests_before = totals.requests;
        let requests_made =
            |totals: &CallTotals| totals.requests - requests_before + totals.private_requests;
        while requests_made(totals) < requests_max {
            totals.requests += 1;
            let is_last = requests_made(totals) == requests_max;
            let is_over = self.ingest.clock.monotonic() >= self.deadline;
            let has_acted = !prompt.exchanges.is_empty();
            prompt.must_speak = has_acted && (is_over || is_last);
            let key = self.cache_key(&prompt);
            if !has_acted && self.recall(&key, totals) {
                return;
            }
            let without_tools = !has_acted && !prompt.tools.is_empty();
            let without_tools =
                without_tools.then(|| self.opening_prompt(photos, first, &[], totals));
            let reply = self
                .request(permit, prompt.clone(), without_tools, totals)
                .await;
            if totals.requests == requests_before + 1 {
                totals.photos_shown += photos.len();
            }
            let sent = std::mem::take(&mut totals.sent_now);
            match reply {
                Ok(reply) if !reply.calls.is_empty() => {
                    let exchange = self.answer_calls(permit, reply, &sent, totals).await;
                    prompt.add_exchange(exchange);
                }
                // Silence after it has acted is no answer yet.
                Err(ModelFailure::Empty) if has_acted && !prompt.must_speak => {}
                // Nothing is missing of what was sent before.
                Err(ModelFailure::Empty) if !self.context.sent.is_empty() => return,
                Ok(reply) => {
                    let again = self
                        .call_or_deny(&prompt, &reply.text, totals)
                        .or_else(|| self.with_what_is_set(&prompt, &reply.text, totals));
                    if let Some(again) = again.filter(|_| !is_last) {
                        prompt = again;
                        continue;
                    }
                    if !has_acted {
                        self.cache_reply(key, &reply, totals);
                    }
                    totals.cut_off |= reply.cut_off;
                    totals.texts.push(rest_after(&sent, &reply.text));
                    return;
                }
                Err(failure) if !sent.is_empty() && !totals.is_continued => {
                    let id = self.pending.message_id;
                    log::warn!("message {id}: the model broke off: {failure}");
                    totals.is_continued = true;
                    prompt = after_beginning(prompt, &[sent]);
                }
                Err(failure) => return self.fail(failure, totals),
            }
        }
        self.fail(ModelFailure::ToolCall, totals);
    }

    /// The first prompt, with the texts and changes for earlier photos.
    fn opening_prompt(
        &self,
        photos: &[String],
        first: usize,
        tools: &[OfferedTool],
        totals: &CallTotals,
    ) -> Prompt {
        let mut prompt = self.prompt(photos, first, tools);
        if let Some(last) = prompt.messages.last_mut()
            && !tools.is_empty()
        {
            last.text.push_str(&self.of_earlier_photos(first, totals));
        }
        if !tools.is_empty() {
            prompt.exchanges.extend(self.exchange_before());
        }
        after_beginning(prompt, &self.context.sent)
    }

    fn fail(&self, failure: ModelFailure, totals: &mut CallTotals) {
        let id = self.pending.message_id;
        let why = failure.with_advice();
        log::warn!("message {id}: the model gave no reply: {why}");
        totals.failure = Some(failure);
    }

    async fn request(
        &self,
        permit: &CallPermit<'_>,
        prompt: Prompt,
        without_tools: Option<Prompt>,
        totals: &mut CallTotals,
    ) -> std::result::Result<engine::ModelReply, ModelFailure> {
        let (paragraphs, mut parts) = self.paragraphs(totals);
        let ask = ModelRequest {
            prompt,
            paragraphs,
            without_tools,
            vision: self.plan.class.class == Class::Vision,
            tokens_max: self.plan.tokens_max,
            retry_until: self.deadline,
            wanted_until: self.pending.agent.is_none().then_some(self.deadline),
        };
        let outcome = {
            let mut asking = pin!(self.model.ask(permit, ask));
            loop {
                tokio::select! {
                    biased;
                    Some(part) = parts.recv() => self.send_part(&part, totals).await,
                    outcome = &mut asking => break outcome,
                }
            }
        };
        // The text just before the break is sent as well.
        if outcome.reply.is_err() {
            while let Ok(part) = parts.try_recv() {
                self.send_part(&part, totals).await;
            }
        }
        totals.add_outcome(&outcome);
        outcome.reply
    }

    /// A reply that is too long is asked for once more, and cut if it stays so.
    pub(super) async fn shorten(&self, permit: &CallPermit<'_>, totals: &mut CallTotals) {
        let text = totals.texts.join("\n\n");
        let room = self.room(totals);
        if totals.failure.is_some() || room.holds(&text) {
            return;
        }
        let language = self.language_with(totals.parts.first().unwrap_or(&text));
        if room != ReplyRoom::WHOLE {
            totals.texts = vec![room.cut_short(&text, language)];
            return;
        }
        totals.is_withheld = true;
        let prompt = shorter(self.prompt(&[], 0, &[]), &text);
        let reply = self.request(permit, prompt, None, totals).await;
        let text = reply.map_or(text, |reply| reply.text);
        totals.texts = vec![match room.holds(&text) {
            true => text,
            false => room.cut_short(&text, language),
        }];
    }

    /// The model's tool calls with their results.
    async fn answer_calls(
        &self,
        permit: &CallPermit<'_>,
        reply: engine::ModelReply,
        sent: &str,
        totals: &mut CallTotals,
    ) -> ToolExchange {
        let now = self.ingest.clock.now();
        let call_context = CallContext {
            // "In an hour" is an hour from when it was said.
            now: self.context.message.received_at,
            zone: self.zone(),
            has_photos: !self.context.photos.is_empty(),
        };
        let (meanings, mut understood) = self.interpret_calls(&reply.calls, call_context, totals);
        self.make_private_answers(permit, &mut understood, totals)
            .await;
        let tried = self.try_calls(&understood, totals, now).await;
        let outcome_of = |at: usize| {
            tried.get(at).cloned().unwrap_or_else(|| {
                CallResult::refused("failed", "That did not work; it may later.")
            })
        };
        let mut calls = Vec::new();
        for (call, meaning) in reply.calls.into_iter().zip(meanings) {
            let is_change = self.may_change(&call.name, &meaning, &understood);
            let is_of_before = matches!(meaning, CallMeaning::Done(_));
            let is_remote = self.is_remote(&call.name);
            let own = meaning.own().map(|at| &understood[at]);
            let mut result = match meaning {
                CallMeaning::None(outcome, error) => CallResult::refused(outcome, error),
                CallMeaning::Done(result) => *result,
                CallMeaning::Remote(tool) => self.call_once(&tool, &call.arguments, totals).await,
                CallMeaning::Own(at) => outcome_of(at),
                CallMeaning::Repeated(first) => match outcome_of(first) {
                    done if done.is_ok() => CallResult::repeated(),
                    refused => refused,
                },
            };
            totals.denied = totals.denied.or(result.denial);
            if !sent.is_empty() && !result.is_ok() {
                result.json["already_read"] = ALREADY_READ.into();
            }
            let (name, arguments) = (&call.name, &call.arguments);
            let mut record = self.call_record(name, arguments, &result.json, result.outcome);
            record.is_change = own.is_some() && is_change && record.is_done;
            record.reminder = result.reminder.take();
            own.into_iter().for_each(|call| record.add_call(call));
            let is_known = record.is_done || !is_of_before && is_failure(result.outcome);
            // The result of a private answer says by itself what was not sent.
            if is_known && call.name != Tool::AnswerPrivately.name() {
                let (tool, reply) = ((name.as_str(), is_remote), totals.requests);
                let failed = &mut totals.failed_changes;
                failed.note_call(tool, arguments, (is_change, record.is_done), reply);
            }
            totals.records.push(record);
            calls.push(CallWithResult {
                id: call.id,
                name: call.name,
                arguments: call.arguments,
                result: result.json.to_string(),
            });
        }
        ToolExchange {
            text: reply.text,
            calls,
            note: String::new(),
        }
    }

    /// Whether a call was to change something, as far as it can be read.
    fn may_change(&self, name: &str, meaning: &CallMeaning, understood: &[ToolCall]) -> bool {
        if let CallMeaning::Own(at) | CallMeaning::Repeated(at) = meaning {
            return understood[*at].operation.changes();
        }
        let mut offered = self.plan.tools.iter();
        match offered.find(|tool| tool.name() == name) {
            Some(OfferedTool::Own(tool)) => tool.may_change(),
            Some(OfferedTool::Remote(tool)) => !tool.is_read_only,
            None => match Tool::all().find(|tool| tool.name() == name) {
                Some(tool) => tool.may_change(),
                None => sounds_like_change(name),
            },
        }
    }

    /// What each call means, and those of our tools that are to be tried.
    fn interpret_calls(
        &self,
        calls: &[engine::ToolCall],
        call_context: CallContext,
        work: &CallTotals,
    ) -> (Vec<CallMeaning>, Vec<ToolCall>) {
        let changes = &work.changes;
        let mut meanings = Vec::new();
        let mut understood: Vec<ToolCall> = Vec::new();
        for (at, call) in calls.iter().enumerate() {
            if at >= CALLS_MAX {
                let error = TOO_MANY_CALLS.to_owned();
                meanings.push(CallMeaning::None("too many", error));
                continue;
            }
            let mut offered = self.plan.tools.iter();
            let tool = offered.find(|tool| tool.name() == call.name);
            if let Some(result) = tool.and_then(|_| self.done_before(call)) {
                meanings.push(CallMeaning::Done(Box::new(result)));
                continue;
            }
            meanings.push(match tool {
                None if call.name == engine::UNREADABLE_CALL => {
                    CallMeaning::None("not understood", UNREADABLE.to_owned())
                }
                None => CallMeaning::None("not offered", self.no_such_tool(&call.name)),
                Some(OfferedTool::Remote(tool)) => CallMeaning::Remote(tool.clone()),
                Some(OfferedTool::Own(tool)) => match tool.read(&call.arguments, call_context) {
                    Err(error) => CallMeaning::None("not understood", error),
                    Ok(operation) => {
                        let new = ToolCall {
                            replaces: None,
                            tool: *tool,
                            arguments: canonical(&call.arguments),
                            operation,
                            new_id: random::uuid().to_string(),
                        };
                        let before = new.repeats_one_of(changes);
                        let is_committed = new.repeats_one_of(&work.committed).is_some();
                        if before.is_some_and(|at| at < work.changes_before) && new.adds_up() {
                            CallMeaning::None("repeated", EQUAL_PHOTO.to_owned())
                        } else if before.is_some() || is_committed {
                            CallMeaning::Done(Box::new(CallResult::repeated()))
                        } else if let Some(first) = new.repeats_one_of(&understood) {
                            CallMeaning::Repeated(first)
                        } else {
                            understood.push(new);
                            CallMeaning::Own(understood.len() - 1)
                        }
                    }
                },
            });
        }
        self.replace_versions(changes, &mut understood, work.committed.len());
        (meanings, understood)
    }

    /// Tries calls after the earlier ones, and notes those that change something.
    async fn try_calls(
        &self,
        calls: &[ToolCall],
        totals: &mut CallTotals,
        now: Timestamp,
    ) -> Vec<CallResult> {
        if calls.is_empty() {
            return Vec::new();
        }
        let asks_memories = calls.iter().any(|call| {
            matches!(
                call.operation,
                Operation::Recall { .. } | Operation::Forget { .. } | Operation::Usage
            )
        });
        if asks_memories && matches!(totals.service_memories, ServiceMemories::Nothing) {
            totals.service_memories = self.service_memories().await;
        }
        let now = *totals.tried_at.get_or_insert(now);
        if let Some(results) = self.try_in_told_zone(calls, totals, now).await {
            return results;
        }
        let done = totals.changes.clone();
        let results = self.try_after(done, calls.to_vec(), totals, now).await;
        for (call, result) in calls.iter().zip(&results) {
            if result.is_ok() && call.operation.changes() {
                totals.changes.push(call.clone());
            }
        }
        results
    }

    /// The results of calls after those that are done; none if they can't be tried.
    pub(super) async fn try_after(
        &self,
        done: Vec<ToolCall>,
        calls: Vec<ToolCall>,
        totals: &CallTotals,
        now: Timestamp,
    ) -> Vec<CallResult> {
        let service_memories = totals.service_memories.clone();
        let is_private = self.context.is_private;
        let (pending, ingest) = (self.pending, self.ingest);
        let tried = ingest.try_calls(pending, is_private, done, calls, service_memories, now);
        tried.await.unwrap_or_else(|error| {
            let id = pending.message_id;
            log::warn!("message {id}: a tool could not be tried: {error}");
            Vec::new()
        })
    }

    pub(super) async fn service_memories(&self) -> ServiceMemories {
        let user_id = &self.context.user.public_id;
        self.ingest.memories.service_memories(user_id).await
    }
}

/// Whether a call with this outcome, which did nothing, is known to have left something undone.
fn is_failure(outcome: &str) -> bool {
    !matches!(outcome, UNKNOWN | OWN_CHANGE)
}

/// The meaning of a tool call.
enum CallMeaning {
    /// One of ours, to be tried with the others: its place among them.
    Own(usize),
    /// The call repeats an earlier call of this reply; the place of that call.
    Repeated(usize),
    Remote(Arc<RemoteTool>),
    /// The call was done before for this message, with this result.
    Done(Box<CallResult>),
    /// An invalid call: its outcome, and a sentence for the model.
    None(&'static str, String),
}

impl CallMeaning {
    fn own(&self) -> Option<usize> {
        match self {
            Self::Own(at) => Some(*at),
            _ => None,
        }
    }
}
