//! Finds the superpowers that a message may request, and how explicitly. Cheap string work, without
//! state or access checks.

use super::{Action, Power};
use super::{
    bill_split, birthday_reminder, budget_tracker, daily_summary, focus_protector, habit_tracker,
    mood_tracker, todo_list, trip_planner,
};
use crate::reply::builtin::listening::listen;
use crate::reply::builtin::{Talk, understand_talk};
use crate::reply::{Intent, MessageContext};

/// Longer messages request none.
const TEXT_BYTES_MAX: usize = 4_096;

/// How explicitly a superpower is requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strength {
    /// An explicit request.
    Clear,
    /// Possibly ordinary talk: counts for people who have it.
    Soft,
    /// Meaningful only while the superpower is in use.
    InSession,
}

#[derive(Debug, Clone, PartialEq)]
pub struct PowerCall {
    pub power: Power,
    pub strength: Strength,
    pub action: Action,
}

/// A command to the superpower in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Control {
    Undo,
    Done,
}

/// All requests in a message; at most one call per superpower.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PowerCalls {
    pub calls: Vec<PowerCall>,
    pub control: Option<Control>,
    /// In a group: addressed by name, or answering the assistant.
    pub spoken_to: bool,
}

impl PowerCalls {
    /// Whether any of it can start a session.
    pub fn may_begin(&self) -> bool {
        self.calls
            .iter()
            .any(|call| call.strength != Strength::InSession)
    }

    pub fn of(&self, power: Power) -> Option<&PowerCall> {
        self.calls.iter().find(|call| call.power == power)
    }
}

pub fn recognise(heard: &MessageContext<'_>) -> PowerCalls {
    in_talk(&listen(heard))
}

/// The complete understanding of a message.
#[derive(Debug, Clone)]
pub struct Understanding {
    /// The meaning without superpowers.
    pub intent: Intent,
    /// Superpowers that it may request without a session.
    pub calls: PowerCalls,
    /// In another time zone the meaning might differ.
    pub rests_on_zone: bool,
}

/// The message is parsed once; most messages cost only a check of their words.
pub fn understand_all(heard: &MessageContext<'_>) -> Understanding {
    let talk = listen(heard);
    let is_about_one = talk
        .words
        .iter()
        .any(|word| WORDS.binary_search(&word).is_ok());
    let calls = if is_about_one {
        in_talk(&talk)
    } else {
        PowerCalls::default()
    };
    Understanding {
        intent: understand_talk(&talk),
        calls,
        rests_on_zone: talk.rests_on_zone.get(),
    }
}

/// Every request that can start a session contains one of these words. Sorted.
const WORDS: [&str; 69] = [
    "am",
    "b-day",
    "bday",
    "bill",
    "bills",
    "birthday",
    "birthdays",
    "bought",
    "budget",
    "budgets",
    "completed",
    "day",
    "did",
    "disturb",
    "divide",
    "done",
    "expense",
    "expenses",
    "feel",
    "feeling",
    "felt",
    "finished",
    "focus",
    "focusing",
    "got",
    "groceries",
    "habit",
    "habits",
    "holiday",
    "im",
    "itinerary",
    "list",
    "mood",
    "moods",
    "owe",
    "owes",
    "pack",
    "packed",
    "packing",
    "paid",
    "pay",
    "pays",
    "settle",
    "share",
    "spend",
    "spending",
    "spent",
    "split",
    "streak",
    "streaks",
    "summaries",
    "summarise",
    "summarize",
    "summary",
    "task",
    "tasks",
    "to-do",
    "to-dos",
    "today",
    "todo",
    "todo-list",
    "todos",
    "tracking",
    "trip",
    "trips",
    "untrack",
    "vacation",
    "weekend",
    "yesterday",
];

fn in_talk(talk: &Talk<'_>) -> PowerCalls {
    if talk.heard.text.len() > TEXT_BYTES_MAX || talk.words.len() == 0 {
        return PowerCalls::default();
    }
    PowerCalls {
        calls: Power::ALL
            .into_iter()
            .filter_map(|power| {
                let (strength, action) = parse(power, talk)?;
                Some(PowerCall {
                    power,
                    strength,
                    action,
                })
            })
            .collect(),
        control: control(talk.request()),
        spoken_to: talk.spoken_to,
    }
}

fn parse(power: Power, talk: &Talk<'_>) -> Option<(Strength, Action)> {
    match power {
        Power::TodoList => map(todo_list::parse(talk), Action::TodoList),
        Power::BillSplit => map(bill_split::parse(talk), Action::BillSplit),
        Power::TripPlanner => map(trip_planner::parse(talk), Action::TripPlanner),
        Power::BirthdayReminder => map(birthday_reminder::parse(talk), Action::BirthdayReminder),
        Power::HabitTracker => map(habit_tracker::parse(talk), Action::HabitTracker),
        Power::BudgetTracker => map(budget_tracker::parse(talk), Action::BudgetTracker),
        Power::MoodTracker => map(mood_tracker::parse(talk), Action::MoodTracker),
        Power::FocusProtector => map(focus_protector::parse(talk), Action::FocusProtector),
        Power::DailySummary => map(daily_summary::parse(talk), Action::DailySummary),
    }
}

fn map<A>(found: Option<(Strength, A)>, action: fn(A) -> Action) -> Option<(Strength, Action)> {
    found.map(|(strength, found)| (strength, action(found)))
}

fn control(request: &str) -> Option<Control> {
    match request {
        "undo"
        | "undo that"
        | "undo it"
        | "undo this"
        | "undo the last change"
        | "take that back"
        | "undo last"
        | "revert" => Some(Control::Undo),
        "done" | "im done" | "i am done" | "were done" | "we are done" | "thats all"
        | "that is all" | "thats it" | "finished" | "im finished" | "all done" | "exit"
        | "quit" | "close" | "stop" => Some(Control::Done),
        _ => None,
    }
}
