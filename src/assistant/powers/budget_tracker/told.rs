//! What is told of spending and budgets.

use super::{Budget, BudgetAction, BudgetState, Span, bare};
use crate::assistant::powers::{PowerContext, Superpower, local_time, parsers};
use crate::assistant::wording::texts::{self, same};

/// "grocery" of "the groceries".
fn one(purpose: &str) -> String {
    let bare = bare(purpose);
    match bare.strip_suffix("ie") {
        Some(stem) => format!("{stem}y"),
        None => bare,
    }
}

impl BudgetState {
    /// The answer to a question. `None`: nothing is noted of it, or nothing is asked.
    pub(super) fn answered(&self, asked: BudgetAction, context: &PowerContext) -> Option<String> {
        Some(match asked {
            BudgetAction::HowMuch { span, purpose } => self.how_much_each(span, purpose, context),
            BudgetAction::HowMuchIfAny(_) if self.expenses.is_empty() => return None,
            BudgetAction::Bought(span) if self.spent(span, "", context.today()) == 0 => {
                return None;
            }
            BudgetAction::HowMuchIfAny(span) | BudgetAction::Bought(span) => {
                self.how_much(span, "", context)
            }
            BudgetAction::Biggest(span) => return self.biggest(span, context),
            BudgetAction::Price(purpose) => {
                let at = self.newest(&purpose)?;
                let day = local_time::day(self.expenses[at].day);
                let day = texts::display(day, context.today());
                format!("{}, {day}.", self.line(at))
            }
            BudgetAction::Left(purpose) => return self.left_of(&purpose, context),
            BudgetAction::ShowIfAny if !self.is_in_use() => return None,
            BudgetAction::Show | BudgetAction::ShowIfAny => self.overview(context),
            _ => return None,
        })
    }

    /// The budget for that, "" for all. `None` where nothing is noted.
    pub(super) fn left_of(&self, purpose: &str, context: &PowerContext) -> Option<String> {
        if !self.is_in_use() {
            return None;
        }
        let asked = one(purpose);
        let budgets = self.budgets.iter();
        let asked = budgets.filter(|budget| purpose.is_empty() || one(&budget.purpose) == asked);
        let lines: Vec<String> = asked.map(|one| self.left(one, context)).collect();
        Some(match (lines.as_slice(), purpose) {
            ([], "") => format!("No budget is set. {}", self.overview(context)),
            ([], purpose) => format!(
                "I know of no budget for {purpose}. {}",
                self.overview(context)
            ),
            ([only], _) => format!("{only}."),
            (several, _) => several.join("\n"),
        })
    }

    /// The expense of the greatest amount. `None` where nothing is noted.
    pub(super) fn biggest(&self, span: Span, context: &PowerContext) -> Option<String> {
        if self.expenses.is_empty() {
            return None;
        }
        let today = context.today();
        let day = |number: i32| local_time::day(number);
        let of_span = self
            .expenses
            .iter()
            .filter(|one| span.has(day(one.day), today));
        let Some(biggest) = of_span.max_by_key(|one| one.amount) else {
            return Some(format!(
                "You've spent nothing {}, as far as I know.",
                span.name()
            ));
        };
        let on = match biggest.purpose.as_str() {
            "" => String::new(),
            purpose => format!(" on {purpose}"),
        };
        Some(format!(
            "Your biggest expense {}: {}{on}, {}.",
            span.name(),
            self.money(biggest.amount),
            texts::display(day(biggest.day), today)
        ))
    }

    /// "on food and rent": each by itself, unless both have one name.
    pub(super) fn how_much_each(
        &self,
        span: Span,
        purpose: String,
        context: &PowerContext,
    ) -> String {
        let each = match self.knows(&purpose) || purpose.is_empty() {
            true => vec![purpose],
            false => parsers::things(&purpose),
        };
        let each = each.iter().map(|what| self.how_much(span, what, context));
        each.collect::<Vec<String>>().join("\n")
    }

    /// "food: 120 of 400 spent this month, 280 left".
    pub(super) fn left(&self, budget: &Budget, context: &PowerContext) -> String {
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

    pub(super) fn how_much(&self, span: Span, purpose: &str, context: &PowerContext) -> String {
        const LISTED_MAX: usize = 10;
        let today = context.today();
        let when = span.name();
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
                .filter(|one| span.has(local_time::day(one.day), today))
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
}
