//! A fast parser for a relay's message in its usual form: it reads typed fields without a JSON
//! tree. It accepts a subset of what the parser in `ingest` accepts, with the same result. For any
//! other body it returns `None`, and that parser reports the mistakes.

mod values;

use serde::Deserialize;

use super::{
    ID_BYTES_MAX, PARTICIPANTS_MAX, PHOTO_BYTES_MAX, PHOTOS_MAX, TEXT_BYTES_MAX, TIMESTAMP_MAX,
    is_photo_url,
};
use crate::ingest::{Message, Mode};
use crate::store::is_relay_name;
use values::{Object, Value};

/// How a body may write the character U+0000.
const NUL_ESCAPE: &str = r"\u0000";

/// The message and its `context.message_id`; `None` for a body that must be parsed field by field.
pub(super) fn read(
    body: &[u8],
    is_own_photo: impl Fn(&str) -> bool,
) -> Option<(Message, Option<String>)> {
    let text = std::str::from_utf8(body).ok()?;
    // serde would accept an array as the fields in their order.
    if !text.trim_start().starts_with('{') || text.contains(NUL_ESCAPE) {
        return None;
    }
    let fields: UsualBody<'_> = serde_json::from_str(text).ok()?;
    let is_id = |text: &String| (1..=ID_BYTES_MAX).contains(&text.len());
    let mut message = Message {
        mode: match fields.mode {
            "direct" => Mode::Direct,
            "group" => Mode::Group,
            _ => return None,
        },
        chat_guid: Some(fields.chat_guid).filter(is_id)?,
        sender: Some(fields.sender).filter(is_id)?,
        text: Some(fields.text).filter(|text| text.len() <= TEXT_BYTES_MAX)?,
        timestamp: i64::try_from(fields.timestamp).ok()?,
        participants: fields.participants.unwrap_or_default(),
        ..Message::default()
    };
    if message.timestamp > TIMESTAMP_MAX
        || message.participants.len() > PARTICIPANTS_MAX
        || !message.participants.iter().all(is_id)
        || !is_relay_name(&message.chat_guid)
    {
        return None;
    }
    if let Some(metadata) = fields.metadata {
        check_metadata(&metadata)?;
        if metadata.has_content() {
            message.metadata = metadata.to_json();
        }
    }
    let mut message_id = None;
    if let Some(context) = fields.context {
        read_context(&context, &mut message, is_own_photo)?;
        message.context = context.to_json();
        if let Value::Text(id) = context.get("message_id") {
            message_id = Some(id.clone().into_owned()).filter(|id| !id.is_empty());
        }
    }
    Some((message, message_id))
}

fn check_metadata(metadata: &Object) -> Option<()> {
    metadata.text("filter_reason", 0, TEXT_BYTES_MAX)?;
    metadata.bool("was_redacted")?;
    let redacted = metadata.texts("redacted_fields", PARTICIPANTS_MAX)?;
    let are_short = redacted.iter().all(|name| name.len() <= ID_BYTES_MAX);
    are_short.then_some(())
}

fn read_context(
    context: &Object,
    message: &mut Message,
    is_own_photo: impl Fn(&str) -> bool,
) -> Option<()> {
    message.owner = context.text("owner", 1, ID_BYTES_MAX)?;
    message.superpower = context.text("superpower", 1, ID_BYTES_MAX)?;
    message.reply_to_assistant = context.bool("reply_to_assistant")?;
    let photos = context.texts("photos", PHOTOS_MAX)?;
    message.photos = photos.len();
    let are_photos = photos.iter().all(|url| {
        (1..=PHOTO_BYTES_MAX).contains(&url.len()) && (is_photo_url(url) || is_own_photo(url))
    });
    are_photos.then_some(())
}

/// The body's fields. A duplicate or unknown name is an error.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UsualBody<'a> {
    chat_guid: String,
    mode: &'a str,
    sender: String,
    text: String,
    /// Unix seconds
    timestamp: u64,
    participants: Option<Vec<String>>,
    #[serde(borrow)]
    metadata: Option<Object<'a>>,
    #[serde(borrow)]
    context: Option<Object<'a>>,
}

#[cfg(test)]
mod tests {
    use super::super::{message_id, read_message};
    use super::*;
    use crate::http::parse_json;

    const REQUIRED: &str =
        r#""chat_guid":"c","mode":"group","sender":"+1","text":"hi","timestamp":7"#;

