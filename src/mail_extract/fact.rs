//! A fact of a mail (one flight, one parcel, one date of renewal), how it is recognised in another
//! mail, and the form in which it is stored.

use serde::Serialize;
use serde_json::Value;

use super::WallDateTime;
use crate::model::calendar::EventTime;
use crate::model::mail_item::{FactKind, FactStatus, MailFact};

const KEY_CHARS_MAX: usize = 200;

/// The part of the mail that states the fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum FactSource {
    /// schema.org markup.
    Markup,
    /// A sentence, read by rules.
    Text,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub(super) struct Place {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<String>,
    /// An airport's IATA code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) code: Option<String>,
    /// One line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) address: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) telephone: Option<String>,
}

macro_rules! fact {
    ($($(#[$doc:meta])* $field:ident: $type:ty,)+) => {
        /// All texts are the sender's: one line each, of capped length.
        #[derive(Debug, Clone, PartialEq, Serialize)]
        pub(super) struct Fact {
            #[serde(skip)]
            pub(super) kind: FactKind,
            #[serde(skip)]
            pub(super) status: FactStatus,
            pub(super) source: FactSource,
            #[serde(skip_serializing_if = "std::ops::Not::not")]
            pub(super) delivered: bool,
            $(
                $(#[$doc])*
                #[serde(skip_serializing_if = "Option::is_none")]
                pub(super) $field: Option<$type>,
            )+
        }

        impl Fact {
            pub(super) fn new(kind: FactKind, source: FactSource) -> Self {
                Self {
                    kind,
                    status: FactStatus::Confirmed,
                    source,
                    delivered: false,
                    $($field: None,)+
                }
            }
        }
    };
}

fact! {
    /// The name of the thing: a hotel, an event, a train, a parcel's content.
    title: String,
    /// The booking's number.
    reference: String,
    /// The person for whom it is booked.
    holder: String,
    /// The airline, carrier, shop, agency or service.
    provider: String,
    /// The flight with the airline's code, the train, the parcel's tracking number, the order.
    number: String,
    origin: Place,
    destination: Place,
    place: Place,
    /// Departure, check-in, begin, the first expected day, or the date itself.
    starts: WallDateTime,
    /// Arrival, check-out, end, the last expected day.
    ends: WallDateTime,
    /// Boarding of a flight, opening of an event's doors.
    opens: WallDateTime,
    gate: String,
    terminal: String,
    platform: String,
    seat: String,
    boarding_group: String,
    ticket_number: String,
    /// The content of the ticket's code: `qrCode:…`, `barcode128:…`.
    ticket_code: String,
    party_size: u32,
    price: String,
    check_in_url: String,
    tracking_url: String,
    change_url: String,
    cancel_url: String,
}

impl Fact {
    /// Booking and provider, the number, the date: what stays when a mail repeats the thing.
    fn identify(&self) -> String {
        let day = self.starts.map(|at| at.date.to_string());
        let reference = self.reference.as_deref();
        let title = self.title.as_deref().or(self.provider.as_deref());
        let ticket = self
            .ticket_code
            .as_deref()
            .or(self.ticket_number.as_deref());
        let parts = match self.kind {
            FactKind::Flight | FactKind::Train | FactKind::Bus => {
                let leg = self.number.as_deref().or(self.title.as_deref());
                vec![reference, leg, day.as_deref()]
            }
            FactKind::Parcel | FactKind::Order if self.number.is_some() => {
                vec![self.number.as_deref()]
            }
            FactKind::Event => {
                let seat = ticket.or(self.seat.as_deref());
                match reference {
                    Some(_) => vec![reference, seat],
                    None => vec![title, day.as_deref(), seat],
                }
            }
            FactKind::Hotel | FactKind::Restaurant if reference.is_some() => vec![reference],
            _ => vec![title, day.as_deref()],
        };
        let parts = parts.into_iter().flatten().map(str::to_lowercase);
        let key = parts.collect::<Vec<_>>().join("|");
        super::first_chars(&key, KEY_CHARS_MAX).to_owned()
    }

    /// The fact in the form that is stored.
    pub(super) fn record(&self) -> MailFact {
        MailFact {
            kind: self.kind,
            key: self.identify(),
            status: self.status,
            time: self.time(),
            data: serde_json::to_value(self).unwrap_or(Value::Null),
        }
    }

    /// A parcel may state only the last day on which it comes.
    fn time(&self) -> Option<EventTime> {
        let starts = self.starts.or(self.ends)?;
        Some(starts.until(self.ends))
    }

    /// Something that a person will go to.
    pub(super) fn is_booking(&self) -> bool {
        matches!(
            self.kind,
            FactKind::Flight
                | FactKind::Train
                | FactKind::Bus
                | FactKind::Hotel
                | FactKind::Restaurant
                | FactKind::Event
        )
    }

    /// A fact needs what makes it one: a day, or a number by which it can be asked for.
    fn is_whole(&self) -> bool {
        match self.kind {
            FactKind::Flight => {
                let leg =
                    self.number.is_some() || self.origin.is_some() && self.destination.is_some();
                leg && self.starts.is_some()
            }
            FactKind::Train | FactKind::Bus => {
                let leg =
                    self.origin.is_some() || self.destination.is_some() || self.number.is_some();
                leg && self.starts.is_some()
            }
            FactKind::Hotel | FactKind::Restaurant | FactKind::Event => {
                (self.title.is_some() || self.place.is_some())
                    && (self.starts.is_some() || self.reference.is_some())
            }
            FactKind::Parcel => self.number.is_some() || self.starts.or(self.ends).is_some(),
            FactKind::Order => self.number.is_some(),
            FactKind::Renewal
            | FactKind::TrialEnd
            | FactKind::FreeCancellation
            | FactKind::Appointment => self.starts.is_some(),
        }
    }
}

/// Leaves what is whole, and the first of each.
pub(super) fn finish(facts: &mut Vec<Fact>) {
    facts.retain(Fact::is_whole);
    let mut keys = std::collections::HashSet::new();
    facts.retain(|fact| keys.insert((fact.kind, fact.identify())));
}
