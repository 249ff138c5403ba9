//! Short messages that refer to something named or delivered before: "snooze 10 min", "make it 10",
//! "move it to friday", "cancel that", "cancel 2", "undo", "yes", "in 10 minutes". This module
//! doesn't know what they refer to.

mod cancel;
mod change;
mod corrected_value;
mod fixed;
mod limits;
mod moment;
mod near_day;
mod new_time;
mod next_dates;
mod read;
mod restated;
mod revised_time;
mod skip;
mod snooze;

pub(in crate::assistant) use cancel::read_named;
pub use cancel::{name_and_day, named_apart, second_request};
pub use corrected_value::{
    corrected_value, hour_or_people, is_day_for_span, may_be_value, names_days_span, names_it,
    reworded, with_corrected_value, with_other_person,
};
pub(in crate::assistant) use fixed::{UNDO, is_consent};
pub(in crate::assistant::builtin) use moment::problem;
pub use near_day::value_near;
pub use new_time::{
    answered_time, counted_unit_s, is_time_answer, names_day, names_hour, names_time, only_hour,
    time_shift, unit_of_s,
};
pub(in crate::assistant) use new_time::{read_new_time, read_shift};
pub(in crate::assistant) use read::read;
pub(super) use restated::may_correct;
pub use restated::{may_restate, restated};
pub use skip::by_years;
pub(in crate::assistant) use snooze::two_durations;

use std::ops::Range;

use chrono::{Datelike, NaiveDate, NaiveTime, Weekday};

use super::reminder::before::BeforeEvent;
use super::reminder::repeats::Repeat;
use crate::assistant::text::when::{self, Day, TimeExpression, TimeOfDay};
use crate::assistant::text::words::Words;
use crate::clock::{Timestamp, Zone};
use crate::model::recurrence::Recurrence;

const MINUTE_S: i64 = 60;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FollowUp {
    /// `None` for the default delay.
    Snooze(Option<TimeChange>),
    /// "snooze 10 min and 20 min": which of both?
    SnoozeUnclear {
        first: String,
        second: String,
    },
    /// "snooze 2 till friday". A number alone may be one of a list, or minutes.
    SnoozeNumbered {
        numbers: Vec<usize>,
        time: Option<TimeChange>,
    },
    /// "snooze the first one": of those that came last, from 1. `None`: "snooze one".
    SnoozeNth {
        nth: Option<usize>,
        time: Option<TimeChange>,
    },
    /// "remind me again at 10": once more.
    Again(TimeChange),
    Done,
    /// "done 2".
    DoneNumbered(Vec<usize>),
    Change {
        which: ReminderRef,
        to: TimeChange,
    },
    /// "make it 2 hours before": so long before the event that was named with it.
    ChangeBefore,
    /// "10 minutes before": before what was named last.
    OneBefore {
        request: BeforeEvent,
        /// "also an hour before": besides what was said just before.
        is_more: bool,
    },
    Cancel(ReminderRef),
    /// "it's cancelled": what was just spoken of.
    CalledOff,
    /// "luigi is cancelled": an appointment by its name.
    CalledOffAbout(String),
    /// "snooze gym 1 hour": by its words.
    SnoozeAbout {
        about: String,
        time: Option<TimeChange>,
    },
    /// "done with gym"
    DoneAbout(String),
    /// "i called ann already"
    DoneAlready(DoneReport),
    /// "change the text to buy milk": another text, at most `REMINDER_CHARS_MAX` characters.
    Rename {
        which: ReminderRef,
        text: String,
    },
    /// "dad, not mom": one word for another in the text of the last one.
    Reword {
        old: String,
        new: String,
    },
    /// "make it 7 or 8", "change gym to after dinner": a time, or more than one, that is not
    /// understood.
    ChangeUnclear(ReminderRef),
    /// "make it 7 and call dad instead": another time and another text.
    Replace {
        to: TimeChange,
        text: String,
    },
    /// "remind me to call dad instead", "call dad at 8 instead": the same, in place of what was set
    /// just before.
    Instead {
        to: Option<TimeChange>,
        text: String,
    },
    /// Leaves out the times of one day of a repeating reminder; `None`: its next time.
    Skip {
        which: ReminderRef,
        day: Option<Range<Timestamp>>,
    },
    /// "not this saturday": that time of the one named last, if it repeats.
    SkipLast {
        day: Range<Timestamp>,
        /// "not on saturday" may mean each.
        or_each: Option<TimeChange>,
    },
    /// "cancel all but 2".
    CancelAllBut(ReminderRef),
    /// "another one", which doesn't say of what.
    Another,
    /// "did you set it?"
    IsSet,
    Undo,
    Yes,
    No,
    /// "never mind", "forget it": the assistant's question, or what was just set.
    NeverMind,
    /// A bare time: the answer to "When?".
    Time(TimeChange),
    /// "it's at 10", "it was moved to friday": the time of what was just spoken of.
    RevisedTime {
        to: TimeChange,
        is_moved: bool,
    },
    /// "dentist moved to friday at 3": the time of what is named.
    MovedAbout {
        about: String,
        to: TimeChange,
    },
    /// The next dates of a recurring reminder.
    Dates(ReminderRef),
}

