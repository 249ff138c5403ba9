//! The table of the superpowers: a line for each names the types of its state and of its
//! actions. What can be asked of each superpower follows from them.

use serde_json::Value;

use super::context::PowerContext;
use super::day_span::DaySpan;
use super::lacking::{AnswerKind, LackingPart};
use super::operations::{Arguments, CallContext, Result as ToolResult, read, schema};
use super::plan::Plan;
use super::stored::{self, read as read_state};
use super::superpower::{PowerOutcome, RequestStrength, StoredState, Superpower};
use super::{
    bill_split, birthday_reminder, budget_tracker, calendar_events, calendar_list_agent,
    calendar_morning, calendar_query_agent, calendar_stress_agent, call_prep,
    cancellation_protector, daily_summary, destination_prep, email_urgency, evening_prep,
    focus_protector, gmail_mindreader_agent, habit_tracker, membership_renewal, mood_tracker,
    package_tracking, post_event_checkin, reservation_prep, tickets_vault, todo_list, travel_brain,
    trip_planner,
};
use crate::model::power::Power;
use bill_split::BillSplitAction;
use birthday_reminder::BirthdayAction;
use budget_tracker::BudgetAction;
use calendar_query_agent::CalendarQuery;
use cancellation_protector::CancellationAction;
use daily_summary::DailySummaryAction;
use habit_tracker::HabitAction;
use membership_renewal::RenewalAction;
use package_tracking::ParcelAction;
use post_event_checkin::CheckinAction;
use reservation_prep::ReservationAction;
use todo_list::TodoAction;
use trip_planner::TripAction;

use crate::assistant::builtin::{ParsedMessage, TimeChange};
use crate::clock::Timestamp;

