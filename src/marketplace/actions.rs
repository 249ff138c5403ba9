//! Actions of an app, and the effect of one call. Pure; `effects` executes the effect.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::mapping::{Lookup, Mapping, Values};
use super::template::Template;
use crate::error::{Error, Result};

/// Actions per app.
pub const ACTIONS_MAX: usize = 20;
pub const ACTION_ID_CHARS_MAX: usize = 64;
pub const TEMPLATE_BYTES_MAX: usize = 8_192;
/// Fields that an action may require.
pub const PARAMETERS_MAX: usize = 20;

/// An action of an app.
// As in the API and the database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Action")]
pub struct AppAction {
    #[schemars(example = &"package_arrived")]
    pub action_id: String,
    pub description: String,
    pub kind: ActionKind,
    /// Present for actions with a text.
    pub template: Option<String>,
    /// Required fields.
    pub parameters: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ActionKind {
    SendMessage,
    Remember,
    StartSession,
}

impl ActionKind {
    pub const NAMES: [&'static str; 3] = ["send_message", "remember", "start_session"];

    /// Parses one of `NAMES`.
    pub fn parse(name: &str) -> Self {
        match name {
            "remember" => Self::Remember,
            "start_session" => Self::StartSession,
            _ => Self::SendMessage,
        }
    }

    /// Whether the action has a text.
    pub fn has_text(self) -> bool {
        !matches!(self, Self::StartSession)
    }
}

/// Parses the actions of an app's row.
pub(super) fn from_json(text: &str) -> Result<Vec<AppAction>> {
    serde_json::from_str(text).map_err(Error::internal)
}

/// The actions for an app's row.
pub(super) fn to_json(actions: &[AppAction]) -> Result<String> {
    serde_json::to_string(actions).map_err(Error::internal)
}

/// Whether a text is a valid action id: 1-64 of `[A-Za-z0-9._-]`.
pub fn is_action_id(text: &str) -> bool {
    (1..=ACTION_ID_CHARS_MAX).contains(&text.len())
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'))
}

/// An action prepared for calls.
#[derive(Debug, Clone)]
pub struct PreparedAction {
    kind: ActionKind,
    template: Template,
    parameters: Vec<String>,
    /// Where its fields are in a payload.
    pub lookup: Lookup,
}

/// The effect of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ActionEffect {
    Send { text: String },
    Remember { text: String },
    StartSession,
}

impl PreparedAction {
    pub fn new(action: &AppAction, mapping: &Mapping) -> Self {
        let template = Template::parse(action.template.as_deref().unwrap_or_default());
        let parameters = action.parameters.iter().map(String::as_str);
        let text_fields = template.fields().filter(|_| action.kind.has_text());
        let lookup = Lookup::of(mapping, parameters.chain(text_fields));
        Self {
            kind: action.kind,
            parameters: action.parameters.clone(),
            template,
            lookup,
        }
    }

    /// The text with these values; empty for an action without a text.
    pub fn text(&self, values: &Values) -> String {
        match self.kind.has_text() {
            true => self.template.render(|field| values.get(field)),
            false => String::new(),
        }
    }

    /// Required fields without a value.
    pub fn missing(&self, values: &Values<'_>) -> Vec<&str> {
        let names = self.parameters.iter().map(String::as_str);
        names.filter(|name| values.get(name).is_none()).collect()
    }

    /// The error is a sentence for the caller and the webhook's log.
    pub fn decide(&self, values: &Values) -> Result<ActionEffect, String> {
        match self.missing(values).as_slice() {
            [] => {}
            [one] => return Err(format!("The required field {one} has no value.")),
            many => {
                return Err(format!(
                    "Required fields have no value: {}.",
                    many.join(", ")
                ));
            }
        }
        let text = self.text(values);
        if self.kind.has_text() && text.trim().is_empty() {
            return Err("The text is empty: none of its fields has a value.".to_owned());
        }
        Ok(match self.kind {
            ActionKind::SendMessage => ActionEffect::Send { text },
            ActionKind::Remember => ActionEffect::Remember { text },
            ActionKind::StartSession => ActionEffect::StartSession,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decide(
        kind: ActionKind,
        template: &str,
        parameters: &[&str],
        body: &str,
    ) -> Result<ActionEffect, String> {
        let action = AppAction {
            action_id: "a".to_owned(),
            description: String::new(),
            kind,
            template: Some(template.to_owned()),
            parameters: parameters.iter().map(|p| (*p).to_owned()).collect(),
        };
        let ready = PreparedAction::new(&action, &Mapping::default());
        ready.decide(&ready.lookup.read(body.as_bytes()).unwrap())
    }

    #[test]
    fn a_call_has_its_actions_effect_or_an_error() {
        let body = r#"{"who":"Ada","n":0,"blank":" ","none":null,"list":[1]}"#;
        let send = |text: &str| Ok(ActionEffect::Send { text: text.into() });
        let error = |why: &str| Err(why.to_owned());
        type Case = (
            ActionKind,
            &'static str,
            &'static [&'static str],
            Result<ActionEffect, String>,
        );
        let cases: [Case; 10] = [
            (ActionKind::SendMessage, "Hi {who}", &[], send("Hi Ada")),
            (ActionKind::SendMessage, "{n}", &["n", "who"], send("0")),
            (ActionKind::SendMessage, "{blank}x", &["blank"], send(" x")),
            (
                ActionKind::Remember,
                "{who}",
                &[],
                Ok(ActionEffect::Remember { text: "Ada".into() }),
            ),
            (
                ActionKind::StartSession,
                "",
                &["who"],
                Ok(ActionEffect::StartSession),
            ),
            (
                ActionKind::StartSession,
                "{who}",
                &["list"],
                error("The required field list has no value."),
            ),
            (
                ActionKind::SendMessage,
                "Hi",
                &["none", "who", "x"],
                error("Required fields have no value: none, x."),
            ),
            (
                ActionKind::SendMessage,
                "{blank}{x}",
                &[],
                error("The text is empty: none of its fields has a value."),
            ),
            (
                ActionKind::Remember,
                "",
                &[],
                error("The text is empty: none of its fields has a value."),
            ),
            (ActionKind::SendMessage, "{{who}}", &[], send("{who}")),
        ];
        for (kind, template, parameters, expected) in cases {
            let effect = decide(kind, template, parameters, body);
            assert_eq!(effect, expected, "{kind:?} {template} {parameters:?}");
        }
    }

    #[test]
    fn names_and_stored_kinds_are_the_same() {
        for name in ActionKind::NAMES {
            let stored = serde_json::to_value(ActionKind::parse(name)).unwrap();
            assert_eq!(stored, name);
        }
    }
}
