//! Days counted from another day: "two weeks from tomorrow", "3 days after 5 march".

use super::{Day, NamedDay, amount, day};
use crate::assistant::builtin::words::Words;

/// "two weeks from tomorrow", "3 days after 5 march".
pub(super) fn read(words: &Words, at: usize) -> Option<(Day, usize)> {
    let (wait, end) = amount::wait(words, at, true)?;
    let from = words.after(end, &["from", "after"])?;
    let (first, end) = day::named_day(words, from, true)?;
    if wait.seconds != 0 || wait.months != 0 {
        return None;
    }
    let days = wait.days;
    let first = match first {
        Day::Today => return Some((Day::InDays(days), end)),
        Day::InDays(more) => return Some((Day::InDays(more + days), end)),
        Day::Weekday { day, next_week } => NamedDay::Weekday { day, next_week },
        Day::OfYear { month, day } => NamedDay::OfYear { month, day },
        Day::Date { year, month, day } => NamedDay::Date { year, month, day },
        _ => return None,
    };
    Some((Day::After { days, first }, end))
}
