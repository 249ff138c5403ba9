//! The bill splitter: who paid what for whom, and who owes whom. One bill per owner, in one
//! currency. It moves no money.

mod beneficiaries;
mod debts;
mod newcomers;
mod operations;
mod own_name;
mod people;
mod read;
mod removed;
mod settling;
mod sums;
mod unshared;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::money::{self, Currency, Money};
use super::texts::{counted, same, too_long};
use super::{PowerContext, Superpower};
pub(super) use beneficiaries::shared_with;
pub(super) use operations::Arguments;
pub use people::are_people;
use people::{is_everybody, is_self};
pub(super) use read::parse;
use sums::{Payment, display_name, joined_names, owe, tip_on, ways_of};
use unshared::sharing_unclear;
pub(super) use unshared::{WHO_SHARES, sharing_hint};

/// People on one bill.
const PEOPLE_MAX: usize = 20;
/// Payments on one bill.
const PAYMENTS_MAX: usize = 200;
/// Characters of a name.
const NAME_CHARS_MAX: usize = 40;
/// Characters of what was paid for.
const PURPOSE_CHARS_MAX: usize = 100;
/// The largest part of one person, where shares are not equal: "60/40".
const PART_MAX: i64 = 1_000;
const NOTHING: &str = "There's nothing on the bill.";
const PAYERS_UNCLEAR: &str = "How much did each of them pay? I've noted nothing yet. Say it like “Ana paid 30 and Bo paid 20”.";
const DEBTS_UNCLEAR: &str = "Who owes whom? I've noted nothing yet. Say each by itself: “Bo owes Eva 20”, then “Max owes Bo 30”.";
const OWED_ALREADY: &str = "I'm not sure whether that is all of it now, so I've changed nothing. Say what was paid back, like “i paid Bo back 10”.";
const SPLIT_UNCLEAR: &str =
    "How much, and between whom? For example: “split 90 dollars between Ana, Bo and me”.";
const PARTS_UNCLEAR: &str = "Whose part is which? Say it with the names in that order: “split 100 60/40 between Ana and me”.";
/// The purpose of a payment that settles a debt.
const PAID_BACK: &str = "paid back";

#[derive(Debug, Clone, PartialEq)]
pub enum BillSplitAction {
    Paid(PaidAction),
    /// Several payments of one message: all of them or none.
    AllPaid(Vec<PaidAction>),
    /// "split 90 three ways": computed, not stored.
    Ways {
        money: Money,
        ways: i64,
    },
    /// "20% tip on 45": computed, not stored.
    Tip {
        money: Money,
        percent: i64,
    },
    /// People on the bill, before any payment.
    People(Vec<String>),
    /// "add bo": more people share the bill that there is.
    MorePeople(Vec<String>),
    /// "Bo paid Ana 30": settles a debt; without an amount all of it.
    Settled {
        payer: String,
        to: String,
        money: Option<Money>,
    },
    /// "kim gave me 10": the same, between two on the bill.
    Given {
        payer: String,
        to: String,
        money: Money,
    },
    /// "dan shares everything": also what was paid before.
    ShareAll(String),
    Show,
    /// By whom, where somebody is named: "how much do I owe".
    Owed(Option<String>),
    /// "what do I owe Bo": between two.
    OwedBetween(String, String),
    Clear,
    /// "new bill with Bo", or without people: one that holds something isn't cleared by that.
    New(Vec<String>),
    /// "split 90 plus tip": how much it is is not said.
    TipUnclear,
    /// "split the bill": asks for the missing parts.
    Unclear,
    /// Two people paid one amount, or two amounts are there for who knows whom.
    PayersUnclear,
    /// "Bo owes Eva 20 and Max 30": who owes the second sum is open.
    DebtsUnclear,
    /// "split 100 60/40" without two names in their order.
    PartsUnclear,
    /// The last payment is taken off.
    RemoveLast,
    /// "delete my last payment": the last one that this person told of.
    RemoveOwnLast,
    /// "remove the hotel": payments by what they are called.
    Remove {
        named: Vec<String>,
        /// The bill is named with it.
        is_of_bill: bool,
    },
    /// "paid kim": all of a debt to or of somebody on the bill; `paid` where I paid it.
    Evened {
        with: String,
        paid: bool,
    },
    /// "bo settled up": all that somebody on the bill owes me.
    PaidUp(String),
    /// Several debts of one message: all of them or none.
    Each(Vec<BillSplitAction>),
    /// "Bo owes me 20"
    Owes {
        debtor: String,
        to: String,
        money: Money,
        purpose: String,
        /// It can't be one that was told before: "another 20", "lent me 20".
        is_another: bool,
    },
    /// "i owe Bo only 40": all that is owed, where something is owed already.
    OwesOnly(WholeDebt),
}

