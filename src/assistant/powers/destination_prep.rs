//! Before events elsewhere: when to leave, by the minutes that the person usually takes or has
//! told for a place, with the address and a link to a map. No map service is asked.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::events;
use super::facts::{EventFact, TravelTimes};
use super::notice::{self, Notice, SentNotices};
use super::operations::{self, CallContext, optional, within};
use super::{Power, PowerContext, RequestStrength, StoredState, Superpower};
use super::{local_time, parsers, texts};
use crate::assistant::builtin::ParsedMessage;
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when;
use crate::clock::Timestamp;

/// The default travel time.
const USUAL_MINUTES: i64 = 30;
const MINUTES_MAX: i64 = 12 * 60;
/// How long before the time to leave the notice goes out.
const AHEAD_S: i64 = 10 * 60;
/// Places with a stored travel time.
const PLACES_MAX: usize = 50;
const PLACE_CHARS_MAX: usize = 100;

#[derive(Debug, Clone, PartialEq)]
pub enum DestinationAction {
    /// `None`: to any place.
    TakesMinutes {
        place: Option<String>,
        minutes: i64,
    },
    TooLong,
    /// The next event elsewhere.
    Show,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct DestinationState {
    #[serde(flatten)]
    ways: TravelTimes,
    sent: SentNotices,
}

impl TravelTimes {
    pub(super) fn minutes_to(&self, place: &str) -> i64 {
        let place = place.to_lowercase();
        let known = self
            .places
            .iter()
            .find(|(part, _)| place.contains(&part.to_lowercase()));
        known.map_or(
            self.usual_minutes.unwrap_or(USUAL_MINUTES),
            |(_, minutes)| *minutes,
        )
    }
}

/// Travel times that the person entered.
pub fn travel_times(stored: &StoredState) -> TravelTimes {
    serde_json::from_str(&stored.state).unwrap_or_default()
}

pub(super) fn parse(message: &ParsedMessage) -> Option<(RequestStrength, DestinationAction)> {
    use RequestStrength::Clear;
    let words = &message.words;
    let (at, end) = (message.start, parsers::end(words));
    static SHOW: Phrases = Phrases::new(&[
        "when do i have to leave", "when do i need to leave", "when should i leave",
        "when must i leave", "where do i have to go", "when do i leave",
    ]);
    if SHOW.contains(message.request()) {
        return Some((Clear, DestinationAction::Show));
    }
    let from = words.after(
        at,
        phrases![
            "it takes me", "i need", "my way takes", "my usual way takes", "i usually need",
            "the way takes me",
        ],
    )?;
    let (spec, next) = when::read_duration(words, from)?;
    let now = message.context.now;
    let minutes = when::resolve(&spec, now, message.zone())
        .ok()
        .map(|at| (at.0 - now.0) / 60_000);
    let to = words.after(
        next,
        phrases![
            "to get to the", "to get to", "to the", "to", "for the way to",
        ],
    );
    let place = match to {
        Some(from) => Some(parsers::original(words, from, end)).filter(|place| !place.is_empty()),
        None if next == end && words.get(at) == "my" => None,
        None => words
            .after(next, phrases!["to get there", "for the way"])
            .filter(|n| *n == end)
            .map(|_| String::new()),
    };
    if to.is_none() && place.is_none() && words.get(at) != "my" {
        return None;
    }
    Some((
        Clear,
        match minutes {
            Some(minutes) if (1..=MINUTES_MAX).contains(&minutes) => {
                DestinationAction::TakesMinutes {
                    place: place.filter(|place| !place.is_empty()),
                    minutes,
                }
            }
            _ => DestinationAction::TooLong,
        },
    ))
}

/// The event takes place somewhere that one has to go to.
fn is_elsewhere(event: &EventFact) -> bool {
    let place = event.place.trim();
    let is_online = events::is_online(place);
    event.is_on() && !event.is_all_day && !place.is_empty() && !is_online && !event.is_call
}

impl DestinationState {
    fn leaves_at(&self, event: &EventFact) -> Timestamp {
        event
            .starts_at
            .plus_s(-60 * self.ways.minutes_to(&event.place))
    }

