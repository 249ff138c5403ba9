//! Connected calendars and mailboxes: connecting, what is shown, keeping in step, and disconnecting.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use crate::dav::DavServer;
use crate::imap::{ImapStub, PASSWORD, StubMail, USER};
use crate::support::{Answer, Service, direct, eventually, get, post, request};
use chatkeep::clock::{Clock, Timestamp};
use chatkeep::model::connected_service::SYNC_INTERVAL_MS;
use serde_json::{Value, json};

const PHONE: &str = "+15550101";
const SECRET: &str = "private-quixotic";

/// A server with one calendar.
#[derive(Clone)]
struct CalendarServer {
    address: SocketAddr,
    inner: Arc<Mutex<ServerState>>,
}

#[derive(Default)]
struct ServerState {
    calendar: String,
    /// In the place of the calendar: status and a header line.
    instead: Option<(u16, String)>,
    /// The connection ends in the middle of the calendar, whose length was said or not.
    cuts: Option<bool>,
    /// Heads of the requests.
    requests: Vec<String>,
    answers: Vec<u16>,
}

impl CalendarServer {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = Self {
            address: listener.local_addr().unwrap(),
            inner: Arc::default(),
        };
        let answering = server.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                answering.answer(stream.unwrap());
            }
        });
        server
    }

    fn answer(&self, mut stream: TcpStream) -> Option<()> {
        let mut head = String::new();
        let mut reader = BufReader::new(stream.try_clone().ok()?);
        while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head).ok()? > 0 {}
        let mut state = self.inner.lock().unwrap();
        let etag = format!("\"{}\"", state.calendar.len());
        let is_known = head.contains(&format!("if-none-match: {etag}"));
        let (status, header, body) = match &state.instead {
            Some((status, header)) => (*status, header.clone(), String::new()),
            None if is_known => (304, format!("ETag: {etag}"), String::new()),
            None => (200, format!("ETag: {etag}"), state.calendar.clone()),
        };
        state.requests.push(head);
        state.answers.push(status);
        let cuts = state.cuts.filter(|_| !body.is_empty());
        drop(state);
        let length = body.len();
        if let Some(says_length) = cuts {
            let length = format!("Content-Length: {length}\r\n");
            let length = if says_length { &length } else { "" };
            let answer = format!("HTTP/1.0 200 X\r\n{length}\r\n{}", &body[..body.len() / 2]);
            return stream.write_all(answer.as_bytes()).ok();
        }
        let answer = format!(
            "HTTP/1.1 {status} X\r\n{header}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        );
        stream.write_all(answer.as_bytes()).ok()?;
        let _ = stream.read(&mut [0; 1]);
        Some(())
    }

    fn hold(&self, events: &[(&str, &str, &str)]) {
        let events: Vec<String> = events
            .iter()
            .map(|(uid, start, rest)| {
                format!("BEGIN:VEVENT\r\nUID:{uid}\r\nSUMMARY:{uid}\r\nDTSTART:{start}\r\n{rest}END:VEVENT\r\n")
            })
            .collect();
        self.inner.lock().unwrap().calendar = format!(
            "BEGIN:VCALENDAR\r\nX-WR-CALNAME:Work\r\n{}END:VCALENDAR\r\n",
            events.concat()
        );
    }

    fn hold_export(&self, lines: &'static str) {
        let outdented = |line: &'static str| line.strip_prefix("        ").unwrap_or(line);
        let lines: Vec<&str> = lines.lines().map(outdented).collect();
        self.inner.lock().unwrap().calendar = lines.join("\r\n");
    }

    fn instead(&self, answer: Option<(u16, &str)>) {
        let answer = answer.map(|(status, header)| (status, header.to_owned()));
        self.inner.lock().unwrap().instead = answer;
    }

    fn answers(&self) -> Vec<u16> {
        std::mem::take(&mut self.inner.lock().unwrap().answers)
    }

    fn url(&self) -> String {
        format!("http://{}/{SECRET}.ics", self.address)
    }
}

/// A service that may ask this machine, and a person who is known to it.
struct World {
    service: Service,
    server: CalendarServer,
    clock: Clock,
    token: String,
}

impl World {
    async fn open() -> Self {
        Self::with(&[
            ("CHATKEEP_SERVICES_ALLOW_PRIVATE", "true"),
            ("CHATKEEP_SERVICES_ALLOWED_HOSTS", "127.0.0.1"),
        ])
        .await
    }

    async fn with(settings: &[(&str, &str)]) -> Self {
        let clock = Clock::fixed(Timestamp::parse("2026-11-22T08:00:00Z").unwrap());
        let folder = tempfile::tempdir().unwrap();
        let service = Service::in_folder(folder, settings, clock.clone()).await;
        let said = service.edge_message("a", &direct(PHONE, "hello")).await;
        assert_eq!(said.status, 200, "{}", said.text);
        let token = service.user_token(&service.user_id(PHONE));
        let server = CalendarServer::start();
        server.hold(&[
            (
                "standup", "20261123T090000Z", "RRULE:FREQ=DAILY;COUNT=3\r\n",
            ),
            ("dentist", "20261125T130000Z", ""),
        ]);
        Self {
            service,
            server,
            clock,
            token,
        }
    }

    async fn send(&self, method: &str, path: &str, body: Option<&Value>) -> Answer {
        let asked = match (method, body) {
            ("GET", _) => get(path),
            ("POST", Some(body)) => post(path, body),
            (method, Some(body)) => request(method, path).json(body),
            (method, None) => request(method, path),
        };
        self.service.send(&asked.bearer(&self.token)).await
    }

    async fn connect(&self) -> Value {
        let body = json!({"kind": "ics", "url": self.server.url()});
        let answer = self.send("POST", "/account/services", Some(&body)).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        assert!(!answer.text.contains(SECRET), "{}", answer.text);
        answer.json()
    }

    async fn sync(&self, service: &Value) -> Value {
        let path = format!("{}/sync", path(service));
        let answer = self.send("POST", &path, None).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()
    }

    fn events(&self) -> Vec<Vec<Value>> {
        self.service.rows(
            "SELECT uid, starts_at / 3600000 - 494000, status FROM calendar_events ORDER BY starts_at, uid",
        )
    }
}

fn path(service: &Value) -> String {
    format!(
        "/account/services/{}",
        service["service_id"].as_str().unwrap()
    )
}

/// Hours since a point of November 2026.
fn hour(text: &str) -> i64 {
    Timestamp::parse(text).unwrap().0 / 3_600_000 - 494_000
}

