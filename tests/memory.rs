//! Memories in an external service: what is said is kept here first and there as soon as
//! possible, what is kept there is recalled and forgotten, and its absence is said, not felt.

#![allow(clippy::unwrap_used)]

mod support;

use std::time::{Duration, Instant};

use chatkeep::account::erasure::PurgeRun;
use chatkeep::clock::Clock;
use chatkeep::memory::{MemoryQuery, ServiceMemories, mem0};
use serde_json::{Value, json};
use support::mem0::{KEY, Mem0};
use support::process::Process;
use support::{Service, direct, eventually, get, post, request, token};

const PHONE: &str = "+15550101";

async fn service(mem0: &Mem0) -> Service {
    in_folder(mem0, tempfile::tempdir().unwrap(), Clock::system()).await
}

async fn in_folder(mem0: &Mem0, folder: tempfile::TempDir, clock: Clock) -> Service {
    let settings = mem0.settings();
    let settings: Vec<(&str, &str)> = settings.iter().map(|(k, v)| (*k, v.as_str())).collect();
    Service::in_folder(folder, &settings, clock).await
}

async fn say(service: &Service, text: &str) -> String {
    let answer = service.edge_message("a", &direct(PHONE, text)).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()["reply_text"].as_str().unwrap().to_owned()
}

async fn settled(service: &Service) {
    eventually("the service knows", async || {
        service
            .rows("SELECT 1 FROM memory_tasks WHERE done_at IS NULL")
            .is_empty()
    })
    .await;
}

