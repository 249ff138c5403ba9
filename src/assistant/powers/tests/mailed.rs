//! Superpowers that go by what mails state: what is shown, when what is told, and what the
//! person's own word does to it.

use super::planned::expect;
use super::*;
use crate::model::mail_item::{FactKind, FactStatus};

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

/// What a mail states; without a time of day where `starts` has none.
fn booking(kind: FactKind, starts: &str, details: serde_json::Value) -> Booking {
    let is_all_day = starts.len() == 10;
    let zone: Zone = "Europe/Berlin".parse().unwrap();
    let time = (!starts.is_empty()).then(|| {
        if is_all_day {
            let day: NaiveDate = starts.parse().unwrap();
            let start = local_time::moment(day, 0, zone).unwrap();
            return start..start.plus_s(86_400);
        }
        at(starts)..at(starts)
    });
    Booking {
        kind,
        key: format!("{starts} {details}"),
        status: FactStatus::Confirmed,
        time,
        is_all_day,
        details: serde_json::from_value(details).unwrap(),
        subject: "Your booking".to_owned(),
        received_at: NOW,
        first_seen_at: NOW,
        changed_at: NOW,
    }
}

fn luigi() -> Booking {
    booking(
        FactKind::Restaurant,
        "2026-03-06T19:00:00Z",
        serde_json::json!({"title": "Luigi", "reference": "R1",
            "place": {"address": "Via Roma 1", "telephone": "+1555 0100"}}),
    )
}

fn flight(from: &str, to: &str, starts: &str, ends: &str) -> Booking {
    let place = |code: &str| {
        let name = if code == "BER" { "Berlin" } else { "Lisbon" };
        serde_json::json!({"name": name, "code": code})
    };
    // As the clock at the airport shows it.
    let wall = |code: &str, text: &str| match code {
        "BER" => format!(
            "{}+01:00",
            at(text).plus_s(3_600).to_string().replace(".000Z", "")
        ),
        _ => text.replace('Z', "+00:00"),
    };
    let mut booking = booking(
        FactKind::Flight,
        starts,
        serde_json::json!({"number": "XA412", "reference": format!("K{from}"), "seat": "9A",
            "origin": place(from), "destination": place(to), "starts": wall(from, starts),
            "ends": wall(to, ends), "check_in_url": "https://air.example.com/checkin"}),
    );
    booking.time = Some(at(starts)..at(ends));
    booking
}

fn hotel() -> Booking {
    let mut booking = booking(
        FactKind::Hotel,
        "2026-03-06T15:00:00Z",
        serde_json::json!({"title": "Hotel Exemplo", "reference": "abc456",
            "place": {"name": "Hotel Exemplo", "address": "Rua do Exemplo 5", "telephone": "+1555 0101"},
            "starts": "2026-03-06T15:00:00+00:00", "ends": "2026-03-09"}),
    );
    booking.time = Some(at("2026-03-06T15:00:00Z")..at("2026-03-09T00:00:00Z"));
    booking
}

fn with(bookings: Vec<Booking>) -> Person {
    let facts = Facts {
        bookings: current_bookings(bookings),
        has_mailbox: true,
        is_travel_told: true,
        ..Facts::default()
    };
    Person {
        facts: Box::leak(Box::new(facts)),
        ..Person::new()
    }
}

fn set_bookings(person: &mut Person, bookings: Vec<Booking>) {
    person.facts = with(bookings).facts;
}

#[test]
fn a_booking_is_told_when_it_is_near() {
    let mut person = with(vec![luigi()]);
    person.talk(
        "my reservations → 1. dinner at Luigi: Friday, 6 March at 20:00, booking R1, Via Roma 1, +1555 0100
         when is my dinner at Luigi? → Friday, 6 March at 20:00",
    );
    let expected: &[(&str, &[&str])] = &[(
        "Fri 6 Mar 2026 18:00",
        &["Luigi", "booking R1", "Via Roma 1"],
    )];
    expect(&mut person, Power::ReservationPrep, expected);
    // Nothing of a mail is kept among what the person told.
    let stored = &person.stored["reservation_prep"].state;
    assert!(!stored.contains("Luigi"), "{stored}");
}

#[test]
fn a_later_mail_changes_or_cancels_a_booking() {
    let mut person = with(vec![luigi()]);
    expect(
        &mut person,
        Power::ReservationPrep,
        &[("Fri 6 Mar 2026 18:00", &["20:00"])],
    );
    let mut moved = luigi();
    moved.time = Some(at("2026-03-07T19:00:00Z")..at("2026-03-07T19:00:00Z"));
    set_bookings(&mut person, vec![moved]);
    expect(
        &mut person,
        Power::ReservationPrep,
        &[("Sat 7 Mar 2026 18:00", &["Saturday, 7 March at 20:00"])],
    );
    let mut person = with(vec![Booking {
        status: FactStatus::Cancelled,
        ..luigi()
    }]);
    person.talk("my reservations → no bookings");
    expect(&mut person, Power::ReservationPrep, &[]);
}

