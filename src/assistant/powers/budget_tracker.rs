//! The budget tracker: expenses by purpose, and monthly budgets. One currency per person, whole
//! minor units. It knows no bank account.

mod changed_amount;
mod corrected;
mod expense_words;
mod operations;
mod past_day;
mod possible_expenses;
mod purchases;
mod questions;
mod read;
mod read_spending;
mod span;
mod told;

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::bill_split::sharing_hint;
use super::local_time;
use super::money::{self, Currency, Money};
use super::texts::{self, same, too_long};
use super::{PowerContext, PowerEffect, Superpower};
pub(super) use changed_amount::changed_amount;
use expense_words::bare;
pub(super) use operations::Arguments;
pub(super) use possible_expenses::PossibleExpenses;
pub(super) use read::parse;
use span::{Span, months};

/// Limit of expenses per person; the oldest whole months are removed first.
const EXPENSES_MAX: usize = 2_000;
const BUDGETS_MAX: usize = 50;
/// Characters of an expense's purpose.
const PURPOSE_CHARS_MAX: usize = 60;
/// Stored months besides the current one.
const MONTHS_KEPT: i32 = 13;

#[derive(Debug, Clone, PartialEq)]
pub enum BudgetAction {
    Spent(Vec<SpentAmount>),
    /// "lunch 12": only by somebody who notes expenses.
    SpentIfInUse(PossibleExpenses),
    RemoveLast,
    /// The last expense for that.
    RemoveNamed(String),
    /// The last expense for that was another amount: "change the sandwich to 8".
    ChangeAmount(String, Money),
    /// The newest expense for that, or the newest of all if it is empty, was on another day:
    /// "lunch was yesterday, not today".
    ChangeDay {
        purpose: String,
        days_ago: i32,
        instead_of: Option<i32>,
    },
    /// The newest expense for that counts as one for something else: "lunch should be under food".
    Recategorise {
        purpose: String,
        category: String,
    },
    /// The day was not fully understood.
    DayUnclear,
    /// "paid rent": how much it was is not said.
    AmountMissing(String),
    /// The purpose is not understood.
    PurposeUnclear,
    /// More than one amount, and what belongs to which is unclear.
    AmountsUnclear,
    /// Each amount a month with its purpose; an empty one means the total.
    Budgets(Vec<(Money, String)>),
    HowMuch {
        span: Span,
        purpose: String,
    },
    /// What was spent, only by somebody who notes expenses.
    HowMuchIfAny(Span),
    /// The same, only if something was spent then.
    Bought(Span),
    Biggest(Span),
    /// "how much was the jacket": the newest expense for it, if there is one.
    Price(String),
    /// What is left of the budget for that, or of all if it is empty.
    Left(String),
    /// A budget for another time than a month.
    NotMonthly,
    /// How much was spent in a span of time that isn't known here.
    SpanUnclear,
    Show,
    /// Only if there is a budget.
    ShowIfAny,
    RemoveBudget(String),
    Unclear,
}

