//! What a person wants of messages that come by themselves, kept beside what superpowers
//! keep; and their answer to the question how something was.

use std::sync::atomic::Ordering;

use crate::assistant::powers::{
    CheckinAnswer, NoticePreferences, NoticeRequest, PREFERENCES_NAME, Power, checkin_answer,
};
use crate::assistant::{Intent, wording};
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::ingest::answer::Answer;
use crate::ingest::dialog::{self, HOW_WAS_MS, Question};
use crate::ingest::powers::PowerReply;
use crate::ingest::turn::MessageTurn;
use crate::ingest::{Ingest, Mode};
use crate::store::{DialogPart, PowerOwner, PowerState, RoomId, Tx, UserId};

/// Those of somebody who said nothing about it are the usual ones.
pub(super) fn preferences(tx: &Tx<'_>, user: UserId) -> Result<NoticePreferences> {
    let row = tx.power_state(PowerOwner::User(user), PREFERENCES_NAME)?;
    row.map_or_else(
        || Ok(NoticePreferences::default()),
        |row| serde_json::from_str(&row.state).map_err(Error::internal),
    )
}

pub(super) fn keep(
    tx: &Tx<'_>,
    user: UserId,
    preferences: &NoticePreferences,
    now: Timestamp,
) -> Result<()> {
    let state = PowerState {
        name: PREFERENCES_NAME.to_owned(),
        state: serde_json::to_string(preferences).map_err(Error::internal)?,
        previous: None,
    };
    tx.set_power_state(PowerOwner::User(user), &state, now)
}

impl Ingest {
    /// The next thing that the person says may be the answer.
    pub(super) fn ask_how_it_was(
        &self,
        tx: &mut Tx<'_>,
        (room, user): (RoomId, UserId),
        about: String,
        now: Timestamp,
    ) -> Result<()> {
        self.how_was_asked_ms.fetch_max(now.0, Ordering::Relaxed);
        let question = Question::HowWas { about };
        dialog::note(tx, (room, user), DialogPart::Question, Some(&question), now)
    }
}

impl MessageTurn<'_> {
    pub(in crate::ingest) fn set_notices(
        &self,
        tx: &mut Tx<'_>,
        request: NoticeRequest,
    ) -> Result<PowerReply> {
        let mut preferences = preferences(tx, self.user.id)?;
        let before = preferences.clone();
        let text = preferences.apply(request, self.now);
        let changed = preferences != before;
        if changed {
            keep(tx, self.user.id, &preferences, self.now)?;
        }
        if preferences.waking != before.waking {
            self.plan_alarms(tx, self.timezone(), |_| true)?;
        }
        Ok(PowerReply::Said { text, changed })
    }

    /// Whoever asks for a summary each day wants it to come.
    pub(super) fn resume_summary(
        &self,
        tx: &Tx<'_>,
        power: Power,
        preferences: &mut NoticePreferences,
    ) -> Result<()> {
        if power != Power::DailySummary || !preferences.is_muted(power) {
            return Ok(());
        }
        preferences.resume(power);
        keep(tx, self.user.id, preferences, self.now)
    }

    /// Remembers what was answered to the question how something was. `None`: nothing was
    /// asked, or this is no answer.
    pub(in crate::ingest) fn answer_how_it_was(
        &self,
        tx: &mut Tx<'_>,
        intent: &Intent,
    ) -> Result<Option<Answer>> {
        let asked_ms = self.ingest.how_was_asked_ms.load(Ordering::Relaxed);
        let is_recent = self.now.0.saturating_sub(asked_ms) <= HOW_WAS_MS;
        if !is_recent || self.message.mode != Mode::Direct || !may_answer(intent) {
            return Ok(None);
        }
        let stored = tx.dialog(self.room.id, self.user.id)?.question;
        let question = dialog::recent(stored.as_ref(), HOW_WAS_MS, self.now);
        let Some((Question::HowWas { about }, _)) = question else {
            return Ok(None);
        };
        let reply = match checkin_answer(&self.message.text) {
            CheckinAnswer::None => return Ok(None),
            CheckinAnswer::Refused => wording::left_as_it_was(),
            CheckinAnswer::Told(text) => {
                let reply = self.remember(tx, &format!("{about}: {text}"))?;
                format!("Thank you for telling me. {reply}")
            }
        };
        self.drop_question(tx)?;
        Ok(Some(Answer::saying(&reply)))
    }
}

/// Whether a message may be an answer: it asks for nothing by itself.
fn may_answer(intent: &Intent) -> bool {
    match intent {
        Intent::Unknown | Intent::Say(_) => true,
        Intent::FollowUp { otherwise, .. } => may_answer(otherwise),
        _ => false,
    }
}
