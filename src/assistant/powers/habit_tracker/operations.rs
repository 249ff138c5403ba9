//! What a language model may do with habits.

use schemars::JsonSchema;
use serde::Deserialize;

use super::super::operations::{
    Moment, OwnOperation, Result, changes, days_ago, needed, reads, undo,
};
use super::HabitAction;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::assistant::powers) struct Arguments {
    operation: Verb,
    /// The habit, for track, did and stop.
    habit: Option<String>,
    /// For track: times a week, 7 if not given.
    per_week: Option<u32>,
    /// For did: YYYY-MM-DD, today if not given.
    date: Option<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Verb {
    Track,
    Did,
    List,
    Stop,
    Undo,
}

impl super::super::operations::Arguments for Arguments {
    type Action = HabitAction;

    const DESCRIPTION: &str = "Habits, and on which days they were done.";

    fn operation(self, moment: Moment) -> Result<OwnOperation<HabitAction>> {
        let habit = || needed(self.habit.as_deref(), "habit");
        let action = match self.operation {
            Verb::List => return reads(HabitAction::List),
            Verb::Undo => return undo(),
            Verb::Stop => HabitAction::Remove(habit()?),
            Verb::Track => {
                let per_week = self.per_week.unwrap_or(7);
                if !(1..=7).contains(&per_week) {
                    return Err("\"per_week\" must be from 1 to 7.".to_owned());
                }
                HabitAction::Track {
                    name: habit()?,
                    per_week,
                }
            }
            Verb::Did => HabitAction::Did {
                what: habit()?,
                days_ago: days_ago(self.date.as_deref(), moment.today())? as u32,
                is_report: true,
            },
        };
        changes(action)
    }
}
