//! The habit tracker: weekly goals, the days they were done, and streaks. It sends no reminders.

mod activities;
mod asked;
mod completion_day;
mod operations;
mod planned;
mod read;
mod stems;
mod weekly_goal;
mod wished;

use chrono::{Datelike, NaiveDate};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::local_time;
use super::texts::{counted, display, joined, same, too_long};
use super::{PowerContext, PowerEffect, Superpower, parsers, statement};
pub(super) use operations::Arguments;
pub(super) use read::parse;
use stems::stems;

/// Habits of one person.
const HABITS_MAX: usize = 30;
/// Characters of a habit's name.
const NAME_CHARS_MAX: usize = 60;
/// Days kept per habit; older ones are removed.
const DAYS_KEPT_MAX: usize = 800;

#[derive(Debug, Clone, PartialEq)]
pub enum HabitAction {
    /// `per_week` 7 means every day.
    Track {
        name: String,
        per_week: u32,
    },
    /// "I ran today", also for yesterday.
    Did {
        what: String,
        days_ago: u32,
        /// The message can't be anything else; otherwise an unknown habit is ordinary talk.
        is_report: bool,
    },
    /// "I didn't run today"
    DidNot {
        what: String,
        days_ago: u32,
    },
    /// Several habits, or one on several days; `whole`: the same words as one habit.
    Each {
        whole: Box<HabitAction>,
        each: Vec<HabitAction>,
    },
    /// Several days were named, or one that may be to come.
    DaysUnclear(String),
    /// The habit is still to be done.
    Planned(String),
    /// How often is not known here.
    OftenUnclear,
    /// With a time of day, which no habit has.
    HourUnclear,
    /// More than one habit.
    Several,
    /// How often it is to be done from now on.
    Often {
        name: String,
        per_week: u32,
    },
    /// "i want to run 3 times a week": whether to track it is asked.
    Wished {
        name: String,
        per_week: u32,
    },
    List,
    /// Only by somebody who has habits. `names_habits`: it can be about nothing else.
    ListIfAny {
        names_habits: bool,
    },
    /// "did I run today?"
    Asked {
        what: String,
        day: AskedDay,
    },
    Remove(String),
    Nothing,
}

