//! Free cancellations and trials that end, as the person or mails told: a warning two days and
//! one day before. It cancels nothing with anybody.

mod operations;
mod read;

use chrono::Duration;
use serde::{Deserialize, Serialize};

use super::day_span::DaySpan;
use super::entries::{Entries, Entry, EntryDraft, HOUR, MailedEntry, ReplacedDays};
use super::facts::Booking;
use super::notice::{self, Notice, promise};
use super::planned_time::PlannedTime;
use super::{Plan, Power, PowerContext, Superpower, local_time};
use crate::model::mail_item::FactKind;
pub(super) use operations::Arguments;
pub(super) use read::parse;

/// The name of a free cancellation.
const FREE: &str = "free cancellation";
const POWER: Power = Power::CancellationProtector;
/// Days before the end on which a warning goes out.
const BEFORE_DAYS: [i64; 2] = [2, 1];
/// Days after the end at which it is forgotten.
const KEPT_DAYS: i64 = 2;
#[derive(Debug, Clone, PartialEq)]
pub enum CancellationAction {
    Keep {
        /// "free cancellation of the hotel", "netflix trial"
        what: String,
        details: String,
        /// The last day on which it is free.
        time: PlannedTime,
    },
    List,
    Show(String),
    /// The trial or booking was cancelled, or the person goes on with it.
    Remove(String),
    /// The assistant is asked to cancel it, which it can't.
    Order(String),
    /// Why the time can't be used.
    UnclearTime(String),
    AskTime(String),
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct CancellationState {
    deadlines: Entries,
}

impl CancellationState {
    fn keep(&mut self, draft: EntryDraft, context: &PowerContext) -> String {
        self.deadlines.drop_old(KEPT_DAYS, context);
        let (id, before) = match self
            .deadlines
            .replace(POWER, draft, ReplacedDays::All, context)
        {
            Ok(replaced) => replaced,
            Err(reply) => return reply,
        };
        self.deadlines.skip_past(id, self.notices(context), context);
        let Some((entry, date)) = self
            .deadlines
            .get(id)
            .and_then(|entry| Some((entry, entry.date(context.today())?)))
        else {
            return String::new();
        };
        let promised = match (date - context.today()).num_days() {
            0 => "That's today: if you don't want it, cancel it with them now.",
            1 => "That's tomorrow: if you don't want it, cancel it with them today.",
            2 => "I warn you tomorrow, one day before.",
            _ => "I warn you two days and one day before.",
        };
        let line = entry.display(context);
        match promised.starts_with('I') {
            true => format!(
                "Noted: {line}.{before} {}",
                promise(POWER, promised, context)
            ),
            false => format!("Noted: {line}.{before} {promised}"),
        }
    }

    /// Only the person can cancel it: the warnings stay.
    fn order_refused(&self, about: &str, context: &PowerContext) -> String {
        let is_open = about == "trial" && self.deadlines.list.len() > 1;
        match self.deadlines.named(about, context) {
            Some(_) if is_open => format!(
                "I can't cancel a trial with them; please do that yourself. I keep the warnings. {}",
                self.overview(context)
            ),
            Some(entry) => format!(
                "I can't cancel that with them; please do that yourself. I keep the warning for {}. Once you have, tell me: “I cancelled {about}”.",
                entry.display(context)
            ),
            None => format!(
                "I can't cancel that with them; please do that yourself, and nothing is cancelled yet. I can remind you: “remind me in an hour to cancel {about}”."
            ),
        }
    }
}

fn warning(entry: &Entry, days: i64, context: &PowerContext) -> Option<Notice> {
    let zone = context.zone();
    let date = entry.date(context.today())?;
    let planned = notice::days_before(date, days, HOUR, zone)?;
    // The next warning takes its place.
    let over = match days {
        1 => match entry.minute {
            Some(_) => entry.begins(context)?,
            None => local_time::moment(date.succ_opt()?, 0, zone)?,
        },
        _ => notice::days_before(date, days - 1, HOUR, zone)?,
    };
    let left = match (date - context.today()).num_days() {
        0 => "today".to_owned(),
        1 => "tomorrow".to_owned(),
        left => format!("in {left} days"),
    };
    let until = entry.when_text(context)?;
    let mut text = format!("⚠️ The {} ends {left}: {until}", entry.what);
    if !entry.details.is_empty() {
        text.push_str(&format!(" ({})", entry.details));
    }
    text.push_str(
        ". If you don't want it, cancel it with them before then; I can't do that for you.",
    );
    Some(entry.notice(&format!("{days}d"), (planned, over), text))
}

/// A trial or a free cancellation of a mail.
fn entry_of_booking(booking: &Booking) -> Option<MailedEntry> {
    let what = match (booking.kind, booking.name()) {
        (FactKind::TrialEnd, name) if name.is_empty() => "trial".to_owned(),
        (FactKind::TrialEnd, name) => format!("{name} trial"),
        (FactKind::FreeCancellation, name) if name.is_empty() => FREE.to_owned(),
        (FactKind::FreeCancellation, name) => format!("{FREE} of {name}"),
        _ => return None,
    };
    let details = &booking.details;
    Some(MailedEntry::new(
        what,
        Booking::labelled(&[("booking ", &details.reference), ("", &details.cancel_url)]),
    ))
}

impl Superpower for CancellationState {
    type Action = CancellationAction;

