//! Things with a day that a person told of or that mails state: tickets, bookings, renewals,
//! parcels. They are kept in the order of their days and can be found by a part of their text.
//! Entries from mails are added at each use and never stored here. What is told of them, and when,
//! is decided by each superpower.

mod entry;
mod mailed;
mod period;
mod replacement;
mod shown;

use std::collections::BTreeMap;

use chrono::{Duration, NaiveDate};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::day_span::DaySpan;
use super::notice::{self, Notice, SentNotices};
use super::planned_time::PlannedTime;
use super::{Plan, Power, PowerContext, RequestChoice};
use super::{local_time, parsers, texts};
use crate::assistant::text::words::Words;
use crate::clock::Timestamp;
pub(super) use entry::{Entry, EntryDraft, HOUR, TimeProblem, on_the_day};
pub(super) use mailed::MailedEntry;
use mailed::without_mails;
pub(super) use period::Period;
pub(super) use replacement::EntryMention;
pub(super) use replacement::{ReplacedDays, with_known_part};
use shown::ShownEntries;
pub(super) use shown::removed_number;

/// The most entries of one superpower and person.
pub(super) const ENTRIES_MAX: usize = 200;
/// Characters of what something is called.
const WHAT_CHARS_MAX: usize = 200;
/// Characters of an entry's details.
const DETAILS_CHARS_MAX: usize = 1_000;
/// Entries of a list.
const LISTED_MAX: usize = 30;

