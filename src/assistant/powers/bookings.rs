//! What mails say of bookings, parcels, renewals and the like, as superpowers see it. Texts are
//! from outside: each is shown on one line and shortened.

use chrono::{NaiveDate, NaiveDateTime, Timelike};

use super::facts::{BookedPlace, Booking};
use super::{PowerContext, events};
use super::{local_time, texts};
use crate::assistant::text::words::stable_hash;
use crate::model::mail_item::{FactKind, FactStatus};

/// Shorter names are too often a part of others.
const NAME_CHARS_MIN: usize = 4;

impl BookedPlace {
    /// The place's name, else its code.
    pub(super) fn display(&self) -> String {
        let parts = [&self.name, &self.code].map(|text| events::one_line(text));
        parts
            .into_iter()
            .find(|text| !text.is_empty())
            .unwrap_or_default()
    }
}

impl Booking {
    /// The mark of a booking that a person corrected or removed: a digest, which tells nothing of
    /// the mail.
    pub(super) fn mark(&self) -> String {
        format!(
            "{:x}",
            stable_hash(&format!("{:?}|{}", self.kind, self.key))
        )
    }

    /// Title, else who wrote.
    pub(super) fn name(&self) -> String {
        let details = &self.details;
        let names = [&details.title, &details.place.name, &details.provider];
        let names = names.map(|text| events::one_line(text));
        let first = names.into_iter().find(|name| !name.is_empty());
        first.unwrap_or_default()
    }

    /// The day and the minute after midnight, on a clock at the place where the mail states that.
    pub(super) fn begins(&self, context: &PowerContext) -> Option<(NaiveDate, Option<u32>)> {
        if let Some(wall) = self.starts_wall() {
            return Some((wall.date(), Some(wall.hour() * 60 + wall.minute())));
        }
        let start = self.time.as_ref()?.start;
        let minute = (!self.is_all_day).then(|| local_time::minute_of_day(start, context.zone()));
        Some((local_time::date(start, context.zone()), minute))
    }

    /// By how many seconds a clock at the place is ahead of the person's.
    pub(super) fn ahead_s(&self, context: &PowerContext) -> i64 {
        match (self.starts_wall(), &self.time) {
            (Some(wall), Some(time)) => local_time::ahead_s(wall, time.start, context.zone()),
            _ => 0,
        }
    }

    /// The start as a clock at the place shows it, where there is a place.
    fn starts_wall(&self) -> Option<NaiveDateTime> {
        let place = &self.details.place;
        let is_somewhere = match self.kind {
            FactKind::Flight | FactKind::Train | FactKind::Bus | FactKind::Hotel => true,
            _ => ![&place.name, &place.address]
                .iter()
                .all(|text| text.trim().is_empty()),
        };
        let is_there = is_somewhere && !self.is_all_day && !events::is_online(&place.name);
        is_there.then(|| wall_time(&self.details.starts)).flatten()
    }

    /// Some fields with their labels; unknown ones are left out.
    pub(super) fn labelled(fields: &[(&str, &str)]) -> String {
        let known = fields.iter().filter_map(|(label, text)| {
            let text = events::one_line(text);
            (!text.is_empty()).then(|| format!("{label}{text}"))
        });
        known.collect::<Vec<_>>().join(", ")
    }
}

/// The time as a clock at the place shows it; `None` for a time in UTC, which doesn't tell it.
pub(super) fn wall_time(text: &str) -> Option<NaiveDateTime> {
    if text.ends_with('Z') {
        return None;
    }
    NaiveDateTime::parse_from_str(text.get(..19)?, "%Y-%m-%dT%H:%M:%S").ok()
}

/// Whether no time of the day is stated.
pub(super) fn is_day(text: &str) -> bool {
    NaiveDate::parse_from_str(text, "%Y-%m-%d").is_ok()
}

/// Whether one name is a part of the other.
pub(super) fn overlap(a: &str, b: &str) -> bool {
    let (a, b) = (a.trim().to_lowercase(), b.trim().to_lowercase());
    let is_long = |text: &str| text.chars().count() >= NAME_CHARS_MIN;
    a == b || is_long(&a) && b.contains(&a) || is_long(&b) && a.contains(&b)
}

/// Each booking once, as the latest mail states it, without cancelled ones.
pub fn current_bookings(mut bookings: Vec<Booking>) -> Vec<Booking> {
    let cancelled: Vec<Booking> = bookings
        .iter()
        .filter(|booking| booking.status == FactStatus::Cancelled)
        .cloned()
        .collect();
    bookings.retain(|booking| {
        booking.status != FactStatus::Cancelled
            && !cancelled
                .iter()
                .any(|cancellation| cancellation.ends(booking))
    });
    // The newest first, so that what it repeats or replaces is left out.
    bookings.sort_by_key(|booking| std::cmp::Reverse(booking.received_at));
    let mut distinct: Vec<Booking> = Vec::new();
    for booking in bookings {
        if !distinct.iter().any(|known| known.stands_for(&booking)) {
            distinct.push(booking);
        }
    }
    distinct.sort_by_key(|booking| booking.time.as_ref().map(|time| time.start));
    distinct
}