#[tokio::test(flavor = "multi_thread")]
async fn a_calendar_is_connected_and_kept_in_step() {
    let world = World::open().await;
    let service = world.connect().await;
    let calendar_id = service["calendars"][0]["calendar_id"].clone();
    assert_eq!(
        service,
        json!({
            "service_id": service["service_id"], "kind": "ics", "name": "Work",
            "host": "127.0.0.1", "state": "ok", "scope": "calendar.read",
            "connected_at": "2026-11-22T08:00:00.000Z",
            "last_sync_at": "2026-11-22T08:00:00.000Z", "error": null,
            "calendars": [{"calendar_id": calendar_id, "name": "Work", "enabled": true}],
        })
    );
    let standup = |day: u32| {
        let at = hour(&format!("2026-11-{day}T09:00:00Z"));
        vec![json!("standup"), json!(at), json!("confirmed")]
    };
    let dentist = |at: &str, status: &str| vec![json!("dentist"), json!(hour(at)), json!(status)];
    let all = vec![
        standup(23),
        standup(24),
        standup(25),
        dentist("2026-11-25T13:00:00Z", "confirmed"),
    ];
    assert_eq!(world.events(), all);
    // The server says that nothing changed; then an event is moved, and one is gone.
    world.sync(&service).await;
    assert_eq!(world.server.answers(), [200, 304]);
    assert_eq!(world.events(), all);
    world
        .server
        .hold(&[("dentist", "20261125T150000Z", "LOCATION:Main Street\r\n")]);
    let synced = world.sync(&service).await;
    assert_eq!(
        (&synced["state"], &synced["error"]),
        (&json!("ok"), &json!(null))
    );
    let status: Vec<Value> = world
        .events()
        .into_iter()
        .map(|row| row[2].clone())
        .collect();
    assert_eq!(status, ["cancelled", "cancelled", "cancelled", "confirmed"]);
    assert_eq!(
        world.events()[3],
        dentist("2026-11-25T15:00:00Z", "confirmed")
    );
    // Connecting the same address again is the same service.
    let again = world.connect().await;
    assert_eq!(again["service_id"], service["service_id"]);
    let listed = world.send("GET", "/account/services", None).await.json();
    assert_eq!(listed, json!({ "services": [again] }));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_that_fails_says_so_and_one_that_refuses_is_left_alone() {
    let world = World::open().await;
    let service = world.connect().await;
    world.server.instead(Some((503, "X: y")));
    let failing = world.sync(&service).await;
    assert_eq!(failing["state"], "failing");
    assert_eq!(failing["error"], "127.0.0.1 answered 503.");
    let due = "SELECT (next_sync_at - 1795334400000) / 60000 FROM connected_services";
    assert_eq!(world.service.rows(due), [[10]]);
    world.server.instead(Some((404, "X: y")));
    assert_eq!(world.sync(&service).await["state"], "failing");
    assert_eq!(world.service.rows(due), [[20]]);
    let refused = world.sync(&service).await;
    assert_eq!(refused["state"], "refused");
    assert!(!refused.to_string().contains(SECRET), "{refused}");
    assert_eq!(world.service.rows(due), [[Value::Null]]);
    assert_eq!(world.events().len(), 4, "what was fetched stays");
    world.server.instead(None);
    assert_eq!(world.connect().await["state"], "ok");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_goes_down_in_an_answer_changes_nothing() {
    let mut world = World::open().await;
    let service = world.connect().await;
    let before = world.events();
    world.server.hold(&[
        ("lunch", "20261126T120000Z", ""),
        ("dentist", "20261125T150000Z", ""),
    ]);
    for says_length in [true, false] {
        world.server.inner.lock().unwrap().cuts = Some(says_length);
        let cut = world.sync(&service).await;
        assert_eq!(cut["state"], "failing", "{says_length} {cut}");
        assert_eq!(world.events(), before, "{says_length}");
    }
    world.server.inner.lock().unwrap().cuts = None;
    assert_eq!(world.sync(&service).await["state"], "ok");
    let moved = hour("2026-11-25T15:00:00Z");
    let events = world.events();
    assert!(events.contains(&vec![json!("dentist"), json!(moved), json!("confirmed")]));

    let server = DavServer::start();
    server.put("standup", "20261123T090000Z");
    server.put("review", "20261124T090000Z");
    let body = json!({
        "kind": "caldav", "url": format!("http://{}", server.address),
        "username": "ada", "password": "quixotic",
    });
    let answer = world.send("POST", "/account/services", Some(&body)).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let service = answer.json();
    let review =
        "SELECT starts_at / 3600000 - 494000, status FROM calendar_events WHERE uid = 'review'";
    let before = [[json!(hour("2026-11-24T09:00:00Z")), json!("confirmed")]];
    assert_eq!(world.service.rows(review), before);
    server.put("review", "20261124T110000Z");
    server.inner.lock().unwrap().cuts_answers = true;
    let cut = world.sync(&service).await;
    assert_eq!(cut["state"], "failing", "{cut}");
    assert_eq!(world.service.rows(review), before);
    server.inner.lock().unwrap().cuts_answers = false;
    // One that can't be read now stays as it was; it is not cancelled, and the others are read.
    server.inner.lock().unwrap().breaks = "review";
    server.put("standup", "20261123T100000Z");
    for knows_tokens in [true, false] {
        server.inner.lock().unwrap().knows_tokens = knows_tokens;
        server.put("lunch", "20261126T120000Z");
        let synced = world.sync(&service).await;
        assert_eq!(synced["error"], Value::Null, "{knows_tokens}");
        assert_eq!(world.service.rows(review), before, "{knows_tokens}");
    }
    let standup = "SELECT count(*) FROM calendar_events WHERE uid = 'standup' AND starts_at = ";
    let at = Timestamp::parse("2026-11-23T10:00:00Z").unwrap().0;
    assert_eq!(world.service.rows(&format!("{standup}{at}")), [[1]]);
    // It is asked for again after an hour.
    server.inner.lock().unwrap().breaks = "";
    world.clock.advance(60 * 60_000);
    world.token = world.service.user_token(&world.service.user_id(PHONE));
    assert_eq!(world.sync(&service).await["state"], "ok");
    let after = [[json!(hour("2026-11-24T11:00:00Z")), json!("confirmed")]];
    assert_eq!(world.service.rows(review), after);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_fails_is_not_connected() {
    let world = World::open().await;
    let elsewhere = CalendarServer::start();
    let redirect = format!("Location: http://localhost:{}/x", elsewhere.address.port());
    let cases = [
        (Some((404, "X: y")), "service_refused"),
        (Some((403, "X: y")), "service_refused"),
        (Some((500, "X: y")), "service_unreachable"),
        // localhost is not named: neither without TLS nor at a private address.
        (Some((302, redirect.as_str())), "service_unreachable"),
        (
            Some((302, "Location: https://localhost:1/")),
            "service_unreachable",
        ),
        (
            Some((302, "Location: file:///etc/passwd")),
            "service_unreachable",
        ),
        (Some((302, "Location: /again")), "service_unreachable"),
    ];
    let url = json!({"kind": "ics", "url": world.server.url()});
    for (instead, code) in cases {
        world.server.instead(instead);
        let answer = world.send("POST", "/account/services", Some(&url)).await;
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (422, code),
            "{instead:?}"
        );
        assert!(!answer.text.contains(SECRET), "{}", answer.text);
        // A window of the limit, so that each case has its own.
        world.clock.advance(61_000);
    }
    assert!(elsewhere.answers().is_empty());
    world.server.instead(None);
    world.server.inner.lock().unwrap().calendar = "<html>Sign in</html>".to_owned();
    let answer = world.send("POST", "/account/services", Some(&url)).await;
    assert_eq!(answer.code(), "service_unreachable");
    world.server.inner.lock().unwrap().calendar = "x".repeat(11 << 20);
    let answer = world.send("POST", "/account/services", Some(&url)).await;
    assert!(
        answer.text.contains("sends more than can be read"),
        "{}",
        answer.text
    );
    for body in [
        json!({}),
        json!({"kind": "ics"}),
        json!({"kind": "pop3", "url": world.server.url()}),
        json!({"kind": "ics", "url": "not a url"}),
        json!({"kind": "ics", "url": "https://me:quixotic@example.com/"}),
        json!({"kind": "ics", "url": world.server.url(), "name": ""}),
    ] {
        world.clock.advance(61_000);
        let answer = world.send("POST", "/account/services", Some(&body)).await;
        let code = answer.code();
        assert_eq!(
            (answer.status, code.as_str()),
            (422, "validation_failed"),
            "{body}"
        );
        assert!(!answer.text.contains("quixotic"), "{}", answer.text);
    }
    let kept = world
        .service
        .rows("SELECT count(*) FROM connected_services");
    assert_eq!(kept, [[0]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn private_addresses_are_not_asked_unless_their_host_is_named() {
    for settings in [
        &[][..],
        &[("CHATKEEP_SERVICES_ALLOW_PRIVATE", "true")],
        &[("CHATKEEP_SERVICES_ALLOWED_HOSTS", "127.0.0.1")],
    ] {
        let world = World::with(settings).await;
        for scheme in ["http", "https", "webcal"] {
            let url = format!("{scheme}://{}/x.ics", world.server.address);
            let body = json!({"kind": "ics", "url": url});
            let answer = world.send("POST", "/account/services", Some(&body)).await;
            assert_eq!(
                answer.code(),
                "service_unreachable",
                "{settings:?} {scheme}"
            );
        }
        assert!(world.server.answers().is_empty(), "{settings:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn names_and_calendars_change_and_a_disconnected_service_leaves_nothing() {
    let world = World::open().await;
    let service = world.connect().await;
    let calendar_id = service["calendars"][0]["calendar_id"].clone();
    let change = json!({
        "name": "Office",
        "calendars": [{"calendar_id": calendar_id, "enabled": false}],
    });
    let changed = world
        .send("PATCH", &path(&service), Some(&change))
        .await
        .json();
    assert_eq!(changed["name"], "Office");
    assert_eq!(changed["calendars"][0]["enabled"], false);
    // What is off is not fetched; switched on, it is fetched at once.
    world.server.answers();
    assert_eq!(world.sync(&service).await["state"], "ok");
    assert!(world.server.answers().is_empty());
    world.server.hold(&[("dentist", "20261126T130000Z", "")]);
    let on = json!({"calendars": [{"calendar_id": calendar_id, "enabled": true}]});
    let changed = world.send("PATCH", &path(&service), Some(&on)).await;
    assert_eq!(changed.json()["calendars"][0]["enabled"], true);
    assert_eq!(world.server.answers(), [200]);
    let dentist = "SELECT starts_at / 3600000 - 494000 FROM calendar_events WHERE uid = 'dentist'";
    assert_eq!(
        world.service.rows(dentist),
        [[hour("2026-11-26T13:00:00Z")]]
    );
    let unknown = json!({"calendars": [{"calendar_id": "x", "enabled": true}]});
    let answer = world.send("PATCH", &path(&service), Some(&unknown)).await;
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (422, "validation_failed")
    );
    // Somebody else's is unknown to others.
    let said = world
        .service
        .edge_message("a", &direct("+15550102", "hello"))
        .await;
    assert_eq!(said.status, 200);
    let other = world
        .service
        .user_token(&world.service.user_id("+15550102"));
    for asked in [
        request("DELETE", &path(&service)),
        request("POST", &format!("{}/sync", path(&service))),
    ] {
        let answer = world.service.send(&asked.bearer(&other)).await;
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (404, "service_not_found")
        );
    }
    let gone = world.send("DELETE", &path(&service), None).await;
    assert_eq!(gone.status, 200, "{}", gone.text);
    let left = "SELECT (SELECT count(*) FROM connected_services) + (SELECT count(*) FROM calendars)
                  + (SELECT count(*) FROM calendar_events)";
    assert_eq!(world.service.rows(left), [[0]]);
    assert_eq!(
        world.send("DELETE", &path(&service), None).await.status,
        404
    );
    // Neither the address nor a title is anywhere in the files.
    let (_, folder) = world.service.stop().await;
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains(SECRET) && !text.contains("dentist"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_is_told_once_when_an_address_stops_working() {
    let world = World::open().await;
    world.connect().await;
    world.server.instead(Some((404, "X: y")));
    for failures in 1..=3 {
        world.clock.advance(41 * 60_000);
        let failed = format!("SELECT failures = {failures} FROM connected_services");
        eventually("the sync failed", async || {
            world.service.rows(&failed) == [[1]]
        })
        .await;
    }
    let told = "SELECT json_extract(payload, '$.text') FROM commands";
    eventually("the person is told", async || {
        !world.service.rows(told).is_empty()
    })
    .await;
    let state = "SELECT state, next_sync_at, refusal_told FROM connected_services";
    assert_eq!(
        world.service.rows(state),
        [[json!("refused"), json!(null), json!(1)]]
    );
    let texts = world.service.rows(told);
    assert_eq!(texts.len(), 1, "{texts:?}");
    assert!(
        texts[0][0]
            .as_str()
            .unwrap()
            .starts_with("I can't read Work any more"),
        "{texts:?}"
    );
}

impl World {
    async fn say(&self, text: &str) -> String {
        let said = self.service.edge_message("a", &direct(PHONE, text)).await;
        assert_eq!(said.status, 200, "{}", said.text);
        said.json()["reply_text"].as_str().unwrap().to_owned()
    }

    /// The path of a link that was asked for in the chat.
    async fn link(&self) -> String {
        self.link_for("connect my calendar").await
    }

    async fn link_for(&self, text: &str) -> String {
        let said = self.say(text).await;
        let link = said.lines().last().unwrap();
        let path = link.strip_prefix("http://127.0.0.1:8080").expect(link);
        assert!(path.starts_with("/connect/"), "{said}");
        path.to_owned()
    }

    async fn submit(&self, path: &str, form: &str) -> Answer {
        let asked = request("POST", path)
            .header("content-type", "application/x-www-form-urlencoded")
            .raw(form);
        self.service.send(&asked).await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_connects_once_and_looking_at_it_does_not_count() {
    let mut world = World::open().await;
    let path = world.link().await;
    for _ in 0..2 {
        let page = world.service.send(&get(&path)).await;
        assert_eq!(page.status, 200, "{}", page.text);
        assert!(
            page.header("content-type")
                .unwrap()
                .starts_with("text/html")
        );
        assert!(
            page.header("content-security-policy")
                .unwrap()
                .contains("default-src 'none'")
        );
        assert!(
            page.text.contains("<form method=\"post\">"),
            "{}",
            page.text
        );
        assert!(!page.text.contains("<script"));
    }
    // What is wrong is said on the page, without what was typed.
    world.server.instead(Some((404, "X: y")));
    let url = world.server.url().replace(':', "%3A").replace('/', "%2F");
    let form = format!("kind=ics&url={url}&name=My+calendar");
    let page = world.submit(&path, &form).await;
    assert_eq!(page.status, 422, "{}", page.text);
    assert!(
        page.text.contains("has no calendar at this address (404)"),
        "{}",
        page.text
    );
    assert!(
        page.text.contains("<form") && !page.text.contains(SECRET),
        "{}",
        page.text
    );
    world.server.instead(None);
    let page = world.submit(&path, &form).await;
    assert_eq!(page.status, 200, "{}", page.text);
    assert!(
        page.text.contains("My calendar is connected"),
        "{}",
        page.text
    );
    let page = world.service.send(&get(&path)).await;
    assert_eq!(page.status, 410, "{}", page.text);
    let body = json!({"kind": "ics", "url": world.server.url()});
    let again = world.service.send(&post(&path, &body)).await;
    assert_eq!((again.status, again.code().as_str()), (410, "link_gone"));
    // As JSON, and within its time only.
    let path = world.link().await;
    let connected = world.service.send(&post(&path, &body)).await;
    assert_eq!(
        (connected.status, &connected.json()["kind"]),
        (200, &json!("ics"))
    );
    let path = world.link().await;
    world.clock.advance(15 * 60_000);
    assert_eq!(world.service.send(&get(&path)).await.status, 410);
    let unknown = world.service.send(&post("/connect/0000", &body)).await;
    assert_eq!(
        (unknown.status, unknown.code().as_str()),
        (404, "link_not_found")
    );
    assert_eq!(
        world
            .service
            .rows("SELECT count(*) FROM connected_services"),
        [[1]]
    );
    // Each attempt asks a server: they are counted like calls of the API.
    world.server.instead(Some((404, "X: y")));
    let path = world.link().await;
    for _ in 0..10 {
        let page = world.submit(&path, &form).await;
        assert_eq!(page.status, 422, "{}", page.text);
    }
    let page = world.submit(&path, &form).await;
    assert_eq!(page.status, 429, "{}", page.text);
    assert!(page.header("retry-after").is_some() && page.text.contains("<form"));
    let refused = world.service.send(&post(&path, &body)).await;
    assert_eq!(
        (refused.status, refused.code().as_str()),
        (429, "rate_limited")
    );
    world.token = world.service.user_token(&world.service.user_id(PHONE));
    let refused = world.send("POST", "/account/services", Some(&body)).await;
    assert_eq!(refused.status, 429, "{}", refused.text);
    // Nobody but the person is sent a link.
    let asked = crate::support::group("g", PHONE, "juno, connect my calendar");
    let said = world.service.edge_message("a", &asked).await.json();
    assert!(!said.to_string().contains("/connect/"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn passwords_in_a_chat_are_refused_and_not_kept() {
    let world = World::open().await;
    for text in [
        "connect my calendar, the password is hunter2-x",
        "my calendar: https://calendar.google.com/calendar/ical/a/private-hunter2/basic.ics",
    ] {
        let said = world.say(text).await;
        assert!(said.contains("did not keep it"), "{said}");
    }
    let wifi = world
        .say("remember that the wifi password is tulip99")
        .await;
    assert!(!wifi.contains("did not keep it"), "{wifi}");
    let (_, folder) = world.service.stop().await;
    let bytes = std::fs::read(folder.path().join("chatkeep.db")).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    assert!(!text.contains("hunter2") && text.contains("tulip99"));
}

/// The page's style is the one that its policy names.
#[tokio::test(flavor = "multi_thread")]
async fn the_page_has_the_style_that_its_policy_names() {
    use base64::Engine as _;
    use sha2::Digest as _;
    let world = World::open().await;
    let page = world.service.send(&get(&world.link().await)).await;
    let style = page.text.split("<style>").nth(1).unwrap();
    let style = style.split("</style>").next().unwrap();
    let hash = base64::engine::general_purpose::STANDARD.encode(sha2::Sha256::digest(style));
    let policy = page.header("content-security-policy").unwrap();
    assert!(
        policy.contains(&format!("style-src 'sha256-{hash}'")),
        "sha256-{hash}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_caldav_account_is_found_and_kept_in_step() {
    const FOUND: &str = "current-user-principal calendar-home-set getctag";
    let world = World::open().await;
    let server = DavServer::start();
    server.put("standup", "20261123T090000Z");
    server.put("dentist", "20261125T130000Z");
    let mut body = json!({
        "kind": "caldav", "url": format!("http://{}", server.address),
        "username": "ada", "password": "wrong",
    });
    let refused = world.send("POST", "/account/services", Some(&body)).await;
    assert_eq!(
        (refused.status, refused.code().as_str()),
        (422, "service_refused")
    );
    body["password"] = json!("quixotic");
    let answer = world.send("POST", "/account/services", Some(&body)).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert!(!answer.text.contains("quixotic"), "{}", answer.text);
    let service = answer.json();
    assert_eq!(
        (&service["kind"], &service["scope"]),
        (&json!("caldav"), &json!("calendar"))
    );
    assert_eq!(service["calendars"].as_array().unwrap().len(), 1);
    assert_eq!(service["calendars"][0]["name"], "Work & more");
    assert_eq!(
        server.requests(),
        format!("{FOUND} calendar-query calendar-multiget")
    );
    let uids = || -> Vec<Vec<Value>> {
        world
            .service
            .rows("SELECT uid, status FROM calendar_events ORDER BY starts_at")
    };
    let row = |uid: &str, status: &str| vec![json!(uid), json!(status)];
    assert_eq!(
        uids(),
        [row("standup", "confirmed"), row("dentist", "confirmed")]
    );
    // Nothing new; then only what changed is fetched.
    world.sync(&service).await;
    assert_eq!(server.requests(), FOUND);
    server.put("lunch", "20261126T120000Z");
    server.delete("standup");
    world.sync(&service).await;
    assert_eq!(
        server.requests(),
        format!("{FOUND} sync-collection calendar-multiget")
    );
    let expected = [
        row("standup", "cancelled"),
        row("dentist", "confirmed"),
        row("lunch", "confirmed"),
    ];
    assert_eq!(uids(), expected);
    // Without tokens the calendar is read again when its ctag changed.
    server.inner.lock().unwrap().knows_tokens = false;
    server.delete("lunch");
    let synced = world.sync(&service).await;
    assert_eq!(synced["error"], Value::Null);
    let kept = world
        .service
        .rows("SELECT object, etag FROM calendar_events WHERE uid = 'dentist'");
    assert_eq!(
        kept,
        [[json!("/dav/ada/cal/work x/dentist.ics"), json!("\"2\"")]]
    );
    // A password that stops working is not tried again.
    let mut wrong = body.clone();
    wrong["password"] = json!("wrong");
    let path = "/account/services";
    assert_eq!(
        world.send("POST", path, Some(&wrong)).await.code(),
        "service_refused"
    );
    let state = world.send("GET", path, None).await.json();
    assert_eq!(
        state["services"][0]["state"], "ok",
        "the right password stays"
    );
    // However its address is written, it is the same account.
    world.clock.advance(60_000);
    body["url"] = json!(format!("HTTP://{}/", server.address));
    let again = world.send("POST", "/account/services", Some(&body)).await;
    assert_eq!(again.status, 200, "{}", again.text);
    assert_eq!(again.json()["service_id"], service["service_id"]);
}

impl World {
    fn subjects(&self) -> Vec<Vec<Value>> {
        self.service
            .rows("SELECT extract ->> 'subject' FROM mail_items ORDER BY id")
    }
}

fn mailbox(stub: &ImapStub, password: &str) -> Value {
    json!({
        "kind": "imap", "host": "127.0.0.1", "port": stub.address.port(), "tls": false,
        "username": USER, "password": password,
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mailbox_is_connected_and_read() {
    let mut world = World::open().await;
    let stub = ImapStub::start(vec![StubMail::text(3, "one", "First.")]);
    let refused = mailbox(&stub, "wrong");
    let refused = world
        .send("POST", "/account/services", Some(&refused))
        .await;
    assert_eq!(
        (refused.status, refused.code().as_str()),
        (422, "service_refused"),
        "{}",
        refused.text
    );
    let body = mailbox(&stub, PASSWORD);
    let answer = world.send("POST", "/account/services", Some(&body)).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert!(!answer.text.contains("pass "), "{}", answer.text);
    let service = answer.json();
    let shown = ["kind", "host", "state", "scope"].map(|name| service[name].as_str().unwrap());
    assert_eq!(shown, ["imap", "127.0.0.1", "ok", "mail.read"]);
    assert_eq!(service["calendars"], json!([]));
    assert!(service["last_sync_at"].is_string());
    assert_eq!(world.subjects(), [["one"]]);

    // What is new comes once, also when the server numbers its mails anew.
    stub.inbox().mails.push(StubMail::text(8, "two", "Second."));
    world.sync(&service).await;
    stub.inbox().uid_validity = 8;
    assert_eq!(world.sync(&service).await["state"], "ok");
    assert_eq!(world.subjects(), [["one"], ["two"]]);

    // Old mails go; the same mailbox connected again stays one service.
    world.clock.advance(40 * 86_400_000);
    world.token = world.service.user_token(&world.service.user_id(PHONE));
    let mut body = body;
    body["host"] = json!(" 127.0.0.1 ");
    let again = world.send("POST", "/account/services", Some(&body)).await;
    assert_eq!(again.status, 200, "{}", again.text);
    assert_eq!(again.json()["service_id"], service["service_id"]);
    assert_eq!(world.subjects(), Vec::<Vec<Value>>::new());

    let gone = world.send("DELETE", &path(&service), None).await;
    assert_eq!(gone.status, 200, "{}", gone.text);
    assert_eq!(
        world
            .service
            .rows("SELECT count(*) FROM connected_services"),
        [[0]]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clock_that_jumps_stops_no_sync_and_removes_no_mail() {
    let world = World::open().await;
    let stub = ImapStub::start(vec![StubMail::text(3, "one", "First.")]);
    let body = mailbox(&stub, PASSWORD);
    let answer = world.send("POST", "/account/services", Some(&body)).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let synced = async || {
        let now = world.clock.now().0;
        let is_synced = format!("SELECT last_sync_at = {now} FROM connected_services");
        eventually("the mailbox is read", async || {
            world.service.rows(&is_synced) == [[1]]
        })
        .await;
    };
    world.clock.jump(40 * 86_400_000);
    synced().await;
    assert_eq!(world.subjects(), [["one"]]);

    world.service.app.clock.confirm();
    world.clock.advance(2 * SYNC_INTERVAL_MS);
    synced().await;
    assert_eq!(world.subjects(), Vec::<Vec<Value>>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mailbox_under_two_names_shows_its_mails_once() {
    const MARKUP: &str = "<script type=\"application/ld+json\">{\"@type\":\"ParcelDelivery\",\"trackingNumber\":\"1Z5550101\"}</script>";
    let world = World::with(&[
        ("CHATKEEP_SERVICES_ALLOW_PRIVATE", "true"),
        ("CHATKEEP_SERVICES_ALLOWED_HOSTS", "127.0.0.1,localhost"),
        ("CHATKEEP_ACCESS_CHARGE_NOBODY", "true"),
    ])
    .await;
    let mut parcel = StubMail::text(3, "parcel", "");
    parcel.parts = vec![("TEXT", "HTML", "\"charset\" \"utf-8\"", MARKUP.to_owned())];
    let mut nameless = StubMail::text(9, "nameless", "No id, no date.");
    nameless.headers =
        format!("From: Ana <ana@example.com>\r\nTo: {USER}\r\nSubject: nameless\r\n\r\n");
    let stub = ImapStub::start(vec![parcel, nameless]);
    let mut services = Vec::new();
    for host in ["localhost", "127.0.0.1"] {
        let mut body = mailbox(&stub, PASSWORD);
        body["host"] = json!(host);
        let answer = world.send("POST", "/account/services", Some(&body)).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        services.push(answer.json());
    }
    assert_ne!(services[0]["service_id"], services[1]["service_id"]);
    let parcels = "SELECT count(*) FROM mail_facts";
    for service in services {
        let said = world.say("did Ana write?").await;
        assert_eq!(said.matches("“parcel”").count(), 1, "{said}");
        // Nothing says whether these are one mail.
        let nameless = if world.subjects().len() == 4 { 2 } else { 1 };
        assert_eq!(said.matches("“nameless”").count(), nameless, "{said}");
        assert_eq!(world.service.rows(parcels), [[1]], "the other has it too");
        let gone = world.send("DELETE", &path(&service), None).await;
        assert_eq!(gone.status, 200, "{}", gone.text);
    }
    assert_eq!(world.service.rows(parcels), [[0]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_week_is_counted_from_its_monday() {
    let world = World::with(&[
        ("CHATKEEP_SERVICES_ALLOW_PRIVATE", "true"),
        ("CHATKEEP_SERVICES_ALLOWED_HOSTS", "127.0.0.1"),
        ("CHATKEEP_ACCESS_CHARGE_NOBODY", "true"),
    ])
    .await;
    // It is Sunday.
    world.server.hold(&[
        ("last week", "20261115T090000Z", "DURATION:PT1H\r\n"),
        ("monday", "20261116T090000Z", "DURATION:PT1H\r\n"),
        ("sunday", "20261122T190000Z", "DURATION:PT1H\r\n"),
        ("next week", "20261123T090000Z", "DURATION:PT1H\r\n"),
    ]);
    world.connect().await;
    let said = world.say("how many meetings this week?").await;
    assert!(
        said.starts_with("2 meetings this week, 2 h in all:"),
        "{said}"
    );
    assert!(said.contains("monday") && said.contains("sunday"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mailbox_tells_who_the_person_is_in_calendars() {
    let world = World::with(&[
        ("CHATKEEP_SERVICES_ALLOW_PRIVATE", "true"),
        ("CHATKEEP_SERVICES_ALLOWED_HOSTS", "127.0.0.1"),
        ("CHATKEEP_ACCESS_CHARGE_NOBODY", "true"),
    ])
    .await;
    let stub = ImapStub::start(Vec::new());
    let body = mailbox(&stub, PASSWORD);
    let answer = world.send("POST", "/account/services", Some(&body)).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let invited = format!(
        "ORGANIZER;CN=Ana Silva:mailto:ana@example.com\r\n\
         ATTENDEE;PARTSTAT=ACCEPTED:mailto:{USER}\r\n"
    );
    world
        .server
        .hold(&[("review", "20261124T090000Z", invited.as_str())]);
    world.connect().await;
    let said = world.say("when do I see Ana next?").await;
    assert!(said.starts_with("Tuesday, 24 November at 09:00"), "{said}");
    let people = "SELECT facts ->> 'own_participation' FROM calendar_events";
    assert_eq!(world.service.rows(people), [["accepted"]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mailbox_tells_who_the_person_is_in_calendars_that_are_there() {
    let world = World::open().await;
    let invited = format!("ATTENDEE;PARTSTAT=ACCEPTED:mailto:{USER}\r\n");
    world
        .server
        .hold(&[("review", "20261124T090000Z", invited.as_str())]);
    world.connect().await;
    let people = "SELECT facts ->> 'own_participation' FROM calendar_events";
    assert_eq!(world.service.rows(people), [[Value::Null]]);
    let stub = ImapStub::start(Vec::new());
    let body = mailbox(&stub, PASSWORD);
    let answer = world.send("POST", "/account/services", Some(&body)).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    eventually("the calendar is read anew", async || {
        world.service.rows(people) == [["accepted"]]
    })
    .await;
}

/// A mail with an invitation by Ana.
fn invitation(uid: u32, method: &str, start: &str) -> StubMail {
    let text = format!(
        "BEGIN:VCALENDAR\r\nMETHOD:{method}\r\nBEGIN:VEVENT\r\nUID:review\r\nDTSTART:{start}\r\n\
         DURATION:PT1H\r\nSUMMARY:Budget review\r\nLOCATION:Room 5\r\n\
         ORGANIZER;CN=Ana Silva:mailto:ana@example.com\r\n\
         ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:{USER}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
    );
    let parameters: &'static str = match method {
        "CANCEL" => "\"charset\" \"utf-8\" \"method\" \"CANCEL\"",
        _ => "\"charset\" \"utf-8\" \"method\" \"REQUEST\"",
    };
    let mut mail = StubMail::text(uid, &format!("Review {uid}"), "");
    mail.parts.push(("TEXT", "CALENDAR", parameters, text));
    mail
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_calendar_invitations_of_mails_count() {
    let mut world = World::with(&[
        ("CHATKEEP_SERVICES_ALLOW_PRIVATE", "true"),
        ("CHATKEEP_SERVICES_ALLOWED_HOSTS", "127.0.0.1"),
        ("CHATKEEP_ACCESS_CHARGE_NOBODY", "true"),
    ])
    .await;
    world.say("my time zone is Europe/Berlin").await;
    let stub = ImapStub::start(vec![invitation(3, "REQUEST", "20261123T130000Z")]);
    let body = mailbox(&stub, PASSWORD);
    let service = world.send("POST", "/account/services", Some(&body)).await;
    assert_eq!(service.status, 200, "{}", service.text);
    let service = service.json();
    const HINT: &str = "I go by the invitations in your mail, as no calendar is connected. Say \
                        “connect my calendar”, and I see all of it.";
    assert_eq!(
        world.say("when do I see Ana next?").await,
        format!("Monday, 23 November at 14:00: Budget review, Room 5\n{HINT}")
    );
    let said = world.say("am I free tomorrow between 2 and 4?").await;
    assert!(
        said.contains("Budget review") && said.contains(HINT),
        "{said}"
    );
    let said = world.say("what's on tomorrow?").await;
    assert!(said.contains("14:00–15:00 Budget review"), "{said}");
    // It comes by itself as well.
    world.clock.advance(29 * 3_600_000 - 15 * 60_000);
    let told = "SELECT payload ->> 'text' FROM commands WHERE payload ->> 'text' LIKE '📅%'";
    eventually("it is told", async || {
        world.service.app.ingest.reminders.now();
        world.service.rows(told).len() == 1
    })
    .await;
    let told = world.service.rows(told)[0][0].to_string();
    assert!(told.contains("at 14:00: Budget review, Room 5"), "{told}");
    world.token = world.service.user_token(&world.service.user_id(PHONE));
    // It is called off, and then there is a calendar.
    stub.inbox()
        .mails
        .push(invitation(4, "CANCEL", "20261123T130000Z"));
    world.sync(&service).await;
    let said = world.say("when do I see Ana next?").await;
    assert!(
        said.contains("connect my calendar") && !said.contains("Budget"),
        "{said}"
    );
    stub.inbox()
        .mails
        .push(invitation(5, "REQUEST", "20261127T130000Z"));
    world.sync(&service).await;
    assert!(
        world
            .say("when do I see Ana next?")
            .await
            .contains("27 November")
    );
    world.connect().await;
    let said = world.say("when do I see Ana next?").await;
    assert_eq!(
        said,
        "I find nothing with Ana in your calendars in the weeks ahead."
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mailbox_is_connected_by_a_link() {
    let world = World::open().await;
    let stub = ImapStub::start(vec![StubMail::text(3, "one", "First.")]);
    let path = world.link_for("connect my mail").await;
    let page = world.service.send(&get(&path)).await.text;
    let (mail, calendar) = (page.find("value=\"imap\""), page.find("value=\"ics\""));
    assert!(mail.unwrap() < calendar.unwrap(), "{page}");
    // A host that is not named is asked over TLS only; here it has none.
    let form = format!(
        "kind=imap&host=127.0.0.1&port={}&username=ada%40example.com&password=x",
        stub.address.port()
    );
    let failed = world.submit(&path, &form).await;
    assert_eq!(failed.status, 422, "{}", failed.text);
    let bad = world.submit(&path, "kind=imap&host=a%2Fb&username=a&password=b");
    let bad = bad.await;
    assert_eq!(bad.status, 422, "{}", bad.text);
    assert!(bad.text.contains("The field host must be"), "{}", bad.text);
    let asked = post(&path, &mailbox(&stub, PASSWORD));
    let connected = world.service.send(&asked).await;
    assert_eq!(connected.json()["kind"], "imap");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mailbox_without_tls_must_be_named() {
    let world = World::with(&[("CHATKEEP_SERVICES_ALLOW_PRIVATE", "true")]).await;
    let stub = ImapStub::start(Vec::new());
    let body = mailbox(&stub, PASSWORD);
    let answer = world.send("POST", "/account/services", Some(&body)).await;
    assert_eq!(answer.code(), "service_unreachable", "{}", answer.text);
    assert!(answer.text.contains("over TLS"), "{}", answer.text);
    assert_eq!(stub.requests(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn new_mail_is_fetched_when_the_server_tells_of_it() {
    let world = World::open().await;
    let stub = ImapStub::start(vec![StubMail::text(3, "one", "First.")]);
    let body = mailbox(&stub, PASSWORD);
    let answer = world.send("POST", "/account/services", Some(&body)).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    for (uid, subject) in [(8, "two"), (9, "three")] {
        let waits = || stub.inbox().asked.iter().any(|command| command == "IDLE");
        eventually("a connection waits", async || waits()).await;
        let mail = StubMail::text(uid, subject, "New.");
        stub.inbox().mails.push(mail);
        // The clock stands still: it is fetched before its time.
        let known = || world.subjects().iter().any(|row| row[0] == subject);
        eventually("it is fetched", async || known()).await;
    }
    assert_eq!(world.subjects(), [["one"], ["two"], ["three"]]);
    // The server numbers its mails anew while a connection waits, and brings another one.
    {
        let mut inbox = stub.inbox();
        inbox.uid_validity = 8;
        for (mail, uid) in inbox.mails.iter_mut().zip(1..) {
            mail.uid = uid;
        }
        inbox.mails.push(StubMail::text(4, "four", "New."));
    }
    let known = || world.subjects().iter().any(|row| row[0] == "four");
    eventually("it is fetched", async || known()).await;
    let all = [["one"], ["two"], ["three"], ["four"]];
    assert_eq!(world.subjects(), all);
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_with_certificates_of_ones_own_are_asked() {
    let stub = ImapStub::start(vec![StubMail::text(3, "one", "First.")]);
    let calendar = CalendarServer::start();
    calendar.hold(&[("dentist", "20261125T130000Z", "")]);
    let (mail_url, mail_pem) = crate::support::tls::proxy(stub.address).await;
    let (calendar_url, calendar_pem) = crate::support::tls::proxy(calendar.address).await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ca.pem");
    std::fs::write(&file, mail_pem + &calendar_pem).unwrap();
    let port: u16 = mail_url.rsplit(':').next().unwrap().parse().unwrap();
    let mail = json!({
        "kind": "imap", "host": "localhost", "port": port, "username": USER, "password": PASSWORD,
    });
    let ics = json!({"kind": "ics", "url": format!("{calendar_url}/a.ics")});
    let named = [
        ("CHATKEEP_SERVICES_ALLOW_PRIVATE", "true"),
        ("CHATKEEP_SERVICES_ALLOWED_HOSTS", "localhost"),
    ];
    let world = World::with(&named).await;
    for (body, part) in [
        (&mail, "no certificate that can be trusted"),
        (&ics, "no valid TLS certificate"),
    ] {
        let answer = world.send("POST", "/account/services", Some(body)).await;
        assert_eq!(answer.code(), "service_unreachable");
        assert!(answer.text.contains(part), "{}", answer.text);
    }
    let file = file.to_str().unwrap();
    let trusted = [named[0], named[1], ("CHATKEEP_SERVICES_CA_FILE", file)];
    let world = World::with(&trusted).await;
    for body in [&mail, &ics] {
        let answer = world.send("POST", "/account/services", Some(body)).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    }
    assert_eq!(world.subjects(), [["one"]]);
    assert_eq!(world.events().len(), 1);
}

/// As Google, Outlook and Apple write them: zones of their own, changed instances, alarms.
const EXPORTS: [(&str, &str); 3] = [
    (
        "BEGIN:VCALENDAR
        PRODID:-//Google Inc//Google Calendar 70.9054//EN
        VERSION:2.0
        METHOD:PUBLISH
        X-WR-CALNAME:ada@example.com
        X-WR-TIMEZONE:Europe/Berlin
        BEGIN:VTIMEZONE
        TZID:Europe/Berlin
        X-LIC-LOCATION:Europe/Berlin
        BEGIN:DAYLIGHT
        TZOFFSETFROM:+0100
        TZOFFSETTO:+0200
        TZNAME:GMT+2
        DTSTART:19700329T020000
        RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU
        END:DAYLIGHT
        BEGIN:STANDARD
        TZOFFSETFROM:+0200
        TZOFFSETTO:+0100
        TZNAME:GMT+1
        DTSTART:19701025T030000
        RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU
        END:STANDARD
        END:VTIMEZONE
        BEGIN:VEVENT
        DTSTART;TZID=Europe/Berlin:20261123T090000
        DTEND;TZID=Europe/Berlin:20261123T093000
        RRULE:FREQ=WEEKLY;COUNT=3;BYDAY=MO
        EXDATE;TZID=Europe/Berlin:20261130T090000
        DTSTAMP:20261101T080000Z
        UID:standup@google.com
        SEQUENCE:1
        STATUS:CONFIRMED
        SUMMARY:Standup
        TRANSP:OPAQUE
        END:VEVENT
        BEGIN:VEVENT
        DTSTART;TZID=Europe/Berlin:20261207T110000
        DTEND;TZID=Europe/Berlin:20261207T113000
        RECURRENCE-ID;TZID=Europe/Berlin:20261207T090000
        DTSTAMP:20261101T080000Z
        UID:standup@google.com
        SEQUENCE:2
        STATUS:CONFIRMED
        SUMMARY:Standup\\, later
        END:VEVENT
        END:VCALENDAR
        ",
        "2026-11-23T08:00 Standup / 2026-12-07T10:00 Standup, later",
    ),
    (
        "BEGIN:VCALENDAR
        METHOD:PUBLISH
        PRODID:Microsoft Exchange Server 2010
        VERSION:2.0
        X-WR-CALNAME:Calendar
        BEGIN:VTIMEZONE
        TZID:W. Europe Standard Time
        BEGIN:STANDARD
        DTSTART:16010101T030000
        TZOFFSETFROM:+0200
        TZOFFSETTO:+0100
        RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=10
        END:STANDARD
        BEGIN:DAYLIGHT
        DTSTART:16010101T020000
        TZOFFSETFROM:+0100
        TZOFFSETTO:+0200
        RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=3
        END:DAYLIGHT
        END:VTIMEZONE
        BEGIN:VEVENT
        UID:040000008200E00074C5B7101A82E008
        SUMMARY;LANGUAGE=en-US:Review
        DTSTART;TZID=W. Europe Standard Time:20261124T140000
        DTEND;TZID=W. Europe Standard Time:20261124T150000
        CLASS:PUBLIC
        PRIORITY:5
        TRANSP:OPAQUE
        STATUS:CONFIRMED
        SEQUENCE:0
        LOCATION;LANGUAGE=en-US:Room 5
        X-MICROSOFT-CDO-BUSYSTATUS:BUSY
        X-MICROSOFT-CDO-ALLDAYEVENT:FALSE
        END:VEVENT
        BEGIN:VEVENT
        UID:040000008200E00074C5B7101A82E009
        SUMMARY:Holiday
        DTSTART;VALUE=DATE:20261125
        DTEND;VALUE=DATE:20261126
        X-MICROSOFT-CDO-BUSYSTATUS:OOF
        X-MICROSOFT-CDO-ALLDAYEVENT:TRUE
        END:VEVENT
        END:VCALENDAR
        ",
        "2026-11-24T13:00 Review / 2026-11-25T00:00 Holiday",
    ),
    (
        "BEGIN:VCALENDAR
        VERSION:2.0
        PRODID:-//Apple Inc.//macOS 14.5//EN
        CALSCALE:GREGORIAN
        X-WR-CALNAME:Home
        X-APPLE-CALENDAR-COLOR:#1BADF8
        BEGIN:VTIMEZONE
        TZID:America/New_York
        BEGIN:DAYLIGHT
        TZOFFSETFROM:-0500
        RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=2SU
        DTSTART:20070311T020000
        TZNAME:EDT
        TZOFFSETTO:-0400
        END:DAYLIGHT
        BEGIN:STANDARD
        TZOFFSETFROM:-0400
        RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=1SU
        DTSTART:20071104T020000
        TZNAME:EST
        TZOFFSETTO:-0500
        END:STANDARD
        END:VTIMEZONE
        BEGIN:VEVENT
        UID:9A1B2C3D-0000-4000-8000-000000000001
        SUMMARY:Dentist
        DTSTART;TZID=America/New_York:20261124T093000
        DTEND;TZID=America/New_York:20261124T100000
        LOCATION:Main Street 5\\nSpringfield
        X-APPLE-STRUCTURED-LOCATION;VALUE=URI;X-APPLE-RADIUS=70;X-TITLE=\"Main
          Street 5\":geo:40.7,-74.0
        X-APPLE-TRAVEL-ADVISORY-BEHAVIOR:AUTOMATIC
        BEGIN:VALARM
        X-WR-ALARMUID:A1
        UID:A1
        TRIGGER:-PT15M
        ACTION:AUDIO
        SUMMARY:An alarm is no event
        END:VALARM
        END:VEVENT
        END:VCALENDAR
        ",
        "2026-11-24T14:30 Dentist",
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn exports_of_providers_are_fetched_and_read() {
    let world = World::open().await;
    world.server.hold(&[]);
    let service = world.connect().await;
    for (export, expected) in EXPORTS {
        world.server.hold_export(export);
        let synced = world.sync(&service).await;
        assert_eq!(synced["state"], "ok", "{synced}");
        let rows = world.service.rows(
            "SELECT strftime('%Y-%m-%dT%H:%M', starts_at / 1000, 'unixepoch'), json_extract(facts, '$.title') FROM calendar_events
             WHERE status <> 'cancelled' ORDER BY starts_at",
        );
        let found: Vec<String> = rows
            .iter()
            .map(|row| format!("{} {}", row[0].as_str().unwrap(), row[1].as_str().unwrap()))
            .collect();
        assert_eq!(found.join(" / "), expected);
    }
}
