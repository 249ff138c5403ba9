//! "change the sandwich to 8": another amount for what was spent on something.

use super::{BudgetAction, BudgetState, Span, bare};
use crate::assistant::powers::money::{self, Money};
use crate::assistant::powers::{PowerContext, parsers};
use crate::assistant::text::phrases::Phrases;
use crate::assistant::text::words::Words;

/// "change the sandwich to 8", "make the petrol 54": what was spent on it, and how much it was.
pub(in crate::assistant::powers) fn changed_amount(text: &str) -> Option<BudgetAction> {
    const PURPOSE_WORDS_MAX: usize = 4;
    static VERBS: Phrases = Phrases::new(&["change", "make"]);
    let words = Words::new(text);
    let from = words.after(0, &VERBS)?;
    let from = words.skip_article(from);
    let amount = (from + 1..words.len()).find(|at| money::read(&words, *at).is_some())?;
    let (money, end) = money::read(&words, amount)?;
    let is_link = words.get(amount - 1) == "to";
    let to = amount - usize::from(is_link);
    let is_short = (1..=PURPOSE_WORDS_MAX).contains(&to.saturating_sub(from));
    let is_whole = end == words.len() && (is_link || words.get(0) == "make");
    let purpose = parsers::original(&words, from, to);
    (is_short && is_whole).then_some(BudgetAction::ChangeAmount(purpose, money))
}

impl BudgetState {
    /// The place of the newest expense for that.
    pub(super) fn newest(&self, purpose: &str) -> Option<usize> {
        let mut expenses = self.expenses.iter();
        expenses.rposition(|one| bare(&one.purpose) == bare(purpose))
    }

    /// `None`: nothing was spent on it.
    pub(super) fn change_amount(
        &mut self,
        purpose: &str,
        money: Money,
        context: &PowerContext,
    ) -> Option<Result<String, String>> {
        let at = self.newest(purpose)?;
        if let Err(why) = money::settle_currency(&mut self.currency, money.currency) {
            return Some(Err(why));
        }
        let before = std::mem::replace(&mut self.expenses[at].amount, money.minor);
        let total = self.spent(Span::Month, "", context.today());
        Some(Ok(format!(
            "Okay, {} on {purpose}, not {}. That makes {} this month; “undo” takes that back.",
            self.money(money.minor),
            self.money(before),
            self.money(total)
        )))
    }
}
