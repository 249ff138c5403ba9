//! A value as an operator wrote it, in the file or the environment, before its type is
//! checked.

const QUOTED_CHARS_MAX: usize = 60;

/// The unchecked value of a key.
pub(super) enum RawValue {
    Variable(String),
    File(toml::Value),
}

impl RawValue {
    /// The value as text, to compare two readings.
    pub(super) fn as_written(&self) -> String {
        match self {
            Self::Variable(text) => text.clone(),
            Self::File(value) => value.to_string(),
        }
    }

    pub(super) fn text(&self) -> Result<&str, String> {
        match self {
            Self::Variable(text) if text.contains(char::REPLACEMENT_CHARACTER) => {
                Err("is not valid UTF-8".to_owned())
            }
            Self::Variable(text) => Ok(text),
            Self::File(value) => value.as_str().ok_or_else(|| {
                format!(
                    "must be a text in quotes, not a value of type {}",
                    value.type_str()
                )
            }),
        }
    }

    pub(super) fn items(&self) -> Result<Vec<&str>, String> {
        let not_a_list = || "must be a list of texts, [\"one\", \"two\"]".to_owned();
        match self {
            Self::Variable(_) => {
                let parts = self.text()?.split(',').map(str::trim);
                Ok(parts.filter(|part| !part.is_empty()).collect())
            }
            Self::File(value) => {
                let items = value.as_array().ok_or_else(not_a_list)?;
                let texts = items.iter().map(toml::Value::as_str);
                texts.collect::<Option<_>>().ok_or_else(not_a_list)
            }
        }
    }

    /// The value for messages about keys that are not secret.
    pub(super) fn display(&self) -> String {
        match self {
            Self::Variable(text) => quote(text),
            Self::File(toml::Value::String(text)) => quote(text),
            Self::File(toml::Value::Integer(number)) => number.to_string(),
            Self::File(value) => format!("a value of type {}", value.type_str()),
        }
    }
}

/// Quotes a text for a message, shortened to fit a line.
pub(super) fn quote(text: &str) -> String {
    let short: String = text.chars().take(QUOTED_CHARS_MAX).collect();
    let more = if short.len() < text.len() { "…" } else { "" };
    format!("{:?}", format!("{short}{more}"))
}
