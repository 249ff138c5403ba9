//! Which calendars are connected, and which of them are looked at. Switching one on or off is
//! carried out by whoever keeps them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::operations::{self, CallContext, needed};
use super::{PowerContext, PowerEffect, RequestStrength, Superpower, events, parsers};
use crate::assistant::builtin::ParsedMessage;
use crate::assistant::text::phrases::{Phrases, phrases};

#[derive(Debug, Clone, PartialEq)]
pub enum CalendarListAction {
    List,
    Switch { name: String, on: bool },
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct CalendarListState {
    /// The calendar that was switched last, and whether it is on.
    #[serde(skip)]
    switched: Option<(i64, bool)>,
}

pub(super) fn parse(message: &ParsedMessage) -> Option<(RequestStrength, CalendarListAction)> {
    use RequestStrength::Clear;
    let words = &message.words;
    static LIST: Phrases = Phrases::new(&[
        "which calendars", "my calendars", "list my calendars", "show my calendars",
        "which calendars do you see", "which calendars do i have", "what calendars do you see",
        "calendars", "which calendars are connected", "what calendars do i have",
    ]);
    if LIST.contains(message.request()) {
        return Some((Clear, CalendarListAction::List));
    }
    let (at, end) = (message.start, parsers::end(words));
    let on = words.after(
        at,
        phrases!["turn on", "switch on", "use", "show", "include", "enable"],
    );
    let off = words.after(
        at,
        phrases![
            "turn off", "switch off", "hide", "ignore", "disable", "leave out",
        ],
    );
    let from = on.or(off)?;
    let from = words.skip_article(from);
    let name = if words.get(from) == "calendar" {
        parsers::original(words, from + 1, end)
    } else if words.get(end - 1) == "calendar" {
        parsers::original(words, from, end - 1)
    } else {
        return None;
    };
    (!name.is_empty()).then_some((
        Clear,
        CalendarListAction::Switch {
            name,
            on: on.is_some(),
        },
    ))
}

impl Superpower for CalendarListState {
    type Action = CalendarListAction;

    fn apply(&mut self, action: CalendarListAction, context: &PowerContext) -> Option<String> {
        Some(match action {
            CalendarListAction::List => self.overview(context),
            CalendarListAction::Switch { .. } if !context.facts.has_calendar => {
                self.overview(context)
            }
            CalendarListAction::Switch { name, on } => {
                let calendars = &context.facts.calendars;
                let names = calendars.iter().map(|calendar| calendar.name.as_str());
                let Some(at) = parsers::which(&name, names) else {
                    return Some(format!(
                        "I see no calendar of that name. {}",
                        self.overview(context)
                    ));
                };
                self.switched = Some((calendars[at].id, on));
                let name = events::one_line(&calendars[at].name);
                match on {
                    true => format!("Okay, I look at the calendar {name} again."),
                    false => format!(
                        "Okay, I no longer look at the calendar {name}. “turn on calendar {name}” brings it back."
                    ),
                }
            }
        })
    }

    fn overview(&self, context: &PowerContext) -> String {
        if !context.facts.has_calendar {
            return events::not_connected(
                "show which calendars I look at, and switch them on and off",
            );
        }
        let mut text = "Your calendars:".to_owned();
        for (n, calendar) in context.facts.calendars.iter().enumerate() {
            let state = if calendar.is_enabled { "on" } else { "off" };
            text.push_str(&format!(
                "\n{}. {}: {state}",
                n + 1,
                events::one_line(&calendar.name)
            ));
        }
        text
    }

    fn effect(&self) -> Option<PowerEffect> {
        let (calendar, on) = self.switched?;
        Some(PowerEffect::SwitchCalendar { calendar, on })
    }
}

/// The arguments of a language model.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    operation: CalendarListOperation,
    /// For switch_on and switch_off: the calendar, as list names it.
    name: Option<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum CalendarListOperation {
    List,
    SwitchOn,
    SwitchOff,
}

impl operations::Arguments<CalendarListAction> for Arguments {
    const DESCRIPTION: &str = "Which calendars are connected, and which of them are looked at.";

    fn action(self, _: CallContext) -> operations::Result<Option<CalendarListAction>> {
        Ok(Some(match self.operation {
            CalendarListOperation::List => CalendarListAction::List,
            CalendarListOperation::SwitchOn | CalendarListOperation::SwitchOff => {
                CalendarListAction::Switch {
                    name: needed(self.name.as_deref(), "name")?,
                    on: matches!(self.operation, CalendarListOperation::SwitchOn),
                }
            }
        }))
    }
}