/// Generates `PowerAction` and the methods of `Power` from lines
/// `Power: module::{State, Action}, reads Variant | …`. `State` is the stored state, which implements
/// `Superpower`. The variants of the action that are named only read, when a language model asks.
macro_rules! superpowers {
    ($($power:ident: $module:ident::{$state:ident, $action:ident}, reads $($read:ident)|*;)*) => {
        /// An action of one superpower.
        #[derive(Debug, Clone, PartialEq)]
        pub enum PowerAction {
            $($power($module::$action),)*
            /// Requested by name only: the overview.
            Overview,
            Undo,
            /// Nothing is done: the complete reply says why.
            Unclear(String),
        }

        impl PowerAction {
            /// Whether a language model that asks for it changes stored data.
            pub const fn changes(&self) -> bool {
                match self {
                    $(Self::$power($($module::$action::$read { .. })|*) => false,)*
                    _ => true,
                }
            }
        }

        impl Power {
            /// The action that a message requests of it, and how explicitly.
            pub(super) fn parse(
                self,
                message: &ParsedMessage,
            ) -> Option<(RequestStrength, PowerAction)> {
                match self {
                    $(Self::$power => {
                        let (strength, action) = $module::parse(message)?;
                        Some((strength, PowerAction::$power(action)))
                    })*
                }
            }

            /// Applies `action` to a state. Fails when the state can't be parsed.
            pub fn act(
                self,
                stored: Option<&StoredState>,
                action: PowerAction,
                context: &PowerContext,
            ) -> Result<PowerOutcome, serde_json::Error> {
                match (self, action) {
                    $((Self::$power, PowerAction::$power(action)) => {
                        stored::act::<$module::$state>(self, stored, action, context)
                    })*
                    $((Self::$power, PowerAction::Undo) => {
                        stored::undo::<$module::$state>(self, stored, context)
                    })*
                    $((Self::$power, PowerAction::Unclear(reply)) => {
                        stored::reply_only::<$module::$state>(stored, reply, context)
                    })*
                    // Also for an action of another superpower.
                    $((Self::$power, _) => {
                        stored::overview::<$module::$state>(stored, context)
                    })*
                }
            }

            /// Handles the alarm that it set for `at`.
            pub fn on_alarm(
                self,
                stored: Option<&StoredState>,
                at: Timestamp,
                context: &PowerContext,
            ) -> Result<PowerOutcome, serde_json::Error> {
                match self {
                    $(Self::$power => stored::on_alarm::<$module::$state>(stored, at, context),)*
                }
            }

            /// The time of its next own message.
            pub fn alarm(
                self,
                stored: Option<&StoredState>,
                context: &PowerContext,
            ) -> Result<Option<Timestamp>, serde_json::Error> {
                Ok(match self {
                    $(Self::$power => read_state::<$module::$state>(stored, context)?.alarm(context),)*
                })
            }

            /// Its lines about today for the daily summary.
            pub fn brief(
                self,
                stored: Option<&StoredState>,
                context: &PowerContext,
            ) -> Option<String> {
                match self {
                    $(Self::$power => read_state::<$module::$state>(stored, context).ok()?.brief(context),)*
                }
            }

            /// Its lines about that span.
            pub fn between(
                self,
                stored: Option<&StoredState>,
                span: DaySpan,
                context: &PowerContext,
            ) -> Vec<String> {
                match self {
                    $(Self::$power => read_state::<$module::$state>(stored, context)
                        .map_or_else(|_| Vec::new(), |state| state.between(span)),)*
                }
            }

            /// Its plans for coming days, for other superpowers.
            pub fn plans(
                self,
                stored: Option<&StoredState>,
                context: &PowerContext,
            ) -> Vec<Plan> {
                match self {
                    $(Self::$power => read_state::<$module::$state>(stored, context)
                        .map_or_else(|_| Vec::new(), |state| state.plans(context)),)*
                }
            }

            /// Coming events before which somebody may want a reminder.
            pub fn occasions(
                self,
                stored: Option<&StoredState>,
                context: &PowerContext,
            ) -> Vec<Plan> {
                match self {
                    $(Self::$power => read_state::<$module::$state>(stored, context)
                        .map_or_else(|_| Vec::new(), |state| state.occasions(context)),)*
                }
            }

            /// Its state as typed fields, for a language model.
            pub fn data(
                self,
                stored: Option<&StoredState>,
                context: &PowerContext,
            ) -> Option<Value> {
                match self {
                    $(Self::$power => read_state::<$module::$state>(stored, context).ok()?.data(context),)*
                }
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
                match self {
                    $(Self::$power => stored::redact_user::<$module::$state>(stored, by),)*
                }
            }

            /// The description of its tool, for models.
            pub const fn description(self) -> &'static str {
                match self {
                    $(Self::$power => <$module::Arguments as Arguments<$module::$action>>::DESCRIPTION,)*
                }
            }

            /// The JSON Schema of its tool's arguments.
            pub fn parameters(self) -> Value {
                match self {
                    $(Self::$power => schema::<$module::Arguments>(),)*
                }
            }

            /// What arguments (a model's JSON) mean.
            pub fn operation(self, arguments: &str, context: CallContext) -> ToolResult<PowerAction> {
                match self {
                    $(Self::$power => {
                        let action = read::<$module::Arguments>(arguments)?.action(context)?;
                        Ok(action.map_or(PowerAction::Undo, PowerAction::$power))
                    })*
                }
            }
        }
    };
}

superpowers! {
    GmailMindreaderAgent: gmail_mindreader_agent::{MailQueryState, MailQuery}, reads Important | From | About;
    EmailUrgency: email_urgency::{UrgencyState, UrgencyAction}, reads Show;
    TravelBrain: travel_brain::{TravelState, TravelAction}, reads Next | CheckIn | Leave | Trips;
    CalendarQueryAgent: calendar_query_agent::{CalendarQueryState, CalendarQuery}, reads Next | IsFree | Count | Add | Change;
    CalendarListAgent: calendar_list_agent::{CalendarListState, CalendarListAction}, reads List;
    CalendarStressAgent: calendar_stress_agent::{StressState, StressAction}, reads ThisWeek | NextWeek;
    CalendarMorning: calendar_morning::{MorningState, MorningAction}, reads Show;
    CalendarEvents: calendar_events::{EventReminderState, EventReminderAction}, reads Show;
    CallPrep: call_prep::{CallPrepState, CallPrepAction}, reads Show;
    DestinationPrep: destination_prep::{DestinationState, DestinationAction}, reads Show;
    TicketsVault: tickets_vault::{TicketState, TicketAction}, reads Show;
    PackageTracking: package_tracking::{ParcelState, ParcelAction}, reads List;
    CancellationProtector: cancellation_protector::{CancellationState, CancellationAction}, reads List;
    MembershipRenewal: membership_renewal::{RenewalState, RenewalAction}, reads List | Show;
    BirthdayReminder: birthday_reminder::{BirthdayState, BirthdayAction}, reads List | When;
    BillSplit: bill_split::{BillSplitState, BillSplitAction}, reads Show | Owed | Ways | Tip;
    FocusProtector: focus_protector::{FocusState, FocusAction}, reads Show;
    DailySummary: daily_summary::{DailySummaryState, DailySummaryAction}, reads Show;
    EveningPrep: evening_prep::{EveningState, EveningAction}, reads Show;
    PostEventCheckin: post_event_checkin::{CheckinState, CheckinAction}, reads List;
    ReservationPrep: reservation_prep::{ReservationState, ReservationAction}, reads List | Show;
    HabitTracker: habit_tracker::{HabitState, HabitAction}, reads List;
    BudgetTracker: budget_tracker::{BudgetState, BudgetAction}, reads Show | HowMuch;
    MoodTracker: mood_tracker::{MoodState, MoodAction}, reads Past;
    TripPlanner: trip_planner::{TripState, TripAction}, reads Show | List | PackingList;
    TodoList: todo_list::{TodoState, TodoAction}, reads Show | ShowLists;
}

