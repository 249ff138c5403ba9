//! The superpowers as tools of a language model.

use serde_json::Value;

use super::operations::{Arguments, Moment, OwnOperation, Result, read, schema};
use super::{
    Action, Power, bill_split, birthday_reminder, budget_tracker, calendar_events,
    calendar_list_agent, calendar_morning, calendar_query_agent, calendar_stress_agent, call_prep,
    cancellation_protector, daily_summary, destination_prep, email_urgency, evening_prep,
    focus_protector, gmail_mindreader_agent, habit_tracker, membership_renewal, mood_tracker,
    package_tracking, post_event_checkin, reservation_prep, tickets_vault, todo_list, travel_brain,
    trip_planner,
};

/// What a call means.
#[derive(Debug, Clone, PartialEq)]
pub struct Operation {
    pub action: Action,
    /// It changes stored data; otherwise it only reads.
    pub changes: bool,
}

impl<A> OwnOperation<A> {
    fn into_operation(self, to_action: fn(A) -> Action) -> Operation {
        match self {
            Self::Read(action) => Operation {
                action: to_action(action),
                changes: false,
            },
            Self::Change(action) => Operation {
                action: to_action(action),
                changes: true,
            },
            Self::Undo => Operation {
                action: Action::Undo,
                changes: true,
            },
        }
    }
}

/// Reads the arguments of a call.
type OperationReader = Box<dyn Fn(&str, Moment) -> Result<Operation>>;

/// A superpower as a tool.
struct Row {
    description: &'static str,
    schema: fn() -> Value,
    operation: OperationReader,
}

impl Row {
    fn of<A: Arguments<Action: 'static>>(to_action: fn(A::Action) -> Action) -> Self {
        Self {
            description: A::DESCRIPTION,
            schema: schema::<A>,
            operation: Box::new(move |arguments, moment| {
                let operation = read::<A>(arguments)?.operation(moment)?;
                Ok(operation.into_operation(to_action))
            }),
        }
    }
}

impl Power {
    fn row(self) -> Row {
        match self {
            Self::TodoList => Row::of::<todo_list::Arguments>(Action::TodoList),
            Self::BillSplit => Row::of::<bill_split::Arguments>(Action::BillSplit),
            Self::TripPlanner => Row::of::<trip_planner::Arguments>(Action::TripPlanner),
            Self::BirthdayReminder => {
                Row::of::<birthday_reminder::Arguments>(Action::BirthdayReminder)
            }
            Self::HabitTracker => Row::of::<habit_tracker::Arguments>(Action::HabitTracker),
            Self::BudgetTracker => Row::of::<budget_tracker::Arguments>(Action::BudgetTracker),
            Self::MoodTracker => Row::of::<mood_tracker::Arguments>(Action::MoodTracker),
            Self::FocusProtector => Row::of::<focus_protector::Arguments>(Action::FocusProtector),
            Self::DailySummary => Row::of::<daily_summary::Arguments>(Action::DailySummary),
            Self::TicketsVault => Row::of::<tickets_vault::Arguments>(Action::TicketsVault),
            Self::ReservationPrep => {
                Row::of::<reservation_prep::Arguments>(Action::ReservationPrep)
            }
            Self::MembershipRenewal => {
                Row::of::<membership_renewal::Arguments>(Action::MembershipRenewal)
            }
            Self::CancellationProtector => {
                Row::of::<cancellation_protector::Arguments>(Action::CancellationProtector)
            }
            Self::PackageTracking => {
                Row::of::<package_tracking::Arguments>(Action::PackageTracking)
            }
            Self::PostEventCheckin => {
                Row::of::<post_event_checkin::Arguments>(Action::PostEventCheckin)
            }
            Self::EveningPrep => Row::of::<evening_prep::Arguments>(Action::EveningPrep),
            Self::CalendarQueryAgent => {
                Row::of::<calendar_query_agent::Arguments>(Action::CalendarQueryAgent)
            }
            Self::CalendarListAgent => {
                Row::of::<calendar_list_agent::Arguments>(Action::CalendarListAgent)
            }
            Self::CalendarStressAgent => {
                Row::of::<calendar_stress_agent::Arguments>(Action::CalendarStressAgent)
            }
            Self::CalendarMorning => {
                Row::of::<calendar_morning::Arguments>(Action::CalendarMorning)
            }
            Self::CalendarEvents => Row::of::<calendar_events::Arguments>(Action::CalendarEvents),
            Self::CallPrep => Row::of::<call_prep::Arguments>(Action::CallPrep),
            Self::DestinationPrep => {
                Row::of::<destination_prep::Arguments>(Action::DestinationPrep)
            }
            Self::GmailMindreaderAgent => {
                Row::of::<gmail_mindreader_agent::Arguments>(Action::GmailMindreaderAgent)
            }
            Self::EmailUrgency => Row::of::<email_urgency::Arguments>(Action::EmailUrgency),
            Self::TravelBrain => Row::of::<travel_brain::Arguments>(Action::TravelBrain),
        }
    }

    /// The tool's description for models.
    pub fn description(self) -> &'static str {
        self.row().description
    }

    /// The JSON Schema of the arguments.
    pub fn parameters(self) -> Value {
        (self.row().schema)()
    }

    /// What arguments (a model's JSON) mean.
    pub fn operation(self, arguments: &str, moment: Moment) -> Result<Operation> {
        (self.row().operation)(arguments, moment)
    }
}

#[cfg(test)]
mod tests;
