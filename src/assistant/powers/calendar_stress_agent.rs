//! How full a week is: hours booked, meetings without a break, lunches and evenings that are
//! taken, against the four weeks before. It gives one suggestion and changes nothing.

use chrono::{Datelike, Duration, NaiveDate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::events;
use super::facts::EventFact;
use super::operations::{self, CallContext};
use super::texts;
use super::{PowerContext, RequestStrength, Superpower, local_time};
use crate::assistant::builtin::ParsedMessage;
use crate::assistant::text::phrases::Phrases;
use crate::model::calendar::WINDOW_PAST_DAYS;

/// Weeks before that are compared with.
const WEEKS_BEFORE: i64 = 4;
/// Meetings nearer than this have no break between them.
const BREAK_MS: i64 = 5 * 60_000;
/// Lunch is between these, in minutes after midnight, and takes half an hour.
const LUNCH: (u32, u32) = (11 * 60 + 30, 14 * 60);
const LUNCH_MS: i64 = 30 * 60_000;
/// The minute of the day after which an evening is late.
const LATE: u32 = 19 * 60;
/// Hours of one day that are much.
const DAY_HOURS_MUCH: i64 = 6;

#[derive(Debug, Clone, PartialEq)]
pub enum StressAction {
    ThisWeek,
    NextWeek,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct StressState {}

static THIS_WEEK: Phrases = Phrases::new(&[
    "how is my week", "hows my week", "how is my week looking", "how does my week look",
    "how busy is my week", "how busy am i this week", "how stressful is my week",
    "how full is my week", "is my week too full", "am i overbooked", "calendar stress",
    "check my week", "how is this week",
]);
static NEXT_WEEK: Phrases = Phrases::new(&[
    "how is my next week", "how is next week", "how does next week look", "how busy is next week",
    "how stressful is next week", "how busy am i next week",
]);

pub(super) fn parse(message: &ParsedMessage) -> Option<(RequestStrength, StressAction)> {
    let action = match message.request() {
        request if THIS_WEEK.contains(request) => StressAction::ThisWeek,
        request if NEXT_WEEK.contains(request) => StressAction::NextWeek,
        _ => return None,
    };
    Some((RequestStrength::Clear, action))
}

#[derive(Debug, Default, PartialEq)]
struct WeekLoad {
    minutes: i64,
    meetings: usize,
    without_break: usize,
    days_without_lunch: usize,
    late_evenings: usize,
    fullest: Option<(NaiveDate, i64)>,
}

fn week_load(monday: NaiveDate, context: &PowerContext) -> WeekLoad {
    let mut load = WeekLoad::default();
    for n in 0..7 {
        let day = monday + Duration::days(n);
        let mut filled: Vec<&EventFact> = events::of_day(day, context);
        filled.retain(|event| event.fills_time() && event.date(context) == day);
        if filled.is_empty() {
            continue;
        }
        let minutes: i64 = merged_minutes(&filled);
        load.minutes += minutes;
        load.meetings += filled.len();
        load.without_break += filled
            .windows(2)
            .filter(|pair| pair[1].starts_at.0 - pair[0].ends_at.0 < BREAK_MS)
            .count();
        load.days_without_lunch += usize::from(!has_lunch(day, &filled, context).unwrap_or(true));
        let late = local_time::moment(day, LATE, context.zone());
        let is_late = late.is_some_and(|late| filled.iter().any(|event| event.ends_at > late));
        load.late_evenings += usize::from(is_late);
        if load.fullest.is_none_or(|(_, most)| minutes > most) {
            load.fullest = Some((day, minutes));
        }
    }
    load
}

/// The minutes that are filled by events; overlapping events count once.
fn merged_minutes(filled: &[&EventFact]) -> i64 {
    let (mut total_ms, mut until) = (0, i64::MIN);
    for event in filled {
        total_ms += (event.ends_at.0 - event.starts_at.0.max(until)).max(0);
        until = until.max(event.ends_at.0);
    }
    total_ms / 60_000
}

fn has_lunch(day: NaiveDate, filled: &[&EventFact], context: &PowerContext) -> Option<bool> {
    let from = local_time::moment(day, LUNCH.0, context.zone())?.0;
    let to = local_time::moment(day, LUNCH.1, context.zone())?.0;
    let mut free_from = from;
    for event in filled
        .iter()
        .filter(|event| event.ends_at.0 > from && event.starts_at.0 < to)
    {
        if event.starts_at.0 - free_from >= LUNCH_MS {
            return Some(true);
        }
        free_from = free_from.max(event.ends_at.0);
    }
    Some(to - free_from >= LUNCH_MS)
}

fn report(monday: NaiveDate, name: &str, context: &PowerContext) -> String {
    let week = week_load(monday, context);
    if week.meetings == 0 {
        return format!("{name} week has nothing in your calendars that takes your time.");
    }
    // Older events are not kept.
    let oldest = context.today() - Duration::days(WINDOW_PAST_DAYS);
    let before: Vec<i64> = (1..=WEEKS_BEFORE)
        .map(|n| monday - Duration::days(7 * n))
        .filter(|monday| *monday >= oldest)
        .map(|monday| week_load(monday, context).minutes)
        .collect();
    let weeks = before.len().max(1);
    let usual = before.iter().sum::<i64>() / weeks as i64;
    let weeks = match weeks {
        4 => "four weeks",
        3 => "three weeks",
        _ => "weeks",
    };
    let hours = super::calendar_query_agent::hours_text;
    let mut text = format!(
        "{name} week: {} in {}.",
        hours(week.minutes),
        texts::counted(week.meetings, "meeting")
    );
    text.push_str(&match (usual, week.minutes - usual) {
        (0, _) => String::new(),
        (_, 0) => format!(" As in the {weeks} before."),
        (_, more) if more > 0 => format!(
            " That's {} more than in the {weeks} before, on average.",
            hours(more)
        ),
        (_, less) => format!(
            " That's {} less than in the {weeks} before, on average.",
            hours(-less)
        ),
    });
    for (count, what) in [
        (week.without_break, "without a break before it"),
        (week.days_without_lunch, "day without time for lunch"),
        (week.late_evenings, "evening later than 19:00"),
    ] {
        match (count, what) {
            (0, _) => {}
            (n, "without a break before it") => {
                text.push_str(&format!("\n• {} {what}", texts::counted(n, "meeting")));
            }
            (1, what) => text.push_str(&format!("\n• 1 {what}")),
            (n, what) => {
                let (noun, rest) = what.split_once(' ').unwrap_or((what, ""));
                text.push_str(&format!("\n• {n} {noun}s {rest}"));
            }
        }
    }
    if let Some((day, minutes)) = week.fullest {
        text.push_str(&format!(
            "\n• Fullest: {}, {}",
            texts::display(day, context.today()),
            hours(minutes)
        ));
    }
    text.push_str(&format!("\n{}", suggestion(&week)));
    text
}

fn suggestion(week: &WeekLoad) -> &'static str {
    let is_full = week
        .fullest
        .is_some_and(|(_, minutes)| minutes >= DAY_HOURS_MUCH * 60);
    if week.days_without_lunch > 0 {
        "A suggestion: block half an hour for lunch on those days."
    } else if week.without_break > 1 {
        "A suggestion: let one of those meetings begin ten minutes later."
    } else if is_full {
        "A suggestion: move one meeting off the fullest day."
    } else if week.late_evenings > 1 {
        "A suggestion: keep one of those evenings free."
    } else {
        "It looks like there's room to breathe."
    }
}

impl Superpower for StressState {
    type Action = StressAction;

    fn apply(&mut self, action: StressAction, context: &PowerContext) -> Option<String> {
        if !context.facts.has_calendar {
            return Some(events::not_connected("tell you how full your week is"));
        }
        let today = context.today();
        let monday = today - Duration::days(i64::from(today.weekday().num_days_from_monday()));
        Some(match action {
            StressAction::ThisWeek => report(monday, "This", context),
            StressAction::NextWeek => report(monday + Duration::days(7), "Next", context),
        })
    }

    fn overview(&self, context: &PowerContext) -> String {
        self.clone()
            .apply(StressAction::ThisWeek, context)
            .unwrap_or_default()
    }
}

/// The arguments of a language model.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    week: Week,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Week {
    This,
    Next,
}

impl operations::Arguments<StressAction> for Arguments {
    const DESCRIPTION: &str =
        "How full a week is in connected calendars: hours, breaks, lunches, evenings.";

    fn action(self, _: CallContext) -> operations::Result<Option<StressAction>> {
        Ok(Some(match self.week {
            Week::This => StressAction::ThisWeek,
            Week::Next => StressAction::NextWeek,
        }))
    }
}
