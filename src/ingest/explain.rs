//! Explains to operators how a message's answer was decided: from its rows, and by evaluating rules
//! again that depend on rows only. Message texts are included only on request.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::replies::SMALL_TALK;
use crate::assistant::powers::Power;
use crate::assistant::{self, AccountTask, Intent, MessageContext};
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::model::public_id::PublicId;
use crate::store::{MessageRow, PendingReply, RoomRow, View, given_name};

/// How the answer to a message was decided. Contains texts of people only if requested.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Explanation")]
pub struct MessageExplanation {
    #[schemars(range(min = 1))]
    message_id: i64,
    received_at: Timestamp,
    #[schemars(example = &"chat;+15550100")]
    chat_guid: String,
    #[schemars(extend("enum" = ["direct", "group"]))]
    mode: String,
    #[schemars(with = "PublicId")]
    user_id: String,
    /// null for a legacy relay.
    agent_id: Option<String>,
    /// null without an answer.
    #[schemars(extend("enum" = ["builtin", "openai", null]))]
    engine: Option<&'static str>,
    /// The checks in order.
    steps: Vec<Check>,
    /// The model's part in the answer: class, outcome, tokens, times. null if no model was used.
    #[schemars(with = "Option<Map<String, Value>>")]
    model: Value,
    #[serde(flatten)]
    texts: Option<MessageTexts>,
}

/// One check and its result.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
struct Check {
    #[schemars(example = &"access")]
    check: &'static str,
    #[schemars(example = &"allowed, one of the day's free messages")]
    result: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct MessageTexts {
    /// Present only with `text=true`.
    text: String,
    #[schemars(with = "Option<Vec<String>>")]
    reply_bubbles: Value,
    /// A reply that was sent as a command.
    #[schemars(with = "Option<Vec<String>>")]
    late_bubbles: Value,
}

/// A message's explanation as JSON. 404 for an unknown message. `with_text` includes message and
/// answer.
pub fn explain(view: &View, message_id: i64, persona: &str, with_text: bool) -> Result<Value> {
    let message = view.message(message_id)?.ok_or_else(unknown)?;
    let room = view.room(message.room)?.ok_or_else(unknown)?;
    let user = view.user_row(message.user)?.ok_or_else(unknown)?;
    let agent = match message.agent {
        Some(id) => view.agent_name(id)?,
        None => None,
    };
    let pending = view.pending_reply(message_id)?;
    let context: Value = parsed(message.context.as_deref());
    let story = Explanation {
        understood: assistant::understand(&MessageContext {
            text: &message.text,
            now: message.received_at,
            timezone: user.timezone,
            persona,
            group: room.mode == "group" && context.get("reply_to_assistant") != Some(&true.into()),
            has_photos: context.get("photos").is_some(),
        }),
        decision: parsed(message.decision.as_deref()),
        context,
        message: &message,
        room: &room,
        agent: agent.as_deref(),
        pending: pending.as_ref(),
        persona,
    };
    let explanation = MessageExplanation {
        message_id: message.id,
        received_at: message.received_at,
        chat_guid: given_name(&room.chat_guid).to_owned(),
        mode: room.mode.clone(),
        user_id: user.public_id.clone(),
        agent_id: agent.clone(),
        engine: story.engine(),
        steps: story.steps(),
        model: story.decision_json(with_text),
        texts: with_text.then(|| MessageTexts {
            text: message.text.clone(),
            reply_bubbles: parsed(message.bubbles.as_deref()),
            late_bubbles: parsed(message.late.as_deref()),
        }),
    };
    serde_json::to_value(explanation).map_err(Error::internal)
}

fn bubbles(count: usize) -> String {
    match count {
        1 => "1 bubble".to_owned(),
        n => format!("{n} bubbles"),
    }
}

fn unknown() -> Error {
    Error {
        detail: "There is no message of that id; the header X-Message-Id of an answer has it."
            .to_owned(),
        ..Error::not_found()
    }
}

fn parsed(json: Option<&str>) -> Value {
    json.and_then(|text| serde_json::from_str(text).ok())
        .unwrap_or_default()
}

struct Explanation<'a> {
    message: &'a MessageRow,
    room: &'a RoomRow,
    agent: Option<&'a str>,
    pending: Option<&'a PendingReply>,
    persona: &'a str,
    context: Value,
    /// The builtin assistant's meaning of the message, with the user's current time zone.
    understood: Intent,
    /// Null when no language model was asked.
    decision: Value,
}

