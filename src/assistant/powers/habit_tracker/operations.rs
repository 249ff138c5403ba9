//! What a language model may do with habits.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::operations::{
    CallContext, OwnOperation, Result, changes, days_ago, needed, reads, undo,
};
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

impl super::super::operations::Arguments for Arguments {
    type Action = HabitAction;

    const DESCRIPTION: &str = "Habits, and on which days they were done.";

    fn operation(self, context: CallContext) -> Result<OwnOperation<HabitAction>> {
        let habit = || needed(self.habit.as_deref(), "habit");
        let action = match self.operation {
            HabitOperation::List => return reads(HabitAction::List),
            HabitOperation::Undo => return undo(),
            HabitOperation::Stop => HabitAction::Remove(habit()?),
            HabitOperation::Track => {
                let per_week = self.per_week.unwrap_or(7);
                if !(1..=7).contains(&per_week) {
                    return Err("\"per_week\" must be from 1 to 7.".to_owned());
                }
                HabitAction::Track {
                    name: habit()?,
                    per_week,
                }
            }
            HabitOperation::Did => HabitAction::Did {
                what: habit()?,
                days_ago: days_ago(self.date.as_deref(), context.today())? as u32,
                is_report: true,
            },
        };
        changes(action)
    }
}

impl HabitState {
    pub(super) fn to_json(&self, context: &PowerContext<'_>) -> Value {
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
