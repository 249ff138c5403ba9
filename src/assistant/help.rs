//! The groups of the help, and what each tells: at most four lines in `help`, more in `help
//! reminders`. It names only superpowers that the caller says are there.

use crate::model::power::Power;

/// Lines of one group in the whole help.
pub const LINES_MAX: usize = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HelpGroup {
    Reminders,
    Memories,
    Lists,
    Money,
    Plans,
    Days,
    Summaries,
    Calendar,
    CallsAndTravel,
    Mail,
    Account,
}

impl HelpGroup {
    pub const ALL: [Self; 11] = [
        Self::Reminders,
        Self::Memories,
        Self::Lists,
        Self::Money,
        Self::Plans,
        Self::Days,
        Self::Summaries,
        Self::Calendar,
        Self::CallsAndTravel,
        Self::Mail,
        Self::Account,
    ];

    pub const fn title(self) -> &'static str {
        match self {
            Self::Reminders => "Reminders",
            Self::Memories => "Memories",
            Self::Lists => "Lists",
            Self::Money => "Money",
            Self::Plans => "Plans",
            Self::Days => "Days",
            Self::Summaries => "Summaries",
            Self::Calendar => "Calendar",
            Self::CallsAndTravel => "Calls and travel",
            Self::Mail => "Mail",
            Self::Account => "Account",
        }
    }

    /// The group that a word (lower case) names.
    pub fn named(word: &str) -> Option<Self> {
        Some(match word {
            "reminders" | "reminder" | "alarms" | "alarm" | "timers" | "timer" => Self::Reminders,
            "memories" | "memory" | "remembering" | "notes" => Self::Memories,
            "lists" | "list" | "todos" | "todo" | "to-do" | "to-dos" | "todo list"
            | "to-do list" | "groceries" | "shopping" => Self::Lists,
            "money" | "bills" | "bill" | "budget" | "expenses" | "splitting" | "renewals"
            | "subscriptions" | "trials" => Self::Money,
            "plans" | "trips" | "trip" | "bookings" | "reservations" | "tickets" | "parcels" => {
                Self::Plans
            }
            "days" | "birthdays" | "birthday" | "habits" | "habit" | "mood" | "focus" => Self::Days,
            "summaries" | "summary" | "daily summary" | "briefing" | "briefings" | "check-ins"
            | "evenings" | "mornings" => Self::Summaries,
            "calendar" | "calendars" | "my calendar" | "events" => Self::Calendar,
            "calls and travel" | "calls" | "meetings" | "meeting" | "travel" | "flights" => {
                Self::CallsAndTravel
            }
            "mail" | "mails" | "email" | "emails" | "my mail" => Self::Mail,
            "account" | "my account" | "status" | "settings" | "usage" => Self::Account,
            _ => return None,
        })
    }

    /// One line for each thing of the group. `powers`: the person's superpowers in this chat.
    pub fn lines(self, powers: &[Power]) -> Vec<&'static str> {
        let own = match self {
            Self::Reminders => &REMINDERS[..],
            Self::Memories => &MEMORIES[..],
            Self::Account => &ACCOUNT[..],
            _ => &[],
        };
        let powers = self
            .examples(powers)
            .filter_map(|examples| examples.first());
        own.iter().chain(powers).copied().collect()
    }

    /// Longer help, with more examples.
    pub fn more(self, powers: &[Power]) -> Vec<&'static str> {
        let mut lines = self.lines(powers);
        lines.extend_from_slice(match self {
            Self::Reminders => &MORE_REMINDERS,
            Self::Memories => &MORE_MEMORIES,
            _ => &[],
        });
        lines.extend(self.examples(powers).flat_map(|examples| &examples[1..]));
        lines
    }

    fn examples(self, powers: &[Power]) -> impl Iterator<Item = &'static [&'static str]> {
        let rows = powers
            .iter()
            .filter_map(|power| POWERS.iter().find(|row| row.0 == *power));
        let of_group = rows.filter(move |(_, group, _)| *group == self);
        of_group.map(|(.., examples)| *examples)
    }
}

const REMINDERS: [&str; 3] = [
    "“remind me tomorrow at 9 to call mom”, “remind me every monday at 8 to run”",
    "“reminders”, “cancel 2”, “snooze 10 min”, “move it to friday”, “undo”",
    "“what do I have tomorrow?”",
];

