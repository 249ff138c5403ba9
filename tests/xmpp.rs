//! The relay for XMPP with a real server, Prosody. What people get is read from the server's
//! archives.

// Clippy takes only functions marked as tests for tests.
#![allow(clippy::unwrap_used)]

mod support;

use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use chatkeep::outbound::{self, Method};
use futures_util::StreamExt as _;
use serde_json::json;
use support::photo::jpeg;
use support::process::Process;
use support::request;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio_xmpp::Stanza;
use tokio_xmpp::connect::{DnsConfig, TcpServerConnector};
use tokio_xmpp::jid::{BareJid, Jid};
use tokio_xmpp::minidom::Element;
use tokio_xmpp::parsers::iq::Iq;
use tokio_xmpp::parsers::mam::Fin;
use tokio_xmpp::parsers::message::{Lang, Message, MessageType};
use tokio_xmpp::parsers::presence::Presence;
use tokio_xmpp::stanzastream::{Event, StanzaStage, StanzaState, StanzaStream, StreamEvent};
use tokio_xmpp::xmlstream::Timeouts;

/// What takes longer with a server that was just killed.
const SLOW: Duration = Duration::from_secs(120);
const REMINDER: &str = "⏰ Reminder: ";
const JUNO: &str = "juno@localhost";
const ROOM: &str = "tea@rooms.localhost";

/// Killed when dropped.
struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

struct Prosody {
    program: Program,
    address: SocketAddr,
}

impl Prosody {
    /// By the command of the environment, which `examples/relays/try xmpp` sets.
    async fn start() -> Self {
        let command = std::env::var("CHATKEEP_TEST_PROSODY").unwrap();
        let address = std::env::var("CHATKEEP_TEST_PROSODY_ADDRESS").unwrap();
        let mut words = command.split(' ');
        let mut starting = Command::new(words.next().unwrap());
        starting.args(words).stdin(Stdio::null());
        starting.stdout(Stdio::null()).stderr(Stdio::null());
        let this = Self {
            program: Program(starting.spawn().unwrap()),
            address: address.parse().unwrap(),
        };
        until("the server", async || {
            TcpStream::connect(this.address).await.is_ok()
        })
        .await;
        this
    }

    async fn kill(&mut self) {
        self.program.0.kill().unwrap();
        self.program.0.wait().unwrap();
        *self = Self::start().await;
    }

    /// A new connection of a person's.
    async fn enter(&self, name: &str) -> Person {
        let jid: Jid = format!("{name}@localhost").parse().unwrap();
        let dns = DnsConfig::addr(&self.address.to_string());
        let password = format!("{name}-password");
        let connector = TcpServerConnector(dns);
        let mut stream = StanzaStream::new_c2s(connector, jid, password, Timeouts::tight(), 16);
        let online = async {
            loop {
                if let Some(Event::Stream(StreamEvent::Reset { .. })) = stream.next().await {
                    return;
                }
            }
        };
        tokio::time::timeout(SLOW, online).await.unwrap();
        Person { stream }
    }

    /// Says something to the bot; done when the server has it.
    async fn say(&self, name: &str, text: &str) {
        let message = Message::chat(Some(JUNO.parse::<Jid>().unwrap()));
        let message = message.with_body(Lang::new(), text.to_owned());
        self.enter(name).await.send(message).await;
    }

    /// What the bot wrote, by somebody's own archive or a room's.
    async fn heard(&self, name: &str, archive: Option<&str>) -> Vec<String> {
        let mut person = self.enter(name).await;
        person.archive(archive).await
    }

    async fn until_heard(&self, name: &str, archive: Option<&str>, count: usize) -> Vec<String> {
        until(&format!("{count} answers for {name}"), async || {
            self.heard(name, archive).await.len() >= count
        })
        .await;
        self.heard(name, archive).await
    }
}

struct Person {
    stream: StanzaStream,
}

impl Person {
    async fn send(&mut self, stanza: impl Into<Stanza>) {
        let mut token = self.stream.send(Box::new(stanza.into())).await;
        let reading = async {
            loop {
                self.stream.next().await;
            }
        };
        tokio::select! {
            state = token.wait_for(StanzaStage::Acked) => {
                assert!(matches!(state, Some(StanzaState::Acked { .. })), "{state:?}");
            }
            () = reading => {}
        }
    }

    async fn stanza(&mut self) -> Stanza {
        let next = async {
            loop {
                if let Some(Event::Stanza(stanza)) = self.stream.next().await {
                    return stanza;
                }
            }
        };
        tokio::time::timeout(SLOW, next).await.unwrap()
    }

    async fn ask(&mut self, id: &str, iq: Iq, mut other: impl FnMut(Message)) -> Option<Element> {
        self.stream.send(Box::new(iq.into())).await;
        loop {
            match self.stanza().await {
                Stanza::Iq(Iq::Result {
                    id: to, payload, ..
                }) if to == id => return payload,
                Stanza::Iq(Iq::Error { id: to, error, .. }) if to == id => panic!("{error:?}"),
                Stanza::Message(message) => other(message),
                _ => {}
            }
        }
    }

