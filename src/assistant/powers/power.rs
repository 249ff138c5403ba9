//! The superpowers: what they are called, which use what, and which write by themselves.

/// Generates `Power` from lines of its name in flags and rows, and of what people call it.
macro_rules! powers {
    ($($power:ident: $name:literal, $title:literal;)*) => {
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

            /// What people call it.
            pub const fn title(self) -> &'static str {
                match self {
                    $(Self::$power => $title,)*
                }
            }
        }
    };
}

// In the order in which a message is tried with them.
powers! {
    GmailMindreaderAgent: "gmail_mindreader_agent", "mail questions";
    EmailUrgency: "email_urgency", "urgent mail";
    TravelBrain: "travel_brain", "travel";
    CalendarQueryAgent: "calendar_query_agent", "calendar questions";
    CalendarListAgent: "calendar_list_agent", "calendars";
    CalendarStressAgent: "calendar_stress_agent", "week check";
    CalendarMorning: "calendar_morning", "morning briefing";
    CalendarEvents: "calendar_events", "calendar reminders";
    CallPrep: "call_prep", "call prep";
    DestinationPrep: "destination_prep", "leaving times";
    TicketsVault: "tickets_vault", "tickets";
    PackageTracking: "package_tracking", "parcels";
    CancellationProtector: "cancellation_protector", "cancellations";
    MembershipRenewal: "membership_renewal", "renewals";
    BirthdayReminder: "birthday_reminder", "birthdays";
    BillSplit: "bill_split", "bill";
    FocusProtector: "focus_protector", "focus";
    DailySummary: "daily_summary", "daily summary";
    EveningPrep: "evening_prep", "evening prep";
    PostEventCheckin: "post_event_checkin", "check-ins";
    ReservationPrep: "reservation_prep", "reservations";
    HabitTracker: "habit_tracker", "habits";
    BudgetTracker: "budget_tracker", "budget";
    MoodTracker: "mood_tracker", "mood diary";
    TripPlanner: "trip_planner", "trip";
    TodoList: "todo_list", "to-do list";
}

impl Power {
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|power| power.name() == name)
    }

    /// Whether its state is shared in a group; the others' states are personal.
    pub const fn is_shared(self) -> bool {
        matches!(self, Self::TodoList | Self::BillSplit | Self::TripPlanner)
    }

    /// Whether it sends messages on its own.
    pub const fn has_alarms(self) -> bool {
        matches!(
            self,
            Self::BirthdayReminder
                | Self::FocusProtector
                | Self::DailySummary
                | Self::TicketsVault
                | Self::ReservationPrep
                | Self::MembershipRenewal
                | Self::CancellationProtector
                | Self::PackageTracking
                | Self::PostEventCheckin
                | Self::EveningPrep
                | Self::CalendarMorning
                | Self::CalendarEvents
                | Self::CallPrep
                | Self::DestinationPrep
                | Self::EmailUrgency
                | Self::TravelBrain
        )
    }

    /// Whether it uses a connected mailbox.
    pub const fn uses_mail(self) -> bool {
        matches!(self, Self::EmailUrgency | Self::GmailMindreaderAgent)
    }

    /// Whether it has nothing to say without a connected calendar.
    pub const fn needs_calendar(self) -> bool {
        matches!(
            self,
            Self::CalendarQueryAgent
                | Self::CalendarListAgent
                | Self::CalendarStressAgent
                | Self::CalendarMorning
                | Self::CalendarEvents
                | Self::CallPrep
                | Self::DestinationPrep
        )
    }

    /// Whether it tells what others have written, in mails and events.
    pub const fn quotes_others(self) -> bool {
        self.uses_mail() || self.uses_bookings() || self.uses_calendar() || self.needs_calendar()
    }

    /// Whether its own messages depend on events of connected calendars.
    pub const fn uses_calendar(self) -> bool {
        matches!(
            self,
            Self::EveningPrep
                | Self::PostEventCheckin
                | Self::CalendarMorning
                | Self::CalendarEvents
                | Self::CallPrep
                | Self::DestinationPrep
                | Self::TravelBrain
        )
    }

    /// Whether it uses bookings, parcels and the like from mails.
    pub const fn uses_bookings(self) -> bool {
        matches!(
            self,
            Self::TicketsVault
                | Self::ReservationPrep
                | Self::MembershipRenewal
                | Self::CancellationProtector
                | Self::PackageTracking
                | Self::TravelBrain
        )
    }

    /// Whether its entries are plans for a day.
    pub const fn keeps_days(self) -> bool {
        self.uses_bookings()
            || matches!(
                self,
                Self::PostEventCheckin
                    | Self::CalendarQueryAgent
                    | Self::TripPlanner
                    | Self::BirthdayReminder
            )
    }

    /// Whether the morning briefing includes its lines for the day.
    pub const fn is_in_morning_briefing(self) -> bool {
        matches!(
            self,
            Self::BirthdayReminder
                | Self::PackageTracking
                | Self::TicketsVault
                | Self::ReservationPrep
                | Self::TravelBrain
        )
    }

    /// Whether "stop these" ends its own messages. A focus session has its own end.
    pub const fn can_be_muted(self) -> bool {
        self.has_alarms() && !matches!(self, Self::FocusProtector)
    }

    /// Whether it uses plans of other superpowers and of calendars.
    pub const fn needs_plans(self) -> bool {
        matches!(self, Self::EveningPrep | Self::PostEventCheckin)
    }

    /// Whether other superpowers use its plans.
    pub const fn has_plans(self) -> bool {
        matches!(
            self,
            Self::ReservationPrep | Self::TicketsVault | Self::TravelBrain
        )
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
        matches!(self, Self::BudgetTracker | Self::BillSplit)
    }
}
