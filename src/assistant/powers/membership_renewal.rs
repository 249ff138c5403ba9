//! Memberships and subscriptions that renew by themselves, as the person or mails told: told a week before, each year or
//! month again. It cancels nothing.

mod operations;

use chrono::{Duration, NaiveDate};
use serde::{Deserialize, Serialize};

use super::entries::{Entries, Entry, EntryDraft, HOUR, MailedEntry, Period, promise};
use super::facts::Booking;
use super::notice::{self, Notice};
use super::said_time::{self, SaidTime};
use super::{Power, PowerContext, Strength, Superpower, pieces};
use crate::assistant::builtin::Talk;
use crate::clock::Timestamp;
use crate::model::mail_item::FactKind;
pub(super) use operations::Arguments;

const POWER: Power = Power::MembershipRenewal;
const BEFORE_DAYS: i64 = 7;
/// Words before "renews".
const NAME_WORDS_MAX: usize = 8;
/// Days after which what comes only once is forgotten. All of them come again.
const SOON_DAYS: i64 = 7;

#[derive(Debug, Clone, PartialEq)]
pub enum RenewalAction {
    Keep {
        what: String,
        details: String,
        time: SaidTime,
        period: Period,
    },
    List,
    Show(String),
    Remove(String),
    /// Why the time can't be used.
    UnclearTime(String),
    /// It renews, and no day was said.
    AskTime(String),
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct RenewalState {
    renewals: Entries,
}

pub(super) fn parse(talk: &Talk<'_>) -> Option<(Strength, RenewalAction)> {
    use Strength::{Clear, Soft};
    let words = &talk.words;
    let (at, end) = (talk.start, pieces::end(words));
    if lists(talk.request()) {
        return Some((Clear, RenewalAction::List));
    }
    if let Some(from) = words.after(at, &["when does", "when will", "when do"]) {
        let verb = (from..end).find(|n| matches!(words.get(*n), "renew" | "expire"))?;
        let about = without_article(talk, from, verb)?;
        return Some((Soft, RenewalAction::Show(about)));
    }
    if let Some(from) = words.after(
        at,
        &["delete", "remove", "forget", "drop", "cancel", "stop"],
    ) && let Some(kind) = (from..end).find(|n| is_kind(words.get(*n)))
    {
        let about = without_article(talk, from, kind)
            .or_else(|| without_article(talk, words.after(kind + 1, &["of", "for"])?, end))?;
        return Some((Clear, RenewalAction::Remove(about)));
    }
    let until = end.min(at + NAME_WORDS_MAX + 2);
    let (verb, next) = (at..until).find_map(|n| Some((n, verb_end(talk, n)?)))?;
    let what = without_article(talk, at, verb)?;
    let Some(found) = said_time::find(talk, next, end, false) else {
        let is_stated = next == end && !words.is_question();
        return is_stated.then_some((Soft, RenewalAction::AskTime(what)));
    };
    let mut rest = found.rest(words, next, end);
    let monthly = |text: &String| {
        matches!(
            text.to_lowercase().as_str(),
            "every month" | "monthly" | "each month"
        )
    };
    let yearly = |text: &String| {
        matches!(
            text.to_lowercase().as_str(),
            "every year" | "yearly" | "each year" | "annually" | "again"
        )
    };
    let period = if rest.iter().any(monthly) {
        Period::Monthly
    } else {
        Period::Yearly
    };
    rest.retain(|text| !monthly(text) && !yearly(text) && text != "on");
    let time = match found.time {
        Ok(time) => time,
        Err(problem) => return Some((Clear, RenewalAction::UnclearTime(problem))),
    };
    Some((
        Clear,
        RenewalAction::Keep {
            what,
            details: rest.join(", "),
            time,
            period,
        },
    ))
}

fn lists(request: &str) -> bool {
    matches!(
        request,
        "renewals"
            | "my renewals"
            | "show my renewals"
            | "list my renewals"
            | "upcoming renewals"
            | "what renews"
            | "what renews soon"
            | "my memberships"
            | "memberships"
            | "show my memberships"
            | "my subscriptions"
            | "show my subscriptions"
            | "list my subscriptions"
    )
}

fn is_kind(word: &str) -> bool {
    matches!(word, "renewal" | "subscription" | "membership")
}

/// The index after "renews", or after "expires" where a membership does.
fn verb_end(talk: &Talk<'_>, at: usize) -> Option<usize> {
    let words = &talk.words;
    let renews = words.after(
        at,
        &[
            "renews",
            "auto-renews",
            "autorenews",
            "will renew",
            "is renewed",
            "gets renewed",
            "will be renewed",
            "is due for renewal",
            "renewal is",
            "is up for renewal",
        ],
    );
    let ends = || {
        let named = (talk.start..at).any(|n| {
            is_kind(words.get(n))
                || matches!(
                    words.get(n),
                    "licence" | "license" | "passport" | "insurance" | "pass"
                )
        });
        words
            .after(
                at,
                &["expires", "runs out", "ends", "is due", "will expire"],
            )
            .filter(|_| named)
    };
    renews.or_else(ends)
}

fn without_article(talk: &Talk<'_>, from: usize, to: usize) -> Option<String> {
    let from = talk
        .words
        .after(from, &["my", "the", "our"])
        .unwrap_or(from);
    let text = pieces::original(&talk.words, from, to);
    let text = text.strip_suffix(" automatically").unwrap_or(&text);
    (!text.is_empty()
        && !matches!(
            text.to_lowercase().as_str(),
            "it" | "this" | "that" | "what"
        ))
    .then(|| text.to_owned())
}

impl RenewalState {
    fn notices(&self, scene: &PowerContext<'_>) -> Vec<Notice> {
        let to_notice = |entry: &Entry| {
            let date = entry.date(scene.today())?;
            let planned = notice::days_before(date, BEFORE_DAYS, HOUR, scene.zone())?;
            let over = pieces::moment(date, 0, scene.zone())?;
            let mut text = format!(
                "🔁 {} renews on {}",
                entry.what,
                pieces::display(date, scene.today())
            );
            if !entry.details.is_empty() {
                text.push_str(&format!(" ({})", entry.details));
            }
            text.push_str(". If you don't want it any more, cancel it with them before then; I can't do that for you.");
            Some(entry.notice("week", (planned, over), text))
        };
        self.renewals.list.iter().filter_map(to_notice).collect()
    }