/// All that somebody owes somebody.
#[derive(Debug, Clone, PartialEq)]
pub struct WholeDebt {
    pub(super) debtor: String,
    pub(super) to: String,
    pub(super) money: Money,
}

/// A payment as the person entered it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PaidAction {
    pub(super) payer: String,
    pub(super) money: Money,
    pub(super) purpose: String,
    /// Who shares it; empty means everybody on the bill.
    pub(super) among: Vec<String>,
    /// Who doesn't, of everybody.
    pub(super) except: Vec<String>,
    /// The parts of `among` in their order, if they are not equal: 60 and 40.
    pub(super) parts: Vec<i64>,
    /// Who of them pays only that sum.
    pub(super) own_part: Option<(String, Money)>,
}

/// Who owes it, to whom, and how much in minor units.
type Debt = (String, String, i64);

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct BillSplitState {
    people: Vec<String>,
    /// The people who were said to share the bill.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    sharing: Vec<String>,
    payments: Vec<Payment>,
    currency: Option<Currency>,
}

impl Superpower for BillSplitState {
    type Action = BillSplitAction;

    fn apply(&mut self, action: BillSplitAction, context: &PowerContext) -> Option<String> {
        let before = self.clone();
        let action = self.with_self(action, context);
        let reply = self.done(action, context);
        match reply {
            Ok(Some(reply)) => Some(reply),
            other => {
                *self = before;
                other.err()
            }
        }
    }

    fn data(&self, context: &PowerContext) -> Option<Value> {
        Some(self.to_json(context))
    }

    fn overview(&self, _context: &PowerContext) -> String {
        if self.payments.is_empty() {
            let people = match self.people.len() {
                0 => String::new(),
                _ => format!(" with {}", joined_names(&self.people)),
            };
            return format!(
                "There's nothing on the bill{people} yet. Say “split 90 dollars between Ana, Bo and me”, or “Ana paid 30 for pizza”."
            );
        }
        let mut text = "On the bill:".to_owned();
        for payment in &self.payments {
            text.push_str(&format!("\n• {}", self.line(payment)));
        }
        text.push('\n');
        text.push_str(&self.owed());
        text
    }

    fn erase(&mut self, by: i64) {
        self.payments.retain(|payment| payment.by != by);
        let payments = &self.payments;
        self.people.retain(|person| {
            payments
                .iter()
                .any(|p| p.payer == *person || p.among.contains(person))
        });
        let people = &self.people;
        self.sharing.retain(|person| people.contains(person));
    }
}

