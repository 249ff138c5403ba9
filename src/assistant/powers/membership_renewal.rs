//! Memberships and subscriptions that renew by themselves, as the person or mails told: told before,
//! each time again. It cancels nothing.

mod operations;
mod read;

use chrono::Duration;
use serde::{Deserialize, Serialize};

use super::day_span::DaySpan;
use super::entries::{Entries, Entry, EntryDraft, HOUR, MailedEntry, Period, ReplacedDays};
use super::facts::Booking;
use super::notice::{self, Notice, promise};
use super::planned_time::PlannedTime;
use super::texts;
use super::{Plan, Power, PowerContext, Superpower, local_time};
use crate::clock::Timestamp;
use crate::model::mail_item::FactKind;
pub(super) use operations::Arguments;
pub(super) use read::parse;

const POWER: Power = Power::MembershipRenewal;
/// Days after which an entry that doesn't recur is removed.
const KEPT_DAYS: i64 = 2;
/// Days of the daily summary.
const SOON_DAYS: i64 = 7;

#[derive(Debug, Clone, PartialEq)]
pub enum RenewalAction {
    Keep {
        what: String,
        details: String,
        time: PlannedTime,
        /// `None`: not given.
        period: Option<Period>,
    },
    /// How often it renews. `None`: as entered before.
    SetPeriod {
        about: Option<String>,
        period: Period,
    },
    /// "spotify is 12.99": what a known one costs.
    SetPrice {
        about: String,
        price: String,
        period: Option<Period>,
    },
    List,
    Show(String),
    Remove(String),
    /// "delete 1": by its number in the list that was shown.
    RemoveNumber(usize),
    /// The assistant is asked to cancel it, which it can't.
    Order {
        about: String,
        /// The message contains "subscription" or the like, so it is about nothing else.
        is_kind: bool,
    },
    /// The person has cancelled it.
    Cancelled(String),
    /// Why the time can't be used.
    UnclearTime(String),
    /// The membership renews, and no day was given.
    AskTime(String),
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct RenewalState {
    renewals: Entries,
}

/// "renews", or of what comes only once "ends".
fn verb(entry: &Entry) -> &'static str {
    match entry.period {
        Some(Period::Once) => "ends",
        _ => "renews",
    }
}

fn removed_text(removed: &Entry) -> String {
    format!(
        "Okay, I no longer tell you of the renewal of {}. I can't cancel it with them; please do that yourself. “undo” brings it back.",
        removed.what
    )
}

/// How many days before the renewal the notice goes out.
fn notice_days(entry: &Entry) -> i64 {
    entry.period.unwrap_or(Period::Yearly).notice_days()
}

/// "a week before", "a day before".
const fn before_text(days: i64) -> &'static str {
    match days {
        1 => "a day before",
        _ => "a week before",
    }
}

fn notice(entry: &Entry, context: &PowerContext) -> Option<Notice> {
    let date = entry.date(context.today())?;
    let planned = notice::days_before(date, notice_days(entry), HOUR, context.zone())?;
    let over = local_time::moment(date, 0, context.zone())?;
    let mut text = format!(
        "🔁 {} {} on {}",
        entry.what,
        verb(entry),
        texts::display(date, context.today())
    );
    if !entry.details.is_empty() {
        text.push_str(&format!(" ({})", entry.details));
    }
    text.push_str(match entry.period {
        Some(Period::Once) => {
            ". If you still need it, renew it before then; I can't do that for you."
        }
        _ => {
            ". If you don't want it any more, cancel it with them before then; I can't do that for you."
        }
    });
    Some(entry.notice("week", (planned, over), text))
}

impl RenewalState {
    fn keep(&mut self, draft: EntryDraft, context: &PowerContext) -> String {
        self.renewals.drop_old(KEPT_DAYS, context);
        let mut draft = draft;
        if draft.period.is_none() {
            // Told again with another day, it comes as often as before.
            let same = |entry: &&Entry| texts::same(&entry.what, &draft.what);
            draft.period = self.renewals.list.iter().find(same).and_then(|e| e.period);
        }
        let is_assumed = draft.period.is_none();
        draft.period = draft.period.or(Some(Period::Yearly));
        let (id, before) = match self
            .renewals
            .replace(POWER, draft, ReplacedDays::All, context)
        {
            Ok(replaced) => replaced,
            Err(reply) => return reply,
        };
        let mut reply = self.announced("Noted", id, &before, context);
        if is_assumed && let Some(reply) = &mut reply {
            reply.push_str(" If it renews more often, say for example “every month”.");
        }
        reply.unwrap_or_default()
    }

