//! A time as its words say it, before it is an instant: a day, a time of day, a delay, a zone.

use crate::clock::Zone;

/// A duration from now. Days and months are calendar days and months, so the time of day stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::assistant) struct Delay {
    pub(in crate::assistant) months: i64,
    pub(in crate::assistant) days: i64,
    pub(in crate::assistant) seconds: i64,
}

impl Delay {
    /// Hours and minutes alone.
    pub(in crate::assistant) const fn is_within_day(&self) -> bool {
        self.months == 0 && self.days == 0
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::assistant) enum Day {
    Today,
    InDays(i64),
    InMonths(i64),
    Weekday {
        day: chrono::Weekday,
        /// In the following ISO week.
        next_week: bool,
    },
    OfMonth(u32),
    /// "the last friday of the month".
    NthWeekday {
        /// -1 is the last.
        nth: i32,
        weekday: chrono::Weekday,
        month: NamedMonth,
    },
    OfYear {
        month: u32,
        day: u32,
    },
    Date {
        year: i32,
        month: u32,
        day: u32,
    },
    /// So many days after another one ("two weeks from friday"), or before it if negative.
    After {
        days: i64,
        first: NamedDay,
    },
    /// A date whose weekday was said too: they must agree.
    WeekdayAndDate {
        weekday: chrono::Weekday,
        year: Option<i32>,
        month: Option<u32>,
        day: u32,
    },
    FirstOfMonth(NamedMonth),
    /// "the end of the month".
    LastOfMonth(NamedMonth),
    /// So many days after Easter Sunday.
    Easter(i64),
    /// Before today: "last friday".
    Over,
    /// 5/6 is in May or June, depending on the country.
    Ambiguous {
        first: u32,
        second: u32,
        year: Option<i32>,
    },
}

/// A day from which others are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::assistant) enum NamedDay {
    Weekday {
        day: chrono::Weekday,
        next_week: bool,
    },
    OfYear {
        month: u32,
        day: u32,
    },
    Date {
        year: i32,
        month: u32,
        day: u32,
    },
    Easter(i64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::assistant) enum NamedMonth {
    /// This one, or the next where the day is over.
    Coming,
    Next,
    /// From 1.
    OfYear(u32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::assistant) enum PartOfDay {
    Morning,
    Afternoon,
    Evening,
    Night,
}

/// A time of day. `exact`: am, pm or 24 hours were named, so a part of the day changes nothing.
/// `bare`: no half of the day was named. Hours and minutes may be out of range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::assistant) struct TimeOfDay {
    pub(in crate::assistant) hour: u32,
    pub(in crate::assistant) minute: u32,
    pub(in crate::assistant) exact: bool,
    pub(in crate::assistant) bare: bool,
}

/// A parsed time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::assistant) struct TimeExpression {
    pub(in crate::assistant) delay: Option<Delay>,
    pub(in crate::assistant) day: Option<Day>,
    pub(in crate::assistant) part: Option<PartOfDay>,
    pub(in crate::assistant) clock: Option<TimeOfDay>,
    /// The zone named with the time of day.
    pub(in crate::assistant) zone: Option<Zone>,
    /// The zone was named by its summer time: "PDT".
    pub(in crate::assistant) is_summer_time: bool,
    /// "half 9", which is 08:30 to some and 09:30 to others.
    pub(in crate::assistant) is_half: bool,
}

impl TimeExpression {
    /// Whether it has a time of day.
    pub(in crate::assistant) const fn has_time(&self) -> bool {
        self.delay.is_some() || self.part.is_some() || self.clock.is_some()
    }

    pub(in crate::assistant) const fn lacks_hour(&self) -> bool {
        self.delay.is_none() && self.clock.is_none()
    }

    /// Whether it is said to be in the morning.
    pub(in crate::assistant) fn is_in_the_morning(&self) -> bool {
        self.part == Some(PartOfDay::Morning)
    }

    /// With a bare 8 as 20:00.
    pub(in crate::assistant) fn in_the_evening(self) -> Self {
        let is_open = |clock: &TimeOfDay| !clock.exact && self.part.is_none();
        match self.clock.filter(is_open) {
            Some(clock) if (1..=11).contains(&clock.hour) => Self {
                clock: Some(TimeOfDay {
                    hour: clock.hour + 12,
                    exact: true,
                    ..clock
                }),
                ..self
            },
            _ => self,
        }
    }

    /// Both combined ("tomorrow … at 9"), if they don't contradict each other.
    pub(in crate::assistant) fn merged(self, other: Self) -> Option<Self> {
        let delays = [self.delay, other.delay];
        let clashes = (self.day.is_some() && other.day.is_some())
            || (self.clock.is_some() && other.clock.is_some())
            || (self.part.is_some() && other.part.is_some())
            || is_outside(self.part, other.clock)
            || is_outside(other.part, self.clock)
            || (self.zone.is_some() && other.zone.is_some())
            || delays.iter().flatten().count() > 1
            || (delays.iter().flatten().any(|w| w.seconds != 0))
            || (delays.iter().flatten().count() == 1
                && (self.day.is_some() || other.day.is_some()));
        (!clashes).then(|| Self {
            delay: self.delay.or(other.delay),
            day: self.day.or(other.day),
            part: self.part.or(other.part),
            clock: self.clock.or(other.clock),
            zone: self.zone.or(other.zone),
            is_summer_time: self.is_summer_time || other.is_summer_time,
            is_half: self.is_half || other.is_half,
        })
    }

    /// Whether its time of day is in no such part of a day: "at 8pm in the morning".
    pub(in crate::assistant) const fn contradicts_itself(&self) -> bool {
        is_outside(self.part, self.clock)
    }
}

/// Whether a time of day, named with its half of the day, is in another part of it.
const fn is_outside(part: Option<PartOfDay>, clock: Option<TimeOfDay>) -> bool {
    let (Some(part), Some(clock)) = (part, clock) else {
        return false;
    };
    clock.exact
        && match part {
            PartOfDay::Morning => matches!(clock.hour, 12..=24),
            PartOfDay::Afternoon => matches!(clock.hour, 0..=11 | 20..=24),
            PartOfDay::Evening => clock.hour < 16,
            PartOfDay::Night => matches!(clock.hour, 6..=16),
        }
}
