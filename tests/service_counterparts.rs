//! Calendars and mailboxes on real servers, connected by the page in a real browser: Radicale,
//! Dovecot, pymap, Chromium. `examples/services/try` installs them and runs these tests.

#![allow(clippy::unwrap_used)]

mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chatkeep::clock::{Clock, Timestamp};
use chatkeep::mailbox::{InboxState, MailServer, Security, read_round};
use chatkeep::outbound::Authorities;
use serde_json::{Value, json};
use support::process::ask;
use support::{Answer, Request, Service, direct, eventually, get, post, request};

const PHONE: &str = "+15550101";
const PASSWORD: &str = "quixotic word";
/// "nobody", as whom Dovecot reads mail.
const MAIL_USER: u32 = 65_534;
/// What a phone shows, in CSS pixels.
const PHONE_WIDTH: u64 = 390;

/// A server as a process of its own; it is killed when dropped.
struct Server {
    command: Vec<String>,
    address: SocketAddr,
    child: Option<Child>,
}

impl Server {
    async fn start(command: Vec<String>, address: SocketAddr) -> Self {
        let mut server = Self {
            command,
            address,
            child: None,
        };
        server.restart().await;
        server
    }

    async fn restart(&mut self) {
        let child = Command::new(&self.command[0])
            .args(&self.command[1..])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        self.child = Some(child.unwrap());
        let address = self.address;
        eventually("the server answers", async || {
            TcpStream::connect(address).is_ok()
        })
        .await;
    }

    fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            support::process::signal(child.id(), "TERM");
            child.wait().unwrap();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

fn command_of(name: &str) -> Vec<String> {
    let command = std::env::var(name).unwrap_or_else(|_| panic!("{name} says how to start it"));
    command.split(' ').map(str::to_owned).collect()
}

fn free_address() -> SocketAddr {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap()
}

/// Radicale with one user and an empty calendar.
async fn radicale(folder: &Path) -> Server {
    let users = folder.join("users");
    std::fs::write(&users, format!("ada:{PASSWORD}\n")).unwrap();
    let address = free_address();
    let mut command = command_of("CHATKEEP_TEST_RADICALE");
    let storage = folder.join("collections");
    for (option, value) in [
        ("--server-hosts", address.to_string()),
        ("--auth-type", "htpasswd".to_owned()),
        ("--auth-htpasswd-filename", users.display().to_string()),
        ("--auth-htpasswd-encryption", "plain".to_owned()),
        ("--auth-delay", "0".to_owned()),
        ("--storage-filesystem-folder", storage.display().to_string()),
        ("--config", String::new()),
    ] {
        command.extend([option.to_owned(), value]);
    }
    let server = Server::start(command, address).await;
    let made = dav(address, request("MKCALENDAR", "/ada/work/")).await;
    assert_eq!(made.status, 201, "{}", made.text);
    server
}

async fn dav(address: SocketAddr, request: Request) -> Answer {
    let login = STANDARD.encode(format!("ada:{PASSWORD}"));
    let request = request.header("Authorization", &format!("Basic {login}"));
    ask(address, &request).await.unwrap()
}

async fn put_event(address: SocketAddr, name: &str, start: &str) {
    let text = format!(
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:test\r\nBEGIN:VEVENT\r\nUID:{name}\r\n\
         DTSTAMP:20261101T000000Z\r\nSUMMARY:{name}\r\nDTSTART:{start}\r\nDURATION:PT1H\r\n\
         END:VEVENT\r\nEND:VCALENDAR\r\n"
    );
    let put = request("PUT", &format!("/ada/work/{name}.ics"))
        .header("Content-Type", "text/calendar")
        .raw(text);
    let answer = dav(address, put).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
}

/// Dovecot with one mailbox.
struct Dovecot {
    server: Server,
    /// Where it speaks TLS from the beginning; at the server's address it takes STARTTLS.
    tls_port: u16,
    /// The certificate for "localhost".
    certificate: PathBuf,
    maildir: PathBuf,
}

impl Dovecot {
    async fn start(folder: &Path) -> Self {
        let address = free_address();
        let here = folder.display();
        let maildir = folder.join("mail/ada@example.com");
        for name in ["cur", "new", "tmp"] {
            std::fs::create_dir_all(maildir.join(name)).unwrap();
        }
        for open in [folder.to_owned(), folder.join("mail")] {
            std::fs::set_permissions(open, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        for own in ["", "cur", "new", "tmp"] {
            chown(maildir.join(own), Some(MAIL_USER), Some(MAIL_USER)).unwrap();
        }
        std::fs::write(
            folder.join("users"),
            format!("ada@example.com:{{PLAIN}}{PASSWORD}\n"),
        )
        .unwrap();
        let (certificate, key) = (folder.join("tls.pem"), folder.join("tls.key"));
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        std::fs::write(&certificate, made.cert.pem()).unwrap();
        std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
        let tls_port = free_address().port();
        let config = folder.join("dovecot.conf");
        std::fs::write(
            &config,
            format!(
                "base_dir = {here}/run\nstate_dir = {here}/state\nlog_path = {here}/log\n\
                 protocols = imap\nlisten = 127.0.0.1\nssl = yes\n\
                 ssl_cert = <{here}/tls.pem\nssl_key = <{here}/tls.key\ndisable_plaintext_auth = no\n\
                 mail_location = maildir:{here}/mail/%u\nfirst_valid_uid = 1\n\
                 passdb {{\n driver = passwd-file\n args = {here}/users\n}}\n\
                 userdb {{\n driver = static\n args = uid={MAIL_USER} gid={MAIL_USER} home={here}/mail/%u\n}}\n\
                 service imap-login {{\n inet_listener imap {{\n port = {}\n }}\n inet_listener imaps {{\n port = {tls_port}\n ssl = yes\n }}\n}}\n",
                address.port()
            ),
        )
        .unwrap();
        let mut command = command_of("CHATKEEP_TEST_DOVECOT");
        command.extend([
            "-F".to_owned(),
            "-c".to_owned(),
            config.display().to_string(),
        ]);
        let server = Server::start(command, address).await;
        Self {
            server,
            tls_port,
            certificate,
            maildir,
        }
    }

    fn deliver(&self, subject: &str) {
        let path = self.maildir.join("new").join(format!("{subject}.host"));
        let text = format!(
            "From: Ana <ana@example.com>\r\nTo: ada@example.com\r\nSubject: {subject}\r\n\
             Date: Fri, 20 Nov 2026 10:00:00 +0000\r\nMessage-ID: <{subject}@example.com>\r\n\
             Content-Type: text/plain; charset=utf-8\r\n\r\nAbout {subject}.\r\n"
        );
        std::fs::write(&path, text).unwrap();
        let received = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_795_168_800);
        let file = std::fs::File::options().write(true).open(&path).unwrap();
        file.set_modified(received).unwrap();
        chown(&path, Some(MAIL_USER), Some(MAIL_USER)).unwrap();
    }

    /// The server numbers its mails anew.
    fn forget_numbers(&self) {
        for entry in std::fs::read_dir(&self.maildir).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if name.starts_with("dovecot") {
                std::fs::remove_file(path).unwrap();
            }
        }
    }
}

struct World {
    service: Service,
    clock: Clock,
    token: String,
}

impl World {
    async fn open() -> Self {
        Self::with(&[]).await
    }

