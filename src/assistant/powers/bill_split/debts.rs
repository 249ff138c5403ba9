//! Who owes whom. What one person owes another, because it was said or because one paid for the
//! other, is between these two. Bills that several people share are settled among their people with
//! few payments.

use std::collections::{BTreeMap, BTreeSet};

use super::sums::Payment;
use super::{BillSplitState, Debt, PAID_BACK, PEOPLE_MAX};

/// People who share bills, and how much each of them has paid beyond their shares.
struct SharingGroup<'p> {
    balances: BTreeMap<&'p str, i64>,
}

/// The debts between two people, in minor units: positive where the first owes the second. The
/// names are sorted.
#[derive(Default)]
struct PairDebts<'p>(BTreeMap<(&'p str, &'p str), i64>);

impl BillSplitState {
    /// The payments that settle all debts, the greatest first.
    pub(super) fn transfers(&self) -> Vec<Debt> {
        let mut groups = groups(&self.payments);
        let mut pairs = PairDebts::default();
        for payment in self.payments.iter().filter(|one| !one.is_unshared()) {
            if payment.is_debt() {
                let (debtor, to) = (payment.among[0].as_str(), payment.payer.as_str());
                match payment.purpose == PAID_BACK {
                    true => pay_back(&mut pairs, &mut groups, (to, debtor), payment.amount),
                    false => pairs.add(debtor, to, payment.amount),
                }
            } else if let Some(group) = groups.iter_mut().find(|one| one.shares(payment)) {
                group.add(payment);
            }
        }
        for group in &groups {
            for (debtor, to, amount) in group.transfers() {
                pairs.add(debtor, to, amount);
            }
        }
        pairs.debts()
    }
}

/// The groups whose people are not all in another group, the largest first.
fn groups(payments: &[Payment]) -> Vec<SharingGroup<'_>> {
    let shared = payments.iter().filter(|payment| !payment.is_debt());
    let mut all: Vec<BTreeSet<&str>> = shared.map(|payment| payment.people().collect()).collect();
    all.sort_by_key(|people| std::cmp::Reverse(people.len()));
    let mut largest: Vec<BTreeSet<&str>> = Vec::new();
    for people in all {
        if !largest.iter().any(|known| people.is_subset(known)) {
            largest.push(people);
        }
    }
    let group = |people: BTreeSet<_>| SharingGroup {
        balances: people.into_iter().map(|name| (name, 0)).collect(),
    };
    largest.into_iter().map(group).collect()
}

/// First what was lent between the two, then what is owed for shared bills. What is paid beyond that
/// is owed in return.
fn pay_back<'p>(
    pairs: &mut PairDebts<'p>,
    groups: &mut [SharingGroup<'p>],
    (payer, to): (&'p str, &'p str),
    amount: i64,
) {
    let lent = pairs.owed(payer, to).clamp(0, amount);
    let mut rest = amount - lent;
    for group in groups {
        let owed = group.transfers().into_iter();
        let mut owed = owed.filter(|(debtor, whom, _)| (*debtor, *whom) == (payer, to));
        if let Some((.., owed)) = owed.next() {
            let paid = owed.min(rest);
            group.change(payer, paid);
            group.change(to, -paid);
            rest -= paid;
        }
    }
    pairs.add(to, payer, lent + rest);
}

impl<'p> SharingGroup<'p> {
    fn shares(&self, payment: &Payment) -> bool {
        let mut people = payment.people();
        people.all(|name| self.balances.contains_key(name))
    }

    fn add(&mut self, payment: &'p Payment) {
        self.change(&payment.payer, payment.amount);
        for (name, share) in payment.among.iter().zip(payment.shares()) {
            self.change(name, -share);
        }
    }

    fn change(&mut self, name: &'p str, amount: i64) {
        *self.balances.entry(name).or_default() += amount;
    }

    /// Few, and always the same ones.
    fn transfers(&self) -> Vec<(&'p str, &'p str, i64)> {
        let balances = self.balances.iter();
        let mut balances: Vec<(i64, &str)> = balances.map(|(name, sum)| (*sum, *name)).collect();
        let mut transfers = Vec::new();
        for _ in 0..PEOPLE_MAX * 2 {
            balances.sort_unstable();
            let [least, .., most] = balances.as_mut_slice() else {
                break;
            };
            let amount = most.0.min(-least.0);
            if amount <= 0 {
                break;
            }
            transfers.push((least.1, most.1, amount));
            least.0 += amount;
            most.0 -= amount;
        }
        transfers
    }
}

