//! Relays that come with the service, and the core that they share with `examples/relay.rs`. A
//! relay is a client of the public protocol: messages and photos are posted over HTTP, commands
//! arrive over the WebSocket, or by polling without one. A network implements two functions:
//! `incoming` receives people's messages, and `send` sends one bubble.
//!
//! - A message is posted with the network's own id as its key, and repeated with the same key until
//!   it is answered, so it counts once.
//! - A sent bubble is recorded on disk before it is acknowledged or confirmed. A crash between
//!   sending and recording repeats at most one bubble, and none if the network has transaction ids.
//! - Each chat is handled in order, and no chat waits for another.
//!
//! It must not know anything of the service except its protocol.

mod address;
mod allow_list;
mod call;
mod chat_queues;
mod commands;
mod direct_chats;
mod download;
mod incoming;
mod journal;
mod last_texts;
pub mod matrix;
mod pieces;
mod poll;
mod service;
mod socket;
mod state_file;
mod status;
pub mod telegram;
mod uplink;
pub mod xmpp;

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

pub use allow_list::{AllowList, IdForm};
pub use service::Credentials;
pub use state_file::state_files;
pub use status::RelayStatus;
pub use uplink::Uplink;

pub use crate::outbound::Authorities;
use chat_queues::ChatQueues;
use journal::Journal;
use last_texts::LastTexts;
use service::Service;

/// How long a journal may still be locked by a relay that just ended.
const LOCK_MAX: Duration = Duration::from_secs(5);
const LOCK_RETRY_INTERVAL: Duration = Duration::from_millis(20);

/// A relay's settings, apart from its network.
#[derive(Debug, Clone)]
pub struct RelaySettings {
    /// The service's address, like `http://127.0.0.1:8080`.
    pub url: String,
    pub credentials: Credentials,
    /// The journal of sent bubbles.
    pub state: PathBuf,
    /// The authorities for a service at `https://`. `None`: the public authorities.
    pub authorities: Option<Authorities>,
}

/// A chat network. Both functions are called from several tasks, `send` for one chat never
/// concurrently.
pub trait Network: Send + Sync + 'static {
    /// Whether others may join a direct chat: whom it was reported for is noted.
    const CHATS_CHANGE: bool = false;

    /// Receives people's messages and posts them, until something ends it.
    fn incoming(&self, uplink: Uplink<Self>) -> impl Future<Output = StopReason> + Send
    where
        Self: Sized;

    /// Sends one bubble to a chat. `id` is the same whenever the same bubble is sent; it serves as
    /// the network's transaction id.
    fn send(
        &self,
        chat: &str,
        bubble: &str,
        id: &str,
    ) -> impl Future<Output = Result<(), SendError>> + Send;

    /// The people besides the bot who read a chat, as they are named as senders; some are enough if
    /// there are many. `None`: nobody else can join it.
    fn others(
        &self,
        _chat: &str,
    ) -> impl Future<Output = Result<Option<Vec<String>>, SendError>> + Send {
        async { Ok(None) }
    }

    /// Shows or removes a typing sign. Does nothing in a network without them.
    fn typing(&self, _chat: &str, _is_on: bool) -> impl Future<Output = ()> + Send {
        async {}
    }
}

/// Why a bubble was not sent, or a file not fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SendError {
    /// The network may be asked again: after `wait`, if the network says so.
    Later {
        wait: Option<std::time::Duration>,
        why: String,
    },
    /// Retrying is useless.
    Never(String),
    /// Others than the person of a direct chat would read it. The core finds this out.
    NotPrivate,
}

/// Why a relay ended: a sentence for the operator, without secrets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StopReason(pub String);

/// State shared by all tasks of one relay.
struct RelayCore<N> {
    network: N,
    service: Service,
    journal: Arc<Mutex<Journal>>,
    chat_queues: ChatQueues,
    texts: Mutex<LastTexts>,
    /// Commands being sent.
    under_way: Mutex<HashSet<String>>,
    /// Reports of commands, for the current connection.
    acks: mpsc::UnboundedSender<Value>,
    status: Arc<RelayStatus>,
    stop: watch::Sender<Option<StopReason>>,
}

/// Runs a relay until an error that it can't recover from.
pub async fn run<N: Network>(
    settings: RelaySettings,
    network: N,
    status: Arc<RelayStatus>,
) -> StopReason {
    let journal = match open_journal(&settings.state).await {
        Ok(journal) => journal,
        Err(error) => {
            return StopReason(format!("can't keep {}: {error}", settings.state.display()));
        }
    };
    let (acks, reports) = mpsc::unbounded_channel();
    let (stop, mut stopped) = watch::channel(None);
    let core = Arc::new(RelayCore {
        network,
        service: Service::new(&settings),
        journal: Arc::new(Mutex::new(journal)),
        chat_queues: ChatQueues::default(),
        texts: Mutex::default(),
        under_way: Mutex::default(),
        acks,
        status,
        stop,
    });
    let _end = AbortOnDrop(core.clone());
    let stop_requested = async {
        // The core holds the sender.
        let stop = stopped.wait_for(Option::is_some).await;
        stop.ok().and_then(|stop| stop.clone()).unwrap_or_default()
    };
    tokio::select! {
        stop = core.network.incoming(Uplink::of(&core)) => stop,
        stop = commands::receive(&core, reports) => stop,
        stop = stop_requested => stop,
    }
}

/// A relay of this process that just ended may hold its journal for a moment.
async fn open_journal(path: &Path) -> io::Result<Journal> {
    let until = Instant::now() + LOCK_MAX;
    loop {
        let path = path.to_owned();
        let opening = tokio::task::spawn_blocking(move || Journal::open(path));
        match opening.await.map_err(io::Error::other).flatten() {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock && Instant::now() < until => {
                tokio::time::sleep(LOCK_RETRY_INTERVAL).await;
            }
            opened => return opened,
        }
    }
}

/// Aborts the tasks of all chats when the relay ends or is dropped.
struct AbortOnDrop<N>(Arc<RelayCore<N>>);

impl<N> Drop for AbortOnDrop<N> {
    fn drop(&mut self) {
        self.0.chat_queues.end();
    }
}

/// Checks that the service accepts a relay's credentials.
pub async fn check(settings: &RelaySettings) -> Result<(), String> {
    let service = Service::new(settings);
    service.check().await
}