    /// Enters the room; what it tells of others is left.
    async fn join(&mut self, nick: &str) {
        let place: Jid = format!("{ROOM}/{nick}").parse().unwrap();
        let x: Element = "<x xmlns='http://jabber.org/protocol/muc'/>"
            .parse()
            .unwrap();
        let presence = Presence::available()
            .with_to(place.clone())
            .with_payloads(vec![x]);
        self.stream.send(Box::new(presence.into())).await;
        loop {
            if let Stanza::Presence(presence) = self.stanza().await
                && presence.from.as_ref() == Some(&place)
            {
                return;
            }
        }
    }

    async fn say_in_room(&mut self, text: &str) {
        let message = Message::groupchat(Some(ROOM.parse::<Jid>().unwrap()));
        self.send(message.with_body(Lang::new(), text.to_owned()))
            .await;
    }

    /// The texts of the bot's messages.
    async fn archive(&mut self, archive: Option<&str>) -> Vec<String> {
        let mut texts = Vec::new();
        let mut after = String::new();
        for page in 0.. {
            let id = format!("page{page}");
            let query = format!(
                "<query xmlns='urn:xmpp:mam:2' queryid='{id}'><set xmlns='http://jabber.org/protocol/rsm'>\
                 <max>50</max>{after}</set></query>"
            );
            let iq = Iq::Set {
                from: None,
                to: archive.map(|archive| archive.parse().unwrap()),
                id: id.clone(),
                payload: query.parse().unwrap(),
            };
            let fin = self.ask(&id, iq, |message| texts.extend(forwarded(&message)));
            let fin = Fin::try_from(fin.await.unwrap()).unwrap();
            let Some(last) = fin.set.last.filter(|_| !fin.complete) else {
                break;
            };
            after = format!("<after>{last}</after>");
        }
        texts
    }

    /// Uploads a photo and sends its address.
    async fn show(&mut self, photo: &[u8]) {
        let request = format!(
            "<request xmlns='urn:xmpp:http:upload:0' filename='cat.jpg' size='{}' content-type='image/jpeg'/>",
            photo.len()
        );
        let iq = Iq::Get {
            from: None,
            to: Some("upload.localhost".parse().unwrap()),
            id: "slot".to_owned(),
            payload: request.parse().unwrap(),
        };
        let slot = self.ask("slot", iq, drop).await.unwrap();
        let namespace = "urn:xmpp:http:upload:0";
        let put = slot.get_child("put", namespace).unwrap();
        let headers: Vec<(String, String)> = put
            .children()
            .map(|header| (header.attr("name").unwrap().to_owned(), header.text()))
            .collect();
        let headers: Vec<(&str, &str)> = headers
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        let url = put.attr("url").unwrap();
        let upload = outbound::Request {
            headers: &headers,
            raw: Some(("image/jpeg", photo)),
            ..outbound::Request::new(Method::Put, url)
        };
        let answer = tokio::task::block_in_place(|| outbound::send(&upload)).unwrap();
        assert_eq!(answer.status, 201);
        let url = slot
            .get_child("get", namespace)
            .unwrap()
            .attr("url")
            .unwrap();
        let oob = format!("<x xmlns='jabber:x:oob'><url>{url}</url></x>")
            .parse()
            .unwrap();
        let mut message = Message::chat(Some(JUNO.parse::<Jid>().unwrap()));
        message.payloads.push(oob);
        self.send(message.with_body(Lang::new(), url.to_owned()))
            .await;
    }
}

/// The text of a message in an archive, where it is the bot's.
fn forwarded(message: &Message) -> Option<String> {
    let result = message
        .payloads
        .iter()
        .find(|p| p.is("result", "urn:xmpp:mam:2"))?;
    let result = tokio_xmpp::parsers::mam::Result_::try_from(result.clone()).unwrap();
    let message = result.forwarded.message;
    let from = message.from.unwrap();
    let is_bots = from.to_bare() == JUNO.parse::<BareJid>().unwrap()
        || from.resource().is_some_and(|nick| nick.as_str() == "juno");
    let body = message.bodies.into_values().next();
    body.filter(|_| is_bots && message.type_ != MessageType::Error)
}

fn start_relay(folder: &Path, url: &str, server: &Prosody) -> Program {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chatkeep"));
    command.args(["relay", "xmpp", "--url", url]);
    command.current_dir(folder).env_clear();
    command.env("CHATKEEP_STORAGE_PATH", folder.join("relay.db"));
    command.env("CHATKEEP_EDGE_TOKEN", support::token("xmpp"));
    command.env("CHATKEEP_RELAY_XMPP_JID", JUNO);
    command.env("CHATKEEP_RELAY_XMPP_PASSWORD", "juno-password");
    command.env("CHATKEEP_RELAY_XMPP_SERVER", server.address.to_string());
    command.env(
        "CHATKEEP_RELAY_XMPP_ALLOW",
        "ada@localhost,xmpp:bo@localhost",
    );
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::inherit());
    Program(command.spawn().unwrap())
}

