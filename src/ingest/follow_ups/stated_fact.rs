//! Facts that a person states about themselves: noted, so that "undo" removes the last one and
//! nothing older. Also the time zone, with the reminders that were set before it was known.

use super::listed;
use crate::assistant::wording;
use crate::clock::Zone;
use crate::error::Result;
use crate::ingest::dialog::latest::{self, Event, Latest, StatedFact};
use crate::ingest::turn::MessageTurn;
use crate::store::{Reminder, Tx};

const MINUTE_MS: i64 = 60_000;

impl MessageTurn<'_> {
    /// Forgets the memory; of a name or a zone, says that it stays.
    pub(in crate::ingest) fn undo_fact(
        &self,
        tx: &mut Tx<'_>,
        fact: &StatedFact,
    ) -> Result<String> {
        let id = match fact {
            StatedFact::Memory(id) | StatedFact::CorrectedMemory(id) => id,
            StatedFact::Name => return Ok(wording::name_stays()),
            StatedFact::TimeZone => return Ok(wording::timezone_stays()),
        };
        let known = self.known(tx)?.memories;
        let Some(memory) = known.into_iter().find(|memory| memory.id == *id) else {
            return Ok(wording::nothing_to_undo());
        };
        self.forget_these(tx, &[memory.id], &[], &memory.text)?;
        Ok(wording::memory_taken_back(&memory.text))
    }

    /// The memory that was noted last is a corrected one.
    pub(in crate::ingest) fn note_corrected(&self, tx: &mut Tx<'_>) -> Result<()> {
        let fact = latest::named(self, tx)?.and_then(|(latest, _)| latest.fact);
        match fact {
            Some(StatedFact::Memory(id)) => {
                latest::note_fact(self, tx, StatedFact::CorrectedMemory(id))
            }
            _ => Ok(()),
        }
    }

    /// Sets the time zone. With the first one, says when the reminders come that were set for a time
    /// of day in assumed UTC.
    pub(in crate::ingest) fn set_timezone(&self, tx: &mut Tx<'_>, zone: Zone) -> Result<String> {
        tx.set_user_timezone(&self.message.sender, self.user.id, zone.name())?;
        self.move_alarms(tx, zone)?;
        let mut reply = wording::timezone_set(zone, self.now);
        let in_utc = match self.timezone() {
            Some(_) => Vec::new(),
            None => self.set_in_utc(tx, zone)?,
        };
        if in_utc.is_empty() {
            latest::note_fact(self, tx, StatedFact::TimeZone)?;
            return Ok(reply);
        }
        reply.push('\n');
        reply.push_str(&wording::reminders_set_in_utc(
            &listed(&in_utc),
            self.now,
            zone,
        ));
        self.note_listed(tx, &in_utc)?;
        let latest = Latest {
            fact: Some(StatedFact::TimeZone),
            ..Latest::of(Event::Set, &in_utc)
        };
        latest.note(tx, self.here(), self.now)?;
        Ok(reply)
    }

    /// The person's reminders here at a whole minute, whose time of day differs in `zone`. Those "in
    /// 10 minutes" rarely come at a whole minute.
    fn set_in_utc(&self, tx: &Tx<'_>, zone: Zone) -> Result<Vec<Reminder>> {
        let mut open = self.reminders_here(tx)?;
        open.retain(|reminder| {
            let utc = reminder.send_at.utc();
            reminder.user == self.user.id
                && reminder.send_at.0 % MINUTE_MS == 0
                && utc.with_timezone(&zone).naive_local() != utc.naive_utc()
        });
        Ok(open)
    }
}
