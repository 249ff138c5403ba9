//! Replies about connecting calendars and mailboxes.

/// With the link to the page.
pub fn connect_service(is_for_mail: bool, link: &str, minutes: i64) -> String {
    let what = if is_for_mail { "mailbox" } else { "calendar" };
    format!("Open this within {minutes} minutes to connect your {what}:\n{link}")
}

/// In a group others would see the link.
pub fn connect_alone() -> String {
    "Ask me that in our own chat: the link is for you alone.".to_owned()
}

/// The person said yes; a later message says whether the change was made.
pub fn calendar_change_begun() -> String {
    "Okay, I'm on it. I write as soon as your calendar has it.".to_owned()
}

pub fn calendar_changes_under_way() -> String {
    "Several changes of your calendar are under way. Please ask again when they are done."
        .to_owned()
}

pub fn calendar_gone() -> String {
    "That calendar is no longer connected.".to_owned()
}

/// Nothing can be written here later, so nobody could say how it went.
pub fn calendar_change_not_here() -> String {
    "I can't change your calendar from here, as I could not tell you how it went.".to_owned()
}

/// Without a version a change of somebody else's could be lost.
pub fn calendar_event_has_no_version() -> String {
    "I don't know the newest version of that event yet. Please ask again in a few minutes."
        .to_owned()
}

/// The event was just added, or was deleted.
pub fn calendar_event_not_seen() -> String {
    "I don't see that event in your calendar at the moment. Please ask again in a minute."
        .to_owned()
}

/// To a password or a secret address.
pub fn no_passwords_here() -> String {
    "That looked like a password or a secret address, so I did not keep it: a chat is no place for \
     one. Say \"connect my calendar\" or \"connect my mail\", and I send you a link where you can enter it. If it was a \
     real one, change it."
        .to_owned()
}
