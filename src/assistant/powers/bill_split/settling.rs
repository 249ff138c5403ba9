//! Debts that are paid back, all of them or in part.

use super::people::NAME_UNKNOWN;
use super::sums::{ME, Payment, capital, display_name, owe, said_name};
use super::{BillSplitState, Debt, PAID_BACK, is_self};
use crate::assistant::powers::PowerContext;
use crate::assistant::powers::money::{self, Money};
use crate::assistant::wording::texts::same;

impl BillSplitState {
    /// "Bo owes me 20"; what is told a second time is not noted.
    pub(super) fn tell_debt(
        &mut self,
        (debtor, to): (&str, &str),
        money: Money,
        (purpose, is_another): (String, bool),
        context: &PowerContext,
    ) -> Result<String, String> {
        let may_be_told = !is_another && purpose.is_empty();
        match self.owed_twice((debtor, to), &money, context)? {
            Some(reply) if may_be_told => Ok(reply),
            _ => self.note_debt((debtor, to), money, purpose, context),
        }
    }

    /// The reply where just that is what one owes the other already.
    fn owed_twice(
        &mut self,
        (debtor, to): (&str, &str),
        money: &Money,
        context: &PowerContext,
    ) -> Result<Option<String>, String> {
        let [debtor, to] = [self.person(debtor, context)?, self.person(to, context)?];
        let is_same =
            |(one, other, sum): &Debt| *one == debtor && *other == to && *sum == money.minor;
        if !self.transfers().iter().any(is_same) {
            return Ok(None);
        }
        let sum = money::display(money.minor, money.currency.as_ref());
        let (by, verb, to) = (display_name(&debtor), owe(&debtor), display_name(&to));
        Ok(Some(format!(
            "That's what {by} {verb} {to} already, so I've noted nothing more. If it is another {sum}, say it with “another {sum}”."
        )))
    }

    /// Notes a debt that is paid back, if anything is owed. `None` where it may be no debt of the
    /// bill.
    pub(super) fn settled(
        &mut self,
        payer: &str,
        to: &str,
        money: Option<Money>,
        context: &PowerContext,
    ) -> Result<Option<String>, String> {
        let known = |name: &str| self.is_on_it(name);
        let check_owed = || match &money {
            Some(money) => self.check_owed(payer, to, money, context),
            None => Ok(()),
        };
        let is_own = is_self(payer) && !context.group;
        if is_own {
            check_owed()?;
        }
        if !(context.sure || known(payer) || known(to)) {
            return Ok(None);
        }
        if self.payments.is_empty() {
            return Err("Nobody owes anything on the bill, so I've noted nothing. For money that was lent say “Bo owes me 20”.".to_owned());
        }
        let unknown = [payer, to];
        let unknown = unknown.iter().find(|name| !known(name) && !is_self(name));
        if let Some(name) = unknown {
            return Err(self.not_on_it(name));
        }
        if !is_own {
            check_owed()?;
        }
        self.settle((payer, to), money, context).map(Some)
    }

    /// "paid kim": what is owed between the two, where somebody on the bill is called so. `None`: it
    /// may be anything else that was paid.
    pub(super) fn evened(
        &mut self,
        with: &str,
        is_paid: bool,
        context: &PowerContext,
    ) -> Result<Option<String>, String> {
        if !self.is_on_it(with) {
            return Ok(None);
        }
        let me = self.person("me", context)?;
        let transfers = self.transfers();
        let is_owed = |debtor: &str, to: &str| {
            let mut transfers = transfers.iter();
            transfers.any(|(from, whom, _)| same(from, debtor) && same(whom, to))
        };
        let is_owed_to_me = is_owed(with, &me);
        if is_paid && is_owed_to_me {
            return Err(format!(
                "Who paid whom? {}, so I've noted nothing. Say “{with} paid me” if {with} paid, or name the sum: “I paid {with} 20”.",
                capital(&self.owed_between(with, "me", context)?)
            ));
        }
        if !is_paid && !is_owed_to_me && !is_owed(&me, with) {
            return self.owed_between("me", with, context).map(Some);
        }
        match is_owed_to_me {
            true => self.settle((with, "me"), None, context).map(Some),
            false => self.settle(("me", with), None, context).map(Some),
        }
    }

