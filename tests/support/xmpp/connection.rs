//! One connection to the server of the tests: login, the session's begin or resumption, and its
//! stanzas.

use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use tokio::io::{AsyncBufRead, AsyncWrite, BufStream};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio_rustls::TlsAcceptor;
use tokio_xmpp::Stanza;
use tokio_xmpp::minidom::Element;
use tokio_xmpp::parsers::bind::BindFeature;
use tokio_xmpp::parsers::iq::Iq;
use tokio_xmpp::parsers::sasl::{self, Success};
use tokio_xmpp::parsers::sm::{A, Enabled, Nonza, Resumed, StreamId, StreamManagement};
use tokio_xmpp::parsers::starttls::{self, Proceed, StartTls};
use tokio_xmpp::parsers::stream_features::StreamFeatures;
use tokio_xmpp::xmlstream::{
    AcceptedStream, StreamHeader, Timeouts, XmppStream, XmppStreamElement, accept_stream,
};

use super::{BOT, PASSWORD, Session, State};

/// No test waits so long.
const TIMEOUTS: Timeouts = Timeouts {
    read_timeout: Duration::from_secs(3600),
    response_timeout: Duration::from_secs(3600),
};
/// As Prosody answers: without a number of stanzas.
const NOT_RESUMED: &str = "<failed xmlns='urn:xmpp:sm:3'><item-not-found \
    xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></failed>";
const NOT_AUTHORIZED: &str = "<failure xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>\
    <not-authorized/></failure>";

trait Transport: AsyncBufRead + AsyncWrite + Unpin + Send {}

impl<T: AsyncBufRead + AsyncWrite + Unpin + Send> Transport for T {}

pub(super) async fn serve(
    stream: TcpStream,
    tls: Option<TlsAcceptor>,
    state: Arc<Mutex<State>>,
) -> io::Result<()> {
    let stream = BufStream::new(stream);
    let Some(acceptor) = tls else {
        return log_in(stream, &state).await;
    };
    let features = StreamFeatures {
        starttls: Some(StartTls { required: true }),
        ..StreamFeatures::default()
    };
    let accepted = accept_stream(stream, "jabber:client", TIMEOUTS).await?;
    let mut stream = open(accepted, &features).await?;
    let XmppStreamElement::Starttls(_) = next(&mut stream).await? else {
        return Ok(()); // it does not want TLS
    };
    let proceed = XmppStreamElement::Starttls(starttls::Nonza::Proceed(Proceed));
    stream.send(&proceed).await?;
    let stream = acceptor.accept(stream.into_inner().into_inner()).await?;
    log_in(BufStream::new(stream), &state).await
}

async fn open<S: Transport>(
    accepted: AcceptedStream<S>,
    features: &StreamFeatures,
) -> io::Result<XmppStream<S>> {
    let header = StreamHeader {
        from: Some("localhost".into()),
        to: None,
        id: Some("stream".into()),
    };
    accepted
        .send_header(header)
        .await?
        .send_features(features)
        .await
}

async fn next<S: Transport>(stream: &mut XmppStream<S>) -> io::Result<XmppStreamElement> {
    let ended = || io::Error::from(io::ErrorKind::UnexpectedEof);
    let element = stream.next().await.ok_or_else(ended)?;
    let element = element.map_err(|_| ended())?;
    element.into_read_error().map_err(|_| ended())
}

async fn log_in<S: Transport>(stream: S, state: &Mutex<State>) -> io::Result<()> {
    let features = StreamFeatures {
        sasl_mechanisms: ["PLAIN".to_owned()].into(),
        ..StreamFeatures::default()
    };
    let accepted = accept_stream(stream, "jabber:client", TIMEOUTS).await?;
    let mut stream = open(accepted, &features).await?;
    let XmppStreamElement::Sasl(sasl::Nonza::Auth(auth)) = next(&mut stream).await? else {
        return Ok(());
    };
    let name = BOT.split('@').next().unwrap();
    if auth.data != format!("\0{name}\0{PASSWORD}").into_bytes() {
        let refusal: Element = NOT_AUTHORIZED.parse().unwrap();
        return stream.send(&refusal).await;
    }
    let success = Success { data: Vec::new() };
    let success = XmppStreamElement::Sasl(sasl::Nonza::Success(success));
    let accepted = stream.accept_reset(&success).await?;
    let features = StreamFeatures {
        bind: Some(BindFeature { required: true }),
        stream_management: Some(StreamManagement { optional: false }),
        ..StreamFeatures::default()
    };
    let stream = open(accepted, &features).await?;
    state.lock().unwrap().logins += 1;
    converse(stream, state).await
}