impl Explanation<'_> {
    fn engine(&self) -> Option<&'static str> {
        let answered = self.message.bubbles.is_some() && self.message.access.is_none();
        let small_talk = self.decided("outcome") == Some(SMALL_TALK);
        let by_model = self.pending.is_some() || !self.decision.is_null() && !small_talk;
        match (by_model, answered) {
            (true, _) => Some("openai"),
            (false, true) => Some("builtin"),
            (false, false) => None,
        }
    }

    fn steps(&self) -> Vec<Check> {
        let step = |check, result| Check { check, result };
        let mut steps = vec![
            step("authentication", self.authentication()),
            step("duplicate", self.duplicate().to_owned()),
            step(
                "rate_limit",
                "let in: a refused message leaves no row".to_owned(),
            ),
            step("access", self.access()),
        ];
        if let Some(name) = self.context.get("superpower").and_then(Value::as_str) {
            let known = Power::named(name).is_some();
            let result = if known { name } else { "an unknown one" };
            steps.push(step("superpower", format!("asked for: {result}")));
        }
        steps.push(step("should_respond", self.should_respond().to_owned()));
        steps.push(step("understood", intent_name(&self.understood).to_owned()));
        if let Some(class) = self.decided("class") {
            let reason = self.decided("class_reason").unwrap_or_default();
            let by = self.decided("classifier").unwrap_or_default();
            steps.push(step(
                "class",
                format!("{class} ({by} classifier: {reason})"),
            ));
        }
        let calls = self.decision.get("tool_calls").and_then(Value::as_array);
        let tool_line = |call: &Value| {
            let part = |name| call.get(name).and_then(Value::as_str).unwrap_or_default();
            let cut = match call.get("arguments_bytes").and_then(Value::as_u64) {
                Some(bytes) => format!(" ({bytes} bytes of arguments, shown in part)"),
                None => String::new(),
            };
            format!("{}: {}{cut}", part("tool"), part("outcome"))
        };
        let tools: Vec<String> = calls.into_iter().flatten().map(tool_line).collect();
        if !tools.is_empty() {
            steps.push(step("tools", tools.join(", ")));
        }
        if let Some(outcome) = self.decided("outcome") {
            let failure = self.decided("failure");
            let why = failure.map_or(String::new(), |failure| format!(": {failure}"));
            steps.push(step("model", format!("{outcome}{why}")));
        }
        steps.push(step("answer", self.answer()));
        steps
    }

    /// The decision as JSON. Arguments and results of tools are words of people and need
    /// `with_text`.
    fn decision_json(&self, with_text: bool) -> Value {
        let mut decision = self.decision.clone();
        let calls = decision.get_mut("tool_calls").and_then(Value::as_array_mut);
        for call in calls.into_iter().flatten().filter_map(Value::as_object_mut) {
            if !with_text {
                call.retain(|name, _| !matches!(name.as_str(), "arguments" | "result"));
            }
        }
        decision
    }

    fn decided(&self, name: &str) -> Option<&str> {
        let text = self.decision.get(name)?.as_str()?;
        (!text.is_empty()).then_some(text)
    }

    fn authentication(&self) -> String {
        match (self.message.agent, self.agent) {
            (Some(_), Some(agent)) => format!("edge token of agent {agent}"),
            (Some(_), None) => "edge token of an agent that is gone".to_owned(),
            (None, _) => "legacy endpoint".to_owned(),
        }
    }

    fn duplicate(&self) -> &'static str {
        match self.message.keyless {
            true => "no idempotency key: known again only if its answer could not be written",
            false => "new under its idempotency key; repeats got the same answer",
        }
    }

    fn access(&self) -> String {
        let access = parsed(self.message.access.as_deref());
        match access.get("code").and_then(Value::as_str) {
            Some(code) => format!("denied: {code}"),
            None if self.message.counted => "allowed, one of the day's free messages".to_owned(),
            None => "allowed or not asked, not counted".to_owned(),
        }
    }

    fn should_respond(&self) -> &'static str {
        let message = self.message;
        let responded = message.bubbles.is_some() || message.late.is_some();
        let is_asked = self.pending.is_some() || !self.decision.is_null();
        if !responded && !is_asked {
            return match self.room.mode == "direct" {
                true => "no: no text and no photos",
                false => "no: nobody spoke to the assistant, or it had nothing to say",
            };
        }
        let replies = self.context.get("reply_to_assistant") == Some(&true.into());
        match () {
            () if self.room.mode == "direct" => "yes: a direct chat",
            () if replies => "yes: it replies to the assistant",
            () if assistant::addresses(&message.text, self.persona) => {
                "yes: the assistant is named"
            }
            () if self.context.get("superpower").is_some() => "yes: a superpower was asked for",
            () => "yes: it answered a question of the assistant, or enough messages had passed",
        }
    }

    fn answer(&self) -> String {
        let message = self.message;
        let count = |json: &Option<String>| parsed(json.as_deref()).as_array().map_or(0, Vec::len);
        match self.pending {
            Some(pending) if pending.late => {
                return "given without a reply, which is still to come as a command".to_owned();
            }
            Some(_) => return "a reply is being made".to_owned(),
            None => {}
        }
        if message.late.is_some() {
            return format!("{}, as a command", bubbles(count(&message.late)));
        }
        match count(&message.bubbles) {
            0 => "nothing was said".to_owned(),
            n if message.schedule.is_some() => format!("{}, and a reminder", bubbles(n)),
            n => bubbles(n),
        }
    }
}

