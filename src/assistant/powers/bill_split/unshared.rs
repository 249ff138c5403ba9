//! Payments of which it is not clear who shares them: until it is, they count for nothing.

use super::is_everybody;
use super::sums::{ME, Payment, capital, display_name, joined_names, owe, said_name};
use super::{BillSplitState, PaidAction, is_self, shared_with};
use crate::assistant::powers::PowerContext;
use crate::assistant::powers::money::{self, Money};
use crate::assistant::wording::texts::joined;

pub(in crate::assistant::powers) const WHO_SHARES: &str =
    "Who shares it? For example “split the bill between Ana, Bo and me”.";

impl BillSplitState {
    /// "Bo paid 60 and I paid 20": both share both.
    pub(super) fn add_payers(
        &mut self,
        all: &[PaidAction],
        context: &PowerContext,
    ) -> Result<(), String> {
        let is_open = |paid: &&PaidAction| paid.among.is_empty() && paid.except.is_empty();
        if all.iter().all(|paid| is_self(&paid.payer)) {
            return Ok(());
        }
        for paid in all.iter().filter(is_open) {
            let payer = self.person(&paid.payer, context)?;
            self.note_sharing(&[payer]);
        }
        Ok(())
    }

    /// Everybody on the bill with who paid; nobody where that is one person. Two others who paid, of
    /// whom nothing was said, share nothing by themselves.
    pub(super) fn sharers_with(&self, payer: &str, context: &PowerContext) -> Vec<String> {
        let mut among = self.sharers();
        if !among.iter().any(|name| name == payer) {
            among.push(payer.to_owned());
        }
        let is_shared = |one: &Payment| !one.is_debt() && !one.is_unshared();
        let is_said = !self.sharing.is_empty() || self.payments.iter().any(is_shared);
        let is_of_others = !context.group && !among.iter().any(|name| name == ME);
        match among.len() {
            1 => Vec::new(),
            _ if is_of_others && !is_said => Vec::new(),
            _ => among,
        }
    }

    /// "split the bill between Ana and me": what was open, or who is on the bill.
    pub(super) fn shared_by(&mut self, people: &[String]) -> String {
        self.share_with(people).unwrap_or_else(|| {
            format!(
                "Okay, the bill is shared by {}. Now tell me who paid, for example “Ana paid 30 for pizza”.",
                joined_names(people)
            )
        })
    }

    /// The sentence about a new payment. `is_among_all`: nobody was named, so that its people also
    /// share the open payments.
    pub(super) fn noted(&mut self, payment: &Payment, is_among_all: bool) -> String {
        let mut reply = capital(&format!("{}.", self.line(payment)));
        if payment.is_alone() {
            reply.push_str(&format!(" {WHO_SHARES}"));
        }
        reply.push_str(&self.each(payment));
        if is_among_all && let Some(lines) = self.share_with(&payment.among) {
            reply.push_str(&format!("\n{lines}"));
        }
        reply
    }

    /// Shares the open payments among these people. Returns the lines that say so; `None` without
    /// open payments.
    fn share_with(&mut self, among: &[String]) -> Option<String> {
        if among.len() < 2 {
            return None;
        }
        let open = self.payments.iter_mut().filter(|one| one.is_unshared());
        let shared: Vec<Payment> = open
            .map(|payment| {
                payment.among = among.to_vec();
                payment.clone()
            })
            .collect();
        let line =
            |payment: &Payment| format!("{}.{}", capital(&self.line(payment)), self.each(payment));
        let lines: Vec<String> = shared.iter().map(line).collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }

    /// The sentence about payments that are not counted, and why.
    pub(super) fn not_counted(&self) -> Option<String> {
        let open = self.payments.iter().filter(|one| one.is_unshared());
        let lines: Vec<String> = open.map(|one| self.line(one)).collect();
        (!lines.is_empty()).then(|| format!("Not counted yet: {}. {WHO_SHARES}", joined(&lines)))
    }

    /// "Bo paid 40", who owes that or more: paid back, or paid for something?
    pub(super) fn check_new(
        &self,
        paid: &PaidAction,
        context: &PowerContext,
    ) -> Result<(), String> {
        let is_told = !(paid.purpose.is_empty() && paid.among.is_empty() && paid.except.is_empty());
        let Ok(payer) = self.known_person(&paid.payer, context) else {
            return Ok(());
        };
        let (money, mut owed) = (&paid.money, self.transfers().into_iter());
        let owed = owed.find(|(debtor, _, sum)| *debtor == payer && *sum >= money.minor);
        let Some((_, to, owed)) = owed.filter(|_| !is_told) else {
            return Ok(());
        };
        money::settle_currency(&mut self.currency.clone(), money.currency.clone())?;
        let payer = payer.as_str();
        let sum = self.money(money.minor);
        let part = match owed == money.minor {
            true => "",
            false => "part of ",
        };
        let owed = self.money(owed);
        let (who, whom) = (display_name(payer), display_name(&to));
        let (payer_said, to_said) = (said_name(payer, "I"), said_name(&to, "me"));
        Err(format!(
            "Is that {part}the {owed} {who} {} {whom}, or something new? I've noted nothing yet. Say “{payer_said} paid {to_said} back {sum}”, or “{payer_said} paid {sum} for pizza”.",
            owe(payer)
        ))
    }
}

/// "I paid 30 for Bo and me" without a bill: the question what is meant.
pub(super) fn sharing_unclear(paid: &PaidAction) -> Option<String> {
    let people = match paid.among.as_slice() {
        [] => shared_with(&paid.purpose)?,
        [_] => return None,
        several => several.to_vec(),
    };
    let sum = money::display(paid.money.minor, paid.money.currency.as_ref());
    let split = split_request(&paid.money, &people);
    Some(format!(
        "Is that to be shared? I've noted nothing yet. Say {split}, or “spent {sum} on …” if it's only your own spending."
    ))
}

/// "“split 20 between Bo and me”": how the sum is shared by these people.
fn split_request(money: &Money, people: &[String]) -> String {
    let sum = money::display(money.minor, money.currency.as_ref());
    let people: Vec<&str> = people
        .iter()
        .map(|name| if is_self(name) { "me" } else { name })
        .collect();
    let people = match people.as_slice() {
        [one] if is_everybody(one) => "Ana, Bo and me".to_owned(),
        all => joined(all),
    };
    format!("“split {sum} between {people}”")
}

/// "spent 20 on lunch for Bo and me" is noted as one's own: how it would be shared.
pub(in crate::assistant::powers) fn sharing_hint(money: &Money, purpose: &str) -> Option<String> {
    let split = split_request(money, &shared_with(purpose)?);
    Some(format!("If it's to be shared, say {split}."))
}