    async fn with(more: &[(&str, &str)]) -> Self {
        let clock = Clock::fixed(Timestamp::parse("2026-11-22T08:00:00Z").unwrap());
        let mut settings = vec![
            ("CHATKEEP_SERVICES_ALLOW_PRIVATE", "true"),
            ("CHATKEEP_SERVICES_ALLOWED_HOSTS", "127.0.0.1,localhost"),
            ("CHATKEEP_ACCESS_CHARGE_NOBODY", "true"),
        ];
        settings.extend_from_slice(more);
        let folder = tempfile::tempdir().unwrap();
        let service = Service::in_folder(folder, &settings, clock.clone()).await;
        let mut world = Self {
            service,
            clock,
            token: String::new(),
        };
        world.say("my time zone is Europe/Berlin").await;
        world.token = world.service.user_token(&world.service.user_id(PHONE));
        world
    }

    async fn say(&self, text: &str) -> String {
        self.clock.advance(1_000);
        let said = self.service.edge_message("a", &direct(PHONE, text)).await;
        assert_eq!(said.status, 200, "{}", said.text);
        said.json()["reply_text"].as_str().unwrap().to_owned()
    }

    async fn connect(&self, body: &Value) -> Answer {
        let asked = post("/account/services", body).bearer(&self.token);
        self.service.send(&asked).await
    }

    async fn sync(&self, service: &Value) -> Value {
        let id = service["service_id"].as_str().unwrap();
        let path = format!("/account/services/{id}/sync");
        // A window of the limit, so that each has its own.
        self.clock.advance(7_000);
        let asked = request("POST", &path).bearer(&self.token);
        let answer = self.service.send(&asked).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()
    }

