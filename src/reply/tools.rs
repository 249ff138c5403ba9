//! Tools for a language model: one per superpower, and two for the builtin assistant's data. A tool
//! takes a command in ordinary words, which is parsed by the rules for people's messages. Pure:
//! access and effects are handled elsewhere.

use serde_json::Value;

use super::builtin::{Intent, MessageContext, understand};
use super::powers::{self, Action, Control, Power};
use super::prompt::estimated_tokens;

/// Limit of a command's characters; people's messages have the same.
const COMMAND_CHARS_MAX: usize = 1_000;
/// Estimated tokens of a tool without its name and description.
const TOOL_TOKENS: usize = 40;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tool {
    Power(Power),
    Remember,
    Reminders,
}

/// The meaning of a tool call.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolAction {
    Power(Power, Action),
    Builtin(Intent),
}

/// Why a tool call is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unusable {
    /// The arguments have the wrong form.
    Garbled,
    /// The command isn't one of this tool.
    NotUnderstood,
}

impl Unusable {
    /// The name for operators.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Garbled => "garbled",
            Self::NotUnderstood => "not understood",
        }
    }
}

impl Tool {
    /// All tools; superpowers in the order of the help text.
    pub fn all() -> impl Iterator<Item = Self> {
        let powers = Power::ALL.into_iter().rev().map(Self::Power);
        powers.chain([Self::Remember, Self::Reminders])
    }

    /// Whether it uses personal data, which groups must neither see nor change.
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

    /// The description for the model.
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
            Self::Power(Power::TicketsVault) => "Keeps tickets and shows them in time.",
            Self::Power(Power::ReservationPrep) => "Keeps bookings and appointments.",
            Self::Power(Power::MembershipRenewal) => "Tells of renewals a week before.",
            Self::Power(Power::CancellationProtector) => {
                "Warns before trials and free cancellations end."
            }
            Self::Power(Power::PackageTracking) => "Keeps which parcels are expected when.",
            Self::Power(Power::PostEventCheckin) => "Asks afterwards how something went.",
            Self::Power(Power::EveningPrep) => "Tells what tomorrow brings and needs.",
            Self::Power(Power::CalendarQueryAgent) => "Answers questions about calendars.",
            Self::Power(Power::CalendarListAgent) => "Lists calendars, switches them on and off.",
            Self::Power(Power::CalendarStressAgent) => "Tells how full a week is.",
            Self::Power(Power::CalendarMorning) => "Tells what is on today.",
            Self::Power(Power::CalendarEvents) => "Tells of events before they begin.",
            Self::Power(Power::CallPrep) => "Tells who takes part in the next call.",
            Self::Power(Power::DestinationPrep) => "Tells when to leave for an event.",
            Self::Power(Power::GmailMindreaderAgent) => "Searches the person's mail.",
            Self::Power(Power::EmailUrgency) => "Tells of mail that can't wait.",
            Self::Remember => "Keeps a fact that the person wants remembered.",
            Self::Reminders => "Sets, lists and cancels reminders.",
        }
    }

    /// Examples of its commands.
    #[rustfmt::skip] // one tool per line
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
            Self::Power(Power::TicketsVault) => &["keep this ticket: Coldplay, friday 20:00, row 5", "my tickets"],
            Self::Power(Power::ReservationPrep) => &["dinner at Luigi on friday at 20:00, +1555 0100", "my reservations"],
            Self::Power(Power::MembershipRenewal) => &["netflix renews on 5 December", "my renewals"],
            Self::Power(Power::CancellationProtector) => &["my netflix trial ends on 5 December", "my trials"],
            Self::Power(Power::PackageTracking) => &["my parcel from Zalando arrives on friday", "my parcels"],
            Self::Power(Power::PostEventCheckin) => &["I have an interview tomorrow at 10", "my check-ins"],
            Self::Power(Power::EveningPrep) => &["evening prep", "evening prep every day at 20:00"],
            Self::Power(Power::CalendarQueryAgent) => &["when do I see Ana next?", "how many meetings this week?"],
            Self::Power(Power::CalendarListAgent) => &["which calendars", "turn off calendar Work"],
            Self::Power(Power::CalendarStressAgent) => &["how is my week?", "how is next week?"],
            Self::Power(Power::CalendarMorning) => &["morning briefing", "morning briefing at 7:30"],
            Self::Power(Power::CalendarEvents) => &["remind me an hour before meetings"],
            Self::Power(Power::CallPrep) => &["prepare me for my next call"],
            Self::Power(Power::DestinationPrep) => &["when do I have to leave?"],
            Self::Power(Power::GmailMindreaderAgent) => &["anything important in my mail?", "mails from Ana"],
            Self::Power(Power::EmailUrgency) => &["any urgent mail?"],
            Self::Remember => &["remember that my bike lock code is 4321"],
            Self::Reminders => &[
                "remind me in 20 minutes to check the oven",
                "remind me tomorrow at 9 to call mom",
                "remind me on 2026-12-24 at 18:30 to light the tree", "reminders",
                "cancel my reminder to call mom",
            ],
        }
    }

    /// The meaning of a call with these arguments (JSON by a model) for the person in `heard`,
    /// whose own text is ignored.
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
            // All reminders are cancelled only if the person asked for that explicitly.
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

/// Parses a command, adding the first words that models tend to omit.
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

/// A command is always addressed to the assistant, also in a group.
const fn spoken<'a>(heard: &MessageContext<'a>, command: &'a str) -> MessageContext<'a> {
    MessageContext {
        text: command,
        group: false,
        has_photos: false,
        ..*heard
    }
}

/// Parses `{"command": "…"}`, or an object whose only value is a text.
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
