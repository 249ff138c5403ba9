//! The names of keys in the environment, and the nearest known name for an unknown one.

pub(super) const ENV_PREFIX: &str = "CHATKEEP_";

/// Keys that have an environment variable of an older name. `CHATKEEP_…` overrides it.
pub(super) const OLD_VARIABLES: [(&str, &str); 4] = [
    ("server.environment", "ENVIRONMENT"),
    ("edge.secret", "EDGE_SECRET"),
    ("edge.legacy_secret", "RELAY_WEBHOOK_SECRET"),
    ("flags.sdk_key", "FLAGS_SDK_KEY"),
];

/// The variable that overrides the log level for one run.
const LOG: (&str, &str) = ("log.level", "CHATKEEP_LOG");

/// Variables with this prefix that belong to no key.
pub(super) const OTHER_VARIABLES: [&str; 3] = ["CHATKEEP_CONFIG", LOG.1, "CHATKEEP_EDGE_TOKEN"];

/// `edge.secret` is `CHATKEEP_EDGE_SECRET`.
pub(super) fn env_name(full_key: &str) -> String {
    format!("{ENV_PREFIX}{}", full_key.replace('.', "_").to_uppercase())
}

pub(super) fn old_variable(full_key: &str) -> Option<&'static str> {
    OLD_VARIABLES
        .iter()
        .find(|(key, _)| *key == full_key)
        .map(|(_, name)| *name)
}

/// The variable that overrides the key's own variable.
pub(super) fn override_variable(full_key: &str) -> Option<&'static str> {
    (full_key == LOG.0).then_some(LOG.1)
}

/// Largest edit distance of a mistyped name.
const MISTYPED_MAX: usize = 2;

/// Whether `name` is probably `known`, mistyped.
pub(super) fn is_mistyped(name: &str, known: &str) -> bool {
    name != known && strsim::damerau_levenshtein(name, known) <= MISTYPED_MAX
}

/// The known name with the smallest edit distance.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .min_by_key(|candidate| strsim::damerau_levenshtein(name, candidate))
}

/// The nearest known name, if `name` is probably this one, mistyped. Of a short name fewer letters
/// may differ.
pub fn intended<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let different_max = MISTYPED_MAX.min(name.chars().count() / 3);
    nearest(name, known).filter(|known| strsim::damerau_levenshtein(name, known) <= different_max)
}
