//! All flags' values at one moment: an operator's override, or else the provider's value, or else
//! the default. Pure.

use std::collections::HashMap;
use std::sync::Arc;

use super::Override;
use super::provider_values::{ProviderValues, UserValues};
use super::registry;
use super::registry::Scalar;
use crate::clock::{Clock, Timestamp};

/// The source of a value.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Origin {
    Override,
    Provider,
    Default,
}

impl Origin {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Override => "override",
            Self::Provider => "provider",
            Self::Default => "default",
        }
    }
}

#[derive(Debug)]
pub(super) struct Snapshot {
    /// By the flags' positions in the registry.
    entries: Box<[FlagEntry]>,
    pub(super) provided: Arc<ProviderValues>,
}

#[derive(Debug)]
struct FlagEntry {
    active_override: Option<ActiveOverride>,
    provided: Option<Scalar>,
    default: Scalar,
}

#[derive(Debug)]
struct ActiveOverride {
    value: Scalar,
    until: Option<Timestamp>,
}

impl Snapshot {
    pub(super) fn new(
        production: bool,
        overrides: &HashMap<&'static str, Override>,
        provided: Arc<ProviderValues>,
    ) -> Self {
        let flags = registry::all().iter().enumerate();
        let entries = flags.map(|(position, flag)| {
            let configured = overrides.get(flag.key);
            let active_override = configured.and_then(|configured| {
                Some(ActiveOverride {
                    value: flag.parse(&configured.value)?,
                    until: configured.expires_at,
                })
            });
            FlagEntry {
                active_override,
                provided: provided.value(position),
                default: flag.default(production),
            }
        });
        Self {
            entries: entries.collect(),
            provided,
        }
    }

    /// The clock is read only for an override with an end.
    pub(super) fn read(
        &self,
        position: usize,
        user_values: Option<&UserValues>,
        clock: &Clock,
    ) -> (Scalar, Origin) {
        let entry = &self.entries[position];
        if let Some(active_override) = &entry.active_override
            && active_override
                .until
                .is_none_or(|until| clock.now() < until)
        {
            return (active_override.value, Origin::Override);
        }
        let mut user_values = user_values.into_iter().flat_map(|values| values.iter());
        let provided = match user_values.find(|(at, _)| *at == position) {
            Some((_, value)) => *value,
            None => entry.provided,
        };
        match provided {
            Some(value) => (value, Origin::Provider),
            None => (entry.default, Origin::Default),
        }
    }
}
