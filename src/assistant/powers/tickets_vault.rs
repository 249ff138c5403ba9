//! Tickets that a person entered, and tickets in mails: shown on request, and two hours before. A
//! photo of one stays in the chat; stored are the time it was sent and the text with it.

mod operations;
mod read;

use serde::{Deserialize, Serialize};

use super::day_span::DaySpan;
use super::entries::{self, Entries, Entry, EntryDraft, MailedEntry};
use super::facts::Booking;
use super::notice::{Notice, promise};
use super::planned_time::PlannedTime;
use super::{LackingPart, Plan, Power, PowerContext, Superpower, events};
use super::{local_time, texts};
use crate::assistant::text::words::Words;
use crate::model::mail_item::FactKind;
pub(super) use operations::Arguments;
pub(super) use read::parse;

const POWER: Power = Power::TicketsVault;
/// A ticket is shown so long before.
const BEFORE_S: i64 = 2 * 3_600;
/// Days after which it is thrown away.
const KEPT_DAYS: i64 = 2;

#[derive(Debug, Clone, PartialEq)]
pub enum TicketAction {
    Keep {
        /// The ticket as it was typed; "": only a photo.
        text: String,
        time: Option<PlannedTime>,
        has_photo: bool,
    },
    /// The day of the ticket that has none.
    SetTime {
        time: PlannedTime,
        /// The same for something of the evening.
        in_the_evening: PlannedTime,
        /// What follows it: "row 3".
        details: String,
    },
    /// `None`: all of them.
    Show(Option<String>),
    /// The soonest one whose text has one of these words: its seat, its gate.
    Detail(&'static [&'static str]),
    Remove(String),
    /// "delete 1": by its number in the list that was shown.
    RemoveNumber(usize),
    /// Why the time can't be used.
    UnclearTime(String),
}