    fn column(&self, sql: &str) -> Vec<String> {
        let rows = self.service.rows(sql);
        let text = |row: &Vec<Value>| match &row[0] {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        rows.iter().map(text).collect()
    }

    fn titles(&self) -> Vec<String> {
        self.column(
            "SELECT facts ->> 'title' || ' ' || strftime('%d %H:%M', starts_at / 1000, 'unixepoch') || ' ' || status
             FROM calendar_events ORDER BY starts_at, id",
        )
    }

    fn subjects(&self) -> Vec<String> {
        self.column("SELECT extract ->> 'subject' FROM mail_items ORDER BY id")
    }

    /// Has an event changed, and fetches what the server has then.
    async fn change(&self, service: &Value, request: &str, told: &str) {
        let before = self.column("SELECT count(*) FROM commands")[0].clone();
        let asked = self.say(request).await;
        assert!(asked.starts_with("Shall I"), "{asked}");
        self.say("yes").await;
        let said = self.told(before.parse::<usize>().unwrap() + 1).await;
        assert!(said.starts_with(told), "{said}");
        assert_eq!(self.sync(service).await["error"], Value::Null);
    }

    async fn told(&self, count: usize) -> String {
        let told = "SELECT payload ->> 'text' FROM commands ORDER BY seq";
        eventually("the person is told", async || {
            self.column(told).len() >= count
        })
        .await;
        self.column(told)[count - 1].clone()
    }
}

/// One of a series is moved and one is deleted, and then the series.
async fn one_of_a_series(world: &World, server: &Server, service: &Value) {
    let text = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:test\r\nBEGIN:VEVENT\r\nUID:yoga\r\n\
        DTSTAMP:20261101T000000Z\r\nSUMMARY:yoga\r\nDTSTART;TZID=Europe/Berlin:20261126T180000\r\n\
        DURATION:PT1H\r\nRRULE:FREQ=WEEKLY;COUNT=3\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
    let put = request("PUT", "/ada/work/yoga.ics").header("Content-Type", "text/calendar");
    assert_eq!(dav(server.address, put.raw(text)).await.status, 201);
    world.sync(service).await;
    let yoga = || {
        let mut titles = world.titles();
        titles.retain(|title| title.starts_with("yoga"));
        titles.join(", ")
    };
    for (request, told, left) in [
        (
            "move yoga to 7 pm",
            "“yoga” is moved",
            "yoga 26 18:00 confirmed, yoga 03 17:00 confirmed, yoga 10 17:00 confirmed",
        ),
        (
            "delete yoga on 3 december",
            "“yoga” (Thursday, 3 December at 18:00) is no longer",
            "yoga 26 18:00 confirmed, yoga 10 17:00 confirmed",
        ),
        (
            "delete the whole series yoga",
            "The whole series “yoga” is no longer",
            "",
        ),
    ] {
        world.change(service, request, told).await;
        assert_eq!(yoga(), left, "{request}");
    }
}

fn caldav(address: SocketAddr, password: &str) -> Value {
    json!({
        "kind": "caldav", "url": format!("http://{address}/"), "username": "ada",
        "password": password,
    })
}

fn imap(address: SocketAddr, username: &str, password: &str) -> Value {
    json!({
        "kind": "imap", "host": "127.0.0.1", "port": address.port(), "tls": false,
        "username": username, "password": password,
    })
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Radicale: examples/services/try radicale installs it and runs this"]
async fn radicale_is_kept_in_step_and_changed() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = radicale(folder.path()).await;
    put_event(server.address, "dentist", "20261125T130000Z").await;
    let world = World::open().await;
    let refused = world.connect(&caldav(server.address, "wrong")).await;
    assert_eq!(refused.code(), "service_refused", "{}", refused.text);
    let service = world.connect(&caldav(server.address, PASSWORD)).await;
    assert_eq!(service.status, 200, "{}", service.text);
    let service = service.json();
    assert_eq!(world.titles(), ["dentist 25 13:00 confirmed"]);
    // Only what changed comes; what is gone goes.
    put_event(server.address, "standup", "20261123T090000Z").await;
    assert_eq!(world.sync(&service).await["error"], Value::Null);
    let both = ["standup 23 09:00 confirmed", "dentist 25 13:00 confirmed"];
    assert_eq!(world.titles(), both);
    let gone = dav(server.address, request("DELETE", "/ada/work/standup.ics")).await;
    assert_eq!(gone.status, 200, "{}", gone.text);
    world.sync(&service).await;
    let cancelled = ["standup 23 09:00 cancelled", "dentist 25 13:00 confirmed"];
    assert_eq!(world.titles(), cancelled);
    // A server that was away.
    server.kill();
    assert_eq!(world.sync(&service).await["state"], "failing");
    server.restart().await;
    assert_eq!(world.sync(&service).await["state"], "ok");
    assert_eq!(world.titles(), cancelled);

    for (request, told) in [
        (
            "put lunch with Bo on tuesday at 1",
            "“lunch with Bo” is in your calendar",
        ),
        ("move lunch with Bo to 2", "“lunch with Bo” is moved"),
        (
            "delete the dentist",
            "“dentist” (Wednesday, 25 November at 14:00) is no longer",
        ),
    ] {
        world.change(&service, request, told).await;
    }
    one_of_a_series(&world, &server, &service).await;
    let left = [
        "standup 23 09:00 cancelled", "lunch with Bo 24 13:00 confirmed",
    ];
    assert_eq!(world.titles(), left);
    let there = dav(server.address, get("/ada/work/")).await;
    assert!(
        there.text.contains("SUMMARY:lunch with Bo"),
        "{}",
        there.text
    );
    assert!(!there.text.contains("dentist"), "{}", there.text);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Dovecot: examples/services/try dovecot installs it and runs this"]
async fn dovecot_is_read_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut dovecot = Dovecot::start(folder.path()).await;
    dovecot.deliver("one");
    let world = World::open().await;
    let address = dovecot.server.address;
    let refused = world
        .connect(&imap(address, "ada@example.com", "wrong"))
        .await;
    assert_eq!(refused.code(), "service_refused", "{}", refused.text);
    let service = world
        .connect(&imap(address, "ada@example.com", PASSWORD))
        .await;
    assert_eq!(service.status, 200, "{}", service.text);
    let service = service.json();
    assert_eq!(world.subjects(), ["one"]);
    dovecot.deliver("two");
    world.sync(&service).await;
    assert_eq!(world.subjects(), ["one", "two"]);
    dovecot.server.kill();
    assert_eq!(world.sync(&service).await["state"], "failing");
    dovecot.forget_numbers();
    dovecot.server.restart().await;
    dovecot.deliver("three");
    assert_eq!(world.sync(&service).await["error"], Value::Null);
    let mut subjects = world.subjects();
    subjects.sort_unstable();
    assert_eq!(subjects, ["one", "three", "two"]);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Dovecot: examples/services/try dovecot installs it and runs this"]
async fn dovecot_is_read_over_tls() {
    let folder = tempfile::tempdir().unwrap();
    let dovecot = Dovecot::start(folder.path()).await;
    dovecot.deliver("one");
    let over = |port: u16| {
        json!({
            "kind": "imap", "host": "localhost", "port": port, "username": "ada@example.com",
            "password": PASSWORD,
        })
    };
    // Nobody vouches for its certificate.
    let world = World::open().await;
    let answer = world.connect(&over(dovecot.tls_port)).await;
    assert_eq!(answer.code(), "service_unreachable", "{}", answer.text);
    assert!(
        answer.text.contains("no certificate that can be trusted"),
        "{}",
        answer.text
    );
    let file = dovecot.certificate.to_str().unwrap();
    let world = World::with(&[("CHATKEEP_SERVICES_CA_FILE", file)]).await;
    let service = world.connect(&over(dovecot.tls_port)).await;
    assert_eq!(service.status, 200, "{}", service.text);
    assert_eq!(world.subjects(), ["one"]);
    // What comes before the connection waits for news is no news.
    let mut count = 0;
    eventually("it tells of new mail over TLS", async || {
        if count % 40 == 0 {
            dovecot.deliver(&format!("more {count}"));
        }
        count += 1;
        world.subjects().len() > 1
    })
    .await;
    // TLS where the server speaks none at first.
    let address = dovecot.server.address;
    let answer = world.connect(&over(address.port())).await;
    assert!(
        answer.text.contains("offers no TLS on this port"),
        "{}",
        answer.text
    );
    // STARTTLS, as on port 143.
    let pem = std::fs::read(&dovecot.certificate).unwrap();
    let read = tokio::task::spawn_blocking(move || {
        let authorities = Authorities::read(&pem).unwrap();
        let server = MailServer {
            host: "localhost",
            addresses: &[address],
            security: Security::StartTls,
            username: "ada@example.com",
            password: PASSWORD,
            authorities: Some(&authorities),
        };
        let now = Timestamp::parse("2026-11-22T08:00:00Z").unwrap();
        read_round(&server, InboxState::default(), now, &|| false)
    });
    let round = read.await.unwrap().expect("a round");
    assert!(round.mails.len() > 1, "{}", round.mails.len());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs pymap: examples/services/try pymap installs it and runs this"]
async fn pymap_is_read() {
    let address = free_address();
    let mut command = command_of("CHATKEEP_TEST_PYMAP");
    let port = address.port().to_string();
    let options = [
        "--host", "127.0.0.1", "--port", &port, "--no-tls", "dict", "--demo-data",
    ];
    command.extend(options.map(str::to_owned));
    let _server = Server::start(command, address).await;
    let world = World::open().await;
    let refused = world.connect(&imap(address, "demouser", "wrong")).await;
    assert_eq!(refused.code(), "service_refused", "{}", refused.text);
    let service = world.connect(&imap(address, "demouser", "demopass")).await;
    assert_eq!(service.status, 200, "{}", service.text);
    assert_eq!(world.sync(&service.json()).await["state"], "ok");
}

/// Chromium on a page, over WebDriver.
struct Browser {
    driver: Server,
    session: String,
}

impl Browser {
    async fn start() -> Self {
        let address = free_address();
        let mut command = command_of("CHATKEEP_TEST_CHROMEDRIVER");
        command.push(format!("--port={}", address.port()));
        let driver = Server::start(command, address).await;
        let mut browser = Self {
            driver,
            session: String::new(),
        };
        let options = json!({
            "args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
            "mobileEmulation": {"deviceMetrics": {"width": PHONE_WIDTH, "height": 800, "pixelRatio": 3.0}},
        });
        let wanted = json!({"capabilities": {"alwaysMatch": {"goog:chromeOptions": options}}});
        let started = browser.ask("POST", "/session", &wanted).await;
        let id = started["sessionId"].as_str().expect("a session").to_owned();
        browser.session = format!("/session/{id}");
        browser
    }

    async fn ask(&self, method: &str, path: &str, body: &Value) -> Value {
        let path = format!("{}{path}", self.session);
        let asked = match method {
            "GET" => get(&path),
            method => request(method, &path).json(body),
        };
        let answer = self.exchange(&asked);
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert!(answer["value"]["error"].is_null(), "{path}: {answer}");
        answer["value"].clone()
    }

    /// The driver keeps its connections open: the answer is as long as it says.
    fn exchange(&self, asked: &Request) -> String {
        let mut stream = TcpStream::connect(self.driver.address).unwrap();
        stream.write_all(&asked.bytes()).unwrap();
        let mut reader = BufReader::new(stream);
        let (mut head, mut length) = (String::new(), 0);
        while reader.read_line(&mut head).unwrap() > 2 {
            let line = head.to_ascii_lowercase();
            if let Some(said) = line.strip_prefix("content-length:") {
                length = said.trim().parse().unwrap();
            }
            head.clear();
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        String::from_utf8(body).unwrap()
    }

    async fn open(&self, url: &str) {
        self.ask("POST", "/url", &json!({ "url": url })).await;
    }

    /// The path of an element.
    async fn find(&self, css: &str) -> String {
        let wanted = json!({"using": "css selector", "value": css});
        let found = self.ask("POST", "/element", &wanted).await;
        let id = found.as_object().unwrap().values().next().unwrap();
        format!("/element/{}", id.as_str().unwrap())
    }

    async fn text(&self) -> String {
        let body = self.find("body").await;
        let text = self.ask("GET", &format!("{body}/text"), &Value::Null).await;
        text.as_str().unwrap().to_owned()
    }

    /// Fills in a form of this kind and sends it.
    async fn submit(&self, kind: &str, fields: &[(&str, &str)]) -> String {
        let form = format!("form:has(input[name=kind][value={kind}])");
        for (name, value) in fields {
            let input = self.find(&format!("{form} input[name={name}]")).await;
            let typed = json!({ "text": value });
            self.ask("POST", &format!("{input}/value"), &typed).await;
        }
        let button = self.find(&format!("{form} button")).await;
        // The next page's window does not have the mark.
        self.run("window.isSubmitted = true").await;
        self.ask("POST", &format!("{button}/click"), &json!({}))
            .await;
        let script = "return !window.isSubmitted && document.readyState === 'complete'";
        eventually("the next page", async || {
            self.run(script).await == Value::Bool(true)
        })
        .await;
        self.text().await
    }

    async fn run(&self, script: &str) -> Value {
        let body = json!({"script": script, "args": []});
        self.ask("POST", "/execute/sync", &body).await
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium, Radicale and Dovecot: examples/services/try chromium installs them and runs this"]
async fn a_person_connects_in_chromium() {
    let (calendars, mails) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let radicale = radicale(calendars.path()).await;
    put_event(radicale.address, "dentist", "20261125T130000Z").await;
    let dovecot = Dovecot::start(mails.path()).await;
    dovecot.deliver("one");
    let file = dovecot.certificate.to_str().unwrap();
    let world = World::with(&[("CHATKEEP_SERVICES_CA_FILE", file)]).await;
    let browser = Browser::start().await;
    let link = async |text: &str| {
        let said = world.say(text).await;
        let link = said.lines().last().unwrap().to_owned();
        link.replace("127.0.0.1:8080", &world.service.address.to_string())
    };
    let url = link("connect my calendar").await;
    browser.open(&url).await;
    assert!(
        browser
            .text()
            .await
            .contains("Connect a calendar or mailbox")
    );
    // All of it is on a phone's screen, and nothing comes from elsewhere.
    let width = browser
        .run("return document.documentElement.scrollWidth")
        .await;
    assert!(width.as_u64().unwrap() <= PHONE_WIDTH, "{width}");
    let small = "return [...document.querySelectorAll('input:not([type=hidden]), button')]
        .filter(e => e.getBoundingClientRect().height < 40 || e.getBoundingClientRect().right > innerWidth).length";
    assert_eq!(browser.run(small).await, 0);
    let loaded = "return performance.getEntriesByType('resource').map(e => e.name)";
    let loaded = browser.run(loaded).await;
    let from_here = |name: &Value| {
        name.as_str()
            .unwrap()
            .contains(&world.service.address.to_string())
    };
    assert!(loaded.as_array().unwrap().iter().all(from_here), "{loaded}");
    let styled = "return getComputedStyle(document.querySelector('button')).backgroundColor";
    assert_eq!(browser.run(styled).await, "rgb(29, 78, 216)");

    let server = format!("http://{}", radicale.address);
    let wrong = [
        ("url", server.as_str()),
        ("username", "ada"),
        ("password", "wrong"),
    ];
    let text = browser.submit("caldav", &wrong).await;
    assert!(
        text.contains("127.0.0.1 refuses the user name or the password"),
        "{text}"
    );
    let away = [
        ("url", "http://127.0.0.1:9/"),
        ("username", "ada"),
        ("password", PASSWORD),
    ];
    let text = browser.submit("caldav", &away).await;
    assert!(
        text.contains("127.0.0.1 can't be reached; check the address."),
        "{text}"
    );
    let right = [
        ("url", server.as_str()),
        ("username", "ada"),
        ("password", PASSWORD),
    ];
    let text = browser.submit("caldav", &right).await;
    assert!(
        text.contains("is connected. You can close this page"),
        "{text}"
    );
    assert_eq!(world.titles(), ["dentist 25 13:00 confirmed"]);
    browser.open(&url).await;
    let text = browser.text().await;
    assert!(text.contains("This link was used"), "{text}");
    let path = url
        .split(&world.service.address.to_string())
        .last()
        .unwrap();
    let again = get(path);
    let again = world.service.send(&again);
    assert_eq!(again.await.status, 410);

    browser.open(&link("connect my mail").await).await;
    let ports = [dovecot.server.address.port(), dovecot.tls_port].map(|port| port.to_string());
    // The page has TLS only; the API connects to a server without it.
    for (port, password, expected) in [
        (&ports[0], PASSWORD, "offers no TLS on this port"),
        (
            &ports[1],
            "wrong",
            "does not accept the user name and password",
        ),
        (&ports[1], PASSWORD, "is connected. You can close this page"),
    ] {
        let fields = [
            ("host", "localhost"),
            ("port", port.as_str()),
            ("username", "ada@example.com"),
            ("password", password),
        ];
        let text = browser.submit("imap", &fields).await;
        assert!(text.contains(expected), "{text}");
    }
    assert_eq!(world.subjects(), ["one"]);
    browser.ask("DELETE", "", &json!({})).await;
}
