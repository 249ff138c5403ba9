//! Asks afterwards how something went that mattered: an interview, a doctor, an exam. The
//! answer is kept as a memory by whoever delivers the question. It asks once for each.

mod answer;
mod changes;
mod moved_part;
mod operations;
mod removal;

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use super::after_time::WordsAfterTime;
use super::day_span::DaySpan;
use super::entries::{self, Entries, Entry, EntryDraft, EntryMention, HOUR};
use super::entry_ref::EntryRef;
use super::notice::{self, Notice, promise};
use super::planned_time::{self, PlannedTime};
use super::{Plan, Power, PowerContext, PowerEffect, RequestChoice, RequestStrength, Superpower};
use super::{local_time, parsers, statement, texts};
use crate::assistant::builtin::{ParsedMessage, TimeChange};
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::words::stable_hash;
use crate::clock::Timestamp;
pub use answer::{CheckinAnswer, checkin_answer, names_next_one, tells_how_it_was};
pub(super) use operations::Arguments;

const POWER: Power = Power::PostEventCheckin;
/// The question is asked so long after something began.
const AFTER_S: i64 = 2 * 3_600;
/// Days after which it is forgotten.
const KEPT_DAYS: i64 = 3;
/// Words of what it is called.
const NAME_WORDS_MAX: usize = 6;
/// Beginnings of messages that mention a coming event.
static HAVING: Phrases = Phrases::new(&[
    "i have", "ive got", "i got", "ive", "ill have", "i will have", "i am having", "im having",
    "wish me luck for", "wish me luck",
]);

static NOT_TO_ASK: Phrases = Phrases::new(&[
    "dont ask me about", "dont ask about", "dont ask me how", "dont ask how",
    "do not ask me about", "do not ask me how",
]);

#[derive(Debug, Clone, PartialEq)]
pub enum CheckinAction {
    Keep {
        what: String,
        time: PlannedTime,
        /// Where only its day or its hour is said.
        part: Option<TimeChange>,
        mention: EntryMention,
        after: WordsAfterTime,
    },
    /// Moves an event; parts of the time that are not said stay. `time`: when a day was said.
    Move {
        which: EventRef,
        to: TimeChange,
        time: Option<PlannedTime>,
        /// The words of the new time: "to friday at 8".
        said: String,
    },
    /// A request, of something that is noted.
    MoveKnown {
        which: EventRef,
        to: TimeChange,
        said: String,
    },
    Cancelled(EventRef),
    /// The event comes later, and no day was said.
    Postponed(String),
    List,
    Remove {
        about: String,
        /// The day, where it is named.
        on: Option<NaiveDate>,
    },
    /// Something whose day is not understood: the words to which it is added, and the reply.
    AskDay {
        before: String,
        /// The time of day that was said: " at 3".
        clock: String,
        reply: String,
    },
    /// "make it an hour later": the one that was told last.
    MoveNewest(TimeChange),
    /// Why the time can't be used.
    UnclearTime(String),
}

/// An event that was noted, by its name or its number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventRef {
    entry: EntryRef,
    /// The event's number in the list, instead of a name.
    number: Option<usize>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct CheckinState {
    events: Entries,
    /// The choices of the question which of several is meant.
    #[serde(skip)]
    choices: Vec<RequestChoice>,
    /// The events that were asked about last, as they stand before the answer in a memory. They may
    /// be of a calendar, and are not kept.
    #[serde(skip)]
    asked: Vec<String>,
}

struct Question {
    notice: Notice,
    about: String,
}