    fn add_facts(&mut self, context: &PowerContext) {
        self.deadlines.add_mailed(context, entry_of_booking);
    }

    fn apply(&mut self, action: CancellationAction, context: &PowerContext) -> Option<String> {
        Some(match action {
            CancellationAction::Keep {
                what,
                details,
                time,
            } => {
                let draft = EntryDraft {
                    what,
                    details,
                    time: Some(time),
                    period: None,
                    last: None,
                };
                self.keep(draft, context)
            }
            CancellationAction::List => self.overview(context),
            CancellationAction::Show(about) => {
                format!(
                    "{}.",
                    self.deadlines.named(&about, context)?.display(context)
                )
            }
            CancellationAction::Remove(about) => match self.deadlines.remove_named(&about, context)
            {
                Ok(Some(removed)) => format!(
                    "Okay, I no longer warn you of this: {}. “undo” brings it back.",
                    removed.what
                ),
                Ok(None) if !context.sure => return None,
                Ok(None) => format!("I know of no such date. {}", self.overview(context)),
                Err(question) => question,
            },
            CancellationAction::Order(about) => self.order_refused(&about, context),
            CancellationAction::UnclearTime(reply) => reply,
            CancellationAction::AskTime(what) => format!(
                "Until when is that: {what}? Say it with the day, for example “my netflix trial ends on 5 December”."
            ),
        })
    }

    fn overview(&self, context: &PowerContext) -> String {
        self.deadlines.listed(
            "What you can still cancel",
            "I know of no trials or free cancellations. Tell me of one: “my netflix trial ends on 5 December”.",
            context,
        )
    }

    fn brief(&self, context: &PowerContext) -> Option<String> {
        let today = context.today();
        let soon = (today, today + Duration::days(BEFORE_DAYS[0]));
        self.deadlines.brief("Cancel by", soon, context)
    }

    fn entries(&self) -> Option<&Entries> {
        Some(&self.deadlines)
    }

    fn entries_mut(&mut self) -> Option<&mut Entries> {
        Some(&mut self.deadlines)
    }

    fn between(&self, span: DaySpan) -> Vec<String> {
        let line = |entry: &Entry, when: &str| format!("{} ends: {when}", entry.what);
        self.deadlines.lines_between(span, line)
    }

    fn occasions(&self, context: &PowerContext) -> Vec<Plan> {
        let day = |entry: &Entry| {
            let what = format!("{} ends", entry.what);
            Some(Plan::on(what, entry.date(context.today())?))
        };
        self.deadlines.list.iter().filter_map(day).collect()
    }

    fn notices(&self, context: &PowerContext) -> Vec<Notice> {
        let mut notices = Vec::new();
        for entry in &self.deadlines.list {
            for days in BEFORE_DAYS {
                notices.extend(warning(entry, days, context));
            }
        }
        notices
    }
}