    /// The same body parsed field by field.
    fn by_field(body: &str) -> Option<(Message, Option<String>)> {
        let json = parse_json(body.as_bytes()).ok()?;
        let message = read_message(&json, true, |url| url == "own").ok()?;
        Some((message, message_id(&json)))
    }

    #[test]
    fn both_parsers_give_the_same_result() {
        // The rest of the body after the required fields, and whether the fast parser accepts it.
        let cases = [
            ("", true),
            (
                r#","participants":null,"metadata":null,"context":null"#,
                true,
            ),
            (
                r#","participants":["a","\u00e9"],"metadata":{},"context":{}"#,
                true,
            ),
            (
                r#","context":{"z":1,"a":-2,"m\"":"x\ny","b":true,"n":null,"l":["\u0041"]}"#,
                true,
            ),
            (
                r#","context":{"owner":"o","superpower":"s","reply_to_assistant":true}"#,
                true,
            ),
            (
                r#","context":{"photos":["https://p","DATA:x","own"],"message_id":"m"}"#,
                true,
            ),
            (r#","context":{"message_id":""}"#, true),
            (r#","context":{"message_id":5}"#, true),
            (
                r#","metadata":{"filter_reason":"","was_redacted":false,"redacted_fields":[]}"#,
                true,
            ),
            (
                r#","metadata":{"z":0,"filter_reason":"f","redacted_fields":["a"]}"#,
                true,
            ),
            (r#","context":{"service":"é\\\u2028"}"#, true),
            // Valid, but not in the usual form.
            (r#","context":{"a":{"b":1}}"#, false),
            (r#","context":{"a":[1]}"#, false),
            (r#","context":{"a":1.5}"#, false),
            (r#","context":{"a":18446744073709551615}"#, false),
            (r#","unknown":1"#, false),
            // Invalid.
            (r#","text":"twice""#, false),
            (r#","context":{"a":1,"\u0061":2}"#, false),
            (r#","context":{"a":"\u0000"}"#, false),
            (r#","context":{"\u0000":1}"#, false),
            (r#","context":[]"#, false),
            (r#","context":{"owner":""}"#, false),
            (r#","context":{"owner":1}"#, false),
            (r#","context":{"reply_to_assistant":"yes"}"#, false),
            (r#","context":{"photos":["ftp://p"]}"#, false),
            (r#","context":{"photos":[""]}"#, false),
            (r#","context":{"photos":"https://p"}"#, false),
            (r#","metadata":{"was_redacted":1}"#, false),
            (r#","metadata":{"redacted_fields":[1]}"#, false),
            (r#","participants":[""]"#, false),
            (r#","participants":["a",1]"#, false),
            (r#","participants":"a""#, false),
            (r#","filtered_text":"x""#, false),
            (r#",}"#, false),
        ];
        for (rest, is_usual) in cases {
            let body = format!(" {{{REQUIRED}{rest}}}\n");
            let parsed = read(body.as_bytes(), |url| url == "own");
            assert_eq!(parsed.is_some(), is_usual, "{body}");
            if is_usual {
                assert_eq!(parsed, by_field(&body), "{body}");
            }
        }
    }

    #[test]
    fn invalid_required_fields_are_left_to_the_other_parser() {
        let long = format!(r#""{}""#, "x".repeat(ID_BYTES_MAX + 1));
        let invalid = [
            ("\"c\"", long.as_str()),
            ("\"c\"", "\"\""),
            ("\"c\"", "null"),
            ("\"c\"", "\"\\u0000\""),
            ("\"c\"", "\"\\ud800\""),
            ("\"c\"", "\"c\\u0001direct 7\""),
            ("\"group\"", "\"Group\""),
            ("\"group\"", "{\"group\":null}"),
            ("7", "-1"),
            ("7", "7.0"),
            ("7", "\"7\""),
            ("7", "9007199254740992"),
            ("\"chat_guid\"", "\"chat_guid\":\"c\",\"chat_guid\""),
        ];
        for (valid, invalid) in invalid {
            let body = format!("{{{}}}", REQUIRED.replacen(valid, invalid, 1));
            assert_eq!(read(body.as_bytes(), |_| false), None, "{body}");
            assert_eq!(by_field(&body), None, "{body}");
        }
        for body in ["[\"c\",\"group\",\"+1\",\"hi\",7]", "", "\u{feff}{}", "{}"] {
            assert_eq!(read(body.as_bytes(), |_| false), None, "{body}");
        }
        assert_eq!(read(b"{\"text\":\"\xff\"}", |_| false), None);
    }
}
