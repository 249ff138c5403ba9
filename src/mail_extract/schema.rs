//! Facts of schema.org markup: reservations, parcels and orders, in the forms of Google's
//! "email markup" and of schema.org itself.

use std::collections::HashMap;

use serde_json::Value;

use super::fact::{Fact, FactSource};
use super::schema_values::{Item, by_id};
use crate::model::mail_item::{FactKind, FactStatus};

/// Objects that are looked at.
const OBJECTS_MAX: usize = 200;
const NESTING_MAX: usize = 8;
const FACTS_MAX: usize = super::FACTS_MAX;
/// Properties that may hold things which are facts themselves.
const INNER: [&str; 6] = [
    "@graph", "subReservation", "orderDelivery", "about", "mainEntity", "itemListElement",
];

pub(super) fn facts(markup: &[Value]) -> Vec<Fact> {
    let mut objects = HashMap::new();
    markup.iter().for_each(|value| by_id(value, &mut objects));
    let mut found = SchemaFacts {
        objects: OBJECTS_MAX,
        facts: Vec::new(),
    };
    for value in markup {
        found.read(Item::new(value, &objects), 0);
    }
    found.facts
}

struct SchemaFacts {
    /// How many more are looked at.
    objects: usize,
    facts: Vec<Fact>,
}

impl SchemaFacts {
    fn read(&mut self, item: Item, depth: usize) {
        if self.objects == 0 || depth > NESTING_MAX || self.facts.len() >= FACTS_MAX {
            return;
        }
        self.objects -= 1;
        if let Value::Array(values) = item.value {
            for value in values {
                self.read(item.with(value), depth + 1);
            }
            return;
        }
        let kinds = item.types();
        let read = kinds.iter().find_map(|kind| reader(kind));
        if let Some(read) = read {
            let left = FACTS_MAX - self.facts.len();
            self.facts.extend(read(item).into_iter().take(left));
        }
        for name in INNER {
            for inner in item.all(&[name]) {
                self.read(inner, depth + 1);
            }
        }
    }
}

