//! The focus protector: until a session ends, reminders and unprompted messages are held back. It
//! only stores the session; the delivery job asks for it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::operations::{self, CallContext, within};
use super::{PowerContext, RequestStrength, Superpower};
use crate::assistant::builtin::ParsedMessage;
use crate::assistant::builtin::follow_up::two_durations;
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when::{self, TimeExpression};
use crate::assistant::wording;
use crate::clock::Timestamp;

/// The default duration.
const USUAL_MINUTES: i64 = 25;
const MINUTES_MAX: i64 = 12 * 60;

#[derive(Debug, Clone, PartialEq)]
pub enum FocusAction {
    Start {
        until: Timestamp,
    },
    /// For the usual time, unless there is one.
    Begin,
    Stop,
    Show,
    TooLong,
    /// "focus 10 min and 20 min": the complete reply asks which.
    Unclear(String),
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct FocusState {
    /// Milliseconds since the epoch.
    until: Option<i64>,
}

pub(super) fn parse(message: &ParsedMessage) -> Option<(RequestStrength, FocusAction)> {
    use RequestStrength::Clear;
    let words = &message.words;
    let now = message.context.now;
    if let Some(found) = fixed(message.request()) {
        return Some(found);
    }
    let from = words.after(
        message.start,
        phrases![
            "focus mode for", "focus session for", "focus for", "focus until", "focus till",
            "start focus for", "start focusing for", "start a focus session for", "focus time for",
            "help me focus for", "help me focus until", "let me focus for", "let me focus until",
            "do not disturb me for", "dont disturb me for", "do not disturb me until",
            "dont disturb me until", "do not disturb for", "dont disturb for",
            "do not disturb until", "dont disturb until", "do not disturb till", "dnd for",
            "dnd until", "dnd till", "dnd", "protect my focus for", "protect my focus until",
            "focus",
        ],
    )?;
    let end = super::parsers::end(words);
    if let Some((first, second)) = two_durations(words, from, end) {
        let question = wording::which_duration(&first, &second);
        return Some((Clear, FocusAction::Unclear(question)));
    }
    let until = matches!(words.get(from - 1), "until" | "till");
    let (spec, next) = if until {
        when::read(words, from).or_else(|| when::read_hour(words, from))?
    } else {
        when::read_duration(words, from)?
    };
    if next != end {
        return None;
    }
    Some((Clear, start(&spec, now, message)))
}

static BEGIN: Phrases = Phrases::new(&[
    "focus", "start focus", "focus mode", "start focusing", "start focus mode", "focus now",
    "start a focus session", "focus time", "turn on focus", "turn on focus mode", "do not disturb",
    "dnd", "dont disturb", "dont disturb me", "do not disturb me",
]);
static STOP: Phrases = Phrases::new(&[
    "stop focus", "end focus", "stop focusing", "stop focus mode", "end focus mode", "focus off",
    "cancel focus", "im back", "i am back", "turn off focus", "turn off focus mode",
    "end my focus", "stop my focus", "stop the focus",
]);
static SHOW: Phrases = Phrases::new(&[
    "my focus", "am i in focus", "am i focusing", "how long is my focus", "focus status",
    "how much focus is left", "how long do i focus", "how long until my focus ends",
]);
static TIME_LEFT: Phrases = Phrases::new(&[
    "how long left", "how long is left", "how long do i have left", "how much longer",
    "how much time is left", "how much time do i have left",
]);

fn fixed(request: &str) -> Option<(RequestStrength, FocusAction)> {
    use RequestStrength::{Clear, InSession};
    Some(match request {
        _ if BEGIN.contains(request) => (Clear, FocusAction::Begin),
        _ if STOP.contains(request) => {
            let strength = if request.contains("back") {
                InSession
            } else {
                Clear
            };
            (strength, FocusAction::Stop)
        }
        _ if SHOW.contains(request) => (Clear, FocusAction::Show),
        _ if TIME_LEFT.contains(request) => (InSession, FocusAction::Show),
        _ => return None,
    })
}

fn start(spec: &TimeExpression, now: Timestamp, message: &ParsedMessage) -> FocusAction {
    match when::resolve(spec, now, message.zone()) {
        Ok(until) if until.0 - now.0 <= MINUTES_MAX * 60_000 => FocusAction::Start { until },
        _ => FocusAction::TooLong,
    }
}

impl Superpower for FocusState {
    type Action = FocusAction;

