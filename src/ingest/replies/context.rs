//! Reads the context of a reply: the message, earlier messages of its room with their authors, and
//! facts about the person. Memories may come from an external service.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};

use super::dialog_facts::{self, DialogFacts};
use super::reminder_json::short_id;
use crate::assistant::memory_overlap;
use crate::assistant::prompt::{Author, PersonFacts, RoomMessage};
use crate::assistant::tools::RemoteTool;
use crate::clock::{Timestamp, Zone, at_wall_time};
use crate::error::Result;
use crate::ingest::Ingest;
use crate::ingest::dialog::latest::{LastNamed, NotedReminder};
use crate::ingest::dialog::question::{CHECKIN_QUESTION_MS, Question};
use crate::ingest::dialog::{self, LATEST_MS, PrivateAnswer};
use crate::media::Photos;
use crate::memory::MemoryQuery;
use crate::store::{AgentId, DoneCall, MessageRow, PowerOwner, User, UserId, View};

/// The most that `context.max_messages` allows; a row has a message and its answer.
const ROWS_MAX: usize = 20;
/// Memories in a prompt: the best matches, then the newest.
const MEMORIES_TOLD_MAX: usize = 30;
const MEMORIES_TOLD_CHARS_MAX: usize = 6_000;
/// Reminders of the day in a prompt, and characters of each.
const REMINDERS_TOLD_MAX: usize = 20;
const REMINDER_TOLD_CHARS_MAX: usize = 200;
/// Characters of the message that memories are compared with.
const COMPARED_CHARS_MAX: usize = 500;
/// Memories may take this fraction of the deadline.
const MEMORIES_DEADLINE_SHARE: u64 = 4;

/// The context of one reply.
pub(super) struct ReplyContext {
    pub(super) message: MessageRow,
    pub(super) user: User,
    pub(super) group: bool,
    /// A message of a group is answered in the person's direct chat.
    pub(super) is_private: bool,
    /// All other authors of a group, whom a reply may quote.
    pub(super) others: Vec<UserId>,
    /// Oldest first, the message in question last.
    pub(super) messages: Vec<RoomMessage>,
    pub(super) known: PersonFacts,
    /// Reminders that were delivered here last, each with its local time.
    pub(super) came: Vec<String>,
    /// The URLs of the message's photos.
    pub(super) photos: Vec<String>,
    pub(super) reply_to_assistant: bool,
    /// The message corrects an earlier one.
    pub(super) is_edited: bool,
    /// Tools of other servers that may be offered.
    pub(super) remote_tools: Vec<Arc<RemoteTool>>,
    /// Calls for this message whose effects stay, of an attempt before.
    pub(super) done_calls: Vec<DoneCall>,
    /// The beginning of the reply, which was sent before.
    pub(super) sent: Vec<String>,
    pub(super) dialog: DialogFacts,
}

/// `None` when the message or its user was removed.
pub(super) fn read(view: &View, message_id: i64) -> Result<Option<ReplyContext>> {
    let mut rows = view.chain(message_id, ROWS_MAX)?;
    let Some(message) = rows.first() else {
        return Ok(None);
    };
    let (Some(room), Some(user)) = (view.room(message.room)?, view.user_row(message.user)?) else {
        return Ok(None);
    };
    let group = room.mode == "group";
    let mut others = Vec::new();
    if group {
        let authors = view.room_authors(message.room)?;
        if authors.iter().any(|author| author.erased) {
            // Until the erasure has processed the room, its history quotes the erased account.
            rows.truncate(1);
        }
        let present = authors.iter().filter(|author| !author.erased);
        others.extend(
            present
                .map(|author| author.user)
                .filter(|id| *id != user.id),
        );
    }
    let private_answers = match rows.first().filter(|_| !group) {
        None => Vec::new(),
        Some(newest) => {
            let noted = view.dialog(newest.room, newest.user)?.private_answers;
            dialog::recent_private_answers(noted.as_ref(), newest.received_at)
        }
    };
    let messages = messages(view, &rows, private_answers)?;
    let dialog = dialog_facts::read(view, &rows, &user, group)?;
    let message = rows.swap_remove(0);
    let came = came_last(view, &message, &user, group)?;
    let context: Value = parsed(message.context.as_deref());
    let photos = context.get("photos").and_then(Value::as_array);
    let photos = photos.into_iter().flatten().filter_map(Value::as_str);
    Ok(Some(ReplyContext {
        known: if group {
            PersonFacts::default()
        } else {
            PersonFacts {
                question: pending_question(view, &message)?,
                ..known(view, &user, message.received_at)?
            }
        },
        photos: photos.map(str::to_owned).collect(),
        reply_to_assistant: context.get("reply_to_assistant") == Some(&Value::Bool(true)),
        is_edited: context.get("corrects").is_some_and(Value::is_string),
        remote_tools: Vec::new(),
        done_calls: view.done_calls(message_id)?,
        sent: view.sent_of_reply(message_id)?,
        dialog,
        message,
        user,
        group,
        is_private: false,
        others,
        messages,
        came,
    }))
}

