//! "undo": everything that the person's last message changed here is taken back, together. What
//! somebody else in a group has changed since stays.

use crate::assistant::powers::PowerAction;
use crate::assistant::wording;
use crate::clock::Timestamp;
use crate::error::Result;
use crate::ingest::dialog::latest::{
    self, Event, Latest, LatestReminder, ReminderChange, StatedFact,
};
use crate::ingest::dialog::{LATEST_MS, NUMBERS_MS};
use crate::ingest::listing::{described, listed, pairs};
use crate::ingest::open_reminders::{self, ReminderRequest};
use crate::ingest::powers::{self, PowerReply, attempt};
use crate::ingest::turn::MessageTurn;
use crate::ingest::{birthdays, memories, reminding};
use crate::store::{Reminder, Tx};

impl MessageTurn<'_> {
    pub(super) fn undo(&self, tx: &mut Tx<'_>) -> Result<Option<String>> {
        let latest = latest::own(self, tx, LATEST_MS)?;
        let Some((latest, at)) = latest else {
            return Ok(None);
        };
        if self.now.0 - at.0 > NUMBERS_MS {
            return Ok(Some(wording::too_late_to_undo()));
        }
        if latest.is_undone {
            return Ok(Some(wording::undone_already()));
        }
        if stays(&latest) && !self.is_only_undone_since(tx, at)? {
            return Ok(None);
        }
        let mut undone: Vec<String> = self.undo_latest(tx, &latest, at)?.into_iter().collect();
        for power in powers::changed_at(self, tx, at)? {
            if let Some(PowerReply::Said {
                text,
                changed: true,
            }) = attempt::act(self, tx, power, PowerAction::Undo)?
            {
                undone.push(text);
            }
        }
        if undone.is_empty() {
            return Ok(Some(wording::nothing_to_undo()));
        }
        // It is still what "it" means, but is not done again by "undo". A name stays.
        latest::revise(self, tx, |latest| latest.is_undone |= latest.fact.is_none())?;
        Ok(Some(undone.join("\n")))
    }

    /// `None`: there is nothing of it any more. `at`: when it was noted.
    pub(in crate::ingest) fn undo_latest(
        &self,
        tx: &mut Tx<'_>,
        latest: &Latest,
        at: Timestamp,
    ) -> Result<Option<String>> {
        let mut replies = Vec::new();
        if let Some(fact) = &latest.fact {
            let undone = undo_fact(self, tx, fact)?;
            let first = match fact {
                StatedFact::CorrectedMemory(_) => self.bring_back(tx, at)?,
                _ => None,
            };
            replies.push(first.unwrap_or(undone));
        }
        for id in &latest.changes.memories {
            let memory = StatedFact::Memory(id.clone());
            if latest.fact.as_ref() != Some(&memory) {
                replies.push(undo_fact(self, tx, &memory)?);
            }
        }
        if latest.changes.has_removed {
            replies.extend(self.bring_back(tx, at)?);
        }
        for change in &latest.changes.changed {
            replies.extend(self.change_back(tx, change)?);
        }
        replies.extend(self.cancel_set(tx, latest)?);
        Ok((!replies.is_empty()).then(|| replies.join("\n")))
    }

    /// `None`: it is gone.
    fn change_back(&self, tx: &mut Tx<'_>, change: &ReminderChange) -> Result<Option<String>> {
        let Some(open) = tx.reminder(&change.after.schedule_id)? else {
            return Ok(None);
        };
        let (now, timezone) = (self.now, self.timezone());
        if self.is_changed_since(tx, &change.after, &open)? {
            return Ok(Some(wording::changed_since(
                &open.text, open.send_at, now, timezone,
            )));
        }
        let (recurrence, send_at) = change.before.next_after(now);
        if send_at <= now {
            let before = (send_at, open.send_at);
            return Ok(Some(wording::time_has_passed(
                &open.text, before, now, timezone,
            )));
        }
        let earlier = ReminderRequest {
            text: &change.before.text,
            send_at,
            recurrence: recurrence.as_ref(),
        };
        reminding::change(self, tx, &open, &earlier).map(Some)
    }

    /// Cancels what was set. What came before, and was put off by it, counts as come again.
    fn cancel_set(&self, tx: &mut Tx<'_>, latest: &Latest) -> Result<Option<String>> {
        let (mut open, mut replies) = (Vec::new(), Vec::new());
        for set in &latest.changes.set {
            match tx.reminder(&set.schedule_id)? {
                Some(row) if self.is_changed_since(tx, set, &row)? => {
                    let (now, zone) = (self.now, self.timezone());
                    replies.push(wording::changed_since(&row.text, row.send_at, now, zone));
                }
                row => open.extend(row),
            }
        }
        open_reminders::cancel(self, tx, &open)?;
        let came = latest.came_before.clone();
        let came = came.filter(|came| {
            let mut ids = open.iter().map(|one| &one.schedule_id);
            !open.is_empty() && ids.all(|id| came.put_off.contains(id))
        });
        match came {
            Some(came) => {
                replies.push(wording::snooze_taken_back(&listed(&open)));
                let came = Latest {
                    reminders: came.reminders,
                    ..Latest::of(Event::Delivered, &[])
                };
                came.note(tx, self.here(), self.now)?;
            }
            None if !open.is_empty() => replies.push(wording::reminders_cancelled(&listed(&open))),
            None => {}
        }
        Ok((!replies.is_empty()).then(|| replies.join("\n")))
    }

    /// Whether somebody has changed a group's reminder since.
    fn is_changed_since(
        &self,
        tx: &Tx<'_>,
        noted: &LatestReminder,
        row: &Reminder,
    ) -> Result<bool> {
        let (_, next) = noted.next_after(self.now);
        let is_skipped = row.recurrence.is_some() && row.send_at > next;
        Ok((!noted.is_still(row) || is_skipped) && tx.is_group(row.room)?)
    }

    /// Restores items deleted at that time.
    fn bring_back(&self, tx: &mut Tx<'_>, at: Timestamp) -> Result<Option<String>> {
        let (mut reminders, mut memories) = (Vec::new(), Vec::new());
        for (kind, user, item) in tx.take_removed(self.user.id, at, false)? {
            match kind.as_str() {
                "reminder" => reminders.extend(open_reminders::restore(self, tx, user, &item)?),
                "birthday" => memories.extend(birthdays::restore(self, tx, &item)?),
                _ => memories.push(memories::restore(self, tx, &item)?),
            }
        }
        if reminders.is_empty() && memories.is_empty() {
            return Ok(None);
        }
        Latest::of(Event::Set, &reminders).note(tx, self.here(), self.now)?;
        Ok(Some(wording::brought_back(
            &pairs(&described(&reminders, self.timezone())),
            &memories,
            self.now,
            self.timezone(),
        )))
    }
}

/// Whether it is a name or a time zone alone, which can't be taken back.
pub(super) fn stays(latest: &Latest) -> bool {
    let is_kept = matches!(latest.fact, Some(StatedFact::Name | StatedFact::TimeZone));
    is_kept && latest.changes == Default::default()
}

/// Forgets the memory; of a name or a zone, says that it stays.
pub(in crate::ingest) fn undo_fact(
    turn: &MessageTurn<'_>,
    tx: &mut Tx<'_>,
    fact: &StatedFact,
) -> Result<String> {
    let id = match fact {
        StatedFact::Memory(id) | StatedFact::CorrectedMemory(id) => id,
        StatedFact::Name => return Ok(wording::name_stays()),
        StatedFact::TimeZone => return Ok(wording::timezone_stays()),
    };
    let known = memories::known(turn, tx)?.memories;
    let Some(memory) = known.into_iter().find(|memory| memory.id == *id) else {
        return Ok(wording::nothing_to_undo());
    };
    memories::forget(turn, tx, &[memory.id], &[], &memory.text)?;
    Ok(wording::memory_taken_back(&memory.text))
}
