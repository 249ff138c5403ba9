//! The events of one UID as a calendar resource writes them: a series, and its instances that
//! were changed by themselves. It changes no text.

use calcard::icalendar::{
    ICalendar, ICalendarComponent, ICalendarComponentType, ICalendarProperty,
};
use calcard::{Entry, Parser};
use chrono::{Duration, NaiveDate, NaiveDateTime, TimeZone};

use super::wall_time::{WallTime, start_of, wall_times};
use super::{ExpansionContext, FileError, own_property, unfold, zones};
use crate::clock::Zone;
use crate::model::calendar::{EventClock, EventTime};

/// The events of one UID.
pub struct Series {
    /// For each event, in the order of the text, the instance that it changes (see
    /// `EventFacts::instance`). `None`: the event is the series itself.
    pub instances: Vec<Option<String>>,
    /// The start of the series itself, if the text holds it.
    start: Option<WallTime>,
}

impl Series {
    /// `None`: the text is no calendar.
    pub fn read(text: &str, uid: &str, context: &ExpansionContext) -> Option<Self> {
        let unfolded = unfold(text.as_bytes()).ok()?;
        match Parser::new(&unfolded).entry() {
            Entry::ICalendar(calendar) => Some(Self::of(&calendar, uid, context)),
            _ => None,
        }
    }

    fn of(calendar: &ICalendar, uid: &str, context: &ExpansionContext) -> Self {
        let root = calendar.components.first();
        let default = root.and_then(|root| own_property(root, "X-WR-TIMEZONE"));
        let zones = zones::Zones::of(calendar, default, context);
        let events: Vec<&ICalendarComponent> = calendar
            .components
            .iter()
            .filter(|part| part.component_type == ICalendarComponentType::VEvent)
            .filter(|event| event.uid() == Some(uid))
            .collect();
        let changed = |event: &ICalendarComponent| {
            let id = event.property(&ICalendarProperty::RecurrenceId)?;
            wall_times(id, &zones).into_iter().next()
        };
        let mut masters = events.iter().filter(|event| changed(event).is_none());
        let start = masters.next().and_then(|master| start_of(master, &zones));
        let instance_of = |event: &&ICalendarComponent| {
            let id = changed(event)?;
            Some(start.map_or(id, |start| id.as_in(&start)).key())
        };
        Self {
            instances: events.iter().map(instance_of).collect(),
            start,
        }
    }

    /// The start of an instance in the local time of the series. `None`: the text holds no series, or
    /// that is no instance.
    pub fn wall_time_of(&self, instance: &str) -> Option<NaiveDateTime> {
        let start = self.start?;
        let midnight =
            || NaiveDateTime::parse_from_str(&format!("{instance}T000000"), "%Y%m%dT%H%M%S");
        match start.clock {
            EventClock::AllDay => midnight().ok(),
            EventClock::Floating => NaiveDateTime::parse_from_str(instance, "%Y%m%dT%H%M%S").ok(),
            EventClock::Zoned => {
                let utc = NaiveDateTime::parse_from_str(instance, "%Y%m%dT%H%M%SZ").ok()?;
                Some(start.zone.from_utc_datetime(&utc).naive_local())
            }
        }
    }
}

impl Series {
    /// The shift of the series that moves `instance` to `to`. `None`: `to` is on another day, or the
    /// events last whole days. `zone`: the person's.
    pub fn shift(&self, instance: &str, to: &EventTime, zone: Zone) -> Option<Shift> {
        let start = self.start?;
        let zone = match start.clock {
            EventClock::AllDay => return None,
            EventClock::Floating => zone,
            EventClock::Zoned => start.zone,
        };
        let was = self.wall_time_of(instance)?;
        let wall = to.starts_at.utc().with_timezone(&zone).naive_local();
        let is_same_day = to.clock == EventClock::Zoned && was.date() == wall.date();
        is_same_day.then(|| Shift(wall.time() - start.local.time()))
    }
}

/// How far the local times of day of a series are moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shift(Duration);

impl Shift {
    pub fn is_none(self) -> bool {
        self.0.is_zero()
    }

    /// A time as a calendar writes it, moved; a date stays. `None`: it is neither.
    pub fn moved(self, value: &str) -> Option<String> {
        const FORM: &str = "%Y%m%dT%H%M%S";
        if NaiveDate::parse_from_str(value, "%Y%m%d").is_ok() {
            return Some(value.to_owned());
        }
        let (local, utc) = match value.strip_suffix('Z') {
            Some(local) => (local, "Z"),
            None => (value, ""),
        };
        let time = NaiveDateTime::parse_from_str(local, FORM).ok()?;
        let moved = time.checked_add_signed(self.0)?;
        Some(format!("{}{utc}", moved.format(FORM)))
    }
}

/// When an instance of a series is. `None`: it does not take place.
pub fn instance_time(
    text: &str,
    uid: &str,
    instance: &str,
    context: &ExpansionContext,
) -> Result<Option<EventTime>, FileError> {
    let file = super::read(text.as_bytes(), context)?;
    let mut events = file.events.into_iter();
    let found = events.find(|event| event.uid == uid && event.instance == instance);
    Ok(found.map(|event| event.time))
}
