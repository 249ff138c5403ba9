//! The answer to a request to add, move or delete an event: it repeats the event and asks for a
//! yes. Also the change to carry out after the yes.

use chrono::{Duration, NaiveDate, NaiveTime};

use super::changes::{EventChangeRequest, EventDraft, EventRef, USUAL_MINUTES};
use crate::assistant::builtin::TimeChange;
use crate::assistant::powers::events;
use crate::assistant::powers::facts::EventFact;
use crate::assistant::powers::{CalendarName, CalendarRequest, PowerContext};
use crate::assistant::powers::{local_time, parsers, texts};
use crate::assistant::text::words::Words;
use crate::clock::Timestamp;
use crate::model::calendar::{EventClock, EventTime};

/// The question to the person, and the change to make once they confirm it.
pub(super) type Proposal = (String, Option<CalendarRequest>);

/// `None`: no reply, as the message may be about something else.
pub(super) fn propose_add(event: &EventDraft, context: &PowerContext) -> Option<Proposal> {
    let calendars = &context.facts.calendars;
    let calendar = match &event.calendar {
        Some(name) => {
            let names = calendars.iter().map(|calendar| calendar.name.as_str());
            match parsers::which(name, names) {
                Some(at) => &calendars[at],
                None => return Some((format!("I see no calendar {name}."), None)),
            }
        }
        None => match calendars
            .iter()
            .find(|one| one.is_enabled && one.is_writable)
        {
            Some(calendar) => calendar,
            None => return Some((read_only(calendars.first()), None)),
        },
    };
    if !calendar.is_writable {
        return Some((read_only(Some(calendar)), None));
    }
    let time = time_of(event, context)?;
    if time.clock == EventClock::Zoned && time.starts_at <= context.now {
        return Some(("That time has passed. When do you mean?".to_owned(), None));
    }
    let (title, name) = (&event.title, events::one_line(&calendar.name));
    let when = time_text(&time, context);
    Some((
        format!(
            "Shall I put “{title}” into your calendar {name}: {when}?{} Say yes, and I do.",
            context.zone_hint()
        ),
        Some(CalendarRequest::Add {
            calendar: calendar.id,
            title: title.clone(),
            time,
            done: format!("“{title}” is in your calendar {name} now: {when}."),
        }),
    ))
}

fn read_only(calendar: Option<&CalendarName>) -> String {
    let name = calendar.map_or(String::new(), |calendar| {
        format!(" {}", events::one_line(&calendar.name))
    });
    format!(
        "I can only read your calendar{name}, not change it. I change calendars that are connected by CalDAV with the right to write."
    )
}

fn time_of(event: &EventDraft, context: &PowerContext) -> Option<EventTime> {
    let Some(minute) = event.minute else {
        return all_day(event.day);
    };
    let starts_at = local_time::moment(event.day, minute, context.zone())?;
    Some(EventTime {
        clock: EventClock::Zoned,
        starts_at,
        ends_at: starts_at.plus_s(event.minutes * 60),
    })
}

/// Midnights on the wall, as if they were UTC.
fn all_day(day: NaiveDate) -> Option<EventTime> {
    let midnight = |day: NaiveDate| {
        let at = day.and_time(NaiveTime::MIN).and_utc();
        Timestamp(at.timestamp_millis())
    };
    Some(EventTime {
        clock: EventClock::AllDay,
        starts_at: midnight(day),
        ends_at: midnight(day.succ_opt()?),
    })
}

pub(super) fn propose_change(
    change: &EventChangeRequest,
    context: &PowerContext,
) -> Option<Proposal> {
    let ahead = context.facts.events.iter();
    let ahead: Vec<&EventFact> = ahead
        .filter(|event| event.is_on() && event.ends_at > context.now)
        .collect();
    let found = match &change.which {
        EventRef::Latest { uid, instance } => ahead
            .iter()
            .find(|event| event.uid == *uid && event.instance == *instance)
            .map(|event| (*event, false)),
        EventRef::Named(name) => named(name, &ahead, context),
    };
    let Some((event, whole_series)) = found else {
        return match (&change.which, change.is_explicit) {
            (EventRef::Named(name), true) => Some((
                format!("I find no “{name}” in your calendars in the weeks ahead."),
                None,
            )),
            _ => None,
        };
    };
    // One that was moved by itself does not say when its series is.
    let mut series = ahead.iter().filter(|one| one.uid == event.uid);
    let event = match whole_series {
        true => series
            .find(|one| is_in_place(one, context))
            .unwrap_or(&event),
        false => event,
    };
    Some(propose_for(
        event,
        whole_series,
        change.to.as_ref(),
        context,
    ))
}

