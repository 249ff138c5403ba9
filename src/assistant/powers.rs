//! The builtin assistant's superpowers: which messages request one, how its state changes, and its
//! answers. Pure: the state is JSON in and JSON out. The caller checks access, stores the state and
//! triggers alarms.

mod bill_split;
mod birthday_reminder;
mod bookings;
mod budget_tracker;
mod calendar_events;
mod calendar_list_agent;
mod calendar_morning;
mod calendar_query_agent;
mod calendar_stress_agent;
mod call_prep;
mod cancellation_protector;
mod context;
mod daily_summary;
mod destination_prep;
mod effects;
mod email_urgency;
mod entries;
mod evening_prep;
mod events;
mod facts;
mod focus_protector;
mod gmail_mindreader_agent;
mod habit_tracker;
mod mails;
mod membership_renewal;
mod money;
mod mood_tracker;
mod names;
mod notice;
mod offers;
pub mod operations;
mod package_tracking;
mod pieces;
mod plan;
mod planned_time;
mod post_event_checkin;
mod power;
mod preferences;
mod recognise;
mod reservation_prep;
mod statement;
mod stored;
mod superpower;
#[cfg(test)]
mod tests;
mod tickets_vault;
mod todo_list;
mod tool_table;
mod travel_brain;
mod trip_planner;
mod waking_hours;

use chrono::NaiveDate;

use crate::clock::Timestamp;
pub use birthday_reminder::{StoredBirthday, birthdays, keep_again, remove_birthday};
pub use bookings::standing;
pub use calendar_query_agent::CalendarQuery;
pub use calendar_query_agent::changes::{EventChangeRequest, EventRef};
pub use context::PowerContext;
pub use destination_prep::travel_times;
pub use effects::{CalendarRequest, Effect};
pub use email_urgency::JUDGED_WITHIN_S;
pub use facts::{
    Booking, BookingDetails, CalendarName, Event, Facts, Mail, PlannedTrip, TravelTimes,
};
pub use pieces::{choice, minute_of_day};
pub use plan::Plan;
pub use post_event_checkin::{CheckinAnswer, checkin_answer};
pub use power::Power;
pub use preferences::{
    NOTICES_DESCRIPTION, NoticeArguments, NoticePreferences, NoticeRequest, PREFERENCES_NAME,
    notice_request,
};
pub(in crate::assistant) use recognise::recognise_message;
pub use recognise::{Control, PowerCall, PowerCalls, recognise};
use superpower::Superpower;
pub use superpower::{PowerOutcome, StoredState, Strength};
pub use tool_table::Operation;
pub use travel_brain::{dropped_stops, is_travel};
pub use trip_planner::planned_trips;
pub use waking_hours::WakingHours;

impl Power {
    /// What "stop" does to a superpower that runs only until the person is done.
    pub fn stop_of_running(self) -> Option<Action> {
        match self {
            Self::FocusProtector => {
                Some(Action::FocusProtector(focus_protector::FocusAction::Stop))
            }
            _ => None,
        }
    }
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
    TicketsVault(tickets_vault::TicketAction),
    ReservationPrep(reservation_prep::ReservationAction),
    MembershipRenewal(membership_renewal::RenewalAction),
    CancellationProtector(cancellation_protector::CancellationAction),
    PackageTracking(package_tracking::ParcelAction),
    PostEventCheckin(post_event_checkin::CheckinAction),
    EveningPrep(evening_prep::EveningAction),
    CalendarQueryAgent(calendar_query_agent::CalendarQuery),
    CalendarListAgent(calendar_list_agent::CalendarListAction),
    CalendarStressAgent(calendar_stress_agent::StressAction),
    CalendarMorning(calendar_morning::MorningAction),
    CalendarEvents(calendar_events::EventReminderAction),
    CallPrep(call_prep::CallPrepAction),
    DestinationPrep(destination_prep::DestinationAction),
    GmailMindreaderAgent(gmail_mindreader_agent::MailQuery),
    EmailUrgency(email_urgency::UrgencyAction),
    TravelBrain(travel_brain::TravelAction),
    /// Requested by name only: the overview.
    Overview,
    Undo,
}

impl Action {
    /// Whether it asks for an event. Somebody without a calendar is told so each time.
    pub const fn adds_event(&self) -> bool {
        matches!(self, Self::CalendarQueryAgent(CalendarQuery::Add(_)))
    }

    /// Whether it keeps somebody's birthday.
    pub const fn keeps_birthday(&self) -> bool {
        matches!(
            self,
            Self::BirthdayReminder(birthday_reminder::BirthdayAction::Keep { .. })
        )
    }

