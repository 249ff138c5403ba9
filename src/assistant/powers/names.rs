//! What superpowers are called: their names in flags and rows, what people call them, and
//! their lines in the help.

use super::Power;

impl Power {
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
            Self::TicketsVault => "tickets_vault",
            Self::ReservationPrep => "reservation_prep",
            Self::MembershipRenewal => "membership_renewal",
            Self::CancellationProtector => "cancellation_protector",
            Self::PackageTracking => "package_tracking",
            Self::PostEventCheckin => "post_event_checkin",
            Self::EveningPrep => "evening_prep",
            Self::CalendarQueryAgent => "calendar_query_agent",
            Self::CalendarListAgent => "calendar_list_agent",
            Self::CalendarStressAgent => "calendar_stress_agent",
            Self::CalendarMorning => "calendar_morning",
            Self::CalendarEvents => "calendar_events",
            Self::CallPrep => "call_prep",
            Self::DestinationPrep => "destination_prep",
            Self::GmailMindreaderAgent => "gmail_mindreader_agent",
            Self::EmailUrgency => "email_urgency",
            Self::TravelBrain => "travel_brain",
        }
    }

    /// What people call it.
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
            Self::TicketsVault => "tickets",
            Self::ReservationPrep => "reservations",
            Self::MembershipRenewal => "renewals",
            Self::CancellationProtector => "cancellations",
            Self::PackageTracking => "parcels",
            Self::PostEventCheckin => "check-ins",
            Self::EveningPrep => "evening prep",
            Self::CalendarQueryAgent => "calendar questions",
            Self::CalendarListAgent => "calendars",
            Self::CalendarStressAgent => "week check",
            Self::CalendarMorning => "morning briefing",
            Self::CalendarEvents => "calendar reminders",
            Self::CallPrep => "call prep",
            Self::DestinationPrep => "leaving times",
            Self::GmailMindreaderAgent => "mail questions",
            Self::EmailUrgency => "urgent mail",
            Self::TravelBrain => "travel",
        }
    }

    /// Its line in the help.
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
            Self::TicketsVault => {
                "Tickets: “keep this ticket: Coldplay, friday 20:00, seat 12”, “my tickets”"
            }
            Self::ReservationPrep => {
                "Bookings: “dinner at Luigi on friday at 8, +1555 0100”, “my reservations”"
            }
            Self::MembershipRenewal => "Renewals: “netflix renews on 5 December”, “my renewals”",
            Self::CancellationProtector => {
                "Cancel in time: “my netflix trial ends on 5 December”, “my trials”"
            }
            Self::PackageTracking => {
                "Parcels: “my parcel from Zalando arrives on friday”, “where are my parcels?”"
            }
            Self::PostEventCheckin => {
                "Check-ins: “I have an interview tomorrow at 10”, and I ask how it was"
            }
            Self::EveningPrep => "Evenings: “evening prep”, “evening prep every day at 20:00”",
            Self::CalendarQueryAgent => {
                "Calendar: “what's on friday?”, “when do I see Ana next?”, “am I free on the 3rd between 2 and 4?”"
            }
            Self::CalendarListAgent => "Calendars: “which calendars”, “turn off calendar Work”",
            Self::CalendarStressAgent => "Week: “how is my week?”",
            Self::CalendarMorning => "Mornings: “morning briefing”, “morning briefing at 7:30”",
            Self::CalendarEvents => "Before events: “remind me an hour before meetings”",
            Self::CallPrep => "Calls: “prepare me for my next call”",
            Self::DestinationPrep => {
                "On the way: “when do I have to leave?”, “it takes me 40 minutes to get to the office”"
            }
            Self::GmailMindreaderAgent => {
                "Mail: “anything important in my mail?”, “mails from Ana”"
            }
            Self::EmailUrgency => "Urgent mail: “any urgent mail?”",
            Self::TravelBrain => {
                "Travel: “when's my flight?”, “where's my hotel?”, “my travel plans”"
            }
        }
    }
}
