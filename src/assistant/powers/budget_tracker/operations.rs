//! What a language model may do with the budget.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::operations::{
    self, CallContext, Result, THINGS_MAX, clean, days_ago, money, needed,
};
use super::{BudgetAction, BudgetState, Span, SpentAmount};
use crate::assistant::powers::PowerContext;
use crate::assistant::powers::data::{date_text, newest};
use crate::assistant::powers::money::{Currency, major};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::assistant::powers) struct Arguments {
    operation: BudgetOperation,
    /// For spent: each amount with what it was for.
    #[serde(default)]
    expenses: Vec<Expense>,
    /// For set_budget: the most a month.
    amount: Option<f64>,
    /// A symbol or name, as EUR.
    currency: Option<String>,
    /// For set_budget, remove_budget and how_much; everything if empty.
    purpose: Option<String>,
    /// For spent: YYYY-MM-DD, today if not given.
    date: Option<String>,
    /// For how_much.
    span: Option<BudgetSpan>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Expense {
    amount: f64,
    purpose: String,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum BudgetOperation {
    Spent,
    SetBudget,
    RemoveBudget,
    HowMuch,
    Show,
    Undo,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum BudgetSpan {
    Today,
    Yesterday,
    Week,
    LastWeek,
    Month,
    LastMonth,
    Year,
}

impl operations::Arguments<BudgetAction> for Arguments {
    const DESCRIPTION: &str = "What was spent, and monthly budgets.";

    fn action(self, context: CallContext) -> Result<Option<BudgetAction>> {
        let currency = self.currency.as_deref();
        let purpose = clean(self.purpose.as_deref().unwrap_or_default());
        Ok(Some(match self.operation {
            BudgetOperation::Show => BudgetAction::Show,
            BudgetOperation::HowMuch => BudgetAction::HowMuch {
                span: match self.span.unwrap_or(BudgetSpan::Month) {
                    BudgetSpan::Today => Span::Today,
                    BudgetSpan::Yesterday => Span::Yesterday,
                    BudgetSpan::LastWeek => Span::LastWeek,
                    BudgetSpan::Year => Span::Year,
                    BudgetSpan::Week => Span::Week,
                    BudgetSpan::Month => Span::Month,
                    BudgetSpan::LastMonth => Span::LastMonth,
                },
                purpose,
            },
            BudgetOperation::Undo => return Ok(None),
            BudgetOperation::Spent if !(1..=THINGS_MAX).contains(&self.expenses.len()) => {
                return Err(format!("\"expenses\" takes 1 to {THINGS_MAX} of them."));
            }
            BudgetOperation::Spent => {
                let days_ago = days_ago(self.date.as_deref(), context.today())? as i32;
                let spent = self.expenses.iter().map(|expense| {
                    Ok(SpentAmount {
                        money: money(Some(expense.amount), currency)?,
                        purpose: needed(Some(&expense.purpose), "purpose")?,
                        days_ago,
                    })
                });
                BudgetAction::Spent(spent.collect::<Result<_>>()?)
            }
            BudgetOperation::SetBudget => {
                BudgetAction::Budgets(vec![(money(self.amount, currency)?, purpose)])
            }
            BudgetOperation::RemoveBudget => BudgetAction::RemoveBudget(purpose),
        }))
    }
}

impl BudgetState {
    pub(super) fn to_json(&self, context: &PowerContext) -> Value {
        let today = context.today();
        let (expenses, more) = newest(&self.expenses, |one| {
            json!({
                "day": date_text(one.day),
                "amount": major(one.amount),
                "purpose": one.purpose,
            })
        });
        let budgets = self.budgets.iter().map(|budget| {
            let spent = self.spent(Span::Month, &budget.purpose, today);
            json!({
                "purpose": budget.purpose,
                "amount": major(budget.amount),
                "spent_this_month": major(spent),
            })
        });
        json!({
            "currency": self.currency.as_ref().map(Currency::text),
            "spent_this_month": major(self.spent(Span::Month, "", today)),
            "expenses": expenses,
            "more": more,
            "budgets": budgets.collect::<Vec<Value>>(),
        })
    }
}
