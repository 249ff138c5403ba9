//! Handles one event of a Matrix room: what it is, and what is posted to the service.

use serde_json::Value;
use tokio::sync::oneshot;

use super::api::Failure;
use super::percent_encoded;
use super::{Bot, ENCRYPTED, Matrix, PREFIX, Room, send_error};
use crate::relay::address;
use crate::relay::call::backoff;
use crate::relay::incoming::{CANT_HEAR, CANT_READ, CORRECTION_S_MAX, IncomingMessage, NO_PHOTO};
use crate::relay::{Uplink, download};

const IS_ENCRYPTED: &str =
    "I can't read encrypted rooms. Please invite me to a room without encryption.";

/// Puts the handling of an event into its room's queue.
pub(super) fn queue(
    uplink: &Uplink<Matrix>,
    bot: &Bot,
    room: &str,
    event: Value,
) -> oneshot::Receiver<()> {
    let (up, bot, room) = (uplink.clone(), bot.clone(), room.to_owned());
    uplink.in_order(&format!("{PREFIX}{room}"), async move {
        forward(&up, &bot, &room, &event).await;
    })
}

/// Accepts an invitation by somebody on the allow list. Other invitations stay open and can be
/// accepted at the next start. Not in the chat's queue: a message in it may wait for the invitation.
pub(super) fn answer_invitation(
    uplink: &Uplink<Matrix>,
    room: String,
    inviter: String,
) -> oneshot::Receiver<()> {
    let up = uplink.clone();
    uplink.in_order(&format!("invitation to {room}"), async move {
        let network = up.network();
        if !network.allows(&inviter, &room) {
            return network
                .strangers
                .report(&network.allowed, &inviter, "invites the bot", None);
        }
        let path = format!("/join/{}", percent_encoded(&room));
        let joined = until_answered(&up, || network.api.post(&path, serde_json::json!({})));
        match joined.await {
            Ok(_) => log::info!("matrix: joined {room}, as {inviter} asked"),
            Err(failure) => log::warn!("matrix: {room} can't be joined: {failure}"),
        }
    })
}

async fn forward(uplink: &Uplink<Matrix>, bot: &Bot, room_id: &str, event: &Value) {
    let network = uplink.network();
    let (Some(sender), Some(key)) = (event["sender"].as_str(), event["event_id"].as_str()) else {
        return;
    };
    let content = Content::read(event, bot);
    if sender == bot.user_id || content.kind == ContentKind::Nothing {
        return;
    }
    if !network.allows(sender, room_id) {
        return network
            .strangers
            .report(&network.allowed, sender, "wrote", Some(room_id));
    }
    let room = match until_answered(uplink, || network.room(room_id)).await {
        Ok(room) => room,
        Err(failure) => return log::warn!("matrix: {room_id} can't be read: {failure}"),
    };
    let chat_guid = format!("{PREFIX}{room_id}");
    if room.is_encrypted || content.kind == ContentKind::Encrypted {
        let id = format!("{ENCRYPTED}{room_id}");
        return uplink.say(&chat_guid, &id, IS_ENCRYPTED).await;
    }
    let sent_at_ms = event["origin_server_ts"].as_i64().unwrap_or_default();
    if let Some(first) = &content.corrects
        && !may_correct(uplink, room_id, sender, first, sent_at_ms).await
    {
        return;
    }
    let incoming = IncomingMessage {
        chat_guid,
        sender: format!("{PREFIX}{sender}"),
        is_group: room.is_group(),
        is_addressed: room.is_group() && is_addressed(uplink, bot, room_id, &content).await,
        key: key.to_owned(),
        corrects: content.corrects.clone(),
        sent_at_s: sent_at_ms / 1000,
    };
    let receipt = network.mark_read(room_id, key);
    let forwarding = forward_content(uplink, &room, &incoming, &content.kind);
    tokio::join!(receipt, forwarding);
}

async fn forward_content(
    uplink: &Uplink<Matrix>,
    room: &Room,
    incoming: &IncomingMessage,
    kind: &ContentKind,
) {
    let say = async |words| uplink.say(&incoming.chat_guid, &incoming.key, words).await;
    // In a group most of it isn't for the assistant.
    let is_for_others = room.is_group() && !incoming.is_addressed;
    match kind {
        ContentKind::Text(text) if !uplink.has_new_words(incoming, text) => {}
        ContentKind::Text(text) => uplink.message(&incoming.key, &incoming.message(text)).await,
        ContentKind::Photo { mxc, caption } => {
            let api = &uplink.network().api;
            let get = || async move { api.file(mxc).await.map_err(send_error) };
            match download::with_retries(uplink.status(), get).await {
                Some(file) => uplink.photo(&incoming.photo_fields(caption), &file).await,
                None if is_for_others => {}
                None => say(NO_PHOTO).await,
            }
        }
        ContentKind::Voice | ContentKind::Unreadable if is_for_others => {}
        ContentKind::Voice => say(CANT_HEAR).await,
        ContentKind::Unreadable => say(CANT_READ).await,
        ContentKind::Encrypted | ContentKind::Nothing => {}
    }
}

