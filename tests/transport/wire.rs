//! A server with a few routes made for tests, and a client that says exactly what it is told.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use chatkeep::error::{Error, Result};
use chatkeep::http::{
    self, DeliveryOutcome, DrainEnd, Exchange, Handler, Match, Method, Peer, ServerMetrics,
    ServerSettings,
};
use futures_util::FutureExt;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, mpsc, watch};
use tokio::task::JoinHandle;

pub(crate) const BODY_BYTES_MAX: usize = 65_536;
/// More than two sockets' buffers hold.
pub(crate) const LARGE_BYTES: usize = 32 * 1024 * 1024;
/// Only ever waited for when something is broken.
const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) metrics: ServerMetrics,
    /// Lets one handler of `/wait` go on.
    pub(crate) go: Arc<Notify>,
    /// A line for everything that handlers do.
    pub(crate) log: mpsc::UnboundedReceiver<String>,
    /// What became of answers of `/wait`.
    pub(crate) fates: mpsc::UnboundedReceiver<(Peer, DeliveryOutcome)>,
    stop: watch::Sender<bool>,
    task: JoinHandle<DrainEnd>,
}

pub(crate) fn settings() -> ServerSettings {
    ServerSettings {
        header_timeout: Duration::from_secs(5),
        body_idle_timeout: Duration::from_secs(5),
        body_timeout: Duration::from_secs(5),
        max_connections: 100,
        shutdown_grace: Duration::from_secs(10),
        ..ServerSettings::default()
    }
}

pub(crate) async fn start() -> Server {
    start_with(settings()).await
}

pub(crate) async fn start_with(settings: ServerSettings) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (log_tx, log) = mpsc::unbounded_channel();
    let (fates_tx, fates) = mpsc::unbounded_channel();
    let go = Arc::new(Notify::new());
    let (stop, stopped) = watch::channel(false);
    let metrics = settings.metrics.clone();
    let desk = Arc::new(Desk {
        router: routes(),
        go: go.clone(),
        log: log_tx,
        fates: fates_tx,
    });
    let handler: Handler = Arc::new(move |exchange| {
        let desk = desk.clone();
        async move { desk.answer(exchange).await }.boxed()
    });
    let task = tokio::spawn(http::serve(listener, settings, handler, stopped));
    Server {
        address,
        metrics,
        go,
        log,
        fates,
        stop,
        task,
    }
}

impl Server {
    pub(crate) async fn connect(&self) -> Client {
        Client(TcpStream::connect(self.address).await.unwrap())
    }

    /// Everything that comes back for these bytes until the server closes.
    pub(crate) async fn tell(&self, bytes: impl AsRef<[u8]>) -> Answer {
        let mut client = self.connect().await;
        client.send(bytes).await;
        client.rest().await
    }

    /// A GET that asks for the connection to be closed.
    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.tell(get(path)).await
    }

    pub(crate) fn ask_to_stop(&self) {
        self.stop.send(true).unwrap();
    }

    pub(crate) async fn drained(self) -> DrainEnd {
        patiently(self.task).await.unwrap()
    }
}

pub(crate) fn get(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nhost: t\r\nconnection: close\r\n\r\n")
}

pub(crate) fn post(path: &str, extra: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "POST {path} HTTP/1.1\r\nhost: t\r\nconnection: close\r\n{extra}content-length: {length}\r\n\r\n{body}"
    )
}

pub(crate) async fn patiently<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, work)
        .await
        .expect("something hangs")
}

pub(crate) struct Client(pub(crate) TcpStream);

impl Client {
    pub(crate) async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        patiently(self.0.write_all(bytes.as_ref())).await.unwrap();
    }

    /// What comes until the server closes; a reset is a failure.
    pub(crate) async fn rest(&mut self) -> Answer {
        let mut bytes = Vec::new();
        patiently(self.0.read_to_end(&mut bytes)).await.unwrap();
        Answer(String::from_utf8(bytes).unwrap())
    }

    /// What comes until it ends in `end`.
    pub(crate) async fn until(&mut self, end: &str) -> Answer {
        let mut bytes = Vec::new();
        while !bytes.ends_with(end.as_bytes()) {
            bytes.push(patiently(self.0.read_u8()).await.unwrap());
        }
        Answer(String::from_utf8(bytes).unwrap())
    }
}