/// Entries of one superpower and person.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Entries {
    #[serde(serialize_with = "without_mails")]
    pub(super) list: Vec<Entry>,
    next_id: u32,
    #[serde(default)]
    sent: SentNotices,
    /// The names of those that the last message announced; not stored.
    #[serde(skip)]
    pub(super) announced: Vec<String>,
    /// Marks of what mails state and the person corrected or removed, and when.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    dropped: BTreeMap<String, i64>,
    #[serde(default, skip_serializing_if = "ShownEntries::is_empty")]
    shown: ShownEntries,
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
            last_day: draft.last.map(local_time::number),
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
        context: &PowerContext,
    ) -> Option<u32> {
        let at = self.list.iter().position(|entry| entry.id == id)?;
        if let Some(mail) = self.list[at].mail.take() {
            self.drop_mark(mail.mark, context);
            self.next_id += 1;
            self.list[at].id = self.next_id;
        }
        let entry = &mut self.list[at];
        let day = local_time::number(time.day);
        // A stay is as long as before.
        if let (Some(first), Some(last)) = (entry.day, entry.last_day) {
            entry.last_day = Some(last + day - first);
        }
        entry.day = Some(day);
        entry.minute = time.minute;
        entry.ahead_s = 0;
        Some(entry.id)
    }

    /// The last day of a stay.
    pub(super) fn set_last(&mut self, id: u32, last: NaiveDate) {
        if let Some(entry) = self.list.iter_mut().find(|entry| entry.id == id) {
            entry.last_day = Some(local_time::number(last));
        }
    }

    /// The entry that the person told last, not one from mails.
    pub(super) fn newest_entered(&self) -> Option<&Entry> {
        self.list.iter().rfind(|entry| entry.mail.is_none())
    }

    /// Sets how often the entry recurs; for a mail's entry as in `set_time`.
    pub(super) fn set_period(
        &mut self,
        id: u32,
        period: Period,
        context: &PowerContext,
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
    pub(super) fn find(&self, phrase: &str, context: &PowerContext) -> Option<u32> {
        self.all_named(phrase, context)
            .first()
            .map(|entry| entry.id)
    }

    /// All that are meant by the same words.
    fn all_named(&self, phrase: &str, context: &PowerContext<'_>) -> Vec<&Entry> {
        let sorted = self.sorted(context);
        let mut named = parsers::all_named(phrase, sorted.iter().map(|one| one.what.as_str()));
        if named.is_empty() {
            named = parsers::all_named(phrase, sorted.iter().map(|one| one.details.as_str()));
        }
        named.into_iter().map(|at| sorted[at]).collect()
    }

    /// The soonest one to come whose text has one of these words.
    pub(super) fn with_word(&self, words: &[&str], context: &PowerContext<'_>) -> Option<&Entry> {
        let today = context.today();
        let has = |entry: &&Entry| {
            let text = format!("{} {}", entry.what, entry.details);
            let is_to_come = entry.last_date(today).is_none_or(|day| day >= today);
            is_to_come && Words::new(&text).iter().any(|word| words.contains(&word))
        };
        self.sorted(context).into_iter().find(has)
    }

    /// The question which one is meant, where several are, by their numbers in the list.
    pub(super) fn question_of(&self, phrase: &str, context: &PowerContext) -> Option<String> {
        let meant = self.all_named(phrase, context);
        if meant.len() < 2 {
            return None;
        }
        let mut text = "Which one? Say it with its number; I've changed nothing yet.".to_owned();
        for (n, entry) in (1..).zip(self.sorted(context)) {
            if meant.iter().any(|one| one.id == entry.id) {
                text.push_str(&format!("\n{n}. {}", entry.display(context)));
            }
        }
        Some(text)
    }

    /// The entry that `find` finds.
    pub(super) fn named(&self, phrase: &str, context: &PowerContext<'_>) -> Option<&Entry> {
        self.get(self.find(phrase, context)?)
    }

    /// Removes the one that is meant. The error asks which of several.
    pub(super) fn remove_named(
        &mut self,
        phrase: &str,
        context: &PowerContext,
    ) -> Result<Option<Entry>, String> {
        match self.question_of(phrase, context) {
            Some(question) => Err(question),
            None => Ok(self
                .find(phrase, context)
                .and_then(|id| self.remove(id, context))),
        }
    }

    /// A mail's entry doesn't reappear.
    pub(super) fn remove(&mut self, id: u32, context: &PowerContext) -> Option<Entry> {
        let at = self.list.iter().position(|entry| entry.id == id)?;
        let removed = self.list.remove(at);
        if let Some(mail) = &removed.mail {
            self.drop_mark(mail.mark.clone(), context);
        }
        Some(removed)
    }

    /// Which of these entries is meant. `request`: the words for the one with that number in the
    /// list.
    pub(super) fn choices(
        &self,
        found: &[u32],
        request: impl Fn(usize) -> String,
        context: &PowerContext,
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

    /// The entries of the days from `from` to `to`.
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
        context: &PowerContext,
    ) -> Option<String> {
        let found = self.between(from, to);
        let lines: Vec<String> = found
            .iter()
            .map(|(_, entry)| entry.display(context))
            .collect();
        (!lines.is_empty()).then(|| format!("{title}: {}", lines.join("; ")))
    }

    /// A line for each entry of that span with when it is.
    pub(super) fn lines_between(
        &self,
        span: DaySpan,
        line: impl Fn(&Entry, &str) -> String,
    ) -> Vec<String> {
        let (from, to) = span.days();
        let mut found = self.between(from, to);
        found.retain(|(date, entry)| span.has(*date, entry.minute));
        // A stay that began before.
        let is_in = |entry: &&Entry| {
            let last = entry.last_day.map(local_time::day);
            entry.date(from).is_some_and(|first| first < from)
                && last.is_some_and(|last| last >= from)
        };
        let stays = self.list.iter().filter(is_in);
        found.extend(stays.filter_map(|entry| Some((entry.date(from)?, entry))));
        found.sort_by_key(|(date, entry)| (*date, entry.minute, entry.id));
        let lines = found
            .iter()
            .map(|(date, entry)| line(entry, &entry.span_text(*date, from)));
        lines.collect()
    }

    /// Coming entries that don't recur, for other superpowers.
    pub(super) fn plans(&self, context: &PowerContext) -> Vec<Plan> {
        let plan = |entry: &Entry| {
            Some(Plan {
                what: entry.what.clone(),
                place: String::new(),
                details: entry.shown_details(context.today()),
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
    pub(super) fn listed(&self, title: &str, empty: &str, context: &PowerContext) -> String {
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

    /// For a language model: the names are those by which its tool finds them.
    pub(super) fn to_json(&self, context: &PowerContext) -> Value {
        let sorted = self.sorted(context);
        let fields = |entry: &&Entry| {
            let mut fields = json!({
                "name": entry.what,
                "details": entry.details,
                "day": entry.date(context.today()).map(|day| day.to_string()),
                "time": entry.minute.map(texts::clock_text),
                "repeats": entry.period.and_then(Period::often),
            });
            if let Some(last) = entry.last_day {
                fields["until"] = local_time::day(last).to_string().into();
            }
            fields
        };
        let first: Vec<Value> = sorted.iter().take(LISTED_MAX).map(fields).collect();
        json!({ "more": sorted.len() - first.len(), "entries": first })
    }

    /// Keeps those of one day, where one is given.
    pub(super) fn retain_on(&mut self, on: Option<NaiveDate>, context: &PowerContext) {
        let today = context.today();
        self.list
            .retain(|entry| on.is_none() || entry.date(today) == on);
    }

    /// Forgets what was over so many days ago.
    pub(super) fn drop_old(&mut self, days: i64, context: &PowerContext) {
        let Some(first) = context.today().checked_sub_signed(Duration::days(days)) else {
            return;
        };
        let today = context.today();
        self.list
            .retain(|entry| entry.last_date(today).is_none_or(|date| date >= first));
    }

    pub(super) fn next_notice(
        &self,
        notices: &[Notice],
        context: &PowerContext,
    ) -> Option<Timestamp> {
        self.sent.next(notices, context)
    }

    pub(super) fn take_due(&mut self, notices: Vec<Notice>, context: &PowerContext) -> Vec<Notice> {
        self.sent.take_due(notices, context)
    }

    /// One message of what is due.
    pub(super) fn tell(&mut self, notices: Vec<Notice>, context: &PowerContext) -> Option<String> {
        let due = self.take_due(notices, context);
        let is_due = |entry: &&Entry| {
            let source = format!("{} ", entry.source());
            due.iter().any(|notice| notice.key.starts_with(&source))
        };
        let announced = self.list.iter().filter(is_due);
        self.announced = announced.map(|entry| entry.what.clone()).collect();
        notice::joined(&due)
    }

    /// A new entry gets no notices for times that have passed already. False: there are none.
    pub(super) fn skip_past(
        &mut self,
        id: u32,
        mut notices: Vec<Notice>,
        context: &PowerContext,
    ) -> bool {
        let source = self.get(id).map(|entry| format!("{} ", entry.source()));
        notices.retain(|notice| source.as_ref().is_some_and(|of| notice.key.starts_with(of)));
        self.sent.skip_past(&notices, context.now)
    }
}
