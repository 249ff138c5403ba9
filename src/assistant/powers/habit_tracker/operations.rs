//! What a language model may do with habits.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::operations::{self, CallContext, Result, days_ago, needed, within};
use super::{HabitAction, HabitState};
use crate::assistant::powers::PowerContext;
use crate::assistant::powers::data::date_text;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::assistant::powers) struct Arguments {
    operation: HabitOperation,
    /// The habit, for track, did and stop.
    habit: Option<String>,
    /// For track: times a week, 7 if not given.
    per_week: Option<u32>,
    /// For did: YYYY-MM-DD, today if not given.
    date: Option<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum HabitOperation {
    Track,
    Did,
    List,
    Stop,
    Undo,
}

impl operations::Arguments<HabitAction> for Arguments {
    const DESCRIPTION: &str = "Habits, and on which days they were done.";

    fn action(self, context: CallContext) -> Result<Option<HabitAction>> {
        let habit = || needed(self.habit.as_deref(), "habit");
        Ok(Some(match self.operation {
            HabitOperation::List => HabitAction::List,
            HabitOperation::Undo => return Ok(None),
            HabitOperation::Stop => HabitAction::Remove(habit()?),
            HabitOperation::Track => HabitAction::Track {
                per_week: within(self.per_week.or(Some(7)), 1..=7, "per_week")?,
                name: habit()?,
            },
            HabitOperation::Did => HabitAction::Did {
                what: habit()?,
                days_ago: days_ago(self.date.as_deref(), context.today())? as u32,
                is_report: true,
            },
        }))
    }
}

impl HabitState {
    pub(super) fn to_json(&self, context: &PowerContext) -> Value {
        let habits = self.habits.iter().map(|habit| {
            json!({
                "name": habit.name,
                "times_a_week": habit.per_week,
                "done_this_week": habit.in_week(context.today()),
                "last_day": habit.days.last().copied().map(date_text),
            })
        });
        json!({"habits": habits.collect::<Vec<Value>>()})
    }
}