fn intent_name(intent: &Intent) -> &'static str {
    match intent {
        one if one.crisis().is_some() => "somebody in a crisis",
        Intent::Crisis(_) => "somebody in a crisis",
        Intent::Say(_) => "small talk",
        Intent::Help(_) => "asks what the assistant can do",
        Intent::ConnectCalendar => "wants to connect a calendar",
        Intent::ConnectMail => "wants to connect a mailbox",
        Intent::Several(_) => "several requests",
        Intent::Power(_) => "a superpower",
        Intent::Statement(_) => "tells of something",
        Intent::FollowUp { .. } => "refers to what was said before",
        Intent::Unclear(_)
        | Intent::AskWhen { .. }
        | Intent::AskWhat { .. }
        | Intent::AskRest { .. } => "a command that can't be carried out as it was said",
        Intent::Status | Intent::Profile(_) => "status",
        Intent::Usage => "usage",
        Intent::Account(AccountTask::Delete) => "delete the account",
        Intent::Account(AccountTask::Export) => "export all data",
        Intent::Remember { .. } => "remember something",
        Intent::Recall { .. } => "recall memories",
        Intent::Forget { .. } => "forget a memory",
        Intent::ForgetEverything => "forget all memories",
        Intent::Remind { .. } | Intent::RemindBefore(_) => "set a reminder",
        Intent::FindReminders { .. } => "find reminders",
        Intent::Agenda { .. } => "ask what there is in a span of time",
        Intent::ListReminders => "list reminders",
        Intent::CancelReminders(_) => "cancel reminders",
        Intent::SetTimezone(_) => "set the time zone",
        Intent::SetName(_) => "set the name",
        Intent::Unknown => "no command",
    }
}
