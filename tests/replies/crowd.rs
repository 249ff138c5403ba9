//! More conversations at once than there are calls: calls, threads and what waits are bounded,
//! everybody is answered, and what needs no model waits for none.

use std::net::SocketAddr;

use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::task::JoinHandle;

use super::support::model_server::{Mode, ModelServer};
use super::support::process::Process;
use super::support::{self, Answer, direct, post, token};
use super::{count, reply, service_with};

const CONVERSATIONS: usize = 200;
/// Calls at once.
const PLACES: usize = 8;

/// Each asks once, and waits for as long as it takes.
fn asking(address: SocketAddr) -> Vec<JoinHandle<Answer>> {
    let ask = |n: usize| {
        let message = direct(&format!("user-{n}"), &text(n));
        let request = post("/edge/message", &message).bearer(&token("a"));
        tokio::spawn(async move {
            let mut stream = TcpStream::connect(address).await.unwrap();
            stream.write_all(&request.bytes()).await.unwrap();
            support::read_answer(&mut stream).await
        })
    };
    (0..CONVERSATIONS).map(ask).collect()
}

fn text(n: usize) -> String {
    format!("tell me of town number {n}")
}

/// All calls are taken until the end: whoever is answered before that waited for none.
#[tokio::test(flavor = "multi_thread")]
async fn two_hundred_conversations_on_a_model_that_thinks() {
    let places = PLACES.to_string();
    // On a busy machine the default deadline would pass while the calls are held.
    let settings = [
        ("CHATKEEP_REPLY_MAX_CONCURRENCY", places.as_str()),
        ("CHATKEEP_REPLY_DEADLINE_S", "60"),
    ];
    let (service, model) = service_with(&settings).await;
    model.usually(Mode::Held);
    let sent = asking(service.address);
    model.calls(PLACES).await;
    support::eventually("all committed", async || {
        count(&service, "pending_replies") as usize == CONVERSATIONS
    })
    .await;
    // Commands are the builtin assistant's in any case, small talk while all calls are taken.
    assert!(reply(&service, "other", "usage").await.contains("of 50"));
    let greeting = reply(&service, "other", "hello").await;
    assert!(
        !greeting.is_empty() && !greeting.starts_with("reply"),
        "{greeting}"
    );
    let rows = service.rows("SELECT decision FROM messages ORDER BY id DESC LIMIT 1");
    assert!(
        rows[0][0].as_str().unwrap().contains("small_talk"),
        "{rows:?}"
    );
    let admin = service.admin("GET", "/admin/feature-flags", &serde_json::Value::Null);
    assert_eq!(admin.await.status, 200);
    assert_eq!(model.requests().len(), PLACES, "nobody else was asked");
    model.release();
    for (n, one) in sent.into_iter().enumerate() {
        let answer = one.await.unwrap().json();
        let said = answer["reply_text"].as_str().unwrap();
        assert!(said.ends_with(&format!(": {}", text(n))), "{said}");
    }
    assert_eq!(model.most_under_way(), PLACES);
    assert_eq!(model.requests().len(), CONVERSATIONS);
    assert_eq!(count(&service, "pending_replies"), 0);
    assert!(reply(&service, "other", "hello").await.starts_with("reply"));
}

/// Who waits for a call or for the database waits without a thread.
#[tokio::test(flavor = "multi_thread")]
async fn a_crowd_takes_few_threads() {
    /// Beside those of the processors: calls, readers, the store's.
    const THREADS_MAX: usize = PLACES + 32;
    let model = ModelServer::start().await;
    model.usually(Mode::Held);
    let mut settings = model.settings();
    settings.push((
        "CHATKEEP_REPLY_MAX_CONCURRENCY".to_owned(),
        PLACES.to_string(),
    ));
    let settings: Vec<(&str, &str)> = settings
        .iter()
        .map(|(k, v)| (k.as_str(), v.as_str()))
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("chatkeep.db");
    let process = Process::start(&database, &settings).unwrap();
    let sent = asking(process.address);
    model.calls(PLACES).await;
    support::eventually("all committed", async || {
        let rows = support::rows(&database, "SELECT count(*) FROM pending_replies");
        rows[0][0] == CONVERSATIONS as i64
    })
    .await;
    let threads = process.threads();
    let processors = std::thread::available_parallelism().unwrap().get();
    assert!(threads <= processors + THREADS_MAX, "{threads} threads");
    model.release();
    for one in sent {
        assert_eq!(one.await.unwrap().status, 200);
    }
}
