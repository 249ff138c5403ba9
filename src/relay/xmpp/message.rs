//! The content of a message stanza. Pure.

use tokio_xmpp::minidom::Element;
use tokio_xmpp::parsers::message::Message;
use tokio_xmpp::parsers::ns;

use crate::relay::address;

const FALLBACK: &str = "urn:xmpp:fallback:0";
const REPLY: &str = "urn:xmpp:reply:0";
const OMEMO: &str = "urn:xmpp:omemo:2";
const CONFERENCE: &str = "jabber:x:conference";
/// Endings of the names of photos and of voice messages.
const PHOTOS: [&str; 6] = ["jpg", "jpeg", "png", "webp", "heic", "heif"];
const VOICES: [&str; 8] = ["ogg", "oga", "opus", "mp3", "m4a", "aac", "wav", "amr"];

/// The content of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ContentKind {
    Text(String),
    /// The address of a file.
    Photo(String),
    Voice,
    Unreadable,
    Encrypted,
    /// No content: a receipt, a typing sign, a change of subject.
    Nothing,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Content {
    pub(super) kind: ContentKind,
    /// The text names the bot, or replies to it.
    pub(super) is_addressed: bool,
    /// The sender's id of the message that this one corrects.
    pub(super) corrects: Option<String>,
    /// The sender asks for a receipt (XEP-0184).
    pub(super) wants_receipt: bool,
}

impl Content {
    /// `name` is the bot's name in the chat, `own` its address there.
    pub(super) fn read(message: &Message, name: &str, own: &str) -> Self {
        let names = [own.to_owned(), name.to_owned()];
        let reply = payload(message, "reply", REPLY);
        let body = body(message);
        let text = match &reply {
            Some(_) => address::without_quotation(&body),
            None => body.as_str(),
        };
        let replies_to_bot = reply.is_some_and(|reply| reply.attr("to") == Some(own));
        let is_named = address::holds_name(text, name);
        let (text, _) = address::without_name(text, &names, is_named);
        let corrects = payload(message, "replace", ns::MESSAGE_CORRECT);
        Self {
            kind: kind(message, text),
            is_addressed: replies_to_bot || is_named,
            corrects: corrects.and_then(|replace| replace.attr("id").map(str::to_owned)),
            wants_receipt: payload(message, "request", ns::RECEIPTS).is_some(),
        }
    }
}

fn kind(message: &Message, text: &str) -> ContentKind {
    let is_encrypted = [ns::LEGACY_OMEMO, OMEMO]
        .iter()
        .any(|namespace| payload(message, "encrypted", namespace).is_some());
    if is_encrypted || payload(message, "encryption", ns::EME).is_some() {
        return ContentKind::Encrypted;
    }
    let url = payload(message, "x", ns::OOB)
        .and_then(|oob| oob.get_child("url", ns::OOB).map(Element::text));
    match url {
        // With another text the file is a link in that text.
        Some(url) if text.trim().is_empty() || text.trim() == url.trim() => file(url.trim()),
        _ if text.trim().starts_with("aesgcm://") => ContentKind::Encrypted,
        _ if message.bodies.is_empty() => ContentKind::Nothing,
        _ => ContentKind::Text(text.to_owned()),
    }
}

fn file(url: &str) -> ContentKind {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_one_of = |endings: &[&str]| endings.iter().any(|e| e.eq_ignore_ascii_case(ending));
    if is_one_of(&PHOTOS) {
        ContentKind::Photo(url.to_owned())
    } else if is_one_of(&VOICES) {
        ContentKind::Voice
    } else {
        ContentKind::Unreadable
    }
}

/// The text without the quotation that is there for clients without replies (XEP-0428).
fn body(message: &Message) -> String {
    let body = message.get_best_body(Vec::new());
    let body = body.map_or_else(String::new, |(_, body)| body.clone());
    let fallback = message
        .payloads
        .iter()
        .find(|payload| payload.is("fallback", FALLBACK) && payload.attr("for") == Some(REPLY));
    let Some(marked) = fallback.and_then(|fallback| fallback.get_child("body", FALLBACK)) else {
        return body;
    };
    let number = |name: &str| marked.attr(name)?.parse::<usize>().ok();
    match (number("start"), number("end")) {
        (Some(start), Some(end)) if start <= end => {
            let rest = body.chars().enumerate();
            let rest = rest.filter(|(at, _)| !(start..end).contains(at));
            rest.map(|(_, c)| c).collect()
        }
        _ => body,
    }
}

/// An extension of a stanza.
pub(super) fn payload<'m>(
    message: &'m Message,
    name: &str,
    namespace: &str,
) -> Option<&'m Element> {
    let mut payloads = message.payloads.iter();
    payloads.find(|payload| payload.is(name, namespace))
}

