//! The headers of a mail: who wrote to whom, about what, when, and whether to many.

use std::borrow::Cow;

use mail_parser::{Addr, Address, HeaderName, HeaderValue, Message};

use super::one_line;
use crate::model::mail_item::MailExtract;

const SUBJECT_CHARS_MAX: usize = 500;
const NAME_CHARS_MAX: usize = 200;
/// RFC 5321 has addresses of at most 254.
const ADDRESS_CHARS_MAX: usize = 320;
const RECIPIENTS_MAX: usize = 20;
const REPLIES_MAX: usize = 20;
/// Local parts of addresses that nobody reads.
const UNREAD: [&str; 6] = [
    "noreply", "no-reply", "no_reply", "donotreply", "do-not-reply", "mailer-daemon",
];

/// Bytes above 127 in headers, which no RFC gave a meaning before UTF-8: UTF-8 where they are,
/// else windows-1252. The body stays as it is.
pub(super) fn with_unicode_headers(mail: &[u8]) -> Cow<'_, [u8]> {
    let end = headers_end(mail);
    let (head, body) = mail.split_at(end);
    if std::str::from_utf8(head).is_ok() {
        return Cow::Borrowed(mail);
    }
    let mut written = Vec::with_capacity(mail.len() + 64);
    for line in head.split_inclusive(|byte| *byte == b'\n') {
        match std::str::from_utf8(line) {
            Ok(_) => written.extend_from_slice(line),
            Err(_) => {
                let (text, _) = encoding_rs::WINDOWS_1252.decode_without_bom_handling(line);
                written.extend_from_slice(text.as_bytes());
            }
        }
    }
    written.extend_from_slice(body);
    Cow::Owned(written)
}

fn headers_end(mail: &[u8]) -> usize {
    let mut end = 0;
    for line in mail.split_inclusive(|byte| *byte == b'\n') {
        end += line.len();
        if matches!(line, b"\n" | b"\r\n") {
            break;
        }
    }
    end
}

/// An extract of the headers alone.
pub(super) fn read(message: &Message, own: &str) -> MailExtract {
    let mut recipients = addresses(message.to());
    recipients.extend(addresses(message.cc()));
    let mut replies_to = ids(message.in_reply_to());
    // The nearest stands last.
    replies_to.extend(ids(message.references()).into_iter().rev());
    let mut seen = std::collections::HashSet::new();
    replies_to.retain(|id| seen.insert(id.clone()));
    replies_to.truncate(REPLIES_MAX);
    let (from_name, from_email) = addresses(message.from())
        .into_iter()
        .next()
        .unwrap_or_default();
    let precedence = first_word(message, HeaderName::Other("Precedence".into()));
    let submitted = first_word(message, HeaderName::AutoSubmitted);
    let has = |name: HeaderName<'static>| message.header(name).is_some();
    let is_list = has(HeaderName::ListId) || precedence == "list";
    let local = from_email.split('@').next().unwrap_or_default();
    let sent_at = message.date().filter(|at| at.is_valid());
    MailExtract {
        message_id: one_line(message.message_id().unwrap_or_default(), ADDRESS_CHARS_MAX),
        subject: one_line(message.subject().unwrap_or_default(), SUBJECT_CHARS_MAX),
        sent_at: sent_at.map(|at| at.to_timestamp().saturating_mul(1000)),
        is_list,
        is_bulk: is_list
            || has(HeaderName::ListUnsubscribe)
            || matches!(precedence.as_str(), "bulk" | "junk"),
        is_automatic: UNREAD.iter().any(|word| local.starts_with(word))
            || precedence == "auto_reply"
            || !matches!(submitted.as_str(), "" | "no"),
        is_to_self: recipients.iter().any(|(_, address)| is_own(address, own)),
        replies_to,
        from_name,
        from_email,
        ..MailExtract::default()
    }
}

/// Whether an address in lower case is the person's own, which may be known without its domain.
fn is_own(address: &str, own: &str) -> bool {
    let own = own.to_lowercase();
    match own.contains('@') {
        true => address == own,
        false => !own.is_empty() && address.split('@').next() == Some(own.as_str()),
    }
}

/// The first word of a header's text, in lower case.
fn first_word(message: &Message, name: HeaderName<'static>) -> String {
    let text = message.header(name).and_then(HeaderValue::as_text);
    let word = text.unwrap_or_default().split([';', ' ', '(']).next();
    word.unwrap_or_default().trim().to_lowercase()
}

fn ids(value: &HeaderValue) -> Vec<String> {
    let all = match value {
        HeaderValue::Text(id) => std::slice::from_ref(id),
        HeaderValue::TextList(ids) => ids,
        _ => &[],
    };
    let all = all.iter().take(100);
    all.map(|id| one_line(id, ADDRESS_CHARS_MAX)).collect()
}

/// Names, which may be empty, and addresses in lower case.
fn addresses(address: Option<&Address>) -> Vec<(String, String)> {
    let Some(address) = address else {
        return Vec::new();
    };
    let all = address.iter().take(RECIPIENTS_MAX);
    all.filter_map(name_and_address).collect()
}

fn name_and_address(found: &Addr) -> Option<(String, String)> {
    let address = one_line(found.address.as_deref()?, ADDRESS_CHARS_MAX).to_lowercase();
    let name = one_line(found.name.as_deref().unwrap_or_default(), NAME_CHARS_MAX);
    Some((name, address))
}
