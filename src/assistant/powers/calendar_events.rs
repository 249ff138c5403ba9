//! A word before each event of a connected calendar, and about changes and cancellations of
//! the next day when they are noticed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::events;
use super::facts::EventFact;
use super::notice::{self, Notice, SentNotices};
use super::operations::{self, CallContext, within};
use super::{Power, PowerContext, RequestStrength, Superpower, parsers};
use crate::assistant::builtin::ParsedMessage;
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when;
use crate::clock::Timestamp;

/// How long before an event its reminder goes out, unless the person says otherwise.
const BEFORE_MINUTES: i64 = 15;
const BEFORE_MINUTES_MAX: i64 = 24 * 60;
/// Changes of events that begin within this time are reported.
const CHANGES_AHEAD_MS: i64 = 24 * 60 * 60_000;
/// A change is reported at most so long after it was noticed.
const CHANGE_KEPT_MS: i64 = 12 * 60 * 60_000;

#[derive(Debug, Clone, PartialEq)]
pub enum EventReminderAction {
    /// So many minutes before each event.
    Before(i64),
    TooLong,
    Show,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct EventReminderState {
    before_minutes: Option<i64>,
    sent: SentNotices,
}

pub(super) fn parse(message: &ParsedMessage) -> Option<(RequestStrength, EventReminderAction)> {
    use RequestStrength::Clear;
    let words = &message.words;
    let (at, end) = (message.start, parsers::end(words));
    if let "calendar reminders" | "meeting reminders" | "event reminders" = message.request() {
        return Some((Clear, EventReminderAction::Show));
    }
    let from = words.after(
        at,
        phrases![
            "remind me", "tell me", "warn me", "notify me", "give me a heads up",
        ],
    )?;
    let (spec, next) = when::read_duration(words, from)?;
    let next = words.after(next, phrases!["before"])?;
    let next = words.skip(next, phrases!["my", "each", "every", "all my", "all"]);
    static ALL: Phrases = Phrases::new(&[
        "meetings", "meeting", "events", "event", "calls", "appointments", "appointment",
    ]);
    if words.after(next, &ALL) != Some(end) {
        return None;
    }
    let now = message.context.now;
    let at = when::resolve(&spec, now, message.zone()).ok();
    let minutes = at.map(|at| (at.0 - now.0) / 60_000);
    Some((
        Clear,
        match minutes {
            Some(minutes) if (1..=BEFORE_MINUTES_MAX).contains(&minutes) => {
                EventReminderAction::Before(minutes)
            }
            _ => EventReminderAction::TooLong,
        },
    ))
}

impl EventReminderState {
    fn before(&self) -> i64 {
        self.before_minutes.unwrap_or(BEFORE_MINUTES)
    }

    fn notices(&self, context: &PowerContext) -> Vec<Notice> {
        let timed = context
            .facts
            .events
            .iter()
            .filter(|event| !event.is_all_day && !event.is_declined);
        let soon = timed
            .clone()
            .filter(|event| event.is_on())
            .map(|event| self.notice_before(event, context));
        soon.chain(timed.filter_map(|event| change(event, context)))
            .collect()
    }

    fn notice_before(&self, event: &EventFact, context: &PowerContext) -> Notice {
        let mut parts = vec![event.title()];
        parts.extend(event.place_texts());
        Notice {
            key: format!("soon {} {}", event.id, event.starts_at.0),
            planned: event.starts_at.plus_s(-60 * self.before()),
            over: event.starts_at,
            text: format!("📅 {}: {}", event.start_text(context), parts.join(", ")),
        }
    }
}

/// The event was moved or cancelled, and is or was to begin within a day.
fn change(event: &EventFact, context: &PowerContext) -> Option<Notice> {
    if event.changed_at <= event.first_seen_at {
        return None;
    }
    let was = event.was_starts_at.unwrap_or(event.starts_at);
    let begins = event.starts_at.min(was);
    if begins <= event.changed_at || begins.0 - event.changed_at.0 > CHANGES_AHEAD_MS {
        return None;
    }
    let text = if event.is_cancelled {
        format!(
            "❌ Cancelled: {}, {}",
            event.title(),
            event.start_text(context)
        )
    } else if was != event.starts_at {
        format!(
            "🔀 Moved: {} is now on {} (it was on {})",
            event.title(),
            event.start_text(context),
            events::moment_text(was, false, context)
        )
    } else {
        let mut parts = vec![format!("{}, {}", event.title(), event.start_text(context))];
        parts.extend(event.place_texts());
        format!("✏️ Changed: {}", parts.join(", "))
    };
    Some(Notice {
        key: format!("change {} {}", event.id, event.changed_at.0),
        planned: event.changed_at,
        over: event.changed_at.plus_ms(CHANGE_KEPT_MS).min(begins),
        text,
    })
}

impl Superpower for EventReminderState {
    type Action = EventReminderAction;

    fn apply(&mut self, action: EventReminderAction, context: &PowerContext) -> Option<String> {
        Some(match action {
            EventReminderAction::Before(_) if !context.facts.has_calendar => self.overview(context),
            EventReminderAction::Before(minutes) => {
                self.before_minutes = Some(minutes);
                self.sent.skip_past(&self.notices(context), context.now);
                let promised = format!(
                    "Okay, I write {} before each event of your calendars.",
                    super::calendar_query_agent::hours_text(minutes)
                );
                super::notice::promise(Power::CalendarEvents, &promised, context)
            }
            EventReminderAction::TooLong => {
                "At most a day before. For example: “remind me an hour before meetings”.".to_owned()
            }
            EventReminderAction::Show => self.overview(context),
        })
    }

    fn overview(&self, context: &PowerContext) -> String {
        match context.facts.has_calendar {
            true => format!(
                "I write {} before each event of your calendars. For another time say “remind me an hour before meetings”.",
                super::calendar_query_agent::hours_text(self.before())
            ),
            false => {
                events::not_connected("write before each event, and when one is moved or cancelled")
            }
        }
    }

    fn alarm(&self, context: &PowerContext) -> Option<Timestamp> {
        self.sent.next(&self.notices(context), context)
    }

    fn on_alarm(&mut self, _at: Timestamp, context: &PowerContext) -> Option<String> {
        notice::joined(&self.sent.take_due(self.notices(context), context))
    }
}

/// The arguments of a language model.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    operation: EventReminderOperation,
    /// For set_minutes_before: at most 1440.
    minutes: Option<i64>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum EventReminderOperation {
    Show,
    SetMinutesBefore,
}

impl operations::Arguments<EventReminderAction> for Arguments {
    const DESCRIPTION: &str =
        "The word before each event of connected calendars: how long before it comes.";

    fn action(self, _: CallContext) -> operations::Result<Option<EventReminderAction>> {
        Ok(Some(match self.operation {
            EventReminderOperation::Show => EventReminderAction::Show,
            EventReminderOperation::SetMinutesBefore => EventReminderAction::Before(within(
                self.minutes,
                1..=BEFORE_MINUTES_MAX,
                "minutes",
            )?),
        }))
    }
}
