//! Things with a day that a person told of or that mails state: tickets, bookings, renewals,
//! parcels. They are kept in the order of their days and can be found by a part of their text.
//! Entries from mails are added at each use and never stored here. What is told of them, and when,
//! is decided by each superpower.

mod mailed;
mod period;
mod replacement;

use std::collections::BTreeMap;

use chrono::{Duration, NaiveDate};
use serde::{Deserialize, Serialize};

use super::bookings;
use super::notice::{self, Notice, SentNotices};
use super::planned_time::PlannedTime;
use super::{Plan, Power, PowerContext, RequestChoice};
use super::{local_time, parsers, texts};
use crate::clock::Timestamp;
pub(super) use mailed::MailedEntry;
use mailed::{MailSource, without_mails};
pub(super) use period::Period;
pub(super) use replacement::EntryMention;
pub(super) use replacement::ReplacedDays;

/// Entries of one superpower and person.
pub(super) const ENTRIES_MAX: usize = 200;
/// Characters of what something is called.
const WHAT_CHARS_MAX: usize = 200;
/// Characters of an entry's details.
pub(super) const DETAILS_CHARS_MAX: usize = 1_000;
/// The hour of notices for entries without a time of day.
pub(super) const HOUR: u32 = 9;
/// Entries of a list.
const LISTED_MAX: usize = 30;
/// A shorter number is no tracking number.
const NUMBER_CHARS_MIN: usize = 8;

/// An entry before it is stored.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct EntryDraft {
    pub(super) what: String,
    pub(super) details: String,
    pub(super) time: Option<PlannedTime>,
    pub(super) period: Option<Period>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Entry {
    pub(super) id: u32,
    pub(super) what: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) details: String,
    /// Days since the first of the year 1; `None`: not known.
    pub(super) day: Option<i32>,
    /// After midnight, in the person's time zone; `None`: not known.
    pub(super) minute: Option<u32>,
    /// By how many seconds the clock at the place that a mail states is ahead of the person's.
    #[serde(skip)]
    pub(super) ahead_s: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) period: Option<Period>,
    /// The mail that it comes from; `None`: the person entered it.
    #[serde(skip)]
    mail: Option<MailSource>,
    /// The entry is shown; another superpower sends its notices.
    #[serde(skip)]
    pub(super) is_quiet: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Entries {
    #[serde(serialize_with = "without_mails")]
    pub(super) list: Vec<Entry>,
    next_id: u32,
    #[serde(default)]
    sent: SentNotices,
    /// Marks of what mails state and the person corrected or removed, and when.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    dropped: BTreeMap<String, i64>,
}

impl Entry {
    /// Its next day on or after `today`, else its last day.
    pub(super) fn date(&self, today: NaiveDate) -> Option<NaiveDate> {
        let first = local_time::day(self.day?);
        match self.period {
            Some(period) => period.next(first, today),
            None => Some(first),
        }
    }

    /// The moment at which it begins; of a day without a time its first one.
    pub(super) fn begins(&self, context: &PowerContext<'_>) -> Option<Timestamp> {
        let date = self.date(context.today())?;
        let begins = local_time::moment(date, self.minute.unwrap_or(0), context.zone())?;
        Some(begins.plus_s(-self.ahead_s))
    }

    /// "Friday, 27 November at 20:00"
    pub(super) fn when_text(&self, context: &PowerContext<'_>) -> Option<String> {
        let date = self.date(context.today())?;
        Some(self.time_text(date, context.today()))
    }

    /// The same of one of its days.
    fn time_text(&self, date: NaiveDate, today: NaiveDate) -> String {
        texts::place_time_text(date, (self.minute, self.ahead_s), today)
    }

    /// Its name, time and details.
    pub(super) fn display(&self, context: &PowerContext<'_>) -> String {
        let mut line = match self.when_text(context) {
            Some(when) => format!("{}: {when}", self.what),
            None => format!("{}: no day yet", self.what),
        };
        if let Some(often) = self.period.and_then(Period::often) {
            line.push_str(&format!(", {often}"));
        }
        if !self.details.is_empty() {
            line.push_str(", ");
            line.push_str(&self.details);
        }
        line
    }

