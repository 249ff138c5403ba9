//! What a language model may ask connected calendars, and have the person asked to change in them.

use schemars::JsonSchema;
use serde::Deserialize;

use super::super::operations::{
    self, CallContext, Result, given, minute, needed, optional, planned_day,
};
use super::changes::{EventChangeRequest, EventDraft, EventRef};
use super::{CalendarQuery, DAY_MINUTES};
use crate::assistant::builtin::TimeChange;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::assistant::powers) struct Arguments {
    operation: CalendarOperation,
    /// For next: with whom or about what. For add: the title. For move and delete: the event's title,
    /// of one that repeats with its day ("standup on 7 december"), or as "whole series standup".
    about: Option<String>,
    /// For is_free and meetings: the day, or the first one, YYYY-MM-DD. For add: the day. For move:
    /// the new day, where it changes.
    date: Option<String>,
    /// For meetings: the last day.
    to_date: Option<String>,
    /// For is_free: HH:MM. For add: when it begins; without it is for the whole day. For move:
    /// when it begins then, where that changes.
    from: Option<String>,
    /// For is_free: HH:MM, 24:00 for the end of the day. For add: when it ends; an hour later
    /// unless given.
    to: Option<String>,
    /// For add: the calendar's name, where the person named one.
    calendar: Option<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum CalendarOperation {
    Next,
    IsFree,
    Meetings,
    Add,
    Move,
    Delete,
}

impl operations::Arguments<CalendarQuery> for Arguments {
    const DESCRIPTION: &str = "Looks into connected calendars: the next event, whether a time is free, the meetings of days. add, move and delete ask the person: nothing is changed before they say yes, and they are told when it is done.";

    fn action(self, context: CallContext) -> Result<Option<CalendarQuery>> {
        let day = planned_day(self.date.as_deref(), "date", context)?;
        let needed_day = given(day, "date");
        Ok(Some(match self.operation {
            CalendarOperation::Next => CalendarQuery::Next(optional(self.about.as_deref())),
            CalendarOperation::IsFree => {
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
            CalendarOperation::Add => CalendarQuery::Add(self.added(context)?),
            CalendarOperation::Move => {
                CalendarQuery::Change(self.change(Some(self.new_time(context)?))?)
            }
            CalendarOperation::Delete => CalendarQuery::Change(self.change(None)?),
            CalendarOperation::Meetings => {
                let from = needed_day?;
                let to = planned_day(self.to_date.as_deref(), "to_date", context)?;
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
        }))
    }
}

impl Arguments {
    fn added(&self, context: CallContext) -> Result<EventDraft> {
        let day = planned_day(self.date.as_deref(), "date", context)?;
        let from = minute(self.from.as_deref(), "from")?;
        let to = match self.to.as_deref().map(str::trim) {
            Some("24:00") => Some(DAY_MINUTES),
            to => minute(to, "to")?,
        };
        EventDraft::new(
            needed(self.about.as_deref(), "about")?,
            given(day, "date")?,
            from,
            to,
            optional(self.calendar.as_deref()),
        )
    }

    fn change(&self, to: Option<TimeChange>) -> Result<EventChangeRequest> {
        Ok(EventChangeRequest {
            which: EventRef::Named(needed(self.about.as_deref(), "about")?),
            to,
            is_explicit: true,
        })
    }

    fn new_time(&self, context: CallContext) -> Result<TimeChange> {
        let day = planned_day(self.date.as_deref(), "date", context)?;
        let from = minute(self.from.as_deref(), "from")?;
        TimeChange::at(day, from)
            .ok_or("\"date\" or \"from\" is needed for that operation.".to_owned())
    }
}
