//! Who shares the bill later than others: what was paid before stays as it is until it is said.

use super::BillSplitState;
use super::sums::{ME, Payment, capital, joined_names};
use crate::assistant::powers::{PowerContext, Superpower};

impl BillSplitState {
    /// A line about those of the people who share nothing of what was paid before, empty where there
    /// are none.
    pub(super) fn newcomers(&self, people: &[String]) -> String {
        let mut shared = self.payments.iter().filter(|one| is_shared(one)).peekable();
        if shared.peek().is_none() {
            return String::new();
        }
        let before: Vec<&Payment> = shared.collect();
        let mut new = people.to_vec();
        new.retain(|name| {
            !before
                .iter()
                .any(|one| one.people().any(|known| known == name))
        });
        let Some(first) = new.first() else {
            return String::new();
        };
        let does = match new.as_slice() {
            [one] if one != ME => "doesn't",
            _ => "don't",
        };
        let said = match first.as_str() {
            ME => "I share everything".to_owned(),
            name => format!("{name} shares everything"),
        };
        format!(
            "\n{} {does} share what was paid before. If that's wrong, say “{said}”.",
            capital(&joined_names(&new))
        )
    }

    /// `None`: there is no bill.
    pub(super) fn share_all(
        &mut self,
        name: &str,
        context: &PowerContext,
    ) -> Result<Option<String>, String> {
        if !self.payments.iter().any(is_shared) {
            return Ok(None);
        }
        let name = self.person(name, context)?;
        let equal = self.payments.iter_mut().filter(|one| is_shared(one));
        for payment in equal.filter(|one| one.parts.is_empty()) {
            if !payment.among.contains(&name) {
                payment.among.push(name.clone());
            }
        }
        Ok(Some(self.overview(context)))
    }
}

fn is_shared(payment: &Payment) -> bool {
    !payment.is_unshared() && !payment.is_debt()
}