    fn apply(&mut self, action: FocusAction, context: &PowerContext) -> Option<String> {
        Some(match action {
            FocusAction::Start { .. } | FocusAction::Begin if !context.reachable => {
                "I can't write to you by myself in this chat, so there's nothing I could hold back."
                    .to_owned()
            }
            FocusAction::Begin if self.alarm(context).is_some() => self.overview(context),
            FocusAction::Begin => {
                let until = context.now.plus_s(USUAL_MINUTES * 60);
                return self.apply(FocusAction::Start { until }, context);
            }
            FocusAction::Start { until } => {
                self.until = Some(until.0);
                format!(
                    "Focus until {}. I hold your reminders back until then; “stop focus” ends it.{}",
                    clock(until, context),
                    context.zone_hint()
                )
            }
            FocusAction::Stop => match self.alarm(context) {
                Some(_) => {
                    self.until = None;
                    "Okay, your focus is over. What I held back comes now.".to_owned()
                }
                None => "You're in no focus at the moment.".to_owned(),
            },
            FocusAction::Show => self.overview(context),
            FocusAction::Unclear(reply) => reply,
            FocusAction::TooLong => format!(
                "A focus lasts at most {} hours. For example: “focus for 45 minutes”.",
                MINUTES_MAX / 60
            ),
        })
    }

    fn overview(&self, context: &PowerContext) -> String {
        match self.alarm(context) {
            Some(until) => {
                let minutes = (until.0 - context.now.0 + 59_999) / 60_000;
                format!(
                    "You're in focus until {}, {} more.{}",
                    clock(until, context),
                    super::texts::counted(minutes as usize, "minute"),
                    context.zone_hint()
                )
            }
            None => {
                "You're in no focus at the moment. Say “focus for 45 minutes” to begin.".to_owned()
            }
        }
    }

    fn alarm(&self, context: &PowerContext) -> Option<Timestamp> {
        self.until
            .map(Timestamp)
            .filter(|until| *until > context.now)
    }

    fn on_alarm(&mut self, _at: Timestamp, context: &PowerContext) -> Option<String> {
        if self.alarm(context).is_some() {
            return None;
        }
        self.until
            .take()
            .map(|_| "Your focus time is over. Well done!".to_owned())
    }
}

fn clock(at: Timestamp, context: &PowerContext) -> String {
    let zone = if context.timezone.is_none() {
        " UTC"
    } else {
        ""
    };
    format!(
        "{}{zone}",
        at.utc().with_timezone(&context.zone()).format("%H:%M")
    )
}

/// The arguments of a language model.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    operation: FocusOperation,
    /// For start: at most 720.
    minutes: Option<u32>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum FocusOperation {
    Start,
    Stop,
    Show,
}

impl operations::Arguments<FocusAction> for Arguments {
    const DESCRIPTION: &str = "Holds reminders back while the person concentrates.";

    fn action(self, context: CallContext) -> operations::Result<Option<FocusAction>> {
        Ok(Some(match self.operation {
            FocusOperation::Show => FocusAction::Show,
            FocusOperation::Stop => FocusAction::Stop,
            FocusOperation::Start => {
                let minutes = within(self.minutes.map(i64::from), 1..=MINUTES_MAX, "minutes")?;
                FocusAction::Start {
                    until: context.now.plus_s(minutes * 60),
                }
            }
        }))
    }
}
