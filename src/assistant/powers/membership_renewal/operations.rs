//! What a language model may do with renewals.

use schemars::JsonSchema;
use serde::Deserialize;

use super::super::operations::{
    self, CallContext, Result, clean, given, needed, needed_time, within,
};
use super::RenewalAction;
use crate::assistant::powers::entries::Period;

/// The most days, weeks, months or years between two renewals.
const INTERVAL_MAX: u32 = 120;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::assistant::powers) struct Arguments {
    operation: RenewalOperation,
    /// The membership, subscription, insurance or document; for show and remove a part of it,
    /// or its number in the list.
    what: Option<String>,
    /// For keep: price, number, whatever else is known.
    details: Option<String>,
    /// For keep: the next day on which it renews or expires, YYYY-MM-DD.
    date: Option<String>,
    /// For keep: how often it renews; once: it expires and does not renew.
    every: Option<PeriodUnit>,
    /// For keep: 3 with month is every 3 months. Without it 1.
    interval: Option<u32>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum RenewalOperation {
    Keep,
    List,
    Show,
    Remove,
    Undo,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum PeriodUnit {
    Once,
    Day,
    Week,
    Month,
    Year,
}

impl PeriodUnit {
    fn period(self, interval: Option<u32>) -> Result<Period> {
        let interval = within(interval.or(Some(1)), 1..=INTERVAL_MAX, "interval")?;
        Ok(match (self, interval) {
            (Self::Once, _) => Period::Once,
            (Self::Day, n) => Period::Days(n),
            (Self::Week, n) => Period::Days(7 * n),
            (Self::Month, 1) => Period::Monthly,
            (Self::Month, n) => Period::Months(n),
            (Self::Year, 1) => Period::Yearly,
            (Self::Year, n) => Period::Months(12 * n),
        })
    }
}

impl operations::Arguments<RenewalAction> for Arguments {
    const DESCRIPTION: &str =
        "Tells of renewals before they come. It cancels nothing with anybody.";

    fn action(self, context: CallContext) -> Result<Option<RenewalAction>> {
        let what = || needed(self.what.as_deref(), "what");
        Ok(Some(match self.operation {
            RenewalOperation::List => RenewalAction::List,
            RenewalOperation::Show => RenewalAction::Show(what()?),
            RenewalOperation::Undo => return Ok(None),
            RenewalOperation::Keep => RenewalAction::Keep {
                what: what()?,
                details: clean(self.details.as_deref().unwrap_or_default()),
                time: needed_time(self.date.as_deref(), None, context)?,
                period: Some(given(self.every, "every")?.period(self.interval)?),
            },
            RenewalOperation::Remove => RenewalAction::Remove(what()?),
        }))
    }
}
