//! One part of a message: what it means by itself, and whether another one may follow it.

use super::super::paraphrase::paraphrase;
use super::beginnings::begins_statement;
use crate::assistant::builtin::{
    ANYTHING_TO_REMIND, FollowUp, Intent, MessageContext, ParsedMessage, PossibleMeanings,
    ReminderRef, Statement, follow_up, names_hour, one_request, parsing,
};
use crate::assistant::powers::{Power, RequestStrength, recognise};
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when;
use crate::assistant::text::words::Words;
use crate::assistant::wording;
use crate::clock::Timestamp;

/// One request of a message.
pub(super) struct MessagePart<'a> {
    pub(super) text: &'a str,
    pub(super) intent: Intent,
    pub(super) depends_on_zone: bool,
    now: Timestamp,
    /// The request follows another one in the same sentence.
    pub(super) is_second: bool,
    /// It only states what is worth remembering.
    pub(super) is_fact: bool,
}

impl<'a> MessagePart<'a> {
    pub(super) fn read(text: &'a str, message: &ParsedMessage<'a>) -> Self {
        let context = MessageContext {
            // As a whole message it asks whether that is possible.
            text: match asks_to_remind(&Words::new(text)) {
                true => ANYTHING_TO_REMIND,
                false => text,
            },
            group: false, // only one of the parts contains the name
            ..*message.context
        };
        let part = parsing::read_message(&context);
        let mut intent = intent_of(&part);
        let may_be_power = !intent.is_command() || intent.is_unclear();
        if may_be_power && asks_for_power(&context, message.context.group) {
            intent = Intent::Power(text.to_owned());
        }
        let is_open = matches!(
            intent,
            Intent::Unknown | Intent::Unclear(_) | Intent::Power(_)
        );
        let what = || {
            let what = follow_up::read(&part).filter(changes_reminder);
            // What is deleted or removed may be of a list.
            let may_be_list = matches!(
                part.words.get(part.start),
                "delete" | "remove" | "stop" | "done" | "im" | "finished" | "all"
            );
            let is_named = intent == Intent::Unknown && !may_be_list;
            what.or_else(|| {
                is_named
                    .then(|| follow_up::read_named(&part.words).filter(is_sure))
                    .flatten()
            })
        };
        let statement = || PossibleMeanings::of_parsed(&part).statement;
        let mut is_fact = false;
        // "cancel nobu?" asks whether to.
        let what = what().filter(|what| !(what.names_what() && text.ends_with('?')));
        if is_open && let Some(what) = what {
            let otherwise = match intent {
                Intent::Power(text) => Intent::Power(text),
                // "cancel nobu" may be a booking's.
                _ if what.names_what() => Intent::Power(text.to_owned()),
                _ => Intent::Unclear(wording::part_not_understood(text)),
            };
            let otherwise = Box::new(otherwise);
            intent = Intent::FollowUp { what, otherwise };
        } else if intent == Intent::Unknown && !message.context.group {
            match statement() {
                Some(Statement::Fact(text)) => {
                    intent = Intent::Remember { text };
                    is_fact = true;
                }
                Some(Statement::Changed(_)) | None => {}
                Some(stated) => intent = Intent::Statement(stated),
            }
        }
        Self {
            text,
            intent,
            depends_on_zone: part.depends_on_zone.get(),
            now: context.now,
            is_second: false,
            is_fact,
        }
    }

    /// Whether it stands by itself, at most without its time or text.
    pub(super) fn stands_alone(&self) -> bool {
        let is_request = self.intent.is_command()
            && !matches!(self.intent, Intent::Unclear(_) | Intent::Account(_));
        is_request || self.is_statement()
    }

    /// Whether it tells of something for which the assistant offers to do something.
    pub(super) const fn is_statement(&self) -> bool {
        matches!(self.intent, Intent::Statement(_))
    }

    pub(super) const fn is_plan(&self) -> bool {
        matches!(
            self.intent,
            Intent::Statement(Statement::Plan { .. } | Statement::Plans(_))
        )
    }

    /// Whether a superpower keeps it with its day and hour, and tells of it before.
    pub(super) fn keeps_plan(&self) -> bool {
        let Intent::Power(text) = &self.intent else {
            return false;
        };
        let context = MessageContext {
            text,
            now: self.now,
            timezone: None,
            persona: "",
            group: false,
            has_photos: false,
        };
        let mut calls = recognise(&context).calls.into_iter();
        names_hour(text) && calls.any(|call| call.action.is_told_of_before())
    }

