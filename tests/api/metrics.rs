//! `GET /metrics`: the numbers as Prometheus reads them, for operators only.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::support::mem0::Mem0;
use crate::support::model_server::{Mode, ModelServer};
use crate::support::{ADMIN_TOKEN, Answer, Service, direct, eventually, get, post, request, token};
use chatkeep::clock::Clock;
use serde_json::json;

/// A page as its rules have it: families, each with its help, its type and its samples.
struct Page {
    kinds: HashMap<String, String>,
    samples: BTreeMap<String, f64>,
}

impl Page {
    async fn of(service: &Service) -> Self {
        let answer = service.admin("GET", "/metrics", &json!(null)).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        let content_type = answer.header("content-type");
        assert_eq!(
            content_type,
            Some("text/plain; version=0.0.4; charset=utf-8")
        );
        Self::read(&answer.text)
    }

    /// Panics where the text breaks a rule of the format.
    fn read(text: &str) -> Self {
        let (mut kinds, mut helped) = (HashMap::new(), HashSet::new());
        let mut samples = BTreeMap::new();
        let mut family = String::new();
        assert!(text.ends_with('\n'));
        for line in text.lines() {
            if let Some(help) = line.strip_prefix("# HELP ") {
                let (name, help) = help.split_once(' ').unwrap();
                assert!(help.ends_with('.'), "{line}");
                assert!(helped.insert(name.to_owned()), "{line}");
                family = name.to_owned();
            } else if let Some(kind) = line.strip_prefix("# TYPE ") {
                let (name, kind) = kind.split_once(' ').unwrap();
                assert_eq!(name, family);
                kinds.insert(name.to_owned(), kind.to_owned());
            } else {
                let (series, value) = line.rsplit_once(' ').unwrap();
                let name = series.split('{').next().unwrap();
                assert!(name.starts_with(&family), "{line} under {family}");
                let value = value.replace("+Inf", "inf").parse().unwrap();
                assert_eq!(samples.insert(series.to_owned(), value), None, "{line}");
            }
        }
        for (name, kind) in &kinds {
            assert_eq!(kind == "counter", name.ends_with("_total"), "{name}");
        }
        Self { kinds, samples }
    }

    fn value(&self, series: &str) -> f64 {
        let value = self.samples.get(series);
        *value.unwrap_or_else(|| panic!("no {series} in {:#?}", self.samples))
    }

    fn has(&self, series: &str) -> bool {
        self.samples.contains_key(series)
    }
}