impl Booking {
    /// Whether the cancellation of `self` ends `other`: the same leg of another day, or the time
    /// until which the booking itself could be cancelled.
    fn ends(&self, other: &Booking) -> bool {
        let reference = &self.details.reference;
        let is_of_it = !reference.is_empty() && *reference == other.details.reference;
        let is_its_deadline = other.kind == FactKind::FreeCancellation;
        let is_older = other.received_at <= self.received_at;
        is_of_it && (is_its_deadline || is_older && self.is_leg_of(other))
    }

    /// Whether two bookings are the same leg of one journey.
    fn is_leg_of(&self, other: &Booking) -> bool {
        let is_leg = matches!(
            self.kind,
            FactKind::Flight | FactKind::Train | FactKind::Bus
        );
        let (a, b) = (&self.details, &other.details);
        is_leg && self.kind == other.kind && !a.number.is_empty() && a.number == b.number
    }

    /// Whether `older` is the same thing: another mail about it, or what it was before it was
    /// moved.
    fn stands_for(&self, older: &Booking) -> bool {
        if self.kind != older.kind {
            return false;
        }
        let (a, b) = (&self.details, &older.details);
        let is_one_mail = self.received_at == older.received_at;
        if self.kind == FactKind::Renewal {
            return texts::same(&self.name(), &older.name());
        }
        let is_same_booking = !a.reference.is_empty() && a.reference == b.reference;
        if self.is_leg_of(older) && is_same_booking && !is_one_mail {
            return true;
        }
        let may_be_same = a.reference.is_empty() || b.reference.is_empty() || is_same_booking;
        let (a_name, b_name) = (self.name(), older.name());
        let is_same_seat = texts::same(&a.seat, &b.seat) && a.ticket_number == b.ticket_number;
        let is_same_number = a.number == b.number;
        let is_same_time = match (&self.time, &older.time) {
            (Some(a), Some(b)) => a.start == b.start,
            (None, None) => true,
            _ => false,
        };
        may_be_same
            && is_same_time
            && is_same_number
            && is_same_seat
            && !a_name.is_empty()
            && texts::same(&a_name, &b_name)
    }
}

#[cfg(test)]
mod tests {
    use super::super::BookingDetails;
    use super::*;
    use crate::clock::Timestamp;

    fn booking(kind: FactKind, at: i64, title: &str, reference: &str) -> Booking {
        Booking {
            kind,
            key: format!("{title}|{reference}|{at}"),
            status: FactStatus::Confirmed,
            time: Some(Timestamp(at)..Timestamp(at)),
            is_all_day: false,
            details: BookingDetails {
                title: title.to_owned(),
                reference: reference.to_owned(),
                number: match kind {
                    FactKind::Flight => title.to_owned(),
                    _ => String::new(),
                },
                ..BookingDetails::default()
            },
            subject: String::new(),
            received_at: Timestamp(at),
            first_seen_at: Timestamp(at),
            changed_at: Timestamp(at),
        }
    }

    fn received(booking: Booking, at: i64) -> Booking {
        Booking {
            received_at: Timestamp(at),
            ..booking
        }
    }

    fn cancelled(booking: Booking) -> Booking {
        Booking {
            status: FactStatus::Cancelled,
            ..booking
        }
    }

    #[test]
    fn each_thing_stands_once_as_the_last_mail_says() {
        use FactKind::{Flight, FreeCancellation, Hotel, Renewal, Restaurant};
        let cases = [
            // Two mails about one table, one of them without its number.
            (
                vec![
                    received(booking(Restaurant, 10, "Luigi", "R1"), 1),
                    received(booking(Restaurant, 10, "luigi", ""), 2),
                ],
                vec![10],
            ),
            // Two tables.
            (
                vec![
                    booking(Restaurant, 10, "Luigi", "R1"),
                    booking(Restaurant, 10, "Luigi", "R2"),
                ],
                vec![10, 10],
            ),
            // A leg that was moved, and two days of one number in one mail.
            (
                vec![
                    received(booking(Flight, 10, "XA1", "B"), 1),
                    received(booking(Flight, 20, "XA1", "B"), 2),
                ],
                vec![20],
            ),
            (
                vec![
                    received(booking(Flight, 10, "XA1", "B"), 1),
                    received(booking(Flight, 20, "XA1", "B"), 1),
                ],
                vec![10, 20],
            ),
            // A cancelled hotel needs no warning of its deadline.
            (
                vec![
                    received(cancelled(booking(Hotel, 10, "Lux", "H")), 5),
                    received(booking(FreeCancellation, 8, "Lux", "H"), 1),
                ],
                vec![],
            ),
            // The next renewal of the same thing.
            (
                vec![
                    received(booking(Renewal, 10, "Netflix", ""), 1),
                    received(booking(Renewal, 20, "Netflix", ""), 2),
                ],
                vec![20],
            ),
        ];
        for (input, expected) in cases {
            let found = current_bookings(input.clone());
            let found: Vec<i64> = found
                .iter()
                .filter_map(|booking| Some(booking.time.as_ref()?.start.0))
                .collect();
            assert_eq!(found, expected, "{input:?}");
        }
    }

    #[test]
    fn names_overlap() {
        for (a, b, expected) in [
            ("Luigi", "dinner at luigi", true),
            ("Netflix trial", "netflix", true),
            ("Bo", "dinner with Bo", false),
            ("Luigi", "Mario", false),
            ("", "", true),
        ] {
            assert_eq!(overlap(a, b), expected, "{a} {b}");
        }
    }
}
