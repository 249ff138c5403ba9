//! Relays that come with the service, and the core that they share with `examples/relay.rs`. A
//! relay is a client of the public protocol and nothing else: messages and photos go up by HTTP,
//! commands come down over the WebSocket, or by polling where there is none. A network is two
//! hooks: `incoming`, which takes what people write, and `send`, which sends one bubble.
//!
//! - A message goes up with the network's own id as its key, and again with the same key until
//!   it is answered: it counts once.
//! - What was sent is on disk before it is acknowledged or confirmed. A kill between sending and
//!   noting repeats one bubble at most, and none where the network takes a transaction id.
//! - Each chat is worked on in order, and no chat waits for another.
//!
//! It must not know anything of the service but its wire.

mod allow_list;
mod backoff;
mod commands;
mod condition;
mod incoming;
mod journal;
mod lanes;
pub mod matrix;
mod pieces;
mod poll;
mod service;
mod socket;
pub mod telegram;
mod uplink;

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::{mpsc, watch};

pub use allow_list::{AllowList, IdForm};
pub use condition::Condition;
pub use service::Credentials;
pub use uplink::Uplink;

use journal::Journal;
use lanes::Lanes;
use service::Service;

/// What a relay needs beside its network.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where the service listens, like `http://127.0.0.1:8080`.
    pub url: String,
    pub credentials: Credentials,
    /// The file in which is remembered what was sent.
    pub state: PathBuf,
}

/// A chat network. Both hooks are called from several tasks at once, `send` for one chat never
/// twice at a time.
pub trait Network: Send + Sync + 'static {
    /// Takes what people write and brings it up, until something ends it.
    fn incoming(&self, uplink: Uplink<Self>) -> impl Future<Output = StopReason> + Send
    where
        Self: Sized;

    /// Sends one bubble to a chat. `id` is the same whenever the same bubble is sent: the
    /// network's transaction id, where it has one.
    fn send(
        &self,
        chat: &str,
        bubble: &str,
        id: &str,
    ) -> impl Future<Output = Result<(), SendError>> + Send;

    /// Shows that the assistant is typing. A network that can't does nothing.
    fn typing(&self, _chat: &str) -> impl Future<Output = ()> + Send {
        async {}
    }
}

/// Why a bubble was not sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SendError {
    /// It may be sent later: after `wait`, where the network says so.
    Later {
        wait: Option<std::time::Duration>,
        why: String,
    },
    /// It will not be, however often it is tried.
    Never(String),
}

/// Why a relay ended: a sentence for the operator, without secrets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StopReason(pub String);

/// What all tasks of one relay share.
struct Core<N> {
    network: N,
    service: Service,
    journal: Arc<Mutex<Journal>>,
    lanes: Lanes,
    /// Commands that are being sent.
    under_way: Mutex<HashSet<String>>,
    /// Reports of commands, for whichever connection there is.
    acks: mpsc::UnboundedSender<Value>,
    condition: Arc<Condition>,
    stop: watch::Sender<Option<StopReason>>,
}

/// Runs a relay until something ends it that it can't mend by itself.
pub async fn run<N: Network>(
    settings: Settings,
    network: N,
    condition: Arc<Condition>,
) -> StopReason {
    let journal = match Journal::open(settings.state.clone()) {
        Ok(journal) => journal,
        Err(error) => {
            return StopReason(format!("can't keep {}: {error}", settings.state.display()));
        }
    };
    let (acks, reports) = mpsc::unbounded_channel();
    let (stop, mut stopped) = watch::channel(None);
    let core = Arc::new(Core {
        network,
        service: Service::new(settings.url, settings.credentials),
        journal: Arc::new(Mutex::new(journal)),
        lanes: Lanes::default(),
        under_way: Mutex::default(),
        acks,
        condition,
        stop,
    });
    let _end = AbortOnDrop(core.clone());
    let told = async {
        // The core holds the sender.
        let stop = stopped.wait_for(Option::is_some).await;
        stop.ok().and_then(|stop| stop.clone()).unwrap_or_default()
    };
    tokio::select! {
        stop = core.network.incoming(Uplink::of(&core)) => stop,
        stop = commands::receive(&core, reports) => stop,
        stop = told => stop,
    }
}

/// Breaks off what is in the lanes when the relay ends, also when it is dropped.
struct AbortOnDrop<N>(Arc<Core<N>>);

impl<N> Drop for AbortOnDrop<N> {
    fn drop(&mut self) {
        self.0.lanes.end();
    }
}

/// Says that the service takes a relay's credentials.
pub async fn check(settings: &Settings) -> Result<(), String> {
    let service = Service::new(settings.url.clone(), settings.credentials.clone());
    service.check().await
}