    /// "remind me", and nothing more.
    pub(super) fn is_bare_request(&self) -> bool {
        matches!(&self.intent, Intent::AskRest { before, .. } if before == ANYTHING_TO_REMIND)
    }

    /// Whether the answer is a question.
    pub(super) fn is_to_be_answered(&self) -> bool {
        self.is_statement()
            || self.intent.is_unclear() && !matches!(self.intent, Intent::Unclear(_))
    }

    /// Whether the words at the end of it may be somebody's, as in "remind me to say: i feel great".
    /// `typed`: up to where they may end.
    pub(super) fn quotes(&self, typed: &str) -> bool {
        let text = match &self.intent {
            Intent::Remind { text, .. } | Intent::AskWhen { text, .. } => text.as_str(),
            Intent::Remember { .. } if !self.is_fact => typed,
            _ => return false,
        };
        let count = |quote: char| typed.matches(quote).count();
        text.contains(": ")
            || typed.trim_end().ends_with(':')
            || count('"') % 2 == 1
            || count('“') > count('”')
    }

    /// Whether `next`, after "and", can't be a part of this one: what somebody is to be reminded
    /// of, or wants to be remembered, may itself sound like a request.
    pub(super) fn ends_before(&self, next: &Words, part: &MessagePart) -> bool {
        let begins = |phrases: &[&str]| next.after(0, phrases).is_some();
        match self.intent {
            Intent::Remind { .. }
            | Intent::RemindBefore(_)
            | Intent::AskWhen { .. }
            | Intent::AskWhat { .. }
            | Intent::AskRest { .. }
            | Intent::Several(_)
                if adds_to_list(next)
                    || part.is_entry(next)
                    || self.is_timed_before(next, part)
                    || part.is_for_assistant(next)
                    || part.tells_of_another(next) =>
            {
                true
            }
            Intent::Remind { .. }
            | Intent::RemindBefore(_)
            | Intent::AskWhen { .. }
            | Intent::AskWhat { .. }
            | Intent::AskRest { .. }
            | Intent::Several(_) => {
                // "and remember my passport" is to be done.
                let is_stated = || next.iter().any(|word| word == "is");
                begins(&[
                    "remind me", "remember that", "note that", "my name is", "spent", "i spent",
                    "ive spent",
                ]) || begins(&["remember my"]) && is_stated()
            }
            // "my door code is 1234, cancel the gym": nobody asked for the whole to be remembered.
            Intent::Remember { .. } if self.is_fact => true,
            Intent::Remember { .. } => {
                begins(&["remind me", "remember that", "add", "put", "spent"])
                    || part.is_for_assistant(next)
                    || part.tells_of_another(next)
            }
            // "call bo at 6 and at 7 remind me …" is about one thing.
            Intent::Statement(Statement::Plan { .. } | Statement::Plans(_)) => matches!(
                part.intent,
                Intent::Power(_)
                    | Intent::Remember { .. }
                    | Intent::SetName(_)
                    | Intent::Statement(Statement::Needed(_) | Statement::Trip(_))
            ),
            _ => true,
        }
    }
}

