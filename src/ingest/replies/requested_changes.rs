//! The changes that a message asks for, for certain, and whether calls of tools made all of them.
//! Pure.

use super::request::RequestFacts;
use super::result::CallRecord;
use super::taken_back::is_taken_back;
use crate::assistant::builtin::{FollowUp, ReminderRef, RemindersToCancel};
use crate::assistant::powers::{self, Power, PowerCalls, minute_of_day};
use crate::assistant::tools::Tool;
use crate::assistant::{Intent, MessageContext, Understanding, memory_overlap};
use crate::clock::Zone;

/// A change that is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RequestedChange {
    /// A call of any of these makes it.
    tools: Vec<Tool>,
    /// The change's subject; a field of the profile is in quotes.
    about: String,
    /// The reminder's text, or the name, in the message's words.
    pub(super) words: String,
    /// The calls that it takes.
    calls: usize,
    extent: ChangeExtent,
}

/// How much of a reminder is to be changed, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum ChangeExtent {
    #[default]
    Any,
    /// To another time or text; `is_open`: while it is open.
    Move { is_open: bool },
    /// One time of it is to be left out or moved.
    Next,
    /// All of it is to end.
    Whole,
}

impl RequestedChange {
    fn of(tool: Tool, about: &str) -> Self {
        Self {
            tools: vec![tool],
            about: about.to_owned(),
            words: String::new(),
            calls: 1,
            extent: ChangeExtent::Any,
        }
    }

    fn with_words(self, words: &str) -> Self {
        let words = words.to_owned();
        Self { words, ..self }
    }

    /// A change of a reminder, or of what else was spoken of last.
    fn of_latest(extent: ChangeExtent) -> Self {
        Self {
            extent,
            ..Self::of(Tool::ChangeReminder, "")
        }
    }

    /// Calls together make what one of another kind would.
    fn is_made_in_two(&self, calls: &[&CallRecord]) -> bool {
        let has = |tool: Tool| calls.iter().any(|call| call.tool == tool.name());
        let is_set_anew = has(Tool::SetReminder) && has(Tool::CancelReminder);
        matches!(self.extent, ChangeExtent::Move { .. } | ChangeExtent::Next) && is_set_anew
    }

    fn is_made_by(&self, call: &CallRecord) -> bool {
        let is_of_kind = self.tools.iter().any(|tool| tool.name() == call.tool);
        let is_reminder = self
            .tools
            .iter()
            .any(|tool| matches!(tool, Tool::SetReminder | Tool::CancelReminder));
        match self.tools[..] {
            _ if self.extent == ChangeExtent::Next => is_of_kind && call.is_of_next,
            _ if self.extent == ChangeExtent::Whole && call.is_of_next => false,
            [Tool::SetProfile] => is_of_kind && call.words.contains(&self.about),
            _ => is_of_kind || is_reminder && call.tool == Tool::ChangeReminder.name(),
        }
    }

    /// Whether a call that makes another change, too, may make this one.
    fn is_part_of(&self, call: &CallRecord) -> bool {
        let shares = match self.tools[..] {
            // One that comes again may be for several times.
            [Tool::SetReminder] => call.repeats,
            [Tool::CancelReminder | Tool::ChangeReminder] => false,
            [Tool::SetProfile] => true,
            _ => self.about.is_empty() || memory_overlap(&call.words, &self.about) > 0,
        };
        shares && self.is_made_by(call)
    }

    /// Whether a call of another kind may be what was meant.
    fn is_like(&self, call: &CallRecord) -> bool {
        let mut all = Tool::all();
        let Some(tool) = all.find(|tool| tool.name() == call.tool) else {
            return true; // what another server does is not known
        };
        if let ChangeExtent::Move { is_open } = self.extent
            && tool == Tool::SetReminder
        {
            return !is_open;
        }
        self.tools.iter().any(|wanted| match (wanted, tool) {
            (Tool::SetReminder, Tool::Power(power)) => power.has_alarms(),
            (Tool::CancelReminder | Tool::Forget | Tool::Notices, Tool::Power(_))
            | (Tool::ChangeReminder, Tool::Power(_) | Tool::SetProfile | Tool::Remember)
            | (Tool::Forget, Tool::CancelReminder)
            | (Tool::Remember, Tool::SetProfile | Tool::SetReminder | Tool::Power(_))
            | (Tool::Power(_), Tool::Notices)
            | (Tool::Power(Power::BirthdayReminder), Tool::Remember | Tool::Forget) => true,
            (Tool::SetProfile, Tool::Remember) => self.about == "\"name\"",
            _ => false,
        })
    }
}

