//! The builtin assistant's superpowers: which messages request one, how its state changes, and its
//! answers. Pure: the state is JSON in and JSON out. The caller checks access, stores the state and
//! triggers alarms.

mod bill_split;
mod birthday_reminder;
mod budget_tracker;
mod daily_summary;
mod focus_protector;
mod habit_tracker;
mod money;
mod mood_tracker;
mod pieces;
mod recognise;
#[cfg(test)]
mod tests;
mod todo_list;
mod trip_planner;

use chrono::NaiveDate;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::clock::{Timestamp, Zone};
pub use recognise::{
    Control, PowerCall, PowerCalls, Strength, Understanding, recognise, understand_all,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Power {
    TodoList,
    BillSplit,
    TripPlanner,
    BirthdayReminder,
    HabitTracker,
    BudgetTracker,
    MoodTracker,
    FocusProtector,
    DailySummary,
}

/// An action of one superpower.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    TodoList(todo_list::TodoAction),
    BillSplit(bill_split::BillSplitAction),
    TripPlanner(trip_planner::TripAction),
    BirthdayReminder(birthday_reminder::BirthdayAction),
    HabitTracker(habit_tracker::HabitAction),
    BudgetTracker(budget_tracker::BudgetAction),
    MoodTracker(mood_tracker::MoodAction),
    FocusProtector(focus_protector::FocusAction),
    DailySummary(daily_summary::DailySummaryAction),
    /// Only its name was mentioned: shows the current state.
    Overview,
    Undo,
}

/// The context of an action: room, time and author.
#[derive(Debug, Clone, Copy)]
pub struct PowerContext<'a> {
    pub now: Timestamp,
    /// `None` when unknown: UTC is used and mentioned.
    pub timezone: Option<Zone>,
    /// The state belongs to a group.
    pub group: bool,
    /// The author's user id, so that their entries can be erased with them.
    pub by: i64,
    pub name: Option<&'a str>,
    /// The message is meant for this superpower: an explicit request, or the superpower is in use.
    pub sure: bool,
    /// The assistant can send messages here by itself.
    pub reachable: bool,
    /// The other superpowers' texts about the day, for the daily summary.
    pub day: &'a str,
}

impl PowerContext<'_> {
    fn zone(&self) -> Zone {
        self.timezone.unwrap_or(Zone::UTC)
    }

    fn today(&self) -> chrono::NaiveDate {
        pieces::date(self.now, self.zone())
    }

    /// A hint for answers with a time of day.
    fn zone_hint(&self) -> &'static str {
        match self.timezone {
            Some(_) => "",
            None => {
                " I don't know your time zone yet, so that's in UTC; tell me, for example “my time zone is Europe/Berlin”."
            }
        }
    }
}

/// A superpower's state for one owner, as JSON.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StoredState {
    pub state: String,
    /// The state before the last change; `None` when nothing can be undone.
    pub previous: Option<String>,
}

/// The result of an action.
#[derive(Debug, PartialEq)]
pub struct PowerOutcome {
    /// `None` when the message wasn't about anything in the state.
    pub said: Option<String>,
    /// The new state; `None` when nothing changed.
    pub kept: Option<StoredState>,
    /// The time of its next alarm.
    pub alarm: Option<Timestamp>,
}

/// A superpower: its state and its actions.
trait Superpower: Clone + Default + PartialEq + Serialize + DeserializeOwned {
    type Action;

    /// The action, if it belongs to this superpower.
    fn own(action: Action) -> Option<Self::Action>;

    /// `None` when the action isn't about anything in the state.
    fn apply(&mut self, action: Self::Action, scene: &PowerContext<'_>) -> Option<String>;

    /// A text about the current state.
    fn overview(&self, scene: &PowerContext<'_>) -> String;

    /// Lines for the daily summary.
    fn brief(&self, _scene: &PowerContext<'_>) -> Option<String> {
        None
    }

    /// Its entries for a range of days, inclusive.
    fn between(&self, _from: NaiveDate, _to: NaiveDate) -> Vec<String> {
        Vec::new()
    }

    /// Its next alarm after now.
    fn alarm(&self, _scene: &PowerContext<'_>) -> Option<Timestamp> {
        None
    }

    /// Handles the alarm that was set for `at`.
    fn on_alarm(&mut self, _at: Timestamp, _scene: &PowerContext<'_>) -> Option<String> {
        None
    }

    /// Removes the entries of a user.
    fn erase(&mut self, _by: i64) {}
}

/// Limit of a state's JSON. The superpowers' own limits keep it far below.
const STATE_BYTES_MAX: usize = 512 * 1024;

impl Power {
    /// In the order in which they are tried for a message.
    pub const ALL: [Self; 9] = [
        Self::BirthdayReminder,
        Self::BillSplit,
        Self::FocusProtector,
        Self::DailySummary,
        Self::HabitTracker,
        Self::BudgetTracker,
        Self::MoodTracker,
        Self::TripPlanner,
        Self::TodoList,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Self::TodoList => "todo_list",
            Self::BillSplit => "bill_split",
            Self::TripPlanner => "trip_planner",
            Self::BirthdayReminder => "birthday_reminder",
            Self::HabitTracker => "habit_tracker",
            Self::BudgetTracker => "budget_tracker",
            Self::MoodTracker => "mood_tracker",
            Self::FocusProtector => "focus_protector",
            Self::DailySummary => "daily_summary",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|power| power.name() == name)
    }

    /// Whether its state is shared in a group; the others' states are personal.
    pub const fn is_shared(self) -> bool {
        matches!(self, Self::TodoList | Self::BillSplit | Self::TripPlanner)
    }

    /// Whether it sends messages by itself.
    pub const fn has_alarms(self) -> bool {
        matches!(
            self,
            Self::BirthdayReminder | Self::FocusProtector | Self::DailySummary
        )
    }

    /// Its name for people.
    pub const fn title(self) -> &'static str {
        match self {
            Self::TodoList => "to-do list",
            Self::BillSplit => "bill",
            Self::TripPlanner => "trip",
            Self::BirthdayReminder => "birthdays",
            Self::HabitTracker => "habits",
            Self::BudgetTracker => "budget",
            Self::MoodTracker => "mood diary",
            Self::FocusProtector => "focus",
            Self::DailySummary => "daily summary",
        }
    }

