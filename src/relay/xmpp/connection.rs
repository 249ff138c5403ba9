//! The connection to the server: TLS, login, and another one when it breaks. tokio-xmpp resumes
//! the session (XEP-0198) where the server still has it.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use sasl::common::Credentials;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, timeout};
use tokio_xmpp::connect::{DnsConfig, ServerConnector, TcpServerConnector};
use tokio_xmpp::error::{AuthError, ProtocolError};
use tokio_xmpp::jid::{FullJid, Jid};
use tokio_xmpp::parsers::{ns, sasl::DefinedCondition};
use tokio_xmpp::stanzastream::{Connection, StanzaStream};
use tokio_xmpp::xmlstream::{StreamHeader, Timeouts};
use tokio_xmpp::{Error, client_login};

use super::starttls::StartTls;
use crate::outbound;
use crate::relay::call::backoff;
use crate::relay::{Authorities, StopReason};

const LOGIN_MAX: Duration = Duration::from_secs(30);
/// A silent server is pinged after this time, and has half as long to answer.
const SILENCE: Duration = Duration::from_secs(60);
/// A connection that lasted this long resets the count of failures.
const LASTED: Duration = Duration::from_secs(60);
/// Stanzas waiting to be sent, and received ones waiting to be handled.
const STANZAS_MAX: usize = 64;
const PORT: u16 = 5222;
/// The beginning of rustls' errors about certificates.
const BAD_CERTIFICATE: &str = "invalid peer certificate";

/// The bot's account and its server.
#[derive(Clone)]
pub(super) struct Account {
    pub(super) jid: FullJid,
    pub(super) password: String,
    /// A host, or a host and a port. `None`: the domain's DNS names the server.
    pub(super) server: Option<String>,
    /// The authorities for the server's certificate. `None`: the public authorities.
    pub(super) authorities: Option<Authorities>,
}

/// A report about the connection.
pub(super) enum ConnectionReport {
    /// The server accepted the login. The stream does the rest.
    LoggedIn,
    /// There is no connection now, for this reason; it is tried again.
    Passing(String),
    /// No further try can succeed.
    Final(StopReason),
}

/// Connections so far: how many did not last, and when the last one opened.
#[derive(Default)]
pub(super) struct History {
    failures: u32,
    opened: Option<Instant>,
    /// The server accepted the login, but no longer has the session to be resumed.
    is_refused: bool,
}

/// A stream of stanzas that reconnects by itself, and the reports about its connections.
pub(super) fn open(
    account: Account,
    history: Arc<Mutex<History>>,
) -> (StanzaStream, mpsc::UnboundedReceiver<ConnectionReport>) {
    let (reports, received) = mpsc::unbounded_channel();
    let connector = move |_location: Option<String>, slot: oneshot::Sender<Connection>| {
        let (account, reports) = (account.clone(), reports.clone());
        let history = history.clone();
        tokio::spawn(async move { reconnect(&account, slot, &reports, &history).await });
    };
    (
        StanzaStream::new(Box::new(connector), STANZAS_MAX),
        received,
    )
}

async fn reconnect(
    account: &Account,
    mut slot: oneshot::Sender<Connection>,
    reports: &mpsc::UnboundedSender<ConnectionReport>,
    history: &Mutex<History>,
) {
    let pause = history.lock().pause();
    let connecting = async {
        tokio::time::sleep(pause).await;
        loop {
            match log_in(account).await {
                Ok(connection) => return Some(connection),
                Err(ConnectionReport::Passing(why)) => {
                    let _ = reports.send(ConnectionReport::Passing(why));
                    let failures = {
                        let mut history = history.lock();
                        history.failures += 1;
                        history.failures
                    };
                    tokio::time::sleep(backoff(failures - 1)).await;
                }
                Err(stop) => {
                    let _ = reports.send(stop);
                    // The stream must not lose its slot before it is dropped itself.
                    return None;
                }
            }
        }
    };
    let connection = tokio::select! {
        connection = connecting => connection,
        () = slot.closed() => return,
    };
    match connection {
        Some(connection) => {
            history.lock().opened = Some(Instant::now());
            let _ = slot.send(connection);
            let _ = reports.send(ConnectionReport::LoggedIn);
        }
        None => slot.closed().await,
    }
}

impl History {
    /// How long to wait before the first try: two relays of one account end each other's
    /// sessions.
    fn pause(&mut self) -> Duration {
        if std::mem::take(&mut self.is_refused) {
            return Duration::ZERO; // the server works
        }
        match self.opened.map(|opened| opened.elapsed() < LASTED) {
            Some(true) => {
                self.failures += 1;
                backoff(self.failures - 1)
            }
            _ => {
                self.failures = 0;
                Duration::ZERO
            }
        }
    }

    /// The server refused to resume a session: the next login begins a new one at once.
    pub(super) fn note_refusal(&mut self) {
        self.is_refused = true;
    }

    /// Whether the present connection and an earlier one lasted for a short time only.
    pub(super) fn is_ended_early(&self) -> bool {
        let is_short = self.opened.is_some_and(|opened| opened.elapsed() < LASTED);
        is_short && self.failures > 1
    }
}