    /// One notice of the day it is now planned for.
    pub(super) fn notice(
        &self,
        stage: &str,
        (planned, over): (Timestamp, Timestamp),
        text: String,
    ) -> Notice {
        let (day, minute) = (self.day.unwrap_or(0), self.minute.unwrap_or(0));
        Notice {
            key: format!("{} {stage} {day}-{minute} {}", self.source(), over.0),
            planned,
            over,
            text,
        }
    }
}

impl Entry {
    /// What notices of it begin with.
    fn source(&self) -> String {
        match &self.mail {
            Some(mail) => format!("mail {}", mail.mark),
            None => format!("said {}", self.id),
        }
    }

    pub(super) fn comes_again(&self) -> bool {
        self.period.and_then(Period::often).is_some()
    }

    /// Whether this entry of the person's covers a mail's entry.
    fn covers(&self, mailed: &Entry) -> bool {
        let is_same_day = self.day == mailed.day || self.day.is_none() || mailed.day.is_none();
        let comes_again = self.comes_again() && mailed.comes_again();
        (is_same_day || comes_again) && mailed.is_called(&self.what) || self.has_number_of(mailed)
    }

    /// Whether `phrase` is a part of its name or the other way round. "parcel" names no parcel of a
    /// mail.
    fn is_called(&self, phrase: &str) -> bool {
        let name = self.mail.as_ref().map_or(&self.what, |mail| &mail.name);
        bookings::overlap(name, phrase)
    }

    /// "1Z999", "DHL 1Z999"
    fn has_number_of(&self, mailed: &Entry) -> bool {
        let numbers = mailed.details.split([' ', ',']);
        let mut long = numbers.filter(|number| {
            number.chars().count() >= NUMBER_CHARS_MIN && number.contains(|c: char| c.is_numeric())
        });
        let text = format!("{} {}", self.what, self.details);
        long.any(|number| text.contains(number))
    }
}

/// From the morning of a day to its end.
pub(super) fn on_the_day(
    date: NaiveDate,
    context: &PowerContext<'_>,
) -> Option<(Timestamp, Timestamp)> {
    let morning = local_time::moment(date, HOUR * 60, context.zone())?;
    Some((
        morning,
        local_time::moment(date.succ_opt()?, 0, context.zone())?,
    ))
}

impl Entries {
    /// The id of the new entry; the error says why there is none.
    pub(super) fn add(&mut self, power: Power, draft: EntryDraft) -> Result<u32, String> {
        if let Some(reply) = texts::too_long(&[&draft.what], WHAT_CHARS_MAX) {
            return Err(reply);
        }
        if let Some(reply) = texts::too_long(&[&draft.details], DETAILS_CHARS_MAX) {
            return Err(reply);
        }
        if self.list.iter().filter(|e| e.mail.is_none()).count() >= ENTRIES_MAX {
            return Err(format!(
                "I already keep {ENTRIES_MAX} of your {}, which is all I can hold. Please delete some first.",
                power.title()
            ));
        }
        self.next_id += 1;
        self.list.push(Entry {
            id: self.next_id,
            what: draft.what,
            details: draft.details,
            day: draft.time.map(|time| local_time::number(time.day)),
            minute: draft.time.and_then(|time| time.minute),
            ahead_s: 0,
            period: draft.period,
            mail: None,
            is_quiet: false,
        });
        Ok(self.next_id)
    }

    /// The newest entry without a day.
    pub(super) fn without_day(&self) -> Option<u32> {
        let entry = self.list.iter().rev().find(|entry| entry.day.is_none())?;
        Some(entry.id)
    }

