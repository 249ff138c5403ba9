//! The bill splitter: who paid what for whom, and who owes whom. One bill per owner, in one
//! currency. It moves no money.

mod operations;
mod read;

use serde::{Deserialize, Serialize};

use super::money::{self, Currency, Money};
use super::pieces::{counted, joined, same, too_long};
use super::{PowerContext, Superpower};
pub(super) use operations::Arguments;
pub(super) use read::parse;

/// People on one bill.
const PEOPLE_MAX: usize = 20;
/// Payments on one bill.
const PAYMENTS_MAX: usize = 200;
/// Characters of a name.
const NAME_CHARS_MAX: usize = 40;
/// Characters of what was paid for.
const PURPOSE_CHARS_MAX: usize = 100;
/// The person in a direct chat.
const ME: &str = "me";

#[derive(Debug, Clone, PartialEq)]
pub enum BillSplitAction {
    /// Paid by `payer` for `among`; empty means everybody on the bill.
    Paid {
        payer: String,
        money: Amount,
        purpose: String,
        among: Vec<String>,
    },
    /// "split 90 three ways": computed, not stored.
    Ways {
        money: Amount,
        ways: i64,
    },
    /// People on the bill, before any payment.
    People(Vec<String>),
    /// "Bo paid Ana 30": settles a debt.
    Settled {
        payer: String,
        to: String,
        money: Amount,
    },
    Show,
    Owed,
    Clear,
    /// "split the bill": asks for the missing parts.
    Unclear,
}

