//! Events of connected calendars, as superpowers see them, and how they are shown. Texts of
//! events are from outside; they are shown on one line and shortened.

use chrono::NaiveDate;

use super::facts::EventFact;
use super::{Plan, PowerContext};
use super::{local_time, texts};
use crate::clock::{Timestamp, Zone};

/// Characters of a title, a place or a link that are shown.
const SHOWN_CHARS_MAX: usize = 200;
/// Events of one list.
const LISTED_MAX: usize = 15;

/// Whether nobody has to go to a place of that name.
pub(super) fn is_online(place: &str) -> bool {
    let place = place.trim().to_lowercase();
    let names = [
        "online", "zoom", "teams", "google meet", "webex", "skype", "home", "phone", "remote",
    ];
    place.contains("://")
        || place.contains("microsoft teams")
        || names.iter().any(|name| place.starts_with(name))
}

impl EventFact {
    /// For others.
    pub fn plan(&self, zone: Zone) -> Plan {
        Plan {
            what: self.title(),
            place: one_line(&self.place),
            details: one_line(&self.link),
            day: local_time::date(self.starts_at, zone),
            minute: (!self.is_all_day).then(|| local_time::minute_of_day(self.starts_at, zone)),
            leave: None,
            ahead_s: 0,
        }
    }

    /// "Friday, 27 November: 10:00–11:00 Standup, Room 5"
    pub fn line(&self, context: &PowerContext) -> String {
        let day = texts::display(self.date(context), context.today());
        format!("{day}: {}", self.display(context))
    }

    /// The event takes place, and the person takes part.
    pub(super) fn is_on(&self) -> bool {
        !self.is_declined && !self.is_cancelled
    }

    /// The event fills the person's time.
    pub(super) fn fills_time(&self) -> bool {
        self.is_on() && self.is_busy && !self.is_all_day
    }

    pub(super) fn date(&self, context: &PowerContext) -> NaiveDate {
        local_time::date(self.starts_at, context.zone())
    }

    pub(super) fn title(&self) -> String {
        match one_line(&self.title) {
            title if title.is_empty() => "an event without a title".to_owned(),
            title => title,
        }
    }

    /// Where it takes place: place, link, phone.
    pub(super) fn place_texts(&self) -> Vec<String> {
        let all = [&self.place, &self.link, &self.phone];
        let mut texts: Vec<String> = all.into_iter().map(|text| one_line(text)).collect();
        texts.retain(|text| !text.is_empty());
        texts.dedup();
        texts
    }

    /// "10:00–11:00 Standup, Room 5"
    pub(super) fn display(&self, context: &PowerContext) -> String {
        let mut parts = vec![format!("{} {}", self.time_text(context), self.title())];
        parts.extend(self.place_texts());
        parts.join(", ")
    }

    fn time_text(&self, context: &PowerContext) -> String {
        if self.is_all_day {
            return "all day:".to_owned();
        }
        let clock = |at| texts::clock_text(local_time::minute_of_day(at, context.zone()));
        match self.ends_at > self.starts_at {
            true => format!("{}–{}", clock(self.starts_at), clock(self.ends_at)),
            false => clock(self.starts_at),
        }
    }

    /// "Friday, 27 November at 20:00"
    pub(super) fn start_text(&self, context: &PowerContext) -> String {
        moment_text(self.starts_at, self.is_all_day, context)
    }
}

pub(super) fn moment_text(at: Timestamp, is_all_day: bool, context: &PowerContext) -> String {
    let minute = (!is_all_day).then(|| local_time::minute_of_day(at, context.zone()));
    texts::time_text(
        local_time::date(at, context.zone()),
        minute,
        context.today(),
    )
}

pub(super) fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(SHOWN_CHARS_MAX).collect()
}

/// One line for each, with the day where they are of several.
pub(super) fn listed(events: &[&EventFact], with_day: bool, context: &PowerContext) -> String {
    let mut text = String::new();
    for event in events.iter().take(LISTED_MAX) {
        text.push_str("\n• ");
        if with_day {
            text.push_str(&texts::display(event.date(context), context.today()));
            text.push_str(", ");
        }
        text.push_str(&event.display(context));
    }
    if events.len() > LISTED_MAX {
        text.push_str(&format!("\n• and {} more", events.len() - LISTED_MAX));
    }
    text
}

/// The events of a day at which the person takes part, in order.
pub(super) fn of_day<'a>(date: NaiveDate, context: &PowerContext<'a>) -> Vec<&'a EventFact> {
    let Some((from, to)) = local_time::moment(date, 0, context.zone()).zip(
        date.succ_opt()
            .and_then(|next| local_time::moment(next, 0, context.zone())),
    ) else {
        return Vec::new();
    };
    between(from, to, context)
}

pub(super) fn between<'a>(
    from: Timestamp,
    to: Timestamp,
    context: &PowerContext<'a>,
) -> Vec<&'a EventFact> {
    let events = context.facts.events.iter();
    events
        .filter(|event| event.is_on())
        .filter(|event| event.starts_at < to && (event.ends_at > from || event.starts_at >= from))
        .collect()
}

/// The reply to somebody without a connected calendar. `does`: what the superpower would do.
pub(super) fn not_connected(does: &str) -> String {
    format!("With your calendar I {does}. Say “connect my calendar” to connect one.")
}
