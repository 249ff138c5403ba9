//! Tables, rooms and appointments that a person booked or that mails confirm: the booking with its
//! number and address two hours before, or in the morning where no time is known. It books and
//! cancels nothing with anybody.

mod changes;
mod kinds;
mod operations;
mod read;
mod which;

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use super::day_span::DaySpan;
use super::entries::{self, Entries, Entry, EntryDraft, EntryMention, MailedEntry, TimeProblem};
use super::entry_ref::EntryRef;
use super::facts::Booking;
use super::notice::{Notice, promise};
use super::planned_time::{self, PlannedTime};
use super::{Plan, Power, PowerContext, PowerEffect, RequestChoice, Superpower, texts};
use crate::assistant::builtin::TimeChange;
use crate::assistant::text::words::Words;
use crate::model::mail_item::FactKind;
pub(super) use operations::Arguments;
pub(super) use read::{asked_detail, parse};
use which::BookingMatch;

const POWER: Power = Power::ReservationPrep;
/// How long before a booking its reminder goes out.
const BEFORE_S: i64 = 2 * 3_600;
/// Days after which it is forgotten.
const KEPT_DAYS: i64 = 2;
const NEW_TIME_UNCLEAR: &str =
    "I'm not sure which new time you mean. Say it like “move my dinner to friday at 20:00”.";
/// A table from then on is for dinner, in minutes after midnight.
const EVENING: u32 = 17 * 60;
#[derive(Debug, Clone, PartialEq)]
pub enum ReservationAction {
    Keep {
        what: String,
        /// Number, address, confirmation: the rest of the message.
        details: String,
        time: PlannedTime,
        /// Where only its day or its hour is said.
        part: Option<TimeChange>,
        /// The last day of a stay.
        last: Option<NaiveDate>,
        mention: EntryMention,
    },
    List,
    Show(EntryRef),
    /// The soonest one whose text has one of these words: its seat, its gate.
    Detail(&'static [&'static str]),
    /// The answer where nothing else knows the seat: the journey of which none is kept.
    NoDetail(&'static [&'static str]),
    /// The answer where nothing else knows of what was asked for: what is kept of its kind.
    NoneKept(EntryRef),
    Remove(EntryRef),
    /// "delete 1": by its number in the list that was shown.
    RemoveNumber(usize),
    /// The person has cancelled it.
    Cancelled(EntryRef),
    Move {
        which: EntryRef,
        to: TimeChange,
        /// The words of the new time: "to friday at 8".
        said: String,
    },
    /// A stay is on other days.
    MoveStay {
        which: EntryRef,
        first: NaiveDate,
        last: NaiveDate,
        /// The words of the days: "to 4 to 6 dec".
        said: String,
    },
    /// "make it an hour later": the one that was told last.
    MoveNewest(TimeChange),
    /// A request to book something, which the assistant can't do.
    Order(String),
    /// A booking without its day.
    AskTime(String),
    /// A booking whose day is not understood: the words to which it is added, and the reply.
    AskDay {
        before: String,
        /// The time of day that was said: " at 3".
        clock: String,
        reply: String,
    },
    /// Why the time can't be used.
    UnclearTime(String),
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct ReservationState {
    bookings: Entries,
    /// The choices of the question which of several is meant.
    #[serde(skip)]
    choices: Vec<RequestChoice>,
}

