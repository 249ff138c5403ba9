//! Where a recurrence ends, and between which hours it comes: "until 8pm", "for 2 weeks", "from 9 to
//! 17". It reads no frequencies.

use super::RuleEnd;
use crate::assistant::builtin::when::{self, Day, Spec};
use crate::assistant::builtin::words::Words;

/// "until 2028": to its last day.
pub(super) fn read_year(words: &Words, at: usize) -> Option<(RuleEnd, usize)> {
    let from = words.after(at, &["until the end of", "until", "till", "til", "through"])?;
    let year: i32 = words.get(from).parse().ok()?;
    let day = Day::Date {
        year,
        month: 12,
        day: 31,
    };
    let end = Spec {
        day: Some(day),
        ..Spec::default()
    };
    let is_year = (2000..2100).contains(&year);
    is_year.then_some((RuleEnd::At(end), from + 1))
}

/// "until 8pm", "until friday", "for 2 weeks".
pub(super) fn read_end(words: &Words, at: usize) -> Option<(RuleEnd, usize)> {
    if let Some(from) = words.after(at, &["until", "till", "til", "up to", "through"]) {
        let (spec, after) =
            when::read(words, from).or_else(|| when::read_hour_alone(words, from))?;
        return Some((RuleEnd::At(spec), after));
    }
    let from = words.after(at, &["for the next", "for"])?;
    let (spec, after) = when::read_duration(words, from)?;
    Some((RuleEnd::After(spec.wait?), after))
}

/// "from 9 to 17", "between 9am and 5pm".
pub(super) fn read_between(words: &Words, at: usize) -> Option<((Spec, Spec), usize)> {
    let from = words.after(at, &["from", "between"])?;
    let (first, after) = when::read_hour_alone(words, from)?;
    let to = words.after(after, &["to", "until", "till", "and"])?;
    let (last, after) = when::read_hour_alone(words, to)?;
    Some(((first, last), after))
}
