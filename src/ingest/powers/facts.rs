//! Reads the facts for one superpower from the database (`gather`): events, mails, plans, the day
//! for the daily summary. It reads only what that superpower needs. The types of the facts are in
//! `assistant::powers::facts`.

use std::ops::Range;

use super::service_cache::{ServiceCache, to_event};
use super::{notices, stored_state};
use crate::assistant::LocalNow;
use crate::assistant::powers::{
    Booking, BookingDetails, CalendarName, DaySpan, EventFact, Facts, Mail, Plan, Power,
    PowerContext, current_bookings, dropped_stops, is_travel, planned_trips, travel_times,
};
use crate::assistant::wording;
use crate::clock::{Timestamp, Zone};
use crate::error::Result;
use crate::flags::FlagReader;
use crate::model::calendar::DAY_MS;
use crate::model::mail_item::FactKind;
use crate::store::{CalendarRow, MailFactRow, MailItem, PowerOwner, Tx, UserId};

/// Times of one reminder that are looked at.
const REMINDER_TIMES_MAX: usize = 4;
/// Memories in which people of a call are looked for.
const MEMORIES_MAX: usize = 500;
/// Days of mails that are looked at, and how many.
const MAIL_DAYS: i64 = 30;
const MAILS_MAX: usize = 500;
/// A shorter first name is no name.
const NAME_CHARS_MIN: usize = 3;
/// Days after which a parcel that has not come is forgotten.
const PARCEL_DAYS: i64 = 14;
/// Renewals come each year again.
const RENEWAL_DAYS: i64 = 400;
/// How long after its begin a booking is known.
const BOOKING_KEPT_MS: i64 = 12 * 60 * 60_000;
/// Events listed for a span.
const EVENT_LINES_MAX: usize = 50;
/// How far ahead events are looked for by name.
const YEAR_DAYS: i64 = 366;
/// How far ahead plans are looked at.
const PLANS_AHEAD_S: i64 = 3 * 86_400;

pub(super) fn gather(
    tx: &Tx,
    power: Power,
    (user, timezone): (UserId, Option<Zone>),
    flags: &FlagReader,
    known: &mut ServiceCache,
    now: Timestamp,
) -> Result<Facts> {
    let mut facts = Facts::default();
    if power == Power::DailySummary {
        (facts.day, facts.is_day_filled) = day(tx, (user, timezone), flags, |_| true, now)?;
    }
    let connected = known.connected(tx, user, now)?;
    facts.is_calendar_of_mail = connected.invitations && takes_invitations(power);
    facts.has_calendar = uses_events(power) && connected.calendar || facts.is_calendar_of_mail;
    facts.has_mailbox = uses_mail(power) && connected.mailbox;
    if facts.has_calendar {
        let zone = timezone.unwrap_or(Zone::UTC);
        facts.events = known.events(tx, power, (user, zone), now)?;
        facts.is_second_briefing = flags.second_briefing();
        if matches!(power, Power::CalendarListAgent | Power::CalendarQueryAgent) {
            facts.calendars = calendars(tx, user)?;
        }
        if power == Power::CallPrep {
            let memories = tx.memories(user, MEMORIES_MAX)?;
            facts.memories = memories.into_iter().map(|memory| memory.text).collect();
        }
        if power == Power::CalendarMorning {
            let is_included = Power::is_in_morning_briefing;
            (facts.day, facts.is_day_filled) = day(tx, (user, timezone), flags, is_included, now)?;
        }
    }
    if power.uses_mail() && facts.has_mailbox {
        let zone = timezone.unwrap_or(Zone::UTC);
        // What is told by itself is news.
        let days = match power {
            Power::EmailUrgency => 1,
            _ => MAIL_DAYS,
        };
        let since = now.plus_ms(-days * DAY_MS);
        let mails = tx.view().mails_since(user, since, MAILS_MAX)?;
        facts.mails = mails.into_iter().map(mail).collect();
        let met = known.events(tx, power, (user, zone), now)?;
        facts.people = people(&met);
        facts.people.extend(names_in_memories(tx, user)?);
        facts.is_urgent_mail_told = flags.tells_urgent_mail();
    }
    if facts.has_mailbox && uses_mail(power) && !power.uses_mail() {
        facts.bookings = bookings(tx, user, timezone.unwrap_or(Zone::UTC), now)?;
    }
    if matches!(
        power,
        Power::TravelBrain | Power::TripPlanner | Power::ReservationPrep | Power::DestinationPrep
    ) || power.needs_plans()
    {
        add_travel(tx, &mut facts, user, flags)?;
    }
    if power.needs_plans() {
        facts.plans = plans(tx, power, (user, timezone), &facts, flags, now)?;
    }
    Ok(facts)
}

fn uses_events(power: Power) -> bool {
    power.uses_calendar()
        || power.needs_calendar()
        || matches!(power, Power::ReservationPrep | Power::TripPlanner)
}

