//! Providers that refuse passwords, and the advice for each.

use super::web::Address;
use super::{Credentials, ServiceError};

/// Domains of Google's CalDAV servers.
const GOOGLE: [&str; 3] = ["google.com", "googleusercontent.com", "gmail.com"];
/// Domains of Microsoft's servers.
const MICROSOFT: [&str; 6] = [
    "outlook.com", "office365.com", "office.com", "hotmail.com", "live.com", "msn.com",
];

/// Why these credentials can't work, where that is known without asking.
pub(super) fn refusal(credentials: &Credentials, address: &Address) -> Option<ServiceError> {
    let is_of = |domains: &[&str]| {
        domains
            .iter()
            .any(|domain| address.host == *domain || address.host.ends_with(&format!(".{domain}")))
    };
    let sentence = match credentials {
        Credentials::Caldav { .. } if is_of(&GOOGLE) => {
            "Google's CalDAV takes no passwords. Connect the calendar by its iCal address instead: \
             calendar.google.com on a computer → Settings → your calendar → Integrate calendar → \
             “Secret address in iCal format”."
        }
        Credentials::Caldav { .. } if is_of(&MICROSOFT) => {
            "Microsoft has no CalDAV. Connect the calendar by its iCal address instead: Settings → \
             Calendar → Shared calendars → Publish a calendar → ICS link."
        }
        Credentials::Imap { .. } if is_of(&MICROSOFT) => {
            "Outlook.com and Microsoft 365 take no passwords for mail, so their mailboxes can't be \
             connected."
        }
        _ => return None,
    };
    Some(ServiceError::refused(sentence))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn providers_without_passwords_are_known() {
        let login = || ("ada".to_owned(), "quixotic".to_owned());
        let caldav = |url: &str| {
            let (username, password) = login();
            Credentials::Caldav {
                url: url.to_owned(),
                username,
                password,
            }
        };
        let imap = |host: &str| {
            let (username, password) = login();
            Credentials::imap(host.to_owned(), None, username, password, true)
        };
        let ics = |url: &str| Credentials::Ics {
            url: url.to_owned(),
        };
        for (credentials, part) in [
            (
                caldav("https://apidata.googleusercontent.com/caldav/v2/"),
                "Secret address",
            ),
            (caldav("gmail.com"), "Secret address"),
            (caldav("https://outlook.office365.com/"), "no CalDAV"),
            (imap("outlook.office365.com"), "no passwords for mail"),
            (imap("imap.gmail.com"), ""),
            (caldav("https://notgoogle.com"), ""),
            (ics("https://calendar.google.com/basic.ics"), ""),
        ] {
            let address = credentials.address().unwrap();
            let refused = refusal(&credentials, &address);
            assert_eq!(refused.is_some(), !part.is_empty(), "{address}");
            assert!(refused.is_none_or(|why| why.sentence.contains(part)));
        }
    }
}
