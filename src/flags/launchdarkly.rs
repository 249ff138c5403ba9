//! Evaluates LaunchDarkly's data as sent by its polling protocol: flags with targets, rules and
//! rollouts, and segments. The vendor's crate does the evaluation. Pure.

use std::collections::{HashMap, HashSet};

use launchdarkly_server_sdk_evaluation::{self as vendor, Context, ContextBuilder, Reason};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::registry::{self, Flag};

/// The user key for evaluations without a user.
const SERVICE: &str = "chatkeep";

/// One answer of the provider.
#[derive(Debug)]
pub(super) struct Rules {
    flags: HashMap<String, vendor::Flag>,
    segments: HashMap<String, vendor::Segment>,
    /// Flags in our table whose value may differ between users.
    by_user: HashSet<&'static str>,
    /// Flags in our table that could not be parsed.
    pub(super) unreadable: Vec<&'static Flag>,
    service: Context,
}

impl Rules {
    pub(super) fn parse(body: &[u8]) -> Result<Self, String> {
        let body: Value = serde_json::from_slice(body).map_err(|_| "its answer is not JSON")?;
        let flags = body.get("flags").and_then(Value::as_object);
        let flags = flags.ok_or("its answer has no object \"flags\"")?;
        let empty = Map::new();
        let segments = match body.get("segments") {
            None => &empty,
            Some(segments) => segments
                .as_object()
                .ok_or("its answer's \"segments\" is no object")?,
        };
        let service = ContextBuilder::new(SERVICE).anonymous(true).build()?;
        let mut rules = Self {
            flags: parse_entries(flags),
            segments: parse_entries(segments),
            by_user: HashSet::new(),
            unreadable: Vec::new(),
            service,
        };
        for flag in registry::all() {
            let is_sent = flags.get(flag.key).is_some_and(|json| !is_deleted(json));
            if is_sent && !rules.flags.contains_key(flag.key) {
                rules.unreadable.push(flag);
            }
            let user_flag = flags.get(flag.key).filter(|json| depends_on_user(json));
            // A flag that fails for the service isn't tried for each user.
            if user_flag.is_some() && rules.evaluate(flag.key, &rules.service).is_ok() {
                rules.by_user.insert(flag.key);
            }
        }
        Ok(rules)
    }

    /// The value for the service; `None` when the provider has none.
    pub(super) fn value(&self, key: &str) -> Option<Value> {
        self.evaluate(key, &self.service).unwrap_or_default()
    }

    /// The value for one user.
    pub(super) fn value_for(&self, key: &str, user: &str) -> Option<Value> {
        let context = ContextBuilder::new(user).build().ok()?;
        self.evaluate(key, &context).unwrap_or_default()
    }

    /// Flags whose value may differ between users.
    pub(super) fn by_user(&self) -> &HashSet<&'static str> {
        &self.by_user
    }

    fn evaluate(&self, key: &str, context: &Context) -> Result<Option<Value>, MalformedFlag> {
        let Some(flag) = self.flags.get(key) else {
            return Ok(None);
        };
        let detail = vendor::evaluate(self, flag, context, None);
        match detail.reason {
            Reason::Error { .. } => Err(MalformedFlag),
            _ => Ok(detail.value.and_then(vendor::FlagValue::as_json)),
        }
    }
}

/// The flag is inconsistent: a prerequisite cycle or a missing variation.
struct MalformedFlag;

impl vendor::Store for Rules {
    fn flag(&self, key: &str) -> Option<vendor::Flag> {
        self.flags.get(key).cloned()
    }

    fn segment(&self, key: &str) -> Option<vendor::Segment> {
        self.segments.get(key).cloned()
    }
}

/// Parses each entry alone, so that one malformed entry doesn't affect the others.
fn parse_entries<T: DeserializeOwned>(entries: &Map<String, Value>) -> HashMap<String, T> {
    let present = entries.iter().filter(|(_, json)| !is_deleted(json));
    present
        .filter_map(|(key, json)| Some((key.clone(), T::deserialize(json).ok()?)))
        .collect()
}

fn is_deleted(entry: &Value) -> bool {
    entry.get("deleted") == Some(&Value::Bool(true))
}