/// Whether it serves somebody who has no calendar but invitations in mails. The others tell of
/// calendars themselves, or of how full they are.
fn takes_invitations(power: Power) -> bool {
    uses_events(power) && !matches!(power, Power::CalendarListAgent | Power::CalendarStressAgent)
}

fn uses_mail(power: Power) -> bool {
    power.uses_mail() || power.uses_bookings() || power.needs_plans() || power == Power::TripPlanner
}

/// Adds facts about trips: travel times, plans, and stops that the person removed.
fn add_travel(tx: &Tx, facts: &mut Facts, user: UserId, flags: &FlagReader) -> Result<()> {
    let travel = Power::TravelBrain;
    let is_muted = notices::preferences(tx, user)?.is_muted(travel);
    facts.is_travel_told = flags.superpower(travel) && !is_muted;
    for row in tx.power_states(PowerOwner::User(user))? {
        match Power::named(&row.name) {
            Some(Power::DestinationPrep) => facts.travel_times = travel_times(&stored_state(row)),
            Some(Power::TravelBrain) => facts.dropped_stops = dropped_stops(&stored_state(row)),
            Some(Power::TripPlanner) => facts.trips = planned_trips(&stored_state(row)),
            _ => {}
        }
    }
    Ok(())
}

/// Bookings, parcels and the like from mails that matter now.
pub(in crate::ingest) fn bookings(
    tx: &Tx,
    user: UserId,
    zone: Zone,
    now: Timestamp,
) -> Result<Vec<Booking>> {
    let since = |days: i64| now.plus_ms(-days * DAY_MS);
    let rows = tx
        .view()
        .mail_facts(user, since(PARCEL_DAYS), since(RENEWAL_DAYS))?;
    // An invitation is an event of a calendar, and no ticket.
    let booked = rows
        .into_iter()
        .filter(|row| row.fact.data["source"] != "calendar");
    let mut all: Vec<Booking> = booked.map(|row| booking(row, zone)).collect();
    all.retain(|booking| match (booking.kind, &booking.time) {
        (FactKind::Parcel | FactKind::Renewal, _) => true,
        (FactKind::TrialEnd | FactKind::FreeCancellation, Some(time)) => time.end >= now,
        (_, Some(time)) => time.end.plus_ms(BOOKING_KEPT_MS) > now,
        (_, None) => false,
    });
    Ok(current_bookings(all))
}

/// Converts a stored fact for superpowers.
fn booking(row: MailFactRow, zone: Zone) -> Booking {
    let fact = row.fact;
    let details: Option<BookingDetails> = serde_json::from_value(fact.data).ok();
    Booking {
        kind: fact.kind,
        key: fact.key,
        status: fact.status,
        is_all_day: fact.time.is_some_and(|time| time.is_all_day()),
        time: fact.time.map(|time| time.within(zone)),
        details: details.unwrap_or_default(),
        subject: row.subject,
        received_at: row.received_at,
        first_seen_at: row.first_seen_at,
        changed_at: row.changed_at,
    }
}

/// Converts a stored fact for superpowers.
fn mail(item: MailItem) -> Mail {
    let extract = item.extract;
    Mail {
        id: item.id,
        is_mass_mail: extract.is_mass_mail(),
        judged: extract.judged,
        first_seen_at: item.first_seen_at,
        from_name: extract.from_name,
        from_email: extract.from_email,
        subject: extract.subject,
        text: extract.text,
        received_at: item.received_at,
        is_to_self: extract.is_to_self,
        answers_own: extract.answers_own,
        urgency: extract.urgency,
    }
}

/// First names of the people whom the person meets around now.
fn people(met: &[EventFact]) -> Vec<String> {
    let names = met.iter().flat_map(|event| &event.people);
    let first = names.filter_map(|name| name.split([' ', '@', '.']).next());
    let mut people: Vec<String> = first.map(str::to_lowercase).collect();
    people.retain(|name| name.chars().count() >= NAME_CHARS_MIN);
    people.sort_unstable();
    people.dedup();
    people
}

/// Words of memories that begin like names, in lower case.
fn names_in_memories(tx: &Tx, user: UserId) -> Result<Vec<String>> {
    let memories = tx.memories(user, MEMORIES_MAX)?;
    let words = memories
        .iter()
        .flat_map(|memory| memory.text.split(|c: char| !c.is_alphanumeric()));
    let names = words.filter(|word| {
        word.starts_with(char::is_uppercase) && word.chars().count() >= NAME_CHARS_MIN
    });
    let mut names: Vec<String> = names.map(str::to_lowercase).collect();
    names.sort_unstable();
    names.dedup();
    Ok(names)
}

fn calendars(tx: &Tx, user: UserId) -> Result<Vec<CalendarName>> {
    let rows = tx.view().calendars(user)?.into_iter();
    let name = |row: CalendarRow| CalendarName {
        id: row.id.0,
        name: row.name,
        is_enabled: row.is_enabled,
        is_writable: row.is_writable,
    };
    Ok(rows.map(name).collect())
}