pub(super) fn parse(message: &ParsedMessage) -> Option<(RequestStrength, CheckinAction)> {
    use RequestStrength::{Clear, Soft};
    let words = &message.words;
    let (at, end) = (statement::start(message), parsers::end(words));
    if lists(message.request()) {
        return Some((Clear, CheckinAction::List));
    }
    if let Some(from) = words.after(at, &NOT_TO_ASK) {
        let from = words.skip_article(from);
        let about = parsers::original(words, from, end);
        return (!about.is_empty()).then_some((Clear, CheckinAction::Remove { about, on: None }));
    }
    if words.is_question() {
        return None;
    }
    if let Some(action) = changes::parse(message, at, end) {
        return Some((Soft, action));
    }
    let have = words.after(at, &HAVING);
    let from = match have {
        Some(from) => words.skip(from, phrases!["a", "an", "my", "the", "another"]),
        None => words.after(at, phrases!["my", "the"])?,
    };
    let named = (from..end.min(from + NAME_WORDS_MAX)).find(|n| is_of_weight(words.get(*n)))?;
    // "I have no interview tomorrow", "the date is 5 may", "my date of birth"
    let is_date = words.get(named) == "date" && words.get(at) == "the";
    let is_other = is_date || matches!(words.get(named + 1), "of" | "results" | "result");
    if is_other || (from..end).any(|n| is_negated(words.get(n))) {
        return None;
    }
    let found = planned_time::find(message, from, end, is_in_the_evening(words.get(named)))?;
    let (first, last) = found.range();
    if first <= named {
        return None;
    }
    let to = (named..first)
        .find(|n| matches!(words.get(*n), "is" | "will" | "on" | "starts" | "begins"))
        .unwrap_or(first);
    let what = parsers::original(words, from, to);
    let is_moved = at > message.start || words.get(end - 1) == "instead";
    if is_moved && let Some(action) = moved_part::moved_part(message, &what, (first, last)) {
        return Some((Soft, action));
    }
    let clock = found.clock_text(words);
    let clock = clock.map_or_else(String::new, |clock| format!(" {clock}"));
    Some((
        Soft,
        match found.time {
            Ok(time) => CheckinAction::Keep {
                what,
                time,
                part: found.part,
                // "actually I have an exam on friday", "… on friday instead"
                mention: match have {
                    _ if is_moved => EntryMention::Moved,
                    Some(_) => EntryMention::New,
                    // "my exam is on friday"
                    None => EntryMention::Known,
                },
                after: WordsAfterTime::read(&parsers::original(words, last, end)),
            },
            Err(reply) => CheckinAction::AskDay {
                before: format!("i have my {what} "),
                clock,
                reply,
            },
        },
    ))
}

fn lists(request: &str) -> bool {
    matches!(
        request,
        "check-ins" | "checkins" | "my check-ins" | "my checkins" | "what will you ask me about"
    )
}

/// Whether an event is important enough to be asked about afterwards.
fn is_of_weight(word: &str) -> bool {
    [
        "interview", "exam", "exams", "presentation", "pitch", "audition", "doctor", "doctors",
        "dentist", "surgery", "operation", "checkup", "date", "talk", "test", "viva", "defence",
        "defense", "recital", "marathon", "race", "hearing", "wedding",
    ]
    .contains(&word)
}

fn is_negated(word: &str) -> bool {
    [
        "no", "not", "never", "longer", "without", "isnt", "wont", "cancelled", "canceled",
        "postponed", "off", "was", "had", "has",
    ]
    .contains(&word)
}

fn is_in_the_evening(word: &str) -> bool {
    matches!(word, "date" | "recital")
}

/// Whether a plan is important, by its name.
fn matters(what: &str) -> bool {
    what.to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .any(|word| is_of_weight(word) || word == "dinner")
        || what.to_lowercase().contains("first meeting")
}

