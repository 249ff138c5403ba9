//! What a language model may do with birthdays.

use chrono::{Datelike, NaiveDate};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::operations::{self, CallContext, Result, needed};
use super::{BirthdayAction, BirthdayState, ListedSpan};
use crate::assistant::powers::PowerContext;
use crate::assistant::powers::data::newest;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::assistant::powers) struct Arguments {
    operation: BirthdayOperation,
    /// Whose birthday, for keep, find and remove.
    name: Option<String>,
    /// For keep.
    #[schemars(range(min = 1, max = 12))]
    month: Option<u32>,
    /// For keep.
    #[schemars(range(min = 1, max = 31))]
    day: Option<u32>,
    /// For keep, where it is known.
    #[schemars(range(min = 1))]
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

impl operations::Arguments<BirthdayAction> for Arguments {
    const DESCRIPTION: &str = "Birthdays; the person is told of them on the day.";

    fn action(self, context: CallContext) -> Result<Option<BirthdayAction>> {
        let name = || needed(self.name.as_deref(), "name");
        Ok(Some(match self.operation {
            BirthdayOperation::List => BirthdayAction::List(ListedSpan::All),
            BirthdayOperation::Find => BirthdayAction::When(name()?),
            BirthdayOperation::Undo => return Ok(None),
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
        }))
    }
}

impl BirthdayState {
    pub(super) fn to_json(&self, _context: &PowerContext) -> Value {
        let (birthdays, more) = newest(
            &self.birthdays,
            |one| json!({"name": one.name, "month": one.month, "day": one.day, "year": one.year}),
        );
        json!({"birthdays": birthdays, "more": more})
    }
}
