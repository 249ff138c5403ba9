//! Changes of planned check-ins: "my interview moved to 3pm", "my exam is cancelled". A day or a
//! time of day that the message doesn't name stays as it was.

use super::{
    CheckinAction, CheckinState, EventRef, NAME_WORDS_MAX, is_in_the_evening, is_of_weight,
};
use crate::assistant::builtin::{ParsedMessage, TimeChange, follow_up};
use crate::assistant::powers::entries::{Entry, EntryMention};
use crate::assistant::powers::entry_ref::{self, EntryRef};
use crate::assistant::powers::planned_time::{self, PlannedTime};
use crate::assistant::powers::{PowerContext, RequestChoice, local_time, parsers, texts};
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when;
use crate::assistant::text::words::Words;

/// From this minute after midnight on a bare 8 is in the evening.
const EVENING: u32 = 17 * 60;
/// Words before the event that is cancelled.
const CANCELLING: [&str; 20] = [
    "i cancelled", "i canceled", "ive cancelled", "ive canceled", "i have cancelled",
    "they cancelled", "they canceled", "theyve cancelled", "they called off", "we cancelled",
    "we canceled", "cancel", "delete", "remove", "forget", "i dont have", "i no longer have",
    "im not going to", "theres no", "there is no",
];
/// Words after the event that is cancelled.
static CANCELLED: Phrases = Phrases::new(&[
    "cancelled", "canceled", "off", "called off", "not happening", "isnt happening",
    "doesnt happen", "wont happen", "fell through", "not on anymore",
]);
/// Words between a name and what is said of it.
static VERBS: Phrases = Phrases::new(&[
    "is now", "has now been", "has been", "was just", "just got", "got", "was", "is", "has",
    "been", "just", "gets",
]);
static MOVED: Phrases = Phrases::new(&[
    "moved", "pushed", "rescheduled", "postponed", "changed", "shifted", "delayed", "brought",
    "put", "pushed back", "moved back", "moved forward", "moved up", "brought forward",
]);
const MOVING: [&str; 12] = [
    "they moved", "they rescheduled", "they changed", "they pushed", "they postponed", "move",
    "reschedule", "push", "postpone", "shift", "change", "i moved",
];

/// `None`: nothing of the kind is said.
pub(super) fn parse(message: &ParsedMessage, at: usize, end: usize) -> Option<CheckinAction> {
    let words = &message.words;
    let after_verb = |verbs: &[&str]| {
        let from = words.after(at, verbs)?;
        Some(words.skip_article(from))
    };
    if let Some(from) = after_verb(&CANCELLING) {
        // "cancel dentist and haircut": each by itself.
        let is_asked = matches!(words.get(at), "cancel" | "delete" | "remove" | "forget");
        if let Some((number, next)) = numbered(message, from).filter(|_| is_asked) {
            let which = EventRef::numbered(number);
            return (next == end).then_some(CheckinAction::Cancelled(which));
        }
        if is_asked && (from..end).any(|n| matches!(words.get(n), "and" | "&")) {
            return None;
        }
        named(message, from, end)?;
        return Some(cancelled(message, from, end));
    }
    if let Some(from) = after_verb(&MOVING) {
        let is_told = matches!(words.get(at), "they" | "i");
        return parse_moving(message, from, end, is_told);
    }
    let article = words.after_article(at);
    let from = article.unwrap_or(at);
    let named = named(message, from, end)?;
    // "my doctor's appointment"
    let named = named + usize::from(words.get(named + 1) == "appointment");
    // "my interview with Bo on friday was cancelled"
    let verb = (named + 1..end).find_map(|n| {
        let next = words.after(n, &VERBS);
        let is_said =
            |at: usize| words.after(at, &CANCELLED).is_some() || words.after(at, &MOVED).is_some();
        let is_now = next.is_some_and(|next| words.get(next - 1) == "now");
        match next {
            Some(next) if is_said(next) || is_now => Some((n, next, is_now)),
            None if is_said(n) => Some((n, n, false)),
            _ => None,
        }
    });
    let (name_end, said, is_now) = match verb {
        Some(verb) => verb,
        // "my interview is at 4": its day stays.
        None if article.is_some()
            && words.get(named + 1) == "is"
            && !when::names_day(words, named + 2..end) =>
        {
            (named + 1, named + 2, true)
        }
        None => return None,
    };
    if words.after(said, &CANCELLED).is_some() {
        return Some(cancelled(message, from, name_end));
    }
    let which = EventRef::of(EntryRef::read(message, from..name_end));
    let what = which.entry.name.clone();
    match words.after(said, &MOVED) {
        Some(next) if next == end || words.after(next, phrases!["indefinitely"]) == Some(end) => {
            Some(CheckinAction::Postponed(what))
        }
        Some(next) => of_known(moved(message, which, next, end), article.is_none()),
        None if is_now => moved(message, which, said, end),
        None => None,
    }
}

