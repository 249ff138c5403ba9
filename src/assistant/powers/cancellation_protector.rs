//! Free cancellations and trials that end, as the person or mails told: a warning two days and one day before. It cancels
//! nothing with anybody.

mod operations;

use chrono::{Duration, NaiveDate};
use serde::{Deserialize, Serialize};

use super::entries::{Entries, Entry, EntryDraft, HOUR, MailedEntry, promise};
use super::facts::Booking;
use super::notice::{self, Notice};
use super::said_time::{self, SaidTime};
use super::{Power, PowerContext, Strength, Superpower, pieces};
use crate::assistant::builtin::Talk;
use crate::clock::Timestamp;
use crate::model::mail_item::FactKind;
pub(super) use operations::Arguments;

const POWER: Power = Power::CancellationProtector;
/// Days before the end on which it is told.
const BEFORE_DAYS: [i64; 2] = [2, 1];
/// Days after the end at which it is forgotten.
const KEPT_DAYS: i64 = 2;
/// Words before "trial ends".
const NAME_WORDS_MAX: usize = 12;

#[derive(Debug, Clone, PartialEq)]
pub enum CancellationAction {
    Keep {
        /// "free cancellation of the hotel", "netflix trial"
        what: String,
        details: String,
        /// The last day on which it is free.
        time: SaidTime,
    },
    List,
    /// It was cancelled, or the person keeps it.
    Remove(String),
    /// Why the time can't be used.
    UnclearTime(String),
    AskTime(String),
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct CancellationState {
    deadlines: Entries,
}

pub(super) fn parse(talk: &Talk<'_>) -> Option<(Strength, CancellationAction)> {
    use Strength::{Clear, InSession, Soft};
    let words = &talk.words;
    let (at, end) = (talk.start, pieces::end(words));
    if lists(talk.request()) {
        return Some((Clear, CancellationAction::List));
    }
    if let Some(from) = words.after(
        at,
        &[
            "i cancelled",
            "i canceled",
            "ive cancelled",
            "ive canceled",
            "i have cancelled",
            "i have canceled",
            "im keeping",
            "i keep",
        ],
    ) {
        let about = bare(talk, from, end)?;
        return Some((Soft, CancellationAction::Remove(about)));
    }
    if let Some(from) = words.after(at, &["delete", "remove", "forget", "drop", "cancel"])
        && let Some(kind) = (from..end).find(|n| is_kind(words.get(*n)))
    {
        let about = bare(talk, from, kind)
            .or_else(|| bare(talk, words.after(kind + 1, &["of", "for"])?, end))?;
        return Some((InSession, CancellationAction::Remove(about)));
    }
    if words.is_question() {
        return None;
    }
    let (what, next) = deadline(talk, at, end)?;
    let Some(found) = said_time::find(talk, next, end, false) else {
        return (next == end).then_some((Soft, CancellationAction::AskTime(what)));
    };
    let mut rest = found.rest(words, next, end);
    let mut what = what;
    // "free cancellation until 12 dec for the hotel"
    if what == FREE
        && let Some(first) = rest.first().cloned()
        && let Some(named) = ["for the ", "for my ", "for ", "of the ", "of my ", "of "]
            .iter()
            .find_map(|link| first.strip_prefix(link))
    {
        what = format!("{FREE} of {named}");
        rest.remove(0);
    }
    Some((
        Clear,
        match found.time {
            Ok(time) => CancellationAction::Keep {
                what,
                details: rest.join(", "),
                time,
            },
            Err(problem) => CancellationAction::UnclearTime(problem),
        },
    ))
}

const FREE: &str = "free cancellation";

/// What can be cancelled until when: its name, and the index at which the time begins.
fn deadline(talk: &Talk<'_>, at: usize, end: usize) -> Option<(String, usize)> {
    let words = &talk.words;
    let until = end.min(at + NAME_WORDS_MAX);
    for n in at..until {
        if let Some(next) = words.after(
            n,
            &[
                "free cancellation",
                "free cancelation",
                "can be cancelled for free",
                "can be canceled for free",
                "cancellation is free",
                "is free to cancel",
                "can be cancelled free of charge",
            ],
        ) {
            let next = words.after(next, &["until", "till", "up to", "by", "before"]);
            let before = bare(talk, at, n).map(|name| {
                let name = name.strip_suffix(" has").unwrap_or(&name);
                format!("{FREE} of {name}")
            });
            return Some((before.unwrap_or_else(|| FREE.to_owned()), next?));
        }
        if words.get(n) == "trial"
            && let Some(next) = words.after(
                n + 1,
                &[
                    "ends",
                    "expires",
                    "is over",
                    "runs out",
                    "will end",
                    "runs until",
                    "period ends",
                    "lasts until",
                    "of",
                    "for",
                    "with",
                ],
            )
        {
            if !matches!(words.get(next - 1), "of" | "for" | "with") {
                let name = bare(talk, at, n);
                let name =
                    name.filter(|name| !matches!(name.to_lowercase().as_str(), "free" | "my free"));
                let name = name.map_or_else(
                    || "trial".to_owned(),
                    |name| format!("{} trial", name.strip_suffix(" free").unwrap_or(&name)),
                );
                return Some((name, next));
            }
            let verb = (next..end.min(next + NAME_WORDS_MAX)).find_map(|m| {
                let after =
                    words.after(m, &["ends", "expires", "is over", "runs out", "runs until"]);
                Some((m, after?))
            });
            let (to, after) = verb?;
            return Some((format!("{} trial", bare(talk, next, to)?), after));
        }
    }
    let from = words.after(at, &["i can cancel", "we can cancel", "i can still cancel"])?;
    let to = (from..end).find(|n| matches!(words.get(*n), "until" | "till" | "before" | "by"))?;
    let name = bare(talk, from, to)?;
    let name = name.strip_suffix(" for free").unwrap_or(&name);
    Some((format!("{FREE} of {name}"), to + 1))
}

fn bare(talk: &Talk<'_>, from: usize, to: usize) -> Option<String> {
    let from = talk
        .words
        .after(from, &["my", "the", "our", "this"])
        .unwrap_or(from);
    let text = pieces::original(&talk.words, from, to);
    (!text.is_empty()).then_some(text)
}

fn is_kind(word: &str) -> bool {
    matches!(word, "trial" | "cancellation" | "deadline")
}

fn lists(request: &str) -> bool {
    matches!(
        request,
        "trials"
            | "my trials"
            | "show my trials"
            | "list my trials"
            | "free cancellations"
            | "my free cancellations"
            | "what can i still cancel"
            | "what can i cancel"
            | "which trials end"
            | "when does my trial end"
            | "when do my trials end"
            | "show my free cancellations"
    )
}

impl CancellationState {
    fn notices(&self, scene: &PowerContext<'_>) -> Vec<Notice> {
        let mut notices = Vec::new();
        for entry in &self.deadlines.list {
            for days in BEFORE_DAYS {
                notices.extend(warning(entry, days, scene));
            }
        }
        notices
    }