/// A thing that somebody says to have done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DoneReport {
    /// The verbs that it may be: "call" and "calle" for "called".
    pub verbs: Vec<String>,
    /// Empty for "it" and the like.
    pub about: String,
    /// Without "already" it can only be about a reminder that has come.
    pub is_sure: bool,
}

impl FollowUp {
    /// "snooze every 10 min"
    pub fn snoozes_often(&self) -> bool {
        let time = match self {
            Self::Snooze(time) => time,
            Self::SnoozeNumbered { time, .. }
            | Self::SnoozeNth { time, .. }
            | Self::SnoozeAbout { time, .. } => time,
            _ => return false,
        };
        time.as_ref().is_some_and(TimeChange::is_repeat)
    }

    /// Whether it asks for or changes a reminder that was set before.
    pub fn refers_to_reminder(&self) -> bool {
        matches!(self, Self::IsSet | Self::Dates(_))
            || self.is_command() && !matches!(self, Self::Again(_) | Self::RevisedTime { .. })
    }

    /// Whether it names what is to be changed: a reminder, or what a superpower keeps.
    pub fn names_what(&self) -> bool {
        match self {
            Self::Cancel(which) | Self::Change { which, .. } => {
                matches!(which, ReminderRef::About(_) | ReminderRef::AllAbout(_))
            }
            Self::MovedAbout { .. } | Self::CalledOffAbout(_) => true,
            _ => false,
        }
    }

    /// Whether it counts towards the limit of commands per minute.
    pub fn is_command(&self) -> bool {
        !matches!(
            self,
            Self::Done
                | Self::DoneNumbered(_)
                | Self::DoneAbout(_)
                | Self::DoneAlready(_)
                | Self::Another
                | Self::IsSet
                | Self::Yes
                | Self::No
                | Self::NeverMind
                | Self::Time(_)
        )
    }
}

/// The reminder that a message refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReminderRef {
    /// The last one named or delivered.
    Latest,
    /// "the last one": of several that were set together, the last.
    Last,
    /// "both", "all of them": the last ones named, where they are so many; else all there are, if
    /// they are so many.
    Together(Option<usize>),
    /// "delete all": those of the list that was shown just before.
    Listed,
    /// By numbers in the last list, from 1.
    Numbered(Vec<usize>),
    About(String),
    /// "the water ones"
    AllAbout(String),
    /// The one that comes next.
    Next,
}

/// A new time for a reminder, as parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeChange(NewTimeText);