impl MessagePart<'_> {
    /// "add milk" after "remind me to call bo at 5 and": the time has ended what one is reminded of.
    fn is_timed_before(&self, next: &Words, part: &MessagePart) -> bool {
        let words = Words::new(self.text);
        let is_added = next.get(0) == "add" && matches!(part.intent, Intent::Power(_));
        let starts_with_text = words.after(0, phrases!["remind me to"]).is_some();
        is_added && starts_with_text && when::trailing_time(&words, 1..words.len()).is_some()
    }

    /// Whether a superpower keeps what it tells: "my passport expires on 3 march". "to tell ann that my
    /// parcel arrives" begins otherwise.
    fn is_entry(&self, words: &Words) -> bool {
        let begins_entry = matches!(words.get(0), "my" | "our")
            || words
                .iter()
                .any(|word| matches!(word, "owes" | "birthday" | "bday"));
        begins_entry && matches!(self.intent, Intent::Power(_))
    }

    /// Whether it tells of something else in words that are no part of what one is reminded of:
    /// "i feel great", "trip to rome 3-7 dec".
    fn tells_of_another(&self, words: &Words) -> bool {
        begins_statement(words, 0) && matches!(self.intent, Intent::Power(_) | Intent::Statement(_))
    }

    /// Whether only the assistant can do it: it names reminders, or asks for what is known here.
    fn is_for_assistant(&self, words: &Words) -> bool {
        match &self.intent {
            Intent::CancelReminders(_)
            | Intent::ListReminders
            | Intent::FindReminders { .. }
            | Intent::Agenda { .. }
            | Intent::Status
            | Intent::Profile(_)
            | Intent::Usage => true,
            Intent::FollowUp { what, .. } => {
                let repeats = matches!(what, FollowUp::Change { to, .. } if to.is_repeat());
                let last = words.get(words.len().saturating_sub(1));
                repeats
                    || names_numbers(what)
                    || matches!(last, "one" | "ones")
                    || words
                        .iter()
                        .any(|word| matches!(word, "reminder" | "reminders"))
            }
            Intent::Power(_) => words
                .after(
                    0,
                    phrases![
                        "whats on my", "what is on my", "show my", "show me my", "tell me my"
                    ],
                )
                .is_some(),
            Intent::Say(_) => words
                .after(
                    0,
                    phrases!["what time", "what day", "whats the time", "whats the date"],
                )
                .is_some(),
            _ => false,
        }
    }
}

/// The request means some of the list that was shown.
fn names_numbers(what: &FollowUp) -> bool {
    matches!(
        what,
        FollowUp::Cancel(ReminderRef::Numbered(_))
            | FollowUp::DoneNumbered(_)
            | FollowUp::SnoozeNumbered { .. }
            | FollowUp::Change {
                which: ReminderRef::Numbered(_),
                ..
            }
    )
}

/// "took it" may be about anything.
const fn is_sure(what: &FollowUp) -> bool {
    !matches!(what, FollowUp::DoneAlready(done) if !done.is_sure)
}

/// "can you remind me", of what was told before.
fn asks_to_remind(words: &Words) -> bool {
    static ASKS: Phrases = Phrases::new(&["can you", "could you", "will you", "would you"]);
    let please = phrases!["please", "pls", "plz"];
    let request = words.after(0, &ASKS).map(|at| words.skip(at, please));
    let end = request.and_then(|at| words.after(at, phrases!["remind me", "remind us"]));
    end.is_some_and(|end| words.skip(end, please) == words.len())
}

/// A message about reminders that were named before, which stands beside another request.
fn changes_reminder(what: &FollowUp) -> bool {
    match what {
        FollowUp::Change { .. }
        | FollowUp::ChangeUnclear(_)
        | FollowUp::Rename { .. }
        | FollowUp::Skip { .. }
        | FollowUp::Snooze(Some(_))
        | FollowUp::SnoozeNumbered { .. }
        | FollowUp::Done
        | FollowUp::DoneNumbered(_)
        | FollowUp::CancelAllBut(_) => true,
        FollowUp::Cancel(which) => {
            matches!(
                which,
                ReminderRef::Numbered(_)
                    | ReminderRef::About(_)
                    | ReminderRef::AllAbout(_)
                    | ReminderRef::Next
            )
        }
        _ => false,
    }
}

/// "add eggs to my list".
fn adds_to_list(words: &Words) -> bool {
    let last = words.len().saturating_sub(1);
    words.after(0, phrases!["add", "put"]).is_some() && matches!(words.get(last), "list" | "lists")
}

/// The meaning of the part as typed, else in other words.
fn intent_of(part: &ParsedMessage) -> Intent {
    let intent = one_request(part);
    match paraphrase(part).filter(|_| intent == Intent::Unknown) {
        Some(text) => one_request(&parsing::read_message(&MessageContext {
            text: &text,
            ..*part.context
        })),
        None => intent,
    }
}

/// Whether a superpower is asked for; what may be ordinary talk isn't.
pub(in super::super) fn asks_for_power(context: &MessageContext, in_group: bool) -> bool {
    let has_number = context.text.contains(|c: char| c.is_ascii_digit());
    let calls = recognise(context).calls;
    calls.iter().any(|call| match call.strength {
        RequestStrength::Clear => true,
        RequestStrength::Soft => {
            let is_dated = call.power.has_plans() || call.power == Power::PostEventCheckin;
            has_number && (call.power.is_about_money() || is_dated)
                || call.power == Power::MoodTracker
        }
        RequestStrength::Opening => !in_group,
        RequestStrength::InSession => false,
    })
}