/// Whether the value can depend on the user.
fn depends_on_user(flag: &Value) -> bool {
    let is_nonempty = |name| {
        let list = flag.get(name).and_then(Value::as_array);
        list.is_some_and(|list| !list.is_empty())
    };
    let lists = ["targets", "contextTargets", "rules", "prerequisites"];
    let rollout = flag.pointer("/fallthrough/rollout");
    flag.get("on") == Some(&Value::Bool(true))
        && (lists.into_iter().any(is_nonempty) || rollout.is_some_and(|rollout| !rollout.is_null()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const KEY: &str = "context.max_messages";

    /// A flag with the variations 3, 4 and 5, off with 3, with these changes.
    fn flag(changes: &Value) -> Value {
        let mut flag = json!({
            "key": KEY, "version": 1, "on": true, "salt": "s", "clientSide": false,
            "variations": [3, 4, 5], "fallthrough": { "variation": 0 }, "offVariation": 2,
            "targets": [], "rules": [], "prerequisites": [],
        });
        for (name, value) in changes.as_object().unwrap() {
            flag[name] = value.clone();
        }
        flag
    }

    fn rules(flag: &Value) -> Rules {
        let body = json!({
            "flags": { KEY: flag, "broken": { "key": "broken" } },
            "segments": { "friends": {
                "key": "friends", "version": 1, "salt": "s", "included": ["bob"],
                "excluded": [], "rules": [],
            }},
        });
        Rules::parse(body.to_string().as_bytes()).unwrap()
    }

    #[test]
    fn each_user_has_the_value_of_the_rules() {
        let clause = |op: &str, attribute: &str, values: &[&str]| {
            let clause = json!({ "attribute": attribute, "op": op, "values": values });
            json!([{ "id": "r", "variation": 1, "clauses": [clause], "trackEvents": false }])
        };
        // (changes, for the service, for ann, for bob, whether it depends on the user)
        let cases = [
            (json!({}), Some(3), Some(3), Some(3), false),
            (json!({ "on": false }), Some(5), Some(5), Some(5), false),
            (
                json!({ "on": false, "offVariation": null }),
                None,
                None,
                None,
                false,
            ),
            (json!({ "deleted": true }), None, None, None, false),
            (
                json!({ "targets": [{ "variation": 2, "values": ["ann"] }] }),
                Some(3),
                Some(5),
                Some(3),
                true,
            ),
            (
                json!({ "rules": clause("in", "key", &["ann"]) }),
                Some(3),
                Some(4),
                Some(3),
                true,
            ),
            (
                json!({ "rules": clause("startsWith", "key", &["b"]) }),
                Some(3),
                Some(3),
                Some(4),
                true,
            ),
            (
                json!({ "rules": clause("segmentMatch", "", &["friends"]) }),
                Some(3),
                Some(3),
                Some(4),
                true,
            ),
            (
                json!({ "rules": clause("segmentMatch", "", &["nobody"]) }),
                Some(3),
                Some(3),
                Some(3),
                true,
            ),
            (
                json!({ "prerequisites": [{ "key": "missing", "variation": 0 }] }),
                Some(5),
                Some(5),
                Some(5),
                true,
            ),
            // An inconsistent flag has no value.
            (
                json!({ "fallthrough": { "variation": 9 } }),
                None,
                None,
                None,
                false,
            ),
            (
                json!({ "fallthrough": { "variation": -1 } }),
                None,
                None,
                None,
                false,
            ),
            (
                json!({ "prerequisites": [{ "key": KEY, "variation": 0 }] }),
                None,
                None,
                None,
                false,
            ),
        ];
        for (changes, service, ann, bob, by_user) in cases {
            let rules = rules(&flag(&changes));
            let number = |value: Option<Value>| value.and_then(|value| value.as_f64());
            let expected = |value: Option<i32>| value.map(f64::from);
            assert_eq!(number(rules.value(KEY)), expected(service), "{changes}");
            assert_eq!(
                number(rules.value_for(KEY, "ann")),
                expected(ann),
                "{changes}"
            );
            assert_eq!(
                number(rules.value_for(KEY, "bob")),
                expected(bob),
                "{changes}"
            );
            assert_eq!(rules.by_user().contains(KEY), by_user, "{changes}");
        }
    }

    #[test]
    fn a_rollout_divides_users_by_weight_and_stays_the_same() {
        let rollout = json!({ "variations": [
            { "variation": 0, "weight": 70_000 }, { "variation": 1, "weight": 30_000 },
        ]});
        let rules = rules(&flag(&json!({ "fallthrough": { "rollout": rollout } })));
        let value_of = |user: u32| rules.value_for(KEY, &format!("user-{user}"));
        let fours = (0..1_000).filter(|user| value_of(*user) == Some(4.0.into()));
        assert!((250..350).contains(&fours.count()));
        assert!((0..100).all(|user| value_of(user) == value_of(user)));
    }

    #[test]
    fn refuses_another_structure() {
        for body in [
            "", "hello", "[]", "{}", r#"{"flags":[]}"#, r#"{"flags":{},"segments":[]}"#,
        ] {
            assert!(Rules::parse(body.as_bytes()).is_err(), "{body}");
        }
        let known = r#"{"flags":{"context.max_messages":{"key":"odd"},"another":7}}"#;
        let rules = Rules::parse(known.as_bytes()).unwrap();
        let unreadable: Vec<&str> = rules.unreadable.iter().map(|flag| flag.key).collect();
        assert_eq!(unreadable, [KEY]);
    }
}