impl PowerAction {
    /// What its reply asks for.
    pub fn lacks(&self, reply: &str) -> Option<LackingPart> {
        let time_after = |before: String| Some(LackingPart::time_after(before));
        match self {
            Self::TodoList(action) => {
                let (before, after) = action.lacks()?;
                Some(LackingPart::between(before, after))
            }
            Self::ReservationPrep(ReservationAction::AskTime(what)) => {
                time_after(format!("I booked {what} "))
            }
            Self::ReservationPrep(ReservationAction::AskDay { before, clock, .. })
            | Self::PostEventCheckin(CheckinAction::AskDay { before, clock, .. }) => {
                Some(LackingPart::day_between(before.clone(), clock.clone()))
            }
            Self::MembershipRenewal(RenewalAction::AskTime(what)) => {
                time_after(format!("{what} renews "))
            }
            Self::CancellationProtector(cancellation_protector::CancellationAction::AskTime(
                what,
            )) => time_after(format!("my {what} ends on ")),
            Self::FocusProtector(focus_protector::FocusAction::Begin) => {
                Some(LackingPart::between("focus ".to_owned(), String::new()))
            }
            Self::HabitTracker(HabitAction::Nothing) => {
                let before = "track habit: ".to_owned();
                Some(LackingPart::between(before, String::new()))
            }
            Self::TripPlanner(TripAction::Unclear) => {
                let before = "plan a trip to ".to_owned();
                Some(LackingPart::between(before, String::new()))
            }
            Self::PackageTracking(action) => time_after(action.lacks()?),
            Self::BirthdayReminder(action) => time_after(action.lacks(reply)?),
            Self::TicketsVault(action) => action.lacks(),
            Self::BillSplit(_) if reply.ends_with(bill_split::WHO_SHARES) => Some(LackingPart {
                answer: AnswerKind::People,
                ..LackingPart::between("split the bill between ".to_owned(), String::new())
            }),
            Self::BudgetTracker(BudgetAction::AmountMissing(what)) => {
                let after = format!(" on {what}");
                Some(LackingPart::between("spent ".to_owned(), after))
            }
            Self::TripPlanner(TripAction::Plan { from: None, .. }) => {
                let after = String::new();
                Some(LackingPart::between("my trip is ".to_owned(), after))
            }
            _ => None,
        }
    }

    /// The answer to a question about a booking that nothing else knows of.
    pub fn when_none_is_known(&self) -> Option<Self> {
        match self {
            Self::ReservationPrep(ReservationAction::Show(which)) => Some(Self::ReservationPrep(
                ReservationAction::NoneKept(which.clone()),
            )),
            Self::ReservationPrep(ReservationAction::Detail(words)) => {
                Some(Self::ReservationPrep(ReservationAction::NoDetail(words)))
            }
            Self::HabitTracker(HabitAction::ListIfAny { names_habits: true }) => {
                Some(Self::HabitTracker(HabitAction::List))
            }
            Self::TripPlanner(TripAction::Show(place)) if place.is_empty() => {
                Some(Self::TripPlanner(TripAction::Show(String::new())))
            }
            _ => None,
        }
    }

    /// Whether it asks for an event. Somebody without a calendar is told so each time.
    pub const fn adds_event(&self) -> bool {
        matches!(self, Self::CalendarQueryAgent(CalendarQuery::Add(_)))
    }

