//! The morning's look at the day: events of connected calendars with overlaps and gaps, and
//! what else there is. It keeps quiet on an empty day, unless it is asked.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::events;
use super::facts::EventFact;
use super::notice::{self, Notice, SentNotices};
use super::operations::{self, CallContext, needed_minute};
use super::{Power, PowerContext, RequestStrength, Superpower};
use super::{local_time, parsers, texts};
use crate::assistant::builtin::ParsedMessage;
use crate::assistant::text::phrases::phrases;
use crate::assistant::text::when;
use crate::clock::Timestamp;

/// The default time, in minutes after midnight.
const AT: u32 = 8 * 60;
/// The message is dropped if it is later than this.
const LATE_S: i64 = 4 * 3_600;
/// Free time between events that is worth a word.
const GAP_MIN_MINUTES: i64 = 45;
const NOON: u32 = 12 * 60;
const EVENING: u32 = 17 * 60;

#[derive(Debug, Clone, PartialEq)]
pub enum MorningAction {
    Show,
    /// In minutes after midnight.
    At(u32),
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct MorningState {
    at: Option<u32>,
    sent: SentNotices,
}

pub(super) fn parse(message: &ParsedMessage) -> Option<(RequestStrength, MorningAction)> {
    use RequestStrength::Clear;
    let words = &message.words;
    let names = [
        "morning briefing", "my morning briefing", "calendar morning", "morning calendar",
        "brief me", "briefing", "my briefing", "give me my briefing",
        "give me my morning briefing", "send me my morning briefing", "send me my briefing",
    ];
    let end = parsers::end(words);
    let ends = names
        .iter()
        .filter_map(|name| words.after(message.start, &[*name]));
    let from = ends.max()?;
    if from == end {
        return Some((Clear, MorningAction::Show));
    }
    let from = words.skip(from, phrases!["every day", "every morning", "daily"]);
    let (spec, next) = when::read(words, from)?;
    let next = words.skip(next, phrases!["every day", "every morning", "daily"]);
    if next != end || spec.day.is_some() {
        return None;
    }
    let minute = parsers::daily_minute(spec, message.context.now)?;
    Some((Clear, MorningAction::At(minute)))
}

impl MorningState {
    fn minute(&self) -> u32 {
        self.at.unwrap_or(AT)
    }