async fn converse<S: Transport>(mut stream: XmppStream<S>, state: &Mutex<State>) -> io::Result<()> {
    let (connection, mut outgoing) = mpsc::unbounded_channel();
    // Held by the session once there is one.
    let mut connection = Some(connection);
    loop {
        let element = tokio::select! {
            // An error comes before the word that its cause was taken.
            biased;
            stanza = outgoing.recv() => match stanza {
                Some(stanza) => {
                    stream.send(&stanza).await?;
                    continue;
                }
                None => return Ok(()), // the connection breaks
            },
            element = next(&mut stream) => element?,
        };
        match element {
            XmppStreamElement::SM(Nonza::Enable(_)) => {
                let id = state.lock().unwrap().begin(connection.take());
                let enabled = Enabled {
                    id: Some(StreamId(id)),
                    location: None,
                    max: Some(300),
                    resume: true,
                };
                stream
                    .send(&XmppStreamElement::SM(Nonza::Enabled(enabled)))
                    .await?;
            }
            XmppStreamElement::SM(Nonza::Resume(resume)) => {
                let resumed = {
                    let mut state = state.lock().unwrap();
                    state.resume(&resume.previd.0, resume.h, &mut connection)
                };
                let Some(handled) = resumed else {
                    let refusal: Element = NOT_RESUMED.parse().unwrap();
                    stream.send(&refusal).await?;
                    continue;
                };
                let resumed = Resumed {
                    h: handled,
                    previd: resume.previd,
                };
                stream
                    .send(&XmppStreamElement::SM(Nonza::Resumed(resumed)))
                    .await?;
            }
            XmppStreamElement::SM(Nonza::Req(_)) => {
                let session = state.lock().unwrap().handled();
                let Some(h) = session else {
                    return Ok(());
                };
                stream
                    .send(&XmppStreamElement::SM(Nonza::Ack(A { h })))
                    .await?;
            }
            XmppStreamElement::SM(Nonza::Ack(A { h })) => state.lock().unwrap().acked(h),
            XmppStreamElement::Stanza(Stanza::Iq(Iq::Set { id, payload, .. }))
                if payload.is("bind", "urn:ietf:params:xml:ns:xmpp-bind") =>
            {
                let bound = format!(
                    "<iq xmlns='jabber:client' type='result' id='{id}'>\
                     <bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'>\
                     <jid>{BOT}/chatkeep</jid></bind></iq>"
                );
                let bound: Element = bound.parse().unwrap();
                stream.send(&bound).await?;
            }
            XmppStreamElement::Stanza(stanza) => state.lock().unwrap().take(stanza),
            _ => {}
        }
    }
}

impl State {
    /// A new session ends the one before.
    fn begin(&mut self, connection: Option<mpsc::UnboundedSender<Element>>) -> String {
        let id = format!("session-{}", self.logins);
        self.joined.clear();
        self.session = Some(Session {
            id: id.clone(),
            handled: 0,
            acked: 0,
            unacked: Default::default(),
            connection,
        });
        id
    }

    /// How many stanzas of the bot's came. What the bot does not have goes out again.
    fn resume(
        &mut self,
        id: &str,
        h: u32,
        connection: &mut Option<mpsc::UnboundedSender<Element>>,
    ) -> Option<u32> {
        self.session.as_ref().filter(|session| session.id == id)?;
        self.resumptions += 1;
        self.acked(h);
        let session = self.session.as_mut()?;
        let connection = connection.take()?;
        for stanza in &session.unacked {
            let _ = connection.send(stanza.clone());
        }
        session.connection = Some(connection);
        Some(session.handled)
    }

    fn handled(&self) -> Option<u32> {
        let session = self.session.as_ref()?;
        session.connection.is_some().then_some(session.handled)
    }

    fn acked(&mut self, h: u32) {
        if let Some(session) = &mut self.session {
            let count = h.wrapping_sub(session.acked) as usize;
            session.unacked.drain(..count.min(session.unacked.len()));
            session.acked = h;
        }
    }

    fn take(&mut self, stanza: Stanza) {
        if let Some(session) = &mut self.session {
            session.handled += 1;
        }
        match stanza {
            Stanza::Message(message) => self.take_message(message.into()),
            Stanza::Presence(presence) => self.take_presence(presence.into()),
            Stanza::Iq(iq) => self.take_question(&iq.into()),
        }
    }
}
