//! What a message asks for, as the builtin assistant understands it for certain. Pure.

use crate::assistant::builtin::FollowUp;
use crate::assistant::powers::{
    self, Facts, NoticeRequest, Power, PowerCall, PowerCalls, PowerContext, RequestStrength,
    StoredState,
};
use crate::assistant::tools::{OfferedTool, Tool};
use crate::assistant::{AccountTask, Intent, MessageContext, Understanding};
use crate::store::{Reminder, UserId};

/// Words of what is to be remembered as a fact.
const STATING: [&str; 19] = [
    "that", "is", "isnt", "are", "am", "was", "were", "has", "have", "had", "i", "im", "ive", "my",
    "we", "our", "likes", "loves", "lives",
];

/// Words of what is about the person.
const OWN: [&str; 9] = ["i", "im", "ive", "my", "mine", "me", "we", "our", "us"];
/// Beginnings of what is mostly talk.
const TALKING: [&str; 5] = [
    "don't remind me", "dont remind me", "do not remind me", "what happens", "what if i say",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CertainRequest {
    /// To set, note or change something.
    Change {
        /// The request lacks a part, as its time, which is to be asked for.
        lacks_part: bool,
    },
    /// In a group, to tell what is the person's own.
    Private,
    /// To delete the account or to export all data, which no tool does.
    Account(AccountTask),
    /// A superpower, to tell something.
    Power,
}

/// The facts with which a request is understood.
pub(super) struct RequestFacts<'a> {
    pub(super) message: &'a MessageContext<'a>,
    /// Whose message it is.
    pub(super) user: UserId,
    pub(super) group: bool,
    pub(super) tools: &'a [OfferedTool],
    /// Superpowers that are switched on.
    pub(super) powers: &'a [Power],
    /// Their states here, by name.
    pub(super) states: &'a [(String, StoredState)],
    /// Open reminders of the chat.
    pub(super) open: &'a [Reminder],
    /// Something was set, changed or came here lately, which a short message may mean.
    pub(super) has_latest: bool,
    /// The message before it asked for a change, and was answered by a question alone.
    pub(super) is_unanswered: bool,
}

impl CertainRequest {
    /// `None`: nothing that is certain.
    pub(super) fn of(understood: &Understanding, facts: &RequestFacts) -> Option<Self> {
        if facts.tools.is_empty() {
            return None;
        }
        if let Intent::Account(task) = understood.intent.unless_follow_up() {
            return Some(Self::Account(*task));
        }
        if let Some(lacks_part) = facts.change(&understood.intent) {
            return Some(Self::Change { lacks_part });
        }
        let calls = facts.clear_calls(&understood.calls);
        if calls.iter().any(|call| facts.keeps(call)) || facts.sets_notices(&understood.calls) {
            return Some(Self::Change { lacks_part: false });
        }
        let is_private = calls.iter().any(|call| facts.is_private(call.power))
            || facts.offers(Tool::AnswerPrivately) && facts.asks_for_own(&understood.intent);
        match is_private {
            true => Some(Self::Private),
            false => (!calls.is_empty()).then_some(Self::Power),
        }
    }
}