/// Whether a reminder was to be changed in a way in which no call did, and another one did.
pub(super) fn is_done_otherwise(requested: &[RequestedChange], calls: &[CallRecord]) -> bool {
    let changed: Vec<&CallRecord> = calls.iter().filter(|call| call.is_change).collect();
    let is_missing = |one: &RequestedChange| {
        let is_made = |call: &&CallRecord| one.is_made_by(call) || one.is_like(call);
        !changed.iter().any(is_made) && !one.is_made_in_two(&changed)
    };
    let mut with_extent = requested
        .iter()
        .filter(|one| one.extent != ChangeExtent::Any);
    changed.iter().any(|call| call.reminder.is_some()) && with_extent.any(is_missing)
}

/// Whether a change that is wanted was not made by any call.
pub(super) fn is_any_missing(requested: &[RequestedChange], calls: &[CallRecord]) -> bool {
    let is_done = |call: &&CallRecord| {
        let is_made = call.is_change || call.is_done && call.may_change_there;
        is_made && !is_taken_back(call, calls)
    };
    let done: Vec<&CallRecord> = calls.iter().filter(is_done).collect();
    let mut unmatched = done.clone();
    let mut lacking = Vec::new();
    for one in requested {
        for _ in 0..one.calls {
            match unmatched.iter().position(|call| one.is_made_by(call)) {
                Some(at) => {
                    unmatched.remove(at);
                }
                None => {
                    lacking.push(one);
                    break;
                }
            }
        }
    }
    lacking.into_iter().any(|one| {
        let is_part = one.is_made_in_two(&done) || done.iter().any(|call| one.is_part_of(call));
        let other = unmatched.iter().position(|call| one.is_like(call));
        if let (false, Some(at)) = (is_part, other) {
            unmatched.remove(at);
        }
        !is_part && other.is_none()
    })
}

