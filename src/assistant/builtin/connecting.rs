//! "Connect my calendar", "connect my mail": fixed phrases, and what is answered to a password,
//! which was taken out of the message before.

use super::{Intent, ParsedMessage, wording};
use crate::model::secret_text::REMOVED;

pub(super) fn command(message: &ParsedMessage) -> Option<Intent> {
    if message.context.text.contains(REMOVED) {
        return Some(Intent::Unclear(wording::no_passwords_here()));
    }
    let request = message.request();
    let (verb, rest) = request.split_once(' ')?;
    if !matches!(verb, "connect" | "link") {
        return None;
    }
    let what = rest
        .trim_start_matches("my ")
        .trim_start_matches("a ")
        .trim_start_matches("the ");
    match what {
        "calendar" | "calendars" | "google calendar" | "outlook calendar" | "icloud calendar" => {
            Some(Intent::ConnectCalendar)
        }
        "mail" | "mails" | "email" | "emails" | "e-mail" | "inbox" | "mailbox" | "gmail" => {
            Some(Intent::ConnectMail)
        }
        _ => None,
    }
}