impl ReservationState {
    fn keep(
        &mut self,
        draft: EntryDraft,
        part: Option<&TimeChange>,
        mention: EntryMention,
        context: &PowerContext,
    ) -> String {
        self.bookings.drop_old(KEPT_DAYS, context);
        let found = self.named(&EntryRef::of_name(draft.what.clone()), context);
        let several: Vec<u32> = found.iter().map(|entry| entry.id).collect();
        let is_known = found
            .iter()
            .any(|entry| texts::same(&entry.what, &draft.what));
        let (draft, mention) = entries::with_known_part(draft, (part, mention), &found, context);
        let Some(time) = draft.time else {
            return NEW_TIME_UNCLEAR.to_owned();
        };
        let bookings = &self.bookings;
        let days = bookings.replaced_days(&draft.what, time.day, mention, context);
        // "lunch at 2 instead" of two with other names
        let is_open = mention == EntryMention::Moved && !is_known && several.len() > 1;
        let Some(days) = days.filter(|_| !is_open) else {
            let to = time.typed_part(part);
            return self.ask_which(several, |n| format!("move my booking {n} to {to}"), context);
        };
        let (id, before) = match self.bookings.replace(POWER, draft, days, context) {
            Ok(replaced) => replaced,
            Err(reply) => return reply,
        };
        let notice = self.announced(id, context);
        let line = self.bookings.get(id).map(|entry| entry.display(context));
        let also = match (mention, before.as_str()) {
            (EntryMention::Moved, "") => self.others_of_kind(id, context),
            _ => self.bookings.also(id, context),
        };
        format!(
            "Noted: {}.{before}{also} {notice}",
            line.unwrap_or_default()
        )
    }

    /// The text of its reminder.
    fn announced(&mut self, id: u32, context: &PowerContext) -> String {
        let is_late = self.bookings.skip_past(id, self.notices(context), context);
        let has_hour = self.bookings.get(id).is_some_and(|e| e.minute.is_some());
        let before = match (has_hour, is_late) {
            (true, false) => "I remind you two hours before.",
            (false, false) => "I remind you in the morning.",
            (true, true) => {
                return "That's within two hours, so I don't remind you of it.".to_owned();
            }
            (false, true) => return "That's today, so I don't remind you of it.".to_owned(),
        };
        promise(POWER, before, context)
    }

    /// The place knows nothing of it.
    fn relocate(
        &mut self,
        which: &EntryRef,
        (to, said): (TimeChange, &str),
        context: &PowerContext,
    ) -> Option<String> {
        let entry = match self.find_one(which, context) {
            BookingMatch::One(entry) => entry,
            BookingMatch::Several(found) => {
                let request = |n| format!("move my booking {n} {said}");
                return Some(self.ask_which(found, request, context));
            }
            // "the plumber moved to friday"
            BookingMatch::Nothing if !Words::new(&which.said).iter().any(kinds::is_kind) => {
                return None;
            }
            BookingMatch::Nothing => return self.none_of(which, context),
        };
        let id = entry.id;
        self.relocate_one(id, to, context)
    }

    /// Moves the one with that id.
    fn relocate_one(&mut self, id: u32, to: TimeChange, context: &PowerContext) -> Option<String> {
        let entry = self.bookings.get(id)?;
        let words = Words::new(&entry.what);
        let is_late = match entry.minute {
            Some(minute) => minute >= EVENING,
            None => kinds::is_in_the_evening(&words, 0..words.len()),
        };
        let to = if is_late { to.in_the_evening() } else { to };
        let time = match entry.moved(&to, context) {
            Ok(time) => time,
            Err(TimeProblem::ComesAgain) => return Some(planned_time::COMES_AGAIN.to_owned()),
            Err(TimeProblem::Unclear) => return Some(NEW_TIME_UNCLEAR.to_owned()),
        };
        let id = self.bookings.set_time(id, time, context)?;
        self.new_time(id, context)
    }

    /// A stay is on other days.
    fn move_stay(
        &mut self,
        which: &EntryRef,
        (first, last): (NaiveDate, NaiveDate),
        said: &str,
        context: &PowerContext,
    ) -> Option<String> {
        let id = match self.find_one(which, context) {
            BookingMatch::One(entry) => entry.id,
            BookingMatch::Several(found) => {
                let request = |n| format!("move my booking {n} {said}");
                return Some(self.ask_which(found, request, context));
            }
            BookingMatch::Nothing => return self.none_of(which, context),
        };
        let time = PlannedTime {
            day: first,
            minute: None,
        };
        let id = self.bookings.set_time(id, time, context)?;
        self.bookings.set_last(id, last);
        self.new_time(id, context)
    }