/// The context in which a group's message is answered in the person's direct chat: their message,
/// without what anybody else wrote, and what is known of them.
pub(super) fn read_private(view: &View, message_id: i64) -> Result<Option<ReplyContext>> {
    let Some(message) = view.message(message_id)? else {
        return Ok(None);
    };
    let Some(user) = view.user_row(message.user)? else {
        return Ok(None);
    };
    Ok(Some(ReplyContext {
        known: known(view, &user, message.received_at)?,
        messages: vec![RoomMessage {
            by: Author::Person {
                id: user.id.0,
                name: user.name.clone(),
            },
            text: message.text.clone(),
            photos: photos_of(&message),
        }],
        group: false,
        is_private: true,
        came: Vec::new(),
        others: Vec::new(),
        photos: Vec::new(),
        reply_to_assistant: true,
        is_edited: false,
        remote_tools: Vec::new(),
        done_calls: Vec::new(),
        sent: Vec::new(),
        dialog: DialogFacts {
            states: dialog_facts::states(view, &[PowerOwner::User(user.id)])?,
            ..DialogFacts::default()
        },
        message,
        user,
    }))
}

/// Replaces the names of uploaded photos by their content. A photo that can't be loaded is left
/// out, and the model is told that there was one.
pub(super) async fn load_photos(
    photos: &Photos,
    context: &mut ReplyContext,
    agent: Option<AgentId>,
) -> Result<()> {
    let mut listed = Vec::new();
    for url in std::mem::take(&mut context.photos) {
        match (photos.id_in(&url), agent) {
            (None, _) => listed.push(url),
            (Some(photo_id), Some(agent)) => {
                listed.extend(photos.data_url(photo_id, agent).await?);
            }
            (Some(_), None) => {}
        }
    }
    context.photos = listed;
    Ok(())
}

/// Relevant memories of the person, for a direct chat. Memories that aren't available in time are
/// left out.
pub(super) async fn memories(ingest: &Ingest, context: &ReplyContext) -> Result<Vec<String>> {
    if context.group {
        return Ok(Vec::new());
    }
    let text: String = context
        .message
        .text
        .chars()
        .take(COMPARED_CHARS_MAX)
        .collect();
    let about = MemoryQuery {
        text: &text,
        limit: MEMORIES_TOLD_MAX,
        rank: |memory, text| memory_overlap(memory, text),
        wait: Duration::from_millis(ingest.replies.deadline_ms() / MEMORIES_DEADLINE_SHARE),
    };
    let (user, user_id) = (context.user.id, &context.user.public_id);
    let found = ingest.memories.relevant(user, user_id, &about).await?;
    let mut chars = 0;
    let mut lines: Vec<String> = found.memories.into_iter().map(|m| m.text).collect();
    lines.retain(|memory| {
        chars += memory.chars().count();
        chars <= MEMORIES_TOLD_CHARS_MAX
    });
    Ok(lines)
}

/// The person's open reminders until midnight of their time zone: "14:00 call mom (id 1a2b3c4d)".
fn reminders_of_the_day(view: &View, user: &User, now: Timestamp) -> Result<Vec<String>> {
    let zone = user.timezone.unwrap_or(Zone::UTC);
    let local = |at: Timestamp| at.utc().with_timezone(&zone);
    let midnight = local(now).date_naive().succ_opt();
    let midnight = midnight.and_then(|day| day.and_hms_opt(0, 0, 0));
    let Some(midnight) = midnight.and_then(|midnight| at_wall_time(midnight, zone)) else {
        return Ok(Vec::new());
    };
    let found = view.reminders_within(user.id, &(now..midnight), REMINDERS_TOLD_MAX)?;
    let lines = found.iter().map(|reminder| {
        let at = local(reminder.send_at).format("%H:%M");
        let id = short_id(&reminder.schedule_id);
        format!("{at} {} (id {id})", shortened(&reminder.text))
    });
    Ok(lines.collect())
}

/// The open reminders of an edited message's earlier versions, each with its local time and id; then
/// those that they cancelled.
pub(super) fn of_earlier_version(context: &ReplyContext) -> Vec<String> {
    let zone = context.user.timezone.unwrap_or(Zone::UTC);
    let line = |at: Timestamp, text: &str, id: &str| {
        let at = at.utc().with_timezone(&zone).format("%A %Y-%m-%d %H:%M");
        format!("{at} {} (id {})", shortened(text), short_id(id))
    };
    let dialog = &context.dialog;
    let set = dialog.of_earlier_version.iter();
    let set = set.map(|one| line(one.send_at, &one.text, &one.schedule_id));
    let cancelled = dialog.cancelled_by_earlier.iter().map(|one| {
        let line = line(Timestamp(one.send_at), &one.text, &one.schedule_id);
        format!("cancelled: {line}")
    });
    set.chain(cancelled).collect()
}

