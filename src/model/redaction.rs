//! Removes a person's handle and words from data that stays with others.

use std::collections::HashSet;
use std::sync::LazyLock;

use serde_json::Value;
use unicode_segmentation::UnicodeSegmentation;

/// Replaces a handle.
const ERASED: &str = "erased";
/// Replaces a line that quoted the person.
const LEFT_OUT: &str = "…";
/// A `+` and this many digits are a phone number, which networks also write without the `+`.
const PHONE_DIGITS_MIN: usize = 7;
/// Shorter numbers are counts and prices.
const NUMBER_DIGITS_MIN: usize = 4;
/// Different words of one person in one room; with more, every word counts as theirs.
const WORDS_MAX: usize = 100_000;

/// Words that the assistant uses itself, which don't count as quotes.
const COMMON: &str = "a about add added again ago all already also am an and any are around as ask at \
    away back be because been before began begin bill brings but by call can can't clear cleared could \
    day days did do does doesn't don't done each else empty enough every everybody everything example few \
    find first for from get give go goes gone good got had has have haven't he hello help her here hers \
    hi him his how i i'll i'm i've if in into is isn't it it's item items its juno just keep kept know \
    last left less let like list lists look made make many may me mine more most much must my name need \
    next no nobody none not nothing now of off ok okay old on once one ones only open or other our ours \
    out over own owe owes pack packed packing paid pay payment payments people plan planned plans please \
    put remind reminder reminders remove removed same say see set shall she should show since so some \
    soon split still such take taken thank thanks that that's the their them then there there's these \
    they thing things this those three time to today tomorrow too trip trips two undo until up us very \
    was way we well went were what what's when where which who why will with won't would yes yesterday \
    yet you you'll you're your yours";

/// The JSON text without the handle, where a string or key contains it as a whole word; `None` when
/// it isn't there.
pub fn without_handle(json: &str, handle: &str) -> Option<String> {
    let value: Value = serde_json::from_str(json).ok()?;
    let redacted = redact(value.clone(), handle);
    (redacted != value).then(|| redacted.to_string())
}

/// Whether a handle is a phone number or an address, which identifies one person. Other handles are
/// names, which may be ordinary words.
pub fn is_address(handle: &str) -> bool {
    is_phone(handle) || handle.contains('@')
}

/// The part of a handle that all its notations share.
pub fn core(handle: &str) -> &str {
    match is_phone(handle) {
        true => &handle[1..],
        false => handle,
    }
}

fn is_phone(handle: &str) -> bool {
    handle.strip_prefix('+').is_some_and(|digits| {
        digits.len() >= PHONE_DIGITS_MIN && digits.bytes().all(|b| b.is_ascii_digit())
    })
}

/// The text without the handle where it is a whole word; `None` when the handle isn't in the text.
pub fn text_without_handle(text: &str, handle: &str) -> Option<String> {
    let redacted = redact_text(text, handle);
    (redacted != text).then_some(redacted)
}

/// The words that one person wrote in a room. They identify quotes.
#[derive(Debug, Default)]
pub struct KnownWords {
    known: HashSet<String>,
    too_many: bool,
}

impl KnownWords {
    /// Adds the words of a message.
    pub fn add(&mut self, text: &str) {
        if self.known.len() >= WORDS_MAX {
            self.too_many = true;
            return;
        }
        self.known.extend(telling(text));
    }

    fn are_empty(&self) -> bool {
        self.known.is_empty() && !self.too_many
    }

    /// Whether a line has a word of this person that the answered person did not use.
    fn are_in(&self, line: &str, own: &HashSet<String>) -> bool {
        telling(line)
            .any(|word| !own.contains(&word) && (self.too_many || self.known.contains(&word)))
    }
}

/// Removes quoting lines from the strings of JSON that belongs to another person's message `own`
/// (the bubbles of its answer, or its context), at any depth; `None` when there are none. Keys and
/// `photos` stay, because they are the other person's.
pub fn without_quotes(json: &str, words: &KnownWords, own: &str) -> Option<String> {
    if words.are_empty() {
        return None;
    }
    let value: Value = serde_json::from_str(json).ok()?;
    let own: HashSet<String> = telling(own).collect();
    let photos = value.get("photos").cloned();
    let mut redacted = map_strings(value.clone(), &|text| lines_without(text, words, &own));
    if let (Some(photos), Some(place)) = (photos, redacted.get_mut("photos")) {
        *place = photos;
    }
    (redacted != value).then(|| redacted.to_string())
}