    fn notices(&self, context: &PowerContext) -> Vec<Notice> {
        let elsewhere = context
            .facts
            .events
            .iter()
            .filter(|event| is_elsewhere(event))
            .filter(|event| {
                !context.facts.is_travel_told || !super::travel_brain::is_travel(event)
            });
        elsewhere
            .map(|event| {
                let leave = self.leaves_at(event);
                Notice {
                    key: format!("leave {} {}", event.id, event.starts_at.0),
                    planned: leave.plus_s(-AHEAD_S),
                    over: notice::leave_until(leave, event.starts_at, context),
                    text: self.described(event, context),
                }
            })
            .collect()
    }

    fn described(&self, event: &EventFact, context: &PowerContext) -> String {
        let place = events::one_line(&event.place);
        let leave = self.leaves_at(event);
        let when = match leave > context.now {
            true => format!(
                "leave at {}",
                texts::clock_text(local_time::minute_of_day(leave, context.zone()))
            ),
            false => "leave now".to_owned(),
        };
        format!(
            "🚪 {}, {}: {when} ({} min on the way).\n{place}\n{}",
            event.title(),
            event.start_text(context),
            self.ways.minutes_to(&event.place),
            texts::map_link(&place)
        )
    }
}

impl Superpower for DestinationState {
    type Action = DestinationAction;

    fn apply(&mut self, action: DestinationAction, context: &PowerContext) -> Option<String> {
        Some(match action {
            DestinationAction::Show => self.overview(context),
            DestinationAction::TakesMinutes { .. } if !context.facts.has_calendar => {
                self.overview(context)
            }
            DestinationAction::TakesMinutes {
                place: None,
                minutes,
            } => {
                self.ways.usual_minutes = Some(minutes);
                let promised = format!("Okay, I reckon with {minutes} minutes for the way.");
                super::notice::promise(Power::DestinationPrep, &promised, context)
            }
            DestinationAction::TakesMinutes {
                place: Some(place),
                minutes,
            } => {
                if let Some(reply) = texts::too_long(&[&place], PLACE_CHARS_MAX) {
                    return Some(reply);
                }
                self.ways
                    .places
                    .retain(|(known, _)| !texts::same(known, &place));
                if self.ways.places.len() >= PLACES_MAX {
                    self.ways.places.remove(0);
                }
                let promised =
                    format!("Okay, I reckon with {minutes} minutes for the way to {place}.");
                self.ways.places.push((place, minutes));
                super::notice::promise(Power::DestinationPrep, &promised, context)
            }
            DestinationAction::TooLong => format!(
                "The way may take at most {} hours. For example: “it takes me 40 minutes to get to the office”.",
                MINUTES_MAX / 60
            ),
        })
    }

    fn overview(&self, context: &PowerContext) -> String {
        if !context.facts.has_calendar {
            return events::not_connected(
                "tell you when to leave for events elsewhere, with the address",
            );
        }
        let mut elsewhere = context
            .facts
            .events
            .iter()
            .filter(|event| is_elsewhere(event));
        match elsewhere.find(|event| event.starts_at > context.now) {
            Some(event) => self.described(event, context),
            None => "I see no event elsewhere in the days ahead.".to_owned(),
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
    operation: DestinationOperation,
    /// For set_way: how long it takes, at most 720.
    minutes: Option<i64>,
    /// For set_way: a part of the address; without it, to any place.
    place: Option<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum DestinationOperation {
    Next,
    SetWay,
}

impl operations::Arguments<DestinationAction> for Arguments {
    const DESCRIPTION: &str =
        "When to leave for the next event elsewhere, and how long the way takes.";

    fn action(self, _: CallContext) -> operations::Result<Option<DestinationAction>> {
        Ok(Some(match self.operation {
            DestinationOperation::Next => DestinationAction::Show,
            DestinationOperation::SetWay => DestinationAction::TakesMinutes {
                minutes: within(self.minutes, 1..=MINUTES_MAX, "minutes")?,
                place: optional(self.place.as_deref()),
            },
        }))
    }
}