async fn exported(service: &Service) -> Value {
    let token = service.user_token(&service.user_id(PHONE));
    let call = request("POST", "/account/export").bearer(&token);
    let job = service.send(&call).await.json();
    let path = format!("/account/export/{}", job["job_id"].as_str().unwrap());
    let start = Instant::now();
    while service.send(&get(&path).bearer(&token)).await.json()["status"] != "ready" {
        assert!(start.elapsed() < Duration::from_secs(20));
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let path = format!("{path}/download");
    service.send(&get(&path).bearer(&token)).await.json()
}

fn texts(document: &Value) -> Vec<&str> {
    let memories = document["memories"].as_array().unwrap().iter();
    memories.map(|m| m["text"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_remembered_is_kept_there_and_comes_back() {
    let mem0 = Mem0::start();
    let service = service(&mem0).await;
    say(&service, "remember that my cat is called Ada").await;
    settled(&service).await;
    let user_id = service.user_id(PHONE);
    assert_eq!(mem0.texts(&user_id), ["my cat is called Ada"]);
    let stored = &mem0.memories()[0];
    let local = service.rows("SELECT memory_id FROM memories");
    assert_eq!(stored["metadata"]["kept_for"], local[0][0]);
    assert_eq!(stored["metadata"]["category"], "said");
    mem0.put(
        &user_id, "the user's favourite tea is Assam", "2026-01-01T00:00:00Z",
    );
    let all = say(&service, "what do you remember?").await;
    assert!(all.contains("Ada") && all.contains("Assam"), "{all}");
    assert_eq!(
        all.matches("Ada").count(),
        1,
        "kept in both, said once: {all}"
    );
    let tea = say(&service, "what do you remember about tea?").await;
    assert!(tea.contains("Assam") && !tea.contains("Ada"), "{tea}");
    let document = exported(&service).await;
    assert_eq!(
        texts(&document),
        ["my cat is called Ada", "the user's favourite tea is Assam"]
    );
    assert_eq!(document["memories"][0]["category"], "said");
    assert_eq!(
        document["memories"][1]["created_at"],
        "2026-01-01T00:00:00.000Z"
    );
    assert_eq!(document["omitted"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_minute_later_only_the_service_keeps_it() {
    let mem0 = Mem0::start();
    let clock = Clock::fixed(Clock::system().now());
    let service = in_folder(&mem0, tempfile::tempdir().unwrap(), clock.clone()).await;
    say(&service, "remember that my cat is called Ada").await;
    settled(&service).await;
    clock.advance(61_000);
    eventually("the copy here is gone", async || {
        service.rows("SELECT 1 FROM memories").is_empty()
            && service.rows("SELECT 1 FROM memory_tasks").is_empty()
    })
    .await;
    let answer = say(&service, "what do you remember about my cat?").await;
    assert!(answer.contains("Ada"), "{answer}");
    let document = exported(&service).await;
    assert_eq!(texts(&document), ["my cat is called Ada"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_forgotten_is_forgotten_there() {
    let mem0 = Mem0::start();
    let service = service(&mem0).await;
    say(&service, "hello").await;
    let user_id = service.user_id(PHONE);
    mem0.put(
        &user_id, "the user's favourite tea is Assam", "2026-01-01T00:00:00Z",
    );
    mem0.put(&user_id, "the user has a bike", "2026-01-02T00:00:00Z");
    mem0.put("somebody-else", "likes tea as well", "2026-01-02T00:00:00Z");
    say(&service, "remember that my cat is called Ada").await;
    let all = say(&service, "what do you remember?").await;
    assert!(all.contains("Assam"), "now it is cached: {all}");
    let question = say(&service, "forget about tea").await;
    assert!(question.contains("Assam"), "{question}");
    assert_eq!(say(&service, "yes").await, "Okay, I've forgotten that.");
    let all = say(&service, "what do you remember?").await;
    assert!(!all.contains("Assam") && all.contains("bike"), "{all}");
    settled(&service).await;
    say(&service, "forget about my cat").await;
    say(&service, "yes").await;
    settled(&service).await;
    assert_eq!(mem0.texts(&user_id), ["the user has a bike"]);
    say(&service, "forget everything").await;
    let answer = say(&service, "yes").await;
    assert_eq!(answer, "Okay, I've forgotten the one thing I remembered.");
    let all = say(&service, "what do you remember?").await;
    assert!(!all.contains("bike"), "{all}");
    settled(&service).await;
    assert_eq!(mem0.texts(&user_id), Vec::<String>::new());
    assert_eq!(mem0.texts("somebody-else").len(), 1);
    say(&service, "remember that it starts anew").await;
    let all = say(&service, "what do you remember?").await;
    assert!(all.contains("anew") && !all.contains("Ada"), "{all}");
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_are_cached_for_as_long_as_the_flag_says() {
    let mem0 = Mem0::start();
    let clock = Clock::fixed(Clock::system().now());
    let service = in_folder(&mem0, tempfile::tempdir().unwrap(), clock.clone()).await;
    service.set_flag("cache.memory.ttl_seconds", 60).await;
    say(&service, "hello").await;
    let user_id = service.user_id(PHONE);
    let lists = || {
        mem0.requests()
            .iter()
            .filter(|line| line.starts_with("GET /memories?"))
            .count()
    };
    assert_eq!(lists(), 0, "nobody asked for memories");
    for _ in 0..3 {
        say(&service, "what do you remember?").await;
    }
    assert_eq!(lists(), 1);
    mem0.put(&user_id, "the user has a bike", "2026-01-02T00:00:00Z");
    clock.advance(59_999);
    let answer = say(&service, "what do you remember?").await;
    assert!(!answer.contains("bike"), "{answer}");
    clock.advance(1);
    let answer = say(&service, "what do you remember?").await;
    assert!(answer.contains("bike"), "{answer}");
    assert_eq!(lists(), 2);
    let requests = mem0.requests();
    assert!(
        requests.contains(&format!("GET /memories?user_id={user_id}&top_k=1000")),
        "{requests:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_service_the_rest_goes_on_and_it_is_said() {
    for mode in ["500", "401", "garbage", "shape", "huge", "redirect", "429"] {
        let mem0 = Mem0::start();
        mem0.set_mode(mode);
        let service = service(&mem0).await;
        let answer = say(&service, "remember that my cat is called Ada").await;
        assert!(answer.contains("Ada"), "{mode}: {answer}");
        let answer = say(&service, "what do you remember about my cat?").await;
        assert!(
            answer.starts_with("You told me: my cat is called Ada"),
            "{mode}: {answer}"
        );
        assert!(
            answer.contains("can't reach all of my memory"),
            "{mode}: {answer}"
        );
        let document = exported(&service).await;
        assert_eq!(texts(&document), ["my cat is called Ada"], "{mode}");
        assert_eq!(document["omitted"][0]["section"], "memories", "{mode}");
        assert_eq!(
            service.rows("SELECT count(*) FROM memories"),
            [[1]],
            "{mode}: not lost"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_that_hangs_holds_nobody_for_long() {
    let mem0 = Mem0::start();
    mem0.set_mode("hang");
    let service = service(&mem0).await;
    say(&service, "remember that my cat is called Ada").await;
    let started = Instant::now();
    let answer = say(&service, "what do you remember?").await;
    assert!(
        answer.contains("Ada") && answer.contains("can't reach"),
        "{answer}"
    );
    assert!(
        started.elapsed() < Duration::from_secs(9),
        "{:?}",
        started.elapsed()
    );
    let asked = mem0.requests().len();
    say(&service, "what do you remember?").await;
    assert_eq!(
        mem0.requests().len(),
        asked,
        "the next one isn't made to wait"
    );
    say(&service, "forget everything").await;
    let answer = say(&service, "yes").await;
    assert!(answer.contains("forgotten everything here"), "{answer}");
    mem0.set_mode("");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_outage_is_made_good_and_nothing_is_kept_twice() {
    let mem0 = Mem0::start();
    let clock = Clock::fixed(Clock::system().now());
    let service = in_folder(&mem0, tempfile::tempdir().unwrap(), clock.clone()).await;
    // It keeps the first one, and says that it failed.
    mem0.set_mode("lost");
    say(&service, "remember that my cat is called Ada").await;
    let tried = async || service.rows("SELECT 1 FROM memory_tasks WHERE due_at > created_at");
    eventually("a first try", async || !tried().await.is_empty()).await;
    let user_id = service.user_id(PHONE);
    assert_eq!(mem0.texts(&user_id).len(), 1);
    mem0.set_mode("500");
    say(&service, "remember that my bike is red").await;
    let (_, folder) = service.stop().await;
    mem0.set_mode("");
    clock.advance(60_000);
    let service = in_folder(&mem0, folder, clock.clone()).await;
    settled(&service).await;
    assert_eq!(
        mem0.texts(&user_id),
        ["my cat is called Ada", "my bike is red"]
    );
}

/// A service that is taken out of the configuration is not waited for.
#[tokio::test(flavor = "multi_thread")]
async fn an_erasure_waits_for_the_service() {
    let mem0 = Mem0::start();
    let clock = Clock::fixed(Clock::system().now());
    let service = in_folder(&mem0, tempfile::tempdir().unwrap(), clock.clone()).await;
    say(&service, "remember that my cat is called Ada").await;
    settled(&service).await;
    let user_id = service.user_id(PHONE);
    let conn = rusqlite::Connection::open(service.folder.path().join("chatkeep.db")).unwrap();
    conn.busy_timeout(Duration::from_secs(10)).unwrap();
    conn.execute(
        "UPDATE users SET email = 'ana@example.com', deletion_requested_at = 0,
         deletion_scheduled_for = ?1",
        [clock.now().0 - 1],
    )
    .unwrap();
    let purge = async |service: &Service| {
        service.app.eraser.run(PurgeRun::default()).await.unwrap();
        service.rows("SELECT public_id, email FROM erasures")
    };
    mem0.set_mode("500");
    // There is no mail server, so no address is kept for a confirmation.
    let waiting = [[json!(user_id), Value::Null]];
    assert_eq!(purge(&service).await, waiting);
    let failed = service.rows("SELECT memory_failed FROM erasures");
    assert_eq!(failed, [[1]]);
    let (_, folder) = service.stop().await;
    let service = Service::in_folder(folder, &[], clock.clone()).await;
    assert!(purge(&service).await.is_empty());
    assert!(!mem0.texts(&user_id).is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_service_will_never_take_stays_here() {
    let mem0 = Mem0::start();
    mem0.set_mode("422");
    let service = service(&mem0).await;
    say(&service, "remember that my cat is called Ada").await;
    eventually("it was given up", async || {
        service.rows("SELECT 1 FROM memory_tasks").is_empty()
    })
    .await;
    mem0.set_mode("");
    say(&service, "remember that my bike is red").await;
    settled(&service).await;
    assert_eq!(mem0.texts(&service.user_id(PHONE)), ["my bike is red"]);
    let answer = say(&service, "what do you remember about my cat?").await;
    assert!(answer.contains("Ada"), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn more_than_the_service_lists_is_named_in_the_export() {
    let mem0 = Mem0::start();
    let service = service(&mem0).await;
    say(&service, "hello").await;
    let user_id = service.user_id(PHONE);
    for number in 0..1_001 {
        mem0.put(&user_id, &format!("fact {number}"), "2026-01-01T00:00:00Z");
    }
    let document = exported(&service).await;
    assert_eq!(texts(&document).len(), 1_000);
    assert_eq!(
        document["omitted"],
        json!([{
            "section": "memories",
            "reason": "The memory service lists no more than 1,000 memories; older ones may not \
                       be in this file.",
        }])
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_of_a_person_can_be_deleted_and_searched() {
    let mem0 = Mem0::start();
    let service = service(&mem0).await;
    say(&service, "remember that my cat is called Ada").await;
    settled(&service).await;
    let user_id = service.user_id(PHONE);
    mem0.put(
        &user_id, "the user's cat likes fish", "2026-01-01T00:00:00Z",
    );
    let public_id = user_id.clone();
    let person = service.app.store.look_up(|view| view.person(&public_id));
    let user = person.unwrap().unwrap().id;
    let memories = &service.app.memories;
    let about = MemoryQuery {
        text: "cat",
        limit: 10,
        rank: |text, query| usize::from(text.contains(query)),
        wait: Duration::from_secs(3),
    };
    let found = memories.relevant(user, &user_id, &about).await.unwrap();
    let words: Vec<&str> = found.memories.iter().map(|m| m.text.as_str()).collect();
    assert_eq!(words, ["my cat is called Ada", "the user's cat likes fish"]);
    assert!(!found.is_cut_off);
    let ServiceMemories::Listed(known) = memories.service_memories(&user_id).await else {
        panic!("the service was asked");
    };
    assert_eq!(known.memories.len(), 2);
    for _ in 0..2 {
        memories.delete_all(&user_id).await.unwrap();
        assert_eq!(mem0.texts(&user_id), Vec::<String>::new());
    }
    mem0.set_mode("500");
    assert_eq!(
        memories.delete_all(&user_id).await,
        Err(mem0::MemoryServiceError::Refused(500))
    );
    let found = memories.relevant(user, &user_id, &about).await.unwrap();
    assert!(found.is_cut_off);
}

/// Each way to fail has its own name, none has a credential in it.
#[test]
fn failures_are_told_apart() {
    let mem0 = Mem0::start();
    let client = mem0::Mem0::new(&format!("http://{}", mem0.address), Some(KEY));
    let failure = |mode: &str| {
        mem0.set_mode(mode);
        client
            .list("u", Duration::from_secs(1))
            .map(|list| list.memories.len())
    };
    assert_eq!(failure(""), Ok(0));
    for (mode, expected) in [
        ("garbage", mem0::MemoryServiceError::InvalidAnswer),
        ("shape", mem0::MemoryServiceError::InvalidAnswer),
        ("redirect", mem0::MemoryServiceError::Refused(302)),
        ("503", mem0::MemoryServiceError::Refused(503)),
    ] {
        assert_eq!(failure(mode), Err(expected), "{mode}");
    }
    for mode in ["hang", "huge"] {
        let trouble = failure(mode).unwrap_err();
        assert!(
            matches!(trouble, mem0::MemoryServiceError::Unreachable(_)),
            "{mode}: {trouble}"
        );
        assert!(!trouble.to_string().contains(KEY));
    }
    mem0.set_mode("");
    let foreign = mem0::Mem0::new(&format!("http://{}", mem0.address), Some("another"));
    let refused = foreign.list("u", Duration::from_secs(1)).map(|_| ());
    assert_eq!(refused, Err(mem0::MemoryServiceError::Refused(401)));
    let nobody = mem0::Mem0::new("http://127.0.0.1:1", None);
    let refused = nobody.delete_all("u", Duration::from_secs(1));
    assert!(matches!(
        refused,
        Err(mem0::MemoryServiceError::Unreachable(_))
    ));
    assert_eq!(
        client.delete("no such memory", Duration::from_secs(1)),
        Ok(())
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn kills_lose_no_memory() {
    let mem0 = Mem0::start();
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("chatkeep.db");
    let settings = mem0.settings();
    let settings: Vec<(&str, &str)> = settings.iter().map(|(k, v)| (*k, v.as_str())).collect();
    mem0.set_mode("hang");
    for number in 0..3 {
        let mut service = Process::start(&database, &settings).unwrap();
        let message_text = format!("remember that fact {number} is true");
        let message = post("/edge/message", &direct(PHONE, &message_text)).bearer(&token("a"));
        assert_eq!(service.send(&message).await.status, 200);
        service.kill();
    }
    mem0.set_mode("");
    let service = Process::start(&database, &settings).unwrap();
    eventually("all are there", async || mem0.memories().len() >= 3).await;
    eventually("and noted", async || {
        support::rows(
            &database,
            "SELECT 1 FROM memory_tasks WHERE done_at IS NULL",
        )
        .is_empty()
    })
    .await;
    drop(service);
    let mut stored: Vec<String> = mem0
        .memories()
        .iter()
        .map(|m| m["memory"].to_string())
        .collect();
    stored.sort();
    assert_eq!(stored.len(), 3, "{stored:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_service_nobody_is_called() {
    let service = Service::start().await;
    say(&service, "remember that my cat is called Ada").await;
    assert_eq!(service.rows("SELECT count(*) FROM memory_tasks"), [[0]]);
    let listed = service.app.memories.service_memories("anybody").await;
    assert!(matches!(listed, ServiceMemories::Nothing));
    service.app.memories.delete_all("anybody").await.unwrap();
}