#[derive(Debug, Clone, PartialEq, Eq)]
enum NewTimeText {
    At(TimeExpression),
    Repeat(Box<Repeat>),
    /// "9:30 on weekends": a time for some days.
    OnDays(Box<Repeat>),
    /// "only on weekdays": these days at the same time.
    OnlyOn(Box<Repeat>, Vec<Weekday>),
    /// "9 and 20": these hours on the same days.
    Hours(Box<Repeat>),
    /// "not on sundays": the same without these days.
    NotOn(Vec<Weekday>),
    /// "20" of "make it 20": an hour, if there is one, or so many minutes.
    Number {
        count: u32,
        hour: Option<TimeExpression>,
    },
    /// Seconds later, or earlier if negative.
    Later(i64),
    /// "forward an hour": some mean later, some earlier.
    Forward,
    /// "starting next week", "until friday": the same within these limits.
    Limits(Box<Repeat>),
    /// "make it once": what repeats comes at its next time, and not again.
    Once,
}

/// A reminder's new time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTime {
    pub send_at: Timestamp,
    pub recurrence: Option<Recurrence>,
    /// The zone named with the time, if any.
    pub zone: Option<Zone>,
}

impl NewTime {
    /// Once, at a moment that was not said in a zone.
    pub const fn at(send_at: Timestamp) -> Self {
        Self {
            send_at,
            recurrence: None,
            zone: None,
        }
    }
}

impl TimeChange {
    pub fn minutes(minutes: i64) -> Self {
        Self(NewTimeText::Later(minutes * 60))
    }

    /// "9", and nothing else: an hour, or so many minutes.
    pub fn of_number(text: &str) -> Option<Self> {
        let words = Words::new(text);
        new_time::number_alone(&words, 0..words.len())
    }

    /// To a day, a minute after midnight, or both.
    pub(in crate::assistant) fn at(day: Option<NaiveDate>, minute: Option<u32>) -> Option<Self> {
        if day.is_none() && minute.is_none() {
            return None;
        }
        let time = minute.and_then(|minute| NaiveTime::from_hms_opt(minute / 60, minute % 60, 0));
        let clock = time.map(when::exact_time).unwrap_or_default();
        let day = day.map(|day| Day::Date {
            year: day.year(),
            month: day.month(),
            day: day.day(),
        });
        Some(Self(NewTimeText::At(TimeExpression { day, ..clock })))
    }

    /// Of a day alone or a time of day alone.
    pub(in crate::assistant) fn in_part(spec: TimeExpression) -> Option<Self> {
        let has_hour = spec.clock.is_some() || spec.part.is_some();
        let is_part = spec.delay.is_none() && spec.day.is_some() != has_hour;
        is_part.then_some(Self(NewTimeText::At(spec)))
    }

    /// With a bare 8 as 20:00.
    pub(in crate::assistant) fn in_the_evening(self) -> Self {
        Self(match self.0 {
            NewTimeText::At(spec)
            | NewTimeText::Number {
                hour: Some(spec), ..
            } => NewTimeText::At(spec.in_the_evening()),
            other => other,
        })
    }

    /// With a bare 6 as 06:00, as one gets up early.
    pub fn of_waking(self) -> Self {
        let early = |spec: TimeExpression| {
            let clock = spec.clock.map(|clock| TimeOfDay {
                bare: false,
                ..clock
            });
            TimeExpression { clock, ..spec }
        };
        Self(match self.0 {
            NewTimeText::At(spec) => NewTimeText::At(early(spec)),
            NewTimeText::Number { count, hour } => NewTimeText::Number {
                count,
                hour: hour.map(early),
            },
            NewTimeText::Repeat(mut repeat) => {
                repeat.take_24_hours(|_| true);
                NewTimeText::Repeat(repeat)
            }
            other => other,
        })
    }

    /// Whether it is a time of day alone.
    pub fn is_hour(&self) -> bool {
        let is_hour =
            |spec: &TimeExpression| spec.has_time() && spec.day.is_none() && spec.delay.is_none();
        matches!(&self.0, NewTimeText::At(spec) if is_hour(spec))
    }

    /// Whether it is a time of day alone, or a number that may be one: "make it three".
    pub fn is_hour_or_number(&self) -> bool {
        self.is_hour() || matches!(self.0, NewTimeText::Number { .. })
    }