/// The reminders that "snooze" or "again" may mean.
fn came_last(view: &View, message: &MessageRow, user: &User, group: bool) -> Result<Vec<String>> {
    let noted = match group {
        true => view.latest_in_room(message.room)?,
        false => view.dialog(message.room, message.user)?.latest,
    };
    let now = message.received_at;
    let latest = dialog::recent::<LastNamed>(noted.as_ref(), LATEST_MS, now);
    let came = latest.and_then(|(latest, at)| latest.delivery(at, now));
    let came = came.filter(|came| came.put_off.is_empty());
    let zone = user.timezone.unwrap_or(Zone::UTC);
    let line = |reminder: &NotedReminder| {
        let at = Timestamp(reminder.send_at).utc().with_timezone(&zone);
        format!("{} {}", at.format("%A %H:%M"), shortened(&reminder.text))
    };
    let reminders = came.iter().flat_map(|came| &came.reminders);
    Ok(reminders.map(line).collect())
}

fn shortened(reminder: &str) -> String {
    reminder.chars().take(REMINDER_TOLD_CHARS_MAX).collect()
}

/// The question how something was, to which the message may be the answer.
fn pending_question(view: &View, message: &MessageRow) -> Result<Option<String>> {
    let noted = view.dialog(message.room, message.user)?.question;
    let question = dialog::recent(noted.as_ref(), CHECKIN_QUESTION_MS, message.received_at);
    Ok(match question {
        Some((Question::Checkin { abouts, .. }, _)) => {
            Some(format!("How was this: {}?", abouts.join(", ")))
        }
        _ => None,
    })
}

/// `rows`: newest first. `private_answers`: to what was asked elsewhere, oldest first.
fn messages(
    view: &View,
    rows: &[MessageRow],
    private_answers: Vec<PrivateAnswer>,
) -> Result<Vec<RoomMessage>> {
    let mut names: HashMap<UserId, Option<String>> = HashMap::new();
    let mut messages = Vec::new();
    let mut private_answers = private_answers.into_iter().peekable();
    for (at, row) in rows.iter().enumerate().rev() {
        let is_last = at == 0;
        while let Some(answer) = private_answers.next_if(|one| one.at <= row.received_at.0) {
            // A private answer before the first message that fits is left out.
            if !messages.is_empty() || is_last {
                messages.extend(told_privately(answer, row.user));
            }
        }
        // Messages refused without a subscription aren't part of the conversation.
        if !is_last && row.access.is_some() {
            continue;
        }
        if let std::collections::hash_map::Entry::Vacant(entry) = names.entry(row.user) {
            entry.insert(view.user_row(row.user)?.and_then(|user| user.name));
        }
        messages.push(RoomMessage {
            by: Author::Person {
                id: row.user.0,
                name: names.get(&row.user).cloned().flatten(),
            },
            text: row.text.clone(),
            photos: photos_of(row),
        });
        let answered = row.bubbles.as_deref().or(row.late.as_deref());
        let bubbles: Vec<String> = parsed(answered.filter(|_| !is_last));
        if !bubbles.is_empty() {
            messages.push(RoomMessage {
                by: Author::Assistant,
                text: bubbles.join("\n"),
                photos: 0,
            });
        }
    }
    Ok(messages)
}

fn told_privately(answer: PrivateAnswer, user: UserId) -> [RoomMessage; 2] {
    let by = Author::Person {
        id: user.0,
        name: None,
    };
    let question = format!("{} [asked in a group, answered here]", answer.asked);
    [(by, question), (Author::Assistant, answer.answer)].map(|(by, text)| RoomMessage {
        by,
        text,
        photos: 0,
    })
}

fn photos_of(row: &MessageRow) -> usize {
    let context: Value = parsed(row.context.as_deref());
    context
        .get("photos")
        .and_then(Value::as_array)
        .map_or(0, Vec::len)
}

/// All facts except the memories.
fn known(view: &View, user: &User, now: Timestamp) -> Result<PersonFacts> {
    let mut profile = Map::new();
    for (field, json) in view.personality(user.id)? {
        let value: Value = parsed(Some(&json));
        let empty = value.is_null() || value.as_array().is_some_and(Vec::is_empty);
        if !empty {
            profile.insert(field.to_owned(), value);
        }
    }
    let (pronouns, language) = view.forms_of_address(user.id)?;
    let services = view.services(user.id)?;
    Ok(PersonFacts {
        name: user.name.clone(),
        pronouns,
        language,
        profile,
        reminders: reminders_of_the_day(view, user, now)?,
        has_calendar: services.iter().any(|service| service.kind.is_calendar()),
        has_mailbox: services.iter().any(|service| !service.kind.is_calendar()),
        ..PersonFacts::default()
    })
}

fn parsed<T: Default + serde::de::DeserializeOwned>(json: Option<&str>) -> T {
    json.and_then(|text| serde_json::from_str(text).ok())
        .unwrap_or_default()
}
