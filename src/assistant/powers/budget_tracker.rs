//! The budget tracker: expenses by purpose, and monthly budgets. One currency per person, whole
//! minor units. It knows no bank account.

mod changed_amount;
mod expense_words;
mod operations;
mod past_day;
mod possible_expenses;
mod purchases;
mod read;
mod read_spending;

use chrono::{Datelike, Days, NaiveDate};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::bill_split::sharing_hint;
use super::local_time;
use super::money::{self, Currency, Money};
use super::texts::{self, same, too_long};
use super::{PowerContext, Superpower, parsers};
pub(super) use changed_amount::changed_amount;
use expense_words::bare;
pub(super) use operations::Arguments;
pub(super) use possible_expenses::PossibleExpenses;
pub(super) use read::parse;

/// Limit of expenses per person; the oldest whole months are removed first.
const EXPENSES_MAX: usize = 2_000;
const BUDGETS_MAX: usize = 50;
/// Characters of an expense's purpose.
const PURPOSE_CHARS_MAX: usize = 60;
/// Stored months besides the current one.
const MONTHS_KEPT: i32 = 13;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Span {
    Today,
    Yesterday,
    Week,
    LastWeek,
    Month,
    LastMonth,
    Year,
}

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
            BudgetAction::HowMuch { span, purpose } => Ok(self.how_much_each(span, purpose, context)),
            BudgetAction::ShowIfAny if !self.is_in_use() => return None,
            BudgetAction::Show | BudgetAction::ShowIfAny => Ok(self.overview(context)),
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

    /// "on food and rent": each by itself, unless both have one name.
    fn how_much_each(&self, span: Span, purpose: String, context: &PowerContext) -> String {
        let each = match self.knows(&purpose) || purpose.is_empty() {
            true => vec![purpose],
            false => parsers::things(&purpose),
        };
        let each = each.iter().map(|what| self.how_much(span, what, context));
        each.collect::<Vec<String>>().join("\n")
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

    /// "food: 120 of 400 spent this month, 280 left".
    fn left(&self, budget: &Budget, context: &PowerContext) -> String {
        let spent = self.spent(Span::Month, &budget.purpose, context.today());
        let name = if budget.purpose.is_empty() {
            "All in all"
        } else {
            &budget.purpose
        };
        let rest = match budget.amount - spent {
            left if left >= 0 => format!("{} left", self.money(left)),
            over => format!("{} over", self.money(-over)),
        };
        format!(
            "{name}: {} of {} spent this month, {rest}",
            self.money(spent),
            self.money(budget.amount)
        )
    }

    fn spent(&self, span: Span, purpose: &str, today: NaiveDate) -> i64 {
        self.expenses
            .iter()
            .filter(|one| is_in(span, local_time::day(one.day), today))
            .filter(|one| purpose.is_empty() || same(&one.purpose, purpose))
            .map(|one| one.amount)
            .sum()
    }

    fn how_much(&self, span: Span, purpose: &str, context: &PowerContext) -> String {
        const LISTED_MAX: usize = 10;
        let today = context.today();
        let when = match span {
            Span::Today => "today",
            Span::Yesterday => "yesterday",
            Span::LastWeek => "last week",
            Span::Year => "this year",
            Span::Week => "this week",
            Span::Month => "this month",
            Span::LastMonth => "last month",
        };
        let total = self.spent(span, purpose, today);
        let on = if purpose.is_empty() {
            String::new()
        } else {
            format!(" on {purpose}")
        };
        if total == 0
            && let Some(alike) = self.alike(purpose)
            && self.spent(span, alike, today) > 0
        {
            return self.how_much(span, alike, context);
        }
        if total == 0 {
            return format!("You've spent nothing{on} {when}, as far as I know.");
        }
        let mut text = format!("You've spent {}{on} {when}.", self.money(total));
        if purpose.is_empty() {
            let mut by_purpose: Vec<(i64, &str)> = Vec::new();
            for one in self
                .expenses
                .iter()
                .filter(|one| is_in(span, local_time::day(one.day), today))
            {
                match by_purpose
                    .iter_mut()
                    .find(|(_, known)| same(known, &one.purpose))
                {
                    Some((sum, _)) => *sum += one.amount,
                    None => by_purpose.push((one.amount, &one.purpose)),
                }
            }
            by_purpose.sort_by_key(|(sum, _)| -sum);
            for (sum, name) in by_purpose.iter().take(LISTED_MAX) {
                let name = if name.is_empty() { "other" } else { name };
                text.push_str(&format!("\n• {name}: {}", self.money(*sum)));
            }
        }
        text
    }

    fn money(&self, minor: i64) -> String {
        money::display(minor, self.currency.as_ref())
    }
}

fn months(date: NaiveDate) -> i32 {
    date.year() * 12 + date.month0() as i32
}

fn is_in(span: Span, day: NaiveDate, today: NaiveDate) -> bool {
    match span {
        Span::Today => day == today,
        Span::Yesterday => Some(day) == today.pred_opt(),
        Span::Week => day.iso_week() == today.iso_week(),
        Span::LastWeek => (day + Days::new(7)).iso_week() == today.iso_week(),
        Span::Year => day.year() == today.year(),
        Span::Month => months(day) == months(today),
        Span::LastMonth => months(day) + 1 == months(today),
    }
}
