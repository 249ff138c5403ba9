//! The daily summary: reminders and other superpowers' entries, on request or daily at a set time.
//! This file collects nothing; the context contains the texts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::operations::{self, CallContext, needed_minute};
use super::{PowerContext, RequestStrength, Superpower, parsers};
use crate::assistant::builtin::ParsedMessage;
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when;
use crate::clock::Timestamp;

/// The default hour.
const HOUR: u32 = 8;

#[derive(Debug, Clone, PartialEq)]
pub enum DailySummaryAction {
    Show,
    Daily { hour: u32, minute: u32 },
    Stop,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct DailySummaryState {
    /// Hour and minute of the daily message.
    at: Option<(u32, u32)>,
}

pub(super) fn parse(message: &ParsedMessage) -> Option<(RequestStrength, DailySummaryAction)> {
    use RequestStrength::Clear;
    if let Some(action) = fixed(message.request()) {
        return Some((Clear, action));
    }
    // What is meant is the superpower in use.
    if phrases![
        "stop it", "stop that", "stop them", "stop both", "turn it off", "turn that off"
    ]
    .contains(message.request())
    {
        return Some((RequestStrength::InSession, DailySummaryAction::Stop));
    }
    // These words may have other meanings.
    static POSSIBLY_SHOW: Phrases = Phrases::new(&[
        "summary", "my day", "whats on today", "how does my day look", "how is my day looking",
    ]);
    if POSSIBLY_SHOW.contains(message.request()) {
        return Some((RequestStrength::Soft, DailySummaryAction::Show));
    }
    daily(message).map(|action| (Clear, action))
}

static SHOW: Phrases = Phrases::new(&[
    "daily summary", "my summary", "my daily summary", "show my summary", "give me my summary",
    "summary of my day", "summarize my day", "summarise my day", "sum up my day",
    "give me my daily summary", "todays summary", "show me my summary", "show my daily summary",
    "send me my summary",
]);
static STOP: Phrases = Phrases::new(&[
    "stop my daily summary", "stop my summary", "stop the daily summary", "stop the summary",
    "no more summaries", "stop sending me my summary", "cancel my daily summary",
    "cancel my summary", "stop daily summary", "cancel the daily summary", "stop the summaries",
    "stop my summaries", "stop the daily summaries", "no summary anymore",
    "turn off my daily summary", "turn off the daily summary",
]);

fn fixed(request: &str) -> Option<DailySummaryAction> {
    Some(match request {
        _ if SHOW.contains(request) => DailySummaryAction::Show,
        _ if STOP.contains(request) => DailySummaryAction::Stop,
        _ => return None,
    })
}

/// "send me my summary every day at 8am".
fn daily(message: &ParsedMessage) -> Option<DailySummaryAction> {
    let words = &message.words;
    let end = parsers::end(words);
    let at = words.skip(
        message.start,
        phrases![
            "send me", "give me", "i want", "send", "show me", "set up", "set",
        ],
    );
    let at = words.skip_article(at);
    let from = words.after(at, phrases!["daily summary", "summary"])?;
    let daily = words.get(at) == "daily";
    let every = words.after(
        from,
        phrases![
            "every day", "each day", "daily", "every morning", "each morning", "every evening",
        ],
    );
    if every.is_none() && !daily {
        return None;
    }
    let evening = every.is_some_and(|next| words.get(next - 1) == "evening");
    let from = every.unwrap_or(from);
    if from == end {
        let hour = if evening { 18 } else { HOUR };
        return every.map(|_| DailySummaryAction::Daily { hour, minute: 0 });
    }
    let (spec, next) = when::read(words, from)?;
    let next = words.skip(
        next,
        phrases!["every day", "each day", "daily", "every morning"],
    );
    if next != end || spec.day.is_some() || spec.delay.is_some() {
        return None;
    }
    let minute = parsers::daily_minute(spec, message.context.now)?;
    Some(DailySummaryAction::Daily {
        hour: minute / 60,
        minute: minute % 60,
    })
}

impl Superpower for DailySummaryState {
    type Action = DailySummaryAction;

    fn apply(&mut self, action: DailySummaryAction, context: &PowerContext) -> Option<String> {
        Some(match action {
            DailySummaryAction::Show => summary(context),
            DailySummaryAction::Daily { .. } if !context.reachable => {
                "I can't write to you by myself in this chat. Say “daily summary” whenever you want it.".to_owned()
            }
            DailySummaryAction::Daily { .. } if context.group => {
                "Let's keep your summary between us: say it again in a chat of our own.".to_owned()
            }
            DailySummaryAction::Daily { hour, minute } => {
                self.at = Some((hour, minute));
                format!(
                    "Okay, your summary comes every day at {hour:02}:{minute:02}. “stop my daily summary” ends that.{}",
                    context.zone_hint()
                )
            }
            DailySummaryAction::Stop => match self.at.take() {
                Some(_) => "Okay, no more daily summaries by themselves.".to_owned(),
                None => "No daily summary is set. Say “send me my summary every day at 8am” for one.".to_owned(),
            },
        })
    }

    fn overview(&self, context: &PowerContext) -> String {
        match self.at {
            None => summary(context),
            Some((hour, minute)) => format!(
                "{}\nIt comes every day at {hour:02}:{minute:02}.",
                summary(context)
            ),
        }
    }

    fn alarm(&self, context: &PowerContext) -> Option<Timestamp> {
        let (hour, minute) = self.at?;
        let today = context.today();
        [today, today.succ_opt()?, today.succ_opt()?.succ_opt()?]
            .into_iter()
            .filter_map(|date| when::at_hour(date, hour, minute, context.zone()))
            .find(|at| *at > context.now)
    }

    fn on_alarm(&mut self, _at: Timestamp, context: &PowerContext) -> Option<String> {
        self.at.map(|_| summary(context))
    }
}

fn summary(context: &PowerContext) -> String {
    let today = context.today().format("%A, %-d %B");
    if context.facts.day.is_empty() {
        return format!("{today}: nothing on that I know of. Enjoy your day!");
    }
    format!("{today}:\n{}", context.facts.day)
}

/// The arguments of a language model.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    operation: DailySummaryOperation,
    /// For every_day: HH:MM in the person's time zone.
    time: Option<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum DailySummaryOperation {
    Show,
    EveryDay,
    Stop,
}

impl operations::Arguments<DailySummaryAction> for Arguments {
    const DESCRIPTION: &str = "Sums the day up, now or every day.";

    fn action(self, _: CallContext) -> operations::Result<Option<DailySummaryAction>> {
        Ok(Some(match self.operation {
            DailySummaryOperation::Show => DailySummaryAction::Show,
            DailySummaryOperation::Stop => DailySummaryAction::Stop,
            DailySummaryOperation::EveryDay => {
                let at = needed_minute(self.time.as_deref(), "time")?;
                DailySummaryAction::Daily {
                    hour: at / 60,
                    minute: at % 60,
                }
            }
        }))
    }
}