/// Without "my" only what is noted is moved: a reminder may be meant as well.
fn of_known(moved: Option<CheckinAction>, is_unsure: bool) -> Option<CheckinAction> {
    match moved? {
        CheckinAction::Move {
            which, to, said, ..
        } if is_unsure => Some(CheckinAction::MoveKnown { which, to, said }),
        moved => Some(moved),
    }
}

/// "move the dentist on friday to 12", from the name on. `is_told`: it was moved by somebody.
fn parse_moving(
    message: &ParsedMessage,
    from: usize,
    end: usize,
    is_told: bool,
) -> Option<CheckinAction> {
    let (which, from) = match numbered(message, from) {
        Some((number, next)) => (EventRef::numbered(number), next),
        None => {
            let named = named(message, from, end)?;
            with_name(message, from, named + 1, end)
        }
    };
    moved(message, which, from, end).map(|action| match action {
        CheckinAction::Move {
            which, to, said, ..
        } if !is_told => CheckinAction::MoveKnown { which, to, said },
        action => action,
    })
}

fn cancelled(message: &ParsedMessage, from: usize, end: usize) -> CheckinAction {
    CheckinAction::Cancelled(EventRef::of(EntryRef::read(message, from..end)))
}

/// "check-in 2": its number in the list, and the index after it.
fn numbered(message: &ParsedMessage, from: usize) -> Option<(usize, usize)> {
    let next = message.words.after(from, phrases!["check-in", "checkin"])?;
    Some((message.words.get(next).parse().ok()?, next + 1))
}

/// "dentist on friday to 12", "interview at google to 3": what is before the link is the name of what
/// is moved, with its day. With the index after it.
fn with_name(message: &ParsedMessage, from: usize, named: usize, end: usize) -> (EventRef, usize) {
    let words = &message.words;
    let links = ["to", "by", "till", "until", "back", "forward"];
    let is_link = |n: &usize| {
        links.contains(&words.get(*n)) && follow_up::read_new_time(words, *n..end).is_some()
    };
    let link = (named..end).find(is_link).unwrap_or(named);
    let which = EventRef::of(EntryRef::read(message, from..link));
    (which, link)
}

/// The word that says that it matters.
fn named(message: &ParsedMessage, from: usize, end: usize) -> Option<usize> {
    let words = &message.words;
    let named = (from..end.min(from + NAME_WORDS_MAX)).find(|n| is_of_weight(words.get(*n)))?;
    let is_other = matches!(
        words.get(named + 1),
        "of" | "results" | "result" | "reminder" | "reminders" | "alarm"
    );
    (!is_other).then_some(named)
}