/// The next event of that name, and whether the whole series is requested: "standup", "standup on
/// friday", "tomorrow's standup", "the whole series standup", "the standup series".
fn named<'a>(
    name: &str,
    ahead: &[&'a EventFact],
    context: &PowerContext<'_>,
) -> Option<(&'a EventFact, bool)> {
    let find = |name: &str, day: Option<NaiveDate>| {
        let events = ahead.iter().copied();
        let events = events.filter(|event| day.is_none_or(|day| event.date(context) == day));
        let events: Vec<&EventFact> = events.collect();
        let at = parsers::which(name, events.iter().map(|event| event.title.as_str()))?;
        Some(events[at])
    };
    if let Some(event) = find(name, None) {
        return Some((event, false));
    }
    if let Some(rest) = series_name(name) {
        return find(rest, None).map(|event| (event, event.is_recurring));
    }
    let (rest, day) = dated(name, context)?;
    find(&rest, Some(day)).map(|event| (event, false))
}

/// "whole series standup", "standup series": standup.
fn series_name(name: &str) -> Option<&str> {
    let begins = ["whole series of ", "whole series ", "series of ", "series "];
    let begun = begins.iter().find_map(|begin| {
        let start = name.get(..begin.len())?;
        start
            .eq_ignore_ascii_case(begin)
            .then(|| &name[begin.len()..])
    });
    begun.or_else(|| name.strip_suffix(" series"))
}

/// "standup on friday", "tomorrow's standup": standup, and the day.
fn dated(name: &str, context: &PowerContext) -> Option<(String, NaiveDate)> {
    let (zone, now) = (context.zone(), context.now);
    if let Some((day, rest)) = name.split_once(' ')
        && let Some(day) = day.strip_suffix("'s").or(day.strip_suffix("’s"))
        && let Some((day, _)) = parsers::read_day(&Words::new(day), 0, now, zone)
    {
        return Some((rest.to_owned(), day));
    }
    let words = Words::new(name);
    (1..words.len()).find_map(|at| {
        let (day, next) = parsers::read_day(&words, at, now, zone)?;
        (next == words.len()).then(|| (parsers::original(&words, 0, at), day))
    })
}

fn propose_for(
    event: &EventFact,
    whole_series: bool,
    to: Option<&TimeChange>,
    context: &PowerContext,
) -> Proposal {
    let title = event.title();
    let calendars = &context.facts.calendars;
    let calendar = calendars.iter().find(|one| one.id == event.calendar);
    let Some(calendar) = calendar.filter(|calendar| calendar.is_writable) else {
        return (read_only(calendar), None);
    };
    let name = events::one_line(&calendar.name);
    let was = event.start_text(context);
    let others = match event.people.is_empty() {
        true => "",
        false => " Your calendar's server may tell the others who are invited.",
    };
    let Some(to) = to else {
        let (what, others_stay) = match (whole_series, event.is_recurring) {
            (true, _) => (format!("the whole series “{title}”"), String::new()),
            (false, true) => (
                format!("“{title}” ({was})"),
                format!(
                    " It is one of a series, and the others stay; for all of them say “delete the whole series {title}”."
                ),
            ),
            (false, false) => (format!("“{title}” ({was})"), String::new()),
        };
        return (
            format!(
                "Shall I delete {what} from your calendar {name}?{others_stay}{others} Say yes, and I do."
            ),
            Some(CalendarRequest::Delete {
                event: event.id,
                whole_series,
                done: format!(
                    "{} is no longer in your calendar {name}.",
                    texts::capital(&what)
                ),
            }),
        );
    };
    let time = match moved(event, to, context) {
        Ok(time) => time,
        Err(why) => return (why, None),
    };
    if whole_series {
        return propose_series_move(event, time, others, context);
    }
    let when = time_text(&time, context);
    let others_stay = others_stay(event, &time, context);
    (
        format!(
            "Shall I move “{title}” from {was} to {when}?{others_stay}{}{others} Say yes, and I do.",
            context.zone_hint()
        ),
        Some(CalendarRequest::Move {
            event: event.id,
            whole_series: false,
            to: time,
            done: format!("“{title}” is moved: it is on {when} now (it was on {was})."),
        }),
    )
}

