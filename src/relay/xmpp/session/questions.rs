//! Queries that the session sends to the server, to rooms and to archives.

use tokio::time::{Instant, timeout_at};
use tokio_xmpp::Stanza;
use tokio_xmpp::jid::Jid;
use tokio_xmpp::minidom::Element;
use tokio_xmpp::parsers::iq::Iq;
use tokio_xmpp::parsers::message::Message;
use tokio_xmpp::parsers::stanza_error::{DefinedCondition, ErrorType, StanzaError};

use super::super::archive::{
    self, ArchivePage, ArchivePosition, ArchivedMessage, CorrectableMessage,
};
use super::super::forwarding::{self, Origin};
use super::{ANSWER_MAX, SessionResult, XmppSession};
use crate::random;

/// Pages of an archive that are read before the first of their messages is posted.
const PAGES_MAX: usize = 20;

impl XmppSession {
    pub(super) fn question_id(&mut self) -> String {
        self.questions += 1;
        format!("q{}-{}", self.questions, hex::encode(random::bytes::<4>()))
    }

    /// Sends a query to the server, a room or a person, and waits for the answer. Other stanzas are
    /// kept for later, except messages that `pick` takes.
    pub(super) async fn ask(
        &mut self,
        id: &str,
        iq: Iq,
        mut pick: impl FnMut(&Message) -> bool,
    ) -> SessionResult<Result<Option<Element>, StanzaError>> {
        let to = iq.to().cloned();
        self.put(iq).await;
        let until = Instant::now() + ANSWER_MAX;
        loop {
            let Ok(step) = timeout_at(until, self.step()).await else {
                return Ok(Err(StanzaError::new(
                    ErrorType::Wait,
                    DefinedCondition::RemoteServerTimeout,
                    "en",
                    "no answer",
                )));
            };
            let Some(stanza) = step? else {
                continue;
            };
            let is_from = |from: Option<&Jid>| match (&to, from) {
                (Some(to), Some(from)) => from == to,
                (None, Some(from)) => from.to_bare() == self.own,
                (to, None) => to.as_ref().is_none_or(|to| to.to_bare() == self.own),
            };
            match stanza {
                Stanza::Iq(Iq::Result {
                    id: answered,
                    from,
                    payload,
                    ..
                }) if answered == id && is_from(from.as_ref()) => {
                    return Ok(Ok(payload));
                }
                Stanza::Iq(Iq::Error {
                    id: answered,
                    from,
                    error,
                    ..
                }) if answered == id && is_from(from.as_ref()) => {
                    return Ok(Err(error));
                }
                Stanza::Message(message) if is_from(message.from.as_ref()) && pick(&message) => {}
                other => self.put_off.push_back(other),
            }
        }
    }

    /// A page of an archive; empty if the archive can't be read.
    pub(super) async fn page(
        &mut self,
        archive: &str,
        place: ArchivePosition<'_>,
    ) -> SessionResult<ArchivePage> {
        Ok(self.page_or_error(archive, place).await?.unwrap_or_else(|error| {
            let condition = &error.defined_condition;
            log::warn!(
                "xmpp: the archive of {archive} can't be read ({condition:?}): what is written while the relay is away may be lost"
            );
            ArchivePage::of(Vec::new(), None)
        }))
    }

    async fn page_or_error(
        &mut self,
        archive: &str,
        place: ArchivePosition<'_>,
    ) -> SessionResult<Result<ArchivePage, StanzaError>> {
        let id = self.question_id();
        let mut iq = Iq::Set {
            from: None,
            to: None,
            id: id.clone(),
            payload: archive::query(&id, place),
        };
        if archive != self.own.as_str()
            && let Ok(room) = Jid::new(archive)
        {
            iq = iq.with_to(room);
        }
        let mut messages = Vec::new();
        let answer = self.ask(&id, iq, |message| match archive::archived(message, &id) {
            Some(archived) => {
                messages.push(archived);
                true
            }
            None => false,
        });
        let answer = answer.await?;
        Ok(answer.map(|fin| ArchivePage::of(messages, fin)))
    }

    /// The messages since the last one that was posted, and the id from which there are more. Of an
    /// archive that was never read, only the position of its end is stored.
    pub(super) async fn open_archive(
        &mut self,
        archive: &str,
    ) -> SessionResult<(Vec<ArchivedMessage>, Option<String>)> {
        let Some(read) = self.progress.read.get(archive).cloned() else {
            if let Ok(page) = self.page_or_error(archive, ArchivePosition::Last).await? {
                let last = page.messages.last().map(|last| last.id.clone());
                let last = last.unwrap_or_default();
                self.progress.read.insert(archive.to_owned(), last);
                self.write_progress().await;
            } else {
                log::warn!(
                    "xmpp: {archive} has no archive that can be read: what is written while the relay is away is lost"
                );
            }
            return Ok((Vec::new(), None));
        };
        if !read.is_empty() && self.searched.insert(archive.to_owned()) {
            let before = self.page(archive, ArchivePosition::Before(&read)).await?;
            for archived in &before.messages {
                self.remember(archive, archived);
            }
        }
        let mut place = Some(read).filter(|read| !read.is_empty());
        let mut found: Vec<ArchivedMessage> = Vec::new();
        for _ in 0..PAGES_MAX {
            let position = place
                .as_deref()
                .map_or(ArchivePosition::Start, ArchivePosition::After);
            let page = match self.page_or_error(archive, position).await? {
                Ok(page) => page,
                Err(error)
                    if error.defined_condition == DefinedCondition::ItemNotFound
                        && place.is_some() =>
                {
                    log::warn!(
                        "xmpp: the archive of {archive} has dropped the last message that was read; everything that it holds counts as new"
                    );
                    place = None;
                    continue;
                }
                Err(_) => return Ok((found, None)),
            };
            for archived in &page.messages {
                self.remember(archive, archived);
            }
            found.extend(page.messages);
            if page.is_complete {
                return Ok((found, None));
            }
            place = page.last;
        }
        Ok((found, place))
    }

    /// Remembers a sent message as delivered, and a received one so that it can be corrected.
    pub(super) fn remember(&mut self, archive: &str, archived: &ArchivedMessage) {
        let message = &archived.message;
        let network = self.uplink.network();
        let Some(id) = message.id.as_ref().map(|id| id.0.clone()) else {
            return;
        };
        if forwarding::is_own(network, message) {
            network.chats.lock().delivered.insert(id, ());
        } else if let Some(origin) = Origin::of(network, message, archive) {
            let about = CorrectableMessage {
                key: forwarding::key(archive, &archived.id),
                sent_at_s: archived.sent_at_s.unwrap_or_default(),
            };
            self.recent.insert(origin.correctable(&id), about);
        }
    }
}