impl TicketAction {
    /// What the reply asks for.
    pub(super) fn lacks(&self) -> Option<LackingPart> {
        match self {
            Self::Keep {
                text,
                has_photo: false,
                ..
            } if text.is_empty() => Some(LackingPart::between(
                "keep this ticket: ".to_owned(),
                String::new(),
            )),
            Self::Keep { time: None, .. } => {
                Some(LackingPart::time_after("my ticket is on ".to_owned()))
            }
            _ => None,
        }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct TicketState {
    tickets: Entries,
}

impl TicketState {
    fn keep(&mut self, draft: EntryDraft, context: &PowerContext) -> String {
        self.tickets.drop_old(KEPT_DAYS, context);
        let id = match self.tickets.add(POWER, draft) {
            Ok(id) => id,
            Err(reply) => return reply,
        };
        let is_late = self.tickets.skip_past(id, self.notices(context), context);
        let Some(entry) = self.tickets.get(id) else {
            return String::new();
        };
        match entry.when_text(context) {
            Some(when) => format!(
                "Kept: “{}”, for {when}. {}",
                entry.what,
                promised(is_late, context)
            ),
            None => format!(
                "Kept: “{}”. When is it? Say “it's on friday at 20:00”, and I show it before.",
                entry.what
            ),
        }
    }
}

impl TicketState {
    /// The second time is that of a ticket for the evening.
    fn set_time(
        &mut self,
        (time, in_the_evening): (PlannedTime, PlannedTime),
        details: &str,
        context: &PowerContext,
    ) -> Option<String> {
        let undated = self.tickets.without_day();
        let named = undated.and_then(|id| self.tickets.get(id));
        let name = named.map_or_else(String::new, |entry| entry.what.to_lowercase());
        let words = Words::new(&name);
        let time = match read::is_in_the_evening(&words, 0..words.len()) {
            true => in_the_evening,
            false => time,
        };
        let dated = undated.and_then(|id| self.tickets.set_time(id, time, context));
        let Some(id) = dated else {
            let reply = "Each of your tickets has a day already.";
            return context.sure.then(|| reply.to_owned());
        };
        if let Some(entry) = self.tickets.list.iter_mut().find(|entry| entry.id == id)
            && !details.is_empty()
        {
            entry.what = format!("{}, {details}", entry.what);
        }
        let is_late = self.tickets.skip_past(id, self.notices(context), context);
        let what = &self.tickets.get(id)?.what;
        let when = texts::time_text(time.day, time.minute, context.today());
        let promised = promised(is_late, context);
        Some(format!("Okay, “{what}” is for {when}. {promised}"))
    }
}

/// `is_late`: the time at which it would be shown has passed.
fn promised(is_late: bool, context: &PowerContext) -> String {
    match is_late {
        true => "That's so soon that I show it only when you say “my tickets”.".to_owned(),
        false => promise(
            POWER,
            "I show it two hours before, or in the morning where there is no time, and whenever you say “my tickets”.",
            context,
        ),
    }
}

fn thrown_away(removed: &Entry) -> String {
    format!(
        "Okay, I threw away the ticket “{}”. “undo” brings it back.",
        removed.what
    )
}

impl Superpower for TicketState {
    type Action = TicketAction;

    fn add_facts(&mut self, context: &PowerContext) {
        self.tickets.add_mailed(context, entry_of_booking);
    }

    fn apply(&mut self, action: TicketAction, context: &PowerContext) -> Option<String> {
        Some(match action {
            TicketAction::Keep {
                text,
                time,
                has_photo,
            } => {
                let what = match (text.as_str(), has_photo) {
                    ("", false) => {
                        return Some(
                            "What does it say? For example “keep this ticket: Coldplay, friday 20:00, row 5 seat 12”."
                                .to_owned(),
                        );
                    }
                    ("", true) => photo_named("ticket", context),
                    (text, true) => photo_named(text, context),
                    (text, false) => text.to_owned(),
                };
                let draft = EntryDraft {
                    what,
                    time,
                    ..EntryDraft::default()
                };
                self.keep(draft, context)
            }
            TicketAction::SetTime {
                time,
                in_the_evening,
                details,
            } => return self.set_time((time, in_the_evening), &details, context),
            TicketAction::Detail(words) => {
                let entry = self.tickets.with_word(words, context)?;
                format!("🎟️ {}", entry.display(context))
            }
            TicketAction::Show(None) => {
                self.tickets.number(context);
                self.overview(context)
            }
            TicketAction::Show(Some(about)) => match self.tickets.named(&about, context) {
                Some(entry) => format!("🎟️ {}", entry.display(context)),
                None if !context.sure => return None,
                None => format!("I keep no ticket for {about}. {}", self.overview(context)),
            },
            TicketAction::RemoveNumber(number) => {
                let id = self.tickets.numbered(number, context)?;
                thrown_away(&self.tickets.remove(id, context)?)
            }
            // "delete the ticket", where there is one.
            TicketAction::Remove(about) if about.is_empty() && self.tickets.list.len() == 1 => {
                let id = self.tickets.list.first()?.id;
                thrown_away(&self.tickets.remove(id, context)?)
            }
            TicketAction::Remove(about) => match self.tickets.remove_named(&about, context) {
                Ok(Some(removed)) => thrown_away(&removed),
                Ok(None) => format!("I don't find that ticket. {}", self.overview(context)),
                Err(question) => question,
            },
            TicketAction::UnclearTime(reply) => reply,
        })
    }

    fn overview(&self, context: &PowerContext) -> String {
        self.tickets.listed(
            "Your tickets",
            "I keep no tickets. Send me one: “keep this ticket: Coldplay, friday 20:00, row 5 seat 12”.",
            context,
        )
    }

    fn brief(&self, context: &PowerContext) -> Option<String> {
        let today = self.tickets.between(context.today(), context.today());
        let names: Vec<&str> = today.iter().map(|(_, entry)| entry.what.as_str()).collect();
        (!names.is_empty()).then(|| format!("Tickets: {}", names.join("; ")))
    }

    fn entries(&self) -> Option<&Entries> {
        Some(&self.tickets)
    }

    fn entries_mut(&mut self) -> Option<&mut Entries> {
        Some(&mut self.tickets)
    }

    fn between(&self, span: DaySpan) -> Vec<String> {
        let line = |entry: &Entry, when: &str| format!("Ticket for {when}: {}", entry.what);
        self.tickets.lines_between(span, line)
    }

    fn plans(&self, context: &PowerContext) -> Vec<Plan> {
        self.tickets.plans(context)
    }

    fn notices(&self, context: &PowerContext) -> Vec<Notice> {
        let to_notice = |entry: &Entry| {
            let date = entry.date(context.today())?;
            let (span, when) = match entry.minute {
                Some(minute) => {
                    let begins = entry.begins(context)?;
                    let planned = begins.plus_s(-BEFORE_S);
                    let clock = texts::clock_text(minute);
                    let local = if entry.ahead_s == 0 {
                        ""
                    } else {
                        texts::LOCAL_TIME
                    };
                    ((planned, begins), format!(" at {clock}{local}"))
                }
                None => (entries::on_the_day(date, context)?, String::new()),
            };
            let day = match date == context.today() {
                true => "today".to_owned(),
                false => texts::display(date, context.today()),
            };
            let mut text = format!("🎟️ Your ticket for {day}{when}: {}", entry.what);
            if !entry.details.is_empty() {
                text.push_str(", ");
                text.push_str(&entry.details);
            }
            Some(entry.notice("before", span, text))
        };
        self.tickets.list.iter().filter_map(to_notice).collect()
    }
}

/// A ticket of a mail, with what a person needs at the door.
fn entry_of_booking(booking: &Booking) -> Option<MailedEntry> {
    if booking.kind != FactKind::Event {
        return None;
    }
    let details = &booking.details;
    let place = match details.place.address.as_str() {
        "" => &details.place.name,
        address => address,
    };
    Some(MailedEntry::new(
        booking.name(),
        Booking::labelled(&[
            ("", &details.seat),
            ("ticket ", &details.ticket_number),
            ("booking ", &details.reference),
            ("", place),
            ("in the mail ", &quoted(&booking.subject)),
        ]),
    ))
}

fn quoted(subject: &str) -> String {
    match events::one_line(subject) {
        subject if subject.is_empty() => subject,
        subject => format!("“{subject}”"),
    }
}

/// The photo is in the chat, where the person finds it.
fn photo_named(text: &str, context: &PowerContext) -> String {
    let zone = context.zone();
    let today = context.today();
    let sent = texts::time_text(
        today,
        Some(local_time::minute_of_day(context.now, zone)),
        today,
    );
    format!("{text} (the photo that you sent here on {sent})")
}
