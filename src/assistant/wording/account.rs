//! Wording about the account and the assistant: status, usage, limits, upgrades, help, apologies.
//! This file decides no access.

use super::times::zone_name;
use crate::clock::{Timestamp, Zone};

/// Facts for these texts.
#[derive(Debug, Clone, Copy, Default)]
pub struct AccountFacts<'a> {
    pub name: Option<&'a str>,
    pub subscribed: bool,
    /// `monthly` or `annual`.
    pub plan: Option<&'a str>,
    /// Since midnight UTC.
    pub messages_used_today: i64,
    /// `None` means unlimited.
    pub daily_limit: Option<i64>,
    pub memories: usize,
    pub reminders: usize,
    pub timezone: Option<Zone>,
}

pub fn status(facts: &AccountFacts) -> String {
    let name = match facts.name.map(str::trim) {
        Some(name) if !name.is_empty() => format!("You are {name}"),
        _ => "I don't know your name yet".to_owned(),
    };
    let plan = match (facts.subscribed, facts.plan) {
        (true, Some(plan)) => format!("subscribed ({plan} plan)"),
        (true, None) => "subscribed".to_owned(),
        (false, _) => "on the free plan".to_owned(),
    };
    let link = if name.starts_with("You") {
        " and"
    } else {
        "; you are"
    };
    let zone = known_zone(facts.timezone);
    format!(
        "{name}{link} {plan}.\n{}\nI keep {} and {} for you.\n{zone}",
        usage(facts),
        counted(facts.memories, "memory", "memories"),
        counted(facts.reminders, "reminder", "reminders"),
    )
}

pub fn known_name(name: Option<&str>) -> String {
    match name.map(str::trim) {
        Some(name) if !name.is_empty() => format!("You are {name}."),
        _ => "I don't know your name yet. Tell me with “my name is …”.".to_owned(),
    }
}

pub fn known_zone(zone: Option<Zone>) -> String {
    match zone {
        Some(zone) => format!("Your time zone is {}.", zone_name(zone)),
        None => "Your time zone isn't known, so times are in UTC.".to_owned(),
    }
}

pub fn usage(facts: &AccountFacts) -> String {
    match facts.daily_limit {
        None => "Your messages are unlimited.".to_owned(),
        Some(limit) => {
            let used = facts.messages_used_today.max(0);
            let left = limit.saturating_sub(used).max(0);
            format!("You've used {used} of {limit} messages today; {left} left until midnight UTC.")
        }
    }
}

pub(super) fn counted(count: usize, one: &str, many: &str) -> String {
    match count {
        0 => format!("no {many}"),
        1 => format!("1 {one}"),
        n => format!("{n} {many}"),
    }
}

pub fn timezone_set(zone: Zone, now: Timestamp) -> String {
    let time = now.utc().with_timezone(&zone).format("%H:%M");
    format!(
        "Okay, your time zone is {}. It's {time} there.",
        zone_name(zone)
    )
}

/// `phrase`: the text that wasn't understood, empty if there was none.
pub fn timezone_unclear(phrase: &str) -> String {
    let example = "Say it like “my time zone is Europe/Berlin”, or with a city such as New York.";
    if phrase.is_empty() {
        return format!("Which time zone is yours? {example}");
    }
    format!(
        "I don't know the time zone “{}”. {example}",
        super::quoted(phrase)
    )
}

pub fn name_set(name: &str) -> String {
    format!("Nice to meet you, {name}!")
}

pub fn name_unclear(chars_max: usize) -> String {
    format!(
        "I didn't catch that name. Say it like “my name is Ana”, in at most four words and {chars_max} characters."
    )
}

/// The sentence contained no name.
pub const NAME_LEFT: &str =
    "That tells me no name, so I've changed nothing. Say it like “my name is Ana”.";

pub fn introduction(persona: &str) -> String {
    format!(
        "I'm {persona}, your assistant in this chat. I remember things for you and remind you of them; “help” shows how."
    )
}

/// Groups of what there is: their titles and lines.
pub fn help(persona: &str, groups: &[(&str, Vec<&str>)]) -> String {
    let mut reply =
        format!("I'm {persona}. Here's what I can do; “help reminders” and the like tell more.");
    for (title, lines) in groups {
        reply.push_str(&format!("\n\n{title}:"));
        for line in lines {
            reply.push_str(&format!("\n• {line}"));
        }
    }
    reply
}

