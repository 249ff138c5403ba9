//! Another hour or another day of an event that is noted, said like a new one.

use super::changes::moved;
use super::{CheckinAction, EventRef};
use crate::assistant::builtin::ParsedMessage;
use crate::assistant::powers::entry_ref::EntryRef;
use crate::assistant::powers::planned_time;
use crate::assistant::text::when;

/// "i have an exam at 11 instead", "actually my exam is on wednesday": only another hour, or another day,
/// of what is noted.
pub(super) fn moved_part(
    message: &ParsedMessage,
    what: &str,
    (from, end): (usize, usize),
) -> Option<CheckinAction> {
    let (spec, to) = when::read(&message.words, from)?;
    let is_part = spec.delay.is_none() && (spec.day.is_none() || spec.lacks_hour());
    let which = EventRef::of(EntryRef::of_name(what.to_owned()));
    let time = || planned_time::find(message, from, end, false)?.time.ok();
    match moved(message, which, from, end)? {
        CheckinAction::Move {
            which,
            to: change,
            said,
            ..
        } if is_part && to == end => Some(CheckinAction::Move {
            which,
            to: change,
            time: time(),
            said,
        }),
        _ => None,
    }
}
