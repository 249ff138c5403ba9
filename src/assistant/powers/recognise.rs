//! Finds the superpowers that a message may request, and how explicitly. Cheap string work, without
//! state or access checks.

mod words;

use super::{Action, NoticeRequest, Power, Strength};
use super::{
    bill_split, birthday_reminder, budget_tracker, calendar_events, calendar_list_agent,
    calendar_morning, calendar_query_agent, calendar_stress_agent, call_prep,
    cancellation_protector, daily_summary, destination_prep, email_urgency, evening_prep,
    focus_protector, gmail_mindreader_agent, habit_tracker, membership_renewal, mood_tracker,
    package_tracking, post_event_checkin, preferences, reservation_prep, tickets_vault, todo_list,
    travel_brain, trip_planner,
};
use crate::assistant::MessageContext;
use crate::assistant::builtin::Talk;
use crate::assistant::builtin::listening::listen;
use words::may_ask;

/// Longer messages request none.
const TEXT_BYTES_MAX: usize = 4_096;

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
    /// About messages that come by themselves.
    pub notices: Option<NoticeRequest>,
    /// In a group: by name, or in answer to the assistant.
    pub spoken_to: bool,
}

impl PowerCalls {
    /// Whether any of it can start a session.
    pub fn may_begin(&self) -> bool {
        self.notices.is_some()
            || self
                .calls
                .iter()
                .any(|call| call.strength != Strength::InSession)
    }

    pub fn of(&self, power: Power) -> Option<&PowerCall> {
        self.calls.iter().find(|call| call.power == power)
    }
}

pub fn recognise(context: &MessageContext<'_>) -> PowerCalls {
    in_talk(&listen(context))
}

/// Of a parsed message; most cost only a check of their words.
pub(in crate::assistant) fn recognise_talk(talk: &Talk<'_>) -> PowerCalls {
    match talk.words.iter().any(may_ask) {
        true => in_talk(talk),
        false => PowerCalls::default(),
    }
}

fn in_talk(talk: &Talk<'_>) -> PowerCalls {
    if talk.context.text.len() > TEXT_BYTES_MAX || talk.words.len() == 0 {
        return PowerCalls::default();
    }
    PowerCalls {
        calls: Power::ALL
            .into_iter()
            .filter_map(|power| {
                let (strength, action) = parse(power, talk)?;
                let strength = match strength {
                    Strength::Clear if may_be_recalled(power, talk) => Strength::Soft,
                    strength => strength,
                };
                Some(PowerCall {
                    power,
                    strength,
                    action,
                })
            })
            .collect(),
        control: control(talk.request()),
        notices: preferences::parse(talk),
        spoken_to: talk.spoken_to,
    }
}

/// Whether it asks for what may as well be a memory, which only those are spared who have
/// the superpower. The first superpowers say so themselves.
fn may_be_recalled(power: Power, talk: &Talk<'_>) -> bool {
    let is_asked = matches!(
        talk.words.get(talk.start),
        "when" | "whens" | "where" | "wheres" | "what" | "whats"
    );
    is_asked
        && (power.has_plans()
            || power.uses_calendar()
            || power.uses_mail()
            || matches!(
                power,
                Power::PackageTracking
                    | Power::MembershipRenewal
                    | Power::CancellationProtector
                    | Power::CalendarQueryAgent
                    | Power::CalendarListAgent
            ))
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
        Power::TicketsVault => map(tickets_vault::parse(talk), Action::TicketsVault),
        Power::ReservationPrep => map(reservation_prep::parse(talk), Action::ReservationPrep),
        Power::MembershipRenewal => map(membership_renewal::parse(talk), Action::MembershipRenewal),
        Power::CancellationProtector => map(
            cancellation_protector::parse(talk),
            Action::CancellationProtector,
        ),
        Power::PackageTracking => map(package_tracking::parse(talk), Action::PackageTracking),
        Power::PostEventCheckin => map(post_event_checkin::parse(talk), Action::PostEventCheckin),
        Power::EveningPrep => map(evening_prep::parse(talk), Action::EveningPrep),
        Power::CalendarQueryAgent => map(
            calendar_query_agent::parse(talk),
            Action::CalendarQueryAgent,
        ),
        Power::CalendarListAgent => {
            map(calendar_list_agent::parse(talk), Action::CalendarListAgent)
        }
        Power::CalendarStressAgent => map(
            calendar_stress_agent::parse(talk),
            Action::CalendarStressAgent,
        ),
        Power::CalendarMorning => map(calendar_morning::parse(talk), Action::CalendarMorning),
        Power::CalendarEvents => map(calendar_events::parse(talk), Action::CalendarEvents),
        Power::CallPrep => map(call_prep::parse(talk), Action::CallPrep),
        Power::DestinationPrep => map(destination_prep::parse(talk), Action::DestinationPrep),
        Power::GmailMindreaderAgent => map(
            gmail_mindreader_agent::parse(talk),
            Action::GmailMindreaderAgent,
        ),
        Power::EmailUrgency => map(email_urgency::parse(talk), Action::EmailUrgency),
        Power::TravelBrain => map(travel_brain::parse(talk), Action::TravelBrain),
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