impl CheckinState {
    fn keep(
        &mut self,
        (what, time): (String, PlannedTime),
        said: (Option<&TimeChange>, EntryMention),
        after: WordsAfterTime,
        context: &PowerContext,
    ) -> String {
        self.events.drop_old(KEPT_DAYS, context);
        let draft = EntryDraft {
            what: what.clone(),
            details: after.details.clone(),
            time: Some(time),
            ..EntryDraft::default()
        };
        let found = self.called(&EventRef::of(EntryRef::of_name(what)), context);
        let (draft, mention) = entries::with_known_part(draft, said, &found, context);
        let (what, time) = (draft.what.clone(), draft.time.unwrap_or(time));
        let events = &self.events;
        let Some(days) = events.replaced_days(&what, time.day, mention, context) else {
            let to = time.typed_part(said.0);
            let which = EventRef::of(EntryRef::of_name(what));
            return self.ask_which(&which, |n| format!("move check-in {n} to {to}"), context);
        };
        match self.events.replace(POWER, draft, days, context) {
            Ok((id, before)) => {
                let also = self.events.also(id, context);
                let also = format!("{before}{also}");
                after.with_left(self.noted((&what, &after.details), time, &also, context))
            }
            Err(reply) => reply,
        }
    }

    fn noted(
        &self,
        (what, details): (&str, &str),
        time: PlannedTime,
        before: &str,
        context: &PowerContext,
    ) -> String {
        let when = texts::time_text(time.day, time.minute, context.today());
        let asked_at = question_span(time.day, time.minute, what, context).map(|(at, _)| {
            let day = local_time::date(at, context.zone());
            let minute = local_time::minute_of_day(at, context.zone());
            texts::time_text(day, Some(minute), context.today())
        });
        let promised = format!("I ask how it was on {}.", asked_at.unwrap_or_default());
        let promised = promise(POWER, &promised, context);
        let details = match details {
            "" => String::new(),
            details => format!(", {details}"),
        };
        format!("Noted: {what}, {when}{details}.{before} {promised}")
    }

    /// The events that were not asked about yet.
    fn to_ask(&self, context: &PowerContext) -> Entries {
        let is_over = |entry: &Entry| {
            let date = entry.date(context.today());
            let span =
                date.and_then(|date| question_span(date, entry.minute, &entry.what, context));
            span.is_some_and(|(from, _)| from <= context.now)
        };
        let mut events = self.events.clone();
        events.list.retain(|entry| !is_over(entry));
        events
    }

    fn questions(&self, context: &PowerContext) -> Vec<Question> {
        let own = self.events.list.iter().filter_map(|entry| {
            let date = entry.date(context.today())?;
            let span = question_span(date, entry.minute, &entry.what, context)?;
            Some(Question {
                notice: entry.notice("after", span, question(&entry.what)),
                about: about(&entry.what, date),
            })
        });
        let planned = self.plans(context).into_iter().filter_map(|plan| {
            let (day, minute) = plan.own_time(context.zone());
            let (planned, over) = question_span(day, minute, &plan.what, context)?;
            let notice = Notice {
                key: format!("plan {:x} {}", stable_hash(&plan.what), over.0),
                planned,
                over,
                text: question(&plan.what),
            };
            Some(Question {
                notice,
                about: about(&plan.what, plan.day),
            })
        });
        own.chain(planned).collect()
    }

    /// Important plans of other superpowers, except those that the person entered here as well.
    fn plans<'a>(&self, context: &PowerContext<'a>) -> Vec<&'a Plan> {
        let told_here = |plan: &Plan| {
            let number = local_time::number(plan.day);
            let entries = &self.events.list;
            entries
                .iter()
                .any(|e| e.day == Some(number) && e.minute == plan.minute)
        };
        let plans = context.facts.plans.iter();
        plans
            .filter(|plan| matters(&plan.what) && !told_here(plan))
            .collect()
    }
}

/// The beginning of the memory of an answer.
fn about(what: &str, date: NaiveDate) -> String {
    format!("{what} on {}", date.format("%-d %B %Y"))
}

