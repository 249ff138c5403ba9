//! What a message refers to: the last reminder named or delivered, those of a number or a word, or
//! several together.

use crate::assistant::builtin::ReminderRef;
use crate::assistant::{self, Intent, MessageContext, wording};
use crate::error::Result;
use crate::ingest::dialog::latest::{self, Event, LatestReminder};
use crate::ingest::turn::MessageTurn;
use crate::ingest::{listing, open_reminders};
use crate::store::{Reminder, Tx};

const WEEK_S: i64 = 7 * 24 * 3_600;

/// What a message refers to.
pub(super) enum Referent {
    Open(Vec<Reminder>),
    /// Already delivered reminders.
    Delivered(Vec<LatestReminder>),
    /// It is ambiguous; this reply says so.
    Unclear(String),
}

impl MessageTurn<'_> {
    /// The only reminder of a list that was just shown, else what was set, changed or delivered last.
    pub(super) fn latest_found(&self, tx: &Tx<'_>) -> Result<Option<Referent>> {
        let listed = listing::just_shown(self, tx, &open_reminders::here(self, tx)?)?;
        if let Some(listed) = listed.filter(|listed| listed.len() == 1) {
            return Ok(Some(Referent::Open(listed)));
        }
        let Some((latest, _)) = latest::named(self, tx)? else {
            return Ok(None);
        };
        if latest.event == Event::Removed {
            return Ok(None);
        }
        let mut open = Vec::new();
        for reminder in &latest.reminders {
            open.extend(tx.reminder(&reminder.schedule_id)?);
        }
        // A direct chat's reminder isn't mentioned in a group.
        open.retain(|reminder| !self.in_group() || reminder.room == self.room.id);
        Ok(match (open.is_empty(), latest.event) {
            (false, _) => Some(Referent::Open(open)),
            (true, Event::Delivered) => Some(Referent::Delivered(latest.reminders)),
            (true, _) => None,
        })
    }

    pub(super) fn found(&self, tx: &Tx<'_>, which: &ReminderRef) -> Result<Option<Referent>> {
        let here = open_reminders::here(self, tx)?;
        Ok(match which {
            ReminderRef::Latest => self.latest_found(tx)?,
            ReminderRef::Listed => listing::just_shown(self, tx, &here)?.map(Referent::Open),
            ReminderRef::Together(count) => {
                let listed = listing::just_shown(self, tx, &here)?;
                if let Some(listed) = listed.filter(|listed| count.is_none() && listed.len() > 1) {
                    return Ok(Some(Referent::Open(listed)));
                }
                let is_all = |open: &Vec<Reminder>| match count {
                    Some(count) => open.len() == *count,
                    None => open.len() > 1,
                };
                match self.latest_found(tx)? {
                    Some(Referent::Open(open)) if is_all(&open) => Some(Referent::Open(open)),
                    None => None,
                    _ if count.is_some() && is_all(&here) => Some(Referent::Open(here)),
                    _ => Some(Referent::Unclear(wording::which_reminder())),
                }
            }
            ReminderRef::Numbered(numbers) => {
                let Some((ids, _)) = listing::shown(self, tx)? else {
                    return Ok(Some(Referent::Unclear(wording::no_numbers())));
                };
                let mut open = Vec::new();
                for number in numbers {
                    let id = number.checked_sub(1).and_then(|at| ids.get(at));
                    let found = id.and_then(|id| here.iter().find(|r| r.schedule_id == *id));
                    match found {
                        Some(reminder) => open.push(reminder.clone()),
                        None => {
                            return Ok(Some(Referent::Unclear(wording::no_such_number(*number))));
                        }
                    }
                }
                Some(Referent::Open(open))
            }
            ReminderRef::About(about) | ReminderRef::AllAbout(about) => {
                Some(found_or_none(self.named(tx, about)?))
            }
            ReminderRef::Next => {
                let mut open = open_reminders::set_before(self, tx, here)?;
                open.sort_by_key(|reminder| reminder.send_at);
                open.truncate(1);
                Some(found_or_none(open))
            }
        })
    }

    /// By their words, else by their time: "the 9pm one", "thursday's".
    pub(super) fn named(&self, tx: &Tx<'_>, about: &str) -> Result<Vec<Reminder>> {
        let open = open_reminders::matching(self, tx, Some(about), None)?;
        if !open.is_empty() {
            return open_reminders::set_before(self, tx, open);
        }
        let understood = self.understood_to_cancel(about);
        match understood.unless_follow_up() {
            Intent::CancelReminders(request) if request.about.is_none() => {
                let mut found = open_reminders::found(self, tx, request)?;
                // What comes on other days, too, is not named by one of them.
                let week = self.now..self.now.plus_s(WEEK_S);
                let comes_once = |one: &Reminder| one.moments(&week, 2).len() < 2;
                found.retain(|one| request.on.is_none() || comes_once(one));
                Ok(found)
            }
            _ => Ok(open),
        }
    }

    /// What these words mean as the time of reminders to cancel.
    pub(super) fn understood_to_cancel(&self, about: &str) -> Intent {
        let persona = &self.ingest.persona.get().name;
        assistant::understand(&MessageContext {
            text: &format!("cancel all {about} reminders"),
            group: false, // these words are not typed
            ..self.message.context(persona, self.timezone(), self.now)
        })
    }
}

fn found_or_none(open: Vec<Reminder>) -> Referent {
    match open.is_empty() {
        true => Referent::Unclear(wording::reminders_cancelled(&[])),
        false => Referent::Open(open),
    }
}