    /// Whether it names a list.
    pub fn names_list(&self) -> bool {
        matches!(self, Self::TodoList(action) if action.names_list())
    }
}

/// Calls a function with the type of a superpower's state.
macro_rules! for_state {
    ($power:expr, $function:ident($($argument:expr),*)) => {
        match $power {
            Power::TodoList => stored::$function::<todo_list::TodoState>($($argument),*),
            Power::BillSplit => stored::$function::<bill_split::BillSplitState>($($argument),*),
            Power::TripPlanner => stored::$function::<trip_planner::TripState>($($argument),*),
            Power::BirthdayReminder => stored::$function::<birthday_reminder::BirthdayState>($($argument),*),
            Power::HabitTracker => stored::$function::<habit_tracker::HabitState>($($argument),*),
            Power::BudgetTracker => stored::$function::<budget_tracker::BudgetState>($($argument),*),
            Power::MoodTracker => stored::$function::<mood_tracker::MoodState>($($argument),*),
            Power::FocusProtector => stored::$function::<focus_protector::FocusState>($($argument),*),
            Power::DailySummary => stored::$function::<daily_summary::DailySummaryState>($($argument),*),
            Power::TicketsVault => stored::$function::<tickets_vault::TicketState>($($argument),*),
            Power::ReservationPrep => stored::$function::<reservation_prep::ReservationState>($($argument),*),
            Power::MembershipRenewal => stored::$function::<membership_renewal::RenewalState>($($argument),*),
            Power::CancellationProtector => stored::$function::<cancellation_protector::CancellationState>($($argument),*),
            Power::PackageTracking => stored::$function::<package_tracking::ParcelState>($($argument),*),
            Power::PostEventCheckin => stored::$function::<post_event_checkin::CheckinState>($($argument),*),
            Power::EveningPrep => stored::$function::<evening_prep::EveningState>($($argument),*),
            Power::CalendarQueryAgent => stored::$function::<calendar_query_agent::CalendarQueryState>($($argument),*),
            Power::CalendarListAgent => stored::$function::<calendar_list_agent::CalendarListState>($($argument),*),
            Power::CalendarStressAgent => stored::$function::<calendar_stress_agent::StressState>($($argument),*),
            Power::CalendarMorning => stored::$function::<calendar_morning::MorningState>($($argument),*),
            Power::CalendarEvents => stored::$function::<calendar_events::EventReminderState>($($argument),*),
            Power::CallPrep => stored::$function::<call_prep::CallPrepState>($($argument),*),
            Power::DestinationPrep => stored::$function::<destination_prep::DestinationState>($($argument),*),
            Power::GmailMindreaderAgent => stored::$function::<gmail_mindreader_agent::MailQueryState>($($argument),*),
            Power::EmailUrgency => stored::$function::<email_urgency::UrgencyState>($($argument),*),
            Power::TravelBrain => stored::$function::<travel_brain::TravelState>($($argument),*),
        }
    };
}