    /// The messages of this morning and the next.
    fn notices(&self, context: &PowerContext) -> Vec<Notice> {
        match context.facts.has_calendar {
            true => notice::daily("morning", self.minute(), LATE_S, context),
            false => Vec::new(),
        }
    }
}

/// The day; `None`: there is nothing on.
fn briefing(context: &PowerContext) -> Option<String> {
    let today = events::of_day(context.today(), context);
    if today.is_empty() && context.facts.day.is_empty() {
        return None;
    }
    let date = context.today().format("%A, %-d %B");
    let mut text = match context.facts.is_second_briefing {
        false => format!(
            "Good morning! {date}:{}",
            events::listed(&today, false, context)
        ),
        true => format!("Good morning! {date}.{}", by_part_of_day(&today, context)),
    };
    for line in overlaps(&today)
        .into_iter()
        .chain(longest_gap(&today, context))
    {
        text.push('\n');
        text.push_str(&line);
    }
    if !context.facts.day.is_empty() {
        text.push('\n');
        text.push_str(&context.facts.day);
    }
    Some(text)
}

/// The second layout: a count, then a line for each part of the day.
fn by_part_of_day(today: &[&EventFact], context: &PowerContext) -> String {
    if today.is_empty() {
        return String::new();
    }
    let mut text = format!(" {}.", texts::counted(today.len(), "event"));
    for name in ["All day", "Morning", "Afternoon", "Evening"] {
        let of_part: Vec<String> = today
            .iter()
            .filter(|event| part_of_day(event, context) == name)
            .map(|event| match event.is_all_day {
                true => event.title(),
                false => event.display(context),
            })
            .collect();
        if !of_part.is_empty() {
            text.push_str(&format!("\n{name}: {}", of_part.join("; ")));
        }
    }
    text
}

fn part_of_day(event: &EventFact, context: &PowerContext<'_>) -> &'static str {
    match local_time::minute_of_day(event.starts_at, context.zone()) {
        _ if event.is_all_day => "All day",
        ..NOON => "Morning",
        NOON..EVENING => "Afternoon",
        _ => "Evening",
    }
}

fn overlaps(today: &[&EventFact]) -> Vec<String> {
    let filled: Vec<&&EventFact> = today.iter().filter(|event| event.fills_time()).collect();
    let pairs = filled
        .windows(2)
        .filter(|pair| pair[1].starts_at < pair[0].ends_at);
    pairs
        .map(|pair| format!("⚠️ {} and {} overlap.", pair[0].title(), pair[1].title()))
        .collect()
}

fn longest_gap(today: &[&EventFact], context: &PowerContext) -> Option<String> {
    // Of who has no calendar nobody knows what else fills the day.
    if context.facts.is_calendar_of_mail {
        return None;
    }
    let filled: Vec<&&EventFact> = today.iter().filter(|event| event.fills_time()).collect();
    let mut ends = filled.first()?.ends_at;
    let mut longest: Option<(Timestamp, Timestamp)> = None;
    for event in &filled[1..] {
        let gap = event.starts_at.0 - ends.0;
        let is_longer = longest.is_none_or(|(from, to)| gap > to.0 - from.0);
        if gap >= GAP_MIN_MINUTES * 60_000 && is_longer {
            longest = Some((ends, event.starts_at));
        }
        ends = ends.max(event.ends_at);
    }
    let (from, to) = longest?;
    let clock = |at| texts::clock_text(local_time::minute_of_day(at, context.zone()));
    Some(format!("Free between: {} to {}", clock(from), clock(to)))
}

impl Superpower for MorningState {
    type Action = MorningAction;

    fn apply(&mut self, action: MorningAction, context: &PowerContext) -> Option<String> {
        Some(match action {
            MorningAction::Show => self.overview(context),
            MorningAction::At(_) if !context.facts.has_calendar => self.overview(context),
            MorningAction::At(minute) => {
                self.at = Some(minute);
                let promised = format!(
                    "Okay, your morning briefing comes at {} on days with something on. “stop morning briefing” ends that.",
                    texts::clock_text(minute)
                );
                notice::promise(Power::CalendarMorning, &promised, context)
            }
        })
    }

    fn overview(&self, context: &PowerContext) -> String {
        if !context.facts.has_calendar {
            return events::not_connected("tell you each morning what is on that day");
        }
        briefing(context).unwrap_or_else(|| "Nothing is on today that I know of.".to_owned())
    }

    fn alarm(&self, context: &PowerContext) -> Option<Timestamp> {
        self.sent.next(&self.notices(context), context)
    }

    fn on_alarm(&mut self, _at: Timestamp, context: &PowerContext) -> Option<String> {
        let due = self.sent.take_due(self.notices(context), context);
        let is_filled =
            context.facts.is_day_filled || !events::of_day(context.today(), context).is_empty();
        due.first()
            .filter(|_| is_filled)
            .and_then(|_| briefing(context))
    }
}

/// The arguments of a language model.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    operation: MorningOperation,
    /// For every_morning: HH:MM in the person's time zone.
    time: Option<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum MorningOperation {
    Show,
    EveryMorning,
}

impl operations::Arguments<MorningAction> for Arguments {
    const DESCRIPTION: &str =
        "The briefing of the day from connected calendars, now or at another time each morning.";

    fn action(self, _: CallContext) -> operations::Result<Option<MorningAction>> {
        Ok(Some(match self.operation {
            MorningOperation::Show => MorningAction::Show,
            MorningOperation::EveryMorning => {
                MorningAction::At(needed_minute(self.time.as_deref(), "time")?)
            }
        }))
    }
}
