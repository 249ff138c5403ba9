//! Reads iCalendar (RFC 5545, RFC 7986) as Google, Outlook, Apple and others write it: the events
//! of a window, expanded. It is pure, and bounded in size and time, because anybody may have
//! written the text.

mod details;
mod expansion;
mod rule;
pub mod series;
#[cfg(test)]
mod tests;
mod wall_time;
mod zones;

use std::collections::HashMap;
use std::ops::Range;

use calcard::icalendar::{
    ICalendar, ICalendarComponent, ICalendarComponentType, ICalendarProperty, ICalendarValue,
};
use calcard::{Entry, Parser};

use crate::clock::{Timestamp, Zone};
use crate::model::calendar::EventFacts;

/// A longer file is refused.
pub const FILE_BYTES_MAX: usize = 10 << 20;
/// Components of a file: events, alarms, zones, …
const COMPONENTS_MAX: usize = 20_000;
/// A longer line is left out.
const LINE_BYTES_MAX: usize = 64 << 10;
/// Events of a file within the window.
const EVENTS_MAX: usize = 20_000;

/// Characters of a calendar's name.
const NAME_CHARS_MAX: usize = 100;

/// The window, and the facts about the person on which instances depend.
pub struct ExpansionContext<'a> {
    pub window: Range<Timestamp>,
    /// The person's time zone, for calendars that name none.
    pub zone: Zone,
    /// In lower case.
    pub own_emails: &'a [String],
    /// Whether the time for reading is up.
    pub is_late: &'a dyn Fn() -> bool,
}

/// The events of a file, and what it says of itself.
#[derive(Debug, Default)]
pub struct CalendarFile {
    pub name: Option<String>,
    /// The publisher asks not to be asked more often.
    pub refresh_ms: Option<i64>,
    pub events: Vec<EventFacts>,
}

/// Why a file can't be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileError {
    TooLong,
    TooManyComponents,
    TooManyEvents,
    /// The file is something else, a web page for instance, or its end is missing.
    NotACalendar,
    /// Reading it took too long.
    TooSlow,
}

impl FileError {
    /// A sentence for people.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::TooLong => "The calendar is larger than 10 MB; publish a smaller one.",
            Self::TooManyComponents => {
                "The calendar has more than 20,000 entries; publish a smaller one."
            }
            Self::TooManyEvents => {
                "The calendar has more than 20,000 events in the next 400 days; publish a smaller one."
            }
            Self::NotACalendar => {
                "The address answers, but not with a calendar in iCal format; copy the address again."
            }
            Self::TooSlow => "The calendar's repetitions take too long to work out.",
        }
    }
}

/// The events of a file within the window. Those that can't be read are left out.
pub fn read(bytes: &[u8], context: &ExpansionContext) -> Result<CalendarFile, FileError> {
    let text = unfold(bytes)?;
    let mut parser = Parser::new(&text);
    let mut file = CalendarFile::default();
    let mut is_calendar = false;
    loop {
        match parser.entry() {
            Entry::ICalendar(calendar) => {
                let root = calendar.components.first();
                if root.map(|root| &root.component_type) == Some(&ICalendarComponentType::VCalendar)
                {
                    is_calendar = true;
                    take_calendar(&calendar, context, &mut file)?;
                }
            }
            Entry::TooManyComponents => return Err(FileError::TooManyComponents),
            Entry::Eof => break,
            _ => {}
        }
        if (context.is_late)() {
            return Err(FileError::TooSlow);
        }
    }
    match is_calendar {
        true => Ok(file),
        false => Err(FileError::NotACalendar),
    }
}

/// A name as one line, bounded.
pub(super) fn clean_name(name: &str) -> String {
    details::clean(name, NAME_CHARS_MAX)
}