    fn announced(
        &mut self,
        title: &str,
        id: u32,
        replaced: &str,
        context: &PowerContext,
    ) -> Option<String> {
        self.renewals.skip_past(id, self.notices(context), context);
        let entry = self.renewals.get(id)?;
        let date = entry.date(context.today())?;
        let day = texts::time_text(date, None, context.today());
        let often = entry.period.and_then(Period::often);
        let days = notice_days(entry);
        let before = before_text(days);
        let first = date - Duration::days(days);
        let is_ahead = first > context.today();
        let soon = match days {
            1 => "That's too soon for a word before it.",
            _ => "That's within a week.",
        };
        let again = often.map(|often| format!(", and {often} again"));
        let promised = match (is_ahead, again) {
            (true, again) => format!(
                "I tell you {before}, on {}{}.",
                texts::display(first, context.today()),
                again.unwrap_or_default()
            ),
            (false, Some(again)) => {
                format!("{soon} I tell you {before} the next one{again}.")
            }
            (false, None) => format!("{soon} So I don't write about it before."),
        };
        let mut reply = format!("{title}: {} {} on {day}", entry.what, verb(entry));
        if !entry.details.is_empty() {
            reply.push_str(&format!(" ({})", entry.details));
        }
        let promised = promise(POWER, &promised, context);
        reply.push_str(&format!(".{replaced} {promised}"));
        Some(reply)
    }

    fn set_period(
        &mut self,
        about: Option<&str>,
        period: Period,
        context: &PowerContext,
    ) -> Option<String> {
        let found = match about {
            Some(about) => self.renewals.find(about, context),
            None => {
                let newest = self.renewals.newest_entered();
                let yearly = newest.filter(|entry| entry.period == Some(Period::Yearly));
                yearly.map(|entry| entry.id)
            }
        };
        let Some(id) = found else {
            let often = period.often().unwrap_or_default();
            return about.map(|about| format!(
                "On which day does {about} renew next? Say it like “{about} renews {often}, next on 5 December”."
            ));
        };
        let id = self.renewals.set_period(id, period, context)?;
        self.announced("Okay", id, "", context)
    }

    /// `None`: no such renewal is known.
    fn set_price(
        &mut self,
        about: &str,
        price: String,
        period: Option<Period>,
        context: &PowerContext,
    ) -> Option<String> {
        let entry = self.renewals.named(about, context)?;
        let draft = EntryDraft {
            what: entry.what.clone(),
            details: price,
            time: Some(PlannedTime {
                day: entry.date(context.today())?,
                minute: entry.minute,
            }),
            period: period.or(entry.period),
            last: None,
        };
        Some(self.keep(draft, context))
    }

    /// Only the person can cancel it: the entry stays.
    fn order_refused(&self, about: &str, is_kind: bool, context: &PowerContext) -> Option<String> {
        Some(match self.renewals.named(about, context) {
            Some(entry) => format!(
                "I can't cancel that with them; please do that yourself. I still know of it: {}. Say “remove the renewal of {}” if I shall not tell you of it any more.",
                entry.display(context),
                entry.what
            ),
            None if !is_kind => return None,
            None => format!(
                "I can't cancel {about} with them; please do that yourself, and nothing is cancelled yet. I can remind you: “remind me in an hour to cancel {about}”."
            ),
        })
    }
}

/// A yearly renewal that a mail announces.
fn entry_of_booking(booking: &Booking) -> Option<MailedEntry> {
    let is_named = booking.kind == FactKind::Renewal && !booking.name().is_empty();
    is_named.then(|| MailedEntry {
        period: Some(Period::Yearly),
        ..MailedEntry::new(
            booking.name(),
            Booking::labelled(&[("", &booking.details.reference)]),
        )
    })
}

impl Superpower for RenewalState {
    type Action = RenewalAction;

