//! Connections: slow ones, too many, panics, drain.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use chatkeep::http::{DrainEnd, ServerSettings};
use tokio::net::TcpSocket;

use crate::wire::{Client, LARGE_BYTES, Server, get, patiently, settings, start, start_with};

#[tokio::test]
async fn a_silent_or_slow_head_is_closed_in_time() {
    let header_timeout = Duration::from_millis(100);
    let server = start_with(ServerSettings {
        header_timeout,
        ..settings()
    })
    .await;
    let whole = "GET /plain HTTP/1.1\r\nhost: t\r\n\r\n";
    for sent in ["", "GET /plain HTTP/1.1\r\nhos", whole] {
        let start = Instant::now();
        let answer = server.tell(sent).await;
        assert_eq!(answer.status(), if sent == whole { 200 } else { 0 });
        assert!(start.elapsed() < header_timeout * 20, "{sent:?}");
    }
    assert_eq!(server.get("/plain").await.status(), 200);
}

#[tokio::test]
async fn a_connection_beyond_the_cap_is_told_so_and_the_next_one_fits() {
    let mut server = start_with(ServerSettings {
        max_connections: 1,
        ..settings()
    })
    .await;
    let mut first = server.connect().await;
    first.send(get("/wait")).await;
    assert_eq!(server.log.recv().await.as_deref(), Some("waiting"));
    assert_eq!(server.metrics.connections(), 1);

    for _ in 0..3 {
        let answer = server.get("/plain").await;
        answer.problem(503, "unavailable");
        assert_eq!(answer.header("retry-after"), Some("1"));
        assert_eq!(answer.header("connection"), Some("close"));
    }
    server.go.notify_one();
    assert_eq!(first.rest().await.body(), "waited");
    server.fates.recv().await;
    while server.metrics.connections() > 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(server.get("/plain").await.status(), 200);
}

#[tokio::test]
async fn a_panic_is_500_for_that_request_only() {
    let server = start().await;
    let mut client = server.connect().await;
    client.send("GET /panic HTTP/1.1\r\nhost: t\r\n\r\n").await;
    client.send(get("/plain")).await;
    let answers = client.rest().await;
    assert_eq!(answers.status(), 500);
    assert!(answers.0.contains("internal_error") && !answers.0.contains("at the desk"));
    assert!(answers.0.ends_with("plain"), "the same connection goes on");
    server.get("/panic").await.problem(500, "internal_error");
    assert_eq!(server.metrics.panics(), 2);
    assert_eq!(server.get("/plain").await.status(), 200);
}

#[tokio::test]
async fn a_drain_finishes_what_is_under_way_and_nothing_else() {
    let mut server = start().await;
    let mut idle = server.connect().await;
    idle.send("GET /plain HTTP/1.1\r\nhost: t\r\n\r\n").await;
    idle.until("\r\n\r\nplain").await;
    let mut silent = server.connect().await;
    let mut busy = server.connect().await;
    busy.send("GET /wait HTTP/1.1\r\nhost: t\r\n\r\n").await;
    assert_eq!(server.log.recv().await.as_deref(), Some("waiting"));

    server.ask_to_stop();
    assert_eq!(idle.rest().await.0, "");
    assert_eq!(silent.rest().await.0, "");
    let late = tokio::net::TcpStream::connect(server.address).await;
    assert!(late.is_err(), "nothing listens any more");

    server.go.notify_one();
    let answer = busy.rest().await;
    assert_eq!((answer.status(), answer.body()), (200, "waited"));
    assert_eq!(answer.header("connection"), Some("close"));
    assert_eq!(server.drained().await, DrainEnd::Clean);
}

#[tokio::test]
async fn a_drain_does_not_wait_longer_than_the_grace() {
    let shutdown_grace = Duration::from_millis(50);
    let mut server = start_with(ServerSettings {
        shutdown_grace,
        ..settings()
    })
    .await;
    let mut busy = server.connect().await;
    busy.send(get("/wait")).await;
    assert_eq!(server.log.recv().await.as_deref(), Some("waiting"));
    server.ask_to_stop();
    assert_eq!(server.drained().await, DrainEnd::GraceRanOut);
}

#[tokio::test]
async fn requests_sent_together_are_answered_in_order() {
    let server = start().await;
    let request = "GET /plain HTTP/1.1\r\nhost: t\r\n\r\n";
    let answers = server
        .tell(format!("{request}{request}{}", get("/nowhere")))
        .await;
    assert_eq!(answers.0.matches("HTTP/1.1 200").count(), 2);
    assert_eq!(answers.0.matches("HTTP/1.1 404").count(), 1);
}

/// A peer that asks for more than buffers hold, and reads nothing.
async fn slow_reader(server: &Server) -> Client {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(2_048).unwrap();
    let mut client = Client(socket.connect(server.address).await.unwrap());
    for _ in 0..25 {
        client.send("GET /large HTTP/1.1\r\nhost: t\r\n\r\n").await;
    }
    client
}

async fn nobody_is_connected(server: &Server) {
    patiently(async {
        while server.metrics.connections() > 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    })
    .await;
}

#[tokio::test]
async fn whoever_reads_nothing_is_cut_off_in_time() {
    let server = start_with(ServerSettings {
        max_connections: 3,
        write_timeout: Duration::from_millis(100),
        ..settings()
    })
    .await;
    let slow = [
        slow_reader(&server).await,
        slow_reader(&server).await,
        slow_reader(&server).await,
    ];
    nobody_is_connected(&server).await;
    assert_eq!(server.get("/plain").await.status(), 200);
    drop(slow);
    let large = server.get("/large").await;
    assert_eq!(large.body().len(), LARGE_BYTES, "who reads gets it whole");
}

#[tokio::test]
async fn whoever_reads_nothing_does_not_delay_the_end() {
    let server = start_with(ServerSettings {
        write_timeout: Duration::from_millis(100),
        ..settings()
    })
    .await;
    let slow = slow_reader(&server).await;
    patiently(slow.0.readable()).await.unwrap();
    server.ask_to_stop();
    assert_eq!(server.drained().await, DrainEnd::Clean);
}

#[tokio::test]
async fn an_address_has_its_share_of_the_connections() {
    let counted: IpAddr = "127.0.0.1".parse().unwrap();
    let mut server = start_with(ServerSettings {
        max_connections_per_address: 2,
        address_group: Arc::new(move |peer| (peer == counted).then_some(peer)),
        ..settings()
    })
    .await;
    let mut open = [server.connect().await, server.connect().await];
    for client in &mut open {
        client.send(get("/wait")).await;
        assert_eq!(server.log.recv().await.as_deref(), Some("waiting"));
    }
    let refused = server.get("/plain").await;
    let problem = refused.problem(503, "unavailable");
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("from your address"), "{detail}");
    // Others, and who is not counted, come in all the same.
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.2:0".parse().unwrap()).unwrap();
    let mut other = Client(socket.connect(server.address).await.unwrap());
    other.send(get("/plain")).await;
    assert_eq!(other.rest().await.status(), 200);

    server.go.notify_one();
    server.fates.recv().await;
    while server.metrics.connections() > 1 {
        tokio::task::yield_now().await;
    }
    assert_eq!(server.get("/plain").await.status(), 200);
}