#[test]
fn the_persons_word_goes_before_a_mail() {
    let mut person = with(vec![luigi()]);
    // The same table, told by the person: once.
    person.talk(
        "dinner at Luigi on friday at 8, bring flowers → Noted
         my reservations → 1. dinner at Luigi | bring flowers | !2.",
    );
    expect(
        &mut person,
        Power::ReservationPrep,
        &[("Fri 6 Mar 2026 18:00", &["bring flowers"])],
    );
    // Another day: the mail was wrong, and stays so when it is read again.
    let mut person = with(vec![luigi()]);
    person.talk(
        "dinner at Luigi on saturday at 8 → Saturday, 7 March
         my reservations → Saturday, 7 March at 20:00 | !Friday",
    );
    let mut person = with(vec![luigi()]);
    person.talk(
        "delete my reservation at Luigi → I forgot this booking: dinner at Luigi
         my reservations → no bookings
         undo → taken back | Luigi
         delete my reservation at Luigi → I forgot",
    );
    expect(&mut person, Power::ReservationPrep, &[]);
}

/// A parcel with a day, one without and one that arrived, a renewal, a trial and a ticket.
fn of_shops() -> Vec<Booking> {
    let parcel = booking(
        FactKind::Parcel,
        "2026-03-06",
        serde_json::json!({"title": "Rain jacket", "provider": "DHL", "number": "JJD000155501"}),
    );
    let undated = booking(
        FactKind::Parcel,
        "",
        serde_json::json!({"title": "Socks", "provider": "UPS", "number": "1Z5550101"}),
    );
    let arrived = booking(
        FactKind::Parcel,
        "2026-03-04",
        serde_json::json!({"title": "Hat", "number": "1Z5550102", "delivered": true}),
    );
    let renewal = booking(
        FactKind::Renewal,
        "2026-03-20",
        serde_json::json!({"provider": "Example Stream"}),
    );
    let trial = booking(
        FactKind::TrialEnd,
        "2026-03-10",
        serde_json::json!({"provider": "Example Paint"}),
    );
    let ticket = booking(
        FactKind::Event,
        "2026-03-08T19:00:00Z",
        serde_json::json!({"title": "Coldplay", "seat": "row C, seat 15", "ticket_number": "abc123",
            "place": {"name": "Arena"}}),
    );
    vec![parcel, undated, arrived, renewal, trial, ticket]
}

#[test]
fn parcels_trials_and_tickets_of_mails() {
    let mut person = with(of_shops());
    person.talk(
        "where are my parcels? → 1. parcel: Rain jacket: Friday, 6 March, DHL JJD000155501 | Socks: no day yet, UPS 1Z5550101 | !Hat
         it arrives on monday → parcel: Socks: Monday, 9 March
         my renewals → Example Stream: Friday, 20 March
         my trials → Example Paint trial: Tuesday, 10 March
         my tickets → Coldplay: Sunday, 8 March at 20:00, row C, seat 15, ticket abc123, Arena, in the mail “Your booking”",
    );
    let start = person.now;
    expect(
        &mut person,
        Power::PackageTracking,
        &[
            ("Fri 6 Mar 2026 09:00", &["Rain jacket", "DHL JJD000155501"]),
            ("Mon 9 Mar 2026 09:00", &["Socks"]),
        ],
    );
    person.now = start;
    expect(
        &mut person,
        Power::TicketsVault,
        &[("Sun 8 Mar 2026 18:00", &["Coldplay, row C, seat 15"])],
    );
    person.now = start;
    expect(
        &mut person,
        Power::CancellationProtector,
        &[
            (
                "Sun 8 Mar 2026 09:00",
                &["Example Paint trial ends in 2 days"],
            ),
            ("Mon 9 Mar 2026 09:00", &["ends tomorrow"]),
        ],
    );
}

#[test]
fn a_renewal_of_a_mail_is_told_each_year() {
    let mut person = with(of_shops());
    let stored = person.stored.get("membership_renewal");
    let renewal = Power::MembershipRenewal;
    let first = renewal.alarm(stored, &person.power_context(true)).unwrap();
    assert_eq!(first, Some(at("2026-03-13T08:00:00Z")));
    person.now = first.unwrap();
    let outcome = renewal
        .on_alarm(stored, person.now, &person.power_context(true))
        .unwrap();
    assert!(
        outcome
            .reply
            .unwrap()
            .contains("Example Stream renews on Friday, 20 March")
    );
    // Yearly again: it is looked at again when this year's is over.
    assert!(outcome.alarm.unwrap() < at("2027-03-13T08:00:00Z"));
    person.now = at("2027-03-01T08:00:00Z");
    let next = renewal.alarm(outcome.stored.as_ref(), &person.power_context(true));
    assert_eq!(next.unwrap(), Some(at("2027-03-13T08:00:00Z")));
}