/// When a habit was done that is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AskedDay {
    Any,
    /// So many days ago.
    Ago(i32),
    /// How many times this week.
    Week,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct HabitState {
    habits: Vec<Habit>,
    /// What was asked: whether to do what these words request.
    #[serde(skip)]
    asked: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Habit {
    name: String,
    per_week: u32,
    /// Days on which it was done, oldest first, without duplicates.
    days: Vec<i32>,
    /// The last day on which it was told that it was not done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    skipped: Option<i32>,
}

impl Superpower for HabitState {
    type Action = HabitAction;

    fn apply(&mut self, action: HabitAction, context: &PowerContext) -> Option<String> {
        Some(match action {
            HabitAction::Track { name, per_week } => self.track(name, per_week),
            HabitAction::Did {
                what, is_report, ..
            } if !is_report && self.find(&what).is_none() => return None,
            HabitAction::Did { what, days_ago, .. } => return self.did(&what, days_ago, context),
            HabitAction::Each { whole, each } => return self.each(*whole, each, context),
            HabitAction::DidNot { what, days_ago } => {
                let at = self.find(&what)?;
                self.did_not(at, days_ago, context)
            }
            HabitAction::DaysUnclear(what) => {
                let name = &self.habits[self.find(&what)?].name;
                format!(
                    "I counted nothing: did you do it already? Say each day by itself, like “did {name} on monday”. I don't plan habits for days; a reminder does: “remind me on mondays at 18:00 of {name}”."
                )
            }
            HabitAction::Planned(what) => {
                let name = &self.habits[self.find(&what)?].name;
                format!(
                    "That's still to come, I think, so I've counted nothing. Say “did {name}” once it's done. I can remind you of it: “remind me at 18:00 of {name}”."
                )
            }
            HabitAction::OftenUnclear => {
                "I can track a habit every day, or so many times a week, so I've kept nothing yet. For example: “track habit: run 3 times a week”."
                    .to_owned()
            }
            HabitAction::Often { name, per_week } => {
                let habit = &self.habits[self.find(&name)?];
                let name = habit.name.clone();
                self.track(name, per_week)
            }
            HabitAction::Wished { name, per_week } => self.offer(name, per_week),
            HabitAction::ListIfAny { .. } if self.habits.is_empty() => return None,
            HabitAction::List | HabitAction::ListIfAny { .. } => self.overview(context),
            HabitAction::Asked { what, day } => {
                self.habits[self.find(&what)?].answered(day, context.today())
            }
            HabitAction::Remove(name) => match self.find(&name).or_else(|| self.find_part(&name)) {
                Some(at) => {
                    let removed = self.habits.remove(at);
                    format!(
                        "Okay, I no longer track {}. “undo” brings it back.",
                        removed.name
                    )
                }
                None if !context.sure => return None,
                None => format!("I'm not tracking {name}. “my habits” shows what I track."),
            },
            HabitAction::HourUnclear => {
                "A habit has no time of day, so I track nothing yet. Say “track habit: run 3 times a week”, and for the hour “remind me every day at 7 to run”."
                    .to_owned()
            }
            HabitAction::Several => {
                "One habit at a time, please; I track nothing yet. For example: “track habit: run 3 times a week”."
                    .to_owned()
            }
            HabitAction::Nothing => {
                "Which habit? For example: “track habit: run 3 times a week”.".to_owned()
            }
        })
    }

    fn data(&self, context: &PowerContext) -> Option<Value> {
        Some(self.to_json(context))
    }

    fn effect(&self) -> Option<PowerEffect> {
        self.asked.clone().map(PowerEffect::AskWhether)
    }

    fn overview(&self, context: &PowerContext) -> String {
        if self.habits.is_empty() {
            return "I track no habits yet. Say “track habit: run 3 times a week”.".to_owned();
        }
        let mut text = "Your habits:".to_owned();
        for habit in &self.habits {
            text.push_str(&format!(
                "\n• {}: {}",
                habit.name,
                habit.progress(context.today())
            ));
        }
        text
    }

    fn brief(&self, context: &PowerContext) -> Option<String> {
        let today = context.today();
        let due: Vec<&str> = self
            .habits
            .iter()
            .filter(|habit| {
                !habit.days.contains(&local_time::number(today))
                    && habit.skipped != Some(local_time::number(today))
                    && habit.in_week(today) < habit.per_week as usize
            })
            .map(|habit| habit.name.as_str())
            .collect();
        (!due.is_empty()).then(|| format!("Habits still to do: {}", due.join(", ")))
    }
}

impl HabitState {
    fn track(&mut self, name: String, per_week: u32) -> String {
        if let Some(reply) = too_long(&[&name], NAME_CHARS_MAX) {
            return reply;
        }
        let often = often(per_week);
        if let Some(known) = self
            .habits
            .iter_mut()
            .find(|habit| same(&habit.name, &name))
        {
            known.per_week = per_week;
            return format!("Okay, {} {often} from now on.", known.name);
        }
        if self.habits.len() >= HABITS_MAX {
            return format!(
                "I already track {HABITS_MAX} habits for you, which is all I can hold. Say “stop tracking …” first."
            );
        }
        let reply = format!(
            "Okay, I track {name}, {often}. Tell me when you did it, for example “did {name}”."
        );
        self.habits.push(Habit {
            name,
            per_week,
            days: Vec::new(),
            skipped: None,
        });
        reply
    }

    /// Asks whether to track it; one that is tracked gets that goal.
    fn offer(&mut self, name: String, per_week: u32) -> String {
        if let Some(at) = self.find(&name) {
            return self.track(self.habits[at].name.clone(), per_week);
        }
        let goal = often(per_week);
        self.asked = Some(format!("track habit: {name} {goal}"));
        format!("Shall I track “{name}”, {goal}? Say “yes”.")
    }

    /// Each that is tracked; the others are named.
    fn each(
        &mut self,
        whole: HabitAction,
        each: Vec<HabitAction>,
        context: &PowerContext,
    ) -> Option<String> {
        let named = |action: &HabitAction| match action {
            HabitAction::Did { what, .. } => what.clone(),
            _ => String::new(),
        };
        let is_whole = self
            .habits
            .iter()
            .any(|habit| same(&habit.name, &named(&whole)));
        let is_tracked = |action: &HabitAction| self.find(&named(action)).is_some();
        if is_whole || !each.iter().any(is_tracked) {
            return self.apply(whole, context);
        }
        let (tracked, others): (Vec<_>, Vec<_>) = each.into_iter().partition(is_tracked);
        let done = tracked.into_iter();
        let mut replies: Vec<String> = done.filter_map(|one| self.apply(one, context)).collect();
        let others: Vec<String> = others.iter().map(named).collect();
        if !others.is_empty() {
            let others = joined(&others);
            replies.push(format!(
                "I'm not tracking {others}, so I've counted nothing for that."
            ));
        }
        Some(replies.join("\n"))
    }

    fn did(&mut self, what: &str, days_ago: u32, context: &PowerContext) -> Option<String> {
        let Some(at) = self.find(what) else {
            return (context.sure && statement::is_thing(what)).then(|| {
                format!("I'm not tracking {what}. Say “track habit: {what} 3 times a week” first.")
            });
        };
        let today = context.today();
        let habit = &mut self.habits[at];
        let day = local_time::number(today) - days_ago as i32;
        if habit.days.contains(&day) {
            return Some(format!(
                "I have that already. {}: {}.",
                habit.name,
                habit.progress(today)
            ));
        }
        habit.days.push(day);
        habit.skipped = habit.skipped.filter(|skipped| *skipped != day);
        habit.days.sort_unstable();
        if habit.days.len() > DAYS_KEPT_MAX {
            habit.days.remove(0);
        }
        Some(format!(
            "Well done! {}: {}.",
            habit.name,
            habit.progress(today)
        ))
    }

    fn did_not(&mut self, at: usize, days_ago: u32, context: &PowerContext) -> String {
        let today = context.today();
        let habit = &mut self.habits[at];
        let day = local_time::number(today) - days_ago as i32;
        let when = match days_ago {
            0 => "today",
            _ => "yesterday",
        };
        let count = habit.days.len();
        habit.days.retain(|known| *known != day);
        habit.skipped = Some(day);
        let reply = match habit.days.len() < count {
            true => format!("Okay, I've taken {} back for {when}.", habit.name),
            false => format!("Okay, {} isn't counted for {when}.", habit.name),
        };
        format!("{reply} {}: {}.", habit.name, habit.progress(today))
    }

    /// "water" of "drink water", where no other has it.
    fn find_part(&self, what: &str) -> Option<usize> {
        let names = self.habits.iter().map(|habit| habit.name.as_str());
        parsers::several_named(what, names.clone())
            .is_empty()
            .then(|| parsers::which(what, names))?
    }

    /// Finds a habit by name, or else by the first word in any form: "ran" matches "run".
    fn find(&self, what: &str) -> Option<usize> {
        let named = |habit: &Habit| same(&habit.name, what);
        // "played guitar"
        let verbs = [
            "played ", "practiced ", "practised ", "finished ", "completed ", "drank ", "took ",
        ];
        let lower = what.to_lowercase();
        let bare = verbs.iter().find_map(|verb| lower.strip_prefix(verb));
        let found = self.find_stems(&stems(what), named);
        found.or_else(|| self.find_stems(&stems(bare?), named))
    }

    fn find_stems(&self, words: &[String], named: impl Fn(&Habit) -> bool) -> Option<usize> {
        self.habits.iter().position(named).or_else(|| {
            self.habits.iter().position(|habit| {
                let name = stems(&habit.name);
                !words.is_empty()
                    && !name.is_empty()
                    && (name.starts_with(words)
                        || words
                            .strip_prefix(name.as_slice())
                            .is_some_and(|more| more.first().is_none_or(|word| is_detail(word))))
            })
        })
    }
}

impl Habit {
    /// "run: every day, 3 days in a row. Last done on Monday, 23 November."
    fn told(&self, today: NaiveDate) -> String {
        let last = match self.days.last() {
            None => "Not done yet.".to_owned(),
            Some(day) if *day == local_time::number(today) => "Last done today.".to_owned(),
            Some(day) => format!("Last done on {}.", display(local_time::day(*day), today)),
        };
        format!("{}: {}. {last}", self.name, self.progress(today))
    }

    fn in_week(&self, today: NaiveDate) -> usize {
        let monday = week(local_time::number(today));
        self.days.iter().filter(|day| week(**day) == monday).count()
    }

    /// "every day, 3 days in a row", "3 times a week, 1 so far this week, 2 weeks in a row".
    fn progress(&self, today: NaiveDate) -> String {
        let today_number = local_time::number(today);
        if self.per_week >= 7 {
            let mut day = today_number;
            if !self.days.contains(&day) {
                day -= 1; // today isn't over
            }
            let row = (0..).take_while(|n| self.days.contains(&(day - n))).count();
            return format!("every day, {} in a row", counted(row, "day"));
        }
        let enough = |monday: i32| {
            self.days.iter().filter(|day| week(**day) == monday).count() >= self.per_week as usize
        };
        let this = week(today_number);
        let from = if enough(this) { this } else { this - 7 };
        let row = (0..).take_while(|n| enough(from - 7 * n)).count();
        format!(
            "{}, {} so far this week, {} in a row",
            often(self.per_week),
            self.in_week(today),
            counted(row, "week")
        )
    }
}

/// The Monday of a day's week.
fn week(day: i32) -> i32 {
    day - local_time::day(day).weekday().num_days_from_monday() as i32
}

fn often(per_week: u32) -> String {
    match per_week {
        7.. => "every day".to_owned(),
        1 => "once a week".to_owned(),
        2 => "twice a week".to_owned(),
        n => format!("{n} times a week"),
    }
}

/// Whether a word after a habit's name begins a detail: "ran 5 km", but not "ran out".
fn is_detail(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
        || matches!(
            word,
            "again" | "already" | "around" | "at" | "by" | "in" | "on" | "this" | "today" | "with"
        )
}
