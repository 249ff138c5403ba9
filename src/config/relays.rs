//! `[relay.…]`: relays that run inside the service.

use std::path::PathBuf;

use super::secret::Secret;
use super::section::{Section, section};
use super::{text, url};

const EVERYONE: &str = "everyone";
const TELEGRAM_PREFIX: &str = "telegram:";
const MATRIX_PREFIX: &str = "matrix:";
const XMPP_PREFIX: &str = "xmpp:";

#[derive(Debug, Clone)]
pub struct TelegramRelay {
    /// `None`: the relay isn't run.
    pub token: Option<Secret>,
    /// Without a trailing slash.
    pub base_url: String,
    /// Ids, with or without the network's prefix, or "everyone".
    pub allow: Vec<String>,
}

impl TelegramRelay {
    pub(super) const ABOUT: &str =
        "The relay for Telegram; `chatkeep serve` runs it if the token is set.";

    pub(super) fn read(s: &mut Section) -> Self {
        Self {
            token: s.secret("token", "The bot's token from @BotFather."),
            base_url: s.parsed(
                "base_url",
                "Base URL of the Bot API.",
                "https://api.telegram.org",
                url::base,
            ),
            allow: s.list_or_word(
                "allow",
                "Who may write: ids of people and groups, like \"501\" or \"-1001234\"; or \"everyone\". \
                 The log names other senders.",
                &[],
                telegram_id,
            ),
        }
    }
}

section! {
    /// The relay for Matrix; `chatkeep serve` runs it if a homeserver and an account are set.
    MatrixRelay {
        /// Base URL of the homeserver.
        homeserver: Option<String> = parsed_if_set("https://matrix.example.com", url::base);
        /// The bot's account on the homeserver, used with password.
        user: Option<String> = parsed_if_set("@juno:example.com", text::line);
        /// The account's password.
        password: Option<Secret> = secret();
        /// An access token of the account, instead of user and password.
        token: Option<Secret> = secret();
        /// Who may write and invite: ids of people and rooms, like "@ada:example.com" or
        /// "!room:example.com", "@*:example.com" for everybody on a server; or "everyone". The log
        /// names other senders.
        allow: Vec<String> = list_or_word(&[], matrix_id);
    }
}

section! {
    /// The relay for XMPP; `chatkeep serve` runs it if a jid and a password are set.
    XmppRelay {
        /// The bot's address.
        jid: Option<String> = parsed_if_set("juno@example.com", bare_jid);
        /// The account's password.
        password: Option<Secret> = secret();
        /// The server's address, like "xmpp.example.com:5222"; default: from DNS. Only a server on
        /// this machine may lack TLS.
        server: Option<String> = parsed_if_set("xmpp.example.com:5222", url::host_and_port);
        /// Certificates (PEM) to trust instead of the public authorities: of a server with an
        /// authority of your own.
        ca_file: Option<PathBuf> = path_if_set("/etc/ssl/our-ca.pem");
        /// Who may write and invite: addresses of people and rooms, like "ada@example.com" or
        /// "tea@rooms.example.com", "*@example.com" for everybody on a server; or "everyone". The
        /// relay joins rooms named here. The log names other senders.
        allow: Vec<String> = list_or_word(&[], xmpp_id);
    }
}

/// `local@domain`, RFC 7622.
fn bare_jid(text: &str) -> Result<String, String> {
    let jid = text::line(text)?;
    match jid.split_once('@') {
        Some(_) if jid.contains('/') => {
            Err("must be an address without a resource, like \"juno@example.com\"".to_owned())
        }
        Some((local, domain)) if !local.is_empty() && !domain.is_empty() => Ok(jid),
        _ => Err("must be an address with its server, like \"juno@example.com\"".to_owned()),
    }
}

impl XmppRelay {
    /// The content of `ca_file` (PEM).
    pub fn certificates(&self) -> Result<Option<Vec<u8>>, String> {
        let Some(path) = &self.ca_file else {
            return Ok(None);
        };
        let read = std::fs::read(path);
        read.map(Some)
            .map_err(|e| format!("relay.xmpp.ca_file: can't read {}: {e}", path.display()))
    }
}

fn telegram_id(text: &str) -> Result<String, String> {
    let id = text.strip_prefix(TELEGRAM_PREFIX).unwrap_or(text);
    if text == EVERYONE || id.parse::<i64>().is_ok() {
        return Ok(text.to_owned());
    }
    Err(format!(
        "must be an id as a number, like \"501\" or \"-1001234\", or \"{EVERYONE}\""
    ))
}

fn matrix_id(text: &str) -> Result<String, String> {
    let id = text.strip_prefix(MATRIX_PREFIX).unwrap_or(text);
    let has_server = |rest: &str| {
        rest.split_once(':')
            .is_some_and(|(_, server)| !server.is_empty())
    };
    let is_person = id.strip_prefix('@').is_some_and(has_server);
    let is_room = id.strip_prefix('!').is_some_and(|rest| !rest.is_empty());
    if text == EVERYONE || is_person || is_room {
        return Ok(text.to_owned());
    }
    Err(format!(
        "must be an id, like \"@ada:example.com\" or \"!room:example.com\", \"@*:example.com\" for \
         everybody of a server, or \"{EVERYONE}\""
    ))
}

fn xmpp_id(text: &str) -> Result<String, String> {
    let id = text.strip_prefix(XMPP_PREFIX).unwrap_or(text);
    let is_address = id.split_once('@').is_some_and(|(name, server)| {
        let is_plain = |part: &str| {
            !part.is_empty() && !part.contains(|c: char| c.is_whitespace() || "@/".contains(c))
        };
        is_plain(name) && is_plain(server) && id.to_lowercase() == id
    });
    if text == EVERYONE || is_address {
        return Ok(text.to_owned());
    }
    Err(format!(
        "must be an address in lower case, like \"ada@example.com\" or \"tea@rooms.example.com\", \
         \"*@example.com\" for everybody of a server, or \"{EVERYONE}\""
    ))
}