#[test]
fn a_trip_goes_as_its_mails_say() {
    let there = flight("BER", "LIS", "2026-03-06T09:00:00Z", "2026-03-06T12:00:00Z");
    let back = flight("LIS", "BER", "2026-03-09T14:00:00Z", "2026-03-09T17:00:00Z");
    let mut person = with(vec![there.clone(), back.clone(), hotel()]);
    person.talk(
        "when's my flight? → ✈️ XA412, from Berlin to Lisbon: Friday, 6 March at 10:00, arriving Friday, 6 March at 12:00, seat 9A, booking KBER
         when is my flight to Berlin? → Monday, 9 March at 14:00
         where's my hotel? → Hotel Exemplo: Friday, 6 March at 15:00 to Monday, 9 March, Rua do Exemplo 5, +1555 0101, booking abc456 | openstreetmap.org/search?query=Rua%20do
         when can I check in? → usually check in from Thursday, 5 March at 10:00 | https://air.example.com/checkin
         what gate? → no gate or platform yet
         when do I have to leave for the airport? → Leave on Friday, 6 March at 07:30 (30 min to the airport, 120 min there)
         my travel plans → 🧳 Trip to Lisbon: | XA412 | Hotel Exemplo | to Berlin
         when's my train? → I see no train in your mail and calendars.
         my reservations → Hotel Exemplo: Friday, 6 March at 15:00 local time, booking abc456",
    );
    let start = person.now;
    expect(
        &mut person,
        Power::TravelBrain,
        &[
            ("Thu 5 Mar 2026 10:00", &["check in from now on", "XA412"]),
            (
                "Fri 6 Mar 2026 07:20",
                &["Leave at 07:30", "30 min to the airport"],
            ),
            (
                "Fri 6 Mar 2026 13:00",
                &["🏨 Hotel Exemplo", "Rua do Exemplo 5"],
            ),
            (
                "Sun 8 Mar 2026 15:00",
                &["check in from now on", "to Berlin"],
            ),
            ("Mon 9 Mar 2026 12:20", &["Leave at 11:30 local time"]),
        ],
    );
    // The hotel is told on arrival, and not by the bookings as well.
    person.now = start;
    expect(&mut person, Power::ReservationPrep, &[]);
    // A gate that a later mail names, and a cancelled flight.
    let mut gated = there;
    gated.details.gate = "B12".to_owned();
    gated.changed_at = at("2026-03-06T06:00:00Z");
    let mut person = with(vec![gated]);
    person.now = gated_now();
    expect(
        &mut person,
        Power::TravelBrain,
        &[("Fri 6 Mar 2026 07:20", &["gate B12", "Leave at 07:30"])],
    );
    let cancelled = Booking {
        status: FactStatus::Cancelled,
        ..back
    };
    let mut person = with(vec![cancelled]);
    person.talk("my travel plans → I see no flight, train or bus");
}

/// After the word about checking in would have come in vain.
fn gated_now() -> Timestamp {
    at("2026-03-06T06:20:00Z")
}

#[test]
fn a_removed_flight_stays_removed() {
    let there = flight("BER", "LIS", "2026-03-06T09:00:00Z", "2026-03-06T12:00:00Z");
    let mut person = with(vec![there]);
    person.talk(
        "my travel plans → XA412
         remove my flight to Lisbon → I leave this out | can't cancel it
         when's my flight? → I see no flight
         undo → taken back | XA412
         remove my flight → I leave this out",
    );
    expect(&mut person, Power::TravelBrain, &[]);
}

#[test]
fn travel_of_a_calendar_is_told_once() {
    let event = |id, title: &str, starts: &str, hours: i64| EventFact {
        id,
        calendar: 1,
        uid: String::new(),
        instance: String::new(),
        title: title.to_owned(),
        place: String::new(),
        link: String::new(),
        phone: String::new(),
        is_call: false,
        people: Vec::new(),
        starts_at: at(starts),
        ends_at: at(starts).plus_s(hours * 3_600),
        is_all_day: false,
        is_busy: true,
        is_recurring: false,
        is_declined: false,
        is_cancelled: false,
        first_seen_at: NOW,
        changed_at: NOW,
        was_starts_at: None,
    };
    let there = flight("BER", "LIS", "2026-03-06T09:00:00Z", "2026-03-06T12:00:00Z");
    let facts = Facts {
        bookings: vec![there],
        events: vec![
            event(1, "Flight to Lisbon (XA 412)", "2026-03-06T09:00:00Z", 4),
            event(2, "Train from Lisbon to Porto", "2026-03-07T09:00:00Z", 3),
            event(3, "Flight simulator night", "2026-03-07T18:00:00Z", 3),
            event(4, "Train with Bo", "2026-03-08T18:00:00Z", 1),
        ],
        has_calendar: true,
        has_mailbox: true,
        is_travel_told: true,
        ..Facts::default()
    };
    let mut person = Person {
        facts: Box::leak(Box::new(facts)),
        ..Person::new()
    };
    person.talk(
        "my travel plans → Trip to Lisbon: | XA412 | 🚆 train, from Lisbon to Porto | !simulator | !Bo
         when's my train? → Saturday, 7 March at 10:00",
    );
    let all = person.say("my travel plans");
    assert_eq!(all.matches("Lisbon: Friday").count(), 1, "{all}");
}