    fn new_time(&mut self, id: u32, context: &PowerContext) -> Option<String> {
        let notice = self.announced(id, context);
        let line = self.bookings.get(id)?.display(context);
        Some(format!(
            "Okay, I noted the new time: {line}. I can't change it with them; please do that yourself. {notice}"
        ))
    }

    /// The soonest one with one of these words in its text.
    fn detail(&self, words: &[&str], context: &PowerContext) -> Option<String> {
        let entry = self.bookings.with_word(words, context)?;
        Some(format!("📌 {}", entry.display(context)))
    }

    fn show(&self, which: &EntryRef, context: &PowerContext) -> Option<String> {
        match self.named(which, context).first() {
            Some(entry) => Some(format!("📌 {}", entry.display(context))),
            None => context.sure.then(|| none_of(which)),
        }
    }

    /// Something else may be meant where nothing of its kind is kept.
    fn none_of(&self, which: &EntryRef, context: &PowerContext) -> Option<String> {
        let is_meant = context.sure || self.keeps_kind_of(which);
        is_meant.then(|| format!("{} {}", none_of(which), self.overview(context)))
    }

    /// `is_done`: the person has cancelled it with them.
    fn remove(
        &mut self,
        which: &EntryRef,
        is_done: bool,
        context: &PowerContext,
    ) -> Option<String> {
        let id = match self.find_one(which, context) {
            BookingMatch::One(entry) => entry.id,
            BookingMatch::Several(found) => {
                let verb = if is_done { "i cancelled" } else { "cancel" };
                let request = |n| format!("{verb} my booking {n}");
                return Some(self.ask_which(found, request, context));
            }
            BookingMatch::Nothing => return self.none_of(which, context),
        };
        self.forget(id, is_done, context)
    }

    fn forget(&mut self, id: u32, is_done: bool, context: &PowerContext) -> Option<String> {
        let removed = self.bookings.remove(id, context)?.display(context);
        let hint = match is_done {
            true => "",
            false => "I can't cancel it with them; please do that yourself. ",
        };
        Some(format!(
            "Okay, I forgot this booking: {removed}. {hint}“undo” brings it back."
        ))
    }

    /// `request`: the words for the one with that number in the list of bookings.
    fn ask_which(
        &mut self,
        found: Vec<u32>,
        request: impl Fn(usize) -> String,
        context: &PowerContext,
    ) -> String {
        self.choices = self.bookings.choices(&found, request, context);
        RequestChoice::question(&self.choices)
    }
}

fn none_of(which: &EntryRef) -> String {
    let said = &which.said;
    match Words::new(said).iter().any(kinds::is_kind) {
        true => format!("I know of no {said}."),
        false => format!("I know of no booking for {said}."),
    }
}

/// A table, a room or an appointment of a mail, with its number and address.
fn entry_of_booking(booking: &Booking, context: &PowerContext) -> Option<MailedEntry> {
    let is_one = matches!(
        booking.kind,
        FactKind::Restaurant | FactKind::Hotel | FactKind::Appointment
    );
    if !is_one || booking.name().is_empty() {
        return None;
    }
    let details = &booking.details;
    let name = booking.name();
    let minute = booking.begins(context).and_then(|(_, minute)| minute);
    let what = match (booking.kind, minute) {
        (FactKind::Restaurant, Some(EVENING..)) => format!("dinner at {name}"),
        (FactKind::Restaurant, _) => format!("table at {name}"),
        _ => name,
    };
    Some(MailedEntry {
        is_quiet: super::travel_brain::sends_hotel_on_arrival(booking, context),
        ..MailedEntry::new(
            what,
            Booking::labelled(&[
                ("booking ", &details.reference),
                ("", &details.place.address),
                ("", &details.place.telephone),
            ]),
        )
    })
}

impl Superpower for ReservationState {
    type Action = ReservationAction;

