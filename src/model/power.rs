//! The superpowers: what they are called, which use what, and which write by themselves.

/// Generates `Power` from lines of its name in flags and rows, what people call it, and its
/// properties.
macro_rules! powers {
    ($($power:ident: $name:literal, $title:literal, [$($property:ident),*];)*) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Power {
            $($power,)*
        }

        impl Power {
            /// In the order in which a message is tried with them.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$power),*];

            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$power => $name,)*
                }
            }

            /// The key of the superpower's flag.
            pub const fn flag(self) -> &'static str {
                match self {
                    $(Self::$power => concat!("superpower.", $name, ".enabled"),)*
                }
            }

            /// The superpower's name for people.
            pub const fn title(self) -> &'static str {
                match self {
                    $(Self::$power => $title,)*
                }
            }

            const fn properties(self) -> u16 {
                match self {
                    $(Self::$power => const { all(&[$($property),*]) },)*
                }
            }
        }
    };
}

// Properties of superpowers; a function of `Power` asks for each.
const SHARED: u16 = 1 << 0;
const ALARMS: u16 = 1 << 1;
const MAIL: u16 = 1 << 2;
const NEEDS_CALENDAR: u16 = 1 << 3;
const CALENDAR: u16 = 1 << 4;
const BOOKINGS: u16 = 1 << 5;
const DAYS: u16 = 1 << 6;
const BRIEFING: u16 = 1 << 7;
const NEEDS_PLANS: u16 = 1 << 8;
const PLANS: u16 = 1 << 9;
const MONEY: u16 = 1 << 10;

// In the order in which a message is tried with them.
powers! {
    GmailMindreaderAgent: "gmail_mindreader_agent", "mail questions", [MAIL];
    EmailUrgency: "email_urgency", "urgent mail", [ALARMS, MAIL];
    TravelBrain: "travel_brain", "travel", [ALARMS, CALENDAR, BOOKINGS, DAYS, BRIEFING, PLANS];
    CalendarQueryAgent: "calendar_query_agent", "calendar questions", [NEEDS_CALENDAR, DAYS];
    CalendarListAgent: "calendar_list_agent", "calendars", [NEEDS_CALENDAR];
    CalendarStressAgent: "calendar_stress_agent", "week check", [NEEDS_CALENDAR];
    CalendarMorning: "calendar_morning", "morning briefing", [ALARMS, NEEDS_CALENDAR, CALENDAR];
    CalendarEvents: "calendar_events", "calendar reminders", [ALARMS, NEEDS_CALENDAR, CALENDAR];
    CallPrep: "call_prep", "call prep", [ALARMS, NEEDS_CALENDAR, CALENDAR];
    DestinationPrep: "destination_prep", "leaving times", [ALARMS, NEEDS_CALENDAR, CALENDAR];
    TicketsVault: "tickets_vault", "tickets", [ALARMS, BOOKINGS, DAYS, BRIEFING, PLANS];
    PackageTracking: "package_tracking", "parcels", [ALARMS, BOOKINGS, DAYS, BRIEFING];
    CancellationProtector: "cancellation_protector", "cancellations", [ALARMS, BOOKINGS, DAYS];
    MembershipRenewal: "membership_renewal", "renewals", [ALARMS, BOOKINGS, DAYS];
    BirthdayReminder: "birthday_reminder", "birthdays", [ALARMS, DAYS, BRIEFING];
    BillSplit: "bill_split", "bill", [SHARED, MONEY];
    FocusProtector: "focus_protector", "focus", [ALARMS];
    DailySummary: "daily_summary", "daily summary", [ALARMS];
    EveningPrep: "evening_prep", "evening prep", [ALARMS, CALENDAR, NEEDS_PLANS];
    PostEventCheckin: "post_event_checkin", "check-ins", [ALARMS, CALENDAR, DAYS, NEEDS_PLANS];
    ReservationPrep: "reservation_prep", "reservations", [ALARMS, BOOKINGS, DAYS, BRIEFING, PLANS];
    HabitTracker: "habit_tracker", "habits", [];
    BudgetTracker: "budget_tracker", "budget", [MONEY];
    MoodTracker: "mood_tracker", "mood diary", [];
    TripPlanner: "trip_planner", "trip", [SHARED, DAYS];
    TodoList: "todo_list", "to-do list", [SHARED];
}

const fn all(properties: &[u16]) -> u16 {
    let (mut bits, mut at) = (0, 0);
    while at < properties.len() {
        bits |= properties[at];
        at += 1;
    }
    bits
}

impl Power {
    const fn has(self, property: u16) -> bool {
        self.properties() & property != 0
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|power| power.name() == name)
    }

    /// Whether its state is shared in a group; the others' states are personal.
    pub const fn is_shared(self) -> bool {
        self.has(SHARED)
    }

    /// Whether it sends messages on its own.
    pub const fn has_alarms(self) -> bool {
        self.has(ALARMS)
    }

    /// Whether it uses a connected mailbox.
    pub const fn uses_mail(self) -> bool {
        self.has(MAIL)
    }

    /// Whether it has nothing to say without a connected calendar.
    pub const fn needs_calendar(self) -> bool {
        self.has(NEEDS_CALENDAR)
    }

    /// Whether it tells what others have written, in mails and events.
    pub const fn quotes_others(self) -> bool {
        self.uses_mail() || self.uses_bookings() || self.uses_calendar() || self.needs_calendar()
    }

    /// Whether its own messages depend on events of connected calendars.
    pub const fn uses_calendar(self) -> bool {
        self.has(CALENDAR)
    }

    /// Whether it uses bookings, parcels and the like from mails.
    pub const fn uses_bookings(self) -> bool {
        self.has(BOOKINGS)
    }

    /// Whether its entries are plans for a day.
    pub const fn keeps_days(self) -> bool {
        self.has(DAYS)
    }

    /// Whether the morning briefing includes its lines for the day.
    pub const fn is_in_morning_briefing(self) -> bool {
        self.has(BRIEFING)
    }

    /// Whether "stop these" ends its own messages. A focus session has its own end.
    pub const fn can_be_muted(self) -> bool {
        self.has_alarms() && !matches!(self, Self::FocusProtector)
    }

    /// Whether it uses plans of other superpowers and of calendars.
    pub const fn needs_plans(self) -> bool {
        self.has(NEEDS_PLANS)
    }

    /// Whether other superpowers use its plans.
    pub const fn has_plans(self) -> bool {
        self.has(PLANS)
    }

    /// Whether all that it can say is how to connect something.
    pub const fn lacks_service(self, has_calendar: bool, has_mailbox: bool) -> bool {
        match self {
            Self::TravelBrain => !has_calendar && !has_mailbox,
            power if power.needs_calendar() => !has_calendar,
            power if power.uses_mail() => !has_mailbox,
            _ => false,
        }
    }

    /// Whether it counts money.
    pub const fn is_about_money(self) -> bool {
        self.has(MONEY)
    }
}