/// Signs in. Without TLS only to a server on this machine that accepts it.
async fn log_in(account: &Account) -> Result<Connection, ConnectionReport> {
    let (dns, is_local) = place(account);
    let tls = outbound::tls(account.authorities.as_ref());
    let tls = tls
        .map_err(|why| ConnectionReport::Final(StopReason(format!("relay.xmpp.ca_file: {why}"))))?;
    let trying = async {
        if is_local {
            match authenticated(TcpServerConnector(dns.clone()), account).await {
                Err(Error::Auth(AuthError::NoMechanism)) => {} // it wants TLS first
                other => return other,
            }
        }
        authenticated(StartTls { dns, tls }, account).await
    };
    match timeout(LOGIN_MAX, trying).await {
        Ok(tried) => tried.map_err(|error| problem_of(account, &error)),
        Err(_) => Err(ConnectionReport::Passing(
            "the server does not answer".to_owned(),
        )),
    }
}

fn place(account: &Account) -> (DnsConfig, bool) {
    let Some(server) = &account.server else {
        let domain = account.jid.domain().as_str();
        return (DnsConfig::srv_default_client(domain), false);
    };
    if let Ok(address) = server.parse::<SocketAddr>() {
        return (DnsConfig::addr(server), address.ip().is_loopback());
    }
    let (host, port) = match server.rsplit_once(':') {
        Some((host, port)) => (host, port.parse().unwrap_or(PORT)),
        None => (server.as_str(), PORT),
    };
    (DnsConfig::no_srv(host, port), host == "localhost")
}

async fn authenticated<C: ServerConnector>(
    server: C,
    account: &Account,
) -> Result<Connection, Error>
where
    C::Stream: 'static,
{
    let jid = Jid::from(account.jid.clone());
    let timeouts = Timeouts {
        read_timeout: SILENCE,
        response_timeout: SILENCE / 2,
    };
    let (stream, binding) = server.connect(&jid, ns::JABBER_CLIENT, timeouts).await?;
    let (features, stream) = stream.recv_features().await?;
    let user = jid.node().map_or("", |node| node.as_str());
    let credentials = Credentials::default()
        .with_username(user)
        .with_password(account.password.clone())
        .with_channel_binding(binding);
    let mechanisms = features.sasl_mechanisms;
    let stream = client_login(stream, mechanisms, credentials).await?;
    let header = StreamHeader {
        to: Some(jid.domain().as_str().to_owned().into()),
        from: None,
        id: None,
    };
    let (features, stream) = stream.send_header(header).await?.recv_features().await?;
    Ok(Connection {
        stream: stream.box_stream(),
        features,
        identity: jid,
    })
}

fn problem_of(account: &Account, error: &Error) -> ConnectionReport {
    let jid = account.jid.to_bare();
    match error {
        Error::Auth(AuthError::Fail(
            DefinedCondition::NotAuthorized
            | DefinedCondition::AccountDisabled
            | DefinedCondition::CredentialsExpired,
        )) => ConnectionReport::Final(StopReason(format!(
            "the server does not take the password of {jid}: set relay.xmpp.jid and relay.xmpp.password"
        ))),
        Error::Auth(AuthError::NoMechanism) => ConnectionReport::Passing(
            "the server offers no way to sign in with a password".to_owned(),
        ),
        Error::DnsNet(_) | Error::DnsProto(_) | Error::Idna => ConnectionReport::Passing(format!(
            "no address of the server of {} is found in DNS; set relay.xmpp.server",
            jid.domain()
        )),
        Error::Disconnected => ConnectionReport::Passing(
            "no connection to the server: it takes none where DNS or relay.xmpp.server says"
                .to_owned(),
        ),
        Error::Protocol(ProtocolError::NoTls) => ConnectionReport::Passing(
            "the server offers no encryption (STARTTLS), so the password is not sent".to_owned(),
        ),
        Error::Io(why) if why.to_string().contains(BAD_CERTIFICATE) => {
            ConnectionReport::Passing(format!(
                "the server's certificate is not good for {} ({why}); where it is of an authority of your own, set relay.xmpp.ca_file",
                jid.domain()
            ))
        }
        other => ConnectionReport::Passing(format!("no connection to the server: {other}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_resumption_is_no_failure() {
        let mut history = History {
            failures: 6,
            opened: Some(Instant::now()),
            is_refused: false,
        };
        history.note_refusal();
        assert_eq!((history.pause(), history.failures), (Duration::ZERO, 6));
        // A new session that is ended at once is one.
        assert!(!history.pause().is_zero());
        assert_eq!(history.failures, 7);
    }

    #[test]
    fn sessions_that_end_one_after_another_are_noticed() {
        let mut history = History {
            opened: Some(Instant::now()),
            ..History::default()
        };
        history.pause();
        assert!(!history.is_ended_early());
        history.pause();
        assert!(history.is_ended_early());
        history.opened = Instant::now().checked_sub(LASTED);
        assert!(!history.is_ended_early());
    }
}
