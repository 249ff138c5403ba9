//! What stands in `examples/deploy/`, and what others are told to paste: that it fits the settings and
//! the commands there are and, where a proxy is named, that everything goes through it.

#![allow(clippy::unwrap_used)]

mod support;

use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use support::process::{Process, ask};
use support::{PATIENCE, RelaySocket, direct, eventually, get, post, read_answer, token};
use tempfile::TempDir;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpSocket;

const SETTINGS: &str = include_str!("../service.toml");
const OPERATING: &str = include_str!("../src/guide/operating.md");
const WEBHOOKS: &str = include_str!("../src/guide/webhooks.md");
const UNIT: &str = include_str!("../examples/deploy/chatkeep.service");
const NGINX: &str = include_str!("../examples/deploy/nginx.conf");
const CADDY: &str = include_str!("../examples/deploy/Caddyfile");

const SERVICE: &str = "127.0.0.1:8080";
const NAME: &str = "chat.example.com";

/// The sections of the settings, and every `section.key` with what stands behind "=".
fn settings() -> (Vec<String>, Vec<(String, String)>) {
    let (mut sections, mut keys) = (Vec::new(), Vec::new());
    for line in SETTINGS.lines() {
        if let Some(name) = line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
            sections.push(name.to_owned());
        } else if let Some((key, value)) = line.trim_start_matches('#').split_once(" = ")
            && !key.contains(' ')
        {
            let section = sections.last().unwrap();
            keys.push((format!("{section}.{key}"), value.to_owned()));
        }
    }
    (sections, keys)
}

fn default_of(key: &str) -> String {
    let (_, keys) = settings();
    let found = keys.into_iter().find(|(known, _)| known == key);
    found.unwrap().1.trim_matches('"').to_owned()
}

/// The number behind a directive, without its unit.
fn number(text: &str, directive: &str) -> u64 {
    let lines = text.lines().map(str::trim);
    let mut found = lines.filter_map(|line| line.strip_prefix(directive));
    let value = found.next().unwrap_or_else(|| panic!("{directive}"));
    let digits = value.trim_start_matches([' ', '=']);
    let end = digits.find(|c: char| !c.is_ascii_digit());
    digits[..end.unwrap_or(digits.len())].parse().unwrap()
}

#[test]
fn every_setting_they_name_exists() {
    let (sections, keys) = settings();
    for (file, text) in [("the unit", UNIT), ("nginx", NGINX), ("Caddy", CADDY)] {
        let word = |c: char| !(c.is_ascii_lowercase() || c == '_' || c == '.');
        let words = text.split(word).map(|w| w.trim_end_matches('.'));
        let named: Vec<&str> = words
            .filter(|w| {
                w.split_once('.')
                    .is_some_and(|(section, _)| sections.iter().any(|known| known == section))
            })
            .filter(|w| *w != "service.toml")
            .collect();
        assert!(named.contains(&"server.trusted_proxies"), "{file}");
        for name in named {
            assert!(
                keys.iter().any(|(known, _)| known == name),
                "{file}: {name}"
            );
        }
    }
}

#[test]
fn they_point_where_the_service_listens_and_wait_long_enough() {
    assert_eq!(default_of("server.listen"), SERVICE);
    for text in [NGINX, CADDY] {
        assert!(text.contains(SERVICE) && text.contains(NAME));
    }
    let default = |key: &str| default_of(key).parse::<u64>().unwrap();
    assert!(number(UNIT, "TimeoutStopSec") > default("server.shutdown_grace_s"));
    assert!(number(UNIT, "LimitNOFILE") > default("server.max_connections"));
    let longest = default("edge.silence_s").max(default("reply.deadline_s"));
    assert!(number(NGINX, "proxy_read_timeout") > longest);
    assert_eq!(number(NGINX, "client_max_body_size"), 22);
    for file in ["chatkeep.service", "nginx.conf", "Caddyfile"] {
        assert!(OPERATING.contains(&format!("deploy/{file}")), "{file}");
    }
}

#[test]
fn the_units_command_is_one() {
    let start = UNIT
        .lines()
        .find_map(|line| line.strip_prefix("ExecStart="));
    let mut words = start.unwrap().split_whitespace();
    assert_eq!(words.next(), Some("/usr/local/bin/chatkeep"));
    let folder = TempDir::new().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_chatkeep"))
        .args(words.filter(|word| !word.ends_with(".toml")))
        .arg("nowhere.toml")
        .current_dir(folder.path())
        .env_clear()
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{printed}");
    assert!(printed.contains("nowhere.toml"), "{printed}");
}

