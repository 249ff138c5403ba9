//! The values from a provider's answer: typed values of all flags, and user-dependent ones. They
//! are computed once per answer and once per user, not per read.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value;

use super::launchdarkly::Rules;
use super::registry::{self, Flag, Scalar};

/// The cache of users' values is emptied at this size.
const USERS_MAX: usize = 10_000;

/// The provider's values, by the flags' positions in the registry. `None` where there is no usable
/// value.
#[derive(Debug, Default)]
pub struct ProviderValues {
    values: Vec<Option<Scalar>>,
    /// Flags whose value has a wrong type or can't be parsed.
    pub(super) invalid: Vec<&'static Flag>,
    rules: Option<Rules>,
    users: Mutex<HashMap<String, UserValues>>,
}

/// The values that may differ for one user: the flag's position and its value.
pub(super) type UserValues = Arc<[(usize, Option<Scalar>)]>;

impl ProviderValues {
    /// Values that are the same for everybody.
    pub(super) fn values(values: &HashMap<&'static str, Value>) -> Self {
        Self::new(|key| values.get(key).cloned())
    }

    pub(super) fn by_rules(rules: Rules) -> Self {
        let mut provided = Self::new(|key| rules.value(key));
        provided.invalid.extend(&rules.unreadable);
        Self {
            rules: Some(rules).filter(|rules| !rules.by_user().is_empty()),
            ..provided
        }
    }

    fn new(value: impl Fn(&str) -> Option<Value>) -> Self {
        let mut provided = Self::default();
        for flag in registry::all() {
            let json = value(flag.key);
            let scalar = json.as_ref().and_then(|json| flag.parse(json));
            if json.is_some() && scalar.is_none() {
                provided.invalid.push(flag);
            }
            provided.values.push(scalar);
        }
        provided
    }

    pub(super) fn value(&self, position: usize) -> Option<Scalar> {
        self.values.get(position).copied().flatten()
    }

    pub(super) fn differs_by_user(&self) -> bool {
        self.rules.is_some()
    }

    /// The user's own values; `None` when they are the same as for everybody.
    pub(super) fn user_values(&self, user: &str) -> Option<UserValues> {
        let rules = self.rules.as_ref()?;
        let mut users = self.users.lock();
        if let Some(user_values) = users.get(user) {
            return Some(user_values.clone());
        }
        if users.len() >= USERS_MAX {
            users.clear();
        }
        let flags = registry::all().iter().enumerate();
        let user_values: UserValues = flags
            .filter(|(_, flag)| rules.by_user().contains(flag.key))
            .map(|(position, flag)| {
                let json = rules.value_for(flag.key, user);
                (position, json.and_then(|json| flag.parse(&json)))
            })
            .collect();
        users.insert(user.to_owned(), user_values.clone());
        Some(user_values)
    }
}
