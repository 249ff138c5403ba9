//! The evening message about tomorrow: the first event and what it needs. Without a calendar it is
//! sent after the person asked for it; then every evening before a day with plans.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::notice::{self, Notice, SentNotices, promise};
use super::operations::{self, CallContext, minute};
use super::{Plan, Power, PowerContext, RequestStrength, Superpower};
use super::{local_time, parsers, texts};
use crate::assistant::builtin::ParsedMessage;
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when::{self, Day, TimeExpression, TimeOfDay};
use crate::clock::{Timestamp, Zone};

const POWER: Power = Power::EveningPrep;
/// The default time, in minutes after midnight.
const AT: u32 = 20 * 60;
/// An alarm is suggested so long before the first event.
const ALARM_BEFORE_MINUTES: u32 = 90;
/// The minute of the day after which a first event needs no alarm.
const ALARM_UNTIL_MINUTE: u32 = 11 * 60;
/// Things of tomorrow that are named.
const PLANS_MAX: usize = 8;
/// The message is dropped if it is later than this.
const LATE_S: i64 = 3 * 3_600;

#[derive(Debug, Clone, PartialEq)]
pub enum EveningAction {
    Show,
    /// Every evening; `None`: at the usual time.
    Daily(Option<u32>),
    Stop,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct EveningState {
    /// The minute of each day; `None`: not asked for.
    at: Option<u32>,
    #[serde(default)]
    stopped: bool,
    #[serde(default)]
    sent: SentNotices,
}

static SHOW: Phrases = Phrases::new(&[
    "evening prep", "my evening prep", "evening preparation", "prepare me for tomorrow",
    "prep me for tomorrow", "what do i need for tomorrow", "what do i need tomorrow",
    "get me ready for tomorrow", "help me prepare for tomorrow", "prep for tomorrow",
    "how does tomorrow look", "what does tomorrow look like",
]);
static STOP: Phrases = Phrases::new(&[
    "stop evening prep", "stop my evening prep", "stop the evening prep", "no more evening prep",
    "cancel evening prep", "turn off evening prep",
]);

pub(super) fn parse(message: &ParsedMessage) -> Option<(RequestStrength, EveningAction)> {
    use RequestStrength::Clear;
    match message.request() {
        request if SHOW.contains(request) => {
            return Some((Clear, EveningAction::Show));
        }
        request if STOP.contains(request) => {
            return Some((Clear, EveningAction::Stop));
        }
        _ => {}
    }
    daily(message)
}

/// "evening prep every day at 9".
fn daily(message: &ParsedMessage) -> Option<(RequestStrength, EveningAction)> {
    use RequestStrength::Clear;
    let words = &message.words;
    let from = words.after(
        message.start,
        phrases![
            "evening prep", "my evening prep", "prepare me for tomorrow", "prepare me", "prep me",
            "send me my evening prep", "send me the evening prep", "start evening prep",
        ],
    )?;
    let end = parsers::end(words);
    static EVERY: Phrases = Phrases::new(&[
        "every evening", "each evening", "every day", "each day", "daily", "every night",
    ]);
    let after = words.after(from, &EVERY);
    let next = after.unwrap_or(from);
    if next == end {
        let starts = words.get(message.start) == "start";
        return (after.is_some() || starts).then_some((Clear, EveningAction::Daily(None)));
    }
    let (spec, to) = when::read(words, next)?;
    let to = words.skip(to, &EVERY);
    let clock = spec.clock.filter(|_| to == end && spec.day.is_none())?;
    // In the evening, "at 9" is 21:00.
    let hour = match clock.hour {
        hour @ 1..=11 if !clock.exact => hour + 12,
        hour => hour,
    };
    let tomorrow = TimeExpression {
        day: Some(Day::InDays(1)),
        clock: Some(TimeOfDay {
            hour,
            exact: true,
            ..clock
        }),
        ..TimeExpression::default()
    };
    let at = when::resolve(&tomorrow, message.context.now, Zone::UTC).ok()?;
    let minute = local_time::minute_of_day(at, Zone::UTC);
    Some((Clear, EveningAction::Daily(Some(minute))))
}

impl EveningState {
    /// The minute of the day at which it is sent; `None`: only on request.
    fn minute(&self, context: &PowerContext) -> Option<u32> {
        if self.stopped {
            return None;
        }
        self.at.or_else(|| context.facts.has_calendar.then_some(AT))
    }

