//! The client of mem0's REST interface, as its self-hosted server speaks it. It blocks.

use std::fmt;
use std::time::Duration;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use super::Memory;
use crate::clock::Timestamp;
use crate::metrics::CallMetrics;
use crate::outbound::{self, Method, Request};
use crate::setting::Setting;

/// The service lists at most this many memories, and has no second page.
pub const LISTED_MAX: usize = 1_000;
const SEARCHED_MAX: usize = 100;
/// A thousand memories of a thousand characters, with overhead.
const LIST_BYTES_MAX: u64 = 4 << 20;
/// Characters of an id that are encoded in a path, including dots.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'~');

/// A configured service.
pub struct Mem0 {
    base_url: String,
    key: Setting<Option<String>>,
    pub calls: CallMetrics,
}

/// The service's memories of one person.
#[derive(Debug, Default)]
pub struct List {
    /// In the service's order.
    pub memories: Vec<Memory>,
    /// The list may be incomplete.
    pub is_cut: bool,
}

/// Why a call failed. Never contains a credential or text of the service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MemoryServiceError {
    /// No answer, or not in time.
    Unreachable(String),
    /// The service answered with this status.
    Refused(u16),
    /// The service answered 200 with an unexpected body.
    InvalidAnswer,
    /// Too many calls are running.
    Busy,
}

impl MemoryServiceError {
    /// Whether the same call can never succeed.
    pub const fn is_final(&self) -> bool {
        matches!(self, Self::Refused(400 | 413 | 422))
    }
}

impl fmt::Display for MemoryServiceError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Unreachable(why) => f.write_str(why),
            Self::Refused(status @ (401 | 403)) => write!(f, "it refuses the key ({status})"),
            Self::Refused(status) => write!(f, "it answered {status}"),
            Self::InvalidAnswer => f.write_str("its answer is invalid"),
            Self::Busy => f.write_str("too many calls are under way"),
        }
    }
}

type MemoryResult<T> = std::result::Result<T, MemoryServiceError>;

impl Mem0 {
    /// `base_url` without a trailing slash.
    pub fn new(base_url: &str, key: Option<&str>) -> Self {
        Self {
            base_url: base_url.to_owned(),
            key: Setting::new(key.map(str::to_owned)),
            calls: CallMetrics::of("memory"),
        }
    }

    pub(super) fn set_key(&self, key: Option<&str>) {
        self.key.set(key.map(str::to_owned));
    }

    /// At most `LISTED_MAX` memories.
    pub fn list(&self, user_id: &str, timeout: Duration) -> MemoryResult<List> {
        let path = format!("/memories?user_id={user_id}&top_k={LISTED_MAX}");
        let answer = self.call(Method::Get, &path, None, timeout)?;
        let memories = memories(&answer)?;
        Ok(List {
            is_cut: memories.len() >= LISTED_MAX,
            memories,
        })
    }

    /// Semantic search, best match first.
    pub fn search(&self, user_id: &str, query: &str, timeout: Duration) -> MemoryResult<List> {
        let body = json!({
            "query": query,
            "filters": { "user_id": user_id },
            "top_k": SEARCHED_MAX,
        });
        let answer = self.call(Method::Post, "/search", Some(&body), timeout)?;
        Ok(List {
            memories: memories(&answer)?,
            is_cut: false,
        })
    }

    /// Stores the text unchanged. `id` and `created_at` are ours and are returned in lists.
    pub fn add(&self, user_id: &str, memory: &Memory, timeout: Duration) -> MemoryResult<()> {
        let body = json!({
            "messages": [{ "role": "user", "content": memory.text }],
            "user_id": user_id,
            "metadata": {
                "category": memory.category,
                "kept_for": memory.id,
                "said_at": memory.created_at,
            },
            "infer": false,
        });
        self.call(Method::Post, "/memories", Some(&body), timeout)?;
        Ok(())
    }

    /// Deletes by the service's id; a missing memory counts as deleted.
    pub fn delete(&self, id: &str, timeout: Duration) -> MemoryResult<()> {
        let path = format!("/memories/{}", escape(id));
        match self.call(Method::Delete, &path, None, timeout) {
            Ok(_) | Err(MemoryServiceError::Refused(404)) => return Ok(()),
            Err(MemoryServiceError::Refused(status)) if status >= 500 => {}
            Err(other) => return Err(other),
        }
        // Some versions fail for a missing memory, so this checks whether it exists.
        match self.call(Method::Get, &path, None, timeout) {
            Ok(Value::Null) | Err(MemoryServiceError::Refused(404)) => Ok(()),
            Ok(_) => Err(MemoryServiceError::Refused(500)),
            Err(other) => Err(other),
        }
    }