impl Power {
    /// Applies `action` to a state. Fails when the state can't be parsed.
    pub fn act(
        self,
        stored: Option<&StoredState>,
        action: Action,
        context: &PowerContext<'_>,
    ) -> Result<PowerOutcome, serde_json::Error> {
        match (self, action) {
            (Self::TodoList, Action::TodoList(action)) => {
                stored::act::<todo_list::TodoState>(self, stored, action, context)
            }
            (Self::BillSplit, Action::BillSplit(action)) => {
                stored::act::<bill_split::BillSplitState>(self, stored, action, context)
            }
            (Self::TripPlanner, Action::TripPlanner(action)) => {
                stored::act::<trip_planner::TripState>(self, stored, action, context)
            }
            (Self::BirthdayReminder, Action::BirthdayReminder(action)) => {
                stored::act::<birthday_reminder::BirthdayState>(self, stored, action, context)
            }
            (Self::HabitTracker, Action::HabitTracker(action)) => {
                stored::act::<habit_tracker::HabitState>(self, stored, action, context)
            }
            (Self::BudgetTracker, Action::BudgetTracker(action)) => {
                stored::act::<budget_tracker::BudgetState>(self, stored, action, context)
            }
            (Self::MoodTracker, Action::MoodTracker(action)) => {
                stored::act::<mood_tracker::MoodState>(self, stored, action, context)
            }
            (Self::FocusProtector, Action::FocusProtector(action)) => {
                stored::act::<focus_protector::FocusState>(self, stored, action, context)
            }
            (Self::DailySummary, Action::DailySummary(action)) => {
                stored::act::<daily_summary::DailySummaryState>(self, stored, action, context)
            }
            (Self::TicketsVault, Action::TicketsVault(action)) => {
                stored::act::<tickets_vault::TicketState>(self, stored, action, context)
            }
            (Self::ReservationPrep, Action::ReservationPrep(action)) => {
                stored::act::<reservation_prep::ReservationState>(self, stored, action, context)
            }
            (Self::MembershipRenewal, Action::MembershipRenewal(action)) => {
                stored::act::<membership_renewal::RenewalState>(self, stored, action, context)
            }
            (Self::CancellationProtector, Action::CancellationProtector(action)) => {
                stored::act::<cancellation_protector::CancellationState>(
                    self, stored, action, context,
                )
            }
            (Self::PackageTracking, Action::PackageTracking(action)) => {
                stored::act::<package_tracking::ParcelState>(self, stored, action, context)
            }
            (Self::PostEventCheckin, Action::PostEventCheckin(action)) => {
                stored::act::<post_event_checkin::CheckinState>(self, stored, action, context)
            }
            (Self::EveningPrep, Action::EveningPrep(action)) => {
                stored::act::<evening_prep::EveningState>(self, stored, action, context)
            }
            (Self::CalendarQueryAgent, Action::CalendarQueryAgent(action)) => {
                stored::act::<calendar_query_agent::CalendarQueryState>(
                    self, stored, action, context,
                )
            }
            (Self::CalendarListAgent, Action::CalendarListAgent(action)) => {
                stored::act::<calendar_list_agent::CalendarListState>(self, stored, action, context)
            }
            (Self::CalendarStressAgent, Action::CalendarStressAgent(action)) => {
                stored::act::<calendar_stress_agent::StressState>(self, stored, action, context)
            }
            (Self::CalendarMorning, Action::CalendarMorning(action)) => {
                stored::act::<calendar_morning::MorningState>(self, stored, action, context)
            }
            (Self::CalendarEvents, Action::CalendarEvents(action)) => {
                stored::act::<calendar_events::EventReminderState>(self, stored, action, context)
            }
            (Self::CallPrep, Action::CallPrep(action)) => {
                stored::act::<call_prep::CallPrepState>(self, stored, action, context)
            }
            (Self::DestinationPrep, Action::DestinationPrep(action)) => {
                stored::act::<destination_prep::DestinationState>(self, stored, action, context)
            }
            (Self::GmailMindreaderAgent, Action::GmailMindreaderAgent(action)) => {
                stored::act::<gmail_mindreader_agent::MailQueryState>(self, stored, action, context)
            }
            (Self::EmailUrgency, Action::EmailUrgency(action)) => {
                stored::act::<email_urgency::UrgencyState>(self, stored, action, context)
            }
            (Self::TravelBrain, Action::TravelBrain(action)) => {
                stored::act::<travel_brain::TravelState>(self, stored, action, context)
            }
            (_, Action::Undo) => for_state!(self, undo(self, stored, context)),
            // Also for an action of another superpower.
            _ => for_state!(self, overview(stored, context)),
        }
    }

    /// Handles the alarm that it set for `at`.
    pub fn on_alarm(
        self,
        stored: Option<&StoredState>,
        at: Timestamp,
        context: &PowerContext<'_>,
    ) -> Result<PowerOutcome, serde_json::Error> {
        for_state!(self, on_alarm(stored, at, context))
    }

    /// The time of its next own message.
    pub fn alarm(
        self,
        stored: Option<&StoredState>,
        context: &PowerContext<'_>,
    ) -> Result<Option<Timestamp>, serde_json::Error> {
        for_state!(self, alarm(stored, context))
    }

    /// Its lines about today for the daily summary.
    pub fn brief(self, stored: Option<&StoredState>, context: &PowerContext<'_>) -> Option<String> {
        for_state!(self, brief(stored, context))
    }

    /// What it knows of those days, from the first to the last.
    pub fn between(
        self,
        stored: Option<&StoredState>,
        days: (NaiveDate, NaiveDate),
        context: &PowerContext<'_>,
    ) -> Vec<String> {
        for_state!(self, between(stored, days, context))
    }

    /// Its plans for coming days, for other superpowers.
    pub fn plans(self, stored: Option<&StoredState>, context: &PowerContext<'_>) -> Vec<Plan> {
        for_state!(self, plans(stored, context))
    }

    /// Coming events before which somebody may want a reminder.
    pub fn occasions(self, stored: Option<&StoredState>, context: &PowerContext<'_>) -> Vec<Plan> {
        for_state!(self, occasions(stored, context))
    }

    /// A group's state without the entries of a user.
    pub fn redact_user(
        self,
        stored: &StoredState,
        by: i64,
    ) -> Result<StoredState, serde_json::Error> {
        if !self.is_shared() {
            return Ok(StoredState::default());
        }
        for_state!(self, redact_user(stored, by))
    }
}
