//! Ten thousand connected calendars in one process: how many servers are asked at once, what
//! that takes of processor and memory. Not run with the others: it takes minutes and measures.
//! `cargo test --release --test many_calendars -- --ignored --nocapture`

#![allow(clippy::unwrap_used)]

mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use chatkeep::auth::seal::Sealer;
use serde_json::{Value, json};
use support::process::Process;
use support::rows;

const CALENDARS: usize = 10_000;
const EVENTS: usize = 20;
const FETCHES_MAX: usize = 16;
/// Share of two cores between changes.
const CPU_PERCENT_MAX: f64 = 2.0;
const MEMORY_GROWTH_MB_MAX: u64 = 100;
/// What the process holds itself, without the pages of its database that the system keeps.
const MEMORY: &str = "RssAnon:";
const MEASURED: Duration = Duration::from_secs(60);
/// After a start everybody's messages are planned anew: until that takes less than this …
const PLANNED_CPU_S: f64 = 0.3;
/// … of so long.
const PLANNING_LOOK: Duration = Duration::from_secs(3);
/// Until the measurement begins, and every calendar's turn after that.
const SETTLE_MS: i64 = 5_000;
const INTERVAL_MS: i64 = 300_000;
const SETTINGS: [(&str, &str); 3] = [
    ("CHATKEEP_SERVICES_ALLOW_PRIVATE", "true"),
    ("CHATKEEP_SERVICES_ALLOWED_HOSTS", "127.0.0.1"),
    ("CHATKEEP_STORAGE_DURABILITY", "normal"),
];

/// A server of calendars that never change.
#[derive(Clone, Default)]
struct CalendarServer {
    requests: Arc<AtomicUsize>,
    unchanged: Arc<AtomicUsize>,
    open: Arc<AtomicUsize>,
    open_max: Arc<AtomicUsize>,
}

impl CalendarServer {
    fn start(&self) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let server = self.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let server = server.clone();
                std::thread::spawn(move || server.answer(stream.unwrap()));
            }
        });
        address
    }

    fn answer(&self, mut stream: TcpStream) {
        let open = self.open.fetch_add(1, Ordering::SeqCst) + 1;
        self.open_max.fetch_max(open, Ordering::SeqCst);
        let mut head = String::new();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head).unwrap_or(0) > 0 {}
        let is_known = head.contains("if-none-match: \"1\"");
        let (status, body) = match is_known {
            true => (304, String::new()),
            false => (200, calendar()),
        };
        let _ = write!(
            stream,
            "HTTP/1.1 {status} X\r\nETag: \"1\"\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        );
        self.requests.fetch_add(1, Ordering::SeqCst);
        self.unchanged
            .fetch_add(usize::from(is_known), Ordering::SeqCst);
        // Closed on both ends, it is over.
        self.open.fetch_sub(1, Ordering::SeqCst);
        let _ = stream.read(&mut [0; 1]);
    }
}

/// One weekly event, and others in the months ahead.
fn calendar() -> String {
    let now = chatkeep::clock::Clock::system().now();
    let event = |n: usize| {
        let at = now.plus_s(86_400 * (n as i64 + 1)).utc();
        let rule = if n == 0 {
            "RRULE:FREQ=WEEKLY;COUNT=20\r\n"
        } else {
            ""
        };
        format!(
            "BEGIN:VEVENT\r\nUID:{n}\r\nSUMMARY:Event {n}\r\nDTSTART:{}\r\n{rule}END:VEVENT\r\n",
            at.format("%Y%m%dT%H%M%SZ")
        )
    };
    let events: String = (0..EVENTS).map(event).collect();
    format!("BEGIN:VCALENDAR\r\n{events}END:VCALENDAR\r\n")
}

/// Connects a calendar for each of as many people.
fn fill(database: &Path, address: SocketAddr) {
    let key = std::fs::read_to_string(database.with_file_name("sealing.key")).unwrap();
    let sealer = Sealer::new(key.trim());
    let mut conn = rusqlite::Connection::open(database).unwrap();
    let tx = conn.transaction().unwrap();
    for n in 0..CALENDARS {
        let id = format!("00000000-0000-4000-8000-{n:012}");
        let credentials = json!({"kind": "ics", "url": format!("http://{address}/{n}.ics")});
        tx.execute(
            "INSERT INTO users (id, user_id, phone, created_at) VALUES (?1, ?2, ?3, 1)",
            (1_000 + n as i64, &id, format!("+1555{n:07}")),
        )
        .unwrap();
        tx.execute(
            "INSERT INTO connected_services (service_id, user_id, kind, name, scope, host,
               credentials, connected_at, next_sync_at)
             VALUES (?1, ?2, 'ics', 'n', 'calendar.read', '127.0.0.1', ?3, 1, 1)",
            (
                &id,
                1_000 + n as i64,
                sealer.seal(&id, &credentials.to_string()),
            ),
        )
        .unwrap();
    }
    tx.commit().unwrap();
}