/// One group, with more of it.
pub fn help_with(title: &str, lines: &[&str]) -> String {
    let mut reply = format!("{title}:");
    for line in lines {
        reply.push_str(&format!("\n• {line}"));
    }
    reply
}

/// A group of which there is nothing.
pub fn no_help_with(title: &str) -> String {
    format!(
        "There's nothing of that here ({}). “help” shows what there is.",
        title.to_lowercase()
    )
}

/// Nothing in `text` is a known request.
pub fn unknown(text: &str, persona: &str) -> String {
    if text.trim().is_empty() {
        return "I got no words there. Say “help” to see what I can do.".to_owned();
    }
    let hash = text.bytes().fold(7_usize, |hash, b| {
        hash.wrapping_mul(31).wrapping_add(usize::from(b))
    });
    match hash % 3 {
        0 => "I'm afraid I can't help with that. I keep memories and reminders; say “help” to see how.".to_owned(),
        1 => format!("That's beyond me, sorry. {persona} remembers things and reminds you of them: “help” shows how."),
        _ => "I didn't understand that. I can remind you, remember things and tell you the time; “help” shows how.".to_owned(),
    }
}

pub fn photos_unseen(persona: &str) -> String {
    format!(
        "Thanks for the photo! {persona} can't look at pictures here, sorry. Tell me in words what you'd like me to do."
    )
}

/// The day's messages are used up.
pub fn limit_reached(persona: &str) -> String {
    format!(
        "You've had all of today's free messages, so {persona} has to rest until midnight UTC. {}",
        UPGRADE_MESSAGE
    )
}

/// There are no free messages at all.
pub fn paywall(persona: &str) -> String {
    format!(
        "{persona} is here for subscribers at the moment. {}",
        UPGRADE_MESSAGE
    )
}

pub const UPGRADE_MESSAGE: &str = "Subscribe for unlimited messages and superpowers.";

/// For a group: the reader may not be the one who can subscribe.
pub const OWNER_UPGRADE_MESSAGE: &str =
    "Superpowers work here once the group's owner has subscribed.";

pub fn superpower_requires_subscription(persona: &str) -> String {
    format!(
        "That's one of {persona}'s superpowers, and they come with a subscription. {}",
        UPGRADE_MESSAGE
    )
}

pub fn group_owner_not_subscribed(persona: &str) -> String {
    format!(
        "That's one of {persona}'s superpowers. In a group they work when the one who owns the group has subscribed."
    )
}

/// A personal superpower was requested in a group.
pub fn superpower_alone(title: &str) -> String {
    format!(
        "What I keep of your {title} is between the two of us, and others read along here. Ask me in our direct chat."
    )
}

/// "no" after something was done without a question.
pub const DONE_ALREADY: &str = "It's done already; “undo” takes it back.";

/// A change of something personal was requested in a group.
/// `may_be_shared`: it may be meant for a bill of the group.
pub fn changed_alone(may_be_shared: bool) -> String {
    let shared = match may_be_shared {
        true => " To share it here, say who takes part: “split 90 between Ana, Bo and me”.",
        false => "",
    };
    format!(
        "I've changed nothing: what is your own I change only in our direct chat, as others read along here. Tell me there.{shared}"
    )
}

/// Memories are not handled in groups.
pub const MEMORIES_ALONE: &str = "What I remember for you is between the two of us, and others read along here. Tell me in our direct chat.";

/// For a group, from which the time zone of somebody with a direct chat isn't changed.
pub const TIMEZONE_ALONE: &str = "All your reminders go by your time zone, so I change it only in our direct chat. Tell me there.";

/// For a group, when the answer was sent to the direct chat.
pub const ANSWERED_ALONE: &str =
    "What is your own I've told you in our direct chat, as others read along here.";

/// For a group, when the person has no direct chat.
pub const ASK_ALONE: &str =
    "What is your own I don't tell here, as others read along. Ask me in our direct chat.";

/// `still_sends`: the superpower still sends messages on its own.
pub fn superpower_ended(title: &str, still_sends: bool) -> String {
    match still_sends {
        true => format!("Okay, no more about your {title} now. What is set of it still comes."),
        false => format!("Okay, that's it for your {title}. It's all kept."),
    }
}

/// Too many commands within a minute.
pub fn too_many_commands(persona: &str) -> String {
    format!(
        "That's a lot at once! Give {persona} a minute, then try again; nothing has been changed."
    )
}

pub fn memories_full(max: usize) -> String {
    format!(
        "I already keep {max} memories for you, which is all I can hold. Say “forget …” to make room."
    )
}
