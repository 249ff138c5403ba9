//! What a new entry takes the place of: another one of its name, if it is of the same time or was
//! said to be changed.

use chrono::NaiveDate;

use super::{Entries, Entry, EntryDraft};
use crate::assistant::builtin::TimeChange;
use crate::assistant::powers::planned_time::PlannedTime;
use crate::assistant::powers::{Power, PowerContext, local_time, texts};

/// Days before or after an entry from a mail within which the person's words correct it.
const CORRECTED_DAYS_MAX: i32 = 14;

/// How a person tells of something whose name may be known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryMention {
    /// "dinner at Luigi on friday": it may be another one.
    New,
    /// "my dinner is on friday at 9": the one of that day, if there is one.
    Known,
    /// "actually dinner at Luigi on saturday": it was at another time before.
    Moved,
}

impl EntryMention {
    pub(in crate::assistant::powers) const fn moved_if(is_moved: bool) -> Self {
        match is_moved {
            true => Self::Moved,
            false => Self::New,
        }
    }
}

/// The days of the person's own entries whose place a new one of the same name takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::assistant::powers) enum ReplacedDays {
    /// The same day, with the same time or an unknown one: two dinners may have one name, also on
    /// one day.
    SameTime,
    /// The same day with any time: it was said that it is changed.
    SameDay,
    /// Any day: two renewals may not have one name.
    All,
}

/// The day or the hour that is not said of something known stays: "lunch at 2 instead", "my flight
/// is at 9:20". `found`: what the name may mean.
pub(in crate::assistant::powers) fn with_known_part(
    draft: EntryDraft,
    (part, mention): (Option<&TimeChange>, EntryMention),
    found: &[&Entry],
    context: &PowerContext,
) -> (EntryDraft, EntryMention) {
    let is_to_come = |entry: &&&Entry| {
        let day = entry.date(context.today());
        entry.mail.is_none() && day.is_some_and(|day| day >= context.today())
    };
    let mut known = found.iter().filter(is_to_come);
    let (Some(known), None) = (known.next(), known.next()) else {
        return (draft, mention);
    };
    let is_meant = match mention {
        EntryMention::New => false,
        EntryMention::Known => part.is_some_and(TimeChange::is_hour),
        EntryMention::Moved => true,
    };
    if !is_meant || draft.last.is_some() {
        return (draft, mention);
    }
    let what = known.what.clone();
    let time = match part {
        // A bare 8 of a dinner is in the evening.
        Some(part) if part.is_hour() && known.minute.is_none() => {
            let minute = draft.time.and_then(|time| time.minute);
            let day = known.date(context.today());
            day.map(|day| PlannedTime { day, minute })
        }
        Some(part) => known.moved(part, context).ok(),
        None => draft.time,
    };
    (
        EntryDraft {
            what,
            time,
            ..draft
        },
        EntryMention::Moved,
    )
}

impl Entries {
    /// `None`: there are several of that name to come.
    pub(in crate::assistant::powers) fn replaced_days(
        &self,
        what: &str,
        day: NaiveDate,
        mention: EntryMention,
        context: &PowerContext,
    ) -> Option<ReplacedDays> {
        let known = self.to_come(what, context);
        let on_day = known.iter().filter(|(date, _)| *date == day).count();
        match (mention, known.len(), on_day) {
            (EntryMention::New, ..) => Some(ReplacedDays::SameTime),
            (_, _, 1) => Some(ReplacedDays::SameDay),
            (EntryMention::Moved, 0 | 1, 0) => Some(ReplacedDays::All),
            (EntryMention::Moved, ..) => None,
            (EntryMention::Known, ..) => Some(ReplacedDays::SameTime),
        }
    }

    /// The person's own ones of that name, soonest first.
    fn to_come(&self, what: &str, context: &PowerContext<'_>) -> Vec<(NaiveDate, &Entry)> {
        let own = self.list.iter().filter(|entry| entry.mail.is_none());
        let called = own.filter(|entry| texts::same(&entry.what, what));
        let dated = called.filter_map(|entry| Some((entry.date(context.today())?, entry)));
        let mut found: Vec<(NaiveDate, &Entry)> = dated.collect();
        found.retain(|(date, _)| *date >= context.today());
        found.sort_by_key(|(date, entry)| (*date, entry.minute));
        found
    }

    /// " There's also the one on Friday, 27 November at 15:00." of the others of its name.
    pub(in crate::assistant::powers) fn also(&self, id: u32, context: &PowerContext) -> String {
        let Some(entry) = self.get(id) else {
            return String::new();
        };
        let mut others = self.to_come(&entry.what, context);
        others.retain(|(_, other)| other.id != id);
        match others.as_slice() {
            [] => String::new(),
            [(_, only)] => {
                let when = only.when_text(context).unwrap_or_default();
                format!(" There's also the one on {when}.")
            }
            several => format!(" There are also {} others of that name.", several.len()),
        }
    }

    /// In the place of one of the same name, also of one that a mail states, whose details stay
    /// where none are said. With a sentence about another time that it had; the error says why
    /// there is none.
    pub(in crate::assistant::powers) fn replace(
        &mut self,
        power: Power,
        mut draft: EntryDraft,
        days: ReplacedDays,
        context: &PowerContext,
    ) -> Result<(u32, String), String> {
        let before = self.clone();
        let day = draft.time.map(|time| local_time::number(time.day));
        let is_near = |entry: &Entry| match (entry.day, day) {
            (Some(known), Some(new)) => (known - new).abs() <= CORRECTED_DAYS_MAX,
            _ => true,
        };
        let minute = draft.time.and_then(|time| time.minute);
        let is_same_time = |entry: &Entry| {
            let both = entry.minute.zip(minute);
            both.is_none_or(|(known, new)| known == new)
        };
        let same = |entry: &Entry| match entry.mail {
            Some(_) => {
                let comes_again = entry.comes_again();
                entry.is_called(&draft.what) && (comes_again || is_near(entry))
            }
            None => {
                let is_one = match days {
                    ReplacedDays::All => true,
                    ReplacedDays::SameDay => entry.day == day,
                    ReplacedDays::SameTime => entry.day == day && is_same_time(entry),
                };
                is_one && texts::same(&entry.what, &draft.what)
            }
        };
        let replaced: Vec<u32> = self
            .list
            .iter()
            .filter(|entry| same(entry))
            .map(|entry| entry.id)
            .collect();
        let mut sentence = String::new();
        for id in replaced {
            let Some(removed) = self.remove(id, context) else {
                continue;
            };
            if draft.details.is_empty() {
                draft.details.clone_from(&removed.details);
            }
            let time = draft
                .time
                .map(|time| (Some(local_time::number(time.day)), time.minute));
            let is_other = time != Some((removed.day, removed.minute));
            let is_own = removed.mail.is_none() && is_other;
            if let Some(when) = removed.when_text(context).filter(|_| is_own) {
                sentence =
                    format!(" It takes the place of the one on {when}; “undo” brings that back.");
            }
        }
        let added = self.add(power, draft);
        match added {
            Ok(id) => Ok((id, sentence)),
            Err(why) => {
                *self = before;
                Err(why)
            }
        }
    }
}
