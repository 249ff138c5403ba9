//! The result of making a reply: its text or tool calls, how it was made, and what it cost.

use serde::Serialize;
use serde_json::{Value, json};

use super::call_effects::CallEffects;
use super::call_numbers::CallNumbers;
use crate::access::Denial;
use crate::assistant::powers::Power;
use crate::assistant::tools::{Operation, Tool};
use crate::assistant::wording::{Apology, NamedTimes, NextReminder};
use crate::clock::{Timestamp, Zone};
use crate::error::Result;
use crate::memory::ServiceMemories;
use crate::store::{TokenUsage, Tx, UserId};

/// The outcome name when no model was asked.
pub(in crate::ingest) const SMALL_TALK: &str = "small_talk";

/// The outcome of a call that would have changed something, in a reply that failed.
const UNDONE: &str = "undone: the reply failed";

/// The outcome of a call of "undo" for what the same message did, and its error.
pub(super) const OWN_CHANGE: &str = "own change";
pub(super) const NOT_OWN_CHANGE: &str = "Nothing was undone: what was done last was done for this very message, and stays. To \
                                         correct it, change, cancel, forget or remove that by its own tool.";

/// The error of a call that equals one for photos before.
pub(super) const EQUAL_PHOTO: &str = "An equal call was carried out for the photos before, so this one was not. If \
                           these photos show another such thing, call again with words that tell them \
                           apart, as “Taxi (2)”.";

/// The result of a reply.
pub(super) struct ReplyResult {
    /// The reply without the parts that were sent while the model wrote; `None` when nothing is said.
    pub(super) text: Option<String>,
    /// The apology in place of a reply.
    pub(super) apology: Option<Apology>,
    /// Calls that change something, as they were tried; to be done in the reply's transaction.
    pub(super) changes: Vec<ToolCall>,
    /// When they were tried.
    pub(super) tried_at: Timestamp,
    /// Why a superpower that was called is not the person's.
    pub(super) denied: Option<Denial>,
    /// The person's memories at the external service, as far as they were read.
    pub(super) service_memories: ServiceMemories,
    /// The model was asked and gave no reply: the builtin assistant may answer.
    pub(super) is_for_builtin: bool,
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
    /// JSON, as the model wrote it.
    pub(super) arguments: String,
    pub(super) operation: Operation,
    /// UUID of what it makes, the same in every try.
    pub(super) new_id: String,
    /// For an edited message: what the earlier versions did is taken back.
    pub(super) replaces: Option<ReplacedVersions>,
}

impl ToolCall {
    pub(super) fn is_new_reminder(&self) -> bool {
        matches!(self.operation, Operation::SetReminder { .. })
    }

    /// The zone where the person is, if it tells that.
    pub(super) fn told_zone(&self) -> Option<Zone> {
        match &self.operation {
            Operation::SetProfile(change) => change.timezone,
            _ => None,
        }
    }

    /// Whether equal calls for several photos may be about several things.
    pub(super) const fn adds_up(&self) -> bool {
        matches!(
            self.tool,
            Tool::Power(Power::BudgetTracker | Power::BillSplit)
        )
    }

    /// The place among `earlier` of a call that makes the same change. Small models call again
    /// instead of reading the result; one message changes a thing once, and is answered privately
    /// once.
    pub(super) fn repeats_one_of(&self, earlier: &[Self]) -> Option<usize> {
        let is_same = |call: &Self| {
            let is_equal = call.operation.is_same(&self.operation);
            call.tool == self.tool && (is_equal || self.tool == Tool::AnswerPrivately)
        };
        earlier
            .iter()
            .position(|call| call.operation.changes() && is_same(call))
    }
}

/// An earlier version of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ReplacedVersion {
    pub(super) message_id: i64,
    /// The time of what was done for it.
    pub(super) acted_at: Timestamp,
}

/// The earlier versions of a message that a call replaces.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ReplacedVersions {
    pub(super) versions: Vec<ReplacedVersion>,
    /// Ids, in lower case, of what calls name: it stays. Of reminders the ends.
    named: Vec<String>,
}

impl ReplacedVersions {
    /// `calls`: those for the new version.
    pub(super) fn of<'c>(
        versions: &[ReplacedVersion],
        calls: impl Iterator<Item = &'c ToolCall>,
    ) -> Option<Self> {
        let ids = calls.flat_map(|call| match &call.operation {
            Operation::ChangeReminder { id, .. } | Operation::CancelReminder { id } => {
                std::slice::from_ref(id)
            }
            Operation::Forget { ids } => ids,
            _ => &[],
        });
        let named = ids.map(|id| id.trim().to_ascii_lowercase());
        let named: Vec<String> = named.filter(|id| !id.is_empty()).collect();
        (!versions.is_empty()).then(|| Self {
            versions: versions.to_vec(),
            named,
        })
    }

    pub(super) fn names(&self, id: &str) -> bool {
        self.named.iter().any(|named| id.ends_with(named.as_str()))
    }
}