    fn keep(&mut self, draft: EntryDraft, scene: &PowerContext<'_>) -> String {
        let id = match self.renewals.replace(POWER, draft, scene) {
            Ok(id) => id,
            Err(reply) => return reply,
        };
        let notices = self.notices(scene);
        self.renewals.skip_past(id, notices, scene);
        let Some((entry, date)) = self
            .renewals
            .get(id)
            .and_then(|entry| Some((entry, entry.date(scene.today())?)))
        else {
            return String::new();
        };
        let day = pieces::time_text(date, None, scene.today());
        let often = match entry.period {
            Some(Period::Monthly) => "every month",
            _ => "every year",
        };
        let first = date - Duration::days(BEFORE_DAYS);
        let promised = match first > scene.today() {
            true => format!(
                "I tell you a week before, on {}, and {often} again.",
                pieces::display(first, scene.today())
            ),
            false => format!(
                "That's within a week. I tell you a week before the next one, and {often} again."
            ),
        };
        format!(
            "Noted: {} renews on {day}. {}",
            entry.what,
            promise(POWER, &promised, scene)
        )
    }
}

/// What a mail says will renew, each year again.
fn mailed(booking: &Booking) -> Option<MailedEntry> {
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

    fn take_in(&mut self, scene: &PowerContext<'_>) {
        self.renewals.take_in(scene, mailed);
    }

    fn apply(&mut self, action: RenewalAction, scene: &PowerContext<'_>) -> Option<String> {
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
                    period: Some(period),
                };
                self.keep(draft, scene)
            }
            RenewalAction::List => self.overview(scene),
            RenewalAction::Show(about) => {
                match self
                    .renewals
                    .find(&about, scene)
                    .and_then(|id| self.renewals.get(id))
                {
                    Some(entry) => format!("{}.", entry.display(scene)),
                    None if !scene.sure => return None,
                    None => format!("I know of no renewal of {about}."),
                }
            }
            RenewalAction::Remove(about) => match self.renewals.find(&about, scene) {
                Some(id) => {
                    let removed = self
                        .renewals
                        .remove(id, scene)
                        .map_or_else(String::new, |e| e.what);
                    format!(
                        "Okay, I no longer tell you of the renewal of {removed}. I can't cancel it with them; please do that yourself. “undo” brings it back."
                    )
                }
                None => format!("I know of no renewal of {about}. {}", self.overview(scene)),
            },
            RenewalAction::UnclearTime(reply) => reply,
            RenewalAction::AskTime(what) => format!(
                "On which day does {what} renew? Say it like “{what} renews on 5 December”."
            ),
        })
    }

    fn overview(&self, scene: &PowerContext<'_>) -> String {
        self.renewals.listed(
            "What renews",
            "I know of no renewals. Tell me of one: “netflix renews on 5 December”.",
            scene,
        )
    }

    fn brief(&self, scene: &PowerContext<'_>) -> Option<String> {
        let today = scene.today();
        let soon = self
            .renewals
            .between(today, today + Duration::days(SOON_DAYS));
        let lines: Vec<String> = soon
            .iter()
            .map(|(date, entry)| format!("{} on {}", entry.what, pieces::display(*date, today)))
            .collect();
        (!lines.is_empty()).then(|| format!("Renewals: {}", lines.join(", ")))
    }

    fn between(&self, from: NaiveDate, to: NaiveDate) -> Vec<String> {
        let found = self.renewals.between(from, to);
        let lines = found.iter().map(|(date, entry)| {
            format!("{} renews: {}", entry.what, pieces::display(*date, from))
        });
        lines.collect()
    }

    fn alarm(&self, scene: &PowerContext<'_>) -> Option<Timestamp> {
        let next = self.renewals.next_notice(&self.notices(scene), scene);
        // When all have been told, the next year's are planned once this year's are over.
        next.or_else(|| {
            let dates = self.renewals.list.iter();
            let next = dates.filter_map(|entry| entry.date(scene.today())).min()?;
            pieces::moment(next.succ_opt()?, 0, scene.zone())
        })
    }

    fn on_alarm(&mut self, _at: Timestamp, scene: &PowerContext<'_>) -> Option<String> {
        let notices = self.notices(scene);
        self.renewals.tell(notices, scene)
    }
}