impl RequestFacts<'_> {
    /// The changes that a message asks for; one of which it is not known what makes it is left out.
    pub(super) fn requested_changes(&self, understood: &Understanding) -> Vec<RequestedChange> {
        match self.change(&understood.intent) {
            Some(_) => self.requested_by(&understood.intent),
            None => self.requested_of_powers(&understood.calls, self.message.text),
        }
    }

    fn requested_by(&self, intent: &Intent) -> Vec<RequestedChange> {
        let one = |tool, about: &str| vec![RequestedChange::of(tool, about)];
        match intent {
            Intent::Several(parts) => parts
                .iter()
                .flat_map(|part| self.requested_by(part))
                .collect(),
            Intent::Remind { text, .. } => {
                vec![RequestedChange::of(Tool::SetReminder, text).with_words(text)]
            }
            Intent::RemindBefore(_) => one(Tool::SetReminder, ""),
            Intent::CancelReminders(which) => vec![RequestedChange {
                calls: self.count_to_cancel(which).max(1),
                extent: if which.on.is_none() {
                    ChangeExtent::Whole
                } else {
                    ChangeExtent::Any
                },
                ..RequestedChange::of(Tool::CancelReminder, "")
            }],
            Intent::Remember { text } => one(Tool::Remember, text),
            Intent::Forget { about } => one(Tool::Forget, about),
            Intent::ForgetEverything => one(Tool::Forget, ""),
            // In a group they are often told to the others.
            Intent::SetName(name) if !self.group => {
                vec![RequestedChange::of(Tool::SetProfile, "\"name\"").with_words(name)]
            }
            Intent::SetTimezone(_) if !self.group => one(Tool::SetProfile, "\"timezone\""),
            Intent::Power(text) => {
                let part = MessageContext {
                    text,
                    group: false, // only one of the parts has the name
                    ..*self.message
                };
                self.requested_of_powers(&powers::recognise(&part), text)
            }
            Intent::FollowUp { what, otherwise } => match what {
                FollowUp::Skip { .. } => vec![RequestedChange::of_latest(ChangeExtent::Next)],
                FollowUp::Change { .. } if self.has_latest => {
                    let is_open = !self.open.is_empty();
                    vec![RequestedChange::of_latest(ChangeExtent::Move { is_open })]
                }
                FollowUp::Cancel(ReminderRef::About(_)) => vec![RequestedChange {
                    extent: ChangeExtent::Whole,
                    ..RequestedChange::of(Tool::CancelReminder, "")
                }],
                FollowUp::Cancel(ReminderRef::Numbered(numbers)) => vec![RequestedChange {
                    calls: numbers.len(),
                    ..RequestedChange::of(Tool::CancelReminder, "")
                }],
                // "Cancel it" may be about anything.
                FollowUp::Cancel(ReminderRef::Latest | ReminderRef::Last) if self.has_latest => {
                    vec![RequestedChange {
                        tools: Tool::all().collect(),
                        extent: ChangeExtent::Whole,
                        ..RequestedChange::of(Tool::CancelReminder, "")
                    }]
                }
                what if self.is_change(what) => Vec::new(),
                _ => self.requested_by(otherwise),
            },
            _ => Vec::new(),
        }
    }

    /// The changes requested of superpowers. Where the same words may mean several, one is enough.
    fn requested_of_powers(&self, calls: &PowerCalls, text: &str) -> Vec<RequestedChange> {
        let mut clear = self.clear_calls(calls);
        clear.retain(|call| self.keeps(call));
        let mut tools: Vec<Tool> = clear.iter().map(|call| Tool::Power(call.power)).collect();
        tools.extend(self.sets_notices(calls).then_some(Tool::Notices));
        if tools.is_empty() {
            return Vec::new();
        }
        vec![RequestedChange {
            tools,
            about: text.to_owned(),
            words: String::new(),
            calls: 1,
            extent: ChangeExtent::Any,
        }]
    }

    /// Where all that are found are to be cancelled, their number in this chat.
    fn count_to_cancel(&self, which: &RemindersToCancel) -> usize {
        let zone = self.message.timezone.unwrap_or(Zone::UTC);
        let mut found = self.open.iter().filter(|_| which.several).filter(|one| {
            let minute = minute_of_day(one.send_at, zone);
            let is_of_day = match &which.on {
                Some(day) => one.recurrence.is_none() && day.contains(&one.send_at),
                None => true,
            };
            let is_theirs = !which.is_own || one.user == self.user;
            is_of_day && is_theirs && (which.minutes.is_empty() || which.minutes.contains(&minute))
        });
        found.by_ref().count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assistant;
    use crate::assistant::tools::OfferedTool;
    use crate::clock::Timestamp;
    use crate::store::{Reminder, RoomId, UserId};

    fn open(user: i64, hour: i64) -> Reminder {
        Reminder {
            message_id: None,
            id: user * 100 + hour,
            schedule_id: format!("{user}-{hour}"),
            user: UserId(user),
            room: RoomId(1),
            text: "call".to_owned(),
            send_at: Timestamp(hour * 3_600_000),
            recurrence: None,
        }
    }

    #[test]
    fn my_reminders_in_a_group_are_those_that_i_set() {
        let open = [open(1, 8), open(2, 8), open(2, 9)];
        for (text, expected) in [
            ("juno, cancel all reminders", 3),
            ("juno, cancel all my reminders", 1),
            ("juno, cancel my reminders at 8", 1),
            ("juno, cancel all reminders at 8", 2),
        ] {
            let message = MessageContext {
                text,
                now: Timestamp(0),
                timezone: None,
                persona: "Juno",
                group: true,
                has_photos: false,
            };
            let facts = RequestFacts {
                message: &message,
                user: UserId(1),
                group: true,
                tools: &[OfferedTool::Own(Tool::CancelReminder)],
                powers: &[],
                states: &[],
                open: &open,
                has_latest: false,
                is_unanswered: false,
            };
            let requested_changes = facts.requested_changes(&assistant::understand_all(&message));
            let calls: Vec<usize> = requested_changes.iter().map(|one| one.calls).collect();
            assert_eq!(calls, [expected], "{text}");
        }
    }
}