    /// The messages of this evening and the next.
    fn notices(&self, context: &PowerContext) -> Vec<Notice> {
        match self.minute(context) {
            Some(minute) => notice::daily("evening", minute, LATE_S, context),
            None => Vec::new(),
        }
    }
}

/// The text about tomorrow; `None` without plans.
fn tomorrow(context: &PowerContext) -> Option<String> {
    let date = context.today().succ_opt()?;
    let mut plans: Vec<&Plan> = context
        .facts
        .plans
        .iter()
        .filter(|plan| plan.day == date)
        .collect();
    plans.sort_by_key(|plan| (plan.minute.is_none(), plan.minute));
    plans.first()?;
    let mut text = format!("Tomorrow, {}:", texts::display(date, context.today()));
    for plan in plans.iter().take(PLANS_MAX) {
        text.push_str("\n• ");
        if let Some(minute) = plan.minute {
            text.push_str(&texts::clock_text(minute));
            if plan.ahead_s != 0 {
                text.push_str(" (local time)");
            }
            text.push(' ');
        }
        text.push_str(&plan.what);
        if let Some(leave) = plan.leave {
            text.push_str(&format!(", leave at {}", texts::clock_text(leave)));
        }
        for more in [&plan.place, &plan.details] {
            if !more.is_empty() {
                text.push_str(&format!(", {more}"));
            }
        }
    }
    if plans.len() > PLANS_MAX {
        text.push_str(&format!("\n• and {} more", plans.len() - PLANS_MAX));
    }
    let first = plans
        .iter()
        .filter_map(|plan| Some((plan.leave.or(plan.minute)?, plan.ahead_s)));
    // An alarm is set on the person's own clock.
    let first = first.min().filter(|(_, ahead_s)| *ahead_s == 0);
    if let Some(minute) = first
        .map(|(minute, _)| minute)
        .filter(|minute| (1..ALARM_UNTIL_MINUTE).contains(minute))
    {
        let alarm = texts::clock_text(minute.saturating_sub(ALARM_BEFORE_MINUTES));
        text.push_str(&format!(
            "\nIt begins at {}. For an alarm, say “remind me tomorrow at {alarm} to get up”.",
            texts::clock_text(minute)
        ));
    }
    Some(text)
}

impl Superpower for EveningState {
    type Action = EveningAction;

    fn apply(&mut self, action: EveningAction, context: &PowerContext) -> Option<String> {
        Some(match action {
            EveningAction::Show => self.overview(context),
            EveningAction::Daily(at) => {
                let at = at.unwrap_or(AT);
                (self.at, self.stopped) = (Some(at), false);
                let promised = format!(
                    "Okay, each evening at {} I tell you what the next day brings, when there is something. “stop evening prep” ends that.",
                    texts::clock_text(at)
                );
                promise(POWER, &promised, context)
            }
            EveningAction::Stop => {
                let was_on = self.minute(context).is_some();
                (self.at, self.stopped) = (None, true);
                match was_on {
                    true => "Okay, no more evening prep by itself.".to_owned(),
                    false => {
                        "No evening prep is set. Say “evening prep every day” for one.".to_owned()
                    }
                }
            }
        })
    }

    fn overview(&self, context: &PowerContext) -> String {
        let mut text =
            tomorrow(context).unwrap_or_else(|| "Tomorrow: nothing on that I know of.".to_owned());
        match self.minute(context) {
            Some(minute) if context.reachable && !context.muted => text.push_str(&format!(
                "\nIt comes each evening at {} before such a day.",
                texts::clock_text(minute)
            )),
            Some(_) => {}
            None => text.push_str("\nFor this each evening, say “evening prep every day”."),
        }
        text.push_str(context.zone_hint());
        text
    }

    fn alarm(&self, context: &PowerContext) -> Option<Timestamp> {
        self.sent.next(&self.notices(context), context)
    }

    fn on_alarm(&mut self, _at: Timestamp, context: &PowerContext) -> Option<String> {
        let due = self.sent.take_due(self.notices(context), context);
        due.first().and_then(|_| tomorrow(context))
    }
}

/// The arguments of a language model.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    operation: EveningOperation,
    /// For every_evening: HH:MM in the person's time zone.
    time: Option<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum EveningOperation {
    Show,
    EveryEvening,
    Stop,
}

impl operations::Arguments<EveningAction> for Arguments {
    const DESCRIPTION: &str = "What tomorrow brings and needs, now or every evening.";

    fn action(self, _: CallContext) -> operations::Result<Option<EveningAction>> {
        Ok(Some(match self.operation {
            EveningOperation::Show => EveningAction::Show,
            EveningOperation::EveryEvening => {
                EveningAction::Daily(minute(self.time.as_deref(), "time")?)
            }
            EveningOperation::Stop => EveningAction::Stop,
        }))
    }
}
