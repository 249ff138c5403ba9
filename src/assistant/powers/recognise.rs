//! Finds the superpowers that a message may request, and how explicitly. Cheap string work, without
//! state or access checks.

mod clauses;
mod corrected;
mod statements;
mod words;

use super::statement::{self, SentenceKind};
use super::{NoticeRequest, Power, PowerAction, RequestStrength, preferences};
use crate::assistant::MessageContext;
use crate::assistant::builtin::ParsedMessage;
use crate::assistant::builtin::follow_up::UNDO;
use crate::assistant::builtin::parsing::read_message;
use crate::assistant::text::phrases::Phrases;
use corrected::Correction;
use words::{may_ask, may_be_meant};

/// Longer messages request none.
const TEXT_BYTES_MAX: usize = 4_096;

#[derive(Debug, Clone, PartialEq)]
pub struct PowerCall {
    pub power: Power,
    pub strength: RequestStrength,
    pub action: PowerAction,
}

/// A command to the superpower in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionCommand {
    Undo,
    Done,
}

/// All requests in a message; at most one call per superpower.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PowerCalls {
    pub calls: Vec<PowerCall>,
    pub session_command: Option<SessionCommand>,
    /// About messages that superpowers send on their own.
    pub notices: Option<NoticeRequest>,
    /// In a group: by name, or in answer to the assistant.
    pub is_addressed: bool,
    /// The parts of a message that report different things, each for another superpower.
    pub clauses: Vec<String>,
}

impl PowerCalls {
    /// Whether any of it can start a session.
    pub fn may_begin(&self) -> bool {
        self.notices.is_some()
            || self
                .calls
                .iter()
                .any(|call| call.strength != RequestStrength::InSession)
    }

    pub fn of(&self, power: Power) -> Option<&PowerCall> {
        self.calls.iter().find(|call| call.power == power)
    }
}

pub fn recognise(context: &MessageContext) -> PowerCalls {
    in_message(&read_message(context), true)
}

/// The text with what was said anew in it applied: "spent 14 on lunch" for "spent 12 on lunch, no 14".
pub fn as_meant(context: &MessageContext) -> String {
    const CORRECTIONS_MAX: usize = 3;
    let mut text = context.text.to_owned();
    for _ in 0..CORRECTIONS_MAX {
        let context = MessageContext {
            text: &text,
            ..*context
        };
        match corrected::meant(&read_message(&context)) {
            Correction::Replaced(meant) => text = meant,
            _ => break,
        }
    }
    text
}

/// Recognises requests in a parsed message. Most messages cost only a check of their words.
/// `has_clauses`: also the parts that report different things.
pub(in crate::assistant) fn recognise_message(
    message: &ParsedMessage,
    has_clauses: bool,
) -> PowerCalls {
    match may_ask(&message.words) {
        true => in_message(message, has_clauses),
        false => PowerCalls::default(),
    }
}

fn in_message(message: &ParsedMessage, has_clauses: bool) -> PowerCalls {
    let is_too_long = message.context.text.len() > TEXT_BYTES_MAX;
    if is_too_long || message.words.len() == 0 || changes_reminder(message) {
        return PowerCalls::default();
    }
    match corrected::meant(message) {
        Correction::Unchanged => {
            let calls = calls_in(message);
            let clauses = has_clauses.then(|| clauses::clauses(message, &calls));
            PowerCalls {
                clauses: clauses.unwrap_or_default(),
                ..calls
            }
        }
        Correction::Replaced(text) => in_part(&text, message, |part| in_message(part, has_clauses)),
        Correction::Unclear { first, anew } => {
            let list = calls_in(message).of(Power::TodoList).cloned();
            let [first, anew] = [first, anew].map(|text| in_part(&text, message, calls_in));
            unclear_calls(first, &anew, list)
        }
    }
}

/// The requests of one part of the message.
fn in_part(
    text: &str,
    message: &ParsedMessage,
    read: impl Fn(&ParsedMessage) -> PowerCalls,
) -> PowerCalls {
    let context = MessageContext {
        text,
        group: message.context.group && !message.is_addressed,
        ..*message.context
    };
    let part = read_message(&context);
    let calls = match part.words.len() {
        0 => PowerCalls::default(),
        _ => read(&part),
    };
    if part.depends_on_zone.get() {
        message.depends_on_zone.set(true);
    }
    PowerCalls {
        is_addressed: message.is_addressed,
        ..calls
    }
}

/// Drops requests that were taken back in the same message, and keeps those that were said anew in
/// full. A list knows by itself what replaces a thing.
fn unclear_calls(mut all: PowerCalls, anew: &PowerCalls, list: Option<PowerCall>) -> PowerCalls {
    for call in &mut all.calls {
        match anew.of(call.power) {
            Some(new) if new.strength != RequestStrength::InSession => *call = new.clone(),
            _ => call.action = PowerAction::Unclear(CORRECTION_UNCLEAR.to_owned()),
        }
    }
    if let Some(list) = list {
        all.calls.retain(|call| call.power != Power::TodoList);
        all.calls.push(list);
    }
    all
}

const CORRECTION_UNCLEAR: &str = "You changed something in that, and I'm not sure what you mean in the end, so I've done nothing. Please say it once more, only as you mean it.";

