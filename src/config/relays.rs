//! `[relay.telegram]`: a relay that `serve` runs by itself.

use super::secret::Secret;
use super::section::Section;
use super::url;

const EVERYONE: &str = "everyone";
const TELEGRAM_PREFIX: &str = "telegram:";

#[derive(Debug, Clone)]
pub struct TelegramRelay {
    /// `None`: it is not run.
    pub token: Option<Secret>,
    /// Without a trailing slash.
    pub base_url: String,
    /// Ids with or without the network's prefix, or "everyone".
    pub allow: Vec<String>,
}

impl TelegramRelay {
    pub(super) const ABOUT: &str =
        "The relay for Telegram, which `chatkeep serve` runs when there is a token.";

    pub(super) fn read(s: &mut Section<'_>) -> Self {
        Self {
            token: s.secret("token", "The bot's token, as @BotFather says it."),
            base_url: s.parsed(
                "base_url",
                "Address of the Bot API.",
                "https://api.telegram.org",
                url::base,
            ),
            allow: s.list_or_word(
                "allow",
                "Who may write: ids of people and groups, like \"501\" or \"-1001234\"; or \"everyone\". \
                 Whoever else writes is named in the log.",
                &[],
                telegram_id,
            ),
        }
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