const MORE_REMINDERS: [&str; 6] = [
    "Times: “in 20 minutes”, “tonight”, “on friday at 18:30”, “on 24 december”, “at 3pm Berlin time”",
    "Again and again: “every day at 9”, “weekdays at 7”, “on the 1st of each month”, “every 3 hours until 8pm”; “next three dates” shows when",
    "Before something I know of: “remind me the day before my trip to pack”, “… the day before Ana's birthday”, “… an hour before my meeting”",
    "When one comes: “done”, “snooze till tomorrow”",
    "One that is set: “make it 10”, “make it every day”, “skip tomorrow”, “cancel my reminder to call mom”",
    "“reminders for friday”, “my reminders about mom”, “cancel all reminders for tomorrow”",
];

const MEMORIES: [&str; 2] = [
    "“remember that my bike lock code is 4321”, “what's my bike lock code?”",
    "“what do you remember?”, “forget my bike lock code”",
];

const MORE_MEMORIES: [&str; 2] = [
    "Before I forget something I show it and ask; “undo” brings it back for 10 minutes",
    "“forget everything” asks as well; in groups I neither tell nor change what I remember of you",
];

const ACCOUNT: [&str; 4] = [
    "“status”, “usage”",
    "“my name is Ana”, “my time zone is Europe/Berlin”",
    "“export my data”, “delete my account” say how",
    "The time and date, and a joke now and then",
];