    fn add_facts(&mut self, context: &PowerContext) {
        self.bookings
            .add_mailed(context, |booking| entry_of_booking(booking, context));
    }

    fn apply(&mut self, action: ReservationAction, context: &PowerContext) -> Option<String> {
        Some(match action {
            ReservationAction::Keep {
                what,
                details,
                time,
                part,
                last,
                mention,
            } => {
                let draft = EntryDraft {
                    what,
                    details,
                    time: Some(time),
                    period: None,
                    last,
                };
                self.keep(draft, part.as_ref(), mention, context)
            }
            ReservationAction::List => {
                self.bookings.number(context);
                self.overview(context)
            }
            ReservationAction::RemoveNumber(number) => {
                let id = self.bookings.numbered(number, context)?;
                return self.forget(id, false, context);
            }
            ReservationAction::Show(which) => return self.show(&which, context),
            ReservationAction::Detail(words) => return self.detail(words, context),
            ReservationAction::NoDetail(words) => return self.no_detail(words, context),
            ReservationAction::NoneKept(which) => {
                return self
                    .keeps_kind_of(&which)
                    .then(|| format!("{} {}", none_of(&which), self.overview(context)));
            }
            ReservationAction::Move { which, to, said } => {
                return self.relocate(&which, (to, &said), context);
            }
            ReservationAction::MoveStay {
                which,
                first,
                last,
                said,
            } => return self.move_stay(&which, (first, last), &said, context),
            ReservationAction::MoveNewest(to) => {
                let id = self.bookings.newest_entered()?.id;
                return self.relocate_one(id, to, context);
            }
            ReservationAction::Order(what) => changes::order_refused(&what),
            ReservationAction::Cancelled(which) => return self.remove(&which, true, context),
            ReservationAction::Remove(which) => return self.remove(&which, false, context),
            ReservationAction::AskTime(what) => format!(
                "When is that: {what}? Say it with the day, for example “dinner at Luigi on friday at 20:00”."
            ),
            ReservationAction::AskDay { reply, .. } | ReservationAction::UnclearTime(reply) => {
                reply
            }
        })
    }

    fn overview(&self, context: &PowerContext) -> String {
        self.bookings.listed(
            "Your bookings",
            "I know of no bookings. Tell me of one: “dinner at Luigi on friday at 20:00, +1555 0100”.",
            context,
        )
    }

    fn brief(&self, context: &PowerContext) -> Option<String> {
        let today = context.today();
        self.bookings.brief("Booked", (today, today), context)
    }

    fn equals_except_shown(&self, other: &Self) -> bool {
        self.bookings.with_shown(&other.bookings) == other.bookings
    }

    fn entries(&self) -> Option<&Entries> {
        Some(&self.bookings)
    }

    fn entries_mut(&mut self) -> Option<&mut Entries> {
        Some(&mut self.bookings)
    }

    fn between(&self, span: DaySpan) -> Vec<String> {
        let line = |entry: &Entry, when: &str| format!("{}: {when}", entry.what);
        self.bookings.lines_between(span, line)
    }

    fn plans(&self, context: &PowerContext) -> Vec<Plan> {
        self.bookings.plans(context)
    }

    fn effect(&self) -> Option<PowerEffect> {
        (!self.choices.is_empty()).then(|| PowerEffect::AskWhich(self.choices.clone()))
    }

    fn notices(&self, context: &PowerContext) -> Vec<Notice> {
        let to_notice = |entry: &Entry| {
            let date = entry.date(context.today())?;
            let span = match entry.minute {
                Some(_) => {
                    let begins = entry.begins(context)?;
                    (begins.plus_s(-BEFORE_S), begins)
                }
                None => entries::on_the_day(date, context)?,
            };
            let text = format!("📌 Coming up: {}", entry.display(context));
            Some(entry.notice("before", span, text))
        };
        let reported = self.bookings.list.iter().filter(|entry| !entry.is_quiet);
        reported.filter_map(to_notice).collect()
    }
}
