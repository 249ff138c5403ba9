//! Which parts of a mail are fetched, and the mail that they make. Pictures and other
//! attachments stay on the server.

use std::num::NonZeroU32;

use imap_next::imap_types::body::{BodyStructure, Disposition, SpecificFields};
use imap_next::imap_types::core::{AString, IString, Vec1};
use imap_next::imap_types::fetch::{MessageDataItem, MessageDataItemName, Part, Section};

/// Bytes at the start of a text part that are fetched.
const PART_BYTES_MAX: u32 = 256 * 1024;
/// Bytes of a calendar part. An incomplete calendar can't be read.
const CALENDAR_BYTES_MAX: u32 = 1024 * 1024;
/// Parts of one mail.
const PARTS_MAX: usize = 4;
/// Parameters of a part's type that say how it is read.
const PARAMETERS: [&str; 4] = ["charset", "format", "delsp", "method"];
#[rustfmt::skip]
const HEADERS: [&str; 13] = [
    "FROM", "TO", "CC", "SUBJECT", "DATE", "MESSAGE-ID", "IN-REPLY-TO", "REFERENCES", "LIST-ID",
    "LIST-UNSUBSCRIBE", "PRECEDENCE", "AUTO-SUBMITTED", "SENDER",
];

/// A mail as the first fetch shows it.
#[derive(Debug, Default)]
pub(super) struct ListedMail {
    pub(super) uid: u32,
    /// Milliseconds since the epoch.
    pub(super) received_at: Option<i64>,
    /// The mail's headers, or its beginning where no structure was asked for.
    pub(super) headers: Vec<u8>,
    pub(super) parts: Vec<TextPart>,
}

/// A part that is fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TextPart {
    pub(super) number: Vec<NonZeroU32>,
    bytes_max: u32,
    /// The lines of its own headers.
    headers: String,
}

/// The items of the first fetch.
pub(super) fn overview() -> Vec<MessageDataItemName<'static>> {
    let names = HEADERS
        .iter()
        .filter_map(|name| AString::try_from(*name).ok());
    let mut wanted = vec![
        MessageDataItemName::Uid,
        MessageDataItemName::InternalDate,
        MessageDataItemName::Rfc822Size,
        MessageDataItemName::BodyStructure,
    ];
    if let Ok(names) = Vec1::try_from(names.collect::<Vec<_>>()) {
        wanted.push(MessageDataItemName::BodyExt {
            section: Some(Section::HeaderFields(None, names)),
            partial: None,
            peek: true,
        });
    }
    wanted
}

/// The item of a fetch where a structure can't be read: the beginning of the mail.
pub(super) fn begin() -> Vec<MessageDataItemName<'static>> {
    vec![
        MessageDataItemName::Uid,
        MessageDataItemName::InternalDate,
        MessageDataItemName::BodyExt {
            section: None,
            partial: NonZeroU32::new(PART_BYTES_MAX).map(|bytes| (0, bytes)),
            peek: true,
        },
    ]
}

/// The items of the second fetch.
pub(super) fn contents(parts: &[TextPart]) -> Vec<MessageDataItemName<'static>> {
    let mut wanted = vec![MessageDataItemName::Uid];
    for part in parts {
        let Ok(number) = Vec1::try_from(part.number.clone()) else {
            continue;
        };
        wanted.push(MessageDataItemName::BodyExt {
            section: Some(Section::Part(Part(number))),
            partial: NonZeroU32::new(part.bytes_max).map(|bytes| (0, bytes)),
            peek: true,
        });
    }
    wanted
}

/// The facts of one mail in the list. `None`: an answer without UID, which is not about a mail.
pub(super) fn listed_mail(items: Vec<MessageDataItem<'static>>) -> Option<ListedMail> {
    let mut mail = ListedMail::default();
    for item in items {
        match item {
            MessageDataItem::Uid(uid) => mail.uid = uid.get(),
            MessageDataItem::InternalDate(at) => {
                mail.received_at = Some(at.as_ref().timestamp_millis());
            }
            MessageDataItem::BodyStructure(structure) => {
                collect(&structure, &mut Vec::new(), &mut mail.parts);
            }
            MessageDataItem::BodyExt { data, .. } => {
                mail.headers = data.into_option().unwrap_or_default().into_owned();
            }
            _ => {}
        }
    }
    (mail.uid > 0).then_some(mail)
}

/// A part's number and its bytes.
pub(super) type FetchedPart = (Vec<NonZeroU32>, Vec<u8>);

