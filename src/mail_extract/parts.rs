//! The parts of a mail that hold text: plain, HTML and calendar. Character sets by their
//! labels; without one, UTF-8, else windows-1252.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use encoding_rs::Encoding;
use mail_parser::decoders::charsets::map::charset_decoder;
use mail_parser::decoders::quoted_printable::quoted_printable_decode;
use mail_parser::{HeaderName, HeaderValue, Message, MessagePart, MimeHeaders, PartType};

use super::{CALENDARS_MAX, CalendarPart, MAIL_BYTES_MAX, plain_text, visible};

/// Parts beyond are not looked at. Each level of nesting needs a part, and the parser's levels
/// are on the stack when they are dropped.
const PARTS_MAX: usize = 100;
const PART_BYTES_MAX: usize = 1024 * 1024;
/// Base64 among characters that are none of it, and with or without padding.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

#[derive(Default)]
pub(super) struct Bodies {
    pub(super) plain: String,
    pub(super) html: String,
    pub(super) calendars: Vec<CalendarPart>,
}

/// The beginning of a mail that is parsed: a limited number of bytes and parts.
pub(super) fn capped(mail: &[u8]) -> &[u8] {
    let mail = &mail[..mail.len().min(MAIL_BYTES_MAX)];
    const NAME: &[u8] = b"content-type";
    let mut parts = 0;
    let mut at = 0;
    while let Some(found) = mail[at..].iter().position(|b| matches!(b, b'c' | b'C')) {
        at += found;
        let word = &mail[at..mail.len().min(at + NAME.len())];
        if word.eq_ignore_ascii_case(NAME) {
            parts += 1;
            if parts > PARTS_MAX {
                return &mail[..at];
            }
        }
        at += 1;
    }
    mail
}

/// The texts of the mail itself: mails attached to it are not read.
pub(super) fn read(message: &Message) -> Bodies {
    let mut bodies = Bodies::default();
    for part in message.parts.iter().take(PARTS_MAX) {
        if matches!(part.body, PartType::Multipart(_) | PartType::Message(_)) {
            continue;
        }
        let kind = part.content_type();
        let (main, sub) = match kind {
            Some(kind) => (kind.ctype(), kind.subtype().unwrap_or("plain")),
            None => ("text", "plain"),
        };
        let attached = part
            .content_disposition()
            .is_some_and(|disposition| disposition.is_attachment());
        match (main.to_lowercase().as_str(), sub.to_lowercase().as_str()) {
            ("text", "plain") if !attached => {
                let text = text(message, part);
                let flowed = kind.and_then(|kind| kind.attribute("format"));
                let text = match flowed.is_some_and(|f| f.eq_ignore_ascii_case("flowed")) {
                    true => {
                        let delsp = kind.and_then(|kind| kind.attribute("delsp"));
                        let delsp = delsp.is_some_and(|d| d.eq_ignore_ascii_case("yes"));
                        plain_text::unflow(&text, delsp)
                    }
                    false => text,
                };
                add(&mut bodies.plain, &visible(&text));
            }
            ("text", "html") if !attached => add(&mut bodies.html, &text(message, part)),
            ("text", "calendar") | ("application", "ics")
                if bodies.calendars.len() < CALENDARS_MAX =>
            {
                let method = kind.and_then(|kind| kind.attribute("method"));
                bodies.calendars.push(CalendarPart {
                    method: method.map(str::to_uppercase),
                    text: text(message, part),
                });
            }
            _ => {}
        }
    }
    bodies
}

fn add(body: &mut String, text: &str) {
    if !body.is_empty() {
        body.push('\n');
    }
    let left = PART_BYTES_MAX.saturating_sub(body.len());
    body.push_str(&text[..text.floor_char_boundary(left.min(text.len()))]);
}

fn text(message: &Message, part: &MessagePart) -> String {
    let kind = part.content_type();
    let label = kind.and_then(|kind| kind.attribute("charset"));
    let label = label.map(|label| label.trim().trim_matches('"'));
    let is_known =
        label.is_some_and(|label| !label.is_empty() && charset_decoder(label.as_bytes()).is_some());
    if is_known
        && !part.is_encoding_problem
        && matches!(part.body, PartType::Text(_) | PartType::Html(_))
    {
        return part.text_contents().unwrap_or_default().to_owned();
    }
    let bytes = transfer_decoded(message, part);
    let encoding = label.and_then(|label| Encoding::for_label(label.as_bytes()));
    match encoding {
        Some(encoding) => encoding.decode(&bytes).0.into_owned(),
        None => match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => encoding_rs::WINDOWS_1252
                .decode(error.as_bytes())
                .0
                .into_owned(),
        },
    }
}

fn transfer_decoded(message: &Message, part: &MessagePart) -> Vec<u8> {
    let range = part.offset_body as usize..part.offset_end as usize;
    let raw = message.raw_message.get(range).unwrap_or_default();
    let name = HeaderName::ContentTransferEncoding;
    let encoding = part.headers.iter().find(|header| header.name == name);
    let encoding = encoding.and_then(|header| match &header.value {
        HeaderValue::Text(text) => Some(text.trim().to_lowercase()),
        _ => None,
    });
    match encoding.as_deref() {
        Some("base64") => {
            let is_base64 = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/');
            let digits: Vec<u8> = raw.iter().copied().filter(is_base64).collect();
            // A single digit that is left over says nothing.
            let whole = digits.len() - usize::from(digits.len() % 4 == 1);
            LENIENT.decode(&digits[..whole]).unwrap_or_default()
        }
        Some("quoted-printable") => quoted_printable_decode(raw).unwrap_or_else(|| raw.to_vec()),
        _ => raw.to_vec(),
    }
}
