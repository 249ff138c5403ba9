//! What a language model may ask connected calendars.

use schemars::JsonSchema;
use serde::Deserialize;

use super::super::operations::{Moment, Operation, Result, clean, minute, planned_day, reads};
use super::{CalendarQuery, DAY_MINUTES};
use crate::reply::powers;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::reply::powers) struct Arguments {
    operation: Verb,
    /// For next: with whom or about what.
    about: Option<String>,
    /// For is_free and meetings: the day, or the first one, YYYY-MM-DD.
    date: Option<String>,
    /// For meetings: the last day.
    to_date: Option<String>,
    /// For is_free: HH:MM.
    from: Option<String>,
    /// For is_free: HH:MM, 24:00 for the end of the day.
    to: Option<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Verb {
    Next,
    IsFree,
    Meetings,
}

impl super::super::operations::Arguments for Arguments {
    const DESCRIPTION: &str = "Looks into connected calendars: the next event, whether a time is free, the meetings of days.";

    fn operation(self, moment: Moment) -> Result<Operation> {
        let day = planned_day(self.date.as_deref(), "date", moment)?;
        let needed_day = day.ok_or("\"date\" is needed for that operation.");
        let query = match self.operation {
            Verb::Next => {
                let about = self.about.as_deref().map(clean);
                CalendarQuery::Next(about.filter(|about| !about.is_empty()))
            }
            Verb::IsFree => {
                let from = minute(self.from.as_deref(), "from")?.unwrap_or(0);
                let to = match self.to.as_deref().map(str::trim) {
                    Some("24:00") | None => DAY_MINUTES,
                    to => minute(to, "to")?.unwrap_or(DAY_MINUTES),
                };
                if from >= to {
                    return Err("\"from\" must be before \"to\".".to_owned());
                }
                CalendarQuery::IsFree {
                    day: needed_day?,
                    from,
                    to,
                }
            }
            Verb::Meetings => {
                let from = needed_day?;
                let to = planned_day(self.to_date.as_deref(), "to_date", moment)?;
                let to = to.unwrap_or(from);
                if to < from {
                    return Err("\"to_date\" must not be before \"date\".".to_owned());
                }
                CalendarQuery::Count {
                    from,
                    to,
                    name: match from == to {
                        true => format!("on {from}"),
                        false => format!("from {from} to {to}"),
                    },
                }
            }
        };
        reads(powers::Action::CalendarQueryAgent(query))
    }
}
