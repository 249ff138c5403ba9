//! LaunchDarkly's data: flags with targets, rules and rollouts, and segments of users, as its
//! polling protocol sends them. The vendor's own crate evaluates them. Pure.

use std::collections::{HashMap, HashSet};

use launchdarkly_server_sdk_evaluation::{self as vendor, Context, ContextBuilder, Reason};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::registry;

/// Who asks when no user does.
const SERVICE: &str = "chatkeep";

/// One answer of the provider.
#[derive(Debug)]
pub(super) struct Rules {
    flags: HashMap<String, vendor::Flag>,
    segments: HashMap<String, vendor::Segment>,
    /// Flags in our table whose value may differ from user to user.
    by_user: HashSet<&'static str>,
    service: Context,
}

impl Rules {
    pub(super) fn parse(body: &[u8]) -> Result<Self, String> {
        let body: Value = serde_json::from_slice(body).map_err(|_| "its answer is not JSON")?;
        let flags = body.get("flags").and_then(Value::as_object);
        let flags = flags.ok_or("its answer has no object \"flags\"")?;
        let none = Map::new();
        let segments = match body.get("segments") {
            None => &none,
            Some(segments) => segments
                .as_object()
                .ok_or("its answer's \"segments\" is no object")?,
        };
        let service = ContextBuilder::new(SERVICE).anonymous(true).build()?;
        let mut rules = Self {
            flags: each(flags, "flag"),
            segments: each(segments, "segment"),
            by_user: HashSet::new(),
            service,
        };
        for flag in registry::all() {
            let known = flags.get(flag.key).filter(|json| asks_who(json));
            // What can't be evaluated for one is not tried for each.
            if known.is_some() && rules.evaluate(flag.key, &rules.service).is_ok() {
                rules.by_user.insert(flag.key);
            }
        }
        Ok(rules)
    }

    /// For the service as a whole; `None`: the provider has nothing to say.
    pub(super) fn value(&self, key: &str) -> Option<Value> {
        self.evaluate(key, &self.service).unwrap_or_default()
    }

    /// For one user.
    pub(super) fn value_for(&self, key: &str, user: &str) -> Option<Value> {
        let context = ContextBuilder::new(user).build().ok()?;
        self.evaluate(key, &context).unwrap_or_default()
    }

    /// Whose value may differ from user to user.
    pub(super) fn by_user(&self) -> &HashSet<&'static str> {
        &self.by_user
    }

    fn evaluate(&self, key: &str, context: &Context) -> Result<Option<Value>, Malformed> {
        let Some(flag) = self.flags.get(key) else {
            return Ok(None);
        };
        let detail = vendor::evaluate(self, flag, context, None);
        match detail.reason {
            Reason::Error { .. } => Err(Malformed),
            _ => Ok(detail.value.and_then(vendor::FlagValue::as_json)),
        }
    }
}

/// The flag contradicts itself: a circle, a variation that it lacks.
struct Malformed;

impl vendor::Store for Rules {
    fn flag(&self, key: &str) -> Option<vendor::Flag> {
        self.flags.get(key).cloned()
    }

    fn segment(&self, key: &str) -> Option<vendor::Segment> {
        self.segments.get(key).cloned()
    }
}

/// What can be read, each for itself: one odd entry must not cost the others.
fn each<T: DeserializeOwned>(entries: &Map<String, Value>, what: &str) -> HashMap<String, T> {
    let read = entries.iter().filter_map(|(key, json)| {
        let deleted = json.get("deleted").and_then(Value::as_bool);
        if deleted == Some(true) {
            return None;
        }
        match T::deserialize(json) {
            Ok(entry) => Some((key.clone(), entry)),
            Err(error) => {
                log::debug!("flags: the {what} {key:?} can't be read: {error}");
                None
            }
        }
    });
    read.collect()
}

/// Whether the value can depend on who asks.
fn asks_who(flag: &Value) -> bool {
    let any = |name| {
        let list = flag.get(name).and_then(Value::as_array);
        list.is_some_and(|list| !list.is_empty())
    };
    let lists = ["targets", "contextTargets", "rules", "prerequisites"];
    let rollout = flag.pointer("/fallthrough/rollout");
    flag.get("on") == Some(&Value::Bool(true))
        && (lists.into_iter().any(any) || rollout.is_some_and(|rollout| !rollout.is_null()))
}
