//! The relay for XMPP with a real server, Prosody. What people get is read from the server's
//! archives.

// Clippy takes only functions marked as tests for tests.
#![allow(clippy::unwrap_used)]

mod support;

use chatkeep::outbound::{self, Method};
use futures_util::StreamExt as _;
use support::photo::jpeg;
use support::programs::{KilledService, Ledger, Program, SLOW, Server, kills, until};
use tokio_xmpp::Stanza;
use tokio_xmpp::connect::{DnsConfig, TcpServerConnector};
use tokio_xmpp::jid::{BareJid, Jid};
use tokio_xmpp::minidom::Element;
use tokio_xmpp::parsers::iq::Iq;
use tokio_xmpp::parsers::mam::Fin;
use tokio_xmpp::parsers::message::{Lang, Message, MessageType};
use tokio_xmpp::parsers::presence::{Presence, Type};
use tokio_xmpp::stanzastream::{Event, StanzaStage, StanzaState, StanzaStream, StreamEvent};
use tokio_xmpp::xmlstream::Timeouts;

const JUNO: &str = "juno@localhost";
const ROOM: &str = "tea@rooms.localhost";

struct Prosody(Server);

impl Prosody {
    /// A new connection of a person's.
    async fn enter(&self, name: &str) -> Person {
        let jid: Jid = format!("{name}@localhost").parse().unwrap();
        let dns = DnsConfig::addr(&self.0.address.to_string());
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
        until(SLOW, &format!("{count} answers for {name}"), async || {
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

    /// Asks to see the bot, until it lets them.
    async fn until_visible(&mut self) {
        let juno: BareJid = JUNO.parse().unwrap();
        // Only who has asked for the list of contacts hears of changes in it.
        let contacts = Iq::Get {
            from: None,
            to: None,
            id: "contacts".to_owned(),
            payload: Element::bare("query", "jabber:iq:roster"),
        };
        self.ask("contacts", contacts, drop).await;
        self.stream
            .send(Box::new(Presence::available().into()))
            .await;
        let asking = Presence::subscribe().with_to(juno.clone());
        self.stream.send(Box::new(asking.into())).await;
        loop {
            if let Stanza::Presence(presence) = self.stanza().await
                && presence.from.is_some_and(|from| from.to_bare() == juno)
                && presence.type_ == Type::Subscribed
            {
                return;
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

fn settings(server: &Prosody) -> Vec<(&'static str, String)> {
    let settings = [
        ("CHATKEEP_RELAY_XMPP_JID", JUNO),
        ("CHATKEEP_RELAY_XMPP_PASSWORD", "juno-password"),
        ("CHATKEEP_RELAY_XMPP_SERVER", &server.0.address.to_string()),
        (
            "CHATKEEP_RELAY_XMPP_ALLOW", "ada@localhost,xmpp:bo@localhost",
        ),
    ];
    let settings = settings.into_iter();
    settings.map(|(k, v)| (k, v.to_owned())).collect()
}

/// Direct and room, a reply, a reminder and a photo; then relay, service and server are killed in
/// turn, and every message is answered once.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Prosody: examples/relays/try xmpp installs it and runs this"]
async fn a_real_server_gets_its_answers() {
    let mut server = Prosody(Server::start("PROSODY").await);
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("chatkeep.db");
    let mut service = KilledService::start(&database).await;
    let settings = settings(&server);
    let start_relay = |url: &str| Program::relay("xmpp", folder.path(), url, &settings);
    let mut relay = start_relay(&service.url);
    let progress = folder.path().join("relay.db.relay-xmpp.read");
    until(SLOW, "the first start", async || progress.exists()).await;

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
    ada.until_visible().await;
    ada.join("Ada").await;
    let invite =
        format!("<x xmlns='http://jabber.org/protocol/muc#user'><invite to='{JUNO}'/></x>");
    let mut message = Message::normal(Some(ROOM.parse::<Jid>().unwrap()));
    message.payloads.push(invite.parse().unwrap());
    ada.send(message).await;
    until(SLOW, "the bot joins", async || {
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

    let (mut for_ada, mut for_bo) = (Ledger::of(answers), Ledger::default());
    for round in 0..kills("XMPP_KILLS", 30) {
        for (name, ledger) in [("ada", &mut for_ada), ("bo", &mut for_bo)] {
            server.say(name, &ledger.name(&format!("N{round}"))).await;
        }
        server.say("ada", &for_ada.reminder(round)).await;
        match round % 3 {
            0 => {
                drop(relay);
                relay = start_relay(&service.url);
            }
            1 => service.kill(&database).await,
            _ => server.0.kill().await,
        }
    }
    for (name, ledger) in [("ada", for_ada), ("bo", for_bo)] {
        let all = server.until_heard(name, None, ledger.len()).await;
        ledger.check(all);
    }
    drop(relay);
}
