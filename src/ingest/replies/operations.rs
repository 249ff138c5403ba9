//! Tool calls of a language model on the builtin assistant's data: reminders, memories and the
//! profile. Inside a transaction; an error in a result is a sentence for the model.

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime};
use serde_json::{Map, Value, json};

use super::tool_outcomes::CallResult;
use crate::assistant::builtin::Span;
use crate::assistant::tools::{Operation, ProfileChange, ReminderChat, ReminderTime};
use crate::assistant::{self, wording};
use crate::clock::{Timestamp, at_wall_time};
use crate::error::{Error, Result};
use crate::ingest::open_reminders::{self, ReminderRefusal, ReminderRequest};
use crate::ingest::powers::alarms;
use crate::ingest::reply::Schedule;
use crate::ingest::turn::MessageTurn;
use crate::ingest::{agenda, carry_out, memories};
use crate::memory::MEMORIES_MAX;
use crate::model::recurrence::{GAP_S_MIN, Recurrence, RecurrenceError};
use crate::store::{Reminder, Tx};

/// Reminders and memories in one result.
const LISTED_MAX: usize = 50;
/// Characters of a reminder's id that a model gets: its end, as its beginning is that of all that
/// were set within a minute.
const ID_CHARS: usize = 8;
/// The category of what somebody said to the assistant.
const SAID: &str = "said";

/// When and how often a reminder comes.
struct Occasion {
    send_at: Timestamp,
    recurrence: Option<Recurrence>,
}