    /// Whether it is a day, a time of day or both, or so long from now.
    pub const fn is_moment(&self) -> bool {
        matches!(self.0, NewTimeText::At(_))
    }

    /// Whether it is so long after or before another time.
    pub const fn is_shift(&self) -> bool {
        matches!(self.0, NewTimeText::Later(_))
    }

    /// Whether it is so long after another time.
    pub(in crate::assistant) fn is_later(&self) -> bool {
        matches!(self.0, NewTimeText::Later(seconds) if seconds > 0)
    }

    /// So many of this unit from now, if it is a number alone. More than 12 are no hours.
    pub fn counted(&self, unit_s: i64) -> Option<Self> {
        const HOURS_MAX: u32 = 12;
        let NewTimeText::Number { count, .. } = self.0 else {
            return None;
        };
        if unit_s != MINUTE_S && count > HOURS_MAX {
            return None;
        }
        let delay = when::Delay {
            seconds: i64::from(count) * unit_s,
            ..when::Delay::default()
        };
        Some(Self(NewTimeText::At(TimeExpression {
            delay: Some(delay),
            ..TimeExpression::default()
        })))
    }

    /// The unit in seconds in which it counts from now.
    pub fn unit_s(&self) -> Option<i64> {
        match self.0 {
            NewTimeText::At(_) => self.delay_s().map(unit_of_s),
            _ => None,
        }
    }

    /// A number alone as an hour.
    fn as_hour(&self) -> Option<Self> {
        match self.0 {
            NewTimeText::Number {
                hour: Some(spec), ..
            } => Some(Self(NewTimeText::At(spec))),
            _ => None,
        }
    }

    /// A day or a number alone is of this month, where one was named.
    pub fn in_month(self, month: Option<u32>) -> Self {
        let of_month = self.as_hour().unwrap_or_else(|| self.clone());
        let (Some(month), NewTimeText::At(spec)) = (month, &of_month.0) else {
            return self;
        };
        let is_number = |clock: &TimeOfDay| clock.bare && clock.minute == 0;
        let spec = match (spec.day, spec.clock) {
            (Some(Day::OfMonth(day)), _) => TimeExpression {
                day: Some(Day::OfYear { month, day }),
                ..*spec
            },
            (None, Some(clock)) if is_number(&clock) => TimeExpression {
                day: Some(Day::OfYear {
                    month,
                    day: clock.hour,
                }),
                clock: None,
                ..*spec
            },
            _ => *spec,
        };
        Self(NewTimeText::At(spec))
    }

    /// Whether it names days of the week and an hour: "on sundays at 8".
    pub fn gives_days_an_hour(&self) -> bool {
        match &self.0 {
            NewTimeText::Repeat(repeat) | NewTimeText::OnDays(repeat) => {
                repeat.names_day() && repeat.names_time()
            }
            _ => false,
        }
    }

    /// Whether it says only for how many days something comes: "for ten days".
    pub fn is_span_of_days(&self) -> bool {
        matches!(&self.0, NewTimeText::Repeat(repeat) if repeat.is_span_of_days())
    }

    pub fn is_repeat(&self) -> bool {
        !matches!(
            self.0,
            NewTimeText::At(_)
                | NewTimeText::Number { .. }
                | NewTimeText::Later(_)
                | NewTimeText::Forward
                | NewTimeText::Once
        )
    }

    /// Seconds from now, if it is a time from now on: "10 minutes".
    pub fn delay_s(&self) -> Option<i64> {
        let delay = match &self.0 {
            NewTimeText::At(spec) => spec.delay.filter(|_| {
                *spec
                    == TimeExpression {
                        delay: spec.delay,
                        ..TimeExpression::default()
                    }
            })?,
            NewTimeText::Later(seconds) => return Some(*seconds),
            _ => return None,
        };
        (delay.months == 0 && delay.days == 0).then_some(delay.seconds)
    }
}