fn others_stay(event: &EventFact, to: &EventTime, context: &PowerContext) -> String {
    match event.is_recurring {
        true if is_within_day(event, to, context) => format!(
            " It is one of a series, and the others stay; for all of them say “move the whole series {} to {}”.",
            event.title(),
            clock_of(to.starts_at, context)
        ),
        true => " It is one of a series, and the others stay.".to_owned(),
        false => String::new(),
    }
}

/// To another time of the day; a series on other days would be another one.
fn propose_series_move(
    event: &EventFact,
    time: EventTime,
    others: &str,
    context: &PowerContext,
) -> Proposal {
    let title = event.title();
    if !is_within_day(event, &time, context) {
        let reply = format!(
            "I move a series only to another time of the same days; please move “{title}” in your calendar."
        );
        return (reply, None);
    }
    let was = clock_of(event.starts_at, context);
    let when = clock_of(time.starts_at, context);
    (
        format!(
            "Shall I move the whole series “{title}” from {was} to {when}, past ones too? One that was moved by itself stays.{}{others} Say yes, and I do.",
            context.zone_hint()
        ),
        Some(CalendarRequest::Move {
            event: event.id,
            whole_series: true,
            to: time,
            done: format!("The whole series “{title}” is at {when} now (it was at {was})."),
        }),
    )
}

fn is_within_day(event: &EventFact, time: &EventTime, context: &PowerContext) -> bool {
    let day = local_time::date(time.starts_at, context.zone());
    !event.is_all_day && !time.is_all_day() && day == event.date(context)
}

/// The event begins when its series says.
fn is_in_place(event: &EventFact, context: &PowerContext) -> bool {
    let moment = event.starts_at.utc();
    let wall = moment.with_timezone(&context.zone());
    event.instance == moment.format("%Y%m%dT%H%M%SZ").to_string()
        || event.instance == wall.format("%Y%m%dT%H%M%S").to_string()
}

fn clock_of(at: Timestamp, context: &PowerContext) -> String {
    texts::clock_text(local_time::minute_of_day(at, context.zone()))
}

/// The event takes as long as before. A day alone moves an event of a whole day to that day.
fn moved(event: &EventFact, to: &TimeChange, context: &PowerContext) -> Result<EventTime, String> {
    let zone = context.zone();
    let at = to.of_set(event.starts_at, None, context.now, zone)?.send_at;
    let is_midnight = local_time::minute_of_day(at, zone) == 0;
    if event.is_all_day && is_midnight {
        let first = event.date(context);
        let days = (local_time::date(event.ends_at, zone) - first)
            .num_days()
            .max(1);
        let day = local_time::date(at, zone);
        let last = day.checked_add_signed(Duration::days(days - 1));
        let whole = all_day(day).zip(last.and_then(all_day));
        let (first, last) = whole.ok_or("No calendar has that day.")?;
        return Ok(EventTime {
            ends_at: last.ends_at,
            ..first
        });
    }
    let lasts_ms = match event.is_all_day {
        true => USUAL_MINUTES * 60_000,
        false => event.ends_at.0 - event.starts_at.0,
    };
    Ok(EventTime {
        clock: EventClock::Zoned,
        starts_at: at,
        ends_at: at.plus_ms(lasts_ms),
    })
}

/// "Tuesday, 24 November, 13:00–14:00"; of whole days without the time.
fn time_text(time: &EventTime, context: &PowerContext) -> String {
    let zone = context.zone();
    let span = time.within(zone);
    let day = texts::display(local_time::date(span.start, zone), context.today());
    match time.is_all_day() {
        true => format!("{day}, all day"),
        false => format!(
            "{day}, {}–{}",
            clock_of(span.start, context),
            clock_of(span.end, context)
        ),
    }
}