    /// Whether it keeps a booking or an event with its day.
    pub const fn keeps_plan(&self) -> bool {
        matches!(
            self,
            Self::ReservationPrep(ReservationAction::Keep { .. })
                | Self::PostEventCheckin(CheckinAction::Keep { .. })
        )
    }

    /// Whether it keeps a booking, of which the person is told before.
    pub const fn is_told_of_before(&self) -> bool {
        matches!(self, Self::ReservationPrep(ReservationAction::Keep { .. }))
    }

    /// Whether it keeps somebody's birthday.
    pub const fn keeps_birthday(&self) -> bool {
        matches!(
            self,
            Self::BirthdayReminder(
                BirthdayAction::Keep { .. }
                    | BirthdayAction::IsOn { .. }
                    | BirthdayAction::Ambiguous
            )
        )
    }

    /// Whether it takes back what was noted last, or ends what was just begun.
    pub fn removes_last(&self) -> bool {
        matches!(
            self,
            Self::BudgetTracker(BudgetAction::RemoveLast)
                | Self::DailySummary(DailySummaryAction::Stop)
        )
    }

    /// "all done" of a list.
    pub fn marks_all_done(&self) -> bool {
        matches!(self, Self::TodoList(TodoAction::AllDone(_)))
    }

    /// "i cancelled netflix", which may be a renewal, a trial and a booking.
    pub fn reports_cancelled(&self) -> bool {
        matches!(
            self,
            Self::MembershipRenewal(RenewalAction::Cancelled(_))
                | Self::CancellationProtector(CancellationAction::Remove(_))
                | Self::ReservationPrep(ReservationAction::Cancelled(_))
        )
    }

    /// Whether it is an amount and a word, which need not be an expense: "lunch 12".
    pub fn may_be_expense(&self) -> bool {
        matches!(self, Self::BudgetTracker(BudgetAction::SpentIfInUse(_)))
    }

    /// The same where no expense was told just before.
    pub fn set_apart(&mut self) {
        if let Self::BudgetTracker(BudgetAction::SpentIfInUse(supposed)) = self {
            supposed.is_more = false;
        }
    }

    /// Whether it is of the superpower in use, if that has what is named: the packing list, a
    /// payment.
    pub fn is_of_what_is_in_use(&self) -> bool {
        matches!(
            self,
            Self::TripPlanner(TripAction::OfListInUse(_))
                | Self::BillSplit(BillSplitAction::Remove { .. })
                | Self::BudgetTracker(BudgetAction::RemoveNamed(_))
        )
    }

    /// "change the sandwich to 8", where something was spent on a sandwich.
    pub fn changed_expense(text: &str) -> Option<Self> {
        budget_tracker::changed_amount(text).map(Self::BudgetTracker)
    }

    /// Whom it asks to see next: "when am i seeing sara".
    pub fn next_meeting_with(&self) -> Option<&str> {
        match self {
            Self::CalendarQueryAgent(CalendarQuery::Next(name)) => name.as_deref(),
            _ => None,
        }
    }

    /// The day of "am i free tomorrow at 8".
    pub fn asks_if_free(&self) -> Option<String> {
        match self {
            Self::CalendarQueryAgent(CalendarQuery::IsFree { day, .. }) => Some(day.to_string()),
            _ => None,
        }
    }

    /// Whether it names a list.
    pub fn names_list(&self) -> bool {
        matches!(self, Self::TodoList(action) if action.names_list())
    }
}

impl Power {
    /// The action of "make it an hour later" right after something was told to it.
    pub fn move_of_newest(self, to: TimeChange) -> Option<PowerAction> {
        Some(match self {
            Self::ReservationPrep => {
                PowerAction::ReservationPrep(ReservationAction::MoveNewest(to))
            }
            Self::PostEventCheckin => PowerAction::PostEventCheckin(CheckinAction::MoveNewest(to)),
            Self::PackageTracking => {
                let about = None;
                PowerAction::PackageTracking(ParcelAction::Move { about, to })
            }
            _ => return None,
        })
    }

    /// The action of "stop" for a superpower that runs only until the person is done.
    pub fn stop_of_running(self) -> Option<PowerAction> {
        match self {
            Self::FocusProtector => Some(PowerAction::FocusProtector(
                focus_protector::FocusAction::Stop,
            )),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
