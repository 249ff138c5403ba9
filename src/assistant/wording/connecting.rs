//! Replies about connecting calendars and mailboxes.

/// With the link to the page.
pub fn connect_service(is_for_mail: bool, link: &str, minutes: i64) -> String {
    let what = if is_for_mail { "mailbox" } else { "calendar" };
    format!("Open this within {minutes} minutes to connect your {what}:\n{link}")
}

/// In a group others would see the link.
pub const CONNECT_ALONE: &str = "Ask me that in our own chat: the link is for you alone.";

/// The person said yes; a later message says whether the change was made.
pub const CALENDAR_CHANGE_BEGUN: &str = "Okay, I'm on it. I write as soon as your calendar has it.";

pub const CALENDAR_CHANGES_UNDER_WAY: &str =
    "Several changes of your calendar are under way. Please ask again when they are done.";

pub const CALENDAR_GONE: &str = "That calendar is no longer connected.";

/// Nothing can be written here later, so nobody could say how it went.
pub const CALENDAR_CHANGE_NOT_HERE: &str =
    "I can't change your calendar from here, as I could not tell you how it went.";

/// Without a version a change of somebody else's could be lost.
pub const CALENDAR_EVENT_HAS_NO_VERSION: &str =
    "I don't know the newest version of that event yet. Please ask again in a few minutes.";

/// The event was just added, or was deleted.
pub const CALENDAR_EVENT_NOT_SEEN: &str =
    "I don't see that event in your calendar at the moment. Please ask again in a minute.";

/// To a password or a secret address.
pub fn no_passwords_here() -> String {
    "That looked like a password or a secret address, so I did not keep it: a chat is no place for \
     one. Say \"connect my calendar\" or \"connect my mail\", and I send you a link where you can enter it. If it was a \
     real one, change it."
        .to_owned()
}