/// A reload signals the process, which the service takes for one (see tests/reload.rs).
#[test]
fn the_unit_reloads_by_hangup() {
    let reload = UNIT
        .lines()
        .find_map(|line| line.strip_prefix("ExecReload="));
    assert_eq!(reload, Some("/bin/kill -HUP $MAINPID"));
    let logs = UNIT
        .lines()
        .find_map(|line| line.strip_prefix("LogsDirectory="));
    let file = default_of("log.file");
    assert_eq!(
        Path::new(&file).parent(),
        Some(&*Path::new("/var/log").join(logs.unwrap()))
    );
}

/// What is pasted into n8n: it signs what it sends, in the way that is asked for.
#[test]
fn the_guides_flow_makes_sense() {
    let start = WEBHOOKS.find("{\"name\": \"To Chatkeep\"").unwrap();
    let flow = WEBHOOKS[start..].split("```").next().unwrap();
    let flow: Value = serde_json::from_str(flow).unwrap();
    let of = |name: &str| {
        let nodes = flow["nodes"].as_array().unwrap();
        let node = nodes.iter().find(|node| node["name"] == name);
        node.unwrap()["parameters"].clone()
    };
    let (sign, send) = (of("Sign"), of("Send"));
    assert_eq!(
        (&sign["action"], &sign["type"], &sign["encoding"]),
        (&json!("hmac"), &json!("SHA256"), &json!("hex"))
    );
    assert_eq!(send["body"], sign["value"]);
    let headers = send["headerParameters"]["parameters"].to_string();
    for name in ["X-Webhook-Signature", "X-Webhook-Id"] {
        assert!(headers.contains(name), "{headers}");
    }
}

/// A proxy at work; ended when dropped.
struct Proxy {
    child: Child,
    address: SocketAddr,
}

