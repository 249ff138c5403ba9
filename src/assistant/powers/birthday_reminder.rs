//! The birthday reminder: birthdays, and a message on the morning of each. In other years a
//! birthday on 29 February is announced on the 28th.

mod as_memories;
mod operations;
mod read;

use chrono::{Datelike, NaiveDate};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::day_span::DaySpan;
use super::local_time;
use super::texts::{capital, counted, same, too_long};
use super::{PowerContext, Superpower};
use crate::assistant::text::when;
use crate::clock::Timestamp;
pub use as_memories::{StoredBirthday, birthdays, keep_again, remove_birthday};
pub(super) use operations::Arguments;
pub(super) use read::parse;

/// Birthdays per person.
const BIRTHDAYS_MAX: usize = 200;
/// Characters of a name.
const NAME_CHARS_MAX: usize = 60;
/// The hour of the message.
const HOUR: u32 = 9;
/// How far the daily summary looks ahead.
const SOON_DAYS: i64 = 7;

#[derive(Debug, Clone, PartialEq)]
pub enum BirthdayAction {
    Keep {
        name: String,
        month: u32,
        day: u32,
        year: Option<i32>,
    },
    /// "it's Bo's birthday today": another day that is known stays.
    IsOn {
        name: String,
        month: u32,
        day: u32,
    },
    When(String),
    Age(String),
    List(ListedSpan),
    Remove(String),
    /// 30 February, or no day.
    Unclear,
    /// "add Bo's birthday"
    DayUnsaid(String),
    /// 5/6: two days.
    Ambiguous,
}

/// Which birthdays are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListedSpan {
    All,
    /// From today to its Sunday.
    Week,
    /// From today to its last day.
    Month,
}