/// Events to come within a year that the person takes part in.
pub(in crate::ingest) fn planned_events(
    tx: &Tx,
    user: UserId,
    timezone: Option<Zone>,
    now: Timestamp,
) -> Result<Vec<Plan>> {
    let zone = timezone.unwrap_or(Zone::UTC);
    let span = now..now.plus_ms(YEAR_DAYS * DAY_MS);
    let found = tx.view().events_between(user, &span, zone)?;
    let events = found.into_iter().map(|event| to_event(event, zone));
    let on = events.filter(|event| !event.is_declined);
    Ok(on.map(|event| event.plan(zone)).collect())
}

/// The events of a span, one line each, for the agenda.
pub(in crate::ingest) fn event_lines(
    tx: &Tx,
    user: UserId,
    span: &Range<Timestamp>,
    timezone: Option<Zone>,
    now: Timestamp,
) -> Result<Vec<String>> {
    let zone = timezone.unwrap_or(Zone::UTC);
    let found = tx.view().events_between(user, span, zone)?;
    let nothing = Facts::default();
    let context = PowerContext {
        timezone,
        ..PowerContext::alone(now, user.0, &nothing)
    };
    let events = found.into_iter().map(|event| to_event(event, zone));
    let on = events
        .filter(|event| !event.is_declined)
        .take(EVENT_LINES_MAX);
    Ok(on.map(|event| event.line(&context)).collect())
}

/// Plans of superpowers and calendars; for the evening also reminders.
fn plans(
    tx: &Tx,
    power: Power,
    (user, timezone): (UserId, Option<Zone>),
    facts: &Facts,
    flags: &FlagReader,
    now: Timestamp,
) -> Result<Vec<Plan>> {
    let zone = timezone.unwrap_or(Zone::UTC);
    let mut plans = Vec::new();
    if power == Power::EveningPrep {
        let span = now..now.plus_s(PLANS_AHEAD_S);
        for reminder in tx.reminders(user)? {
            for at in reminder.moments(&span, REMINDER_TIMES_MAX) {
                plans.push(Plan::at(&reminder.text, at, zone));
            }
        }
    }
    let context = PowerContext {
        timezone,
        ..PowerContext::alone(now, user.0, facts)
    };
    let is_evening = power == Power::EveningPrep;
    let planning = Power::ALL.into_iter();
    let planning = planning.filter(|other| other.has_plans() || is_evening);
    for other in planning.filter(|other| flags.superpower(*other)) {
        let row = tx.power_state(PowerOwner::User(user), other.name())?;
        let stored = row.map(stored_state);
        plans.extend(match is_evening {
            true => other.occasions(stored.as_ref(), &context),
            false => other.plans(stored.as_ref(), &context),
        });
    }
    let is_travel_planned = flags.superpower(Power::TravelBrain);
    let planned = facts.events.iter().filter(|event| {
        let is_planned_already = is_travel_planned && is_travel(event);
        !event.is_declined && !is_planned_already
    });
    plans.extend(planned.map(|event| event.plan(zone)));
    Ok(plans)
}

/// Lines about a user's day: reminders, and lines of the included superpowers that are offered.
/// And whether any of it is on this day itself.
fn day(
    tx: &Tx,
    (user, timezone): (UserId, Option<Zone>),
    flags: &FlagReader,
    is_included: impl Fn(Power) -> bool,
    now: Timestamp,
) -> Result<(String, bool)> {
    let mut lines = Vec::new();
    let reminders = tx.reminders(user)?;
    let listed: Vec<(&str, Timestamp)> = reminders
        .iter()
        .map(|reminder| (reminder.text.as_str(), reminder.send_at))
        .collect();
    lines.extend(wording::reminders_of_day(
        &listed,
        LocalNow::new(now, timezone),
    ));
    let mut is_filled = !lines.is_empty();
    let facts = Facts {
        bookings: bookings(tx, user, timezone.unwrap_or(Zone::UTC), now)?,
        ..Facts::default()
    };
    let context = PowerContext {
        timezone,
        ..PowerContext::alone(now, user.0, &facts)
    };
    let rows = tx.power_states(PowerOwner::User(user))?;
    for power in Power::ALL.into_iter().rev() {
        let row = rows.iter().find(|row| row.name == power.name());
        let has_data = row.is_some() || power.uses_bookings();
        if !has_data || !is_included(power) || !flags.superpower(power) {
            continue;
        }
        let stored = row.cloned().map(stored_state);
        let today = context.today();
        is_filled |= !power
            .between(stored.as_ref(), DaySpan::of_days(today, today), &context)
            .is_empty();
        lines.extend(power.brief(stored.as_ref(), &context));
    }
    let lines: Vec<String> = lines.iter().map(|line| format!("• {line}")).collect();
    Ok((lines.join("\n"), is_filled))
}
