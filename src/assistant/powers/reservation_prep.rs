//! Tables, rooms and appointments that a person booked or that mails confirm: the booking with its number and
//! address two hours before, or in the morning where no time is known. It books and cancels
//! nothing with anybody.

mod operations;

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use super::entries::{self, Entries, Entry, EntryDraft, MailedEntry, promise};
use super::facts::Booking;
use super::notice::Notice;
use super::said_time::{self, SaidTime};
use super::{Plan, Power, PowerContext, Strength, Superpower, pieces};
use crate::assistant::builtin::Talk;
use crate::assistant::builtin::words::Words;
use crate::clock::Timestamp;
use crate::model::mail_item::FactKind;
pub(super) use operations::Arguments;

const POWER: Power = Power::ReservationPrep;
/// A booking is told so long before.
const BEFORE_S: i64 = 2 * 3_600;
/// Days after which it is forgotten.
const KEPT_DAYS: i64 = 2;
/// A table from then on is for dinner, in minutes after midnight.
const EVENING: u32 = 17 * 60;
/// Words before "on friday" that are looked at.
const WORDS_MAX: usize = 30;

/// What begins a booking in so many words.
const BOOKED: [&str; 21] = [
    "i booked",
    "i have booked",
    "ive booked",
    "booked",
    "we booked",
    "weve booked",
    "we have booked",
    "i reserved",
    "ive reserved",
    "reserved",
    "we reserved",
    "note my booking",
    "note this booking",
    "keep this booking",
    "keep this reservation",
    "note my reservation",
    "keep my reservation",
    "reservation",
    "booking",
    "my reservation is",
    "my booking is",
];
/// What may begin one.
const HAVING: [&str; 14] = [
    "i have a",
    "i have an",
    "i have",
    "ive got a",
    "ive got an",
    "ive got",
    "i got a",
    "we have a",
    "we have",
    "weve got a",
    "weve got",
    "im having",
    "were having",
    "theres",
];

