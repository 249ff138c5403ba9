//! Messages that are probably expenses: "lunch 12", "flour was 220". They are noted if a budget is
//! in use; otherwise the assistant asks, or other superpowers get the message.

use super::{BudgetState, SpentAmount};
use crate::assistant::powers::money::{self, Money};
use crate::assistant::powers::{PowerContext, local_time};
use crate::assistant::wording::texts::same;

/// "lunch 12", "lunch 12 and coffee 4": they may be something else than expenses of today.
#[derive(Debug, Clone, PartialEq)]
pub struct PossibleExpenses {
    pub(super) all: Vec<(Money, String)>,
    /// Each is a common purchase or has a currency.
    pub(in crate::assistant::powers) is_usual: bool,
    /// Each is a common purchase and has a currency.
    pub(super) is_both: bool,
    /// "flour was 220": it may correct another amount.
    pub(super) is_told: bool,
    /// "and 60 for internet": it is one more where one was told just before.
    pub(in crate::assistant::powers) is_more: bool,
}

impl BudgetState {
    /// "lunch 12"; `None` where it may be something else than spent money.
    pub(super) fn spend_if_in_use(
        &mut self,
        supposed: PossibleExpenses,
        context: &PowerContext,
    ) -> Option<Result<String, String>> {
        let all = &supposed.all;
        if supposed.is_told
            && let Some(question) = all.iter().find_map(|one| self.told_before(one, context))
        {
            return Some(Err(question));
        }
        let are_known = all.iter().all(|(_, purpose)| self.knows(purpose));
        let is_more = supposed.is_usual || supposed.is_more;
        let is_meant = is_more && self.is_in_use() || are_known;
        let may_be_times = all.iter().all(|(money, _)| may_be_time(money));
        if is_meant || supposed.is_both && !may_be_times {
            let spent = supposed.all.into_iter();
            let spent = spent.map(|(money, purpose)| SpentAmount {
                money,
                purpose,
                days_ago: 0,
            });
            let noted = self.spend_all(spent.collect(), context);
            return Some(
                noted.map(|reply| format!("{reply} If you meant something else, say “undo”.")),
            );
        }
        let said = |(money, purpose): &(Money, String)| {
            let sum = money::display(money.minor, money.currency.as_ref());
            format!("{sum} on {purpose}")
        };
        let said: Vec<String> = all.iter().map(said).collect();
        let said = said.join(" and ");
        if !supposed.is_both {
            return None;
        }
        self.asked = Some(format!("spent {said}"));
        Some(Ok(format!(
            "Did you spend {said}? I've noted nothing yet; say “yes”, and I do."
        )))
    }

    /// "flour was 220", of which something is noted today: a correction, or one more?
    fn told_before(
        &self,
        (money, purpose): &(Money, String),
        context: &PowerContext,
    ) -> Option<String> {
        let today = local_time::number(context.today());
        let mut of_today = self.expenses.iter().rev().filter(|one| one.day == today);
        let known = of_today.find(|one| same(&one.purpose, purpose))?;
        let sum = money::display(money.minor, money.currency.as_ref());
        Some(format!(
            "Is that instead of the {} on {purpose} that I've noted today, or one more? I've changed nothing. Say “delete the {purpose}” first if it's instead, and then “spent {sum} on {purpose}”.",
            self.money(known.amount)
        ))
    }
}

/// "lunch 12.50" may be at ten to one.
pub(super) fn may_be_time(money: &Money) -> bool {
    money.currency.is_none() && money.minor / 100 < 24 && money.minor % 100 < 60
}
