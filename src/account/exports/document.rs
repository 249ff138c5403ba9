//! The content of an export, section by section. It is written while it is read, so at most one
//! page is in memory.
//!
//! Messages and memories are cut at the export's creation time: rows are only added, with growing
//! ids, so a row with a larger id is newer. Rows deleted while the file is written may be missing.
//! All other data is a few rows, read when its section is written, usually seconds later.

use std::io;
use std::time::Duration;

use serde::Serialize;

use super::Exports;
use super::folder::ExportDraft;
use super::json_file::JsonFile;
use super::messages::{CursorStep, MessageCursor};
use super::sections::{
    BillingSection, ExportedMemory, ExportedMessage, ExportedProfile, ExportedSubscription,
    OmittedSection, VERSION, WebhookWithUrl,
};
use crate::clock::Timestamp;
use crate::error::{Error, ErrorKind, Result};
use crate::memory::merge::ForgottenMemories;
use crate::memory::{Memory, ServiceMemories};
use crate::store::{Account, ExportEnd, ExportJob, LongReader, PAGE_ROWS, PageOf, UserId, View};

/// Messages read in one transaction.
const STEPS_MAX: usize = 500;
const TEXT_BYTES_MAX: usize = 128 * 1024;
/// Attempts to read a page while the database is busy.
const READ_TRIES_MAX: usize = 20;
const READ_PAUSE: Duration = Duration::from_millis(250);
/// Pause that lets waiting writers run first.
const WRITERS_PAUSE: Duration = Duration::from_millis(2);
/// The share of messages and memories in the progress.
const MESSAGES_SHARE: f64 = 0.7;

/// Why no file was written.
pub(super) enum ExportFailure {
    /// The job was deleted, so the file isn't needed.
    JobDeleted,
    Disk(io::Error),
    Reading(Error),
}

impl From<io::Error> for ExportFailure {
    fn from(error: io::Error) -> Self {
        Self::Disk(error)
    }
}

/// Writes the whole document.
pub(super) async fn write(
    exports: &Exports,
    job: &ExportJob,
    draft: &mut ExportDraft,
) -> WriteResult {
    let reader = exports.store.long_reader().await;
    let mut writing = DocumentWriter {
        exports,
        job,
        reader: reader.map_err(ExportFailure::Reading)?,
        file: JsonFile::new(draft),
        omitted: Vec::new(),
    };
    writing.all_sections().await
}

type WriteResult<T = ()> = std::result::Result<T, ExportFailure>;

struct DocumentWriter<'a> {
    exports: &'a Exports,
    job: &'a ExportJob,
    reader: LongReader,
    file: JsonFile<'a>,
    omitted: Vec<OmittedSection>,
}

