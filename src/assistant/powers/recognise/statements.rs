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
use super::super::{PowerAction, RequestStrength};

/// The name of what a statement is about, "" where it has none; `None` for all other actions.
pub(super) fn subject(action: &PowerAction, strength: RequestStrength) -> Option<&str> {
    let is_soft = strength == RequestStrength::Soft;
    match action {
        PowerAction::BirthdayReminder(
            BirthdayAction::Keep { .. }
            | BirthdayAction::IsOn { .. }
            | BirthdayAction::Unclear
            | BirthdayAction::Ambiguous,
        )
        | PowerAction::BudgetTracker(
            BudgetAction::Spent(_)
            | BudgetAction::SpentIfInUse(_)
            | BudgetAction::Budgets(_)
            | BudgetAction::ChangeAmount(..)
            | BudgetAction::ChangeDay { .. }
            | BudgetAction::Recategorise { .. },
        )
        | PowerAction::HabitTracker(
            HabitAction::Did { .. } | HabitAction::DidNot { .. } | HabitAction::Each { .. },
        )
        | PowerAction::MoodTracker(MoodAction::Log { .. } | MoodAction::LogIfInUse { .. }) => {
            Some("")
        }
        PowerAction::BillSplit(
            BillSplitAction::Paid(_)
            | BillSplitAction::AllPaid(_)
            | BillSplitAction::Settled { .. }
            | BillSplitAction::Given { .. }
            | BillSplitAction::PaidUp(_)
            | BillSplitAction::ShareAll(_)
            | BillSplitAction::Owes { .. }
            | BillSplitAction::Each(_)
            | BillSplitAction::PayersUnclear,
        ) => is_soft.then_some(""),
        PowerAction::TodoList(TodoAction::Done(..)) => is_soft.then_some(""),
        PowerAction::MembershipRenewal(action) => match action {
            RenewalAction::Keep { what, .. } => Some(what),
            RenewalAction::SetPeriod { about, .. } => Some(about.as_deref().unwrap_or("")),
            RenewalAction::SetPrice { about, .. } => Some(about),
            RenewalAction::AskTime(what) | RenewalAction::Cancelled(what) => Some(what),
            RenewalAction::UnclearTime(_) => Some(""),
            _ => None,
        },
        PowerAction::CancellationProtector(action) => match action {
            CancellationAction::Keep { what, .. } | CancellationAction::AskTime(what) => Some(what),
            CancellationAction::Remove(what) if is_soft => Some(what),
            CancellationAction::UnclearTime(_) => Some(""),
            _ => None,
        },
        PowerAction::PackageTracking(action) => parcel(action),
        // A restaurant may be called anything.
        PowerAction::ReservationPrep(
            ReservationAction::Keep { .. }
            | ReservationAction::AskTime(_)
            | ReservationAction::AskDay { .. }
            | ReservationAction::UnclearTime(_)
            | ReservationAction::Cancelled(_),
        ) => Some(""),
        PowerAction::PostEventCheckin(action) => match action {
            CheckinAction::Keep { what, .. } => Some(what),
            CheckinAction::AskDay { .. } | CheckinAction::UnclearTime(_) => Some(""),
            _ => None,
        },
        _ => None,
    }
}

fn parcel(action: &ParcelAction) -> Option<&str> {
    match action {
        ParcelAction::Keep { what, .. } => Some(what),
        ParcelAction::Arrived(name) => Some(name),
        // "my parcel never arrived"
        ParcelAction::Remove {
            about,
            arrived: true,
        } => Some(about.as_deref().unwrap_or("")),
        ParcelAction::SetTime { .. }
        | ParcelAction::Move { .. }
        | ParcelAction::Late(_)
        | ParcelAction::UnclearTime(_) => Some(""),
        _ => None,
    }
}

/// The action that answers a question about something, for the action that would store it.
pub(super) fn answer(action: PowerAction) -> Option<PowerAction> {
    Some(match action {
        PowerAction::BirthdayReminder(
            BirthdayAction::Keep { name, .. } | BirthdayAction::IsOn { name, .. },
        ) => PowerAction::BirthdayReminder(BirthdayAction::When(name)),
        PowerAction::BillSplit(BillSplitAction::Owes { .. }) => {
            PowerAction::BillSplit(BillSplitAction::Owed(None))
        }
        PowerAction::BillSplit(_) => PowerAction::BillSplit(BillSplitAction::Show),
        PowerAction::MembershipRenewal(
            RenewalAction::Keep { what, .. }
            | RenewalAction::AskTime(what)
            | RenewalAction::SetPrice { about: what, .. }
            | RenewalAction::SetPeriod {
                about: Some(what), ..
            },
        ) => PowerAction::MembershipRenewal(RenewalAction::Show(what)),
        PowerAction::CancellationProtector(
            CancellationAction::Keep { what, .. } | CancellationAction::AskTime(what),
        ) => PowerAction::CancellationProtector(CancellationAction::Show(what)),
        PowerAction::BudgetTracker(BudgetAction::Budgets(_)) => {
            PowerAction::BudgetTracker(BudgetAction::ShowIfAny)
        }
        PowerAction::PackageTracking(_) => PowerAction::PackageTracking(ParcelAction::List),
        _ => return None,
    })
}

/// Whether it stores a day, which the reply repeats: also where somebody only believes or has heard
/// it.
pub(super) fn stores_day(action: &PowerAction) -> bool {
    matches!(
        action,
        PowerAction::BirthdayReminder(BirthdayAction::Keep { .. } | BirthdayAction::IsOn { .. })
            | PowerAction::MembershipRenewal(RenewalAction::Keep { .. })
            | PowerAction::CancellationProtector(CancellationAction::Keep { .. })
            | PowerAction::PackageTracking(ParcelAction::Keep { time: Some(_), .. })
            | PowerAction::ReservationPrep(ReservationAction::Keep { .. })
            | PowerAction::PostEventCheckin(CheckinAction::Keep { .. })
    )
}