impl BillSplitState {
    /// An error is a sentence, and nothing changes.
    fn done(
        &mut self,
        action: BillSplitAction,
        context: &PowerContext,
    ) -> Result<Option<String>, String> {
        Ok(Some(match action {
            BillSplitAction::Paid(paid) => {
                self.check_new(&paid, context)?;
                return self.paid(paid, context);
            }
            BillSplitAction::AllPaid(all) => {
                for paid in &all {
                    self.check_new(paid, context)?;
                }
                self.add_payers(&all, context)?;
                let each = all.into_iter().map(|paid| self.paid(paid, context));
                let each: Option<Vec<String>> = each.collect::<Result<_, _>>()?;
                return Ok(each.map(|replies| replies.join("\n")));
            }
            BillSplitAction::Each(all) => {
                let each = all.into_iter().map(|one| self.done(one, context));
                let each: Option<Vec<String>> = each.collect::<Result<_, _>>()?;
                return Ok(each.map(|replies| replies.join("\n")));
            }
            BillSplitAction::RemoveLast => self.remove_last(),
            BillSplitAction::RemoveOwnLast => self.remove_own_last(context),
            BillSplitAction::Remove { named, is_of_bill } => {
                return self.remove(&named, is_of_bill, context);
            }
            BillSplitAction::Evened { with, paid } => return self.evened(&with, paid, context),
            BillSplitAction::PaidUp(with) => return self.paid_up(&with, context),
            BillSplitAction::PayersUnclear if !context.sure && self.people.is_empty() => {
                return Ok(None);
            }
            BillSplitAction::PayersUnclear => PAYERS_UNCLEAR.to_owned(),
            BillSplitAction::PartsUnclear => PARTS_UNCLEAR.to_owned(),
            BillSplitAction::DebtsUnclear => DEBTS_UNCLEAR.to_owned(),
            BillSplitAction::Owes {
                debtor,
                to,
                money,
                purpose,
                is_another,
            } => self.tell_debt((&debtor, &to), money, (purpose, is_another), context)?,
            BillSplitAction::OwesOnly(debt) => self.note_whole_debt(debt, context)?,
            BillSplitAction::Settled { payer, to, money } => {
                return self.settled(&payer, &to, money, context);
            }
            BillSplitAction::Given { payer, to, money } => {
                return self.given((&payer, &to), money, context);
            }
            BillSplitAction::ShareAll(name) => return self.share_all(&name, context),
            BillSplitAction::Ways { money, ways } => ways_of(&money, ways),
            BillSplitAction::Tip { money, percent } => tip_on(&money, percent),
            BillSplitAction::People(people) => self.share_by(&people, context)?,
            BillSplitAction::MorePeople(_) if self.sharers().is_empty() => return Ok(None),
            BillSplitAction::MorePeople(more) => self.add_sharers(&more, context)?,
            BillSplitAction::Show => self.overview(context),
            BillSplitAction::Owed(by) => self.owed_by(by.as_deref(), context),
            BillSplitAction::OwedBetween(one, other) => self.owed_between(&one, &other, context)?,
            BillSplitAction::TipUnclear => {
                "How much is the tip? For example: “split 90 plus 15% tip by 3”.".to_owned()
            }
            BillSplitAction::Clear => self.clear(),
            BillSplitAction::New(people) => self.new_bill(&people, context)?,
            BillSplitAction::Unclear => SPLIT_UNCLEAR.to_owned(),
        }))
    }

    /// "kim gave me 10": only between two on the bill.
    fn given(
        &mut self,
        (payer, to): (&str, &str),
        money: Money,
        context: &PowerContext,
    ) -> Result<Option<String>, String> {
        let is_known = |name: &str| is_self(name) || self.is_on_it(name);
        match is_known(payer) && is_known(to) {
            true => self.settled(payer, to, Some(money), context),
            false => Ok(None),
        }
    }

    /// The people who share the bill.
    fn share_by(&mut self, people: &[String], context: &PowerContext) -> Result<String, String> {
        let people = self.people_of(people, context)?;
        self.note_sharing(&people);
        let newcomers = self.newcomers(&people);
        Ok(format!("{}{newcomers}", self.shared_by(&people)))
    }

    /// People who share it, too.
    fn add_sharers(&mut self, more: &[String], context: &PowerContext) -> Result<String, String> {
        let more = self.people_of(more, context)?;
        self.note_sharing(&more);
        let all = joined_names(&self.sharers());
        let newcomers = self.newcomers(&more);
        Ok(format!("Okay, the bill is shared by {all}.{newcomers}"))
    }

    fn clear(&mut self) -> String {
        if *self == Self::default() {
            return NOTHING.to_owned();
        }
        let count = self.payments.len();
        *self = Self::default();
        format!(
            "Okay, the bill is cleared; {} gone. “undo” brings it back.",
            counted(count, "payment")
        )
    }

    fn new_bill(&mut self, people: &[String], context: &PowerContext) -> Result<String, String> {
        Ok(match self.payments.len() {
            0 if !people.is_empty() => self.share_by(people, context)?,
            0 => {
                "Who shares it? Say it like “new bill with Ana and Bo”, or “Ana paid 30 for pizza”."
                    .to_owned()
            }
            count => format!(
                "There's a bill with {}, and I keep one here at a time. Say “clear the bill” first; I've changed nothing.",
                counted(count, "payment")
            ),
        })
    }

