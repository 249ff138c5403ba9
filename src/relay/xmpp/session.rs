//! The session with the server: handles stanzas in the order of their arrival, and sends outgoing
//! ones. One task owns the stream.

mod membership;
mod questions;
mod stanzas;
mod uploads;

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use parking_lot::Mutex;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};
use tokio_xmpp::Stanza;
use tokio_xmpp::jid::BareJid;
use tokio_xmpp::parsers::presence::Presence;
use tokio_xmpp::stanzastream::{Event, StanzaStream, StreamEvent};

use super::archive::{self, ArchivePosition, CorrectableMessage, MessagesInFlight, NewestIds};
use super::connection::{self, ConnectionReport, History};
use super::forwarding;
use super::progress::ArchiveProgress;
use super::{OutgoingStanza, Xmpp};
use crate::relay::{StopReason, Uplink};

/// How long the server may take to answer a query.
const ANSWER_MAX: Duration = Duration::from_secs(30);
/// No more of an archive is read while more messages than this are being posted.
const UNDER_WAY_MAX: usize = 100;
/// The time from the login until the stream is open.
const OPEN_MAX: Duration = Duration::from_secs(5);

/// The problem when one connection after another lasts for a short time only.
const ENDED_EARLY: &str = "the connection to the server breaks soon after each login: perhaps another program signs in as this account with the same resource (chatkeep), so that each ends the other's session";

/// Why the session can't go on as it is.
enum Interruption {
    /// The server no longer has the session; a new one is started.
    Reset,
    /// The stream was neither opened nor resumed in time.
    Stuck,
    End(StopReason),
}

type SessionResult<T> = Result<T, Interruption>;

pub(super) struct XmppSession {
    uplink: Uplink<Xmpp>,
    own: BareJid,
    stream: StanzaStream,
    reports: mpsc::UnboundedReceiver<ConnectionReport>,
    history: Arc<Mutex<History>>,
    /// The stream must be open or resumed by this time.
    opens_until: Option<Instant>,
    /// The stream was open, so its next connection tries to resume the session.
    was_open: bool,
    outgoing: mpsc::Receiver<OutgoingStanza>,
    /// Archive and id of messages that were posted to the service.
    finished: mpsc::UnboundedReceiver<(String, String)>,
    finish: mpsc::UnboundedSender<(String, String)>,
    /// Stanzas that came while an answer was awaited; handled afterwards.
    put_off: VecDeque<Stanza>,
    progress: ArchiveProgress,
    in_flight: MessagesInFlight,
    known: NewestIds<()>,
    recent: NewestIds<CorrectableMessage>,
    /// Archives that were searched for messages sent by an earlier process.
    searched: HashSet<String>,
    questions: u64,
}

impl XmppSession {
    pub(super) async fn run(
        uplink: Uplink<Xmpp>,
        outgoing: mpsc::Receiver<OutgoingStanza>,
    ) -> StopReason {
        let network = uplink.network();
        let own = network.own();
        let (path, jid) = (network.progress_path.clone(), own.to_string());
        let opening = tokio::task::spawn_blocking(move || ArchiveProgress::open(&path, &jid));
        let opened = opening.await.map_err(std::io::Error::other).flatten();
        let progress = match opened {
            Ok(progress) => progress,
            Err(error) => {
                let path = network.progress_path.display();
                return StopReason(format!("{path} can't be read: {error}"));
            }
        };
        let history = Arc::new(Mutex::new(History::default()));
        let (stream, reports) = connection::open(network.account.clone(), history.clone());
        let (finish, finished) = mpsc::unbounded_channel();
        let mut session = Self {
            own,
            stream,
            reports,
            history,
            opens_until: None,
            was_open: false,
            outgoing,
            finished,
            finish,
            put_off: VecDeque::new(),
            progress,
            in_flight: MessagesInFlight::default(),
            known: archive::seen_ids(),
            recent: archive::recent(),
            searched: HashSet::new(),
            questions: 0,
            uplink,
        };
        // Before the first connection no stanza is handled.
        let mut ended = session.until_interrupted().await;
        loop {
            match ended {
                Interruption::Reset => ended = session.serve().await,
                Interruption::Stuck => {
                    session.reopen();
                    ended = session.until_interrupted().await;
                }
                Interruption::End(stop) => return stop,
            }
        }
    }

    async fn until_interrupted(&mut self) -> Interruption {
        loop {
            if let Err(interruption) = self.step().await {
                return interruption;
            }
        }
    }

    /// Runs one session with the server, from its start to its end.
    async fn serve(&mut self) -> Interruption {
        if let Err(interruption) = self.begin().await {
            return interruption;
        }
        loop {
            let stanza = match self.put_off.pop_front() {
                Some(stanza) => Ok(Some(stanza)),
                None => self.step().await,
            };
            let taken = match stanza {
                Ok(Some(stanza)) => self.handle(stanza).await,
                Ok(None) => Ok(()),
                Err(interruption) => Err(interruption),
            };
            if let Err(interruption) = taken {
                return interruption;
            }
        }
    }