/// The requests of the whole message, without corrections.
fn calls_in(message: &ParsedMessage) -> PowerCalls {
    let kind = statement::sentence_kind(message);
    let inner_context = inner_statement(message, kind).map(|text| MessageContext {
        text,
        group: false, // the name was before it
        ..*message.context
    });
    let inner = inner_context.as_ref().map(read_message);
    // "I think Juno"
    let inner = inner.filter(|inner| inner.words.len() > 0);
    let meant = may_be_meant(&message.words);
    let is_meant = |power: &Power| {
        // All that tests read shows that no word is missing.
        debug_assert!(
            meant.contains(*power) || power.parse(message).is_none(),
            "{power:?}: {}",
            message.context.text
        );
        meant.contains(*power)
    };
    let calls = PowerCalls {
        calls: Power::ALL
            .into_iter()
            .filter(is_meant)
            .filter_map(|power| {
                let (strength, action) = understood(power, message, kind, inner.as_ref())?;
                let strength = match strength {
                    RequestStrength::Clear if may_be_recalled(power, message) => {
                        RequestStrength::Soft
                    }
                    strength => strength,
                };
                Some(PowerCall {
                    power,
                    strength,
                    action,
                })
            })
            .collect(),
        session_command: session_command(message.request()),
        notices: preferences::parse(message),
        is_addressed: message.is_addressed,
        clauses: Vec::new(),
    };
    if inner.is_some_and(|inner| inner.depends_on_zone.get()) {
        message.depends_on_zone.set(true);
    }
    calls
}

/// "change the flight reminder to 6": the reminder is meant, not the flight.
fn changes_reminder(message: &ParsedMessage) -> bool {
    const NAME_WORDS_MAX: usize = 6;
    let (words, at) = (&message.words, message.start);
    static VERBS: Phrases = Phrases::new(&[
        "change", "move", "push", "shift", "reschedule", "postpone", "delay", "update", "make",
        "bring", "put off", "rename", "skip", "snooze",
    ]);
    let Some(from) = words.after(at, &VERBS) else {
        return false;
    };
    let named = (from..words.len().min(from + NAME_WORDS_MAX))
        .take_while(|at| !matches!(words.get(*at), "to" | "on" | "at" | "by" | "for" | "with"));
    let mut named = named.map(|at| words.get(at));
    named.any(|word| matches!(word, "reminder" | "reminders"))
}

/// The statement that is asked about, believed or heard: "netflix renews on 5 december" after "is
/// it true that".
fn inner_statement<'a>(message: &ParsedMessage<'a>, kind: SentenceKind) -> Option<&'a str> {
    let from = match kind {
        SentenceKind::Statement => None,
        SentenceKind::Question => statement::after_question(message),
        SentenceKind::Doubt => statement::after_hedge(message),
    };
    let text = message.words.original(from?..message.words.len());
    (!text.is_empty()).then_some(text)
}

/// The meaning of a message for one superpower, which stores only statements.
fn understood(
    power: Power,
    message: &ParsedMessage,
    kind: SentenceKind,
    inner: Option<&ParsedMessage>,
) -> Option<(RequestStrength, PowerAction)> {
    let call = power.parse(message);
    // Whether it stores a statement, and about something that can be named so.
    let stores = |(strength, action): &(RequestStrength, PowerAction)| {
        statements::subject(action, *strength).map(statement::is_thing)
    };
    match (&call, call.as_ref().and_then(stores), kind) {
        (Some(_), None, _) | (_, Some(true), SentenceKind::Statement) => return call,
        (_, _, SentenceKind::Statement) => return None,
        _ => {}
    }
    let inner = inner.and_then(|inner| power.parse(inner));
    let inner = inner.filter(|call| stores(call) == Some(true));
    match kind {
        SentenceKind::Question => {
            let call = inner.or_else(|| call.filter(|call| stores(call) == Some(true)));
            Some((RequestStrength::Soft, statements::answer(call?.1)?))
        }
        _ => inner.filter(|(_, action)| statements::stores_day(action)),
    }
}

/// Whether it asks for what may as well be a memory, which only those are spared who have
/// the superpower. The first superpowers say so themselves.
fn may_be_recalled(power: Power, message: &ParsedMessage) -> bool {
    let is_asked = matches!(
        message.words.get(message.start),
        "when" | "whens" | "where" | "wheres" | "what" | "whats"
    );
    is_asked
        && (power.has_plans()
            || power.uses_calendar()
            || power.uses_mail()
            || matches!(
                power,
                Power::PackageTracking
                    | Power::MembershipRenewal
                    | Power::CancellationProtector
                    | Power::CalendarQueryAgent
                    | Power::CalendarListAgent
            ))
}

fn session_command(request: &str) -> Option<SessionCommand> {
    match request {
        _ if UNDO.contains(request) => Some(SessionCommand::Undo),
        "done" | "im done" | "i am done" | "were done" | "we are done" | "thats all"
        | "that is all" | "thats it" | "finished" | "im finished" | "all done" | "exit"
        | "quit" | "close" | "stop" => Some(SessionCommand::Done),
        _ => None,
    }
}
