//! Alarms and wakings: their bare hours are in the morning, and what they are for is part of their
//! text.

use super::ReminderText;
use crate::assistant::text::phrases::phrases;
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

pub(super) fn is_waking(text: &str) -> bool {
    let words = Words::new(text);
    matches!(words.get(0), "wake" | "alarm") || words.after(0, phrases!["get up"]).is_some()
}