    /// Its line in the help text.
    pub const fn help(self) -> &'static str {
        match self {
            Self::TodoList => {
                "To-do list: “add milk and eggs to my list”, “what's on my list?”, “done with milk”"
            }
            Self::BillSplit => {
                "Bills: “split 90 dollars between Ana, Bo and me”, “Ana paid 30 for pizza”, “who owes what?”"
            }
            Self::TripPlanner => {
                "Trips: “plan a trip to Lisbon from 3 to 7 June”, “add day 2: museum”, “show my trip”"
            }
            Self::BirthdayReminder => "Birthdays: “Ana's birthday is on 3 May”, “birthdays”",
            Self::HabitTracker => {
                "Habits: “track habit: run 3 times a week”, “I ran today”, “my habits”"
            }
            Self::BudgetTracker => {
                "Budget: “spent 12.50 on lunch”, “budget 400 for food”, “how much have I spent this month?”"
            }
            Self::MoodTracker => "Mood: “mood 7/10”, “how was my mood this week?”",
            Self::FocusProtector => "Focus: “focus for 45 minutes”, “stop focus”",
            Self::DailySummary => "Summary: “daily summary”, “send me my summary every day at 8am”",
        }
    }

    /// Applies `action` to a state. Fails when the state can't be parsed.
    pub fn act(
        self,
        kept: Option<&StoredState>,
        action: Action,
        scene: &PowerContext<'_>,
    ) -> Result<PowerOutcome, serde_json::Error> {
        match self {
            Self::TodoList => act::<todo_list::TodoState>(self, kept, action, scene),
            Self::BillSplit => act::<bill_split::BillSplitState>(self, kept, action, scene),
            Self::TripPlanner => act::<trip_planner::TripState>(self, kept, action, scene),
            Self::BirthdayReminder => {
                act::<birthday_reminder::BirthdayState>(self, kept, action, scene)
            }
            Self::HabitTracker => act::<habit_tracker::HabitState>(self, kept, action, scene),
            Self::BudgetTracker => act::<budget_tracker::BudgetState>(self, kept, action, scene),
            Self::MoodTracker => act::<mood_tracker::MoodState>(self, kept, action, scene),
            Self::FocusProtector => act::<focus_protector::FocusState>(self, kept, action, scene),
            Self::DailySummary => {
                act::<daily_summary::DailySummaryState>(self, kept, action, scene)
            }
        }
    }

    /// Handles the alarm that it set for `at`.
    pub fn on_alarm(
        self,
        kept: &StoredState,
        at: Timestamp,
        scene: &PowerContext<'_>,
    ) -> Result<PowerOutcome, serde_json::Error> {
        match self {
            Self::BirthdayReminder => on_alarm::<birthday_reminder::BirthdayState>(kept, at, scene),
            Self::FocusProtector => on_alarm::<focus_protector::FocusState>(kept, at, scene),
            Self::DailySummary => on_alarm::<daily_summary::DailySummaryState>(kept, at, scene),
            _ => Ok(PowerOutcome {
                said: None,
                kept: None,
                alarm: None,
            }),
        }
    }

    /// Its lines about today for the daily summary.
    pub fn brief(self, kept: &StoredState, scene: &PowerContext<'_>) -> Option<String> {
        match self {
            Self::TodoList => brief::<todo_list::TodoState>(kept, scene),
            Self::TripPlanner => brief::<trip_planner::TripState>(kept, scene),
            Self::BirthdayReminder => brief::<birthday_reminder::BirthdayState>(kept, scene),
            Self::HabitTracker => brief::<habit_tracker::HabitState>(kept, scene),
            Self::BudgetTracker => brief::<budget_tracker::BudgetState>(kept, scene),
            Self::MoodTracker => brief::<mood_tracker::MoodState>(kept, scene),
            Self::BillSplit | Self::FocusProtector | Self::DailySummary => None,
        }
    }

    /// Its entries for a range of days, inclusive: birthdays and trips.
    pub fn between(self, kept: &StoredState, from: NaiveDate, to: NaiveDate) -> Vec<String> {
        match self {
            Self::TripPlanner => between::<trip_planner::TripState>(kept, from, to),
            Self::BirthdayReminder => between::<birthday_reminder::BirthdayState>(kept, from, to),
            _ => Vec::new(),
        }
    }

    /// A group's state without the entries of a user.
    pub fn redact_user(
        self,
        kept: &StoredState,
        by: i64,
    ) -> Result<StoredState, serde_json::Error> {
        match self {
            Self::TodoList => redact_user::<todo_list::TodoState>(kept, by),
            Self::BillSplit => redact_user::<bill_split::BillSplitState>(kept, by),
            Self::TripPlanner => redact_user::<trip_planner::TripState>(kept, by),
            _ => Ok(StoredState::default()),
        }
    }
}