pub(super) fn moved(
    message: &ParsedMessage,
    which: EventRef,
    from: usize,
    end: usize,
) -> Option<CheckinAction> {
    let words = &message.words;
    let end = match words.get(end.saturating_sub(1)) {
        "now" | "instead" => end - 1,
        _ => end,
    };
    // "from 10 to 11": the last time is the new one.
    let to = (from..end).find_map(|n| follow_up::read_new_time(words, n..end));
    let has_open_span = (from..end).any(|n| planned_time::is_open_span(words, n));
    let to = to.filter(|to| !to.is_repeat() && !has_open_span);
    let Some(to) = to else {
        let has_time = planned_time::find(message, from, end, false).is_some();
        return has_time.then(|| CheckinAction::UnclearTime(new_time_unclear(&which.entry.name)));
    };
    let time = match when::names_day(words, from..end) {
        true => planned_time::find(message, from, end, false)?.time.ok(),
        false => None,
    };
    let said = parsers::original(words, from, end);
    let said = match words.after(from, phrases!["to", "by", "back", "forward", "from"]) {
        Some(_) => said,
        None => format!("to {said}"),
    };
    Some(CheckinAction::Move {
        which,
        to,
        time,
        said,
    })
}

fn new_time_unclear(what: &str) -> String {
    format!(
        "I'm not sure when it is now, so I changed nothing. Say it like “my {what} is now on friday at 10”."
    )
}

impl EventRef {
    pub(super) const fn of(entry: EntryRef) -> Self {
        Self {
            entry,
            number: None,
        }
    }

    fn numbered(number: usize) -> Self {
        Self {
            entry: EntryRef::default(),
            number: Some(number),
        }
    }
}

impl CheckinState {
    /// Only what is noted is moved by a request.
    pub(super) fn relocate_known(
        &mut self,
        which: &EventRef,
        to: (TimeChange, &str),
        context: &PowerContext,
    ) -> Option<String> {
        match self.called(which, context).is_empty() {
            true => self.none_of(which, context),
            false => self.relocate(which, to, None, context),
        }
    }

    /// `time`: the new one, if a day was said.
    pub(super) fn relocate(
        &mut self,
        which: &EventRef,
        (to, said): (TimeChange, &str),
        time: Option<PlannedTime>,
        context: &PowerContext,
    ) -> Option<String> {
        let what = &which.entry.name;
        let entry = match (self.called(which, context).as_slice(), time) {
            ([], Some(time)) => {
                let after = Default::default();
                let new = (None, EntryMention::New);
                return Some(self.keep((what.clone(), time), new, after, context));
            }
            ([], None) => {
                return Some(format!(
                    "I knew of no {what} yet, so which day is it? Say it like “my {what} is tomorrow at 15:00”."
                ));
            }
            ([only], _) => (*only).clone(),
            _ => {
                let request = |n| format!("move check-in {n} {said}");
                return Some(self.ask_which(which, request, context));
            }
        };
        let is_late = match entry.minute {
            Some(minute) => minute >= EVENING,
            None => entry.what.split(' ').any(is_in_the_evening),
        };
        let to = if is_late { to.in_the_evening() } else { to };
        let moved = match to.of_set(entry.begins(context)?, None, context.now, context.zone()) {
            Ok(moved) if moved.recurrence.is_none() => moved.send_at,
            _ => return Some(new_time_unclear(&entry.what)),
        };
        let new_minute = local_time::minute_of_day(moved, context.zone());
        let time = PlannedTime {
            day: local_time::date(moved, context.zone()),
            minute: (entry.minute.is_some() || new_minute != 0).then_some(new_minute),
        };
        let before = entry.when_text(context);
        self.events.set_time(entry.id, time, context)?;
        let before = before.map_or_else(String::new, |when| {
            format!(" It takes the place of the one on {when}; “undo” brings that back.")
        });
        Some(self.noted((&entry.what, &entry.details), time, &before, context))
    }

