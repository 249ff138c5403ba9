//! Message archives (XEP-0313): queries, results, and how far each archive was read. Pure.

use std::collections::{HashMap, VecDeque};

use tokio_xmpp::minidom::Element;
use tokio_xmpp::parsers::mam::{Fin, Query, QueryId, Result_};
use tokio_xmpp::parsers::message::Message;
use tokio_xmpp::parsers::ns;
use tokio_xmpp::parsers::rsm::SetQuery;

/// Messages that one answer holds.
pub(super) const PAGE: usize = 50;
/// Messages whose ids are remembered.
const KNOWN_MAX: usize = 10_000;
/// Messages that a correction may still name.
const RECENT_MAX: usize = 1_000;

/// The part of an archive that a query asks for.
#[derive(Debug, Clone, Copy)]
pub(super) enum ArchivePosition<'a> {
    /// The newest message.
    Last,
    /// The newest messages before one.
    Before(&'a str),
    /// The messages after one.
    After(&'a str),
    /// All messages, from the oldest on.
    Start,
}

pub(super) fn query(id: &str, place: ArchivePosition) -> Element {
    let (max, after, before) = match place {
        ArchivePosition::Last => (1, None, Some("")),
        ArchivePosition::Before(id) => (PAGE, None, Some(id)),
        ArchivePosition::After(id) => (PAGE, Some(id), None),
        ArchivePosition::Start => (PAGE, None, None),
    };
    Query {
        queryid: Some(QueryId(id.to_owned())),
        node: None,
        form: None,
        set: Some(SetQuery {
            max: Some(max),
            after: after.map(str::to_owned),
            before: before.map(str::to_owned),
            index: None,
        }),
        flip_page: false,
    }
    .into()
}

/// A message of an archive.
#[derive(Debug)]
pub(super) struct ArchivedMessage {
    pub(super) id: String,
    pub(super) message: Message,
    pub(super) sent_at_s: Option<i64>,
}

/// The archived message in a stanza; `None` when the stanza is no result of this query.
pub(super) fn archived(message: &Message, query: &str) -> Option<ArchivedMessage> {
    let mut payloads = message.payloads.iter();
    let is_answer = |p: &&Element| p.is("result", ns::MAM) && p.attr("queryid") == Some(query);
    let result = Result_::try_from(payloads.find(is_answer)?.clone()).ok()?;
    Some(ArchivedMessage {
        id: result.id,
        sent_at_s: result
            .forwarded
            .delay
            .map(|delay| delay.stamp.0.timestamp()),
        message: result.forwarded.message,
    })
}

/// The results of one query.
#[derive(Debug, Default)]
pub(super) struct ArchivePage {
    pub(super) messages: Vec<ArchivedMessage>,
    /// The id of the last message, after which the next query continues.
    pub(super) last: Option<String>,
    pub(super) is_complete: bool,
}

impl ArchivePage {
    /// `fin` is the element with which the server ends the results (XEP-0313).
    pub(super) fn of(messages: Vec<ArchivedMessage>, fin: Option<Element>) -> Self {
        let fin = fin.and_then(|fin| Fin::try_from(fin).ok());
        let is_complete = fin.as_ref().is_none_or(|fin| fin.complete);
        let last = fin.and_then(|fin| fin.set.last);
        Self {
            is_complete: is_complete || messages.is_empty(),
            last: last.or_else(|| messages.last().map(|message| message.id.clone())),
            messages,
        }
    }
}

/// Messages of archives that are being forwarded. An archive is read up to a message when that
/// message and all before it are forwarded.
#[derive(Default)]
pub(super) struct MessagesInFlight {
    queues: HashMap<String, VecDeque<(String, bool)>>,
}

impl MessagesInFlight {
    pub(super) fn add(&mut self, archive: &str, id: &str) {
        let queue = self.queues.entry(archive.to_owned()).or_default();
        queue.push_back((id.to_owned(), false));
    }

    /// The id up to which the archive is read now, if that has changed.
    pub(super) fn finish(&mut self, archive: &str, id: &str) -> Option<String> {
        let queue = self.queues.get_mut(archive)?;
        if let Some(entry) = queue.iter_mut().find(|(known, _)| known == id) {
            entry.1 = true;
        }
        let mut read = None;
        while let Some((id, _)) = queue.pop_front_if(|(_, is_done)| *is_done) {
            read = Some(id);
        }
        read
    }

    pub(super) fn count(&self) -> usize {
        self.queues.values().map(VecDeque::len).sum()
    }
}

/// The newest ids, each with a value.
pub(super) struct NewestIds<T> {
    by_id: HashMap<String, T>,
    order: VecDeque<String>,
    max: usize,
}

impl<T> NewestIds<T> {
    pub(super) fn new(max: usize) -> Self {
        Self {
            by_id: HashMap::new(),
            order: VecDeque::new(),
            max,
        }
    }

    /// False when the id was known; its value is replaced.
    pub(super) fn insert(&mut self, id: String, value: T) -> bool {
        if self.by_id.insert(id.clone(), value).is_some() {
            return false;
        }
        self.order.push_back(id);
        if self.order.len() > self.max
            && let Some(oldest) = self.order.pop_front()
        {
            self.by_id.remove(&oldest);
        }
        true
    }

    pub(super) fn get(&self, id: &str) -> Option<&T> {
        self.by_id.get(id)
    }
}

/// Ids of messages that were already read.
pub(super) fn seen_ids() -> NewestIds<()> {
    NewestIds::new(KNOWN_MAX)
}

/// A message that a correction may name: the key under which it was posted, and when it was sent.
pub(super) struct CorrectableMessage {
    pub(super) key: String,
    pub(super) sent_at_s: i64,
}

pub(super) fn recent() -> NewestIds<CorrectableMessage> {
    NewestIds::new(RECENT_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_waits_for_all_before_it() {
        let mut in_flight = MessagesInFlight::default();
        for id in ["1", "2", "3"] {
            in_flight.add("a", id);
        }
        in_flight.add("b", "9");
        assert_eq!(in_flight.finish("a", "2"), None);
        assert_eq!(in_flight.finish("b", "9").as_deref(), Some("9"));
        assert_eq!(in_flight.finish("a", "1").as_deref(), Some("2"));
        assert_eq!(in_flight.count(), 1);
        assert_eq!(in_flight.finish("a", "3").as_deref(), Some("3"));
        assert_eq!(in_flight.finish("c", "3"), None);
    }

    #[test]
    fn only_the_newest_are_remembered() {
        let mut newest = NewestIds::new(2);
        assert!(newest.insert("1".to_owned(), 1) && !newest.insert("1".to_owned(), 2));
        newest.insert("2".to_owned(), 2);
        newest.insert("3".to_owned(), 3);
        assert!(newest.get("1").is_none());
        assert_eq!(newest.get("3"), Some(&3));
    }

    #[test]
    fn answers_of_an_archive() {
        let xml = "<message xmlns='jabber:client'><result xmlns='urn:xmpp:mam:2' queryid='q' id='7'>\
            <forwarded xmlns='urn:xmpp:forward:0'><delay xmlns='urn:xmpp:delay' \
            stamp='2026-11-22T07:00:00Z'/><message xmlns='jabber:client' from='ada@a/x'>\
            <body>hi</body></message></forwarded></result></message>";
        let element: Element = xml.parse().unwrap();
        let message = Message::try_from(element).unwrap();
        assert!(archived(&message, "other").is_none());
        let found = archived(&message, "q").unwrap();
        assert_eq!(
            (found.id.as_str(), found.sent_at_s),
            ("7", Some(1_795_330_800))
        );
        let fin = "<fin xmlns='urn:xmpp:mam:2'><set xmlns='http://jabber.org/protocol/rsm'>\
            <last>7</last></set></fin>";
        let page = ArchivePage::of(vec![found], Some(fin.parse().unwrap()));
        assert_eq!((page.last.as_deref(), page.is_complete), (Some("7"), false));
        assert!(ArchivePage::of(Vec::new(), None).is_complete);
    }
}
