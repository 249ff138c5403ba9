//! Parcels that are on their way, as the person or mails told of them: where they are as far as it is
//! known, and a word on the expected day. No carrier is asked.

mod by_name;
mod operations;
mod read;

use serde::{Deserialize, Serialize};

use super::after_time::WordsAfterTime;
use super::day_span::DaySpan;
use super::entries::{self, Entries, Entry, EntryDraft, MailedEntry, TimeProblem};
use super::facts::Booking;
use super::notice::{Notice, promise};
use super::planned_time::{self, PlannedTime};
use super::texts;
use super::{Plan, Power, PowerContext, Superpower, events};
use crate::assistant::builtin::TimeChange;
use crate::assistant::local_time;
use crate::model::mail_item::FactKind;
pub(super) use operations::Arguments;
pub(super) use read::parse;

const POWER: Power = Power::PackageTracking;
/// A parcel of which nothing else is known.
const PARCEL: &str = "parcel";
/// Days after the expected one at which a parcel is forgotten.
const KEPT_DAYS: i64 = 14;

#[derive(Debug, Clone, PartialEq)]
pub enum ParcelAction {
    Keep {
        /// "parcel from Zalando"
        what: String,
        /// Carrier and number.
        details: String,
        /// "another parcel from Zara": not the one that is known.
        is_other: bool,
        time: Option<PlannedTime>,
        after: WordsAfterTime,
    },
    /// A new day. `None`: of the parcel that has none, or of the only one.
    SetTime {
        about: Option<String>,
        time: PlannedTime,
        /// Where only a weekday is said, and that the parcel is late.
        weekday: Option<TimeChange>,
    },
    /// Another hour of its day, or so long after it.
    Move {
        about: Option<String>,
        to: TimeChange,
    },
    /// The parcel is delayed, without a new day.
    Late(Option<String>),
    List,
    /// The parcel arrived, or is not waited for any more. `None`: the only one.
    Remove {
        about: Option<String>,
        arrived: bool,
    },
    /// "the lamp came": only one that is called just so.
    Arrived(String),
    /// "where's my lamp": only one of that name.
    Asked(String),
    /// "delete 1": by its number in the list that was shown.
    RemoveNumber(usize),
    /// Why the time can't be used.
    UnclearTime(String),
}