/// Everybody's turn comes once in an interval that begins after this.
fn spread(database: &Path, after_ms: i64) {
    let now = chatkeep::clock::Clock::system().now().0;
    let conn = rusqlite::Connection::open(database).unwrap();
    conn.execute(
        "UPDATE connected_services SET next_sync_at = ?1 + id * ?2 / (SELECT max(id) FROM connected_services)",
        (now + after_ms, INTERVAL_MS),
    )
    .unwrap();
}

fn status_kb(process: &Process, name: &str) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{}/status", process.id())).unwrap();
    let line = text.lines().find(|line| line.starts_with(name)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Waits until what is planned at a start is planned. How long that took, of processor time.
fn planned_cpu_s(process: &Process) -> f64 {
    let began = cpu_s(process);
    let started = Instant::now();
    loop {
        let before = cpu_s(process);
        std::thread::sleep(PLANNING_LOOK);
        if cpu_s(process) - before < PLANNED_CPU_S {
            return before - began;
        }
        assert!(started.elapsed() < Duration::from_secs(600));
    }
}

/// Seconds of processor time, of the process and the kernel for it.
fn cpu_s(process: &Process) -> f64 {
    let text = std::fs::read_to_string(format!("/proc/{}/stat", process.id())).unwrap();
    let fields: Vec<&str> = text
        .rsplit(')')
        .next()
        .unwrap()
        .split_whitespace()
        .collect();
    let ticks: f64 = fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap();
    ticks / 100.0
}

#[test]
#[ignore = "takes minutes and measures"]
fn ten_thousand_calendars_are_kept_in_step() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("chatkeep.db");
    let server = CalendarServer::default();
    let address = server.start();
    let mut idle = Process::start(&database, &SETTINGS).unwrap();
    idle.kill();
    fill(&database, address);

    let mut service = Process::start(&database, &SETTINGS).unwrap();
    let before_kb = status_kb(&service, MEMORY);
    let mut peak_kb = before_kb;
    let started = Instant::now();
    let left = "SELECT count(*) FROM connected_services WHERE last_sync_at IS NULL";
    while rows(&database, left) != [[Value::from(0)]] {
        std::thread::sleep(Duration::from_millis(500));
        peak_kb = peak_kb.max(status_kb(&service, MEMORY));
        assert!(
            started.elapsed() < Duration::from_secs(1_200),
            "{}",
            service.log()
        );
    }
    let (first_s, first_cpu_s) = (started.elapsed().as_secs_f64(), cpu_s(&service));
    service.kill();

    // Nothing is due yet.
    spread(&database, INTERVAL_MS);
    let mut service = Process::start(&database, &SETTINGS).unwrap();
    let planned_cpu_s = planned_cpu_s(&service);
    spread(&database, SETTLE_MS);
    std::thread::sleep(Duration::from_millis(SETTLE_MS as u64));
    let fresh_kb = status_kb(&service, MEMORY);
    let (asked, cpu) = (server.requests.load(Ordering::SeqCst), cpu_s(&service));
    std::thread::sleep(MEASURED);
    let asked = server.requests.load(Ordering::SeqCst) - asked;
    let percent = (cpu_s(&service) - cpu) / MEASURED.as_secs_f64() / 2.0 * 100.0;
    let growth_mb = status_kb(&service, MEMORY).saturating_sub(fresh_kb) / 1024;
    println!(
        "first: {CALENDARS} in {first_s:.0} s, {first_cpu_s:.0} s of processor time, {} MB more at most; \
         planned after a start in {planned_cpu_s:.0} s of processor time; then: {asked} in {} s, {percent:.2} % of two cores, {growth_mb} MB more; at most {} at once",
        (peak_kb - before_kb) / 1024,
        MEASURED.as_secs(),
        server.open_max.load(Ordering::SeqCst),
    );
    service.kill();
    assert!(server.open_max.load(Ordering::SeqCst) <= FETCHES_MAX);
    assert!(server.unchanged.load(Ordering::SeqCst) > 0);
    assert!((peak_kb - before_kb) / 1024 < MEMORY_GROWTH_MB_MAX);
    assert!(percent < CPU_PERCENT_MAX, "{percent}");
    assert!(growth_mb < MEMORY_GROWTH_MB_MAX, "{growth_mb}");
    // Everybody's turn came as it should.
    let expected = CALENDARS as u64 * MEASURED.as_secs() * 1000 / INTERVAL_MS as u64;
    assert!(asked as u64 > expected / 2, "{asked} of {expected}");
}
