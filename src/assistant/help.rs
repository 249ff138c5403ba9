//! The groups of the help, and what each tells: at most four lines in `help`, more in `help
//! reminders`. It names only superpowers that the caller says are there.

use super::powers::power::Power;

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
        let powers = powers.iter().filter(|power| power.help_group() == self);
        own.iter()
            .copied()
            .chain(powers.map(|power| power.help()))
            .collect()
    }

    /// The same, with more examples.
    pub fn more(self, powers: &[Power]) -> Vec<&'static str> {
        let mut lines = self.lines(powers);
        lines.extend_from_slice(match self {
            Self::Reminders => &MORE_REMINDERS,
            Self::Memories => &MORE_MEMORIES,
            _ => &[],
        });
        let powers = powers.iter().filter(|power| power.help_group() == self);
        lines.extend(powers.flat_map(|power| power.more_help()));
        lines
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
    "One that is set: “make it 10”, “make it every day”, “cancel my reminder to call mom”",
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

impl Power {
    /// Where the help lists it.
    const fn help_group(self) -> HelpGroup {
        match self {
            Self::TodoList => HelpGroup::Lists,
            Self::BillSplit
            | Self::BudgetTracker
            | Self::MembershipRenewal
            | Self::CancellationProtector => HelpGroup::Money,
            Self::TripPlanner
            | Self::ReservationPrep
            | Self::TicketsVault
            | Self::PackageTracking => HelpGroup::Plans,
            Self::BirthdayReminder
            | Self::HabitTracker
            | Self::MoodTracker
            | Self::FocusProtector => HelpGroup::Days,
            Self::DailySummary
            | Self::EveningPrep
            | Self::PostEventCheckin
            | Self::CalendarMorning => HelpGroup::Summaries,
            Self::CalendarQueryAgent
            | Self::CalendarListAgent
            | Self::CalendarStressAgent
            | Self::CalendarEvents => HelpGroup::Calendar,
            Self::CallPrep | Self::DestinationPrep | Self::TravelBrain => HelpGroup::CallsAndTravel,
            Self::GmailMindreaderAgent | Self::EmailUrgency => HelpGroup::Mail,
        }
    }

    /// More examples of messages for it.
    const fn more_help(self) -> &'static [&'static str] {
        match self {
            Self::TodoList => &[
                "“add cheese to my groceries list”, “what's on my groceries list?”, “my lists”, “delete my groceries list”",
                "“add call the bank to my list for friday”: that day it is in “what do I have on friday?”",
                "“remove eggs”, “clear done items”, “clear my list”, “undo”",
            ],
            Self::BillSplit => &[
                "“split 100 by 4 people with 20% tip”, “Ana paid 45 just for her and Bo”, “clear the bill”",
            ],
            Self::BudgetTracker => &["“spent 5 on bus and 12 on lunch yesterday”, “my budget”"],
            Self::MembershipRenewal => &["“when does netflix renew?”"],
            Self::CancellationProtector => {
                &["“free cancellation until 12 march for the hotel”, “I cancelled netflix”"]
            }
            Self::TripPlanner => {
                &["“add a hat to my packing list”, “my trips”, “cancel my trip to Lisbon”"]
            }
            Self::ReservationPrep => {
                &["“I booked a hotel in Lisbon on 12 march”, “when is my dinner?”"]
            }
            Self::TicketsVault => &["“show my ticket for Coldplay”"],
            Self::PackageTracking => &["“the parcel from Zalando arrived”"],
            Self::BirthdayReminder => &["“when is Ana's birthday?”, “forget Ana's birthday”"],
            Self::HabitTracker => &["“did run”, “stop tracking run”"],
            Self::MoodTracker => &["“I feel great today”"],
            Self::FocusProtector => &["“focus until 5pm”"],
            Self::DailySummary => &["“stop my daily summary”"],
            Self::EveningPrep => &["“stop evening prep”"],
            Self::PostEventCheckin => &["“my check-ins”"],
            Self::CalendarQueryAgent => &["“how many meetings this week?”"],
            Self::CalendarListAgent => &["“turn on calendar Work”"],
            Self::DestinationPrep => &["“my way takes 20 minutes”"],
            Self::GmailMindreaderAgent => &["“did Ana write?”, “search my mail for invoice”"],
            Self::CalendarStressAgent
            | Self::CalendarMorning
            | Self::CalendarEvents
            | Self::CallPrep
            | Self::TravelBrain
            | Self::EmailUrgency => &[],
        }
    }
}

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
