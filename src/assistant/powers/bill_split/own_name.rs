//! The person's own name on a bill: language models write it where the person is meant.

use super::sums::ME;
use super::{BillSplitAction, BillSplitState, PaidAction};
use crate::assistant::powers::PowerContext;
use crate::assistant::wording::texts::same;

impl BillSplitState {
    /// In a direct chat the person's name means them, unless somebody on the bill is called so. In a
    /// group everybody goes by their name.
    pub(super) fn with_self(
        &self,
        mut action: BillSplitAction,
        context: &PowerContext,
    ) -> BillSplitAction {
        let own = context.name.filter(|own| !self.is_on_it(own));
        if let Some(own) = own.filter(|_| !context.group) {
            for name in names(&mut action) {
                if same(name, own) {
                    ME.clone_into(name);
                }
            }
        }
        action
    }
}

/// The names of people in an action that notes something.
fn names(action: &mut BillSplitAction) -> Vec<&mut String> {
    match action {
        BillSplitAction::Paid(paid) => names_of(paid),
        BillSplitAction::AllPaid(all) => all.iter_mut().flat_map(names_of).collect(),
        BillSplitAction::Each(all) => all.iter_mut().flat_map(names).collect(),
        BillSplitAction::People(people)
        | BillSplitAction::MorePeople(people)
        | BillSplitAction::New(people) => people.iter_mut().collect(),
        BillSplitAction::Settled { payer, to, .. } | BillSplitAction::Given { payer, to, .. } => {
            vec![payer, to]
        }
        BillSplitAction::Owes { debtor, to, .. } => vec![debtor, to],
        BillSplitAction::OwesOnly(debt) => vec![&mut debt.debtor, &mut debt.to],
        BillSplitAction::OwedBetween(one, other) => vec![one, other],
        _ => Vec::new(),
    }
}

fn names_of(paid: &mut PaidAction) -> Vec<&mut String> {
    let mut all = vec![&mut paid.payer];
    all.extend(paid.among.iter_mut());
    all.extend(paid.except.iter_mut());
    all.extend(paid.own_part.iter_mut().map(|(name, _)| name));
    all
}