type ItemReader = fn(Item<'_>) -> Vec<Fact>;

fn reader(kind: &str) -> Option<ItemReader> {
    Some(match kind {
        "FlightReservation" => flights,
        "TrainReservation" => |item| rides(item, FactKind::Train),
        "BusReservation" => |item| rides(item, FactKind::Bus),
        "LodgingReservation" => lodging,
        "FoodEstablishmentReservation" => restaurant,
        "EventReservation" => event,
        "ParcelDelivery" => parcel,
        "Order" => order,
        _ => return None,
    })
}

/// The fields that all reservations have.
fn reservation(item: Item, kind: FactKind) -> Fact {
    let provider = item.get(&["provider", "bookingAgent", "broker"]);
    Fact {
        status: status(item.get(&["reservationStatus"])),
        reference: item.get(&["reservationNumber", "reservationId"]),
        holder: item.get(&["underName"]),
        provider,
        price: price(item, &["totalPrice", "price"]),
        change_url: item.url(&["modifyReservationUrl"]),
        cancel_url: item.url(&["cancelReservationUrl"]),
        ..Fact::new(kind, FactSource::Markup)
    }
}

/// `http://schema.org/ReservationCancelled`, `Cancelled`, `OrderPaymentDue`.
fn status(text: Option<String>) -> FactStatus {
    let text = text.unwrap_or_default().to_lowercase();
    if text.contains("cancel") || text.contains("returned") {
        FactStatus::Cancelled
    } else if text.contains("hold") || text.contains("pending") || text.contains("paymentdue") {
        FactStatus::Pending
    } else {
        FactStatus::Confirmed
    }
}

fn is_delivered(text: Option<String>) -> bool {
    text.is_some_and(|text| text.to_lowercase().contains("delivered"))
}

fn price(item: Item, names: &[&str]) -> Option<String> {
    let price = item.one(names)?;
    let amount = price.get(&["price", "value"]).or_else(|| price.text())?;
    let currency = item
        .get(&["priceCurrency"])
        .or_else(|| price.get(&["priceCurrency", "currency"]));
    Some(match currency {
        Some(currency) => format!("{amount} {currency}"),
        None => amount,
    })
}

/// Each trip of a reservation that has several.
fn trips(item: Item<'_>) -> Vec<Item<'_>> {
    let trips = item.all(&["reservationFor"]);
    match trips.is_empty() {
        true => vec![item],
        false => trips,
    }
}

fn flights(item: Item) -> Vec<Fact> {
    let read = |flight: Item<'_>| {
        let airline = flight.one(&["airline", "carrier", "provider", "seller"]);
        let airline_name = airline.and_then(Item::text);
        let code = airline.and_then(|airline| airline.get(&["iataCode"]));
        let booking = reservation(item, FactKind::Flight);
        Fact {
            number: flight
                .get(&["flightNumber"])
                .map(|number| flight_number(&number, code.as_deref())),
            provider: airline_name.or(booking.provider.clone()),
            origin: flight.place(&["departureAirport"]),
            destination: flight.place(&["arrivalAirport"]),
            starts: flight.time(&["departureTime"]),
            ends: flight.time(&["arrivalTime"]),
            opens: flight
                .time(&["boardingTime"])
                .or_else(|| item.time(&["boardingTime"])),
            gate: flight.get(&["departureGate"]),
            terminal: flight.get(&["departureTerminal"]),
            seat: item.get(&["airplaneSeat"]).or_else(|| ticket_seat(item)),
            boarding_group: item.get(&["boardingGroup", "passengerSequenceNumber"]),
            ticket_number: item.get(&["ticketNumber"]),
            ticket_code: item.get(&["ticketToken"]).or_else(|| ticket_code(item)),
            check_in_url: item
                .url(&["checkinUrl"])
                .or_else(|| flight.url(&["webCheckinUrl"])),
            ..booking
        }
    };
    trips(item).into_iter().map(read).collect()
}

/// `412` and `XA`: `XA412`. `XA 412`, `XA412`: as it is.
fn flight_number(number: &str, code: Option<&str>) -> String {
    let number: String = number.split_whitespace().collect::<String>().to_uppercase();
    let code = code.unwrap_or_default().trim().to_uppercase();
    let has_code = number.starts_with(&code) && number.len() > code.len();
    let is_bare = number.starts_with(|c: char| c.is_ascii_digit())
        && !number
            .get(..2)
            .is_some_and(|start| start.contains(|c: char| c.is_ascii_alphabetic()));
    match is_bare && !has_code {
        true => format!("{code}{number}"),
        false => number,
    }
}

fn ticket_seat(item: Item) -> Option<String> {
    let seat = item.path(&["reservedTicket", "ticketedSeat"])?;
    if !seat.value.is_object() {
        return seat.text();
    }
    let part = |name: &str, label: &str| Some(format!("{label}{}", seat.get(&[name])?));
    let parts = [
        part("seatSection", ""),
        part("seatRow", "row "),
        part("seatNumber", "seat "),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn ticket_code(item: Item) -> Option<String> {
    item.path(&["reservedTicket", "ticketToken"])?.text()
}

fn rides(item: Item, kind: FactKind) -> Vec<Fact> {
    let read = |trip: Item<'_>| {
        let booking = reservation(item, kind);
        Fact {
            number: trip.get(&["trainNumber", "busNumber"]),
            title: trip.get(&["trainName", "busName"]),
            provider: trip.get(&["provider"]).or(booking.provider.clone()),
            origin: trip.place(&["departureStation", "departureBusStop"]),
            destination: trip.place(&["arrivalStation", "arrivalBusStop"]),
            starts: trip.time(&["departureTime"]),
            ends: trip.time(&["arrivalTime"]),
            platform: trip.get(&["departurePlatform"]),
            seat: ticket_seat(item),
            ticket_number: item
                .path(&["reservedTicket", "ticketNumber"])
                .and_then(Item::text),
            ticket_code: ticket_code(item),
            ..booking
        }
    };
    trips(item).into_iter().map(read).collect()
}

fn lodging(item: Item) -> Vec<Fact> {
    let place = item.place(&["reservationFor"]);
    vec![Fact {
        title: place.as_ref().and_then(|place| place.name.clone()),
        starts: item
            .time(&["checkinDate"])
            .or_else(|| item.time(&["checkinTime"])),
        ends: item
            .time(&["checkoutDate"])
            .or_else(|| item.time(&["checkoutTime"])),
        place,
        ..reservation(item, FactKind::Hotel)
    }]
}

fn restaurant(item: Item) -> Vec<Fact> {
    let place = item.place(&["reservationFor"]);
    vec![Fact {
        title: place.as_ref().and_then(|place| place.name.clone()),
        starts: item.time(&["startTime"]),
        ends: item.time(&["endTime"]),
        party_size: party_size(item, "partySize"),
        place,
        ..reservation(item, FactKind::Restaurant)
    }]
}

fn party_size(item: Item, name: &str) -> Option<u32> {
    let size = item.one(&[name])?;
    let size = size.get(&["value"]).or_else(|| size.text())?;
    size.parse().ok().filter(|size| (1..=1000).contains(size))
}

fn event(item: Item) -> Vec<Fact> {
    let read = |event: Item<'_>| Fact {
        title: event.text(),
        place: event.place(&["location"]),
        starts: event.time(&["startDate"]),
        ends: event.time(&["endDate"]),
        opens: event.time(&["doorTime"]),
        party_size: party_size(item, "numSeats"),
        seat: ticket_seat(item)
            .or_else(|| item.get(&["venueSeat"]))
            .or_else(|| item.path(&["reservedTicket", "seat"]).and_then(Item::text)),
        ticket_number: item.get(&["ticketNumber"]).or_else(|| {
            item.path(&["reservedTicket", "ticketNumber"])
                .and_then(Item::text)
        }),
        ticket_code: item.get(&["ticketToken"]).or_else(|| ticket_code(item)),
        ..reservation(item, FactKind::Event)
    };
    trips(item).into_iter().map(read).collect()
}

fn parcel(item: Item) -> Vec<Fact> {
    let shipped = item.all(&["itemShipped"]);
    let shipped: Vec<String> = shipped
        .into_iter()
        .take(10)
        .filter_map(Item::text)
        .collect();
    let order = item.one(&["partOfOrder"]);
    let seller = order.and_then(|order| order.get(&["merchant", "seller"]));
    let title = super::one_line(&shipped.join(", "), 300);
    vec![Fact {
        title: Some(title).filter(|title| !title.is_empty()).or(seller),
        number: item.get(&["trackingNumber"]),
        reference: order.and_then(|order| order.get(&["orderNumber"])),
        provider: item.get(&["carrier"]).or_else(|| item.get(&["provider"])),
        tracking_url: item.url(&["trackingUrl"]),
        starts: item.time(&["expectedArrivalFrom"]),
        ends: item.time(&["expectedArrivalUntil"]),
        place: item.delivery_address(),
        delivered: is_delivered(
            item.get(&["deliveryStatus"])
                .or_else(|| order?.get(&["orderStatus"])),
        ),
        ..Fact::new(FactKind::Parcel, FactSource::Markup)
    }]
}

fn order(item: Item) -> Vec<Fact> {
    let offers = item.all(&["acceptedOffer"]);
    let names = offers
        .into_iter()
        .take(10)
        .filter_map(|offer| offer.get(&["itemOffered"]).or_else(|| offer.get(&["name"])));
    let names: Vec<String> = names.collect();
    let title = super::one_line(&names.join(", "), 300);
    let offered_price = || price(item.one(&["acceptedOffer"])?, &["price"]);
    vec![Fact {
        title: Some(title).filter(|title| !title.is_empty()),
        number: item.get(&["orderNumber"]),
        provider: item.get(&["merchant", "seller"]),
        starts: item.time(&["orderDate"]),
        price: price(item, &["price"]).or_else(offered_price),
        status: status(item.get(&["orderStatus"])),
        delivered: is_delivered(item.get(&["orderStatus"])),
        ..Fact::new(FactKind::Order, FactSource::Markup)
    }]
}
