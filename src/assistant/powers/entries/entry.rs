//! One entry: its name, its day and time, and how it is shown.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use super::super::planned_time::PlannedTime;
use super::super::{PowerContext, bookings, local_time, notice::Notice, texts};
use super::period::Period;
use crate::assistant::builtin::TimeChange;
use crate::clock::Timestamp;

/// The hour of notices for entries without a time of day.
pub(in super::super) const HOUR: u32 = 9;
/// A shorter number is no tracking number.
const NUMBER_CHARS_MIN: usize = 8;

/// An entry before it is stored.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in super::super) struct EntryDraft {
    pub(in super::super) what: String,
    pub(in super::super) details: String,
    pub(in super::super) time: Option<PlannedTime>,
    pub(in super::super) period: Option<Period>,
    /// The last day of a stay.
    pub(in super::super) last: Option<NaiveDate>,
}

/// Why a new time can't be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum TimeProblem {
    ComesAgain,
    Unclear,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in super::super) struct Entry {
    pub(in super::super) id: u32,
    pub(in super::super) what: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(in super::super) details: String,
    /// Days since the first of the year 1; `None`: not known.
    pub(in super::super) day: Option<i32>,
    /// After midnight, in the person's time zone; `None`: not known.
    pub(in super::super) minute: Option<u32>,
    /// The last day of a stay, as `day`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in super::super) last_day: Option<i32>,
    /// By how many seconds the clock at the place that a mail states is ahead of the person's.
    #[serde(skip)]
    pub(in super::super) ahead_s: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in super::super) period: Option<Period>,
    /// The mail that it comes from; `None`: the person entered it.
    #[serde(skip)]
    pub(super) mail: Option<MailSource>,
    /// The entry is shown; another superpower sends its notices.
    #[serde(skip)]
    pub(in super::super) is_quiet: bool,
}

/// The mail that states an entry.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct MailSource {
    pub(super) mark: String,
    /// The name of the place or thing alone, which the person may use for it.
    pub(super) name: String,
}

impl Entry {
    /// Its next day on or after `today`, else its last day.
    pub(in super::super) fn date(&self, today: NaiveDate) -> Option<NaiveDate> {
        let first = local_time::day(self.day?);
        match self.period {
            Some(period) => period.next(first, today),
            None => Some(first),
        }
    }

    /// The moment at which it begins; of a day without a time its first one.
    pub(in super::super) fn begins(&self, context: &PowerContext) -> Option<Timestamp> {
        let date = self.date(context.today())?;
        let begins = local_time::moment(date, self.minute.unwrap_or(0), context.zone())?;
        Some(begins.plus_s(-self.ahead_s))
    }

    /// "Friday, 27 November at 20:00"
    pub(in super::super) fn when_text(&self, context: &PowerContext) -> Option<String> {
        let date = self.date(context.today())?;
        Some(self.time_text(date, context.today()))
    }

    /// The text of one of the entry's days, with its time.
    pub(super) fn time_text(&self, date: NaiveDate, today: NaiveDate) -> String {
        texts::place_time_text(date, (self.minute, self.ahead_s), today)
    }

    /// The text of one of the entry's days, with its time, or with the last day of a stay.
    pub(super) fn span_text(&self, date: NaiveDate, today: NaiveDate) -> String {
        let when = self.time_text(date, today);
        match self.last_day.map(local_time::day) {
            Some(last) => format!("{when}, until {}", texts::display(last, today)),
            None => when,
        }
    }

    /// Its name, time and details.
    pub(in super::super) fn display(&self, context: &PowerContext) -> String {
        let mut line = match self.when_text(context) {
            Some(when) => format!("{}: {when}", self.what),
            None => format!("{}: no day yet", self.what),
        };
        if let Some(often) = self.period.and_then(Period::often) {
            line.push_str(&format!(", {often}"));
        }
        let details = self.shown_details(context.today());
        if !details.is_empty() {
            line.push_str(", ");
            line.push_str(&details);
        }
        line
    }

    /// Its details, after the last day of a stay.
    pub(super) fn shown_details(&self, today: NaiveDate) -> String {
        let until = self.last_day.map(local_time::day);
        let until = until.map(|last| format!("until {}", texts::display(last, today)));
        let details = Some(self.details.clone()).filter(|details| !details.is_empty());
        let parts: Vec<String> = until.into_iter().chain(details).collect();
        parts.join(", ")
    }

    /// The day on which it is over.
    pub(in super::super) fn last_date(&self, today: NaiveDate) -> Option<NaiveDate> {
        let last = self.last_day.map(local_time::day);
        last.or_else(|| self.date(today))
    }

    /// Its time after that change; a day or an hour that isn't named stays.
    pub(in super::super) fn moved(
        &self,
        to: &TimeChange,
        context: &PowerContext,
    ) -> Result<PlannedTime, TimeProblem> {
        /// A bare hour of a day without a time is nearest to noon.
        const NOON_S: i64 = 12 * 3_600;
        let begins = self.begins(context).ok_or(TimeProblem::Unclear)?;
        // On the clock that was shown.
        let begins = match self.minute.is_none() && to.is_hour_or_number() {
            true => begins.plus_s(NOON_S),
            false => begins.plus_s(self.ahead_s),
        };
        let moved = match to.of_set(begins, None, context.now, context.zone()) {
            Ok(moved) if moved.recurrence.is_none() => moved.send_at,
            Ok(_) => return Err(TimeProblem::ComesAgain),
            Err(_) => return Err(TimeProblem::Unclear),
        };
        let minute = local_time::minute_of_day(moved, context.zone());
        // "by 3 hours" of a day alone says no hour.
        if self.minute.is_none() && to.is_shift() && minute != 0 {
            return Err(TimeProblem::Unclear);
        }
        Ok(PlannedTime {
            day: local_time::date(moved, context.zone()),
            minute: (self.minute.is_some() || minute != 0).then_some(minute),
        })
    }

    /// One notice of the day it is now planned for.
    pub(in super::super) fn notice(
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

    /// The words that notices of the entry begin with.
    pub(super) fn source(&self) -> String {
        match &self.mail {
            Some(mail) => format!("mail {}", mail.mark),
            None => format!("said {}", self.id),
        }
    }

    pub(in super::super) fn comes_again(&self) -> bool {
        self.period.and_then(Period::often).is_some()
    }

    /// Whether this entry of the person's covers a mail's entry.
    pub(super) fn covers(&self, mailed: &Entry) -> bool {
        let is_same_day = self.day == mailed.day || self.day.is_none() || mailed.day.is_none();
        let comes_again = self.comes_again() && mailed.comes_again();
        (is_same_day || comes_again) && mailed.is_called(&self.what) || self.has_number_of(mailed)
    }

    /// Whether `phrase` is a part of its name or the other way round. "parcel" names no parcel of a
    /// mail.
    pub(super) fn is_called(&self, phrase: &str) -> bool {
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
pub(in super::super) fn on_the_day(
    date: NaiveDate,
    context: &PowerContext,
) -> Option<(Timestamp, Timestamp)> {
    let morning = local_time::moment(date, HOUR * 60, context.zone())?;
    Some((
        morning,
        local_time::moment(date.succ_opt()?, 0, context.zone())?,
    ))
}