impl ParcelAction {
    /// The words before the day that the reply asks for.
    pub(super) fn lacks(&self) -> Option<String> {
        match self {
            Self::Keep {
                what,
                details,
                time: None,
                ..
            } => {
                let what = if what.is_empty() { PARCEL } else { what };
                Some(format!("my {what} {details} arrives "))
            }
            Self::Late(about) => {
                let about = about.as_deref().unwrap_or_default();
                Some(format!("my parcel {about} now arrives "))
            }
            _ => None,
        }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct ParcelState {
    parcels: Entries,
}

impl ParcelState {
    fn keep(&mut self, draft: EntryDraft, is_other: bool, context: &PowerContext) -> String {
        self.parcels.drop_old(KEPT_DAYS, context);
        let known = self.parcels.list.iter().find(|entry| {
            let mut numbers = draft.details.split(' ');
            numbers.any(|n| read::is_tracking_number(n) && entry.details.contains(n))
        });
        if let Some(id) = known.map(|entry| entry.id) {
            return self.keep_known(id, draft, context).unwrap_or_default();
        }
        let same = self
            .parcels
            .list
            .iter()
            .filter(|_| !is_other)
            .find(|entry| {
                let is_named = entry.what != PARCEL || entry.day.is_none();
                is_named && draft.details.is_empty() && texts::same(&entry.what, &draft.what)
            });
        if let (Some(_), Some(time)) = (same, draft.time)
            && let Some(reply) = self.set_time(Some(&draft.what), time, None, context)
        {
            return reply;
        }
        let id = match self.parcels.add(POWER, draft) {
            Ok(id) => id,
            Err(reply) => return reply,
        };
        let is_late = self.parcels.skip_past(id, self.notices(context), context);
        let Some(entry) = self.parcels.get(id) else {
            return String::new();
        };
        match entry.day {
            Some(_) => format!(
                "Noted: {}. {}",
                entry.display(context),
                match is_late {
                    true =>
                        "I don't remind you of it today, and I can't ask the carrier.".to_owned(),
                    false => promise(
                        POWER,
                        "I remind you on the day. I can't ask the carrier.",
                        context
                    ),
                }
            ),
            None => format!(
                "Noted: {}. I can't ask the carrier. When should it arrive? Say “it arrives on friday”.",
                entry.display(context)
            ),
        }
    }

    /// More is told of one that has the same number.
    fn keep_known(&mut self, id: u32, draft: EntryDraft, context: &PowerContext) -> Option<String> {
        let entry = self.parcels.list.iter_mut().find(|entry| entry.id == id)?;
        if entry.what == PARCEL || draft.what.split(' ').count() > 1 {
            entry.what = draft.what;
        }
        if draft.details.len() > entry.details.len() {
            entry.details = draft.details;
        }
        if let Some(time) = draft.time {
            return self.set_time_of(id, time, context);
        }
        let line = self.parcels.get(id)?.display(context);
        Some(format!("I have this one already: {line}."))
    }

    fn remove(
        &mut self,
        about: Option<&str>,
        arrived: bool,
        context: &PowerContext,
    ) -> Option<String> {
        let question = about.and_then(|about| self.parcels.question_of(about, context));
        if question.is_some() {
            return question;
        }
        let found = self.which(about, context).map(|entry| entry.id);
        match found.and_then(|id| self.parcels.remove(id, context)) {
            Some(removed) if arrived => Some(format!("✓ {} has arrived.", removed.what)),
            Some(removed) => Some(no_longer_waited_for(&removed)),
            None => self.ask_which(context),
        }
    }

    /// The one that is called so; without a name the only one.
    fn which(&self, about: Option<&str>, context: &PowerContext<'_>) -> Option<&Entry> {
        match (about, self.parcels.list.as_slice()) {
            (None, [only]) => Some(only),
            (None, _) => None,
            (Some(about), _) => self.parcels.named(about, context),
        }
    }

    fn ask_which(&self, context: &PowerContext) -> Option<String> {
        context
            .sure
            .then(|| format!("Which one? {}", self.overview(context)))
    }

    fn set_time(
        &mut self,
        about: Option<&str>,
        time: PlannedTime,
        weekday: Option<&TimeChange>,
        context: &PowerContext,
    ) -> Option<String> {
        let undated = self.parcels.without_day().filter(|_| about.is_none());
        let named = || self.which(about, context).map(|entry| entry.id);
        let Some(id) = undated.or_else(named) else {
            return self.ask_which(context);
        };
        let entry = self.parcels.get(id)?;
        let said_minute = time.minute;
        let moved = weekday.and_then(|weekday| entry.moved(weekday, context).ok());
        let time = match (moved, entry.day.map(local_time::day)) {
            // What is late comes after its day.
            (Some(moved), Some(before)) if moved.day <= before => PlannedTime {
                day: moved.day + chrono::Days::new(7),
                ..moved
            },
            (Some(moved), Some(_)) => moved,
            _ => time,
        };
        let time = PlannedTime {
            minute: said_minute.or(time.minute),
            ..time
        };
        self.set_time_of(id, time, context)
    }

    /// What the change doesn't name stays.
    fn shift(
        &mut self,
        about: Option<&str>,
        to: &TimeChange,
        context: &PowerContext,
    ) -> Option<String> {
        let Some(entry) = self.which(about, context) else {
            return self.ask_which(context);
        };
        match entry.moved(to, context) {
            Ok(time) => self.set_time_of(entry.id, time, context),
            Err(TimeProblem::ComesAgain) => Some(planned_time::COMES_AGAIN.to_owned()),
            Err(TimeProblem::Unclear) => Some(new_day_needed(entry, context)),
        }
    }

    fn set_time_of(
        &mut self,
        id: u32,
        time: PlannedTime,
        context: &PowerContext,
    ) -> Option<String> {
        let before = self.parcels.get(id)?.when_text(context);
        let id = self.parcels.set_time(id, time, context)?;
        let is_late = self.parcels.skip_past(id, self.notices(context), context);
        let line = self.parcels.get(id)?.display(context);
        let before = before.filter(|when| !line.contains(when.as_str()));
        let before = before.map_or_else(String::new, |when| format!(" (before: {when})"));
        let notice = match is_late {
            true => "I don't remind you of it today.".to_owned(),
            false => promise(POWER, "I remind you on the day.", context),
        };
        Some(format!("Okay: {line}{before}. {notice}"))
    }
}

/// A parcel of a mail that has not arrived, with its carrier and number.
fn entry_of_booking(booking: &Booking) -> Option<MailedEntry> {
    let details = &booking.details;
    if booking.kind != FactKind::Parcel || details.delivered {
        return None;
    }
    let what = match booking.name() {
        name if name.is_empty() => PARCEL.to_owned(),
        name => format!("parcel: {name}"),
    };
    let carrier = [details.provider.as_str(), details.number.as_str()];
    let carrier: Vec<String> = carrier
        .iter()
        .map(|text| events::one_line(text))
        .filter(|text| !text.is_empty())
        .collect();
    Some(MailedEntry::new(
        what,
        Booking::labelled(&[("", &carrier.join(" ")), ("", &details.tracking_url)]),
    ))
}

fn no_longer_waited_for(removed: &Entry) -> String {
    format!(
        "Okay, I no longer wait for it: {}. “undo” brings it back.",
        removed.what
    )
}

fn new_day_needed(entry: &Entry, context: &PowerContext) -> String {
    format!(
        "I still have this day for it: {}. When should it arrive now? Say “it now arrives on friday”.",
        entry.display(context)
    )
}

impl Superpower for ParcelState {
    type Action = ParcelAction;

    fn add_facts(&mut self, context: &PowerContext) {
        self.parcels.add_mailed(context, entry_of_booking);
    }

    fn apply(&mut self, action: ParcelAction, context: &PowerContext) -> Option<String> {
        Some(match action {
            ParcelAction::Keep {
                what,
                details,
                is_other,
                time,
                after,
            } => {
                let what = if what.is_empty() {
                    PARCEL.to_owned()
                } else {
                    what
                };
                let draft = EntryDraft {
                    what,
                    details,
                    time,
                    period: None,
                    last: None,
                };
                after.with_left(self.keep(draft, is_other, context))
            }
            ParcelAction::SetTime {
                about,
                time,
                weekday,
            } => {
                return self.set_time(about.as_deref(), time, weekday.as_ref(), context);
            }
            ParcelAction::Move { about, to } => {
                return self.shift(about.as_deref(), &to, context);
            }
            ParcelAction::Late(about) => match self.which(about.as_deref(), context) {
                Some(entry) => new_day_needed(entry, context),
                None => return self.ask_which(context),
            },
            ParcelAction::Arrived(name) => {
                let entry = self.which(Some(&name), context)?;
                // "zara arrived" may be somebody, also where a parcel from Zara is waited for.
                if !texts::same(&entry.what, &name) {
                    return None;
                }
                return self.remove(Some(&name), true, context);
            }
            ParcelAction::Asked(name) => {
                let entry = self.which(Some(&name), context)?;
                format!("📦 {}", entry.display(context))
            }
            ParcelAction::List => {
                self.parcels.number(context);
                self.overview(context)
            }
            ParcelAction::RemoveNumber(number) => {
                let id = self.parcels.numbered(number, context)?;
                no_longer_waited_for(&self.parcels.remove(id, context)?)
            }
            ParcelAction::Remove { about, arrived } => {
                return self.remove(about.as_deref(), arrived, context);
            }
            ParcelAction::UnclearTime(reply) => reply,
        })
    }

    fn overview(&self, context: &PowerContext) -> String {
        self.parcels.listed(
            "Parcels on their way, as far as I was told",
            "I know of no parcels. Tell me of one: “my parcel from Zalando arrives on friday”. I can't ask carriers.",
            context,
        )
    }

    fn brief(&self, context: &PowerContext) -> Option<String> {
        let today = self.parcels.between(context.today(), context.today());
        let names: Vec<&str> = today.iter().map(|(_, entry)| entry.what.as_str()).collect();
        (!names.is_empty()).then(|| format!("Expected: {}", names.join(", ")))
    }

    fn entries(&self) -> Option<&Entries> {
        Some(&self.parcels)
    }

    fn entries_mut(&mut self) -> Option<&mut Entries> {
        Some(&mut self.parcels)
    }

    fn between(&self, span: DaySpan) -> Vec<String> {
        let line = |entry: &Entry, when: &str| format!("{} arrives: {when}", entry.what);
        self.parcels.lines_between(span, line)
    }

    fn occasions(&self, context: &PowerContext) -> Vec<Plan> {
        let mut plans = self.parcels.plans(context);
        for plan in &mut plans {
            plan.what.push_str(" arrives");
        }
        plans
    }

    fn notices(&self, context: &PowerContext) -> Vec<Notice> {
        let to_notice = |entry: &Entry| {
            let date = entry.date(context.today())?;
            let span = entries::on_the_day(date, context)?;
            let mut text = format!("📦 Expected today: {}", entry.what);
            if let Some(minute) = entry.minute {
                text.push_str(&format!(" at {}", texts::clock_text(minute)));
            }
            if !entry.details.is_empty() {
                text.push_str(&format!(", {}", entry.details));
            }
            Some(entry.notice("day", span, text))
        };
        self.parcels.list.iter().filter_map(to_notice).collect()
    }
}