/// From when on and until when it is asked how it was.
fn question_span(
    date: NaiveDate,
    minute: Option<u32>,
    what: &str,
    context: &PowerContext,
) -> Option<(Timestamp, Timestamp)> {
    let zone = context.zone();
    let next = date.succ_opt()?;
    let over = local_time::moment(next.succ_opt()?, 0, zone)?;
    let morning = local_time::moment(next, HOUR * 60, zone)?;
    let same_day = minute.filter(|_| !what.to_lowercase().contains("dinner"));
    let after = same_day.and_then(|minute| {
        let at = local_time::moment(date, minute, zone)?.plus_s(AFTER_S);
        context.waking.is_awake(at, zone).then_some(at)
    });
    Some((after.unwrap_or(morning), over))
}

fn question(what: &str) -> String {
    format!("How was the {what}? What you answer, I remember.")
}

impl Superpower for CheckinState {
    type Action = CheckinAction;

    fn apply(&mut self, action: CheckinAction, context: &PowerContext) -> Option<String> {
        Some(match action {
            CheckinAction::Keep {
                what,
                time,
                part,
                mention,
                after,
            } => self.keep((what, time), (part.as_ref(), mention), after, context),
            CheckinAction::Move {
                which,
                to,
                time,
                said,
            } => return self.relocate(&which, (to, &said), time, context),
            CheckinAction::MoveKnown { which, to, said } => {
                return self.relocate_known(&which, (to, &said), context);
            }
            CheckinAction::Cancelled(which) => return self.cancel(&which, context),
            CheckinAction::Postponed(what) => return self.postpone(&what, context),
            CheckinAction::List => self.overview(context),
            CheckinAction::Remove { about, on } => self.remove(&about, on, context),
            CheckinAction::MoveNewest(to) => {
                let name = self.events.newest_entered()?.what.clone();
                let which = EventRef::of(EntryRef::of_name(name));
                return self.relocate(&which, (to, ""), None, context);
            }
            CheckinAction::AskDay { reply, .. } | CheckinAction::UnclearTime(reply) => reply,
        })
    }

    fn overview(&self, context: &PowerContext) -> String {
        self.to_ask(context).listed(
            "Afterwards I ask how these were",
            "There's nothing I would ask about. Tell me of something: “I have an interview tomorrow at 10”.",
            context,
        )
    }

    fn brief(&self, context: &PowerContext) -> Option<String> {
        let today = self.events.between(context.today(), context.today());
        let line = |(_, entry): &(NaiveDate, &Entry)| match entry.minute {
            Some(minute) => format!("{} at {}", entry.what, texts::clock_text(minute)),
            None => entry.what.clone(),
        };
        let lines: Vec<String> = today.iter().map(line).collect();
        (!lines.is_empty()).then(|| format!("Planned: {}", lines.join("; ")))
    }

    fn entries(&self) -> Option<&Entries> {
        Some(&self.events)
    }

    fn between(&self, span: DaySpan) -> Vec<String> {
        let line = |entry: &Entry, when: &str| match entry.details.as_str() {
            "" => format!("{}: {when}", entry.what),
            details => format!("{}: {when}, {details}", entry.what),
        };
        self.events.lines_between(span, line)
    }

    fn occasions(&self, context: &PowerContext) -> Vec<Plan> {
        self.events.plans(context)
    }

    fn alarm(&self, context: &PowerContext) -> Option<Timestamp> {
        let questions = self.questions(context).into_iter();
        let notices: Vec<Notice> = questions.map(|question| question.notice).collect();
        self.events.next_notice(&notices, context)
    }

    fn on_alarm(&mut self, _at: Timestamp, context: &PowerContext) -> Option<String> {
        let mut questions: Vec<Question> = self.questions(context);
        let notices = questions
            .iter()
            .map(|question| question.notice.clone())
            .collect();
        let due = self.events.take_due(notices, context);
        questions.retain(|question| due.contains(&question.notice));
        self.asked = questions
            .into_iter()
            .map(|question| question.about)
            .collect();
        notice::joined(&due)
    }

    fn questions(&self) -> &[String] {
        &self.asked
    }

    fn effect(&self) -> Option<PowerEffect> {
        (!self.choices.is_empty()).then(|| PowerEffect::AskWhich(self.choices.clone()))
    }
}