impl Proxy {
    /// `configure` makes its configuration of the service's address and its own.
    fn start(
        arguments: &[&str],
        folder: &Path,
        service: SocketAddr,
        configure: impl Fn(String, SocketAddr) -> String,
        template: &str,
    ) -> Self {
        let address = free_address();
        let text = template.replace(SERVICE, &service.to_string());
        let file = folder.join("proxy.conf");
        std::fs::write(&file, configure(text, address)).unwrap();
        let (program, arguments) = arguments.split_first().unwrap();
        let child = Command::new(program)
            .args(arguments)
            .arg(&file)
            .current_dir(folder)
            .env("HOME", folder)
            .stdout(Stdio::null())
            .stderr(std::fs::File::create(folder.join("proxy.log")).unwrap())
            .spawn()
            .unwrap();
        Self { child, address }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn free_address() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap()
}

async fn everything_goes_through(program: &str, start: impl Fn(&str, &Path, SocketAddr) -> Proxy) {
    let folder = TempDir::new().unwrap();
    let settings = [
        ("CHATKEEP_SERVER_TRUSTED_PROXIES", "127.0.0.1"),
        (
            "CHATKEEP_IDENTITY_HS256_SECRET",
            "an-identity-secret-of-at-least-32-bytes",
        ),
    ];
    let mut service = Process::start(&folder.path().join("chatkeep.db"), &settings).unwrap();
    let proxy = start(program, folder.path(), service.address);
    eventually("the proxy is there", async || {
        let answer = ask(proxy.address, &get("/health")).await;
        answer.is_some_and(|answer| answer.status == 200)
    })
    .await;

    let mut relay = RelaySocket::open(proxy.address, "bridge", &token("bridge"))
        .await
        .unwrap();
    let body = direct("+15550101", "remind me in 1 second to stretch");
    let message = post("/edge/message", &body).bearer(&token("bridge"));
    assert_eq!(ask(proxy.address, &message).await.unwrap().status, 200);
    let command = relay.command().await;
    let text = command["payload"]["text"].as_str().unwrap();
    assert!(text.contains("stretch"), "{text}");
    relay.ack(&command, "completed").await;
    relay.settle().await;

    let large = post("/edge/message", &direct("+15550101", &"x".repeat(300_000)));
    let refused = ask(proxy.address, &large.bearer(&token("bridge"))).await;
    let refused = refused.unwrap();
    assert_eq!(
        (refused.status, refused.code()),
        (413, "payload_too_large".to_owned())
    );

    // A forged address is dropped, the caller's own arrives.
    let person = person(folder.path());
    let app = json!({"name": "a", "actions": [{"action_id": "a", "kind": "send_message", "template": "x"}]});
    let created = ask(
        proxy.address,
        &post("/marketplace/apps", &app).bearer(&person),
    )
    .await;
    let app = created.unwrap().json()["app_id"]
        .as_str()
        .unwrap()
        .to_owned();
    let webhooks = format!("/marketplace/webhooks/{app}");
    let of = post(&webhooks, &json!({"action_id": "a"})).bearer(&person);
    let webhook = ask(proxy.address, &of).await.unwrap().json();
    let id = webhook["webhook_id"].as_str().unwrap();
    let call = post(&format!("/webhooks/{id}"), &json!({}))
        .header("X-Webhook-Signature", "00")
        .header("X-Forwarded-For", "203.0.113.9");
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.5:0".parse().unwrap()).unwrap();
    let mut stream = socket.connect(proxy.address).await.unwrap();
    stream.write_all(&call.bytes()).await.unwrap();
    assert_eq!(read_answer(&mut stream).await.status, 401);
    let events = get(&format!("{webhooks}/{id}/events")).bearer(&person);
    let events = ask(proxy.address, &events).await.unwrap().json();
    assert_eq!(events["events"][0]["ip_address"], "127.0.0.5", "{events}");

    service.signal("TERM");
    let closed = relay.closed().await.unwrap();
    assert_eq!(u16::from(closed.code), 1012);
    assert!(service.ended(PATIENCE).success());
}

fn person(folder: &Path) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_chatkeep"))
        .args(["token", "user", "--phone", "+15550101"])
        .env_clear()
        .env("CHATKEEP_STORAGE_PATH", folder.join("chatkeep.db"))
        .env(
            "CHATKEEP_IDENTITY_HS256_SECRET",
            "an-identity-secret-of-at-least-32-bytes",
        )
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nginx: CHATKEEP_TEST_NGINX=/usr/sbin/nginx"]
async fn everything_goes_through_nginx() {
    let program = std::env::var("CHATKEEP_TEST_NGINX").unwrap();
    everything_goes_through(&program, |program, folder, service| {
        let configure = |text: String, address: SocketAddr| {
            let plain = text
                .replace("443 ssl http2", &address.to_string())
                .replace("listen 80", &format!("listen {}", free_address()));
            let without_tls = plain.lines().filter(|line| !line.contains("ssl_"));
            let server: String = without_tls.map(|line| format!("{line}\n")).collect();
            let folder_path = folder.display();
            format!(
                "daemon off; master_process off; pid {folder_path}/pid; error_log {folder_path}/log;\n\
                 events {{}}\nhttp {{ access_log off;\n{server}}}\n"
            )
        };
        let prefix = folder.to_str().unwrap();
        Proxy::start(
            &[program, "-p", prefix, "-c"],
            folder,
            service,
            configure,
            NGINX,
        )
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Caddy: CHATKEEP_TEST_CADDY=/usr/bin/caddy"]
async fn everything_goes_through_caddy() {
    let program = std::env::var("CHATKEEP_TEST_CADDY").unwrap();
    everything_goes_through(&program, |program, folder, service| {
        let configure = |text: String, address: SocketAddr| {
            let of = format!("\nhttp://:{} {{\n", address.port());
            let site = text.replace(&format!("\n{NAME} {{\n"), &of);
            format!("{{\n\tadmin off\n}}\n{site}")
        };
        let arguments = [program, "run", "--adapter", "caddyfile", "--config"];
        Proxy::start(&arguments, folder, service, configure, CADDY)
    })
    .await;
}

/// An idle service holds twice as much with them.
#[cfg(target_os = "linux")]
#[test]
fn it_takes_its_memory_in_small_pages() {
    let folder = tempfile::tempdir().unwrap();
    let service = Process::start(&folder.path().join("chatkeep.db"), &[]).unwrap();
    let status = std::fs::read_to_string(format!("/proc/{}/status", service.id())).unwrap();
    let huge = status
        .lines()
        .find_map(|line| line.strip_prefix("THP_enabled:"));
    // A kernel that doesn't tell is older than that line.
    assert!(huge.is_none_or(|huge| huge.trim() == "0"), "{huge:?}");
}