/// The bytes of an answer.
#[derive(Debug)]
pub(crate) struct Answer(pub(crate) String);

impl Answer {
    pub(crate) fn status(&self) -> u16 {
        let word = self.0.split(' ').nth(1);
        word.and_then(|status| status.parse().ok()).unwrap_or(0)
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let head = self.0.split("\r\n\r\n").next()?;
        let lines = head.lines().filter_map(|line| line.split_once(": "));
        let mut found = lines.filter(|(key, _)| key.eq_ignore_ascii_case(name));
        found.next().map(|(_, value)| value)
    }

    pub(crate) fn body(&self) -> &str {
        self.0.split_once("\r\n\r\n").map_or("", |(_, body)| body)
    }

    /// Checks an error answer whole, and gives the body.
    pub(crate) fn problem(&self, status: u16, code: &str) -> Value {
        assert_eq!(self.status(), status, "{}", self.0);
        assert_eq!(
            self.header("content-type"),
            Some("application/problem+json")
        );
        let body: Value = serde_json::from_str(self.body()).unwrap();
        assert_eq!(body["code"], code, "{body}");
        assert_eq!(body["status"], status);
        assert_eq!(body["type"], "about:blank");
        assert!(body["title"].is_string() && body["detail"].is_string());
        assert_eq!(body["request_id"].as_str(), self.header("x-request-id"));
        body
    }
}

#[derive(Clone, Copy)]
enum Target {
    Plain,
    Echo,
    Json,
    Wait,
    Panic,
    Fail,
    Secret,
    Upgrade,
    Large,
}

fn routes() -> http::Router<Target> {
    http::Router::new([
        (Method::GET, "/plain", Target::Plain),
        (Method::POST, "/echo", Target::Echo),
        (Method::POST, "/json", Target::Json),
        (Method::GET, "/wait", Target::Wait),
        (Method::GET, "/panic", Target::Panic),
        (Method::GET, "/fail", Target::Fail),
        (Method::POST, "/secret", Target::Secret),
        (Method::GET, "/upgrade", Target::Upgrade),
        (Method::GET, "/large", Target::Large),
    ])
}

struct Desk {
    router: http::Router<Target>,
    go: Arc<Notify>,
    log: mpsc::UnboundedSender<String>,
    fates: mpsc::UnboundedSender<(Peer, DeliveryOutcome)>,
}

impl Desk {
    fn note(&self, line: impl Into<String>) {
        let _ = self.log.send(line.into());
    }

    async fn answer(&self, mut exchange: Exchange) -> Result<http::Response> {
        let target = match self.router.find(&exchange.method, &exchange.path) {
            Match::Found { target, .. } => *target,
            Match::MethodNotAllowed { allow } => return Err(http::method_not_allowed(&allow)),
            Match::Unknown => return Err(Error::not_found()),
        };
        match target {
            Target::Plain => Ok(http::text("plain")),
            Target::Echo => {
                let body = exchange.read_body(BODY_BYTES_MAX).await?;
                self.note(format!("echo {}", body.len()));
                Ok(http::text(body))
            }
            Target::Json => {
                let body = exchange.read_json(BODY_BYTES_MAX).await?;
                Ok(http::json(&body))
            }
            Target::Large => Ok(http::text("x".repeat(LARGE_BYTES))),
            Target::Wait => Ok(self.wait(exchange).await),
            Target::Panic => panic!("at the desk"),
            Target::Fail => Err(Error::internal("SELECT the secret")),
            Target::Secret => match exchange.bearer() {
                Some("secret") => Ok(http::text("known")),
                _ => Err(Error::unauthorized("not the secret")),
            },
            Target::Upgrade => {
                let (answer, socket) = exchange.websocket()?.accept();
                tokio::spawn(async move {
                    let (mut read, mut write) = tokio::io::split(socket.await.unwrap());
                    let _ = tokio::io::copy(&mut read, &mut write).await;
                });
                Ok(answer)
            }
        }
    }

    async fn wait(&self, exchange: Exchange) -> http::Response {
        self.note("waiting");
        self.go.notified().await;
        let peer = exchange.connection.peer();
        let fate = exchange.connection.delivery();
        let fates = self.fates.clone();
        tokio::spawn(async move { fates.send((peer, fate.await)) });
        self.note("went on");
        http::text("waited")
    }
}