/// The result of one call.
#[derive(Debug, Clone)]
pub(super) struct CallResult {
    /// `{ok, …}`
    pub(super) json: Value,
    /// For operators: "done", or why not.
    pub(super) outcome: &'static str,
    pub(super) denial: Option<Denial>,
    /// A reminder's fields for relays, which the answer contains.
    pub(super) schedule: Option<Value>,
    /// The reminder that the call set, changed or cancelled.
    pub(super) reminder: Option<ReminderState>,
}

/// A reminder as a call left it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ReminderState {
    /// The reminder's id, as the model gets it.
    pub(super) id: String,
    pub(super) text: String,
    /// Its next time; `None` when it is cancelled.
    pub(super) at: Option<Timestamp>,
    /// The person's.
    pub(super) zone: Zone,
    /// A rule of RFC 5545.
    pub(super) rule: Option<String>,
    /// The same in words.
    pub(super) often: Option<String>,
    /// Its times of one day, its last one, and the end of its rule.
    pub(super) of_day: Vec<Timestamp>,
    pub(super) ends: Vec<Timestamp>,
    /// The group of the message reads it.
    pub(super) is_of_group: bool,
}

impl ReminderState {
    /// `None`: it is cancelled.
    pub(super) fn time(&self) -> Option<NextReminder<'_>> {
        Some(NextReminder {
            text: &self.text,
            at: self.at?,
            zone: self.zone,
            often: self.often.as_deref(),
        })
    }
}

impl CallResult {
    /// `fields`: an object.
    pub(super) fn done(fields: Value) -> Self {
        let mut json = json!({ "ok": true });
        if let (Some(all), Value::Object(fields)) = (json.as_object_mut(), fields) {
            all.extend(fields);
        }
        Self {
            json,
            outcome: "done",
            denial: None,
            schedule: None,
            reminder: None,
        }
    }

    /// A text by other people, marked as data for the model.
    pub(super) fn quoting(text: &str) -> Self {
        Self::done(json!({ "quoted": text }))
    }

    /// The result of a call that an earlier one of the same message has carried out.
    pub(super) fn repeated() -> Self {
        let note = "An equal call was carried out before for this message; it was not repeated.";
        Self {
            outcome: "repeated",
            ..Self::done(json!({ "note": note }))
        }
    }

    /// The result of a call that was made before.
    pub(super) fn of_before(json: Value, outcome: &'static str) -> Self {
        Self {
            json,
            outcome,
            denial: None,
            schedule: None,
            reminder: None,
        }
    }

    /// `error`: a sentence that the model can act on.
    pub(super) fn refused(outcome: &'static str, error: impl Into<String>) -> Self {
        Self {
            json: json!({ "ok": false, "error": error.into() }),
            outcome,
            denial: None,
            schedule: None,
            reminder: None,
        }
    }

    pub(super) fn too_many() -> Self {
        let error = "That was too much for one minute; the person has to try again in a minute.";
        Self::refused("too many this minute", error)
    }

    pub(super) fn is_ok(&self) -> bool {
        self.json["ok"] == true
    }
}

/// A call as operators may see it. The arguments and the result hold words of people: they
/// are kept in direct chats, and shown where texts are asked for.
#[derive(Debug, Clone, Serialize)]
pub(super) struct CallRecord {
    pub(super) tool: String,
    /// "done", or why not.
    pub(super) outcome: &'static str,
    /// The call changes something in the reply's transaction.
    #[serde(skip)]
    pub(super) is_change: bool,
    /// The call sets a reminder that comes again.
    #[serde(skip)]
    pub(super) repeats: bool,
    /// The reminder that it set, changed or cancelled.
    #[serde(skip)]
    pub(super) reminder: Option<ReminderState>,
    /// The memories and entries of lists that it makes or removes.
    #[serde(skip)]
    pub(super) effects: CallEffects,
    /// The times in its result.
    #[serde(skip)]
    pub(super) named_times: NamedTimes,
    #[serde(skip)]
    pub(super) numbers: CallNumbers,
    /// What its result says that it did; `None` for a reminder.
    #[serde(skip)]
    pub(super) statement: Option<String>,
    /// Its arguments and its result, as they are compared with what was asked for.
    #[serde(skip)]
    pub(super) words: String,
    /// It is another server's tool that may change something.
    #[serde(skip)]
    pub(super) may_change_there: bool,
    /// A reminder's day and hour are among its arguments.
    #[serde(skip)]
    pub(super) sets_hour: bool,
    /// Only the next time of a reminder that comes again was changed.
    #[serde(skip)]
    pub(super) is_of_next: bool,
    /// That of its call.
    #[serde(skip)]
    pub(super) new_id: Option<String>,
    /// Its result was a success.
    #[serde(skip)]
    pub(super) is_done: bool,
    /// JSON, if the model wrote any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) arguments: Option<String>,
    /// How long they were, where only their beginning is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) arguments_bytes: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) result: Option<Value>,
}