    /// Announces the bot, joins its rooms, and reads the messages written in the meantime.
    async fn begin(&mut self) -> SessionResult<()> {
        self.put_off.clear(); // the archives have it
        self.put(Presence::available()).await;
        let own = self.own.to_string();
        let mut unread = vec![(own.clone(), self.open_archive(&own).await?)];
        for room in self.rooms_to_join().await? {
            if self.join(&room).await? {
                let name = room.to_string();
                unread.push((name.clone(), self.open_archive(&name).await?));
            }
        }
        self.find_uploads().await?;
        let network = self.uplink.network();
        network.is_ready.send_replace(true);
        self.uplink.status().set_network(None);
        for (archive, (messages, rest)) in unread {
            for archived in messages {
                self.take_archived(&archive, archived);
            }
            let mut rest = rest;
            while let Some(last) = rest {
                self.wait_for_messages().await?;
                let page = self.page(&archive, ArchivePosition::After(&last)).await?;
                rest = page.last.filter(|_| !page.is_complete);
                for archived in page.messages {
                    self.take_archived(&archive, archived);
                }
            }
        }
        Ok(())
    }

    /// Handles the next event. A stanza is returned and left to the caller.
    async fn step(&mut self) -> SessionResult<Option<Stanza>> {
        let opens_until = self.opens_until;
        tokio::select! {
            event = self.stream.next() => match event {
                Some(Event::Stanza(stanza)) => return Ok(Some(stanza)),
                Some(Event::Stream(event)) => self.notice(event)?,
                None => return Err(Interruption::End(StopReason("the stream ended".to_owned()))),
            },
            Some(outgoing) = self.outgoing.recv() => {
                let token = self.stream.send(outgoing.stanza).await;
                if let Some(reply) = outgoing.token {
                    let _ = reply.send(token);
                }
            }
            Some((archive, id)) = self.finished.recv() => self.mark_read(&archive, &id).await,
            Some(report) = self.reports.recv() => match report {
                ConnectionReport::LoggedIn => self.opens_until = Some(Instant::now() + OPEN_MAX),
                ConnectionReport::Passing(why) => self.uplink.status().set_network(Some(&why)),
                ConnectionReport::Final(stop) => return Err(Interruption::End(stop)),
            },
            () = sleep_until(opens_until.unwrap_or_else(Instant::now)), if opens_until.is_some() => {
                return Err(Interruption::Stuck);
            }
        }
        Ok(None)
    }

    fn notice(&mut self, event: StreamEvent) -> SessionResult<()> {
        let network = self.uplink.network();
        match event {
            StreamEvent::Reset { features, .. } => {
                self.opens_until = None;
                self.was_open = true;
                forget(network);
                network.chats.lock().has_acks = features.stream_management.is_some();
                Err(Interruption::Reset)
            }
            StreamEvent::Suspended => {
                let why = match self.history.lock().is_ended_early() {
                    true => ENDED_EARLY,
                    false => "the connection to the server broke",
                };
                self.uplink.status().set_network(Some(why));
                Ok(())
            }
            StreamEvent::Resumed => {
                self.opens_until = None;
                self.uplink.status().set_network(None);
                Ok(())
            }
        }
    }

    /// Replaces the stream. The library's stream can't continue when the server has forgotten the
    /// session and answers without a count of stanzas, as Prosody does.
    fn reopen(&mut self) {
        let network = self.uplink.network();
        forget(network);
        if std::mem::take(&mut self.was_open) {
            self.history.lock().note_refusal();
        }
        (self.stream, self.reports) =
            connection::open(network.account.clone(), self.history.clone());
        self.opens_until = None;
    }

    async fn put(&mut self, stanza: impl Into<Stanza>) {
        self.stream.send(Box::new(stanza.into())).await;
    }

    /// Waits until at most `UNDER_WAY_MAX` messages are being posted.
    async fn wait_for_messages(&mut self) -> SessionResult<()> {
        while self.in_flight.count() > UNDER_WAY_MAX {
            if let Some(stanza) = self.step().await? {
                self.put_off.push_back(stanza);
            }
        }
        Ok(())
    }

    async fn mark_read(&mut self, archive: &str, id: &str) {
        let key = forwarding::key(archive, id);
        self.progress.came_at_s.remove(&key);
        if let Some(read) = self.in_flight.finish(archive, id) {
            self.progress.read.insert(archive.to_owned(), read);
            self.write_progress().await;
        }
    }

    async fn write_progress(&self) {
        let path = self.uplink.network().progress_path.clone();
        let progress = self.progress.clone();
        let writing = tokio::task::spawn_blocking(move || progress.write(&path));
        let written = writing.await.map_err(std::io::Error::other).flatten();
        if let Err(error) = written {
            log::warn!("xmpp: the reading position can't be stored: {error}");
        }
    }
}

/// Forgets the state of an ended session, so that unconfirmed messages are sent again and rooms are
/// joined again.
fn forget(network: &Xmpp) {
    network.is_ready.send_replace(false);
    let mut chats = network.chats.lock();
    // Dropping these tells their senders that the connection broke.
    chats.sending.clear();
    for room in chats.rooms.values_mut() {
        room.is_joined = false;
    }
}