    /// "bo settled up": all that Bo owes who speaks; what is owed to Bo stays. `None`: nobody on the
    /// bill is called so.
    pub(super) fn paid_up(
        &mut self,
        with: &str,
        context: &PowerContext,
    ) -> Result<Option<String>, String> {
        if !self.is_on_it(with) {
            return Ok(None);
        }
        let me = self.person("me", context)?;
        let transfers = self.transfers();
        let mut transfers = transfers.iter();
        let is_owed = transfers.any(|(from, to, _)| same(from, with) && same(to, &me));
        match is_owed {
            true => self.settle((with, "me"), None, context).map(Some),
            false => self.owed_between(with, "me", context).map(Some),
        }
    }

    /// "I paid Ana 20", where nothing is owed to her: what was it for? "Bo paid back 3", where it is
    /// Bo who gets money back: who paid whom?
    fn check_owed(
        &self,
        payer: &str,
        to: &str,
        money: &Money,
        context: &PowerContext,
    ) -> Result<(), String> {
        let named = |name: &str| match is_self(name) {
            true if !context.group => Ok(ME.to_owned()),
            true => context.name.map(str::to_owned).ok_or(NAME_UNKNOWN),
            false => Ok(name.to_owned()),
        };
        let (payer, to) = (named(payer)?, named(to)?);
        let transfers = self.transfers();
        let owed = |debtor: &str, creditor: &str| {
            let mut owed = transfers.iter();
            owed.find(|(from, whom, _)| same(from, debtor) && same(whom, creditor))
        };
        let sum = money::display(money.minor, money.currency.as_ref());
        if owed(&payer, &to).is_some() {
            return Ok(());
        }
        let (who, whom) = (display_name(&payer), display_name(&to));
        let (said_who, said_whom) = (said_name(&payer, "I"), said_name(&to, "me"));
        if let Some((.., owed)) = owed(&to, &payer) {
            let owed = self.money(*owed);
            return Err(format!(
                "Who paid whom? As far as I know {whom} {} {who} {owed}, so I've noted nothing. Say “{} paid {} back {sum}” if {whom} paid, “{said_who} lent {said_whom} {sum}” if {who} gave {whom} more.",
                owe(&to),
                said_name(&to, "I"),
                said_name(&payer, "me"),
            ));
        }
        let spent = match payer.as_str() {
            ME => format!(", “spent {sum} on …” if not"),
            _ => String::new(),
        };
        let gets = if payer == ME { "get" } else { "gets" };
        Err(format!(
            "What was the {sum} for? As far as I know {who} {} {whom} nothing, so I've noted nothing. Say “{said_who} lent {said_whom} {sum}” if {who} {gets} it back{spent}.",
            owe(&payer)
        ))
    }

    /// "Bo paid me 20"; without an amount all that is owed.
    fn settle(
        &mut self,
        (payer, to): (&str, &str),
        money: Option<Money>,
        context: &PowerContext,
    ) -> Result<String, String> {
        let payer = self.person(payer, context)?;
        let to = self.person(to, context)?;
        if payer == to {
            return Err("That's the same person, so I've noted nothing.".to_owned());
        }
        let owed = self.transfers().into_iter();
        let mut owed = owed.filter(|(from, whom, _)| *from == payer && *whom == to);
        let money = match (money, owed.next()) {
            (Some(money), _) => money,
            (None, Some((.., minor))) => Money {
                minor,
                currency: None,
            },
            (None, None) => {
                return Err(format!(
                    "As far as I know, {} {} {} nothing. How much was it?",
                    display_name(&payer),
                    owe(&payer),
                    display_name(&to)
                ));
            }
        };
        let payment = Payment {
            payer,
            amount: money.minor,
            purpose: PAID_BACK.to_owned(),
            among: vec![to],
            parts: Vec::new(),
            by: context.by,
        };
        self.push(payment.clone(), money)?;
        let line = capital(&self.line(&payment));
        Ok(format!("{line}. {}", self.owed()))
    }
}
