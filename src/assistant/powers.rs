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
mod kinds;
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
mod post_event_checkin;
mod preferences;
mod recognise;
mod reservation_prep;
mod said_time;
mod stored;
#[cfg(test)]
mod tests;
mod tickets_vault;
mod todo_list;
mod travel_brain;
mod trip_planner;

use chrono::NaiveDate;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::clock::{Timestamp, Zone};
pub use birthday_reminder::{StoredBirthday, birthdays, keep_again, remove_birthday};
pub use bookings::{Booking, BookingDetails, standing};
pub use calendar_query_agent::CalendarQuery;
pub use calendar_query_agent::changes::{EventChangeRequest, EventRef};
pub use destination_prep::{Ways, ways};
pub use effects::{CalendarRequest, Effect};
pub use email_urgency::JUDGED_WITHIN_S;
pub use events::{CalendarName, Event};
pub use facts::{Facts, Plan};
pub use mails::Mail;
pub use notice::WakingHours;
pub use pieces::choice;
pub use post_event_checkin::{CheckinAnswer, checkin_answer};
pub use preferences::{
    NOTICES_DESCRIPTION, NoticeArguments, NoticePreferences, NoticeRequest, PREFERENCES_NAME,
    notice_request,
};
pub use recognise::{
    Control, PowerCall, PowerCalls, Strength, Understanding, recognise, understand_all,
};
pub use travel_brain::{dropped_stops, is_travel};
pub use trip_planner::{PlannedTrip, planned_trips};

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
    TicketsVault,
    ReservationPrep,
    MembershipRenewal,
    CancellationProtector,
    PackageTracking,
    PostEventCheckin,
    EveningPrep,
    CalendarQueryAgent,
    CalendarListAgent,
    CalendarStressAgent,
    CalendarMorning,
    CalendarEvents,
    CallPrep,
    DestinationPrep,
    GmailMindreaderAgent,
    EmailUrgency,
    TravelBrain,
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
    /// Called by name only: how things stand.
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
    /// In these hours it writes by itself.
    pub waking: WakingHours,
    /// The person stopped what it writes by itself.
    pub muted: bool,
    /// What others know.
    pub facts: &'a Facts,
}

impl<'a> PowerContext<'a> {
    /// Of somebody who is alone with the assistant, outside of any message.
    pub fn alone(now: Timestamp, by: i64, facts: &'a Facts) -> Self {
        Self {
            now,
            timezone: None,
            group: false,
            by,
            name: None,
            sure: true,
            reachable: true,
            waking: WakingHours::default(),
            muted: false,
            facts,
        }
    }

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
    pub reply: Option<String>,
    /// The new state; `None` when nothing changed.
    pub stored: Option<StoredState>,
    /// The time of its next alarm.
    pub alarm: Option<Timestamp>,
    /// What the person was asked about: their answer is a memory of it.
    pub question: Option<String>,
    /// What others are to do.
    pub effect: Option<Effect>,
}

/// A superpower: its state and its actions.
trait Superpower: Clone + Default + PartialEq + Serialize + DeserializeOwned {
    type Action;

    /// The action, if it belongs to this superpower.
    fn own(action: Action) -> Option<Self::Action>;

    /// Takes in what others know. It is part of the state while it is used, and isn't kept.
    fn take_in(&mut self, _scene: &PowerContext<'_>) {}

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

    /// What it knows of the days to come, for others.
    fn plans(&self, _scene: &PowerContext<'_>) -> Vec<Plan> {
        Vec::new()
    }

    /// What somebody may want to be reminded before.
    fn occasions(&self, scene: &PowerContext<'_>) -> Vec<Plan> {
        self.plans(scene)
    }

    /// What its last message asked about.
    fn question(&self) -> Option<&str> {
        None
    }

    /// What others are to do about its last answer.
    fn effect(&self) -> Option<Effect> {
        None
    }

    /// Whether it differs from `other` at most in what is being spoken of, which `undo` passes over.
    fn is_same_but_in_use(&self, _other: &Self) -> bool {
        false
    }

    /// What `undo` brings back after `self` became `after`.
    fn before(&self, _after: &Self) -> Self {
        self.clone()
    }

    /// Takes away what the user of that number said.
    fn erase(&mut self, _by: i64) {}
}

/// Calls a function with the type of what a superpower keeps.
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
    /// In the order in which a message is tried with them.
    pub const ALL: [Self; 26] = [
        Self::GmailMindreaderAgent,
        Self::EmailUrgency,
        Self::TravelBrain,
        Self::CalendarQueryAgent,
        Self::CalendarListAgent,
        Self::CalendarStressAgent,
        Self::CalendarMorning,
        Self::CalendarEvents,
        Self::CallPrep,
        Self::DestinationPrep,
        Self::TicketsVault,
        Self::PackageTracking,
        Self::CancellationProtector,
        Self::MembershipRenewal,
        Self::BirthdayReminder,
        Self::BillSplit,
        Self::FocusProtector,
        Self::DailySummary,
        Self::EveningPrep,
        Self::PostEventCheckin,
        Self::ReservationPrep,
        Self::HabitTracker,
        Self::BudgetTracker,
        Self::MoodTracker,
        Self::TripPlanner,
        Self::TodoList,
    ];

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|power| power.name() == name)
    }

    /// Applies `action` to a state. Fails when the state can't be parsed.
    pub fn act(
        self,
        stored: Option<&StoredState>,
        action: Action,
        scene: &PowerContext<'_>,
    ) -> Result<PowerOutcome, serde_json::Error> {
        for_state!(self, act(self, stored, action, scene))
    }

    /// Handles the alarm that it set for `at`.
    pub fn on_alarm(
        self,
        stored: Option<&StoredState>,
        at: Timestamp,
        scene: &PowerContext<'_>,
    ) -> Result<PowerOutcome, serde_json::Error> {
        for_state!(self, on_alarm(stored, at, scene))
    }

    /// When it next has something to say by itself.
    pub fn alarm(
        self,
        stored: Option<&StoredState>,
        scene: &PowerContext<'_>,
    ) -> Result<Option<Timestamp>, serde_json::Error> {
        for_state!(self, alarm(stored, scene))
    }

    /// Its lines about today for the daily summary.
    pub fn brief(self, stored: Option<&StoredState>, scene: &PowerContext<'_>) -> Option<String> {
        for_state!(self, brief(stored, scene))
    }

    /// What it knows of those days, from the first to the last.
    pub fn between(
        self,
        stored: Option<&StoredState>,
        days: (NaiveDate, NaiveDate),
        scene: &PowerContext<'_>,
    ) -> Vec<String> {
        for_state!(self, between(stored, days, scene))
    }

    /// What it knows of the days to come, for others.
    pub fn plans(self, stored: Option<&StoredState>, scene: &PowerContext<'_>) -> Vec<Plan> {
        for_state!(self, plans(stored, scene))
    }

    /// Days to come before which somebody may want to be reminded.
    pub fn occasions(self, stored: Option<&StoredState>, scene: &PowerContext<'_>) -> Vec<Plan> {
        for_state!(self, occasions(stored, scene))
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
