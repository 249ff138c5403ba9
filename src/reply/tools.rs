//! What a language model may do for the person it speaks with: one tool for each superpower,
//! and two for what the builtin assistant keeps. A tool takes one command in the words that a
//! person would use, and the rules that understand people understand it. Pure: whether the
//! person may, and what then happens, is decided elsewhere.

use serde_json::Value;

use super::builtin::{Intent, MessageContext, understand};
use super::powers::{self, Action, Control, Power};
use super::prompt::estimated_tokens;

/// Characters of a command; no person's is longer.
const COMMAND_CHARS_MAX: usize = 1_000;
/// What a tool costs beside its name and description.
const TOOL_TOKENS: usize = 40;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tool {
    Power(Power),
    Remember,
    Reminders,
}

/// What a call of a tool means.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolAction {
    Power(Power, Action),
    Builtin(Intent),
}

/// Why a call means nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unusable {
    /// Its arguments are not what was asked for.
    Garbled,
    /// The command is not one of the tool's.
    NotUnderstood,
}

impl Unusable {
    /// For operators.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Garbled => "garbled",
            Self::NotUnderstood => "not understood",
        }
    }
}

impl Tool {
    /// All there are; the superpowers as the help lists them.
    pub fn all() -> impl Iterator<Item = Self> {
        let powers = Power::ALL.into_iter().rev().map(Self::Power);
        powers.chain([Self::Remember, Self::Reminders])
    }

    /// Whether it is about what is one person's own, which no group sees or changes.
    pub const fn is_private(self) -> bool {
        match self {
            Self::Power(power) => !power.is_shared(),
            Self::Remember => true,
            Self::Reminders => false,
        }
    }

    pub const fn name(self) -> &'static str {
        match self {
            Self::Power(power) => power.name(),
            Self::Remember => "remember",
            Self::Reminders => "reminders",
        }
    }

    /// What the model is told of it.
    pub fn description(self) -> String {
        format!(
            "{} The command is in English and worded like one of these: {}",
            self.purpose(),
            self.examples().join(" | ")
        )
    }

    pub fn tokens(self) -> usize {
        TOOL_TOKENS + estimated_tokens(self.name()) + estimated_tokens(&self.description())
    }

    const fn purpose(self) -> &'static str {
        match self {
            Self::Power(Power::TodoList) => "Keeps the to-do and shopping list.",
            Self::Power(Power::BillSplit) => "Splits bills and knows who owes whom.",
            Self::Power(Power::TripPlanner) => "Plans trips.",
            Self::Power(Power::BirthdayReminder) => "Knows birthdays and tells of them on the day.",
            Self::Power(Power::HabitTracker) => "Tracks habits.",
            Self::Power(Power::BudgetTracker) => "Keeps what was spent, and budgets.",
            Self::Power(Power::MoodTracker) => "Keeps a diary of moods from 1 to 10.",
            Self::Power(Power::FocusProtector) => {
                "Holds reminders back while somebody concentrates."
            }
            Self::Power(Power::DailySummary) => "Sums the day up, now or every day.",
            Self::Remember => "Keeps a fact that the person wants remembered.",
            Self::Reminders => "Sets, lists and cancels reminders.",
        }
    }

    /// Commands that it understands.
    #[rustfmt::skip] // one tool after the other, not one word a line
    const fn examples(self) -> &'static [&'static str] {
        match self {
            Self::Power(Power::TodoList) => &[
                "add milk and eggs to my list", "what's on my list?", "done with milk",
                "remove eggs from my list",
            ],
            Self::Power(Power::BillSplit) => &[
                "split 90 dollars between Ana, Bo and me", "Ana paid 30 for pizza",
                "who owes what?",
            ],
            Self::Power(Power::TripPlanner) => &[
                "plan a trip to Lisbon from 3 to 7 June", "add day 2: museum",
                "add a hat to my packing list", "show my trip",
            ],
            Self::Power(Power::BirthdayReminder) => &[
                "Ana's birthday is on 3 May", "when is Ana's birthday?", "birthdays",
            ],
            Self::Power(Power::HabitTracker) => &[
                "track habit: run 3 times a week", "did run", "my habits",
            ],
            Self::Power(Power::BudgetTracker) => &[
                "spent 12.50 on lunch", "budget 400 for food",
                "how much have I spent this month?",
            ],
            Self::Power(Power::MoodTracker) => &["mood 7/10", "how was my mood this week?"],
            Self::Power(Power::FocusProtector) => &[
                "focus for 45 minutes", "focus until 5pm", "stop focus",
            ],
            Self::Power(Power::DailySummary) => &[
                "daily summary", "send me my summary every day at 8am", "stop my daily summary",
            ],
            Self::Remember => &["remember that my bike lock code is 4321"],
            Self::Reminders => &[
                "remind me in 20 minutes to check the oven",
                "remind me tomorrow at 9 to call mom",
                "remind me on 2026-12-24 at 18:30 to light the tree", "reminders",
                "cancel my reminder to call mom",
            ],
        }
    }

    /// What a call with these arguments (JSON, a model's) means to the person who is `heard`,
    /// whose own text does not count.
    pub fn read(self, arguments: &str, heard: &MessageContext<'_>) -> Result<ToolAction, Unusable> {
        let command = command(arguments).ok_or(Unusable::Garbled)?;
        let deed = match self {
            Self::Power(power) => {
                let calls = powers::recognise(&spoken(heard, &command));
                let action = match (calls.of(power), calls.control) {
                    (Some(call), _) => Some(call.action.clone()),
                    (None, Some(Control::Undo)) => Some(Action::Undo),
                    (None, _) => None,
                };
                action.map(|action| ToolAction::Power(power, action))
            }
            Self::Remember => builtin(heard, &command, "remember that", |intent| {
                matches!(intent, Intent::Remember { .. })
            }),
            // All of them at once go only when the person says so in so many words.
            Self::Reminders => builtin(heard, &command, "remind me", |intent| {
                matches!(
                    intent,
                    Intent::Remind { .. }
                        | Intent::ListReminders
                        | Intent::CancelReminders { about: Some(_), .. }
                )
            }),
        };
        deed.ok_or(Unusable::NotUnderstood)
    }
}

