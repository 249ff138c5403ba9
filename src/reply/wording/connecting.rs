//! What is said about connecting calendars and mailboxes.

/// With the link to the page.
pub fn connect_service(is_for_mail: bool, link: &str, minutes: i64) -> String {
    let what = if is_for_mail { "mailbox" } else { "calendar" };
    format!("Open this within {minutes} minutes to connect your {what}:\n{link}")
}

/// In a group others would see the link.
pub fn connect_alone() -> String {
    "Ask me that in our own chat: the link is for you alone.".to_owned()
}

/// To a password or a secret address.
pub fn no_passwords_here() -> String {
    "That looked like a password or a secret address, so I did not keep it: a chat is no place for \
     one. Say \"connect my calendar\" or \"connect my mail\", and I send you a link where you can enter it. If it was a \
     real one, change it."
        .to_owned()
}