impl RequestFacts<'_> {
    /// Whether the words may be no request: "remember the Alamo", "call me Ishmael".
    pub(super) fn may_be_talk(&self, intent: &Intent) -> bool {
        let text = self.message.text.trim().to_lowercase().replace('’', "'");
        if TALKING.iter().any(|beginning| text.starts_with(beginning)) {
            return true;
        }
        match intent {
            Intent::SetName(_) => self.has_word(&["call"]),
            Intent::Remember { .. } if text.starts_with("note that ") => !self.has_word(&OWN),
            Intent::Remember { text } => {
                !text.contains(|c: char| c.is_ascii_digit()) && !self.has_word(&STATING)
            }
            // "Remind me of the plot of Hamlet" asks for no time.
            Intent::AskWhen { .. } => text.contains("remind me of "),
            _ => false,
        }
    }

    /// Whether the message tells a mood without a score: "my mood is great".
    pub(super) fn is_mere_mood(&self, calls: &PowerCalls) -> bool {
        let is_mood = |call: &&PowerCall| call.power == Power::MoodTracker;
        let clear = self.clear_calls(calls);
        !self.message.text.contains(|c: char| c.is_ascii_digit())
            && !clear.is_empty()
            && clear.iter().all(is_mood)
    }

    fn offers(&self, tool: Tool) -> bool {
        self.tools.contains(&OfferedTool::Own(tool))
    }

    /// Whether a change that is asked for lacks a part; `None`: no change is asked for. A name or a
    /// place is often only told to the others of a group.
    pub(super) fn change(&self, intent: &Intent) -> Option<bool> {
        match intent {
            Intent::Remind { .. }
            | Intent::RemindBefore(_)
            | Intent::CancelReminders(_)
            | Intent::Remember { .. }
            | Intent::Forget { .. }
            | Intent::ForgetEverything => Some(false),
            Intent::SetTimezone(_) | Intent::SetName(_) => (!self.group).then_some(false),
            // "Remind me who wrote Faust."
            Intent::AskWhen { text, .. } if begins_question(text) => None,
            Intent::AskWhen { .. } | Intent::AskWhat { .. } | Intent::AskRest { .. } => Some(true),
            Intent::Several(all) => {
                let changes: Vec<bool> = all.iter().filter_map(|one| self.change(one)).collect();
                let lacks_part = changes.iter().all(|lacks_part| *lacks_part);
                (!changes.is_empty()).then_some(lacks_part)
            }
            Intent::Power(text) => {
                let part = MessageContext {
                    text,
                    group: false, // only one of the parts has the name
                    ..*self.message
                };
                let calls = powers::recognise(&part);
                let calls = self.clear_calls(&calls);
                calls.iter().any(|call| self.keeps(call)).then_some(false)
            }
            Intent::FollowUp { what, otherwise } => match self.is_change(what) {
                true => Some(false),
                false => self.change(otherwise),
            },
            _ => None,
        }
    }

    /// Words like "later" and "make it 10" may be about anything that was spoken of.
    pub(super) fn is_change(&self, what: &FollowUp) -> bool {
        match what {
            FollowUp::SnoozeNumbered { .. }
            | FollowUp::Again(_)
            | FollowUp::Cancel(_)
            | FollowUp::Rename { .. }
            | FollowUp::Skip { .. }
            | FollowUp::CancelAllBut(_)
            | FollowUp::Undo => true,
            FollowUp::SkipLast { .. } => self.has_latest,
            FollowUp::Snooze(_) => self.has_latest || self.has_word(&["snooze"]),
            FollowUp::Change { .. }
            | FollowUp::Reword { .. }
            | FollowUp::Replace { .. }
            | FollowUp::Instead { .. } => self.has_latest,
            FollowUp::Time(_) | FollowUp::Yes => self.is_unanswered,
            _ => false,
        }
    }

    fn has_word(&self, wanted: &[&str]) -> bool {
        let text = self.message.text.to_lowercase().replace(['\'', '’'], "");
        let mut words = text.split(|c: char| !c.is_alphanumeric());
        words.any(|word| wanted.contains(&word))
    }

    /// Explicit requests to superpowers that are there. In a group those to the person's own count.
    pub(super) fn clear_calls<'c>(&self, calls: &'c PowerCalls) -> Vec<&'c PowerCall> {
        let is_clear = |call: &&PowerCall| {
            let is_there = self.offers(Tool::Power(call.power)) || self.is_private(call.power);
            call.strength == RequestStrength::Clear && is_there && self.powers.contains(&call.power)
        };
        calls.calls.iter().filter(is_clear).collect()
    }

    fn is_private(&self, power: Power) -> bool {
        self.group && !power.is_shared() && self.offers(Tool::AnswerPrivately)
    }

    /// Whether the superpower would keep or change something for it.
    pub(super) fn keeps(&self, call: &PowerCall) -> bool {
        let facts = Facts::default();
        let context = PowerContext {
            timezone: self.message.timezone,
            group: self.group && call.power.is_shared(),
            ..PowerContext::alone(self.message.now, 0, &facts)
        };
        let name = call.power.name();
        let stored = self.states.iter().find(|(of, _)| of == name);
        let stored = stored.map(|(_, state)| state);
        let outcome = call.power.act(stored, call.action.clone(), &context);
        outcome.is_ok_and(|outcome| outcome.stored.is_some() && !outcome.is_only_shown)
    }

    pub(super) fn sets_notices(&self, calls: &PowerCalls) -> bool {
        let is_set = |request: NoticeRequest| {
            !matches!(
                request,
                NoticeRequest::ShowWakingHours | NoticeRequest::UnclearHours
            )
        };
        self.offers(Tool::Notices) && calls.notices.is_some_and(is_set)
    }

    fn asks_for_own(&self, intent: &Intent) -> bool {
        let asks = matches!(
            intent.unless_follow_up(),
            Intent::Recall { .. }
                | Intent::ListReminders
                | Intent::FindReminders { .. }
                | Intent::Agenda { .. }
        );
        asks && self.has_word(&["my", "mine", "me", "i", "im", "ive"])
    }
}

fn begins_question(text: &str) -> bool {
    const WORDS: [&str; 11] = [
        "who", "whos", "whose", "what", "whats", "why", "how", "where", "when", "which", "whether",
    ];
    let text = text.to_lowercase().replace(['\'', '’'], "");
    text.split_whitespace()
        .next()
        .is_some_and(|first| WORDS.contains(&first))
}