impl DocumentWriter<'_> {
    async fn all_sections(&mut self) -> WriteResult {
        let now = self.exports.clock.now();
        let user = self.job.user;
        let facts = self.read(move |view| {
            let Some(account) = view.account(user)? else {
                return Ok(None);
            };
            let personality = view.personality_profile(user)?;
            Ok(Some((account, view.export_cut(user)?, personality)))
        });
        let (account, cut, personality) = facts.await?.ok_or(ExportFailure::JobDeleted)?;
        let last_active_at = self.last_active_at(cut).await?;
        self.file.value("export_version", &VERSION);
        self.file.value("exported_at", &now);
        self.file.value("user_id", &account.user.public_id);
        self.file
            .value("profile", &ExportedProfile::of(&account, last_active_at));
        self.file
            .value("subscription", &ExportedSubscription::of(&account, now));
        self.file.value("personality_profile", &personality);
        self.rows("traits", |v, user, after| v.traits_page(user, after))
            .await?;
        self.rows("relationships", |v, user, after| {
            v.relationships_page(user, after)
        })
        .await?;
        self.rows("connected_services", |v, user, after| {
            v.connected_services_page(user, after)
        })
        .await?;
        self.rows("miniapp_sessions", |v, user, after| {
            v.miniapp_sessions_page(user, after)
        })
        .await?;
        self.rows("installed_apps", |v, user, after| {
            v.installed_apps_page(user, after)
        })
        .await?;
        self.rows("apps", |v, user, after| v.apps_page(user, after))
            .await?;
        self.webhooks().await?;
        self.memories(&account, cut).await?;
        self.file.value("billing", &BillingSection::of(&account));
        self.rows("reminders", |v, user, after| v.reminders_page(user, after))
            .await?;
        self.rows("superpowers", |v, user, after| {
            v.kept_by_powers_page(user, after)
        })
        .await?;
        self.rows("photos", |v, user, after| v.photos_page(user, after))
            .await?;
        self.messages(cut).await?;
        let omitted = std::mem::take(&mut self.omitted);
        self.file.value("omitted", &omitted);
        Ok(self.file.end().await?)
    }

    /// The time of the person's newest message.
    async fn last_active_at(&mut self, cut: ExportEnd) -> WriteResult<Option<Timestamp>> {
        let mut cursor = MessageCursor::new(self.job.user, cut.message);
        let mut newest: Option<(i64, Timestamp)> = None;
        loop {
            let (start, newest_before) = (cursor, newest);
            let reading = self.read(move |view| {
                let (mut cursor, mut newest) = (start.clone(), newest_before);
                for _ in 0..STEPS_MAX {
                    match cursor.step(view)? {
                        CursorStep::End => return Ok((cursor, newest, true)),
                        CursorStep::Own(id, own) => {
                            if newest.is_none_or(|(newest_id, _)| newest_id < id) {
                                newest = Some((id, own.received_at));
                            }
                            cursor.leave();
                        }
                        CursorStep::Skipped => {}
                    }
                    if newest.is_some_and(|(id, _)| cursor.is_past(id)) {
                        cursor.leave(); // the remaining messages are older
                    }
                }
                Ok((cursor, newest, false))
            });
            let ended;
            (cursor, newest, ended) = reading.await?;
            if ended {
                return Ok(newest.map(|(_, at)| at));
            }
        }
    }

    /// Grouped by chat, newest first.
    async fn messages(&mut self, cut: ExportEnd) -> WriteResult {
        let mut cursor = MessageCursor::new(self.job.user, cut.message);
        self.file.open_array("messages");
        loop {
            let start = cursor;
            let (messages, ended);
            (cursor, messages, ended) = self.read(move |view| page(start.clone(), view)).await?;
            for message in &messages {
                self.file.item(message);
            }
            let share = cursor.progress(cut.rooms) * MESSAGES_SHARE;
            self.report(1.0 - MESSAGES_SHARE + share);
            self.file.flush_if_full().await?;
            if ended {
                break;
            }
        }
        if cursor.has_gaps {
            self.omitted.push(OmittedSection {
                section: "messages",
                reason: "A part of a chat could not be read.",
            });
        }
        self.file.close_array();
        Ok(())
    }

    /// Memories in this database, oldest first, then those of the external service.
    async fn memories(&mut self, account: &Account, cut: ExportEnd) -> WriteResult {
        self.file.open_array("memories");
        let (user, mut after, mut written) = (self.job.user, 0, 0);
        loop {
            let page = self.read(move |view| {
                // A memory has at most a few kilobytes.
                view.memories_page(user, after, cut.memory, PAGE_ROWS / 4)
            });
            let page = page.await?;
            let (rows, last) = (page.len(), page.last().map(|last| last.id));
            for memory in page {
                self.file.item(&ExportedMemory {
                    id: memory.public_id,
                    text: memory.text,
                    category: memory.category,
                    created_at: Some(memory.created_at),
                });
            }
            written += rows;
            let share = written as f64 / cut.memories.max(1) as f64;
            self.report(share.min(1.0) * (1.0 - MESSAGES_SHARE));
            self.file.flush_if_full().await?;
            match last {
                Some(last) if rows == PAGE_ROWS / 4 => after = last,
                _ => break,
            }
        }
        for memory in self.external_memories(&account.user.public_id).await? {
            self.file.item(&ExportedMemory {
                id: memory.id,
                text: memory.text,
                category: memory.category,
                created_at: memory.created_at,
            });
            self.file.flush_if_full().await?;
        }
        self.file.close_array();
        Ok(())
    }

    /// Memories that only the external service has. If it can't be reached, the export is made
    /// without them.
    async fn external_memories(&mut self, user_id: &str) -> WriteResult<Vec<Memory>> {
        let mut omit = |reason| {
            self.omitted.push(OmittedSection {
                section: "memories",
                reason,
            });
        };
        let list = match self.exports.memories.fetch_list(user_id).await {
            Ok(ServiceMemories::Listed(list)) => list,
            Ok(_) => return Ok(Vec::new()),
            Err(error) => {
                log::warn!("an export is written without memories of the memory service: {error}");
                omit("The memory service could not be reached; its memories are not in this file.");
                return Ok(Vec::new());
            }
        };
        if list.is_cut {
            omit(
                "The memory service lists no more than 1,000 memories; older ones may not be in \
                 this file.",
            );
        }
        let user = self.job.user;
        self.read(move |view| {
            let tasks = view.memory_tasks(user)?;
            let forgotten = ForgottenMemories::of(&tasks);
            let mut external_only = Vec::new();
            for memory in list
                .memories
                .iter()
                .filter(|memory| !forgotten.includes(memory))
            {
                let is_stored = match &memory.kept_for {
                    Some(id) => view.memory(id)?.is_some(),
                    None => false,
                };
                if !is_stored {
                    external_only.push(memory.clone());
                }
            }
            Ok(external_only)
        })
        .await
    }

    /// The webhooks of the person's apps, with the URLs that outside services call.
    async fn webhooks(&mut self) -> WriteResult {
        let public_url = self.exports.public_url.clone();
        self.rows("webhooks", move |view, user, after| {
            let page = view.webhooks_page(user, after)?.into_iter();
            let with_url = page.map(|(id, webhook)| {
                let url = format!("{public_url}/webhooks/{}", webhook.webhook_id);
                (id, WebhookWithUrl { url, webhook })
            });
            Ok(with_url.collect())
        })
        .await
    }

    async fn rows<T, F>(&mut self, name: &str, page: F) -> WriteResult
    where
        T: Serialize + Send + 'static,
        F: Fn(&View<'_>, UserId, i64) -> Result<PageOf<T>> + Clone + Send + 'static,
    {
        let (user, mut after) = (self.job.user, 0);
        self.file.open_array(name);
        loop {
            let page = page.clone();
            let rows = self.read(move |view| page(view, user, after)).await?;
            for (id, row) in &rows {
                self.file.item(row);
                after = *id;
            }
            self.file.flush_if_full().await?;
            if rows.len() < PAGE_ROWS {
                break;
            }
        }
        self.file.close_array();
        Ok(())
    }

    /// Runs one short transaction. Stops the export when the job was deleted.
    async fn read<T, F>(&self, f: F) -> WriteResult<T>
    where
        T: Send + 'static,
        F: Fn(&View<'_>) -> Result<T> + Clone + Send + 'static,
    {
        if self.exports.store.queued() > 0 {
            tokio::time::sleep(WRITERS_PAUSE).await;
        }
        let id = self.job.id;
        for tries in 1.. {
            let f = f.clone();
            let read = self.reader.read(move |view| {
                let is_wanted = view.export_is_wanted(id)?;
                is_wanted.then(|| f(view)).transpose()
            });
            match read.await {
                Ok(result) => return result.ok_or(ExportFailure::JobDeleted),
                Err(error) if error.kind == ErrorKind::Unavailable && tries < READ_TRIES_MAX => {
                    tokio::time::sleep(READ_PAUSE).await;
                }
                Err(error) => return Err(ExportFailure::Reading(error)),
            }
        }
        Err(ExportFailure::JobDeleted) // the loop doesn't end otherwise
    }

    fn report(&self, progress: f64) {
        let rounded = (progress * 1_000.0).floor() / 1_000.0;
        self.exports.progress.lock().insert(self.job.id, rounded);
    }
}

/// Takes some steps, and returns whether the end was reached.
fn page(
    mut cursor: MessageCursor,
    view: &View,
) -> Result<(MessageCursor, Vec<ExportedMessage>, bool)> {
    let (mut messages, mut bytes) = (Vec::new(), 0);
    for _ in 0..STEPS_MAX {
        match cursor.step(view)? {
            CursorStep::End => return Ok((cursor, messages, true)),
            CursorStep::Skipped => continue,
            CursorStep::Own(_, own) => {
                let reply_text = own.bubbles.as_deref().and_then(join_bubbles);
                bytes += own.text.len() + reply_text.as_ref().map_or(0, String::len);
                messages.push(ExportedMessage {
                    created_at: own.received_at,
                    sent_at: Timestamp::from_seconds(own.sent_at_s),
                    chat_guid: cursor.chat_guid().to_owned(),
                    text: own.text,
                    reply_text,
                });
            }
        }
        if bytes > TEXT_BYTES_MAX {
            break;
        }
    }
    Ok((cursor, messages, false))
}

/// The bubbles as one text, as in the answer.
fn join_bubbles(bubbles: &str) -> Option<String> {
    let bubbles: Vec<String> = serde_json::from_str(bubbles).ok()?;
    (!bubbles.is_empty()).then(|| bubbles.join("\n"))
}
