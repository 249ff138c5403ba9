//! What superpowers would do with a calendar or a mailbox that the person has not connected. It
//! is said once; later only where somebody asks for just that.

use super::{Facts, Power};

impl Power {
    /// The answer after the person has been told how to connect a calendar or mailbox.
    pub const fn not_connected(self) -> &'static str {
        match self {
            Self::TravelBrain => "No mailbox or calendar of yours is connected, so I can't tell.",
            power if power.uses_mail() => "No mailbox of yours is connected, so I can't tell.",
            _ => "No calendar of yours is connected, so I can't tell.",
        }
    }

    /// What a superpower that works without a service would do beside that. `None`: nothing.
    pub fn offer(self, facts: &Facts) -> Option<&'static str> {
        let offer = match self {
            Self::TicketsVault => {
                "With your mailbox I also find tickets by myself: say “connect my mail”."
            }
            Self::ReservationPrep => {
                "With your mailbox I also find bookings by myself: say “connect my mail”."
            }
            Self::MembershipRenewal => {
                "With your mailbox I also find renewals by myself: say “connect my mail”."
            }
            Self::CancellationProtector => {
                "With your mailbox I also find trials and free cancellations by myself: say “connect my mail”."
            }
            Self::PackageTracking => {
                "With your mailbox I also find parcels by myself: say “connect my mail”."
            }
            Self::PostEventCheckin => {
                "With your calendar I also ask about what is in it: say “connect my calendar”."
            }
            Self::EveningPrep => {
                "With your calendar I also tell what is in it: say “connect my calendar”."
            }
            _ => return None,
        };
        let is_connected = match self.uses_bookings() {
            true => facts.has_mailbox,
            false => facts.has_calendar,
        };
        (!is_connected).then_some(offer)
    }
}