/// An amount, what it was for, and when.
#[derive(Debug, Clone, PartialEq)]
pub struct SpentAmount {
    pub(super) money: Money,
    pub(super) purpose: String,
    pub(super) days_ago: i32,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct BudgetState {
    budgets: Vec<Budget>,
    expenses: Vec<Expense>,
    currency: Option<Currency>,
    /// What was asked: whether to do what these words request.
    #[serde(skip)]
    asked: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Budget {
    purpose: String,
    amount: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Expense {
    day: i32,
    amount: i64,
    purpose: String,
}

const DAY_UNCLEAR: &str = "On which day was that? I've noted nothing yet. Say it like “spent 12.50 on lunch yesterday”, or “on 5 November” with the date.";
const PURPOSE_UNCLEAR: &str = "I'm not sure what that was for, or whether it was spent, so I've noted nothing. Say it like “spent 12.50 on lunch”, and anything else in a message of its own.";
const AMOUNTS_UNCLEAR: &str = "There's more than one number in that, so I've noted nothing. Say each with what it's for: “spent 5 on bus and 12 on lunch”, “budget 400 for food and 900 for rent”.";

impl Superpower for BudgetState {
    type Action = BudgetAction;

    fn apply(&mut self, action: BudgetAction, context: &PowerContext) -> Option<String> {
        let before = self.clone();
        let reply = match action {
            BudgetAction::Spent(spent) => self.spend_all(spent, context),
            BudgetAction::SpentIfInUse(supposed) => self.spend_if_in_use(supposed, context)?,
            BudgetAction::RemoveLast => Ok(self.remove(self.expenses.len(), context)),
            BudgetAction::RemoveNamed(of) => Ok(self.remove(self.newest(&of)? + 1, context)),
            BudgetAction::ChangeAmount(of, money) => self.change_amount(&of, money, context)?,
            BudgetAction::ChangeDay {
                purpose,
                days_ago,
                instead_of,
            } => Ok(self.change_day(&purpose, (days_ago, instead_of), context)?),
            BudgetAction::Recategorise { purpose, category } => {
                Ok(self.recategorise(&purpose, &category, context)?)
            }
            BudgetAction::DayUnclear
            | BudgetAction::PurposeUnclear
            | BudgetAction::AmountsUnclear
                if !context.sure && self.expenses.is_empty() =>
            {
                return None;
            }
            BudgetAction::AmountMissing(what) => Ok(format!(
                "How much was it? I've noted nothing yet. Say it like “spent 20 on {what}”."
            )),
            BudgetAction::DayUnclear => Ok(DAY_UNCLEAR.to_owned()),
            BudgetAction::PurposeUnclear => Ok(PURPOSE_UNCLEAR.to_owned()),
            BudgetAction::AmountsUnclear => Ok(AMOUNTS_UNCLEAR.to_owned()),
            BudgetAction::Budgets(budgets) => {
                let each = budgets.into_iter();
                let each = each.map(|(money, purpose)| self.budget(money, purpose, context));
                each.collect::<Result<Vec<_>, _>>()
                    .map(|reply| reply.join("\n"))
            }
            BudgetAction::NotMonthly => Ok(
                "Budgets are for a month, the same for each, so I've set none. For example: “budget 400 for food”."
                    .to_owned(),
            ),
            BudgetAction::SpanUnclear => Ok(
                "I can add up today, yesterday, this or last week, this or last month, and this year. For example: “how much did I spend on food last week?”"
                    .to_owned(),
            ),
            asked @ (BudgetAction::HowMuch { .. }
            | BudgetAction::HowMuchIfAny(_)
            | BudgetAction::Bought(_)
            | BudgetAction::Biggest(_)
            | BudgetAction::Price(_)
            | BudgetAction::Left(_)
            | BudgetAction::Show
            | BudgetAction::ShowIfAny) => Ok(self.answered(asked, context)?),
            BudgetAction::RemoveBudget(purpose) => Ok(self.remove_budget(&purpose)),
            BudgetAction::Unclear => {
                Ok("How much, and what for? For example: “budget 400 for food”.".to_owned())
            }
        };
        Some(reply.unwrap_or_else(|why| {
            *self = before;
            why
        }))
    }

    fn data(&self, context: &PowerContext) -> Option<Value> {
        Some(self.to_json(context))
    }

    fn effect(&self) -> Option<PowerEffect> {
        self.asked.clone().map(PowerEffect::AskWhether)
    }

    fn overview(&self, context: &PowerContext) -> String {
        if !self.is_in_use() {
            return "Nothing noted yet. Say “spent 12.50 on lunch” or “budget 400 for food”."
                .to_owned();
        }
        let mut text = self.how_much(Span::Month, "", context);
        for budget in &self.budgets {
            text.push_str(&format!("\n• {}", self.left(budget, context)));
        }
        text
    }

    fn brief(&self, context: &PowerContext) -> Option<String> {
        let spent = self.spent(Span::Month, "", context.today());
        (spent > 0).then(|| format!("Spent this month: {}", self.money(spent)))
    }
}

impl BudgetState {
    fn spend_all(
        &mut self,
        spent: Vec<SpentAmount>,
        context: &PowerContext,
    ) -> Result<String, String> {
        let mut hints = spent.iter();
        let hint = hints.find_map(|one| sharing_hint(&one.money, &one.purpose));
        let each = spent.into_iter().map(|one| self.spend(one, context));
        let mut replies = each.collect::<Result<Vec<_>, _>>()?;
        replies.extend(hint);
        Ok(replies.join("\n"))
    }

    fn spend(&mut self, spent: SpentAmount, context: &PowerContext) -> Result<String, String> {
        let SpentAmount {
            money,
            purpose,
            days_ago,
        } = spent;
        if let Some(reply) = too_long(&[&purpose], PURPOSE_CHARS_MAX) {
            return Err(reply);
        }
        money::settle_currency(&mut self.currency, money.currency)?;
        let today = context.today();
        let month = |day: i32| months(local_time::day(day));
        self.expenses
            .retain(|one| months(today) - month(one.day) <= MONTHS_KEPT);
        if self.expenses.len() >= EXPENSES_MAX {
            return Err(format!(
                "I hold {EXPENSES_MAX} expenses of the last {MONTHS_KEPT} months, and yours are as many. The oldest month goes as the next one begins."
            ));
        }
        self.expenses.push(Expense {
            day: local_time::number(today) - days_ago,
            amount: money.minor,
            purpose: purpose.clone(),
        });
        let on = if purpose.is_empty() {
            String::new()
        } else {
            format!(" on {purpose}")
        };
        let day = match days_ago {
            0 => String::new(),
            ago => {
                let day = local_time::day(local_time::number(today) - ago);
                format!(", {}", texts::display(day, today))
            }
        };
        let mut reply = format!("Noted: {}{on}{day}.", self.money(money.minor));
        let is_matching =
            |budget: &&Budget| budget.purpose.is_empty() || same(&budget.purpose, &purpose);
        for budget in self.budgets.iter().filter(is_matching) {
            reply.push_str(&format!(" {}.", self.left(budget, context)));
        }
        if !self.budgets.iter().any(|one| is_matching(&one)) {
            let total = self.spent(Span::Month, "", today);
            reply.push_str(&format!(" That makes {} this month.", self.money(total)));
        }
        Ok(reply)
    }

    fn remove_budget(&mut self, purpose: &str) -> String {
        let count = self.budgets.len();
        self.budgets.retain(|one| !same(&one.purpose, purpose));
        let what = match purpose {
            "" => "all in all".to_owned(),
            purpose => format!("for {purpose}"),
        };
        if self.budgets.len() < count {
            format!("Okay, no budget {what} any more.")
        } else {
            format!("There's no budget {what}. “my budgets” shows them.")
        }
    }

    fn is_in_use(&self) -> bool {
        !self.budgets.is_empty() || !self.expenses.is_empty()
    }

    /// Whether something was spent on it before.
    fn knows(&self, purpose: &str) -> bool {
        self.expenses.iter().any(|one| same(&one.purpose, purpose))
    }

    /// "a taxi", where "taxis" are asked about.
    fn alike(&self, purpose: &str) -> Option<&str> {
        let asked = bare(purpose);
        let mut purposes = self.expenses.iter().map(|one| one.purpose.as_str());
        purposes.find(|one| !asked.is_empty() && !same(one, purpose) && bare(one) == asked)
    }

    /// The expense with that number, from 1.
    fn remove(&mut self, number: usize, context: &PowerContext) -> String {
        let Some(at) = number.checked_sub(1) else {
            return "No expense is noted.".to_owned();
        };
        let removed = self.expenses.remove(at);
        let on = match removed.purpose.as_str() {
            "" => String::new(),
            purpose => format!(" on {purpose}"),
        };
        let day = texts::display(local_time::day(removed.day), context.today());
        let total = self.spent(Span::Month, "", context.today());
        format!(
            "Okay, no longer counted: {}{on} of {day}. That leaves {} this month; “undo” brings it back.",
            self.money(removed.amount),
            self.money(total)
        )
    }

    fn budget(
        &mut self,
        money: Money,
        purpose: String,
        context: &PowerContext,
    ) -> Result<String, String> {
        if let Some(reply) = too_long(&[&purpose], PURPOSE_CHARS_MAX) {
            return Err(reply);
        }
        money::settle_currency(&mut self.currency, money.currency)?;
        let purpose = match self.knows(&purpose) {
            true => purpose,
            false => self.alike(&purpose).map_or(purpose.clone(), str::to_owned),
        };
        let known = self
            .budgets
            .iter()
            .position(|one| same(&one.purpose, &purpose));
        match known {
            Some(at) => self.budgets[at].amount = money.minor,
            None if self.budgets.len() >= BUDGETS_MAX => {
                return Err(format!(
                    "I already keep {BUDGETS_MAX} budgets for you, which is all I can hold. Say “delete my budget for …” first."
                ));
            }
            None => self.budgets.push(Budget {
                purpose: purpose.clone(),
                amount: money.minor,
            }),
        }
        let budget = Budget {
            purpose,
            amount: money.minor,
        };
        Ok(format!(
            "Okay, {} a month. {}.",
            self.money(money.minor),
            self.left(&budget, context)
        ))
    }

    fn spent(&self, span: Span, purpose: &str, today: NaiveDate) -> i64 {
        self.expenses
            .iter()
            .filter(|one| span.has(local_time::day(one.day), today))
            .filter(|one| purpose.is_empty() || same(&one.purpose, purpose))
            .map(|one| one.amount)
            .sum()
    }

    fn money(&self, minor: i64) -> String {
        money::display(minor, self.currency.as_ref())
    }
}
