//! Passwords and secret addresses in messages: they are removed before anything is stored. Only
//! those of mail and calendars count: other passwords may be notes.

/// The text in place of a secret.
pub const REMOVED: &str = "[removed]";

/// Words for a password.
const PASSWORD_WORDS: [&str; 8] = [
    "password", "passwort", "passcode", "pass", "pwd", "pw", "app-password", "kennwort",
];
/// Services that such a password may be for.
const SERVICE_WORDS: [&str; 22] = [
    "mail", "email", "e-mail", "mailbox", "inbox", "imap", "gmail", "google", "calendar", "caldav",
    "icloud", "apple", "outlook", "fastmail", "nextcloud", "yahoo", "gmx", "mailbox.org",
    "connect", "app", "app-password", "kalender",
];
/// Words that may stand between a word for a password and the password.
const ABOUT_WORDS: [&str; 14] = [
    "for", "of", "to", "my", "the", "our", "account", "address", "für", "von", "mein", "meine",
    "meinen", "das",
];
/// Words of four letters and more with which a sentence about a password goes on: "is wrong".
/// Shorter ones are no passwords.
const SENTENCE_WORDS: [&str; 43] = [
    "wrong", "right", "incorrect", "invalid", "expired", "refused", "rejected", "accepted",
    "working", "broken", "lost", "gone", "missing", "needed", "required", "asked", "saved",
    "stored", "written", "kept", "known", "safe", "secret", "weak", "strong", "long", "longer",
    "short", "shorter", "easy", "hard", "different", "same", "still", "always", "never", "really",
    "very", "what", "when", "where", "which", "falsch",
];
/// Words of four letters that people type without vowels.
const SHORT_FORMS: [&str; 10] = [
    "tmrw", "wknd", "msgs", "mtgs", "thnx", "thks", "hmmm", "grrr", "brrr", "psst",
];
/// Shorter texts are no passwords.
const SECRET_CHARS_MIN: usize = 4;

/// The text without secrets of mailboxes and calendars; `None`: it holds none.
pub fn without_secrets(text: &str) -> Option<String> {
    if !may_hold_secrets(text) {
        return None;
    }
    let mut parts: Vec<String> = text.split(' ').map(str::to_owned).collect();
    let mut is_changed = hide_app_passwords(&mut parts);
    is_changed |= hide_secret_addresses(&mut parts);
    is_changed |= hide_named_passwords(&mut parts);
    is_changed.then(|| parts.join(" "))
}

/// Whether any of the rules below may apply. It is quick, because every message is looked at.
fn may_hold_secrets(text: &str) -> bool {
    let mut groups = 0;
    let mut parts = text.split(' ');
    parts.any(|part| {
        groups = if part.len() == 4 { groups + 1 } else { 0 };
        groups == 4 || part.len() == 19 || may_name_password(part)
    }) || text.contains("://")
}

fn may_name_password(part: &str) -> bool {
    let ends = part.bytes().position(|byte| !byte.is_ascii_punctuation());
    let Some(first) = ends.and_then(|at| part.as_bytes().get(at)) else {
        return false;
    };
    // Other characters may have an ASCII letter as their lower case.
    matches!(first.to_ascii_lowercase(), b'p' | b'k' | b'a' | 0x80..)
        && (!part.is_ascii() || {
            let word = part.trim_matches(|c: char| c.is_ascii_punctuation());
            let mut words = PASSWORD_WORDS.iter();
            words.any(|password| password.eq_ignore_ascii_case(word))
        })
}

/// Four groups of four letters, as Google shows app passwords, and Apple with dashes.
fn hide_app_passwords(parts: &mut [String]) -> bool {
    let is_group = |part: &str| part.len() == 4 && part.bytes().all(|b| b.is_ascii_lowercase());
    let is_apple = |part: &str| part.len() == 19 && part.split('-').all(is_group);
    let mut is_changed = false;
    for part in parts.iter_mut().filter(|part| is_apple(part)) {
        *part = REMOVED.to_owned();
        is_changed = true;
    }
    // Words have vowels; a group of all four without any is no sentence.
    let is_random = |group: &[String]| {
        let is_odd = |part: &String| {
            !part.bytes().any(|b| b"aeiouy".contains(&b)) && !SHORT_FORMS.contains(&part.as_str())
        };
        group.iter().all(|part| is_group(part)) && group.iter().any(is_odd)
    };
    for at in 0..parts.len().saturating_sub(3) {
        if is_random(&parts[at..at + 4]) {
            parts[at..at + 4].fill(REMOVED.to_owned());
            is_changed = true;
        }
    }
    is_changed
}