    /// The entry's new id: what a mail stated is the person's from then on.
    pub(super) fn set_time(
        &mut self,
        id: u32,
        time: PlannedTime,
        context: &PowerContext<'_>,
    ) -> Option<u32> {
        let at = self.list.iter().position(|entry| entry.id == id)?;
        if let Some(mail) = self.list[at].mail.take() {
            self.drop_mark(mail.mark, context);
            self.next_id += 1;
            self.list[at].id = self.next_id;
        }
        let entry = &mut self.list[at];
        entry.day = Some(local_time::number(time.day));
        entry.minute = time.minute;
        entry.ahead_s = 0;
        Some(entry.id)
    }

    /// What the person told last, not what mails state.
    pub(super) fn newest_entered(&self) -> Option<&Entry> {
        self.list.iter().rfind(|entry| entry.mail.is_none())
    }

    /// Sets how often the entry recurs; for a mail's entry as in `set_time`.
    pub(super) fn set_period(
        &mut self,
        id: u32,
        period: Period,
        context: &PowerContext<'_>,
    ) -> Option<u32> {
        let entry = self.get(id)?;
        let time = PlannedTime {
            day: entry.date(context.today())?,
            minute: entry.minute,
        };
        let id = self.set_time(id, time, context)?;
        let entry = self.list.iter_mut().find(|entry| entry.id == id)?;
        entry.period = Some(period);
        Some(id)
    }

    pub(super) fn get(&self, id: u32) -> Option<&Entry> {
        self.list.iter().find(|entry| entry.id == id)
    }

    /// By number in the list, or by a part of its text.
    pub(super) fn find(&self, phrase: &str, context: &PowerContext<'_>) -> Option<u32> {
        let sorted = self.sorted(context);
        let named = parsers::which(phrase, sorted.iter().map(|entry| entry.what.as_str()));
        let detailed = || parsers::which(phrase, sorted.iter().map(|entry| entry.details.as_str()));
        named.or_else(detailed).map(|at| sorted[at].id)
    }

    /// A mail's entry doesn't reappear.
    pub(super) fn remove(&mut self, id: u32, context: &PowerContext<'_>) -> Option<Entry> {
        let at = self.list.iter().position(|entry| entry.id == id)?;
        let removed = self.list.remove(at);
        if let Some(mail) = &removed.mail {
            self.drop_mark(mail.mark.clone(), context);
        }
        Some(removed)
    }

    /// Which of these entries is meant. `request`: the words for the one with that number in the list.
    pub(super) fn choices(
        &self,
        found: &[u32],
        request: impl Fn(usize) -> String,
        context: &PowerContext<'_>,
    ) -> Vec<RequestChoice> {
        let numbered = (1..).zip(self.sorted(context));
        let meant = numbered.filter(|(_, entry)| found.contains(&entry.id));
        let choice = |(n, entry): (usize, &Entry)| RequestChoice {
            name: entry.display(context),
            request: request(n),
        };
        meant.map(choice).collect()
    }

    /// Coming entries, soonest first, then entries without a day.
    pub(super) fn sorted(&self, context: &PowerContext<'_>) -> Vec<&Entry> {
        let mut sorted: Vec<&Entry> = self.list.iter().collect();
        sorted.sort_by_key(|entry| {
            let date = entry.date(context.today());
            (date.is_none(), date, entry.minute, entry.id)
        });
        sorted
    }

    /// Those of the days from `from` to `to`.
    pub(super) fn between(&self, from: NaiveDate, to: NaiveDate) -> Vec<(NaiveDate, &Entry)> {
        let dated = |entry| Some((Entry::date(entry, from)?, entry));
        let mut found: Vec<(NaiveDate, &Entry)> = self.list.iter().filter_map(dated).collect();
        found.retain(|(date, _)| (from..=to).contains(date));
        found.sort_by_key(|(date, entry)| (*date, entry.minute, entry.id));
        found
    }