/// UID and parts of a mail.
pub(super) fn fetched(items: Vec<MessageDataItem<'static>>) -> Option<(u32, Vec<FetchedPart>)> {
    let mut uid = None;
    let mut parts = Vec::new();
    for item in items {
        match item {
            MessageDataItem::Uid(found) => uid = Some(found.get()),
            MessageDataItem::BodyExt {
                section: Some(Section::Part(Part(number))),
                data,
                ..
            } => {
                let bytes = data.into_option().unwrap_or_default().into_owned();
                parts.push((number.into_iter().collect(), bytes));
            }
            _ => {}
        }
    }
    Some((uid?, parts))
}

impl ListedMail {
    /// The mail with these parts and no others.
    pub(super) fn assemble(&self, contents: &[FetchedPart]) -> Vec<u8> {
        let mut boundary = "part".to_owned();
        let is_inside = |boundary: &str| {
            let inside = |(_, bytes): &FetchedPart| {
                bytes
                    .windows(boundary.len())
                    .any(|window| window == boundary.as_bytes())
            };
            contents.iter().any(inside)
        };
        let mut tries = 0;
        while is_inside(&boundary) && tries < 10 {
            tries += 1;
            boundary = format!("part-{tries}-of-an-extract");
        }
        let mut mail = self.headers.trim_ascii_end().to_vec();
        let head = format!(
            "\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=\"{boundary}\"\r\n\r\n"
        );
        mail.extend_from_slice(head.as_bytes());
        for part in &self.parts {
            let Some((_, bytes)) = contents.iter().find(|(number, _)| *number == part.number)
            else {
                continue;
            };
            mail.extend_from_slice(format!("--{boundary}\r\n{}\r\n", part.headers).as_bytes());
            mail.extend_from_slice(bytes);
            mail.extend_from_slice(b"\r\n");
        }
        mail.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
        mail
    }
}

/// The structure's nesting is capped by the parser.
fn collect(structure: &BodyStructure, number: &mut Vec<NonZeroU32>, parts: &mut Vec<TextPart>) {
    match structure {
        BodyStructure::Multi { bodies, .. } => {
            for (body, at) in bodies.as_ref().iter().zip(1..) {
                number.extend(NonZeroU32::new(at));
                collect(body, number, parts);
                number.pop();
            }
        }
        BodyStructure::Single {
            body,
            extension_data,
        } => {
            let Some(kind) = kind(&body.specific) else {
                return;
            };
            let disposition = extension_data.as_ref().and_then(|data| data.tail.as_ref());
            let is_calendar = kind == "text/calendar";
            if parts.len() >= PARTS_MAX || !is_calendar && is_attached(disposition) {
                return;
            }
            let mut number = number.clone();
            if number.is_empty() {
                number.extend(NonZeroU32::new(1));
            }
            let mut headers = format!("Content-Type: {kind}");
            for (name, value) in &body.basic.parameter_list {
                let (name, value) = (word(name), word(value));
                if PARAMETERS.contains(&name.as_str()) && !value.is_empty() {
                    headers.push_str(&format!("; {name}=\"{value}\""));
                }
            }
            let encoding = word(&body.basic.content_transfer_encoding);
            headers.push_str(&format!("\r\nContent-Transfer-Encoding: {encoding}\r\n"));
            parts.push(TextPart {
                number,
                bytes_max: if is_calendar {
                    CALENDAR_BYTES_MAX
                } else {
                    PART_BYTES_MAX
                },
                headers,
            });
        }
    }
}

/// The media type of a part, if such parts are fetched.
fn kind(fields: &SpecificFields<'_>) -> Option<&'static str> {
    let (main, sub) = match fields {
        SpecificFields::Text { subtype, .. } => ("text".to_owned(), word(subtype)),
        SpecificFields::Basic { r#type, subtype } => (word(r#type), word(subtype)),
        SpecificFields::Message { .. } => return None,
    };
    match (main.as_str(), sub.as_str()) {
        ("text", "plain") => Some("text/plain"),
        ("text", "html") => Some("text/html"),
        ("text", "calendar") | ("application", "ics") => Some("text/calendar"),
        _ => None,
    }
}

fn is_attached(disposition: Option<&Disposition>) -> bool {
    let named = disposition.and_then(|disposition| disposition.disposition.as_ref());
    named.is_some_and(|(kind, _)| word(kind) == "attachment")
}

/// The text in lower case, without characters that could start another header.
fn word(text: &IString) -> String {
    let text = String::from_utf8_lossy(text.as_ref()).to_lowercase();
    let is_plain = |c: &char| c.is_ascii_alphanumeric() || "-_.:+".contains(*c);
    text.chars().filter(is_plain).take(60).collect()
}