/// Addresses with a password in them, and secret addresses of calendars.
fn hide_secret_addresses(parts: &mut [String]) -> bool {
    let is_secret = |part: &str| {
        let lower = part.to_ascii_lowercase();
        let Some((_, rest)) = lower.split_once("://") else {
            return false;
        };
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let has_login = authority
            .rsplit_once('@')
            .is_some_and(|(user, _)| user.contains(':'));
        let is_private = lower.contains("calendar") && lower.contains("/private-");
        has_login || is_private || lower.contains(".ics")
    };
    let mut is_changed = false;
    for part in parts.iter_mut().filter(|part| is_secret(part)) {
        *part = REMOVED.to_owned();
        is_changed = true;
    }
    is_changed
}

/// "My mail password is x", "imap password: x".
fn hide_named_passwords(parts: &mut [String]) -> bool {
    let word = |part: &str| {
        let ends = |c: char| c.is_ascii_punctuation();
        part.trim_matches(ends).to_lowercase()
    };
    if !parts
        .iter()
        .any(|part| SERVICE_WORDS.contains(&word(part).as_str()))
    {
        return false;
    }
    let named = (0..parts.len()).filter(|at| PASSWORD_WORDS.contains(&word(&parts[*at]).as_str()));
    let Some(secret) = named.filter_map(|at| secret_after(parts, at)).next() else {
        return false;
    };
    parts[secret..].fill(REMOVED.to_owned());
    true
}

/// Where the secret begins that the password word at `at` names: "password is x", "password: x",
/// "password for my mail is x"; without such a link only what no word looks like.
fn secret_after(parts: &[String], at: usize) -> Option<usize> {
    let is_link = |part: &str| {
        let bare = part.trim_end_matches([':', '=']).to_lowercase();
        part.ends_with([':', '=']) || ["is", "ist", "-"].contains(&bare.as_str())
    };
    let is_about = |part: &str| {
        let word = part.trim_matches(|c: char| c.is_ascii_punctuation());
        let word = word.to_lowercase();
        ABOUT_WORDS.contains(&word.as_str()) || SERVICE_WORDS.contains(&word.as_str())
    };
    // "My boarding pass is ready tomorrow" is about no mailbox, whatever else a mail is said to do.
    let is_of_service = at > 0 && SERVICE_WORDS.contains(&parts[at - 1].to_lowercase().as_str());
    let mut rest = (at + 1..parts.len()).filter(|at| !parts[*at].is_empty());
    let mut next = rest.next();
    let mut is_linked = is_link(&parts[at]);
    while let Some(at) = next
        && (is_link(&parts[at]) || !is_linked && is_about(&parts[at]))
    {
        is_linked |= is_link(&parts[at]);
        next = rest.next();
    }
    next.filter(|at| {
        let part = parts[*at].trim_end_matches(['.', ',', '!', '?']);
        let is_word = part.chars().all(char::is_alphabetic);
        part.chars().count() >= SECRET_CHARS_MIN
            && part != REMOVED
            && match is_linked {
                true if is_word => {
                    (is_of_service || *at + 1 == parts.len())
                        && !SENTENCE_WORDS.contains(&part.to_lowercase().as_str())
                }
                true => true,
                false => !is_word && *at + 1 == parts.len(),
            }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_of_mail_and_calendars_are_taken_out() {
        let hidden = [
            "my mail password is hunter2",
            "my gmail password is abcd efgh ijkl mnop",
            "here is my gmail app password: wxyz efgh ijkl mnop",
            "the password for my email is hunter2",
            "my mailbox password is ijkl horse battery staple",
            "pw for my calendar: s3cret-zz",
            "mail pass hunter2",
            "My email password is: hunter2",
            "imap password: hunter2 for ada@example.com",
            "gmail app password = s3cret-x",
            "connect my mail, password: hunter2",
            "use abcd efgh ijkl mnzp",
            "bcdf ghjk lmnp qrst",
            "icloud: abcd-efgh-ijkl-mnop",
            "connect https://ada:hunter2@dav.example.com/cal",
            "https://calendar.google.com/calendar/ical/a%40b.c/private-0123abc/basic.ics",
        ];
        for text in hidden {
            assert!(may_hold_secrets(text), "{text}");
            let found = without_secrets(text).expect(text);
            assert!(found.contains(REMOVED), "{found}");
            for secret in ["hunter2", "s3cret", "ijkl", "0123abc", "qrst"] {
                assert!(!found.contains(secret), "{found}");
            }
        }
        let harmless = [
            "",
            "connect my mail",
            "remember that the wifi password is hunter2",
            "I forgot my mail password",
            "my mail password is wrong again, what now",
            "the password for my email is still the old one",
            "the password for my mail account",
            "my mail password is not the one of my calendar",
            "what is the password to my mail? it is new",
            "the mail says that my boarding pass is ready tomorrow",
            "add mail password reset to my list",
            "what is my mail password?",
            "they need more time with this from them",
            "look at https://example.com/a:b@c and mail me",
            "the password is longer",
            "call with beta tmrw 11-12",
            "the plan is at https://example.com/private-party/list",
        ];
        for text in harmless {
            assert_eq!(without_secrets(text), None, "{text}");
        }
    }
}