impl ListedSpan {
    fn contains(self, date: NaiveDate, today: NaiveDate) -> bool {
        match self {
            Self::All => true,
            Self::Week => date.iso_week() == today.iso_week(),
            Self::Month => (date.year(), date.month()) == (today.year(), today.month()),
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::All => "",
            Self::Week => " this week",
            Self::Month => " this month",
        }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct BirthdayState {
    birthdays: Vec<Birthday>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Birthday {
    name: String,
    month: u32,
    day: u32,
    year: Option<i32>,
}

impl BirthdayAction {
    /// What stands before the day that its reply asks for.
    pub(super) fn lacks(&self, reply: &str) -> Option<String> {
        match self {
            Self::DayUnsaid(name) if reply.contains('?') => {
                Some(format!("{} birthday is ", own_words(name)))
            }
            _ => None,
        }
    }
}

impl Superpower for BirthdayState {
    type Action = BirthdayAction;

    fn apply(&mut self, action: BirthdayAction, context: &PowerContext) -> Option<String> {
        Some(match action {
            BirthdayAction::Keep {
                name,
                month,
                day,
                year,
            } => self.keep(
                Birthday {
                    name,
                    month,
                    day,
                    year,
                },
                context,
            ),
            BirthdayAction::IsOn { name, month, day } => self.keep_told(
                Birthday {
                    name,
                    month,
                    day,
                    year: None,
                },
                context,
            ),
            BirthdayAction::When(name) => match self.find(&name) {
                Some(found) => format!("{}.", self.birthdays[found].display(context)),
                None if !context.sure => return None,
                None => format!(
                    "I don't know {} birthday. Tell me, for example “{} birthday is on 3 May”.",
                    possessive(&name),
                    own_words(&name)
                ),
            },
            BirthdayAction::Age(name) => self.age(&self.birthdays[self.find(&name)?], context),
            BirthdayAction::List(span) => self.list(span, context),
            BirthdayAction::Remove(name) => match self.find(&name) {
                Some(found) => {
                    let removed = self.birthdays.remove(found);
                    format!(
                        "Okay, I no longer keep {} birthday.",
                        possessive(&removed.name)
                    )
                }
                None => format!("I don't know {} birthday.", possessive(&name)),
            },
            BirthdayAction::Ambiguous => {
                "On which day is it? I've noted nothing. Say the month as a word, like “Ana's birthday is on 3 May”.".to_owned()
            }
            BirthdayAction::DayUnsaid(name) => match self.find(&name) {
                Some(found) => format!("{}.", self.birthdays[found].display(context)),
                None => format!(
                    "On which day is {} birthday? I've noted nothing yet.",
                    possessive(&name)
                ),
            },
            BirthdayAction::Unclear => {
                "On which day is it? I've noted nothing. Say one birthday at a time, like “Ana's birthday is on 3 May”.".to_owned()
            }
        })
    }

    fn data(&self, context: &PowerContext) -> Option<Value> {
        Some(self.to_json(context))
    }

    fn overview(&self, context: &PowerContext) -> String {
        self.list(ListedSpan::All, context)
    }

    fn brief(&self, context: &PowerContext) -> Option<String> {
        let today = context.today();
        let mut soon: Vec<(NaiveDate, &Birthday)> = self
            .birthdays
            .iter()
            .map(|one| (one.next(today), one))
            .filter(|(date, _)| (*date - today).num_days() < SOON_DAYS)
            .collect();
        soon.sort_by_key(|(date, _)| *date);
        let lines: Vec<String> = soon
            .iter()
            .map(|(date, one)| match (*date - today).num_days() {
                0 => format!("{} today", one.name),
                _ => format!("{} on {}", one.name, date.format("%A")),
            })
            .collect();
        (!lines.is_empty()).then(|| format!("Birthdays: {}", lines.join(", ")))
    }

    fn between(&self, span: DaySpan) -> Vec<String> {
        let (from, to) = span.days();
        let mut days: Vec<(NaiveDate, &str)> = self
            .birthdays
            .iter()
            .map(|one| (one.next(from), one.name.as_str()))
            .filter(|(date, _)| *date <= to)
            .collect();
        days.sort_unstable();
        let lines = days.iter().map(|(date, name)| {
            format!(
                "{} birthday: {}",
                possessive(name),
                date.format("%A, %-d %B")
            )
        });
        lines.collect()
    }

    fn occasions(&self, context: &PowerContext) -> Vec<super::Plan> {
        let today = context.today();
        let what = |one: &Birthday| format!("{} birthday", possessive(&one.name));
        let birthdays = self.birthdays.iter();
        birthdays
            .map(|one| super::Plan::on(what(one), one.next(today)))
            .collect()
    }

    fn alarm(&self, context: &PowerContext) -> Option<Timestamp> {
        let zone = context.zone();
        let morning = |date: NaiveDate| when::at_hour(date, HOUR, 0, zone);
        self.birthdays
            .iter()
            .filter_map(|one| {
                let today = context.today();
                let next = morning(one.next(today)).filter(|at| *at > context.now);
                next.or_else(|| morning(one.next(today.succ_opt()?)))
            })
            .min()
    }

    fn on_alarm(&mut self, at: Timestamp, context: &PowerContext) -> Option<String> {
        let date = local_time::date(at, context.zone());
        let late = date != context.today();
        let lines: Vec<String> = self
            .birthdays
            .iter()
            .filter(|one| one.next(date) == date)
            .map(|one| {
                let age = one
                    .year
                    .map(|year| date.year() - year)
                    .filter(|age| *age > 0);
                let age = age.map_or_else(String::new, |age| format!(" ({age})"));
                let owner = possessive(&one.name);
                if late {
                    format!(
                        "🎂 It was {owner} birthday{age} on {}.",
                        date.format("%-d %B")
                    )
                } else if one.name == "you" {
                    "🎂 Happy birthday!".to_owned()
                } else {
                    format!("🎂 It's {owner} birthday today{age}!")
                }
            })
            .collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }
}

impl BirthdayState {
    fn list(&self, span: ListedSpan, context: &PowerContext) -> String {
        if self.birthdays.is_empty() {
            return "I keep no birthdays yet. Say “Ana's birthday is on 3 May”.".to_owned();
        }
        let mut lines: Vec<(NaiveDate, String)> = self
            .birthdays
            .iter()
            .map(|one| (one.next(context.today()), one.display(context)))
            .collect();
        lines.sort();
        let next = lines.first().map(|(_, line)| line.clone());
        lines.retain(|(date, _)| span.contains(*date, context.today()));
        if let (true, Some(next)) = (lines.is_empty(), next) {
            return format!("No more birthdays{}. The next one: {next}.", span.name());
        }
        let count = counted(lines.len(), "birthday");
        let mut text = format!("{count}{}, the next one first:", span.name());
        for (_, line) in lines {
            text.push_str("\n• ");
            text.push_str(&line);
        }
        text
    }

    /// "anas" is Ana if there is an entry of that name.
    fn find(&self, name: &str) -> Option<usize> {
        let named = |name: &str| self.birthdays.iter().position(|one| same(&one.name, name));
        named(name).or_else(|| named(name.strip_suffix(['s', 'S'])?))
    }

    fn age(&self, of: &Birthday, context: &PowerContext) -> String {
        let Some(year) = of.year else {
            return format!(
                "I don't know the year: {}. Say it with the year, for example “Ana was born on 3 May 1990”.",
                of.display(context)
            );
        };
        let next = of.next(context.today());
        let turns = next.year() - year;
        let (who, is, turn) = match of.name.as_str() {
            "you" => ("You".to_owned(), "are", "turn"),
            name => match name.strip_prefix("my ") {
                Some(rest) => (format!("Your {rest}"), "is", "turns"),
                None => (name.to_owned(), "is", "turns"),
            },
        };
        match next == context.today() {
            true => format!("{who} {turn} {turns} today."),
            false => format!("{who} {is} {}; {}.", turns - 1, of.display(context)),
        }
    }

    /// In passing, so that it does not replace what is known.
    fn keep_told(&mut self, new: Birthday, context: &PowerContext) -> String {
        let known = self.find(&new.name).map(|at| &self.birthdays[at]);
        match known {
            Some(known) if (known.month, known.day) == (new.month, new.day) => {
                format!("{}.", capital(&known.display(context)))
            }
            Some(known) => format!(
                "I have it differently: {}, so I've changed nothing. If that's wrong, say “change {} birthday to {}”.",
                known.display(context),
                own_words(&known.name),
                new.date_text()
            ),
            None => self.keep(new, context),
        }
    }

    fn keep(&mut self, new: Birthday, context: &PowerContext) -> String {
        if let Some(reply) = too_long(&[&new.name], NAME_CHARS_MAX) {
            return reply;
        }
        let known = self.find(&new.name);
        let name = known.map_or_else(|| new.name.clone(), |at| self.birthdays[at].name.clone());
        let year = new.year.or_else(|| self.birthdays[known?].year);
        let new = Birthday { name, year, ..new };
        let line = new.display(context);
        let before = known.map(|at| &self.birthdays[at]);
        let before = before.filter(|old| (old.month, old.day) != (new.month, new.day));
        let before = before.map_or_else(String::new, |old| {
            format!(
                " Before it was {}; “undo” brings that back.",
                old.date_text()
            )
        });
        let today = context.today();
        let is_past = |at: Timestamp| at <= context.now;
        let is_over = new.next(today) == today
            && when::at_hour(today, HOUR, 0, context.zone()).is_some_and(is_past);
        match known {
            Some(at) => self.birthdays[at] = new,
            None if self.birthdays.len() >= BIRTHDAYS_MAX => {
                return format!(
                    "I already keep {BIRTHDAYS_MAX} birthdays for you, which is all I can hold. Say “delete Ana's birthday” to make room."
                );
            }
            None => self.birthdays.push(new),
        }
        if !context.reachable {
            return format!(
                "Noted: {line}.{before} I can't write to you by myself in this chat, so ask me for “birthdays”."
            );
        }
        let when = match is_over {
            true => "next year at 09:00 on the day",
            false => "at 09:00 on the day",
        };
        format!(
            "Noted: {line}.{before} I'll tell you {when}.{}",
            context.zone_hint()
        )
    }
}

impl Birthday {
    /// On `today` or after it.
    fn next(&self, today: NaiveDate) -> NaiveDate {
        let on = |year: i32| {
            NaiveDate::from_ymd_opt(year, self.month, self.day)
                .or_else(|| NaiveDate::from_ymd_opt(year, 2, 28))
                .unwrap_or(today)
        };
        let this_year = on(today.year());
        if this_year >= today {
            this_year
        } else {
            on(today.year() + 1)
        }
    }

    fn display(&self, context: &PowerContext) -> String {
        let today = context.today();
        let next = self.next(today);
        let wait = match (next - today).num_days() {
            0 => "today".to_owned(),
            1 => "tomorrow".to_owned(),
            n => format!("in {n} days"),
        };
        let born = self
            .year
            .map_or_else(String::new, |year| format!(" {year}"));
        format!(
            "{} birthday is on {}{born}, {wait}",
            possessive(&self.name),
            self.date_text()
        )
    }

    /// "3 May"
    fn date_text(&self) -> String {
        // A leap year has 29 February.
        let date = NaiveDate::from_ymd_opt(2000, self.month, self.day);
        date.map_or_else(String::new, |date| date.format("%-d %B").to_string())
    }
}

/// The owner of a birthday in the person's words: "my", "my mom's", "Bo's".
fn own_words(name: &str) -> String {
    match name {
        "you" => "my".to_owned(),
        name => format!("{name}'s"),
    }
}

fn possessive(name: &str) -> String {
    match name {
        "you" => "your".to_owned(),
        name => match name
            .strip_prefix("my ")
            .or_else(|| name.strip_prefix("My "))
        {
            Some(rest) => format!("your {rest}'s"),
            None => format!("{name}'s"),
        },
    }
}