fn lines_without(text: &str, words: &KnownWords, own: &HashSet<String>) -> String {
    let lines = text.split('\n');
    let lines = lines.map(|line| match words.are_in(line, own) {
        true => LEFT_OUT,
        false => line,
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Removes quoting lines from `text` and `bubbles` of a command's payload (JSON); `None` when there
/// are none.
pub fn payload_without_quotes(payload: &str, words: &KnownWords, own: &str) -> Option<String> {
    let mut value: Value = serde_json::from_str(payload).ok()?;
    let own: HashSet<String> = telling(own).collect();
    let redacted = |text: &str| Value::from(lines_without(text, words, &own));
    if let Some(text) = value.get_mut("text") {
        *text = redacted(text.as_str()?);
    }
    let bubbles = value.get_mut("bubbles").and_then(Value::as_array_mut);
    for bubble in bubbles.into_iter().flatten() {
        *bubble = redacted(bubble.as_str()?);
    }
    let text = value.to_string();
    (text != payload).then_some(text)
}

/// Applies `change` to every string of a JSON value, but not to keys.
fn map_strings(value: Value, change: &impl Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => Value::String(change(&text)),
        Value::Array(items) => {
            let items = items.into_iter().map(|item| map_strings(item, change));
            items.collect()
        }
        Value::Object(fields) => {
            let fields = fields
                .into_iter()
                .map(|(key, value)| (key, map_strings(value, change)));
            fields.collect()
        }
        other => other,
    }
}

static COMMON_WORDS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| COMMON.split_whitespace().collect());

/// The significant words of a text, in lower case.
fn telling(text: &str) -> impl Iterator<Item = String> {
    text.unicode_words()
        .map(|word| word.to_lowercase().replace('’', "'"))
        .filter(|word| {
            let ascii = word.is_ascii();
            let number = word.bytes().all(|b| b.is_ascii_digit());
            let long = if number { NUMBER_DIGITS_MIN } else { 3 };
            (!ascii || word.len() >= long) && !COMMON_WORDS.contains(word.as_str())
        })
}

fn redact(value: Value, handle: &str) -> Value {
    match value {
        Value::String(text) => Value::String(redact_text(&text, handle)),
        Value::Array(items) => items.into_iter().map(|item| redact(item, handle)).collect(),
        Value::Object(fields) => fields
            .into_iter()
            .map(|(key, value)| (redact_text(&key, handle), redact(value, handle)))
            .collect(),
        other => other,
    }
}

fn redact_text(text: &str, handle: &str) -> String {
    let whole = redact_word(text, handle);
    match is_phone(handle) {
        true => redact_word(&whole, core(handle)),
        false => whole,
    }
}

/// A handle may be a name and part of other words, which are left alone.
fn redact_word(text: &str, handle: &str) -> String {
    let mut redacted = String::with_capacity(text.len());
    let mut rest = text;
    let mut before = None;
    while let Some(at) = rest.find(handle).filter(|_| !handle.is_empty()) {
        let (ahead, found) = rest.split_at(at);
        let after = &found[handle.len()..];
        let joined = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let inside = joined(ahead.chars().next_back().or(before)) || joined(after.chars().next());
        redacted += ahead;
        redacted += if inside { handle } else { ERASED };
        before = handle.chars().next_back();
        rest = after;
    }
    redacted + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_quote_are_left_out() {
        let mut words = KnownWords::default();
        words.add("Add quixotic socks to the list, and call +15550177");
        words.add("买牛奶");
        for (own, bubbles, expected) in [
            (
                "what's on the list?",
                r#"["2 things to do:\n1. Quixotic\n2. milk"]"#,
                Some(r#"["2 things to do:\n…\n2. milk"]"#),
            ),
            ("hi", r#"["Hello!","quixotic."]"#, Some(r#"["Hello!","…"]"#)),
            // The answered person said it too, so it stays.
            (
                "add socks",
                r#"["Added socks. 2 things on the list."]"#,
                None,
            ),
            ("hi", r#"["Added the list, and 12 things to call."]"#, None),
            ("hi", r#"["her number is 15550177"]"#, Some(r#"["…"]"#)),
            ("hi", r#"["1. 牛奶"]"#, Some(r#"["…"]"#)),
            ("hi", "[]", None),
            ("hi", "no JSON", None),
        ] {
            assert_eq!(
                without_quotes(bubbles, &words, own).as_deref(),
                expected,
                "{bubbles}"
            );
        }
        let payload =
            r#"{"bubbles":["a quixotic day"],"chat_guid":"quixotic","text":"a quixotic day"}"#;
        let redacted = r#"{"bubbles":["…"],"chat_guid":"quixotic","text":"…"}"#;
        assert_eq!(
            payload_without_quotes(payload, &words, "").as_deref(),
            Some(redacted)
        );
        assert_eq!(
            payload_without_quotes(payload, &KnownWords::default(), ""),
            None
        );
        let full = KnownWords {
            known: HashSet::new(),
            too_many: true,
        };
        assert_eq!(
            without_quotes(r#"["what a day","bananas"]"#, &full, "").as_deref(),
            Some(r#"["what a day","…"]"#)
        );
    }

    #[test]
    fn a_phone_is_known_with_and_without_its_plus() {
        for (text, expected) in [
            ("call +15550177 now", Some("call erased now")),
            ("15550177@s.example", Some("erased@s.example")),
            ("chat;15550177-99", Some("chat;erased-99")),
            ("155501771", None),
            ("+155501771", None),
        ] {
            assert_eq!(
                text_without_handle(text, "+15550177").as_deref(),
                expected,
                "{text}"
            );
        }
        assert!(is_address("+15550177") && is_address("a@b.example"));
        assert!(!is_address("ana") && !is_address("+12") && core("ana") == "ana");
    }

    #[test]
    fn handles_are_taken_out_as_words() {
        for (json, handle, expected) in [
            (
                r#"{"owner":"+15550100"}"#,
                "+15550100",
                Some(r#"{"owner":"erased"}"#),
            ),
            (
                r#"{"a":["x",{"b":"tel:+15550100;x"}]}"#,
                "+15550100",
                Some(r#"{"a":["x",{"b":"tel:erased;x"}]}"#),
            ),
            (r#"{"+15550100":1}"#, "+15550100", Some(r#"{"erased":1}"#)),
            (r#"{"owner":"+155501001"}"#, "+15550100", None),
            (
                r#"{"note":"banana ana"}"#,
                "ana",
                Some(r#"{"note":"banana erased"}"#),
            ),
            (r#"{"note":"banana"}"#, "ana", None),
            (
                r#"{"note":"ana ana"}"#,
                "ana",
                Some(r#"{"note":"erased erased"}"#),
            ),
            (r#"{"note":"a\"b"}"#, "a\"b", Some(r#"{"note":"erased"}"#)),
            (r#"{"note":"x"}"#, "", None),
            ("no JSON", "JSON", None),
        ] {
            assert_eq!(without_handle(json, handle).as_deref(), expected, "{json}");
        }
    }
}
