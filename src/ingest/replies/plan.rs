//! Plans a model's reply from the flags: its class, the amount of context, the length, the tools.
//! Pure.

use super::context::ReplyContext;
use super::request::{CertainRequest, RequestFacts};
use super::requested_changes::RequestedChange;
use crate::assistant::classify::{self, Class, Classification, ClassifierInput};
use crate::assistant::powers::Power;
use crate::assistant::prompt::Author;
use crate::assistant::tools::{OfferedTool, Tool};
use crate::assistant::{self, Intent, MessageContext, depends_on_time};
use crate::clock::{Timestamp, Zone};
use crate::flags::FlagReader;
use crate::ingest::Ingest;
use crate::store::PendingReply;

/// Token limit of a reply under the kill switch.
const BASIC_TOKENS_MAX: i64 = 200;

/// The plan of a reply.
pub(super) struct ReplyPlan {
    pub(super) class: Classification,
    pub(super) classifier: &'static str,
    pub(super) basic_mode: bool,
    pub(super) reduced: bool,
    pub(super) tokens_max: i64,
    /// Photos per call.
    pub(super) batch: usize,
    pub(super) cache_ttl_s: Option<i64>,
    pub(super) monitored: bool,
    pub(super) detailed_logging: bool,
    /// Tools offered to the model.
    pub(super) tools: Vec<OfferedTool>,
    /// Tools are not offered, as the server takes none at present, or in the basic mode.
    pub(super) lacks_tools: bool,
    /// Services that the person may connect and has not.
    pub(super) connectable: Vec<&'static str>,
    /// The request that the message certainly makes.
    pub(super) request: Option<CertainRequest>,
    /// The message may be no request; the reply tells.
    pub(super) may_be_talk: bool,
    /// The changes that it asks for.
    pub(super) requested_changes: Vec<RequestedChange>,
    /// The message is an edited one, and what it asks for was done for an earlier version.
    pub(super) is_done_before: bool,
}

impl ReplyPlan {
    /// Plans a reply, and removes from the context what the flags don't allow.
    pub(super) fn of(
        ingest: &Ingest,
        flags: &FlagReader,
        context: &mut ReplyContext,
        pending: &PendingReply,
        now: Timestamp,
    ) -> Self {
        let basic_mode = flags.force_basic_mode();
        if basic_mode {
            context.photos.clear();
        }
        let reduced = flags.reduced_history();
        let most = flags.max_messages().max(1) as usize;
        let most = if reduced { most.div_ceil(2) } else { most };
        let surplus = context.messages.len().saturating_sub(most);
        context.messages.drain(..surplus);
        let second = flags.second_classifier();
        let input = classifier_input(ingest, context, now);
        // "Thanks" after "Shall I?" is a yes, and "later" after a reminder puts it off.
        let asks_nothing = input.photos == 0
            && !input.answers_question
            && (context.came.is_empty() || !puts_off(&context.message.text))
            && is_courtesy(ingest, context, now);
        let class = if second {
            classify::combined(&input)
        } else {
            classify::first(&input)
        };
        let mut tokens_max = tokens_max(class.class, flags);
        if basic_mode {
            tokens_max = tokens_max.min(BASIC_TOKENS_MAX);
        }
        let cached = flags.caches_replies()
            && !pending.unprompted
            && !context.is_edited
            && !depends_on_time(&context.message.text);
        let may_ask = !(pending.unprompted || asks_nothing);
        let plan = Self {
            class,
            classifier: if second { "combined" } else { "first" },
            basic_mode,
            reduced,
            tokens_max,
            batch: match flags.photo_batching() {
                true => flags.photo_batch_size().max(1) as usize,
                false => 1,
            },
            cache_ttl_s: cached.then(|| flags.reply_ttl_seconds()),
            monitored: flags.token_monitoring(),
            detailed_logging: flags.detailed_logging(),
            tools: match may_ask {
                true => offered(flags, context),
                false => Vec::new(),
            },
            connectable: match may_ask && !basic_mode && !context.group {
                true => connectable(flags, context),
                false => Vec::new(),
            },
            lacks_tools: false,
            request: None,
            may_be_talk: false,
            requested_changes: Vec::new(),
            is_done_before: false,
        };
        let mut plan = plan.with_request(ingest, flags, context);
        if basic_mode {
            plan.withhold_tools();
        }
        plan
    }

    /// None are offered. What the reply claims is compared with the request all the same.
    pub(super) fn withhold_tools(&mut self) {
        self.lacks_tools = !self.tools.is_empty();
        self.tools.clear();
    }