impl<'p> PairDebts<'p> {
    fn add(&mut self, debtor: &'p str, to: &'p str, amount: i64) {
        let (pair, sign) = pair(debtor, to);
        *self.0.entry(pair).or_default() += sign * amount;
    }

    /// Negative where it is owed the other way round.
    fn owed(&self, debtor: &'p str, to: &'p str) -> i64 {
        let (pair, sign) = pair(debtor, to);
        sign * self.0.get(&pair).copied().unwrap_or_default()
    }

    fn debts(self) -> Vec<Debt> {
        let open = self.0.into_iter().filter(|(_, sum)| *sum != 0);
        let debts = open.map(|((one, other), sum)| match sum > 0 {
            true => (one.to_owned(), other.to_owned(), sum),
            false => (other.to_owned(), one.to_owned(), -sum),
        });
        let mut debts: Vec<Debt> = debts.collect();
        debts.sort_by(|a, b| b.2.cmp(&a.2).then_with(|| a.cmp(b)));
        debts
    }
}

/// The names in their order, and whether that is the given one.
fn pair<'p>(debtor: &'p str, to: &'p str) -> ((&'p str, &'p str), i64) {
    match debtor <= to {
        true => ((debtor, to), 1),
        false => ((to, debtor), -1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn payment(payer: &str, amount: i64, purpose: &str, among: &str) -> Payment {
        Payment {
            payer: payer.to_owned(),
            amount,
            purpose: purpose.to_owned(),
            among: among.split(' ').map(str::to_owned).collect(),
            parts: Vec::new(),
            by: 1,
        }
    }

    fn transfers(payments: &[(&str, i64, &str, &str)]) -> String {
        let payments = payments.iter();
        let state = BillSplitState {
            payments: payments
                .map(|(payer, amount, purpose, among)| payment(payer, *amount, purpose, among))
                .collect(),
            ..BillSplitState::default()
        };
        let lines = state.transfers().into_iter();
        let lines = lines.map(|(debtor, to, amount)| format!("{debtor} {to} {amount}"));
        lines.collect::<Vec<String>>().join(", ")
    }

    #[test]
    fn what_was_lent_stays_between_two() {
        let lent = ("me", 7, "", "tim");
        let borrowed = ("bo", 7, "", "me");
        assert_eq!(transfers(&[lent, borrowed]), "me bo 7, tim me 7");
        let back = ("me", 7, PAID_BACK, "bo");
        assert_eq!(transfers(&[lent, borrowed, back]), "tim me 7");
        assert_eq!(transfers(&[lent, ("tim", 9, "", "me")]), "me tim 2");
        // More than was owed is owed in return.
        assert_eq!(transfers(&[lent, ("tim", 9, PAID_BACK, "me")]), "me tim 2");
    }

    #[test]
    fn shared_bills_are_settled_among_their_people() {
        let all = ("me", 90, "", "me ana bo");
        let more = ("bo", 60, "", "me ana bo");
        assert_eq!(transfers(&[all, more]), "ana me 40, ana bo 10");
        // Bo and Tim share nothing.
        let strangers = [("bo", 30, "", "bo me"), ("me", 30, "", "tim me")];
        assert_eq!(transfers(&strangers), "me bo 15, tim me 15");
        // A bill of some of them is one of all of them.
        let some = ("ana", 60, "", "ana bo");
        assert_eq!(transfers(&[all, some]), "bo me 60");
        assert_eq!(transfers(&[some, all]), "bo me 60");
        assert_eq!(transfers(&[("ana", 30, "", "ana")]), "");
    }

    #[test]
    fn what_is_owed_for_both_is_added() {
        let all = ("me", 90, "", "me ana bo");
        let lent = ("me", 50, "", "bo");
        assert_eq!(transfers(&[all, lent]), "bo me 80, ana me 30");
        let back = ("bo", 60, PAID_BACK, "me");
        assert_eq!(transfers(&[all, lent, back]), "ana me 30, bo me 20");
        // Ten of it were for the bill, so that Bo owed 20 for it before this one.
        let bill = ("bo", 60, "", "me ana bo");
        assert_eq!(transfers(&[all, lent, back, bill]), "ana me 30, ana bo 20");
    }
}