    pub(super) fn cancel(&mut self, which: &EventRef, context: &PowerContext) -> Option<String> {
        let id = match self.called(which, context).as_slice() {
            [] => return self.none_of(which, context),
            [only] => only.id,
            _ => {
                let request = |n| format!("cancel check-in {n}");
                return Some(self.ask_which(which, request, context));
            }
        };
        let removed = self.events.remove(id, context)?;
        Some(format!(
            "Okay, it is no longer on my mind and I won't ask about it: {}. “undo” brings it back.",
            removed.display(context)
        ))
    }

    /// The event comes later, and no day was said.
    pub(super) fn postpone(&self, what: &str, context: &PowerContext) -> Option<String> {
        match self
            .called(&EventRef::of(EntryRef::of_name(what.to_owned())), context)
            .as_slice()
        {
            [] => None,
            [only] => Some(format!(
                "When is it now? I still have it like this: {}. Say “my {what} is now on friday at 10” or “my {what} is cancelled”.",
                only.display(context)
            )),
            several => {
                let each: Vec<String> = several.iter().map(|one| one.display(context)).collect();
                Some(format!(
                    "Which one, and when is it now? I have these: {}. Say “my {what} on friday is now on monday at 10”.",
                    each.join("; ")
                ))
            }
        }
    }

    /// `request`: the words for the one with that number in the list.
    pub(super) fn ask_which(
        &mut self,
        which: &EventRef,
        request: impl Fn(usize) -> String,
        context: &PowerContext,
    ) -> String {
        let found: Vec<u32> = self
            .called(which, context)
            .iter()
            .map(|one| one.id)
            .collect();
        self.choices = self.to_ask(context).choices(&found, request, context);
        RequestChoice::question(&self.choices)
    }

    /// The events to come of that name: "the interview" may be a job interview.
    pub(super) fn called(&self, which: &EventRef, context: &PowerContext<'_>) -> Vec<&Entry> {
        let to_ask = self.to_ask(context);
        if let Some(number) = which.number {
            let at = number.checked_sub(1);
            let id = at.and_then(|at| to_ask.sorted(context).get(at).map(|one| one.id));
            return id.and_then(|id| self.events.get(id)).into_iter().collect();
        }
        let mut found = self.of_name(which, context);
        // One that is over already is hardly meant.
        let is_open = |entry: &&Entry| to_ask.get(entry.id).is_some();
        if found.len() > 1 && found.iter().any(is_open) {
            found.retain(is_open);
        }
        found
    }

    fn of_name(&self, which: &EventRef, context: &PowerContext<'_>) -> Vec<&Entry> {
        let sorted = self.events.sorted(context);
        let name = &which.entry.name;
        let is_to_come = |entry: &&&Entry| {
            let day = entry.date(context.today());
            day.is_some_and(|day| day >= context.today()) && which.entry.is_then(entry, context)
        };
        let same = sorted.iter().filter(is_to_come);
        let exact: Vec<&Entry> = same
            .clone()
            .filter(|entry| texts::same(&entry.what, name))
            .copied()
            .collect();
        if !exact.is_empty() {
            return exact;
        }
        let fits =
            |entry: &&&Entry| entry_ref::fits(&format!("{} {}", entry.what, entry.details), name);
        same.filter(fits).copied().collect()
    }

    /// What is kept of the same kind, where the one that is named isn't.
    fn none_of(&self, which: &EventRef, context: &PowerContext) -> Option<String> {
        let kind = |text: &str| {
            let words = Words::new(text);
            words
                .iter()
                .find(|word| is_of_weight(word))
                .map(str::to_owned)
        };
        let said = kind(&which.entry.name)?;
        let to_ask = self.to_ask(context);
        let alike = to_ask.sorted(context).into_iter();
        let alike = alike.filter(|entry| kind(&entry.what).as_ref() == Some(&said));
        let lines: Vec<String> = alike.map(|entry| entry.display(context)).collect();
        (!lines.is_empty()).then(|| {
            format!(
                "I know of no {}, so I changed nothing. I know of this: {}.",
                which.entry.said,
                lines.join("; ")
            )
        })
    }
}