    pub fn delete_all(&self, user_id: &str, timeout: Duration) -> MemoryResult<()> {
        let path = format!("/memories?user_id={user_id}");
        match self.call(Method::Delete, &path, None, timeout) {
            Ok(_) | Err(MemoryServiceError::Refused(404)) => Ok(()),
            Err(other) => Err(other),
        }
    }

    fn call(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
        timeout: Duration,
    ) -> MemoryResult<Value> {
        let result = self.send(method, path, body, timeout);
        self.calls.made.inc();
        // Missing memories count as deleted.
        if !matches!(result, Ok(_) | Err(MemoryServiceError::Refused(404))) {
            self.calls.failed.inc();
        }
        result
    }

    fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
        timeout: Duration,
    ) -> MemoryResult<Value> {
        let mut headers = vec![("accept", "application/json")];
        let key = self.key.get();
        headers.extend(key.iter().map(|key| ("x-api-key", key.as_str())));
        let url = format!("{}{path}", self.base_url);
        let answer = outbound::send(&Request {
            headers: &headers,
            body,
            timeout,
            answer_bytes_max: LIST_BYTES_MAX,
            ..Request::new(method, &url)
        });
        let answer = answer.map_err(|e| MemoryServiceError::Unreachable(e.to_string()))?;
        match answer.status {
            200..=299 if answer.body.is_empty() => Ok(Value::Null),
            200..=299 => {
                serde_json::from_slice(&answer.body).map_err(|_| MemoryServiceError::InvalidAnswer)
            }
            status => Err(MemoryServiceError::Refused(status)),
        }
    }
}

/// `{"results": [...]}`, or the plain list of some versions. A malformed entry makes the whole
/// answer invalid, because others may be missing.
fn memories(answer: &Value) -> MemoryResult<Vec<Memory>> {
    let list = answer.get("results").unwrap_or(answer).as_array();
    let list = list.ok_or(MemoryServiceError::InvalidAnswer)?;
    let parsed = list.iter().map(memory);
    parsed
        .collect::<Option<Vec<_>>>()
        .ok_or(MemoryServiceError::InvalidAnswer)
}

fn memory(entry: &Value) -> Option<Memory> {
    let metadata = &entry["metadata"];
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let time = |value: &Value| value.as_str().and_then(Timestamp::parse);
    Some(Memory {
        id: text(&entry["id"])?,
        text: text(&entry["memory"])?,
        category: text(&metadata["category"]).unwrap_or_default(),
        created_at: time(&metadata["said_at"]).or_else(|| time(&entry["created_at"])),
        kept_for: text(&metadata["kept_for"]),
    })
}

/// An id as part of a path. The service defines its format.
fn escape(id: &str) -> String {
    utf8_percent_encode(id, ENCODED).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_parsed_or_refused_completely() {
        let entry = json!({
            "id": "m1", "memory": "likes tea", "hash": "x", "user_id": "u",
            "metadata": { "category": "said", "kept_for": "ours" },
            "created_at": "2026-01-02T03:04:05.678901-07:00", "updated_at": null,
        });
        let bare = json!({ "id": "m2", "memory": "has a cat", "metadata": null });
        let parsed = memories(&json!({ "results": [entry, bare] })).unwrap();
        assert_eq!(parsed[0].text, "likes tea");
        assert_eq!(parsed[0].category, "said");
        assert_eq!(parsed[0].kept_for.as_deref(), Some("ours"));
        let created = parsed[0].created_at.unwrap().to_string();
        assert_eq!(created, "2026-01-02T10:04:05.678Z");
        assert_eq!(
            (parsed[1].category.as_str(), parsed[1].created_at),
            ("", None)
        );
        assert_eq!(memories(&json!([bare])).unwrap().len(), 1);
        for invalid in [
            json!(null),
            json!("results"),
            json!({ "results": null }),
            json!({ "results": [7] }),
            json!({ "results": [{ "id": 7, "memory": "x" }] }),
            json!({ "results": [{ "id": "m1" }] }),
        ] {
            assert_eq!(
                memories(&invalid),
                Err(MemoryServiceError::InvalidAnswer),
                "{invalid}"
            );
        }
    }

    #[test]
    fn an_id_stays_one_part_of_a_path() {
        assert_eq!(escape("ab-1_~"), "ab-1_~");
        assert_eq!(escape("../x?y=é"), "%2E%2E%2Fx%3Fy%3D%C3%A9");
    }
}
