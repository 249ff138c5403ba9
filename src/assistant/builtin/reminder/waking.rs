//! Alarms and wakings: their bare hours are in the morning, and what they are for is part of their
//! text.

use chrono::Timelike;

use super::ReminderText;
use super::parts::ReminderParts;
use crate::assistant::builtin::ParsedMessage;
use crate::assistant::text::phrases::phrases;
use crate::assistant::text::when::TimeOfDay;
use crate::assistant::text::words::Words;

/// From this hour on a bare hour of an alarm is in the morning.
const ALARM_HOUR_MIN: u32 = 5;
/// The text of "wake me at 7".
pub(super) const WAKE_UP: &str = "wake up";

impl ReminderText {
    /// "wake up to take my pill" for "wake me at 7 to take my pill": its hour is in the morning also
    /// when it is changed.
    pub(super) fn with_purpose(&self, text: String, words: &Words) -> String {
        let is_another = text.starts_with("and ") || text.starts_with("or ");
        if self.nothing != WAKE_UP || text.is_empty() || is_another || is_waking(&text) {
            return text;
        }
        let first = Words::new(&text).get(0).to_owned();
        let follows = |at: &usize| words.get(*at) == first;
        let link = (self.body + 1..words.len()).find(follows);
        match link.map(|at| words.get(at - 1)) {
            Some(link @ ("to" | "for")) => format!("{WAKE_UP} {link} {text}"),
            _ if matches!(first.as_str(), "so" | "because" | "in" | "with") => {
                format!("{WAKE_UP} {text}")
            }
            _ => format!("{WAKE_UP}: {text}"),
        }
    }
}

/// Whether a bare hour of this reminder is in the morning: that of a waking, and of an alarm from 5 on.
pub(super) fn is_early(text: &str, hour: u32) -> bool {
    let is_alarm = Words::new(text).get(0) == "alarm";
    is_waking(text) && (!is_alarm || hour >= ALARM_HOUR_MIN)
}

/// Takes a bare hour of a waking as one of the morning.
pub(super) fn take_morning(message: &ParsedMessage, parsed: &mut ReminderParts) {
    let Some(spec) = parsed.spec.as_mut() else {
        return;
    };
    let is_alone = spec.day.is_none() && spec.part.is_none();
    if let Some(clock) = spec.clock.as_mut()
        && (is_early(&parsed.text, clock.hour) || is_alone && is_for_night(message, &parsed.text))
        && !(is_alone && is_nap(message, clock))
    {
        clock.bare = false;
    }
}

/// "alarm at 4:45" in the evening is for the night.
fn is_for_night(message: &ParsedMessage, text: &str) -> bool {
    const EVENING_HOUR: u32 = 18;
    let local = message.context.now.utc().with_timezone(&message.zone());
    is_waking(text) && local.hour() >= EVENING_HOUR
}

/// "wake me at 3" at 14:00: an hour of the night that the clock shows again this afternoon, soon.
fn is_nap(message: &ParsedMessage, clock: &TimeOfDay) -> bool {
    const NAP_MINUTES: u32 = 2 * 60;
    let local = message.context.now.utc().with_timezone(&message.zone());
    let now = local.hour() * 60 + local.minute();
    let at = (clock.hour + 12) * 60 + clock.minute;
    let is_soon = at > now && at - now < NAP_MINUTES;
    clock.bare && clock.hour < ALARM_HOUR_MIN && is_soon
}

pub(super) fn is_waking(text: &str) -> bool {
    let words = Words::new(text);
    matches!(words.get(0), "wake" | "alarm") || words.after(0, phrases!["get up"]).is_some()
}
