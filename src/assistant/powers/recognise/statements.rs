//! Which actions store a person's statement. A question is answered instead, a doubt stores nothing.

use super::super::bill_split::BillSplitAction;
use super::super::birthday_reminder::BirthdayAction;
use super::super::budget_tracker::BudgetAction;
use super::super::cancellation_protector::CancellationAction;
use super::super::habit_tracker::HabitAction;
use super::super::membership_renewal::RenewalAction;
use super::super::mood_tracker::MoodAction;
use super::super::package_tracking::ParcelAction;
use super::super::post_event_checkin::CheckinAction;
use super::super::reservation_prep::ReservationAction;
use super::super::todo_list::TodoAction;
use super::super::{Action, Strength};

/// The name of what a statement is about, "" where it has none; `None` for all other actions.
pub(super) fn subject(action: &Action, strength: Strength) -> Option<&str> {
    let is_soft = strength == Strength::Soft;
    match action {
        Action::BirthdayReminder(BirthdayAction::Keep { .. } | BirthdayAction::Unclear)
        | Action::BudgetTracker(
            BudgetAction::Spent { .. }
            | BudgetAction::SpentIfInUse { .. }
            | BudgetAction::Budgets(_),
        )
        | Action::HabitTracker(HabitAction::Did { .. } | HabitAction::DidNot { .. })
        | Action::MoodTracker(MoodAction::Log { .. }) => Some(""),
        Action::BillSplit(
            BillSplitAction::Paid(_)
            | BillSplitAction::AllPaid(_)
            | BillSplitAction::Settled { .. }
            | BillSplitAction::Owes { .. }
            | BillSplitAction::PayersUnclear,
        ) => is_soft.then_some(""),
        Action::TodoList(TodoAction::Done(..)) => is_soft.then_some(""),
        Action::MembershipRenewal(action) => match action {
            RenewalAction::Keep { what, .. } => Some(what),
            RenewalAction::SetPeriod { about, .. } => Some(about.as_deref().unwrap_or("")),
            RenewalAction::AskTime(what) | RenewalAction::Cancelled(what) => Some(what),
            RenewalAction::UnclearTime(_) => Some(""),
            _ => None,
        },
        Action::CancellationProtector(action) => match action {
            CancellationAction::Keep { what, .. } | CancellationAction::AskTime(what) => Some(what),
            CancellationAction::Remove(what) if is_soft => Some(what),
            CancellationAction::UnclearTime(_) => Some(""),
            _ => None,
        },
        Action::PackageTracking(action) => match action {
            ParcelAction::Keep { what, .. } => Some(what),
            // "my parcel never arrived"
            ParcelAction::Remove {
                about,
                arrived: true,
            } => Some(about.as_deref().unwrap_or("")),
            ParcelAction::SetTime { .. } | ParcelAction::Late(_) | ParcelAction::UnclearTime(_) => {
                Some("")
            }
            _ => None,
        },
        // A restaurant may be called anything.
        Action::ReservationPrep(
            ReservationAction::Keep { .. }
            | ReservationAction::AskTime(_)
            | ReservationAction::UnclearTime(_)
            | ReservationAction::Cancelled(_),
        ) => Some(""),
        Action::PostEventCheckin(action) => match action {
            CheckinAction::Keep { what, .. } => Some(what),
            CheckinAction::UnclearTime(_) => Some(""),
            _ => None,
        },
        _ => None,
    }
}

/// The action that answers a question about something, for the action that would store it.
pub(super) fn answer(action: Action) -> Option<Action> {
    Some(match action {
        Action::BirthdayReminder(BirthdayAction::Keep { name, .. }) => {
            Action::BirthdayReminder(BirthdayAction::When(name))
        }
        Action::BillSplit(BillSplitAction::Owes { .. }) => Action::BillSplit(BillSplitAction::Owed),
        Action::BillSplit(_) => Action::BillSplit(BillSplitAction::Show),
        Action::MembershipRenewal(
            RenewalAction::Keep { what, .. }
            | RenewalAction::AskTime(what)
            | RenewalAction::SetPeriod {
                about: Some(what), ..
            },
        ) => Action::MembershipRenewal(RenewalAction::Show(what)),
        Action::CancellationProtector(
            CancellationAction::Keep { what, .. } | CancellationAction::AskTime(what),
        ) => Action::CancellationProtector(CancellationAction::Show(what)),
        Action::BudgetTracker(BudgetAction::Budgets(_)) => {
            Action::BudgetTracker(BudgetAction::ShowIfAny)
        }
        Action::PackageTracking(_) => Action::PackageTracking(ParcelAction::List),
        _ => return None,
    })
}

/// Whether it stores a day, which the reply repeats: also where somebody only believes or has heard
/// it.
pub(super) fn stores_day(action: &Action) -> bool {
    matches!(
        action,
        Action::BirthdayReminder(BirthdayAction::Keep { .. })
            | Action::MembershipRenewal(RenewalAction::Keep { .. })
            | Action::CancellationProtector(CancellationAction::Keep { .. })
            | Action::PackageTracking(ParcelAction::Keep { time: Some(_), .. })
            | Action::ReservationPrep(ReservationAction::Keep { .. })
            | Action::PostEventCheckin(CheckinAction::Keep { .. })
    )
}