    /// The entries of those days in a line for the daily summary.
    pub(super) fn brief(
        &self,
        title: &str,
        (from, to): (NaiveDate, NaiveDate),
        context: &PowerContext<'_>,
    ) -> Option<String> {
        let found = self.between(from, to);
        let lines: Vec<String> = found
            .iter()
            .map(|(_, entry)| entry.display(context))
            .collect();
        (!lines.is_empty()).then(|| format!("{title}: {}", lines.join("; ")))
    }

    /// A line for each of those days with when it is.
    pub(super) fn lines_between(
        &self,
        (from, to): (NaiveDate, NaiveDate),
        line: impl Fn(&Entry, &str) -> String,
    ) -> Vec<String> {
        let found = self.between(from, to);
        let lines = found
            .iter()
            .map(|(date, entry)| line(entry, &entry.time_text(*date, from)));
        lines.collect()
    }

    /// Coming entries that don't recur, for other superpowers.
    pub(super) fn plans(&self, context: &PowerContext<'_>) -> Vec<Plan> {
        let plan = |entry: &Entry| {
            Some(Plan {
                what: entry.what.clone(),
                place: String::new(),
                details: entry.details.clone(),
                day: local_time::day(entry.day?),
                minute: entry.minute,
                leave: None,
                ahead_s: entry.ahead_s,
            })
        };
        let once = self.list.iter().filter(|entry| entry.period.is_none());
        once.filter_map(plan)
            .filter(|plan| plan.day >= context.today() - Duration::days(1))
            .collect()
    }

    /// A numbered list; `empty` where there is none.
    pub(super) fn listed(&self, title: &str, empty: &str, context: &PowerContext<'_>) -> String {
        let sorted = self.sorted(context);
        if sorted.is_empty() {
            return empty.to_owned();
        }
        let mut text = format!("{title}:");
        for (n, entry) in sorted.iter().take(LISTED_MAX).enumerate() {
            text.push_str(&format!("\n{}. {}", n + 1, entry.display(context)));
        }
        if sorted.len() > LISTED_MAX {
            text.push_str(&format!("\n… and {} more", sorted.len() - LISTED_MAX));
        }
        text
    }

    /// Forgets what was over so many days ago.
    pub(super) fn drop_old(&mut self, days: i64, context: &PowerContext<'_>) {
        let Some(first) = context.today().checked_sub_signed(Duration::days(days)) else {
            return;
        };
        let today = context.today();
        self.list
            .retain(|entry| entry.date(today).is_none_or(|date| date >= first));
    }

    pub(super) fn next_notice(
        &self,
        notices: &[Notice],
        context: &PowerContext<'_>,
    ) -> Option<Timestamp> {
        self.sent.next(notices, context)
    }

    pub(super) fn take_due(
        &mut self,
        notices: Vec<Notice>,
        context: &PowerContext<'_>,
    ) -> Vec<Notice> {
        self.sent.take_due(notices, context)
    }

    /// One message of what is due.
    pub(super) fn tell(
        &mut self,
        notices: Vec<Notice>,
        context: &PowerContext<'_>,
    ) -> Option<String> {
        notice::joined(&self.take_due(notices, context))
    }

    /// A new entry gets no notices for times that have passed already.
    pub(super) fn skip_past(
        &mut self,
        id: u32,
        mut notices: Vec<Notice>,
        context: &PowerContext<'_>,
    ) {
        let source = self.get(id).map(|entry| format!("{} ", entry.source()));
        notices.retain(|notice| source.as_ref().is_some_and(|of| notice.key.starts_with(of)));
        self.sent.skip_past(&notices, context.now);
    }
}

/// What a superpower will do on its own, where it can.
pub(super) fn promise(power: Power, promised: &str, context: &PowerContext<'_>) -> String {
    if !context.reachable {
        return "I can't write to you by myself in this chat, so ask me.".to_owned();
    }
    if context.muted {
        return format!(
            "You stopped my messages about this, so ask me; “resume {}” brings them back.",
            power.title()
        );
    }
    format!("{promised}{}", context.zone_hint())
}
