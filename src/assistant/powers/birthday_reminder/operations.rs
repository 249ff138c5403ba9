//! What a language model may do with birthdays.

use chrono::{Datelike, NaiveDate};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::operations::{CallContext, OwnOperation, Result, changes, needed, reads, undo};
use super::{BirthdayAction, BirthdayState};
use crate::assistant::powers::PowerContext;
use crate::assistant::powers::data::newest;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::assistant::powers) struct Arguments {
    operation: BirthdayOperation,
    /// Whose birthday, for keep, find and remove.
    name: Option<String>,
    /// For keep.
    month: Option<u32>,
    /// For keep.
    day: Option<u32>,
    /// For keep, where it is known.
    year: Option<i32>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum BirthdayOperation {
    Keep,
    Find,
    List,
    Remove,
    Undo,
}

impl super::super::operations::Arguments for Arguments {
    type Action = BirthdayAction;

    const DESCRIPTION: &str = "Birthdays; the person is told of them on the day.";

    fn operation(self, context: CallContext) -> Result<OwnOperation<BirthdayAction>> {
        let name = || needed(self.name.as_deref(), "name");
        let action = match self.operation {
            BirthdayOperation::List => return reads(BirthdayAction::List),
            BirthdayOperation::Find => {
                return reads(BirthdayAction::When(name()?));
            }
            BirthdayOperation::Undo => return undo(),
            BirthdayOperation::Remove => BirthdayAction::Remove(name()?),
            BirthdayOperation::Keep => {
                let (month, day) = self
                    .month
                    .zip(self.day)
                    .ok_or("\"month\" and \"day\" are needed for that operation.")?;
                // Of a leap year where none is known.
                if NaiveDate::from_ymd_opt(self.year.unwrap_or(2000), month, day).is_none() {
                    return Err("There is no such day.".to_owned());
                }
                if self.year.is_some_and(|year| year > context.today().year()) {
                    return Err("\"year\" is the year of birth, which has come.".to_owned());
                }
                BirthdayAction::Keep {
                    name: name()?,
                    month,
                    day,
                    year: self.year,
                }
            }
        };
        changes(action)
    }
}

impl BirthdayState {
    pub(super) fn to_json(&self, _context: &PowerContext<'_>) -> Value {
        let (birthdays, more) = newest(
            &self.birthdays,
            |one| json!({"name": one.name, "month": one.month, "day": one.day, "year": one.year}),
        );
        json!({"birthdays": birthdays, "more": more})
    }
}
