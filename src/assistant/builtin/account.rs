//! Questions about the person's account and the assistant's abilities: status, usage, help. Only
//! fixed phrases match, so that ordinary talk about these subjects doesn't.

use super::{AccountTask, Intent, ParsedMessage, ProfilePart, small_talk, wording};
use crate::assistant::help::HelpGroup;
use crate::assistant::text::phrases::{Phrases, phrases};

pub(super) fn command(message: &ParsedMessage) -> Option<Intent> {
    let request = &*small_talk::spelled_out(message.request());
    if request.is_empty() {
        return (message.context.text.trim() == "?").then_some(Intent::Help(None));
    }
    let whole = message.phrase.as_str();
    // These begin like a courtesy ("can you …").
    let is_question = phrases![
        "can you help", "can you set reminders", "can you set a reminder",
        "can you remember things", "can you remind me of things", "can you remind me"
    ]
    .contains(whole);
    if is_status(request) {
        Some(Intent::Status)
    } else if let Some(part) = profile_part(request) {
        Some(Intent::Profile(part))
    } else if is_usage(request) {
        Some(Intent::Usage)
    } else if is_about_account(request, &DELETE) || is_deletion(request) {
        Some(Intent::Account(AccountTask::Delete))
    } else if is_about_account(request, &EXPORT) || is_export(request) {
        Some(Intent::Account(AccountTask::Export))
    } else if message.is_addressed && asks_what_is_kept(request) {
        Some(Intent::Say(wording::WHAT_IS_KEPT.to_owned()))
    } else if is_question || is_help(request) || request.starts_with("what can you do") {
        Some(Intent::Help(None))
    } else {
        match help_group(request) {
            None if is_help_with_a_word(request) && message.is_addressed => {
                Some(Intent::Help(None))
            }
            group => group.map(|group| Intent::Help(Some(group))),
        }
    }
}

/// "help reminders", "how do lists work".
fn help_group(request: &str) -> Option<HelpGroup> {
    const ASKED: [&str; 10] = [
        "help me with my ", "help me with ", "help with my ", "help with ", "help about ",
        "help on ", "help for ", "help ", "how do i use ", "tell me about your ",
    ];
    let rest = ASKED.iter().find_map(|prefix| request.strip_prefix(prefix));
    let how = || request.strip_prefix("how do ")?.strip_suffix(" work");
    HelpGroup::named(rest.or_else(how)?)
}

/// "help remidners": a word that names no group.
fn is_help_with_a_word(request: &str) -> bool {
    let word = request.strip_prefix("help ");
    word.is_some_and(|word| {
        !word.contains(' ') && !matches!(word, "yourself" | "us" | "him" | "her" | "them")
    })
}

/// Asks for the account's status.
fn is_status(request: &str) -> bool {
    phrases![
        "status", "my status", "whats my status", "what is my status", "show my status",
        "show me my status", "account", "my account", "account status", "show my account",
        "my plan", "whats my plan", "what is my plan", "what plan am i on", "which plan am i on",
        "subscription", "my subscription", "subscription status", "am i subscribed", "settings",
        "my settings", "show my settings", "profile", "my profile"
    ]
    .contains(request)
}

static TIME_ZONE: Phrases = Phrases::new(&[
    "whats my timezone", "what is my timezone", "whats my time zone", "what is my time zone",
    "what timezone am i in", "what time zone am i in",
]);

/// What somebody asks of oneself.
fn profile_part(request: &str) -> Option<ProfilePart> {
    Some(match request {
        "whats my name" | "what is my name" | "do you know my name" | "who am i" => {
            ProfilePart::Name
        }
        _ if TIME_ZONE.contains(request) => ProfilePart::TimeZone,
        _ => return None,
    })
}

/// Asks for the usage.
fn is_usage(request: &str) -> bool {
    phrases![
        "usage", "my usage", "show my usage", "show usage", "limits", "my limits", "limit",
        "whats my limit", "whats my usage", "what is my usage", "what are my limits",
        "how many messages do i have left", "how many messages have i left",
        "how many messages are left", "how many messages left", "messages left",
        "how many messages have i sent", "how many messages have i sent today",
        "how many messages can i send", "how much have i used"
    ]
    .contains(request)
}

const DELETE: [&str; 6] = ["delete", "close", "erase", "remove", "deactivate", "wipe"];
const EXPORT: [&str; 6] = ["export", "download", "get", "copy", "see", "receive"];

/// A short request with one of `verbs` and "my account" or "my data" at its end.
fn is_about_account(request: &str, verbs: &[&str]) -> bool {
    const WORDS_MAX: usize = 9;
    // "delete my account at the gym" is another's.
    let Some((rest, last)) = request.rsplit_once(' ') else {
        return false;
    };
    let is_noun = match last {
        "account" => !verbs.contains(&"export"),
        "data" | "information" | "info" => true,
        _ => false,
    };
    if !is_noun {
        return false; // most requests
    }
    let rest: Vec<&str> = rest.split(' ').collect();
    rest.len() < WORDS_MAX
        && matches!(rest.last(), Some(&"my" | &"personal" | &"all" | &"the"))
        && rest.contains(&"my")
        && rest.iter().any(|word| verbs.contains(word))
        && !rest.contains(&"cancel")
}

/// Asks for the account's deletion.
fn is_deletion(request: &str) -> bool {
    phrases![
        "delete my account", "delete account", "close my account", "remove my account",
        "erase my account", "cancel my account", "delete my data", "delete all my data",
        "erase my data", "erase all my data", "how do i delete my account",
        "how can i delete my account", "how do i delete my data"
    ]
    .contains(request)
}

/// Asks for an export of the data.
fn is_export(request: &str) -> bool {
    phrases![
        "export my data", "export data", "export all my data", "export my account",
        "download my data", "download all my data", "give me my data", "send me my data",
        "how do i export my data", "how can i export my data", "how do i download my data"
    ]
    .contains(request)
}

/// Asks who reads what is written, or what is stored of it.
fn asks_what_is_kept(request: &str) -> bool {
    phrases![
        "is this private", "is this chat private", "is it private", "is this confidential",
        "is this secure", "are my messages private", "is my data private", "is my data safe",
        "privacy", "what about privacy", "what about my privacy", "are you reading my messages",
        "do you read my messages", "who reads my messages", "who reads this", "who can read this",
        "who can read my messages", "who sees my messages", "can anyone read this",
        "can anyone else read this", "can anyone read my messages", "do you store my messages",
        "do you store my data", "do you keep my messages", "do you save my messages",
        "what do you store", "what do you store about me", "what do you keep about me",
        "what do you save about me", "what data do you store", "what data do you have",
        "what data do you keep", "what data do you have about me",
        "what data do you store about me", "what data do you keep about me",
        "which data do you store", "what information do you have about me",
        "what information do you store"
    ]
    .contains(request)
}

/// Asks for help.
fn is_help(request: &str) -> bool {
    phrases![
        "help", "help me", "commands", "menu", "start", "info", "what do you do",
        "how do you work", "how does this work", "how do i use you", "how do i use this",
        "what are you able to do", "what are your commands", "what are your features",
        "show me what you can do", "tell me what you can do", "what can i do", "what can i ask",
        "what can i ask you", "what can i say", "what else can you do", "can you set reminders",
        "can you set a reminder", "how do i set a reminder", "can you remember things",
        "can you remind me of things", "what are you good at", "i need help", "how can you help",
        "how can you help me", "help me remember", "help me remember stuff",
        "help me remember things", "help me to remember things", "help me not forget things",
        "help me with something", "help me with a few things", "help me out"
    ]
    .contains(request)
}