    /// Adds what the message asks for.
    fn with_request(self, ingest: &Ingest, flags: &FlagReader, context: &ReplyContext) -> Self {
        if self.tools.is_empty() {
            return self;
        }
        let persona = ingest.persona.get();
        let (zone, at) = (context.user.timezone, context.message.received_at);
        let message = message_context(context, &persona.name, zone, at);
        let all = Power::ALL.into_iter();
        // Under the kill switch a command to a superpower is one all the same.
        let is_on = |power: &Power| flags.superpower_apart_from_basic_mode(*power);
        let powers: Vec<Power> = all.filter(is_on).collect();
        let facts = RequestFacts {
            message: &message,
            user: context.user.id,
            group: context.group,
            tools: &self.tools,
            powers: &powers,
            states: &context.dialog.states,
            open: &context.dialog.open,
            has_latest: context.dialog.has_latest,
            is_unanswered: false,
        };
        let before = context.dialog.unanswered.as_ref().and_then(|(text, at)| {
            let message = &MessageContext {
                text,
                now: *at,
                ..message
            };
            let understood = assistant::understand_all(message);
            CertainRequest::of(&understood, &RequestFacts { message, ..facts })
        });
        let understood = assistant::understand_all(&message);
        // What was edited without another meaning was done before.
        let meaning = |text: &str| {
            let text = text.trim_end_matches(|c: char| !c.is_alphanumeric());
            assistant::understand_all(&MessageContext { text, ..message })
        };
        let earlier = context.dialog.earlier_text.as_deref().map(meaning);
        let is_done = earlier.is_some_and(|earlier| {
            let new = meaning(message.text);
            earlier.intent == new.intent && earlier.calls == new.calls
        });
        if is_done {
            return Self {
                is_done_before: true,
                ..self
            };
        }
        let facts = RequestFacts {
            is_unanswered: matches!(before, Some(CertainRequest::Change { .. })),
            ..facts
        };
        let request = CertainRequest::of(&understood, &facts);
        let may_be_talk =
            facts.may_be_talk(&understood.intent) || facts.is_mere_mood(&understood.calls);
        let requested_changes = facts.requested_changes(&understood);
        Self {
            request,
            may_be_talk,
            requested_changes,
            ..self
        }
    }
}

/// The tokens of a reply, by its class.
fn tokens_max(class: Class, flags: &FlagReader) -> i64 {
    match class {
        Class::Reflex => flags.max_tokens_reflex(),
        Class::Default => flags.max_tokens_default(),
        Class::DeepReasoning => flags.max_tokens_deep_reasoning(),
        Class::Vision => flags.max_tokens_vision(),
    }
}

/// Offered tools, which the basic mode withholds. Access to a superpower is checked when the model calls it.
fn offered(flags: &FlagReader, context: &ReplyContext) -> Vec<OfferedTool> {
    let known = &context.known;
    let is_of_use = |tool: &Tool| match tool {
        Tool::Power(power) => {
            flags.superpower_apart_from_basic_mode(*power)
                && !power.lacks_service(known.has_calendar, known.has_mailbox)
        }
        Tool::Notices => flags.superpowers_enabled(),
        _ => true,
    };
    let is_offered = |tool: &Tool| is_of_use(tool) && tool.is_for(context.group);
    let own = Tool::all().filter(is_offered).map(OfferedTool::Own);
    let remote = context.remote_tools.iter().cloned();
    own.chain(remote.map(OfferedTool::Remote)).collect()
}

fn connectable(flags: &FlagReader<'_>, context: &ReplyContext) -> Vec<&'static str> {
    let known = &context.known;
    let calendar = !known.has_calendar && flags.superpower(Power::CalendarQueryAgent);
    let mail = !known.has_mailbox && flags.superpower(Power::GmailMindreaderAgent);
    let all = [("calendar", calendar), ("mail", mail)];
    let some = all.into_iter().filter(|(_, is_missing)| *is_missing);
    some.map(|(what, _)| what).collect()
}

/// The builtin assistant's answer to small talk addressed to it.
pub(super) fn small_talk(
    ingest: &Ingest,
    context: &ReplyContext,
    pending: &PendingReply,
    now: Timestamp,
) -> Option<String> {
    match understood(ingest, context, context.user.timezone, now) {
        Intent::Say(text) if context.photos.is_empty() && !pending.unprompted => Some(text),
        _ => None,
    }
}

/// After a reminder that came.
fn puts_off(text: &str) -> bool {
    const LATER: [&str; 12] = [
        "later", "später", "luego", "más tarde", "plus tard", "dopo", "più tardi", "straks",
        "mais tarde", "senare", "позже", "później",
    ];
    let text = text.to_lowercase();
    LATER.iter().any(|word| text.contains(word))
}

/// A greeting, a farewell or thanks.
fn is_courtesy(ingest: &Ingest, context: &ReplyContext, now: Timestamp) -> bool {
    let persona = ingest.persona.get();
    assistant::is_courtesy(&message_context(context, &persona.name, None, now))
}

fn understood(
    ingest: &Ingest,
    context: &ReplyContext,
    timezone: Option<Zone>,
    now: Timestamp,
) -> Intent {
    let persona = ingest.persona.get();
    assistant::understand(&message_context(context, &persona.name, timezone, now))
}

/// The message as the builtin assistant reads it. `persona`: the assistant's name.
fn message_context<'a>(
    context: &'a ReplyContext,
    persona: &'a str,
    timezone: Option<Zone>,
    now: Timestamp,
) -> MessageContext<'a> {
    MessageContext {
        text: &context.message.text,
        now,
        timezone,
        persona,
        group: context.group && !context.reply_to_assistant,
        has_photos: false,
    }
}

fn classifier_input<'a>(
    ingest: &Ingest,
    context: &'a ReplyContext,
    now: Timestamp,
) -> ClassifierInput<'a> {
    let before = context.messages.iter().rev().nth(1);
    ClassifierInput {
        text: &context.message.text,
        photos: context.photos.len(),
        small_talk: matches!(understood(ingest, context, None, now), Intent::Say(_)),
        answers_question: before.is_some_and(|message| {
            message.by == Author::Assistant && message.text.trim_end().ends_with('?')
        }),
    }
}
