//! Who the senders are: before anything is measured they say their names, where they live and
//! something to remember, so that no message comes from a stranger.

use std::sync::Arc;

use futures_util::{StreamExt, TryStreamExt, stream};
use serde_json::json;

use crate::message::sender;
use crate::service::Service;
use crate::{Result, client};

/// So many introduce themselves at most; where more are needed, the rest stay strangers.
const INTRODUCED_MAX: u64 = 2_000;
const INTRODUCTION: [&str; 3] = [
    "my name is Ana",
    "my time zone is Europe/Berlin",
    "remember that my sister's favourite place is the terrace",
];
const AT_ONCE: usize = 64;

/// How many messages that took.
pub(crate) async fn introduce(
    service: &Service,
    senders: u64,
    tokens: &Arc<Vec<String>>,
) -> Result<u64> {
    let people = senders.min(INTRODUCED_MAX);
    let introductions = (0..people).map(|number| {
        // A chat keeps its relay.
        let token = &tokens[(number % tokens.len() as u64) as usize];
        introduce_one(service, number, token)
    });
    let introductions = stream::iter(introductions).buffer_unordered(AT_ONCE);
    introductions.try_for_each(|()| async { Ok(()) }).await?;
    Ok(people * INTRODUCTION.len() as u64)
}

async fn introduce_one(service: &Service, number: u64, token: &str) -> Result<()> {
    let phone = sender(number);
    for text in INTRODUCTION {
        let body = json!({
            "chat_guid": format!("iMessage;-;{phone}"), "mode": "direct", "sender": phone,
            "text": text, "timestamp": 1_700_000_000, "participants": [phone, "juno.example"],
        });
        let address = service.address();
        let (status, answer) =
            client::call(address, "POST", "/edge/message", token, Some(&body)).await?;
        if status != 200 {
            return Err(format!("{phone} said {text:?}: {status} {answer}").into());
        }
    }
    Ok(())
}