/// An address that stays the same while services behind it come and go.
async fn stable_address(to: Arc<Mutex<SocketAddr>>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut near, _)) = listener.accept().await {
            let to = *to.lock().unwrap();
            tokio::spawn(async move {
                if let Ok(mut far) = TcpStream::connect(to).await {
                    let _ = copy_bidirectional(&mut near, &mut far).await;
                }
            });
        }
    });
    format!("http://{address}")
}

/// Without limits on how much one person may write.
async fn start_service(database: &Path) -> Process {
    let process = Process::start(database, &[]).unwrap();
    for flag in ["rate_limit.enabled", "free_tier.enabled"] {
        let setting = request("PUT", &format!("/admin/feature-flags/{flag}"));
        let setting = setting.json(&json!({"value": false}));
        let answer = process.send(&setting.bearer(support::ADMIN_TOKEN)).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    }
    process
}

fn kills(default: u64) -> u64 {
    let set = std::env::var("XMPP_KILLS").ok();
    set.map_or(default, |kills| kills.parse().unwrap())
}

/// Direct and room, a reply, a reminder and a photo; then relay, service and server are killed in
/// turn, and every message is answered once.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Prosody: examples/relays/try xmpp installs it and runs this"]
async fn a_real_server_gets_its_answers() {
    let mut server = Prosody::start().await;
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("chatkeep.db");
    let mut process = start_service(&database).await;
    let address = Arc::new(Mutex::new(process.address));
    let url = stable_address(address.clone()).await;
    let mut relay = start_relay(folder.path(), &url, &server);
    let progress = folder.path().join("relay.db.relay-xmpp.read");
    until("the first start", async || progress.exists()).await;

    server.say("cy", "let me in").await;
    server.say("ada", "my name is Ada").await;
    server.say("ada", "remind me in 1 second to stretch").await;
    let answers = server.until_heard("ada", None, 3).await;
    assert_eq!(answers[0], "Nice to meet you, Ada!");
    assert_eq!(answers[2], "⏰ Reminder: stretch");
    server.enter("ada").await.show(&jpeg("cat")).await;
    let answers = server.until_heard("ada", None, 4).await;
    let photos = support::rows(&database, "SELECT count(*) FROM photos");
    assert_eq!(photos, [[1]]);
    assert!(server.heard("cy", None).await.is_empty());

    let mut ada = server.enter("ada").await;
    ada.join("Ada").await;
    let invite =
        format!("<x xmlns='http://jabber.org/protocol/muc#user'><invite to='{JUNO}'/></x>");
    let mut message = Message::normal(Some(ROOM.parse::<Jid>().unwrap()));
    message.payloads.push(invite.parse().unwrap());
    ada.send(message).await;
    until("the bot joins", async || {
        std::fs::read_to_string(&progress)
            .unwrap()
            .contains(&format!("\"{ROOM}\":"))
    })
    .await;
    ada.say_in_room("nice weather").await;
    ada.say_in_room("juno: status").await;
    server.until_heard("ada", Some(ROOM), 1).await;
    let modes = support::rows(&database, "SELECT DISTINCT mode FROM rooms ORDER BY mode");
    assert_eq!(modes, [["direct"], ["group"]]);
    drop(ada);

    let mut reminders = vec![answers[2].clone()];
    let mut for_ada: Vec<String> = [0, 1, 3].map(|at: usize| answers[at].clone()).into();
    let mut for_bo = Vec::new();
    for round in 0..kills(30) {
        for (name, expected) in [("ada", &mut for_ada), ("bo", &mut for_bo)] {
            server.say(name, &format!("my name is N{round}")).await;
            expected.push(format!("Nice to meet you, N{round}!"));
        }
        server
            .say("ada", &format!("remind me in 1 second to see {round}"))
            .await;
        for_ada.push(format!("Okay, I'll remind you in 1 second: see {round}."));
        reminders.push(format!("{REMINDER}see {round}"));
        match round % 3 {
            0 => {
                drop(relay);
                relay = start_relay(folder.path(), &url, &server);
            }
            1 => {
                process.kill();
                process = start_service(&database).await;
                *address.lock().unwrap() = process.address;
            }
            _ => server.kill().await,
        }
    }
    let all = for_ada.len() + reminders.len();
    let heard = server.until_heard("ada", None, all).await;
    let (due, replies): (Vec<String>, Vec<String>) = heard
        .into_iter()
        .partition(|text| text.starts_with(REMINDER));
    assert_eq!(replies, for_ada);
    let sorted = |mut texts: Vec<String>| {
        texts.sort_unstable();
        texts
    };
    assert_eq!(sorted(due), sorted(reminders));
    assert_eq!(server.until_heard("bo", None, for_bo.len()).await, for_bo);
    drop(relay);
}

/// As `eventually`, for what takes longer.
async fn until(what: &str, mut check: impl AsyncFnMut() -> bool) {
    let started = Instant::now();
    while !check().await {
        assert!(started.elapsed() < SLOW, "{what} in time");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
