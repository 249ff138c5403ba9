//! The shares of payments, and how they and all debts are shown.

use serde::{Deserialize, Serialize};

use super::{BillSplitState, Debt, PAID_BACK, PARTS_UNCLEAR};
use crate::assistant::powers::PowerContext;
use crate::assistant::powers::money::{self, Money};
use crate::assistant::wording::texts::joined;

/// The person in a direct chat.
pub(super) const ME: &str = "me";

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Payment {
    pub(super) payer: String,
    /// Minor units.
    pub(super) amount: i64,
    pub(super) purpose: String,
    pub(super) among: Vec<String>,
    /// The parts of `among`, if they are not equal.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) parts: Vec<i64>,
    pub(super) by: i64,
}

/// "you owe", "bo owes".
fn owing(name: &str) -> String {
    format!("{} {}", display_name(name), owe(name))
}

impl BillSplitState {
    /// " $30 each", rounded if necessary.
    pub(super) fn each(&self, payment: &Payment) -> String {
        let shares = payment.shares();
        if !payment.parts.is_empty() {
            let named = payment.among.iter().zip(shares);
            let named = named.map(|(name, share)| match name.as_str() {
                ME => format!("your part is {}", self.money(share)),
                name => format!("{name}'s part is {}", self.money(share)),
            });
            let named: Vec<String> = named.collect();
            return format!(" {}.", capital(&joined(&named)));
        }
        if payment.among.len() < 2 {
            return String::new();
        }
        match (shares.iter().max(), shares.iter().min()) {
            (Some(most), Some(least)) if most == least => {
                format!(" That's {} each.", self.money(*most))
            }
            (Some(most), Some(least)) => format!(
                " That's {} or {} each.",
                self.money(*least),
                self.money(*most)
            ),
            _ => String::new(),
        }
    }

    pub(super) fn line(&self, payment: &Payment) -> String {
        if payment.purpose == PAID_BACK {
            return format!(
                "{} paid {} {}",
                display_name(&payment.payer),
                joined_names(&payment.among),
                self.money(payment.amount)
            );
        }
        let purpose = match payment.purpose.as_str() {
            "" => String::new(),
            what => format!(" for {what}"),
        };
        let among = if payment.among.len() == self.people.len() && self.people.len() > 2 {
            "everybody".to_owned()
        } else {
            joined_names(&payment.among)
        };
        let among = match payment {
            one if one.is_unshared() => String::new(),
            one if one.is_debt() => format!(", all of it owed by {among}"),
            _ => format!(", shared by {among}"),
        };
        format!(
            "{} paid {}{purpose}{among}",
            display_name(&payment.payer),
            self.money(payment.amount)
        )
    }

    pub(super) fn owed(&self) -> String {
        let transfers = self.transfers();
        if self.payments.is_empty() {
            return "Nobody owes anything: there's nothing on the bill yet.".to_owned();
        }
        let not_counted = self.not_counted();
        if transfers.is_empty() {
            return match not_counted {
                Some(open) => format!("Nobody owes anything so far. {open}"),
                None => "Nobody owes anything: it's all even.".to_owned(),
            };
        }
        let lines = transfers.iter().map(|one| self.transfer_line(one));
        let lines: Vec<String> = lines.chain(not_counted).collect();
        capital(&lines.join("\n"))
    }

    /// The same; who is named and isn't on the bill is told so.
    pub(super) fn owed_by(&self, name: Option<&str>, context: &PowerContext) -> String {
        let known = name.map(|name| self.known_person(name, context));
        match known {
            Some(Err(unknown)) if !self.payments.is_empty() => {
                format!("{unknown}\n{}", self.owed())
            }
            Some(Ok(name)) if self.owes_nothing(&name) => {
                format!("{} nothing.\n{}", capital(&owing(&name)), self.owed())
            }
            _ => self.owed(),
        }
    }

    /// Whether somebody else owes something, but not this person.
    fn owes_nothing(&self, name: &str) -> bool {
        let transfers = self.transfers();
        !transfers.is_empty() && !transfers.iter().any(|(from, ..)| from == name)
    }

    fn transfer_line(&self, (from, to, amount): &Debt) -> String {
        format!(
            "{} {} {}",
            owing(from),
            display_name(to),
            self.money(*amount)
        )
    }

    /// "what do I owe Bo": what one of the two has to pay the other. The error is what is said
    /// instead.
    pub(super) fn owed_between(
        &self,
        one: &str,
        other: &str,
        context: &PowerContext,
    ) -> Result<String, String> {
        if self.payments.is_empty() {
            return Ok(self.owed());
        }
        let one = self.known_person(one, context)?;
        let other = self.known_person(other, context)?;
        let is_theirs =
            |(from, to, _): &&Debt| *from == one && *to == other || *from == other && *to == one;
        let transfers = self.transfers();
        Ok(match transfers.iter().find(is_theirs) {
            Some(transfer) => capital(&self.transfer_line(transfer)),
            None => format!(
                "There's nothing to pay between {} and {}. All in all:\n{}",
                display_name(&one),
                display_name(&other),
                self.owed()
            ),
        })
    }

