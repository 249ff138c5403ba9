//! Changes of a person's calendar, from the question to its confirmation. `services` carries them
//! out afterwards and tells the person the outcome: no reply claims a change before it is made.

use super::dialog::LATEST_MS;
use super::dialog::latest::{self, Event, Latest, LatestEvent};
use super::dialog::question::{self, PendingCalendarChange, Question};
use super::powers::PowerReply;
use super::reply::Reply;
use super::turn::MessageTurn;
use crate::assistant::builtin::{FollowUp, ReminderRef, TimeChange};
use crate::assistant::powers::{
    CalendarQuery, CalendarRequest, EventChangeRequest, EventRef, Power, PowerAction,
};
use crate::assistant::{Intent, wording};
use crate::error::Result;
use crate::model::calendar_change::{CalendarChange, ChangedEvent};
use crate::random;
use crate::store::{CalendarId, Tx};

/// Changes of one person that are under way.
const CHANGES_MAX: i64 = 10;

impl MessageTurn<'_> {
    /// Notes the question whether to do it. What is said instead where it can't be done.
    pub(super) fn ask_to_change(
        &self,
        tx: &mut Tx<'_>,
        wish: CalendarRequest,
    ) -> Result<Option<String>> {
        if self.agent.is_none() {
            return Ok(Some(wording::calendar_change_not_here()));
        }
        let request = match wish {
            CalendarRequest::Add {
                calendar,
                title,
                time,
                done,
            } => PendingCalendarChange {
                calendar,
                change: CalendarChange::Add {
                    uid: random::uuid().to_string(),
                    title,
                    time,
                },
                done,
            },
            CalendarRequest::Move {
                event,
                whole_series,
                to,
                done,
            } => match self.changed_event(tx, event, false)? {
                Some((calendar, event)) => PendingCalendarChange {
                    calendar,
                    change: match whole_series {
                        true => CalendarChange::MoveSeries { event, to },
                        false => CalendarChange::Move { event, to },
                    },
                    done,
                },
                None => return Ok(Some(wording::calendar_event_has_no_version())),
            },
            CalendarRequest::Delete {
                event,
                whole_series,
                done,
            } => match self.changed_event(tx, event, whole_series)? {
                Some((calendar, event)) => PendingCalendarChange {
                    calendar,
                    change: CalendarChange::Delete { event },
                    done,
                },
                None => return Ok(Some(wording::calendar_event_has_no_version())),
            },
        };
        question::ask(self, tx, &Question::ChangeCalendar(request))?;
        Ok(None)
    }

    /// `None`: its version is not known, so that it can't be changed safely.
    fn changed_event(
        &self,
        tx: &Tx<'_>,
        id: i64,
        whole_series: bool,
    ) -> Result<Option<(i64, ChangedEvent)>> {
        let Some(row) = tx.view().calendar_event(self.user.id, id)? else {
            return Ok(None);
        };
        let facts = row.facts;
        Ok(facts.etag.map(|etag| {
            let event = ChangedEvent {
                uid: facts.uid,
                instance: match whole_series {
                    true => String::new(),
                    false => facts.instance,
                },
                title: facts.details.title,
                time: facts.time,
                object: facts.object,
                etag,
            };
            (row.calendar.0, event)
        }))
    }

    /// The person said yes.
    pub(super) fn change_calendar(
        &self,
        tx: &mut Tx<'_>,
        request: &PendingCalendarChange,
    ) -> Result<String> {
        let calendar = CalendarId(request.calendar);
        let known = tx.view().calendar(calendar)?;
        if known.is_none_or(|row| row.user != self.user.id) {
            return Ok(wording::calendar_gone());
        }
        if tx.view().count_calendar_changes(self.user.id)? >= CHANGES_MAX {
            return Ok(wording::calendar_changes_under_way());
        }
        tx.insert_calendar_change(
            self.user.id, calendar, &request.change, &request.done, self.now,
        )?;
        let changed = Latest {
            calendar_event: Some(LatestEvent {
                uid: request.change.uid().to_owned(),
                instance: request.change.instance().to_owned(),
            }),
            ..Latest::of(Event::Set, &[])
        };
        changed.note(tx, self.here(), self.now)?;
        Ok(wording::calendar_change_begun())
    }

    /// The answer to the question, which is never left to a language model.
    pub(super) fn answer_about_change(
        &self,
        tx: &mut Tx<'_>,
        intent: &Intent,
    ) -> Result<Option<Reply>> {
        let Intent::FollowUp {
            what: what @ (FollowUp::Yes | FollowUp::No | FollowUp::NeverMind),
            ..
        } = intent
        else {
            return Ok(None);
        };
        if !matches!(question::open(self, tx)?, Some(Question::ChangeCalendar(_))) {
            return Ok(None);
        }
        self.follow_up(tx, what)
    }

    /// "move it to 2", "delete it", where the last thing named is an event.
    pub(super) fn change_latest_event(
        &self,
        tx: &mut Tx<'_>,
        what: &FollowUp,
    ) -> Result<Option<String>> {
        let to: Option<TimeChange> = match what {
            FollowUp::Change {
                which: ReminderRef::Latest,
                to,
            } => Some(to.clone()),
            FollowUp::Cancel(ReminderRef::Latest) => None,
            _ => return Ok(None),
        };
        let latest = latest::own(self, tx, LATEST_MS)?;
        let Some(event) = latest.and_then(|(latest, _)| latest.calendar_event) else {
            return Ok(None);
        };
        let which = EventRef::Latest {
            uid: event.uid,
            instance: event.instance,
        };
        let reply = self.change_event(tx, which, to)?;
        Ok(Some(reply.unwrap_or_else(wording::calendar_event_not_seen)))
    }

    /// "cancel lunch with Bo", where no reminder matches. `None`: no event matches either.
    pub(super) fn delete_event_named(&self, tx: &mut Tx<'_>, name: &str) -> Result<Option<String>> {
        self.change_event(tx, EventRef::Named(name.to_owned()), None)
    }

    fn change_event(
        &self,
        tx: &mut Tx<'_>,
        which: EventRef,
        to: Option<TimeChange>,
    ) -> Result<Option<String>> {
        let power = Power::CalendarQueryAgent;
        if self.in_group() || !self.flags.superpower(power.name()) || !self.has_superpowers(tx)? {
            return Ok(None);
        }
        let action = PowerAction::CalendarQueryAgent(CalendarQuery::Change(EventChangeRequest {
            which,
            to,
            is_explicit: false,
        }));
        Ok(match self.act(tx, power, action)? {
            Some(PowerReply::Said { text, .. }) => Some(text),
            Some(PowerReply::TooMany) => Some(self.too_many()),
            None => None,
        })
    }
}