fn read<S: Superpower>(kept: Option<&StoredState>) -> Result<S, serde_json::Error> {
    kept.map_or_else(
        || Ok(S::default()),
        |kept| serde_json::from_str(&kept.state),
    )
}

fn act<S: Superpower>(
    power: Power,
    kept: Option<&StoredState>,
    action: Action,
    scene: &PowerContext<'_>,
) -> Result<PowerOutcome, serde_json::Error> {
    let before = read::<S>(kept)?;
    match action {
        Action::Overview => Ok(PowerOutcome {
            said: Some(before.overview(scene)),
            kept: None,
            alarm: before.alarm(scene),
        }),
        Action::Undo => undo(power, &before, kept, scene),
        action => {
            let Some(action) = S::own(action) else {
                return Ok(unchanged(&before, Some(before.overview(scene)), scene));
            };
            let mut after = before.clone();
            let said = after.apply(action, scene);
            if said.is_none() || after == before {
                return Ok(unchanged(&before, said, scene));
            }
            let state = serde_json::to_string(&after)?;
            if state.len() > STATE_BYTES_MAX {
                return Ok(unchanged(&before, Some(full(power)), scene));
            }
            let previous = match kept {
                Some(kept) => kept.state.clone(),
                None => serde_json::to_string(&S::default())?,
            };
            Ok(PowerOutcome {
                said,
                alarm: after.alarm(scene),
                kept: Some(StoredState {
                    state,
                    previous: Some(previous),
                }),
            })
        }
    }
}

fn unchanged<S: Superpower>(
    state: &S,
    said: Option<String>,
    scene: &PowerContext<'_>,
) -> PowerOutcome {
    PowerOutcome {
        said,
        kept: None,
        alarm: state.alarm(scene),
    }
}

fn full(power: Power) -> String {
    format!(
        "Your {} is as long as I can keep it. Please clear some of it first.",
        power.title()
    )
}

fn undo<S: Superpower>(
    power: Power,
    now: &S,
    kept: Option<&StoredState>,
    scene: &PowerContext<'_>,
) -> Result<PowerOutcome, serde_json::Error> {
    let Some(previous) = kept.and_then(|kept| kept.previous.as_ref()) else {
        let said = format!("There's nothing to undo for the {}.", power.title());
        return Ok(unchanged(now, Some(said), scene));
    };
    let before: S = serde_json::from_str(previous)?;
    Ok(PowerOutcome {
        said: Some(format!(
            "Okay, I've taken back the last change.\n{}",
            before.overview(scene)
        )),
        alarm: before.alarm(scene),
        kept: Some(StoredState {
            state: previous.clone(),
            previous: None,
        }),
    })
}

fn on_alarm<S: Superpower>(
    kept: &StoredState,
    at: Timestamp,
    scene: &PowerContext<'_>,
) -> Result<PowerOutcome, serde_json::Error> {
    let before = read::<S>(Some(kept))?;
    let mut after = before.clone();
    let said = after.on_alarm(at, scene);
    Ok(PowerOutcome {
        said,
        alarm: after.alarm(scene),
        kept: (after != before).then_some(StoredState {
            state: serde_json::to_string(&after)?,
            previous: None,
        }),
    })
}

fn brief<S: Superpower>(kept: &StoredState, scene: &PowerContext<'_>) -> Option<String> {
    read::<S>(Some(kept)).ok()?.brief(scene)
}

fn between<S: Superpower>(kept: &StoredState, from: NaiveDate, to: NaiveDate) -> Vec<String> {
    read::<S>(Some(kept)).map_or_else(|_| Vec::new(), |state| state.between(from, to))
}

fn redact_user<S: Superpower>(
    kept: &StoredState,
    by: i64,
) -> Result<StoredState, serde_json::Error> {
    let mut state = read::<S>(Some(kept))?;
    state.erase(by);
    Ok(StoredState {
        state: serde_json::to_string(&state)?,
        previous: None,
    })
}