/// The id that an account or a room gave the message in its archive (XEP-0359).
pub(super) fn archive_id(message: &Message, archive: &str) -> Option<String> {
    let mut ids = message.payloads.iter();
    let id = ids.find(|id| id.is("stanza-id", ns::SID) && id.attr("by") == Some(archive))?;
    id.attr("id").map(str::to_owned)
}

/// An invitation: the room, and the inviting person, if the room names them.
pub(super) fn invitation(message: &Message) -> Option<(String, Option<String>)> {
    if let Some(invite) =
        payload(message, "x", ns::MUC_USER).and_then(|x| x.get_child("invite", ns::MUC_USER))
    {
        let room = message.from.as_ref()?.to_bare().to_string();
        return Some((room, invite.attr("from").map(bare)));
    }
    let direct = payload(message, "x", CONFERENCE)?;
    let inviter = message.from.as_ref().map(|from| from.to_bare().to_string());
    Some((direct.attr("jid")?.to_owned(), inviter))
}

fn bare(jid: &str) -> String {
    jid.split('/').next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(xml: &str) -> Content {
        let whole = format!("<message xmlns='jabber:client' type='groupchat'>{xml}</message>");
        let element: Element = whole.parse().unwrap();
        let message = Message::try_from(element).unwrap();
        Content::read(&message, "juno", "tea@rooms.a/juno")
    }

    #[test]
    fn what_a_message_is() {
        let text = |text: &str| ContentKind::Text(text.to_owned());
        let file = |body: &str, url: &str| {
            format!("<body>{body}</body><x xmlns='jabber:x:oob'><url>{url}</url></x>")
        };
        let photo = "https://a/x/Cat.JPG?k=1";
        let cases = [
            ("<body>hi</body>".to_owned(), text("hi")),
            ("<body>juno: hi</body>".to_owned(), text("hi")),
            (
                "<active xmlns='http://jabber.org/protocol/chatstates'/>".to_owned(),
                ContentKind::Nothing,
            ),
            ("<subject>tea</subject>".to_owned(), ContentKind::Nothing),
            (file(photo, photo), ContentKind::Photo(photo.to_owned())),
            (file("look", photo), text("look")),
            (
                file("https://a/v.opus", "https://a/v.opus"),
                ContentKind::Voice,
            ),
            (
                file("https://a/v.pdf", "https://a/v.pdf"),
                ContentKind::Unreadable,
            ),
            (
                "<body>aesgcm://a/x.jpg#1</body>".to_owned(),
                ContentKind::Encrypted,
            ),
            (
                "<body>no</body><encrypted xmlns='eu.siacs.conversations.axolotl'/>".to_owned(),
                ContentKind::Encrypted,
            ),
        ];
        for (xml, expected) in cases {
            assert_eq!(read(&xml).kind, expected, "{xml}");
        }
    }

    #[test]
    fn whom_a_message_is_for() {
        let reply = |to: &str, body: &str| {
            format!(
                "<body>{body}</body><reply xmlns='urn:xmpp:reply:0' to='{to}' id='1'/>\
                 <fallback xmlns='urn:xmpp:fallback:0' for='urn:xmpp:reply:0'>\
                 <body start='0' end='8'/></fallback>"
            )
        };
        let cases = [
            ("<body>hello</body>".to_owned(), false, "hello"),
            ("<body>Juno, hello</body>".to_owned(), true, "hello"),
            ("<body>hello juno</body>".to_owned(), true, "hello juno"),
            (reply("tea@rooms.a/juno", "> hello\nyes"), true, "yes"),
            (reply("tea@rooms.a/ada", "> hello\nyes"), false, "yes"),
        ];
        for (xml, is_addressed, text) in cases {
            let found = read(&xml);
            assert_eq!(found.is_addressed, is_addressed, "{xml}");
            assert_eq!(found.kind, ContentKind::Text(text.to_owned()), "{xml}");
        }
        let corrected = read("<body>hi</body><replace xmlns='urn:xmpp:message-correct:0' id='7'/>");
        assert_eq!(corrected.corrects.as_deref(), Some("7"));
        assert!(read("<body>hi</body><request xmlns='urn:xmpp:receipts'/>").wants_receipt);
    }

    #[test]
    fn who_invites_where() {
        let read = |xml: &str| {
            let element: Element = xml.parse().unwrap();
            invitation(&Message::try_from(element).unwrap())
        };
        let by_room = "<message xmlns='jabber:client' from='tea@rooms.a'>\
            <x xmlns='http://jabber.org/protocol/muc#user'><invite from='ada@a/phone'/></x></message>";
        let found = ("tea@rooms.a".to_owned(), Some("ada@a".to_owned()));
        assert_eq!(read(by_room), Some(found.clone()));
        let direct = "<message xmlns='jabber:client' from='ada@a/phone'>\
            <x xmlns='jabber:x:conference' jid='tea@rooms.a'/></message>";
        assert_eq!(read(direct), Some(found));
        assert_eq!(read("<message xmlns='jabber:client' from='ada@a'/>"), None);
    }
}
