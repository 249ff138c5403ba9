//! Fetches calendars at ICS addresses. Servers with ETag or Last-Modified send only what changed;
//! answers of others are compared by a digest.

use serde::{Deserialize, Serialize};

use super::fetch_time::FetchTime;
use super::ics::{self, CalendarFile, ExpansionContext};
use super::web::{Address, Network, Query};
use super::{Owner, ServiceError};
use crate::clock::Timestamp;
use crate::model::calendar::{DAY_MS, window};
use crate::store::Digest;

/// An unchanged feed is expanded again after this time, because the window of events moves on.
const EXPANDED_MS_MAX: i64 = DAY_MS;
/// The longest pause that a publisher can ask for.
const REFRESH_MS_MAX: i64 = DAY_MS;

/// The state from which the next fetch continues.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct FeedState {
    etag: Option<String>,
    last_modified: Option<String>,
    digest: String,
    expanded_at: i64,
    pub(super) refresh_ms: i64,
}

/// The result of a fetch. `file` is `None` when nothing changed.
pub(super) struct FetchedFeed {
    pub(super) file: Option<CalendarFile>,
    pub(super) state: FeedState,
}

/// Fetches an address. It blocks.
pub(super) fn fetch(
    address: &Address,
    network: &Network,
    before: &FeedState,
    owner: &Owner,
    now: Timestamp,
    time: &FetchTime,
) -> Result<FetchedFeed, ServiceError> {
    let is_fresh = (0..EXPANDED_MS_MAX).contains(&(now.0 - before.expanded_at));
    let mut query = Query::get(ics::FILE_BYTES_MAX as u64);
    query
        .headers
        .push(("accept", "text/calendar, */*;q=0.5".to_owned()));
    if is_fresh {
        let conditions = [
            ("if-none-match", &before.etag),
            ("if-modified-since", &before.last_modified),
        ];
        for (name, value) in conditions {
            query
                .headers
                .extend(value.clone().map(|value| (name, value)));
        }
    }
    let (at, response) = time.ask(&address.host, || network.send(address, &query))?;
    match response.status {
        200 => {}
        304 if is_fresh => {
            return Ok(FetchedFeed {
                file: None,
                state: before.clone(),
            });
        }
        status => return Err(refusal(&at, status)),
    }
    let mut state = FeedState {
        etag: response.etag.clone(),
        last_modified: response.header("last-modified").map(str::to_owned),
        digest: hex::encode(digest(&response.body).0),
        ..before.clone()
    };
    if is_fresh && state.digest == before.digest {
        return Ok(FetchedFeed { file: None, state });
    }
    let context = ExpansionContext {
        window: window(now),
        zone: owner.zone,
        own_emails: &owner.emails,
        is_late: &|| time.is_late(),
    };
    let file = ics::read(&response.body, &context);
    let file = file.map_err(|error| ServiceError::unreachable(error.sentence()))?;
    state.expanded_at = now.0;
    state.refresh_ms = file.refresh_ms.unwrap_or(0).clamp(0, REFRESH_MS_MAX);
    Ok(FetchedFeed {
        file: Some(file),
        state,
    })
}

fn refusal(at: &Address, status: u16) -> ServiceError {
    let host = &at.host;
    match status {
        401 | 403 => ServiceError::gone(format!(
            "{host} does not give this calendar to whoever knows its address ({status}); copy \
             its secret or public iCal address again."
        )),
        404 | 410 => ServiceError::gone(format!(
            "{host} has no calendar at this address ({status}); it may have been reset: copy it \
             again."
        )),
        status => ServiceError::unreachable(format!("{host} answered {status}.")),
    }
}

/// The digest of the body without DTSTAMP lines, which Google and Outlook change in each answer.
fn digest(body: &[u8]) -> Digest {
    let lines: Vec<&[u8]> = body
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.starts_with(b"DTSTAMP"))
        .collect();
    Digest::of(&lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_do_not_count_as_changes() {
        let feed = |stamp: &str, title: &str| {
            digest(format!("BEGIN:VEVENT\r\nDTSTAMP:{stamp}\r\nSUMMARY:{title}\r\n").as_bytes())
        };
        assert_eq!(feed("1", "a"), feed("2", "a"));
        assert_ne!(feed("1", "a"), feed("1", "b"));
    }
}