/// Where the help lists a superpower, its line there, and more examples of messages for it.
#[rustfmt::skip] // a superpower's lines under its name
const POWERS: [(Power, HelpGroup, &[&str]); 26] = [
    (Power::TodoList, HelpGroup::Lists, &[
        "To-do list: “add milk and eggs to my list”, “what's on my list?”, “done with milk”",
        "“add cheese to my groceries list”, “what's on my groceries list?”, “my lists”, “delete my groceries list”",
        "“add call the bank to my list for friday”: that day it is in “what do I have on friday?”",
        "“remove eggs”, “clear done items”, “clear my list”, “undo”",
    ]),
    (Power::BillSplit, HelpGroup::Money, &[
        "Bills: “split 90 dollars between Ana, Bo and me”, “Ana paid 30 for pizza”, “who owes what?”",
        "“split 100 by 4 people with 20% tip”, “Ana paid 45 just for her and Bo”, “clear the bill”",
    ]),
    (Power::TripPlanner, HelpGroup::Plans, &[
        "Trips: “plan a trip to Lisbon from 3 to 7 June”, “add day 2: museum”, “show my trip”",
        "“add a hat to my packing list”, “my trips”, “cancel my trip to Lisbon”",
    ]),
    (Power::BirthdayReminder, HelpGroup::Days, &[
        "Birthdays: “Ana's birthday is on 3 May”, “birthdays”",
        "“when is Ana's birthday?”, “forget Ana's birthday”",
    ]),
    (Power::HabitTracker, HelpGroup::Days, &[
        "Habits: “track habit: run 3 times a week”, “I ran today”, “my habits”",
        "“did run”, “stop tracking run”",
    ]),
    (Power::BudgetTracker, HelpGroup::Money, &[
        "Budget: “spent 12.50 on lunch”, “budget 400 for food”, “how much have I spent this month?”",
        "“spent 5 on bus and 12 on lunch yesterday”, “my budget”",
    ]),
    (Power::MoodTracker, HelpGroup::Days, &[
        "Mood: “mood 7/10”, “how was my mood this week?”",
        "“I feel great today”",
    ]),
    (Power::FocusProtector, HelpGroup::Days, &[
        "Focus: “focus for 45 minutes”, “stop focus”",
        "“focus until 5pm”",
    ]),
    (Power::DailySummary, HelpGroup::Summaries, &[
        "Summary: “daily summary”, “send me my summary every day at 8am”",
        "“stop my daily summary”",
    ]),
    (Power::TicketsVault, HelpGroup::Plans, &[
        "Tickets: “keep this ticket: Coldplay, friday 20:00, seat 12”, “my tickets”",
        "“show my ticket for Coldplay”",
    ]),
    (Power::ReservationPrep, HelpGroup::Plans, &[
        "Bookings: “dinner at Luigi on friday at 8, +1555 0100”, “my reservations”",
        "“I booked a hotel in Lisbon on 12 march”, “when is my dinner?”",
    ]),
    (Power::MembershipRenewal, HelpGroup::Money, &[
        "Renewals: “netflix renews on 5 December”, “my renewals”",
        "“when does netflix renew?”",
    ]),
    (Power::CancellationProtector, HelpGroup::Money, &[
        "Cancel in time: “my netflix trial ends on 5 December”, “my trials”",
        "“free cancellation until 12 march for the hotel”, “I cancelled netflix”",
    ]),
    (Power::PackageTracking, HelpGroup::Plans, &[
        "Parcels: “my parcel from Zalando arrives on friday”, “where are my parcels?”",
        "“the parcel from Zalando arrived”",
    ]),
    (Power::PostEventCheckin, HelpGroup::Summaries, &[
        "Check-ins: “I have an interview tomorrow at 10”, and I ask how it was",
        "“my check-ins”",
    ]),
    (Power::EveningPrep, HelpGroup::Summaries, &[
        "Evenings: “evening prep”, “evening prep every day at 20:00”",
        "“stop evening prep”",
    ]),
    (Power::CalendarQueryAgent, HelpGroup::Calendar, &[
        "Calendar: “what's on friday?”, “when do I see Ana next?”, “am I free on the 3rd between 2 and 4?”",
        "“how many meetings this week?”",
    ]),
    (Power::CalendarListAgent, HelpGroup::Calendar, &[
        "Calendars: “which calendars”, “turn off calendar Work”",
        "“turn on calendar Work”",
    ]),
    (Power::CalendarStressAgent, HelpGroup::Calendar, &[
        "Week: “how is my week?”",
    ]),
    (Power::CalendarMorning, HelpGroup::Summaries, &[
        "Mornings: “morning briefing”, “morning briefing at 7:30”",
    ]),
    (Power::CalendarEvents, HelpGroup::Calendar, &[
        "Before events: “remind me an hour before meetings”",
    ]),
    (Power::CallPrep, HelpGroup::CallsAndTravel, &[
        "Calls: “prepare me for my next call”",
    ]),
    (Power::DestinationPrep, HelpGroup::CallsAndTravel, &[
        "On the way: “when do I have to leave?”, “it takes me 40 minutes to get to the office”",
        "“my way takes 20 minutes”",
    ]),
    (Power::GmailMindreaderAgent, HelpGroup::Mail, &[
        "Mail: “anything important in my mail?”, “mails from Ana”",
        "“did Ana write?”, “search my mail for invoice”",
    ]),
    (Power::EmailUrgency, HelpGroup::Mail, &[
        "Urgent mail: “any urgent mail?”",
    ]),
    (Power::TravelBrain, HelpGroup::CallsAndTravel, &[
        "Travel: “when's my flight?”, “where's my hotel?”, “my travel plans”",
    ]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_superpower_is_in_a_group_of_a_few_lines() {
        let lines = |group: HelpGroup| group.lines(&Power::ALL);
        let all: usize = HelpGroup::ALL.iter().map(|group| lines(*group).len()).sum();
        assert_eq!(
            all,
            Power::ALL.len() + REMINDERS.len() + MEMORIES.len() + ACCOUNT.len()
        );
        for group in HelpGroup::ALL {
            assert!((1..=LINES_MAX).contains(&lines(group).len()), "{group:?}");
            let word = group.title().to_lowercase();
            assert_eq!(HelpGroup::named(&word), Some(group));
        }
    }

    #[test]
    fn what_is_not_there_is_not_named() {
        let some = [Power::TodoList, Power::HabitTracker];
        assert_eq!(HelpGroup::Lists.lines(&some).len(), 1);
        assert!(HelpGroup::Lists.more(&some).len() > 1);
        assert!(HelpGroup::Mail.more(&some).is_empty());
        let days = HelpGroup::Days.more(&some).join(" ");
        assert!(
            days.contains("Habits") && !days.contains("birthday"),
            "{days}"
        );
    }
}
