//! What a language model may do with shared bills.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::operations::{
    self, CallContext, Result, all_needed, clean, money, needed, within,
};
use super::{BillSplitAction, BillSplitState, PART_MAX, PaidAction};
use crate::assistant::powers::PowerContext;
use crate::assistant::powers::data::newest;
use crate::assistant::powers::money::{Currency, major};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::assistant::powers) struct Arguments {
    operation: BillSplitOperation,
    /// For paid, settle and split_evenly.
    amount: Option<f64>,
    /// A symbol or name, as EUR.
    currency: Option<String>,
    /// For paid and settle: who paid; "me" is the person you speak with.
    payer: Option<String>,
    /// For settle: who got the money back.
    to: Option<String>,
    /// For paid: what for.
    purpose: Option<String>,
    /// For add_people; for paid those who share it, all on the bill if empty.
    #[serde(default)]
    people: Vec<String>,
    /// For paid: the parts of people in their order, as 60 and 40; equal if empty.
    #[serde(default)]
    parts: Vec<i64>,
    /// For split_evenly, which only works it out: between how many.
    ways: Option<i64>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum BillSplitOperation {
    Show,
    WhoOwes,
    AddPeople,
    Paid,
    Settle,
    SplitEvenly,
    Clear,
    Undo,
}

impl operations::Arguments<BillSplitAction> for Arguments {
    const DESCRIPTION: &str = "Shared bills: who paid what, who owes whom.";

    fn action(self, _: CallContext) -> Result<Option<BillSplitAction>> {
        let money = || money(self.amount, self.currency.as_deref());
        let payer = || needed(self.payer.as_deref(), "payer");
        Ok(Some(match self.operation {
            BillSplitOperation::Show => BillSplitAction::Show,
            BillSplitOperation::WhoOwes => BillSplitAction::Owed(None),
            BillSplitOperation::SplitEvenly => BillSplitAction::Ways {
                ways: within(self.ways, 2..=100, "ways")?,
                money: money()?,
            },
            BillSplitOperation::Undo => return Ok(None),
            BillSplitOperation::AddPeople => {
                BillSplitAction::People(all_needed(&self.people, "people")?)
            }
            BillSplitOperation::Paid => BillSplitAction::Paid(PaidAction {
                payer: payer()?,
                money: money()?,
                purpose: clean(&self.purpose.unwrap_or_default()),
                among: match self.people.is_empty() {
                    true => Vec::new(),
                    false => all_needed(&self.people, "people")?,
                },
                parts: match self.parts.iter().all(|part| (1..=PART_MAX).contains(part)) {
                    true => self.parts,
                    false => return Err(format!("\"parts\" are from 1 to {PART_MAX}.")),
                },
                ..PaidAction::default()
            }),
            BillSplitOperation::Settle => BillSplitAction::Settled {
                payer: payer()?,
                to: needed(self.to.as_deref(), "to")?,
                money: Some(money()?),
            },
            BillSplitOperation::Clear => BillSplitAction::Clear,
        }))
    }
}

impl BillSplitState {
    pub(super) fn to_json(&self, _context: &PowerContext) -> Value {
        let (payments, more) = newest(&self.payments, |one| {
            json!({
                "payer": one.payer,
                "amount": major(one.amount),
                "purpose": one.purpose,
                "among": one.among,
            })
        });
        let debts = self
            .transfers()
            .into_iter()
            .map(|(from, to, amount)| json!({"from": from, "to": to, "amount": major(amount)}));
        json!({
            "currency": self.currency.as_ref().map(Currency::text),
            "people": self.people,
            "payments": payments,
            "more": more,
            "debts": debts.collect::<Vec<Value>>(),
        })
    }
}