/// Repeats a call until it succeeds or is refused.
async fn until_answered<T, F>(uplink: &Uplink<Matrix>, call: impl Fn() -> F) -> Result<T, Failure>
where
    F: Future<Output = Result<T, Failure>>,
{
    let mut attempt = 0;
    loop {
        match call().await {
            Err(failure @ (Failure::TooMany(_) | Failure::Broken(_))) => {
                uplink.status().set_network(Some(&failure.to_string()));
                let pause = failure.wait().unwrap_or_else(|| backoff(attempt));
                tokio::time::sleep(pause).await;
                attempt += 1;
            }
            answered => return answered,
        }
    }
}

/// Whether the same person wrote the original message less than a minute earlier.
async fn may_correct(
    uplink: &Uplink<Matrix>,
    room: &str,
    sender: &str,
    first: &str,
    sent_at_ms: i64,
) -> bool {
    let first = until_answered(uplink, || uplink.network().event(room, first));
    let Ok(first) = first.await else {
        return false;
    };
    let first_at_ms = first["origin_server_ts"].as_i64().unwrap_or_default();
    first["sender"] == sender && sent_at_ms - first_at_ms <= CORRECTION_S_MAX * 1000
}

/// Whether a group's message mentions the bot or replies to it.
async fn is_addressed(uplink: &Uplink<Matrix>, bot: &Bot, room: &str, content: &Content) -> bool {
    if content.mentions_bot {
        return true;
    }
    let Some(replied_to) = &content.replies_to else {
        return false;
    };
    let first = until_answered(uplink, || uplink.network().event(room, replied_to));
    first
        .await
        .is_ok_and(|first| first["sender"] == bot.user_id.as_str())
}

