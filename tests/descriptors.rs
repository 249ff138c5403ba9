//! A process whose descriptors are used up goes on afterwards. It lowers the limit of the
//! whole process, so it must stay the only test in its file.

use std::sync::Arc;
use std::time::Duration;

use chatkeep::http::{self, ServerSettings};
use futures_util::FutureExt;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

#[tokio::test]
async fn the_server_outlives_a_lack_of_descriptors() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (_stop, stopped) = watch::channel(false);
    let handler: http::Handler = Arc::new(|_| async { Ok(http::text("alive")) }.boxed());
    let settings = ServerSettings::default();
    let metrics = settings.metrics.clone();
    tokio::spawn(http::serve(listener, settings, handler, stopped));

    let (_, hard) = rlimit::Resource::NOFILE.get().unwrap();
    // Counted from what is open, however many the test was started with: each connection has
    // two ends here, and the last client must be left without its other end.
    let open = std::fs::read_dir("/proc/self/fd").unwrap().count() as u64 - 1;
    rlimit::Resource::NOFILE.set(open + 50, hard).unwrap();
    let mut clients = Vec::new();
    while let Ok(client) = TcpStream::connect(address).await {
        clients.push(client);
    }
    // The last client left no descriptor for its other end: accepting fails, and pauses.
    for _ in 0..200 {
        tokio::task::yield_now().await;
    }
    let waiting = clients.len();
    assert!(
        metrics.connections() < waiting,
        "{} {waiting}",
        metrics.connections()
    );
    clients.clear();

    let mut answer = String::new();
    let ask = async {
        let mut client = TcpStream::connect(address).await.unwrap();
        let request = b"GET / HTTP/1.1\r\nhost: t\r\nconnection: close\r\n\r\n";
        client.write_all(request).await.unwrap();
        client.read_to_string(&mut answer).await.unwrap();
    };
    tokio::time::timeout(Duration::from_secs(20), ask)
        .await
        .unwrap();
    assert!(answer.ends_with("alive"), "{answer}");
}