/// The text with its folded lines joined. Lines fold at octets, inside a character too, so that
/// bytes are joined before they are decoded.
fn unfold(bytes: &[u8]) -> Result<String, FileError> {
    if bytes.len() > FILE_BYTES_MAX {
        return Err(FileError::TooLong);
    }
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let mut unfolded: Vec<u8> = Vec::with_capacity(bytes.len());
    let (mut line_start, mut begun, mut ended) = (0, 0, 0);
    for line in bytes.split(|byte| *byte == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        match line {
            [b' ' | b'\t', rest @ ..] if !unfolded.is_empty() => {
                if unfolded.len() - line_start + rest.len() <= LINE_BYTES_MAX {
                    unfolded.extend_from_slice(rest);
                }
            }
            line => {
                unfolded.push(b'\n');
                line_start = unfolded.len();
                unfolded.extend_from_slice(&line[..line.len().min(LINE_BYTES_MAX)]);
                begun += usize::from(starts_with(line, b"BEGIN:"));
                ended += usize::from(starts_with(line, b"END:"));
            }
        }
    }
    if begun > COMPONENTS_MAX {
        return Err(FileError::TooManyComponents);
    }
    // A file that was cut off would look as if the rest had been cancelled.
    if ended < begun {
        return Err(FileError::NotACalendar);
    }
    unfolded.push(b'\n');
    // Exchange does not quote the colon of this zone's name.
    Ok(String::from_utf8_lossy(&unfolded).replace("=tzone://Microsoft/Utc:", "=UTC:"))
}

fn starts_with(line: &[u8], word: &[u8]) -> bool {
    let start = line.get(..word.len());
    start.is_some_and(|start| start.eq_ignore_ascii_case(word))
}

fn take_calendar(
    calendar: &ICalendar,
    context: &ExpansionContext,
    file: &mut CalendarFile,
) -> Result<(), FileError> {
    let root = &calendar.components[0];
    let named = |name: &str| own_property(root, name);
    let name = text_of(root, &ICalendarProperty::Name).or_else(|| named("X-WR-CALNAME"));
    file.name = file.name.take().or(name.map(clean_name));
    let refresh = root.property(&ICalendarProperty::RefreshInterval);
    let refresh = refresh.and_then(|entry| match entry.values.first()? {
        ICalendarValue::Duration(duration) => Some(duration.as_seconds()),
        _ => None,
    });
    let refresh = refresh.or_else(|| duration_s(named("X-PUBLISHED-TTL")?));
    file.refresh_ms = file
        .refresh_ms
        .or(refresh.map(|seconds| seconds.saturating_mul(1_000)));
    let zones = zones::Zones::of(calendar, named("X-WR-TIMEZONE"), context);
    if (context.is_late)() {
        return Err(FileError::TooSlow);
    }
    for components in by_uid(calendar) {
        let events = expansion::expand(&components, &zones, context)?;
        file.events.extend(events);
        if file.events.len() > EVENTS_MAX {
            return Err(FileError::TooManyEvents);
        }
    }
    Ok(())
}

/// Events with the same UID, in the order of the file. One without a UID stands for itself.
fn by_uid(calendar: &ICalendar) -> Vec<Vec<&ICalendarComponent>> {
    let mut groups: Vec<Vec<&ICalendarComponent>> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    let events = calendar.components.iter();
    let events = events.filter(|part| part.component_type == ICalendarComponentType::VEvent);
    for event in events {
        match event.uid().map(|uid| (uid, places.get(uid))) {
            Some((_, Some(place))) => groups[*place].push(event),
            Some((uid, None)) => {
                places.insert(uid, groups.len());
                groups.push(vec![event]);
            }
            None => groups.push(vec![event]),
        }
    }
    groups
}

fn text_of<'a>(component: &'a ICalendarComponent, name: &ICalendarProperty) -> Option<&'a str> {
    component.property(name)?.values.first()?.as_text()
}

/// A property whose name begins with X-.
fn own_property<'a>(component: &'a ICalendarComponent, name: &str) -> Option<&'a str> {
    let mut entries = component.entries.iter();
    let entry = entries.find(|entry| {
        matches!(&entry.name, ICalendarProperty::Other(other) if other.eq_ignore_ascii_case(name))
    })?;
    entry.values.first()?.as_text()
}

/// Seconds of `PT1H`, `P1D` and the like.
fn duration_s(text: &str) -> Option<i64> {
    let mut seconds = 0i64;
    let mut digits = String::new();
    for c in text.trim().to_ascii_uppercase().strip_prefix('P')?.chars() {
        let unit = match c {
            '0'..='9' => {
                digits.push(c);
                continue;
            }
            'T' => continue,
            'W' => 604_800,
            'D' => 86_400,
            'H' => 3_600,
            'M' => 60,
            'S' => 1,
            _ => return None,
        };
        let count: i64 = std::mem::take(&mut digits).parse().ok()?;
        seconds = seconds.saturating_add(count.saturating_mul(unit));
    }
    Some(seconds)
}