fn requests(method: &str, route: &str, status: u16) -> String {
    format!(
        "chatkeep_http_requests_total{{method=\"{method}\",route=\"{route}\",status=\"{status}\"}}"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn every_kind_of_number_is_told() {
    let clock = Clock::fixed(Clock::system().now());
    let folder = tempfile::tempdir().unwrap();
    let service = Service::in_folder(folder, &[], clock.clone()).await;
    clock.advance(5_000);
    let page = Page::of(&service).await;
    for (family, kind) in [
        ("chatkeep_build_info", "gauge"),
        ("chatkeep_uptime_seconds", "gauge"),
        ("chatkeep_http_connections", "gauge"),
        ("chatkeep_http_connections_refused_total", "counter"),
        ("chatkeep_http_requests_in_progress", "gauge"),
        ("chatkeep_panics_total", "counter"),
        ("chatkeep_writer_queue_writes", "gauge"),
        ("chatkeep_writer_batch_writes", "histogram"),
        ("chatkeep_writer_commit_duration_seconds", "histogram"),
        ("chatkeep_writer_failures_total", "counter"),
        ("chatkeep_writer_refused_total", "counter"),
        ("chatkeep_database_bytes", "gauge"),
        ("chatkeep_database_writable", "gauge"),
        ("chatkeep_wal_bytes", "gauge"),
        ("chatkeep_clock_jumped", "gauge"),
        ("chatkeep_relays_connected", "gauge"),
        ("chatkeep_commands_unfinished", "gauge"),
        ("chatkeep_commands_oldest_unfinished_age_seconds", "gauge"),
        ("chatkeep_cache_hits_total", "counter"),
        ("chatkeep_cache_misses_total", "counter"),
        ("chatkeep_cache_entries", "gauge"),
        ("chatkeep_replies_pending", "gauge"),
        ("chatkeep_replies_late_total", "counter"),
        ("chatkeep_provider_calls_total", "counter"),
        ("chatkeep_provider_failures_total", "counter"),
        ("chatkeep_job_runs_total", "counter"),
        ("chatkeep_job_failures_total", "counter"),
        ("process_cpu_seconds_total", "counter"),
        ("process_resident_memory_bytes", "gauge"),
        ("process_open_fds", "gauge"),
        ("process_max_fds", "gauge"),
        ("process_start_time_seconds", "gauge"),
    ] {
        let found = page.kinds.get(family).map(String::as_str);
        assert_eq!(found, Some(kind), "{family}");
    }
    assert_eq!(page.value("chatkeep_uptime_seconds"), 5.0);
    assert_eq!(page.value("chatkeep_database_writable"), 1.0);
    // This one.
    assert_eq!(page.value("chatkeep_http_requests_in_progress"), 1.0);
    assert!(page.value("process_resident_memory_bytes") > 1e6);
    let started_at = page.value("process_start_time_seconds");
    let ago = Clock::system().now().seconds() as f64 - started_at;
    assert!((-2.0..86_400.0).contains(&ago), "{ago}");
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_are_counted_by_row_and_status() {
    let service = Service::start().await;
    let answer = service
        .edge_message("a", &direct("+15550101", "hello"))
        .await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    for path in ["/nowhere", "/admin/secret-7", "/account/export/x/y/z"] {
        assert_eq!(service.send(&get(path)).await.status, 404);
    }
    let frob = service.send(&request("FROB", "/health")).await;
    assert_eq!(frob.status, 405);
    for id in ["one", "two"] {
        let path = format!("/admin/users/{id}");
        let answer = service.admin("GET", &path, &json!(null)).await;
        assert_eq!(answer.status, 404, "{}", answer.text);
    }
    let page = Page::of(&service).await;
    assert_eq!(page.value(&requests("POST", "/edge/message", 200)), 1.0);
    assert_eq!(page.value(&requests("any", "unmatched", 404)), 3.0);
    assert_eq!(page.value(&requests("any", "unmatched", 405)), 1.0);
    assert_eq!(
        page.value(&requests("GET", "/admin/users/{user_id}", 404)),
        2.0
    );
    let family = "chatkeep_http_request_duration_seconds";
    let labels = "method=\"POST\",route=\"/edge/message\"";
    assert_eq!(page.value(&format!("{family}_count{{{labels}}}")), 1.0);
    assert_eq!(
        page.value(&format!("{family}_bucket{{{labels},le=\"+Inf\"}}")),
        1.0
    );
    assert!(page.value(&format!("{family}_sum{{{labels}}}")) > 0.0);
    assert!(page.value("chatkeep_writer_commit_duration_seconds_count") >= 1.0);
    assert!(page.value("chatkeep_writer_batch_writes_sum") >= 1.0);
    // Nothing that a client sent is a label.
    for series in page.samples.keys() {
        for sent in ["secret-7", "one", "two", "FROB", "15550101"] {
            assert!(!series.contains(&format!("\"{sent}\"")), "{series}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_relays_have_not_finished_is_told_with_its_age() {
    let clock = Clock::fixed(Clock::system().now());
    let folder = tempfile::tempdir().unwrap();
    let service = Service::in_folder(folder, &[], clock.clone()).await;
    let text = "remind me in 20 seconds to stretch";
    let answer = service.edge_message("a", &direct("+15550101", text)).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let page = Page::of(&service).await;
    assert_eq!(page.value("chatkeep_commands_unfinished"), 0.0);
    assert_eq!(
        page.value("chatkeep_commands_oldest_unfinished_age_seconds"),
        0.0
    );
    clock.advance(21_000);
    eventually("the reminder is a command", async || {
        let rows = service.rows("SELECT count(*) FROM commands");
        rows[0][0] == 1
    })
    .await;
    clock.advance(40_000);
    let page = Page::of(&service).await;
    assert_eq!(page.value("chatkeep_commands_unfinished"), 1.0);
    assert_eq!(
        page.value("chatkeep_commands_oldest_unfinished_age_seconds"),
        40.0
    );
    assert_eq!(page.value("chatkeep_relays_connected"), 0.0);
    assert!(page.value("chatkeep_job_runs_total{job=\"reminders\"}") >= 1.0);
    assert!(page.has("chatkeep_job_last_success_timestamp_seconds{job=\"reminders\"}"));
    let mut relay = service.relay("a").await;
    let command = relay.command().await;
    relay.ack(&command, "completed").await;
    eventually("the command is finished", async || {
        let page = Page::of(&service).await;
        assert_eq!(page.value("chatkeep_relays_connected"), 1.0);
        page.value("chatkeep_commands_unfinished") == 0.0
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn refusals_are_counted_by_limit() {
    let service = Service::start().await;
    service
        .set_flag("rate_limit.user_messages_per_minute", 1)
        .await;
    let message = direct("+15550101", "hello");
    let statuses = [
        service.edge_message("a", &message).await.status,
        service.edge_message("a", &message).await.status,
        service.edge_message("a", &message).await.status,
    ];
    assert_eq!(statuses, [200, 429, 429]);
    service.set_flag("rate_limit.commands_per_minute", 1).await;
    let mut line = String::new();
    for _ in 0..2 {
        let answer = service
            .edge_message("a", &direct("+15550102", "status"))
            .await;
        service
            .set_flag("rate_limit.user_messages_per_minute", 9)
            .await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        assert_ne!(answer.text, line);
        line = answer.text;
    }
    let user = service.user_token(&service.user_id("+15550101"));
    for _ in 0..4 {
        let path = "/api/v1/payment/checkout/subscription";
        service.send(&post(path, &json!({})).bearer(&user)).await;
    }
    let page = Page::of(&service).await;
    let limited = |limit| format!("chatkeep_rate_limited_total{{limit=\"{limit}\"}}");
    assert_eq!(page.value(&limited("messages")), 2.0);
    assert_eq!(page.value(&limited("checkout")), 1.0);
    assert_eq!(page.value(&limited("commands")), 1.0);
    let cached = |what| format!("chatkeep_cache_{what}{{cache=\"tokens\"}}");
    assert_eq!(page.value(&cached("misses_total")), 1.0);
    assert_eq!(page.value(&cached("hits_total")), 3.0);
    assert_eq!(page.value(&cached("entries")), 1.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn numbers_are_the_operators_alone() {
    let service = Service::start().await;
    for credential in [None, Some(token("a")), Some(format!("{ADMIN_TOKEN}x"))] {
        let mut request = get("/metrics");
        if let Some(credential) = credential {
            request = request.bearer(&credential);
        }
        let answer: Answer = service.send(&request).await;
        assert_eq!(answer.status, 401, "{}", answer.text);
        assert_eq!(answer.code(), "unauthorized");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn those_outside_are_counted_with_what_they_cost_and_how_they_fail() {
    let (model, memories) = (ModelServer::start().await, Mem0::start());
    let mut settings = model.settings();
    let beside = memories.settings().into_iter();
    settings.extend(beside.map(|(name, value)| (name.to_owned(), value)));
    let settings: Vec<(&str, &str)> = settings
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    let service = Service::with(&settings).await;
    let say = async |text: &str| {
        let answer = service.edge_message("a", &direct("+15550101", text)).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    };
    say("what is the sea made of?").await;
    model.next(Mode::Garbage);
    say("and the sky?").await;
    memories.set_mode("500");
    say("what do you remember about tea?").await;
    let page = Page::of(&service).await;
    assert_eq!(page.value("chatkeep_model_calls_total"), 3.0);
    assert_eq!(page.value("chatkeep_model_duration_seconds_count"), 3.0);
    let garbled = "chatkeep_model_failures_total{failure=\"garbled\"}";
    assert_eq!(page.value(garbled), 1.0);
    assert!(page.value("chatkeep_model_tokens_total{kind=\"prompt\"}") > 0.0);
    assert!(page.value("chatkeep_model_tokens_total{kind=\"completion\"}") > 0.0);
    assert_eq!(page.value("chatkeep_model_calls_in_progress"), 0.0);
    assert_eq!(page.value("chatkeep_model_calls_waiting"), 0.0);
    eventually("no reply is pending", async || {
        let page = Page::of(&service).await;
        page.value("chatkeep_replies_pending") == 0.0
    })
    .await;
    let memory = |what| format!("chatkeep_provider_{what}_total{{provider=\"memory\"}}");
    let (calls, failures) = (
        page.value(&memory("calls")),
        page.value(&memory("failures")),
    );
    assert!(failures >= 1.0 && calls >= failures, "{calls} {failures}");
    // Who is not configured is not asked.
    assert!(!page.has("chatkeep_provider_calls_total{provider=\"payment\"}"));
}

/// `CHATKEEP_TEST_PROMTOOL=promtool cargo test --test api promtool -- --ignored`
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs promtool, of Prometheus"]
async fn promtool_finds_nothing_to_say() {
    let promtool = std::env::var("CHATKEEP_TEST_PROMTOOL").expect("where promtool is");
    let service = Service::start().await;
    service
        .edge_message("a", &direct("+15550101", "hello"))
        .await;
    service.send(&get("/nowhere")).await;
    let answer = service.admin("GET", "/metrics", &json!(null)).await;
    let page = service.folder.path().join("page");
    std::fs::write(&page, &answer.text).unwrap();
    let checked = std::process::Command::new(promtool)
        .args(["check", "metrics"])
        .stdin(std::fs::File::open(&page).unwrap())
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&checked.stderr).into_owned();
    assert!(checked.status.success() && printed.is_empty(), "{printed}");
}