    /// "but kim pays only 10": the parts of all in their order.
    pub(super) fn with_own_part(
        &mut self,
        among: &[String],
        money: &Money,
        (name, own): (String, Money),
        context: &PowerContext,
    ) -> Result<Vec<i64>, String> {
        let name = self.known_person(&name, context)?;
        if !among.contains(&name) || among.len() < 2 || own.minor >= money.minor {
            return Err(PARTS_UNCLEAR.to_owned());
        }
        money::settle_currency(&mut self.currency, own.currency)?;
        Ok(own_parts(among, money.minor, &name, own.minor))
    }

    pub(super) fn money(&self, minor: i64) -> String {
        money::display(minor, self.currency.as_ref())
    }
}

impl Payment {
    /// Who shares it has not been said.
    pub(super) fn is_unshared(&self) -> bool {
        self.among.is_empty()
    }

    /// Nobody shares it, or only who paid.
    pub(super) fn is_alone(&self) -> bool {
        self.among.iter().all(|name| *name == self.payer)
    }

    /// The sum is owed by one person to another.
    pub(super) fn is_debt(&self) -> bool {
        matches!(self.among.as_slice(), [one] if *one != self.payer)
    }

    /// Who paid, then who shares it; one may come twice.
    pub(super) fn people(&self) -> impl Iterator<Item = &str> {
        let among = self.among.iter().map(String::as_str);
        std::iter::once(self.payer.as_str()).chain(among)
    }

    /// In the order of `among`; together they are the amount.
    pub(super) fn shares(&self) -> Vec<i64> {
        let total: i64 = self.parts.iter().sum();
        if total <= 0 {
            return shares(self.amount, self.among.len());
        }
        let mut before = 0;
        let share = |part: &i64| {
            let from = self.amount * before / total;
            before += part;
            self.amount * before / total - from
        };
        self.parts.iter().map(share).collect()
    }
}

/// Equal shares that add up; the first ones get the remaining minor units.
fn shares(amount: i64, people: usize) -> Vec<i64> {
    let count = people.max(1) as i64;
    (0..count)
        .map(|n| amount / count + i64::from(n < amount % count))
        .collect()
}

pub(super) fn ways_of(money: &Money, ways: i64) -> String {
    let shares = shares(money.minor, ways as usize);
    let text = |minor| money::display(minor, money.currency.as_ref());
    let pay = |people: i64, share: String| match people {
        1 => format!("1 pays {share}"),
        _ => format!("{people} pay {share}"),
    };
    let (most, least) = (shares[0], shares[shares.len() - 1]);
    let total = text(money.minor);
    if most == least {
        return format!("{total} {ways} ways is {} each.", text(most));
    }
    let more = shares.iter().filter(|share| **share == most).count() as i64;
    format!(
        "{total} {ways} ways: {}, {}.",
        pay(more, text(most)),
        pay(ways - more, text(least))
    )
}

pub(super) fn tip_on(money: &Money, percent: i64) -> String {
    let text = |minor| money::display(minor, money.currency.as_ref());
    let tip = (money.minor * percent + 50) / 100;
    let (sum, all) = (text(money.minor), text(money.minor + tip));
    format!(
        "A tip of {percent}% on {sum} is {}, which makes {all}.",
        text(tip)
    )
}

pub(super) fn owe(debtor: &str) -> &'static str {
    if debtor == ME { "owe" } else { "owes" }
}

pub(super) fn display_name(name: &str) -> &str {
    if name == ME { "you" } else { name }
}

/// The name as it is said by who speaks: `own` for who speaks.
pub(super) fn said_name<'n>(name: &'n str, own: &'n str) -> &'n str {
    if name == ME { own } else { name }
}

/// The parts of those in their order, where one of them pays only a sum of their own.
fn own_parts(among: &[String], amount: i64, name: &str, own: i64) -> Vec<i64> {
    let mut others = shares(amount - own, among.len() - 1).into_iter();
    let part = |one: &String| match one == name {
        true => Some(own),
        false => others.next(),
    };
    among.iter().filter_map(part).collect()
}

pub(super) fn joined_names(names: &[String]) -> String {
    let names: Vec<&str> = names.iter().map(|name| display_name(name)).collect();
    joined(&names)
}

/// Capitalizes each line.
pub(super) fn capital(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let mut rest = line.chars();
        rest.next().map_or_else(String::new, |first| {
            first.to_uppercase().chain(rest).collect()
        })
    });
    lines.collect::<Vec<String>>().join("\n")
}