impl MessageTurn<'_> {
    /// `new_id`: a UUID for what it makes.
    pub(super) fn run_operation(
        &self,
        tx: &mut Tx<'_>,
        operation: &Operation,
        new_id: &str,
    ) -> Result<CallResult> {
        match operation {
            Operation::SetReminder {
                text,
                at,
                repeat,
                chat,
            } => match self.occasion(*at, repeat.as_deref()) {
                Ok(occasion) => self.set_reminder_for_model(tx, text, &occasion, *chat, new_id),
                Err(error) => Ok(CallResult::refused("not a time", error)),
            },
            Operation::ListReminders { from, to, matching } => {
                self.list_reminders_for_model(tx, *from, *to, matching.as_deref())
            }
            Operation::ChangeReminder {
                id,
                text,
                at,
                repeat,
            } => match self.reminder_named(tx, id)? {
                Ok(reminder) => {
                    let repeat = repeat.as_deref();
                    self.change_reminder_for_model(tx, &reminder, text.as_deref(), *at, repeat)
                }
                Err(refused) => Ok(refused),
            },
            Operation::CancelReminder { id } => match self.reminder_named(tx, id)? {
                Ok(reminder) => {
                    let value = self.to_json(&reminder);
                    open_reminders::cancel(self, tx, &[reminder])?;
                    Ok(CallResult::done(json!({ "cancelled": value })))
                }
                Err(refused) => Ok(refused),
            },
            Operation::Remember { text } => self.remember_for_model(tx, text, new_id),
            Operation::Recall { query } => self.recall_for_model(tx, query),
            Operation::Forget { ids } => self.forget_for_model(tx, ids),
            Operation::SetProfile(change) => self.set_profile_for_model(tx, change),
            Operation::Agenda { from, to } => {
                let span = self.days(*from, *to);
                Ok(CallResult::quoting(&agenda::of_span(
                    self, tx, &span, true,
                )?))
            }
            Operation::ExportAccount => Ok(CallResult::done(json!({
                "started": false,
                "how": wording::how_to_export_data(),
            }))),
            Operation::DeleteAccount => Ok(CallResult::done(json!({
                "deleted": false,
                "how": wording::how_to_delete_account(),
            }))),
            Operation::Usage => self.usage_for_model(tx),
            Operation::AnswerPrivately { text } => self.answer_privately(tx, text),
            // Done by whoever carries out superpowers.
            Operation::Power(..) | Operation::Notices(_) => {
                Ok(CallResult::refused("garbled", "This is a superpower."))
            }
        }
    }

    /// From the first to the last day.
    fn days(&self, from: NaiveDate, to: NaiveDate) -> Span {
        let midnight = |day: Option<NaiveDate>| {
            let at = day.and_then(|day| at_wall_time(day.and_time(NaiveTime::MIN), self.zone()));
            at.unwrap_or(self.now)
        };
        Span {
            range: midnight(Some(from))..midnight(to.succ_opt()),
            name: match from == to {
                true => format!("on {from}"),
                false => format!("from {from} to {to}"),
            },
        }
    }

    fn change_reminder_for_model(
        &self,
        tx: &mut Tx<'_>,
        reminder: &Reminder,
        text: Option<&str>,
        at: Option<ReminderTime>,
        repeat: Option<&str>,
    ) -> Result<CallResult> {
        let occasion = match self.changed_occasion(reminder, at, repeat) {
            Ok(occasion) => occasion,
            Err(error) => return Ok(CallResult::refused("not a time", error)),
        };
        let request = ReminderRequest {
            text: text.unwrap_or(&reminder.text),
            send_at: occasion.send_at,
            recurrence: occasion.recurrence.as_ref(),
        };
        let changed = open_reminders::change(self, tx, reminder, &request)?;
        Ok(CallResult::done(self.to_json(&changed)))
    }

    fn set_profile_for_model(&self, tx: &mut Tx<'_>, change: &ProfileChange) -> Result<CallResult> {
        let user = self.user.id;
        let mut set = Map::new();
        if let Some(name) = &change.name {
            tx.set_user_name(&self.message.sender, user, name)?;
            set.insert("name".to_owned(), name.as_str().into());
        }
        if let Some(zone) = change.timezone {
            tx.set_user_timezone(&self.message.sender, user, zone.name())?;
            alarms::plan(self, tx, Some(zone), |_| true)?;
            set.insert("timezone".to_owned(), zone.name().into());
            set.insert("now".to_owned(), local(self.now, zone).into());
        }
        if let Some(language) = &change.language {
            tx.set_user_language(user, language)?;
            set.insert("language".to_owned(), language.as_str().into());
        }
        if let Some(pronouns) = &change.pronouns {
            tx.set_user_pronouns(user, pronouns)?;
            set.insert("pronouns".to_owned(), pronouns.as_str().into());
        }
        Ok(CallResult::done(Value::Object(set)))
    }

    fn occasion(&self, at: ReminderTime, repeat: Option<&str>) -> Result<Occasion, String> {
        let zone = self.zone();
        let first = match at {
            ReminderTime::Moment(moment) => Some(moment),
            ReminderTime::Local(time) => at_wall_time(time, zone),
        };
        let first = first.ok_or("There is no such time.")?;
        if let Some(rule) = repeat {
            let on_wall = first.utc().with_timezone(&zone).naive_local();
            let recurrence = Recurrence::new(rule, on_wall, zone).map_err(rule_error)?;
            // A first time that has passed is as good as the next.
            let progress = recurrence.progress(self.now);
            let (recurrence, send_at) = progress.next.ok_or("That never comes again.")?;
            return Ok(Occasion {
                send_at,
                recurrence: Some(recurrence),
            });
        }
        if first <= self.now {
            let now = local(self.now, zone);
            return Err(format!("That time has passed; it is {now} now."));
        }
        Ok(Occasion {
            send_at: first,
            recurrence: None,
        })
    }

    fn changed_occasion(
        &self,
        reminder: &Reminder,
        at: Option<ReminderTime>,
        repeat: Option<&str>,
    ) -> Result<Occasion, String> {
        let known = reminder.recurrence.as_ref().map(Recurrence::rule);
        let rule = repeat.or(known).filter(|rule| !rule.is_empty());
        match (at, repeat) {
            (None, None) => Ok(Occasion {
                send_at: reminder.send_at,
                recurrence: reminder.recurrence.clone(),
            }),
            (at, _) => self.occasion(at.unwrap_or(ReminderTime::Moment(reminder.send_at)), rule),
        }
    }

    fn set_reminder_for_model(
        &self,
        tx: &mut Tx<'_>,
        text: &str,
        occasion: &Occasion,
        chat: ReminderChat,
        new_id: &str,
    ) -> Result<CallResult> {
        let is_elsewhere = chat == ReminderChat::Direct && self.in_group();
        let room = match is_elsewhere {
            false => Some(self.room.id),
            true => tx
                .newest_direct_chat(self.user.id, true)?
                .map(|chat| chat.room),
        };
        let Some(room) = room else {
            let error =
                "The person has no chat of their own with you; they have to write there first.";
            return Ok(CallResult::refused("no such chat", error));
        };
        let request = ReminderRequest {
            text,
            send_at: occasion.send_at,
            recurrence: occasion.recurrence.as_ref(),
        };
        let reminder = match open_reminders::set_as(self, tx, &request, new_id, room)? {
            Ok(reminder) => reminder,
            Err(ReminderRefusal::TooMany) => {
                let error =
                    "The person has as many reminders as anybody may have; one has to go first.";
                return Ok(CallResult::refused("too many reminders", error));
            }
            Err(ReminderRefusal::NoQueue) => {
                let error = "Reminders that come again can't be brought to this chat.";
                return Ok(CallResult::refused("no repetition here", error));
            }
        };
        let mut json = self.to_json(&reminder);
        if self.agent.is_none() && !is_elsewhere {
            json["sent_by"] = "the person's chat app, if it can; say that you have asked it to, \
                                and promise nothing"
                .into();
        }
        let schedule = match is_elsewhere {
            true => None,
            false => Some(self.schedule(&reminder)?),
        };
        Ok(CallResult {
            schedule,
            ..CallResult::done(json)
        })
    }

    /// The `schedule_message` object for the relay.
    fn schedule(&self, reminder: &Reminder) -> Result<Value> {
        let schedule = Schedule {
            schedule_id: &reminder.schedule_id,
            chat_guid: &self.message.chat_guid,
            text: &wording::reminder_text(&reminder.text),
            send_at: reminder.send_at,
            deliver_by: if self.agent.is_some() {
                "service"
            } else {
                "relay"
            },
        };
        serde_json::to_value(schedule).map_err(Error::internal)
    }

    fn list_reminders_for_model(
        &self,
        tx: &Tx<'_>,
        from: Option<NaiveDateTime>,
        to: Option<NaiveDateTime>,
        matching: Option<&str>,
    ) -> Result<CallResult> {
        let zone = self.zone();
        let bound = |time: Option<NaiveDateTime>, open| {
            time.and_then(|time| at_wall_time(time, zone))
                .unwrap_or(Timestamp(open))
        };
        let within = bound(from, i64::MIN)..bound(to, i64::MAX);
        let within = (from.is_some() || to.is_some()).then_some(&within);
        let found = open_reminders::matching(self, tx, matching, within)?;
        let listed: Vec<Value> = found
            .iter()
            .take(LISTED_MAX)
            .map(|r| self.to_json(r))
            .collect();
        Ok(CallResult::done(json!({
            "reminders": listed,
            "more": found.len().saturating_sub(LISTED_MAX),
        })))
    }

    /// By the end of its id, among the reminders that may be shown in this chat.
    fn reminder_named(
        &self,
        tx: &Tx<'_>,
        id: &str,
    ) -> Result<std::result::Result<Reminder, CallResult>> {
        let id = id.trim().to_ascii_lowercase();
        let mut found = open_reminders::here(self, tx)?;
        found.retain(|reminder| id.len() >= ID_CHARS && reminder.schedule_id.ends_with(&id));
        Ok(match (found.pop(), found.is_empty()) {
            (Some(reminder), true) => Ok(reminder),
            _ => Err(CallResult::refused(
                "no such reminder",
                "There is no open reminder of that id; list_reminders gives the ids.",
            )),
        })
    }

    pub(super) fn to_json(&self, reminder: &Reminder) -> Value {
        let mut value = json!({
            "id": short_id(&reminder.schedule_id),
            "text": reminder.text,
            "at": local(reminder.send_at, self.zone()),
        });
        if let Some(recurrence) = &reminder.recurrence {
            value["repeat"] = recurrence.rule().into();
        }
        if reminder.room != self.room.id {
            value["chat"] = "another chat of the person".into();
        }
        value
    }

    fn remember_for_model(&self, tx: &mut Tx<'_>, text: &str, new_id: &str) -> Result<CallResult> {
        if tx.count_memories(self.user.id)? >= MEMORIES_MAX {
            let error = "No more memories can be kept; some have to be forgotten first.";
            return Ok(CallResult::refused("too many memories", error));
        }
        if let Some(id) = memories::same(self, tx, text)? {
            return Ok(CallResult::done(json!({ "id": id, "text": text })));
        }
        let memories = &self.ingest.memories;
        memories.remember_as(tx, self.user.id, new_id, text, SAID, self.now)?;
        Ok(CallResult::done(json!({ "id": new_id, "text": text })))
    }

    fn recall_for_model(&self, tx: &Tx<'_>, query: &str) -> Result<CallResult> {
        let known = memories::known(self, tx)?;
        let mut found: Vec<(usize, &crate::memory::Memory)> = known
            .memories
            .iter()
            .map(|memory| (assistant::memory_overlap(&memory.text, query), memory))
            .filter(|(overlap, _)| query.is_empty() || *overlap > 0)
            .collect();
        found.sort_by_key(|(overlap, _)| std::cmp::Reverse(*overlap));
        let listed = found
            .iter()
            .take(LISTED_MAX)
            .map(|(_, memory)| json!({ "id": memory.id, "text": memory.text }));
        Ok(CallResult::done(json!({
            "memories": listed.collect::<Vec<_>>(),
            "incomplete": known.is_cut_off,
        })))
    }

    fn forget_for_model(&self, tx: &mut Tx<'_>, ids: &[String]) -> Result<CallResult> {
        let known = memories::known(self, tx)?;
        let mut found = Vec::new();
        for id in ids {
            let Some(memory) = known.memories.iter().find(|memory| memory.id == *id) else {
                let error = "One of the ids is of no memory, so nothing was forgotten; recall gives the ids.";
                return Ok(CallResult::refused("no such memory", error));
            };
            found.push(memory);
        }
        for memory in &found {
            let memories = &self.ingest.memories;
            memories.forget(tx, self.user.id, memory, self.now)?;
        }
        let texts: Vec<&str> = found.iter().map(|memory| memory.text.as_str()).collect();
        Ok(CallResult::done(json!({ "forgotten": texts })))
    }

    fn usage_for_model(&self, tx: &Tx<'_>) -> Result<CallResult> {
        let facts = carry_out::facts(self, tx)?;
        Ok(CallResult::done(json!({
            "name": facts.name,
            "subscribed": facts.subscribed,
            "plan": facts.plan,
            "messages_today": facts.messages_used_today,
            "messages_a_day": facts.daily_limit,
            "memories": facts.memories,
            "reminders": facts.reminders,
            "timezone": facts.timezone.map(|zone| zone.name()),
        })))
    }
}

/// The id of a reminder as a model gets it.
pub(super) fn short_id(schedule_id: &str) -> &str {
    let start = schedule_id.len().saturating_sub(ID_CHARS);
    schedule_id.get(start..).unwrap_or(schedule_id)
}

fn rule_error(error: RecurrenceError) -> String {
    match error {
        RecurrenceError::Unreadable => {
            "\"repeat\" must be a rule of RFC 5545 like FREQ=WEEKLY;BYDAY=MO.".to_owned()
        }
        RecurrenceError::TooOften => {
            format!("A reminder comes at most every {} minutes.", GAP_S_MIN / 60)
        }
        RecurrenceError::Never => "That rule never comes.".to_owned(),
    }
}

/// With the weekday, which models get wrong by themselves.
fn local(at: Timestamp, zone: crate::clock::Zone) -> String {
    let local: DateTime<crate::clock::Zone> = at.utc().with_timezone(&zone);
    local.format("%A %Y-%m-%dT%H:%M").to_string()
}
