//! What a short message may refer to, and what a request would change: facts by which a request of
//! a message is understood for certain.

use serde_json::Value;

use super::result::ReplacedVersion;
use crate::assistant::powers::StoredState;
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::ingest::dialog::latest::{LastNamed, NotedReminder};
use crate::ingest::dialog::{self, LATEST_MS};
use crate::ingest::message_versions;
use crate::ingest::open_reminders::RemovedReminder;
use crate::ingest::powers::stored_state;
use crate::store::{MessageRow, PowerOwner, Reminder, User, View};

/// How long a question of a model is answered by what follows.
const ANSWERED_WITHIN_MS: i64 = 10 * 60_000;

#[derive(Default)]
pub(super) struct DialogFacts {
    /// Something was set, changed or delivered here lately.
    pub(super) has_latest: bool,
    /// The message before, and when it came, if a model called nothing for it and asked back.
    pub(super) unanswered: Option<(String, Timestamp)>,
    /// The newest earlier version of the message, if it is an edited one.
    pub(super) earlier_text: Option<String>,
    /// Open reminders that earlier versions of the message set, if it is an edited one.
    pub(super) of_earlier_version: Vec<Reminder>,
    pub(super) earlier_versions: Vec<ReplacedVersion>,
    /// Reminders that they cancelled.
    pub(super) cancelled_by_earlier: Vec<NotedReminder>,
    /// Open reminders of the chat.
    pub(super) open: Vec<Reminder>,
    /// States of superpowers by name: the person's, and in a group the group's.
    pub(super) states: Vec<(String, StoredState)>,
}

/// `rows`: of the room, newest first.
pub(super) fn read(
    view: &View,
    rows: &[MessageRow],
    user: &User,
    group: bool,
) -> Result<DialogFacts> {
    let [message, before @ ..] = rows else {
        return Ok(DialogFacts::default());
    };
    let now = message.received_at;
    let noted = match group {
        true => view.latest_in_room(message.room)?,
        false => view.dialog(message.room, message.user)?.latest,
    };
    let mut owners = vec![PowerOwner::User(user.id)];
    owners.extend(group.then_some(PowerOwner::Room(message.room)));
    let is_unanswered = |before: &&MessageRow| {
        before.user == message.user
            && now.0 - before.received_at.0 <= ANSWERED_WITHIN_MS
            && asked_back(before)
    };
    let unanswered = before.first().filter(is_unanswered);
    let (mut of_earlier_version, mut earlier_versions) = (Vec::new(), Vec::new());
    let mut cancelled_by_earlier = Vec::new();
    let versions = message_versions::among(before, message);
    let earlier_text = versions.first().map(|row| row.text.clone());
    for row in versions {
        earlier_versions.push(ReplacedVersion {
            message_id: row.id,
            acted_at: message_versions::acted_at(row),
        });
        // What a group's message set in a direct chat is private.
        let reminders = view.reminders_of_message(user.id, row.id)?.into_iter();
        of_earlier_version.extend(reminders.filter(|one| !group || one.room == message.room));
        for item in view.removed_reminders(user.id, row.id)? {
            let removed: RemovedReminder = serde_json::from_str(&item).map_err(Error::internal)?;
            if !group || removed.room() == message.room {
                cancelled_by_earlier.push(removed.reminder);
            }
        }
    }
    Ok(DialogFacts {
        earlier_text,
        of_earlier_version,
        earlier_versions,
        cancelled_by_earlier,
        open: view.room_reminders(message.room)?,
        has_latest: dialog::recent::<LastNamed>(noted.as_ref(), LATEST_MS, now).is_some(),
        unanswered: unanswered.map(|before| (before.text.clone(), before.received_at)),
        states: states(view, &owners)?,
    })
}

/// The states of superpowers by name.
pub(super) fn states(view: &View, owners: &[PowerOwner]) -> Result<Vec<(String, StoredState)>> {
    let mut states = Vec::new();
    for owner in owners {
        let rows = view.power_states(*owner)?.into_iter();
        states.extend(rows.map(|row| (row.name.clone(), stored_state(row))));
    }
    Ok(states)
}

fn asked_back(message: &MessageRow) -> bool {
    let parsed = |json: Option<&str>| -> Value {
        let value = json.and_then(|json| serde_json::from_str(json).ok());
        value.unwrap_or_default()
    };
    let decision = parsed(message.decision.as_deref());
    let bubbles = parsed(message.bubbles.as_deref().or(message.late.as_deref()));
    let last = bubbles
        .as_array()
        .and_then(|bubbles| bubbles.last()?.as_str());
    let is_question = last.is_some_and(|last| last.trim_end().ends_with(['?', '\u{ff1f}']));
    is_question && decision.is_object() && decision.get("tool_calls").is_none()
}