impl CallRecord {
    /// Notes what is known of the call before it is tried.
    pub(super) fn add_call(&mut self, call: &ToolCall) {
        self.repeats = call.operation.repeats();
        self.is_of_next = call.operation.is_of_next();
        self.new_id = Some(call.new_id.clone());
    }

    /// It is a new time zone of the person.
    pub(super) fn changes_zone(&self) -> bool {
        self.tool == Tool::SetProfile.name() && !self.effects.lost.is_empty()
    }

    /// The reply failed, so what it would have changed was not committed.
    pub(super) fn undo(&mut self) {
        if self.is_change {
            self.outcome = UNDONE;
            self.result = None;
            (self.is_change, self.is_done, self.reminder) = (false, false, None);
        }
    }
}

/// How it came about, for operators.
#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct ReplyDecision {
    pub(super) class: &'static str,
    pub(super) class_reason: String,
    pub(super) classifier: &'static str,
    pub(super) basic_mode: bool,
    pub(super) model: String,
    /// `replied`, `acted` (by tools), `builtin` (the builtin assistant did it, as the model
    /// failed), `passed` (nothing to add), `apologized`, `silent` (nobody
    /// had asked), `small_talk` (the builtin assistant's, as all calls were taken)
    pub(super) outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) failure: Option<String>,
    /// Messages of the room in the prompt, including the last one.
    pub(super) messages_told: usize,
    pub(super) photos_shown: usize,
    pub(super) tools_offered: usize,
    /// The model answered a request without a call, or named a time that is not set, and was asked
    /// once more.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) is_asked_again: bool,
    /// Commands with the beginning of the reply, sent while it was made.
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) parts_sent: usize,
    /// The time of all that calls made, by which an edited version finds it; Unix milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) acted_at: Option<i64>,
    /// The model's calls, with their outcomes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tool_calls: Vec<CallRecord>,
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

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl ReplyDecision {
    pub(super) fn json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl ReplyResult {
    /// For a legacy relay, which can't receive a late reply.
    pub(super) fn deadline_passed(unprompted: bool) -> Self {
        Self {
            is_for_builtin: !unprompted,
            ..Self::failed(unprompted, "deadline")
        }
    }

    /// The builtin assistant's text, because no model call is free.
    pub(super) fn small_talk(text: String) -> Self {
        let decision = ReplyDecision {
            outcome: SMALL_TALK,
            ..ReplyDecision::default()
        };
        Self {
            text: Some(text),
            ..Self::without_call(decision)
        }
    }

    pub(super) fn failed(unprompted: bool, failure: &str) -> Self {
        let mut result = Self::without_call(ReplyDecision {
            failure: Some(failure.to_owned()),
            ..ReplyDecision::default()
        });
        result.apologize(unprompted, Apology::NoWords);
        result
    }

    /// No model was asked, and nothing is said yet.
    fn without_call(decision: ReplyDecision) -> Self {
        Self {
            text: None,
            apology: None,
            changes: Vec::new(),
            tried_at: Timestamp(0),
            denied: None,
            service_memories: ServiceMemories::Nothing,
            is_for_builtin: false,
            decision,
            used: None,
            others: Vec::new(),
        }
    }

    /// An unprompted reply needs no apology.
    pub(super) fn apologize(&mut self, unprompted: bool, why: Apology) {
        self.decision.outcome = if unprompted { "silent" } else { "apologized" };
        self.apology = (!unprompted).then_some(why);
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

    /// Adds the tokens to the day's counts.
    pub(super) fn count(&self, tx: &Tx, now: Timestamp) -> Result<()> {
        match &self.used {
            Some((endpoint, used)) if *used != TokenUsage::default() => {
                tx.add_token_usage(now.utc_day(), endpoint, self.decision.class, used)
            }
            _ => Ok(()),
        }
    }
}