#[derive(Debug, Clone, PartialEq)]
pub enum ReservationAction {
    Keep {
        what: String,
        /// Number, address, confirmation: whatever else was said.
        details: String,
        time: SaidTime,
    },
    List,
    Show(String),
    Remove(String),
    /// A booking without its day.
    AskTime(String),
    /// Why the time can't be used.
    UnclearTime(String),
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct ReservationState {
    bookings: Entries,
}

pub(super) fn parse(talk: &Talk<'_>) -> Option<(Strength, ReservationAction)> {
    use Strength::{Clear, Soft};
    let words = &talk.words;
    let (at, end) = (talk.start, pieces::end(words));
    if lists(talk.request()) {
        return Some((Clear, ReservationAction::List));
    }
    let booking = (at..end).find(|n| is_booking(words.get(*n)));
    if let (Some(booking), Some(from)) = (
        booking,
        words.after(at, &["cancel", "delete", "remove", "forget", "drop"]),
    ) {
        let about = named(words, from, booking, end)?;
        return Some((Clear, ReservationAction::Remove(about)));
    }
    if let Some(action) = parse_question(talk, at, end) {
        return Some((Soft, action));
    }
    parse_booking(talk, at, end)
}

/// "when is my dinner?"
fn parse_question(talk: &Talk<'_>, at: usize, end: usize) -> Option<ReservationAction> {
    let words = &talk.words;
    let from = words.after(
        at,
        &[
            "when is",
            "whens",
            "where is",
            "wheres",
            "show me",
            "show",
            "whats the number of",
            "what is the number of",
            "what time is",
            "whats the address of",
        ],
    )?;
    let kind = (from..end).find(|n| is_booking(words.get(*n)) || is_meal(words.get(*n)))?;
    let about = named(words, from, kind, end).unwrap_or_else(|| words.get(kind).to_owned());
    Some(ReservationAction::Show(about))
}

/// "dinner at Luigi on friday at 8", "I booked a table at Luigi".
fn parse_booking(talk: &Talk<'_>, at: usize, end: usize) -> Option<(Strength, ReservationAction)> {
    use Strength::{Clear, Soft};
    let words = &talk.words;
    if words.is_question() {
        return None;
    }
    let booked = words.after(at, &BOOKED);
    let having = words.after(at, &HAVING);
    let from = booked.or(having).unwrap_or(at);
    let start = words
        .after(from, &["a", "an", "my", "our", "the"])
        .unwrap_or(from);
    let kind = (start..end.min(start + 4))
        .find(|n| is_booking(words.get(*n)) || is_meal(words.get(*n)) || is_stay(words.get(*n)));
    if booked.is_none() {
        let kind = kind?;
        // "dinner was great" is talk.
        let with = words
            .after(kind + 1, &["at", "in", "with", "for"])
            .is_some();
        if !with && !is_booking(words.get(kind)) {
            return None;
        }
    }
    let strength = if booked.is_some() { Clear } else { Soft };
    let evening = (at..end).any(|n| is_evening(words.get(n)));
    let Some(found) = said_time::find(talk, from, end, evening) else {
        let what = pieces::original(words, start, end);
        let is_stated = booked.is_some() && !what.is_empty() && end - start <= WORDS_MAX;
        return is_stated.then_some((strength, ReservationAction::AskTime(what)));
    };
    let mut parts = found.rest(words, start, end).into_iter();
    let what = parts.next()?;
    let details = parts.collect::<Vec<_>>().join(", ");
    Some((
        strength,
        match found.time {
            Ok(time) => ReservationAction::Keep {
                what,
                details,
                time,
            },
            Err(problem) => ReservationAction::UnclearTime(problem),
        },
    ))
}

fn lists(request: &str) -> bool {
    matches!(
        request,
        "reservations"
            | "my reservations"
            | "show my reservations"
            | "list my reservations"
            | "what reservations do i have"
            | "my bookings"
            | "bookings"
            | "show my bookings"
            | "list my bookings"
            | "what bookings do i have"
            | "which bookings do i have"
            | "what did i book"
            | "what have i booked"
            | "my appointments"
            | "show my appointments"
    )
}

fn is_booking(word: &str) -> bool {
    matches!(
        word,
        "reservation" | "booking" | "appointment" | "table" | "haircut" | "massage"
    )
}

fn is_meal(word: &str) -> bool {
    matches!(word, "dinner" | "lunch" | "breakfast" | "brunch" | "drinks")
}

fn is_stay(word: &str) -> bool {
    matches!(word, "hotel" | "hostel" | "room" | "airbnb" | "flat")
}

/// What takes place in the evening, so that "at 8" is 20:00.
fn is_evening(word: &str) -> bool {
    matches!(word, "dinner" | "drinks")
}

/// "reservation at Luigi", "Luigi booking": what it is of.
fn named(words: &Words<'_>, from: usize, kind: usize, end: usize) -> Option<String> {
    let from = words.after(from, &["my", "the", "our"]).unwrap_or(from);
    let after = words.after(kind + 1, &["at the", "at", "for", "in", "with", "of"]);
    let text = match after {
        Some(next) => pieces::original(words, next, end),
        None => pieces::original(words, from, kind),
    };
    (!text.is_empty()).then_some(text)
}

impl ReservationState {
    fn notices(&self, scene: &PowerContext<'_>) -> Vec<Notice> {
        let to_notice = |entry: &Entry| {
            let date = entry.date(scene.today())?;
            let span = match entry.minute {
                Some(_) => {
                    let begins = entry.begins(scene)?;
                    (begins.plus_s(-BEFORE_S), begins)
                }
                None => entries::on_the_day(date, scene)?,
            };
            let text = format!("📌 Coming up: {}", entry.display(scene));
            Some(entry.notice("before", span, text))
        };
        let reported = self.bookings.list.iter().filter(|entry| !entry.is_quiet);
        reported.filter_map(to_notice).collect()
    }