    /// `None` where there is no bill and it may be a personal expense.
    fn paid(&mut self, paid: PaidAction, context: &PowerContext) -> Result<Option<String>, String> {
        let mine = same(&paid.payer, "i") || same(&paid.payer, "me");
        if mine && !context.sure && self.sharers().is_empty() {
            // In a group it is shared there.
            match sharing_unclear(&paid) {
                Some(_) if context.group => {}
                Some(question) => return Err(question),
                None => return Ok(None),
            }
        }
        let payer = self.person(&paid.payer, context)?;
        let known = self.people.clone();
        let whom = (!is_self(&paid.payer)).then_some(payer.as_str());
        let paid = paid.with_people_of_purpose(whom, &known);
        let purpose = paid.purpose;
        let is_among_all = paid.among.is_empty() && paid.except.is_empty();
        let mut among = self.people_of(&paid.among, context)?;
        if !paid.except.is_empty() {
            among = self.everybody()?;
            let except = self.people_of(&paid.except, context)?;
            if let Some(name) = except.iter().find(|name| !known.contains(name)) {
                return Err(self.not_on_it(name));
            }
            among.retain(|name| !except.contains(name));
        }
        if among.is_empty() {
            among = self.sharers_with(&payer, context);
        }
        let parts = match paid.own_part {
            Some(own) => self.with_own_part(&among, &paid.money, own, context)?,
            None => paid.parts,
        };
        if !parts.is_empty() && parts.len() != among.len() {
            return Err(PARTS_UNCLEAR.to_owned());
        }
        let newcomers = match is_among_all {
            true => self.newcomers(&among),
            false => String::new(),
        };
        let payment = Payment {
            payer,
            amount: paid.money.minor,
            purpose,
            among,
            parts,
            by: context.by,
        };
        self.push(payment.clone(), paid.money)?;
        let noted = self.noted(&payment, is_among_all);
        Ok(Some(format!("{noted}{newcomers}")))
    }

    /// "i owe Bo only 40": where something is owed already, it may be all of it.
    fn note_whole_debt(
        &mut self,
        debt: WholeDebt,
        context: &PowerContext,
    ) -> Result<String, String> {
        let (debtor, to) = (debt.debtor.as_str(), debt.to.as_str());
        let names = [self.person(debtor, context)?, self.person(to, context)?];
        let is_owed = |(one, other, _): &Debt| names == [one.clone(), other.clone()];
        match self.transfers().iter().any(is_owed) {
            true => Ok(OWED_ALREADY.to_owned()),
            false => self.note_debt((debtor, to), debt.money, String::new(), context),
        }
    }

    /// "Bo owes me 20".
    fn note_debt(
        &mut self,
        (debtor, to): (&str, &str),
        money: Money,
        purpose: String,
        context: &PowerContext,
    ) -> Result<String, String> {
        let debtor = self.person(debtor, context)?;
        let to = self.person(to, context)?;
        if debtor == to {
            return Err("That's the same person, so nobody owes anything.".to_owned());
        }
        let said = format!(
            "{} {} {} {}",
            display_name(&debtor),
            owe(&debtor),
            display_name(&to),
            money::display(money.minor, money.currency.as_ref())
        );
        let what = match purpose.as_str() {
            "" => String::new(),
            what => format!(" for {what}"),
        };
        let payment = Payment {
            payer: to,
            amount: money.minor,
            purpose,
            among: vec![debtor],
            parts: Vec::new(),
            by: context.by,
        };
        self.push(payment, money)?;
        Ok(match self.payments.len() {
            1 => format!("Noted: {said}{what}."),
            _ => format!("Noted: {said}{what}. All in all:\n{}", self.owed()),
        })
    }

    fn push(&mut self, payment: Payment, money: Money) -> Result<(), String> {
        if let Some(reply) = too_long(&[&payment.purpose], PURPOSE_CHARS_MAX) {
            return Err(reply);
        }
        if self.payments.len() >= PAYMENTS_MAX {
            return Err(format!(
                "A bill holds {PAYMENTS_MAX} payments, and this one is full. Say “clear the bill” to begin a new one."
            ));
        }
        // "12 bucks" says nothing of the other sums.
        let is_named = |currency: &Currency| self.currency.is_some() || !currency.is_slang();
        let currency = money.currency.filter(is_named);
        money::settle_currency(&mut self.currency, currency)?;
        self.payments.push(payment);
        Ok(())
    }
}