    fn add_facts(&mut self, context: &PowerContext) {
        self.renewals.add_mailed(context, entry_of_booking);
    }

    fn apply(&mut self, action: RenewalAction, context: &PowerContext) -> Option<String> {
        Some(match action {
            RenewalAction::Keep {
                what,
                details,
                time,
                period,
            } => {
                let draft = EntryDraft {
                    what,
                    details,
                    time: Some(time),
                    period,
                    last: None,
                };
                self.keep(draft, context)
            }
            RenewalAction::SetPeriod { about, period } => {
                return self.set_period(about.as_deref(), period, context);
            }
            RenewalAction::SetPrice {
                about,
                price,
                period,
            } => return self.set_price(&about, price, period, context),
            RenewalAction::Order { about, is_kind } => {
                return self.order_refused(&about, is_kind, context);
            }
            RenewalAction::Cancelled(about) => match self.renewals.remove_named(&about, context) {
                Ok(removed) => format!(
                    "Okay, I no longer tell you of the renewal of {}. “undo” brings it back.",
                    removed?.what
                ),
                Err(question) => question,
            },
            RenewalAction::List => {
                self.renewals.number(context);
                self.overview(context)
            }
            RenewalAction::Show(about) => match self.renewals.named(&about, context) {
                Some(entry) => format!("{}.", entry.display(context)),
                None if !context.sure => return None,
                None => format!("I know of no renewal of {about}."),
            },
            RenewalAction::RemoveNumber(number) => {
                let id = self.renewals.numbered(number, context)?;
                removed_text(&self.renewals.remove(id, context)?)
            }
            RenewalAction::Remove(about) => match self.renewals.remove_named(&about, context) {
                Ok(Some(removed)) => removed_text(&removed),
                Ok(None) => format!(
                    "I know of no renewal of {about}. {}",
                    self.overview(context)
                ),
                Err(question) => question,
            },
            RenewalAction::UnclearTime(reply) => reply,
            RenewalAction::AskTime(what) => format!(
                "On which day does {what} renew? Say it like “{what} renews on 5 December”."
            ),
        })
    }

    fn overview(&self, context: &PowerContext) -> String {
        self.renewals.listed(
            "What renews",
            "I know of no renewals. Tell me of one: “netflix renews on 5 December”.",
            context,
        )
    }

    fn brief(&self, context: &PowerContext) -> Option<String> {
        let today = context.today();
        let soon = self
            .renewals
            .between(today, today + Duration::days(SOON_DAYS));
        let lines: Vec<String> = soon
            .iter()
            .map(|(date, entry)| format!("{} on {}", entry.what, texts::display(*date, today)))
            .collect();
        (!lines.is_empty()).then(|| format!("Renewals: {}", lines.join(", ")))
    }

    fn entries(&self) -> Option<&Entries> {
        Some(&self.renewals)
    }

    fn entries_mut(&mut self) -> Option<&mut Entries> {
        Some(&mut self.renewals)
    }

    fn between(&self, span: DaySpan) -> Vec<String> {
        let (from, to) = span.days();
        let found = self.renewals.between(from, to);
        let lines = found.iter().map(|(date, entry)| {
            let day = texts::display(*date, from);
            format!("{} {}: {day}", entry.what, verb(entry))
        });
        lines.collect()
    }

    fn occasions(&self, context: &PowerContext) -> Vec<Plan> {
        let day = |entry: &Entry| {
            let what = format!("{} {}", entry.what, verb(entry));
            Some(Plan::on(what, entry.date(context.today())?))
        };
        self.renewals.list.iter().filter_map(day).collect()
    }

    fn alarm(&self, context: &PowerContext) -> Option<Timestamp> {
        let next = self.renewals.next_notice(&self.notices(context), context);
        // When all have been told, the next year's are planned once this year's are over.
        next.or_else(|| {
            let dates = self.renewals.list.iter().filter(|e| e.comes_again());
            let next = dates
                .filter_map(|entry| entry.date(context.today()))
                .min()?;
            local_time::moment(next.succ_opt()?, 0, context.zone())
        })
    }

    fn notices(&self, context: &PowerContext) -> Vec<Notice> {
        let list = self.renewals.list.iter();
        list.filter_map(|entry| notice(entry, context)).collect()
    }
}