/// A parsed amount.
#[derive(Debug, Clone, PartialEq)]
pub struct Amount(pub(super) Money);

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct BillSplitState {
    people: Vec<String>,
    payments: Vec<Payment>,
    currency: Option<Currency>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Payment {
    payer: String,
    /// Minor units.
    amount: i64,
    purpose: String,
    among: Vec<String>,
    by: i64,
}

impl Superpower for BillSplitState {
    type Action = BillSplitAction;

    fn apply(&mut self, action: BillSplitAction, scene: &PowerContext<'_>) -> Option<String> {
        let before = self.clone();
        let reply = self.done(action, scene);
        match reply {
            Ok(reply) => reply,
            Err(why) => {
                *self = before;
                Some(why)
            }
        }
    }

    fn overview(&self, _scene: &PowerContext<'_>) -> String {
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
    }
}

impl BillSplitState {
    /// An error is a sentence, and nothing changes.
    fn done(
        &mut self,
        action: BillSplitAction,
        scene: &PowerContext<'_>,
    ) -> Result<Option<String>, String> {
        Ok(Some(match action {
            BillSplitAction::Paid {
                payer,
                money,
                purpose,
                among,
            } => {
                let mine = same(&payer, "i") || same(&payer, "me");
                if mine && !scene.sure && self.people.is_empty() {
                    return Ok(None); // without a bill it is a personal expense
                }
                let payer = self.person(&payer, scene)?;
                let among = self.people_of(&among, scene)?;
                self.pay(payer, money.0, purpose, among, scene)?
            }
            BillSplitAction::Settled { payer, to, money } => {
                let known = |name: &String| self.people.iter().any(|p| same(p, name));
                if !(scene.sure || known(&payer) || known(&to)) {
                    return Ok(None);
                }
                let payer = self.person(&payer, scene)?;
                let to = self.person(&to, scene)?;
                self.pay(payer, money.0, "paid back".to_owned(), vec![to], scene)?
            }
            BillSplitAction::Ways { money, ways } => ways_of(&money.0, ways),
            BillSplitAction::People(people) => {
                let people = self.people_of(&people, scene)?;
                format!(
                    "Okay, the bill is shared by {}. Now tell me who paid, for example “Ana paid 30 for pizza”.",
                    joined_names(&people)
                )
            }
            BillSplitAction::Show => self.overview(scene),
            BillSplitAction::Owed => self.owed(),
            BillSplitAction::Clear if *self == Self::default() => {
                "There's nothing on the bill.".to_owned()
            }
            BillSplitAction::Clear => {
                let count = self.payments.len();
                *self = Self::default();
                format!(
                    "Okay, the bill is cleared; {} gone. “undo” brings it back.",
                    counted(count, "payment")
                )
            }
            BillSplitAction::Unclear => {
                "How much, and between whom? For example: “split 90 dollars between Ana, Bo and me”."
                    .to_owned()
            }
        }))
    }

    fn pay(
        &mut self,
        payer: String,
        money: Money,
        purpose: String,
        among: Vec<String>,
        scene: &PowerContext<'_>,
    ) -> Result<String, String> {
        if let Some(reply) = too_long(&[&purpose], PURPOSE_CHARS_MAX) {
            return Err(reply);
        }
        if self.payments.len() >= PAYMENTS_MAX {
            return Err(format!(
                "A bill holds {PAYMENTS_MAX} payments, and this one is full. Say “clear the bill” to begin a new one."
            ));
        }
        money::settle_currency(&mut self.currency, money.currency)?;
        let among = if among.is_empty() {
            self.people.clone()
        } else {
            among
        };
        let payment = Payment {
            payer,
            amount: money.minor,
            purpose,
            among,
            by: scene.by,
        };
        let mut reply = capital(&format!("{}.", self.line(&payment)));
        if payment.among == [payment.payer.as_str()] {
            reply.push_str(" Who shares it? For example “split the bill between Ana, Bo and me”.");
        } else {
            reply.push_str(&self.each(&payment));
        }
        self.payments.push(payment);
        Ok(reply)
    }

    /// " $30 each", rounded if necessary.
    fn each(&self, payment: &Payment) -> String {
        let shares = shares(payment.amount, payment.among.len());
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

    fn line(&self, payment: &Payment) -> String {
        let purpose = match payment.purpose.as_str() {
            "" => String::new(),
            "paid back" => " back".to_owned(),
            what => format!(" for {what}"),
        };
        let among = if payment.among.len() == self.people.len() && self.people.len() > 2 {
            "everybody".to_owned()
        } else {
            joined_names(&payment.among)
        };
        let link = if payment.purpose == "paid back" {
            "to"
        } else {
            "shared by"
        };
        format!(
            "{} paid {}{purpose}, {link} {among}",
            display_name(&payment.payer),
            self.money(payment.amount)
        )
    }

    fn owed(&self) -> String {
        let transfers = self.transfers();
        if self.payments.is_empty() {
            return "Nobody owes anything: there's nothing on the bill yet.".to_owned();
        }
        if transfers.is_empty() {
            return "Nobody owes anything: it's all even.".to_owned();
        }
        let lines: Vec<String> = transfers
            .iter()
            .map(|(from, to, amount)| {
                let verb = if from == ME { "owe" } else { "owes" };
                format!(
                    "{} {verb} {} {}",
                    display_name(from),
                    display_name(to),
                    self.money(*amount)
                )
            })
            .collect();
        capital(&lines.join("\n"))
    }

    /// The payments that settle all debts: few, and always the same ones.
    fn transfers(&self) -> Vec<(String, String, i64)> {
        let mut balances: Vec<(i64, String)> =
            self.people.iter().map(|name| (0, name.clone())).collect();
        for payment in &self.payments {
            let shares = shares(payment.amount, payment.among.len());
            for (balance, name) in &mut balances {
                if *name == payment.payer {
                    *balance += payment.amount;
                }
                if let Some(at) = payment.among.iter().position(|one| one == name) {
                    *balance -= shares[at];
                }
            }
        }
        let mut transfers = Vec::new();
        for _ in 0..PEOPLE_MAX * 2 {
            balances.sort();
            let (Some(least), Some(most)) = (balances.first(), balances.last()) else {
                break;
            };
            let amount = most.0.min(-least.0);
            if amount <= 0 {
                break;
            }
            transfers.push((least.1.clone(), most.1.clone(), amount));
            let last = balances.len() - 1;
            balances[0].0 += amount;
            balances[last].0 -= amount;
        }
        transfers
    }

    fn money(&self, minor: i64) -> String {
        money::display(minor, self.currency.as_ref())
    }

    /// The person's name on the bill, added if new.
    fn person(&mut self, phrase: &str, scene: &PowerContext<'_>) -> Result<String, String> {
        let name = match phrase.to_lowercase().as_str() {
            "me" | "i" | "myself" | "we" if !scene.group => ME.to_owned(),
            "me" | "i" | "myself" | "we" => match scene.name {
                Some(name) => name.to_owned(),
                None => {
                    return Err("I don't know what to call you on the bill. Tell me, for example “my name is Ana”, then say it again.".to_owned());
                }
            },
            "you" => {
                return Err("I never have any money, so leave me off the bill.".to_owned());
            }
            _ => phrase.to_owned(),
        };
        if let Some(reply) = too_long(&[&name], NAME_CHARS_MAX) {
            return Err(reply);
        }
        if let Some(known) = self.people.iter().find(|known| same(known, &name)) {
            return Ok(known.clone());
        }
        if self.people.len() >= PEOPLE_MAX {
            return Err(format!("A bill is for {PEOPLE_MAX} people at most."));
        }
        self.people.push(name.clone());
        Ok(name)
    }

    fn people_of(
        &mut self,
        phrases: &[String],
        scene: &PowerContext<'_>,
    ) -> Result<Vec<String>, String> {
        let mut people = Vec::new();
        for name in phrases {
            let everybody = matches!(
                name.to_lowercase().as_str(),
                "us" | "all of us" | "everybody" | "everyone" | "all"
            );
            let named = if everybody {
                self.people.clone()
            } else {
                vec![self.person(name, scene)?]
            };
            for name in named {
                if !people.contains(&name) {
                    people.push(name);
                }
            }
        }
        Ok(people)
    }
}

/// Equal shares that add up; the first ones get the remaining minor units.
fn shares(amount: i64, people: usize) -> Vec<i64> {
    let count = people.max(1) as i64;
    (0..count)
        .map(|n| amount / count + i64::from(n < amount % count))
        .collect()
}

fn ways_of(money: &Money, ways: i64) -> String {
    let shares = shares(money.minor, ways as usize);
    let text = |minor| money::display(minor, money.currency.as_ref());
    let (most, least) = (shares[0], shares[shares.len() - 1]);
    let total = text(money.minor);
    if most == least {
        return format!("{total} {ways} ways is {} each.", text(most));
    }
    let more = shares.iter().filter(|share| **share == most).count() as i64;
    format!(
        "{total} {ways} ways: {more} pay {}, {} pay {}.",
        text(most),
        ways - more,
        text(least)
    )
}

fn display_name(name: &str) -> &str {
    if name == ME { "you" } else { name }
}

fn joined_names(names: &[String]) -> String {
    let names: Vec<&str> = names.iter().map(|name| display_name(name)).collect();
    joined(&names)
}

/// Capitalizes each line.
fn capital(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let mut rest = line.chars();
        rest.next().map_or_else(String::new, |first| {
            first.to_uppercase().chain(rest).collect()
        })
    });
    lines.collect::<Vec<String>>().join("\n")
}

impl Amount {
    pub(super) fn new(money: Money) -> Self {
        Self(money)
    }
}