    fn keep(&mut self, draft: EntryDraft, scene: &PowerContext<'_>) -> String {
        self.deadlines.drop_old(KEPT_DAYS, scene);
        let id = match self.deadlines.replace(POWER, draft, scene) {
            Ok(id) => id,
            Err(reply) => return reply,
        };
        let notices = self.notices(scene);
        self.deadlines.skip_past(id, notices, scene);
        let Some((entry, date)) = self
            .deadlines
            .get(id)
            .and_then(|entry| Some((entry, entry.date(scene.today())?)))
        else {
            return String::new();
        };
        let promised = match (date - scene.today()).num_days() {
            0 => "That's today: if you don't want it, cancel it with them now.",
            1 => "That's tomorrow: if you don't want it, cancel it with them today.",
            2 => "I warn you tomorrow, one day before.",
            _ => "I warn you two days and one day before.",
        };
        let line = entry.display(scene);
        match promised.starts_with('I') {
            true => format!("Noted: {line}. {}", promise(POWER, promised, scene)),
            false => format!("Noted: {line}. {promised}"),
        }
    }
}

fn warning(entry: &Entry, days: i64, scene: &PowerContext<'_>) -> Option<Notice> {
    let zone = scene.zone();
    let date = entry.date(scene.today())?;
    let planned = notice::days_before(date, days, HOUR, zone)?;
    // The next warning takes its place.
    let over = match days {
        1 => match entry.minute {
            Some(minute) => pieces::moment(date, minute, zone)?,
            None => pieces::moment(date.succ_opt()?, 0, zone)?,
        },
        _ => notice::days_before(date, days - 1, HOUR, zone)?,
    };
    let left = match (date - scene.today()).num_days() {
        0 => "today".to_owned(),
        1 => "tomorrow".to_owned(),
        left => format!("in {left} days"),
    };
    let until = pieces::time_text(date, entry.minute, scene.today());
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
fn mailed(booking: &Booking) -> Option<MailedEntry> {
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

    fn take_in(&mut self, scene: &PowerContext<'_>) {
        self.deadlines.take_in(scene, mailed);
    }

    fn apply(&mut self, action: CancellationAction, scene: &PowerContext<'_>) -> Option<String> {
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
                };
                self.keep(draft, scene)
            }
            CancellationAction::List => self.overview(scene),
            CancellationAction::Remove(about) => match self.deadlines.find(&about, scene) {
                Some(id) => {
                    let removed = self
                        .deadlines
                        .remove(id, scene)
                        .map_or_else(String::new, |e| e.what);
                    format!("Okay, I no longer warn you of this: {removed}. “undo” brings it back.")
                }
                None if !scene.sure => return None,
                None => format!("I know of no such date. {}", self.overview(scene)),
            },
            CancellationAction::UnclearTime(reply) => reply,
            CancellationAction::AskTime(what) => format!(
                "Until when is that: {what}? Say it with the day, for example “my netflix trial ends on 5 December”."
            ),
        })
    }

    fn overview(&self, scene: &PowerContext<'_>) -> String {
        self.deadlines.listed(
            "What you can still cancel",
            "I know of no trials or free cancellations. Tell me of one: “my netflix trial ends on 5 December”.",
            scene,
        )
    }

    fn brief(&self, scene: &PowerContext<'_>) -> Option<String> {
        let today = scene.today();
        let soon = self
            .deadlines
            .between(today, today + Duration::days(BEFORE_DAYS[0]));
        let lines: Vec<String> = soon.iter().map(|(_, entry)| entry.display(scene)).collect();
        (!lines.is_empty()).then(|| format!("Cancel by: {}", lines.join("; ")))
    }

    fn between(&self, from: NaiveDate, to: NaiveDate) -> Vec<String> {
        let line = |entry: &Entry, when: &str| format!("{} ends: {when}", entry.what);
        self.deadlines.lines_between((from, to), line)
    }

    fn alarm(&self, scene: &PowerContext<'_>) -> Option<Timestamp> {
        self.deadlines.next_notice(&self.notices(scene), scene)
    }

    fn on_alarm(&mut self, _at: Timestamp, scene: &PowerContext<'_>) -> Option<String> {
        let notices = self.notices(scene);
        self.deadlines.tell(notices, scene)
    }
}
