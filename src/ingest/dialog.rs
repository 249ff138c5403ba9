//! What a short message refers to: the assistant's question, the last item named or delivered, and
//! the numbers of the last list. Stored in the database for some minutes.

pub(super) mod latest;
pub(super) mod question;

use serde::{Deserialize, Serialize};

use crate::clock::{Timestamp, Zone};
use crate::error::{Error, Result};
use crate::model::recurrence::Recurrence;
use crate::store::{DialogPart, JsonAt, RoomId, Tx, UserId};

/// How long list numbers are valid, and how long an action can be undone.
pub(in crate::ingest) const NUMBERS_MS: i64 = 10 * 60_000;
/// How long "that" refers to the last item.
pub(in crate::ingest) const LATEST_MS: i64 = 24 * 60 * 60_000;

/// Private answers that are kept.
const PRIVATE_ANSWERS_MAX: usize = 5;

/// A recurrence rule with its zone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in crate::ingest) struct NotedRule {
    text: String,
    zone: String,
}

impl NotedRule {
    pub(in crate::ingest) fn of(recurrence: &Recurrence) -> Self {
        Self {
            text: recurrence.to_text(),
            zone: recurrence.zone().name().to_owned(),
        }
    }

    pub(in crate::ingest) fn recurrence(&self) -> Option<Recurrence> {
        let zone: Zone = self.zone.parse().ok()?;
        Recurrence::parse(&self.text, zone)
    }
}

/// A question from a group that was answered in the person's direct chat.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in crate::ingest) struct PrivateAnswer {
    /// Milliseconds since the epoch.
    pub(in crate::ingest) at: i64,
    pub(in crate::ingest) asked: String,
    pub(in crate::ingest) answer: String,
}

/// Notes an answer in the direct chat, so that it is known there what was spoken of.
pub(in crate::ingest) fn note_private_answer(
    tx: &mut Tx,
    (room, user): (RoomId, UserId),
    new: PrivateAnswer,
    now: Timestamp,
) -> Result<()> {
    let noted = tx.dialog(room, user)?.private_answers;
    let mut all = recent_private_answers(noted.as_ref(), now);
    all.push(new);
    all.drain(..all.len().saturating_sub(PRIVATE_ANSWERS_MAX));
    note(
        tx,
        (room, user),
        DialogPart::PrivateAnswers,
        Some(&all),
        now,
    )
}

/// The private answers of the last day, oldest first.
pub(in crate::ingest) fn recent_private_answers(
    noted: Option<&JsonAt>,
    now: Timestamp,
) -> Vec<PrivateAnswer> {
    let at = noted.map_or(now, |noted| noted.1.max(now));
    let noted = recent::<Vec<PrivateAnswer>>(noted, LATEST_MS, at);
    let mut all = noted.map_or(Vec::new(), |(all, _)| all);
    all.retain(|one| now.0 - one.at <= LATEST_MS);
    all
}

pub(in crate::ingest) fn note<T: Serialize>(
    tx: &mut Tx,
    (room, user): (RoomId, UserId),
    part: DialogPart,
    what: Option<&T>,
    now: Timestamp,
) -> Result<()> {
    let json = what.map(serde_json::to_string).transpose();
    let json = json.map_err(Error::internal)?;
    tx.set_dialog(room, user, part, json.as_deref(), now)
}

/// A note that is at most `kept_ms` old, and its time.
pub(in crate::ingest) fn recent<T: for<'de> Deserialize<'de>>(
    noted: Option<&JsonAt>,
    kept_ms: i64,
    now: Timestamp,
) -> Option<(T, Timestamp)> {
    let (json, at) = noted?;
    if !(0..=kept_ms).contains(&(now.0 - at.0)) {
        return None;
    }
    Some((serde_json::from_str(json).ok()?, *at))
}