/// With the words before it that models leave out, where it is no command without them.
fn builtin(
    heard: &MessageContext<'_>,
    command: &str,
    before: &str,
    is_own: fn(&Intent) -> bool,
) -> Option<ToolAction> {
    let bare = understand(&spoken(heard, command));
    let intent = if bare.is_command() {
        bare
    } else {
        understand(&spoken(heard, &format!("{before} {command}")))
    };
    is_own(&intent).then_some(ToolAction::Builtin(intent))
}

/// A command is always meant for the assistant, also in a group.
const fn spoken<'a>(heard: &MessageContext<'a>, command: &'a str) -> MessageContext<'a> {
    MessageContext {
        text: command,
        group: false,
        has_photos: false,
        ..*heard
    }
}

/// `{"command": "…"}`, or an object whose only value is text, under whatever name.
fn command(arguments: &str) -> Option<String> {
    let arguments: Value = serde_json::from_str(arguments).ok()?;
    let fields = arguments.as_object()?;
    let text = match fields.get("command") {
        Some(command) => command.as_str()?,
        None if fields.len() == 1 => fields.values().next()?.as_str()?,
        None => return None,
    };
    let short = text.chars().count() <= COMMAND_CHARS_MAX;
    let clean = text.replace(char::is_control, " ");
    let clean = clean.trim();
    (short && !clean.is_empty()).then(|| clean.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Timestamp;

    const HEARD: MessageContext<'static> = MessageContext {
        text: "we're out of milk again",
        now: Timestamp(1_772_625_600_000),
        timezone: None,
        persona: "Juno",
        group: true,
        has_photos: false,
    };

    fn read(tool: Tool, command: &str) -> Result<ToolAction, Unusable> {
        let arguments = serde_json::json!({ "command": command }).to_string();
        tool.read(&arguments, &HEARD)
    }

    #[test]
    fn every_example_is_understood_and_named_once() {
        let mut names: Vec<&str> = Tool::all().map(Tool::name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Tool::all().count());
        for tool in Tool::all() {
            for example in tool.examples() {
                assert!(read(tool, example).is_ok(), "{}: {example}", tool.name());
                assert!(tool.description().contains(example));
            }
        }
    }

    #[test]
    fn what_is_no_command_means_nothing() {
        let todo = Tool::Power(Power::TodoList);
        let long = format!("add {} to my list", "x".repeat(COMMAND_CHARS_MAX));
        for arguments in [
            "",
            "{",
            "null",
            "[]",
            "\"add milk to my list\"",
            "{}",
            r#"{"command": 7}"#,
            r#"{"command": "  "}"#,
            r#"{"items": ["milk"]}"#,
            r#"{"item": "milk", "list": "shopping"}"#,
            &serde_json::json!({ "command": long }).to_string(),
        ] {
            assert_eq!(
                todo.read(arguments, &HEARD),
                Err(Unusable::Garbled),
                "{arguments}"
            );
        }
        for (tool, command) in [
            (todo, "tell me of Bath"),
            (todo, "mood 7/10"),
            (todo, "done"),
            (Tool::Remember, "remind me in 5 minutes to go"),
            (Tool::Reminders, "cancel all reminders"),
            (Tool::Reminders, "forget everything"),
            (Tool::Reminders, "remember that I like tea"),
        ] {
            assert_eq!(
                read(tool, command),
                Err(Unusable::NotUnderstood),
                "{command}"
            );
        }
    }

    #[test]
    fn what_models_leave_out_is_put_back() {
        let kept = Intent::Remember {
            text: "I like tea".to_owned(),
        };
        for command in ["remember that I like tea", "I like tea", "I like\ttea"] {
            assert_eq!(
                read(Tool::Remember, command),
                Ok(ToolAction::Builtin(kept.clone()))
            );
        }
        let Ok(ToolAction::Builtin(Intent::Remind { text, .. })) =
            read(Tool::Reminders, "tomorrow at 9 to call mom")
        else {
            panic!("a reminder");
        };
        assert_eq!(text, "call mom");
        let undo = read(Tool::Power(Power::TodoList), "undo");
        assert_eq!(undo, Ok(ToolAction::Power(Power::TodoList, Action::Undo)));
        let named = Tool::Power(Power::TodoList).read(r#"{"text": "add tea to my list"}"#, &HEARD);
        assert!(
            matches!(named, Ok(ToolAction::Power(Power::TodoList, _))),
            "{named:?}"
        );
    }
}