/// The kind of a message's content.
#[derive(Debug, Clone, PartialEq, Eq)]
enum ContentKind {
    /// Without the bot's name at the start.
    Text(String),
    Photo {
        mxc: String,
        caption: String,
    },
    Voice,
    Unreadable,
    Encrypted,
    /// A notice, a membership change, or a redaction.
    Nothing,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Content {
    kind: ContentKind,
    mentions_bot: bool,
    replies_to: Option<String>,
    /// The event that this one edits.
    corrects: Option<String>,
}

impl Content {
    fn read(event: &Value, bot: &Bot) -> Self {
        let whole = &event["content"];
        let relation = &whole["m.relates_to"];
        let id = |value: &Value| value.as_str().map(str::to_owned);
        let corrects = id(&relation["event_id"]).filter(|_| relation["rel_type"] == "m.replace");
        let content = match &corrects {
            Some(_) => &whole["m.new_content"],
            None => whole,
        };
        // In a thread, older clients get the last message as the one replied to.
        let is_reply = relation["is_falling_back"] != true;
        let replies_to = id(&relation["m.in_reply_to"]["event_id"]).filter(|_| is_reply);
        let mut mentions_bot = mentions(content, bot);
        let mut spoken = |body: &str| {
            let (text, is_named) = address::without_name(body, &bot.names, mentions_bot);
            mentions_bot |= is_named;
            text.to_owned()
        };
        let kind = match event["type"].as_str() {
            Some("m.room.message") => {
                ContentKind::of_message(content, replies_to.is_some(), &mut spoken)
            }
            Some("m.room.encrypted") => ContentKind::Encrypted,
            Some("m.sticker") => ContentKind::Unreadable,
            _ => ContentKind::Nothing,
        };
        Self {
            kind,
            mentions_bot,
            replies_to,
            corrects,
        }
    }
}

impl ContentKind {
    /// `spoken` removes the bot's name from a text.
    fn of_message(
        content: &Value,
        is_reply: bool,
        spoken: &mut impl FnMut(&str) -> String,
    ) -> Self {
        let body = content["body"].as_str().unwrap_or_default();
        let body = match is_reply {
            true => address::without_quotation(body),
            false => body,
        };
        match content["msgtype"].as_str() {
            Some("m.text" | "m.emote") => Self::Text(spoken(body)),
            Some("m.image") => match content["url"].as_str() {
                Some(mxc) => Self::Photo {
                    mxc: mxc.to_owned(),
                    // Without a file name the body is the file's name.
                    caption: match content["filename"].as_str() {
                        Some(name) if name != body => spoken(body),
                        _ => String::new(),
                    },
                },
                None => Self::Unreadable,
            },
            Some("m.audio") => Self::Voice,
            Some("m.video" | "m.file" | "m.location") => Self::Unreadable,
            _ => Self::Nothing,
        }
    }
}

/// Mentions in the current form, or as a link to the bot by older clients.
fn mentions(content: &Value, bot: &Bot) -> bool {
    if let Some(mentions) = content.get("m.mentions") {
        let ids = mentions["user_ids"].as_array();
        return ids.is_some_and(|ids| ids.iter().any(|id| *id == bot.user_id.as_str()));
    }
    let html = content["formatted_body"].as_str().unwrap_or_default();
    let encoded = percent_encoded(&bot.user_id);
    [bot.user_id.as_str(), &encoded]
        .iter()
        .any(|id| html.contains(&format!("https://matrix.to/#/{id}\"")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn bot() -> Bot {
        Bot {
            user_id: "@juno:a".to_owned(),
            names: vec!["@juno:a".to_owned(), "juno".to_owned()],
        }
    }

    fn read(content: Value) -> Content {
        Content::read(
            &json!({"type": "m.room.message", "content": content}),
            &bot(),
        )
    }

    #[test]
    fn what_a_message_is() {
        let text = |text: &str| ContentKind::Text(text.to_owned());
        let photo = |caption: &str| ContentKind::Photo {
            mxc: "mxc://a/1".to_owned(),
            caption: caption.to_owned(),
        };
        let image = |body: &str, name: Value| json!({"msgtype": "m.image", "body": body, "filename": name, "url": "mxc://a/1"});
        let cases = [
            (json!({"msgtype": "m.text", "body": "hi"}), text("hi")),
            (
                json!({"msgtype": "m.emote", "body": "waves"}),
                text("waves"),
            ),
            (json!({"msgtype": "m.text", "body": "juno: hi"}), text("hi")),
            (
                json!({"msgtype": "m.notice", "body": "a bot's"}),
                ContentKind::Nothing,
            ),
            (json!({}), ContentKind::Nothing),
            (image("cat.jpg", Value::Null), photo("")),
            (image("cat.jpg", "cat.jpg".into()), photo("")),
            (image("what is it?", "cat.jpg".into()), photo("what is it?")),
            // Encrypted files have `file` instead of `url`.
            (
                json!({"msgtype": "m.image", "body": "x", "file": {}}),
                ContentKind::Unreadable,
            ),
            (
                json!({"msgtype": "m.audio", "body": "v.ogg"}),
                ContentKind::Voice,
            ),
            (
                json!({"msgtype": "m.file", "body": "a.pdf"}),
                ContentKind::Unreadable,
            ),
        ];
        for (content, expected) in cases {
            assert_eq!(read(content.clone()).kind, expected, "{content}");
        }
        let kind = |kind: &str| Content::read(&json!({"type": kind, "content": {}}), &bot()).kind;
        assert_eq!(kind("m.sticker"), ContentKind::Unreadable);
        assert_eq!(kind("m.room.encrypted"), ContentKind::Encrypted);
        assert_eq!(kind("m.room.member"), ContentKind::Nothing);
    }

    #[test]
    fn whom_a_message_is_for() {
        let link = |id: &str| format!("<a href=\"https://matrix.to/#/{id}\">Juno</a>: hi");
        let cases = [
            (json!({"m.mentions": {"user_ids": ["@juno:a"]}}), true),
            (json!({"m.mentions": {"user_ids": ["@ada:a"]}}), false),
            (
                json!({"m.mentions": {}, "formatted_body": link("@juno:a")}),
                false,
            ),
            (json!({"formatted_body": link("@juno:a")}), true),
            (json!({"formatted_body": link("%40juno%3Aa")}), true),
            (json!({"formatted_body": link("@juno:ab")}), false),
            (
                json!({"m.mentions": {}, "msgtype": "m.text", "body": "Juno: hi"}),
                true,
            ),
            (
                json!({"m.mentions": {}, "msgtype": "m.text", "body": "Juno is here"}),
                false,
            ),
        ];
        for (content, expected) in cases {
            assert_eq!(read(content.clone()).mentions_bot, expected, "{content}");
        }
    }

    #[test]
    fn replies_and_changes() {
        let reply = json!({"msgtype": "m.text", "body": "> <@juno:a> hi\n\nyes",
                           "m.relates_to": {"m.in_reply_to": {"event_id": "$1"}}});
        let found = read(reply);
        assert_eq!(found.kind, ContentKind::Text("yes".to_owned()));
        assert_eq!(found.replies_to.as_deref(), Some("$1"));
        let thread = json!({"msgtype": "m.text", "body": "yes", "m.relates_to": {
            "rel_type": "m.thread", "event_id": "$0", "is_falling_back": true,
            "m.in_reply_to": {"event_id": "$1"}}});
        let found = read(thread);
        assert_eq!((found.replies_to, found.corrects), (None, None));
        let change = json!({"msgtype": "m.text", "body": "* right",
                            "m.new_content": {"msgtype": "m.text", "body": "right"},
                            "m.relates_to": {"rel_type": "m.replace", "event_id": "$1"}});
        let found = read(change);
        assert_eq!(found.kind, ContentKind::Text("right".to_owned()));
        assert_eq!(found.corrects.as_deref(), Some("$1"));
    }
}