    fn keep(&mut self, draft: EntryDraft, scene: &PowerContext<'_>) -> String {
        self.bookings.drop_old(KEPT_DAYS, scene);
        let id = match self.bookings.replace(POWER, draft, scene) {
            Ok(id) => id,
            Err(reply) => return reply,
        };
        let notices = self.notices(scene);
        self.bookings.skip_past(id, notices, scene);
        let line = self.bookings.get(id).map(|entry| entry.display(scene));
        let before = match self.bookings.get(id).is_some_and(|e| e.minute.is_some()) {
            true => "I remind you two hours before.",
            false => "I remind you in the morning.",
        };
        format!(
            "Noted: {}. {}",
            line.unwrap_or_default(),
            promise(POWER, before, scene)
        )
    }
}

/// A table, a room or an appointment of a mail, with its number and address.
fn mailed(booking: &Booking, scene: &PowerContext<'_>) -> Option<MailedEntry> {
    let is_one = matches!(
        booking.kind,
        FactKind::Restaurant | FactKind::Hotel | FactKind::Appointment
    );
    if !is_one || booking.name().is_empty() {
        return None;
    }
    let details = &booking.details;
    let name = booking.name();
    let minute = booking.begins(scene).and_then(|(_, minute)| minute);
    let what = match (booking.kind, minute) {
        (FactKind::Restaurant, Some(EVENING..)) => format!("dinner at {name}"),
        (FactKind::Restaurant, _) => format!("table at {name}"),
        _ => name,
    };
    Some(MailedEntry {
        is_quiet: super::travel_brain::tells_hotel(booking, scene),
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

    fn take_in(&mut self, scene: &PowerContext<'_>) {
        self.bookings
            .take_in(scene, |booking| mailed(booking, scene));
    }

    fn apply(&mut self, action: ReservationAction, scene: &PowerContext<'_>) -> Option<String> {
        Some(match action {
            ReservationAction::Keep {
                what,
                details,
                time,
            } => {
                let draft = EntryDraft {
                    what,
                    details,
                    time: Some(time),
                    period: None,
                };
                self.keep(draft, scene)
            }
            ReservationAction::List => self.overview(scene),
            ReservationAction::Show(about) => {
                match self
                    .bookings
                    .find(&about, scene)
                    .and_then(|id| self.bookings.get(id))
                {
                    Some(entry) => format!("📌 {}", entry.display(scene)),
                    None if !scene.sure => return None,
                    None => format!("I know of no booking for {about}."),
                }
            }
            ReservationAction::Remove(about) => match self.bookings.find(&about, scene) {
                Some(id) => {
                    let removed = self
                        .bookings
                        .remove(id, scene)
                        .map_or_else(String::new, |e| e.display(scene));
                    format!(
                        "Okay, I forgot this booking: {removed}. I can't cancel it with them; please do that yourself. “undo” brings it back."
                    )
                }
                None => format!("I know of no booking for {about}. {}", self.overview(scene)),
            },
            ReservationAction::AskTime(what) => format!(
                "When is that: {what}? Say it with the day, for example “dinner at Luigi on friday at 20:00”."
            ),
            ReservationAction::UnclearTime(reply) => reply,
        })
    }

    fn overview(&self, scene: &PowerContext<'_>) -> String {
        self.bookings.listed(
            "Your bookings",
            "I know of no bookings. Tell me of one: “dinner at Luigi on friday at 20:00, +1555 0100”.",
            scene,
        )
    }

    fn brief(&self, scene: &PowerContext<'_>) -> Option<String> {
        let today = self.bookings.between(scene.today(), scene.today());
        let lines: Vec<String> = today
            .iter()
            .map(|(_, entry)| entry.display(scene))
            .collect();
        (!lines.is_empty()).then(|| format!("Booked: {}", lines.join("; ")))
    }

    fn between(&self, from: NaiveDate, to: NaiveDate) -> Vec<String> {
        let line = |entry: &Entry, when: &str| format!("{}: {when}", entry.what);
        self.bookings.lines_between((from, to), line)
    }

    fn plans(&self, scene: &PowerContext<'_>) -> Vec<Plan> {
        self.bookings.plans(scene)
    }

    fn alarm(&self, scene: &PowerContext<'_>) -> Option<Timestamp> {
        self.bookings.next_notice(&self.notices(scene), scene)
    }

    fn on_alarm(&mut self, _at: Timestamp, scene: &PowerContext<'_>) -> Option<String> {
        let notices = self.notices(scene);
        self.bookings.tell(notices, scene)
    }
}
