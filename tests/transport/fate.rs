//! Whether an answer reached its client.

use chatkeep::http::{DeliveryOutcome, Peer};
use tokio::io::AsyncWriteExt;

use crate::wire::{Client, Server, get, patiently, start};

async fn waiting() -> (Server, Client) {
    let mut server = start().await;
    let mut client = server.connect().await;
    client.send(get("/wait")).await;
    assert_eq!(server.log.recv().await.as_deref(), Some("waiting"));
    (server, client)
}

/// Lets the runtime hear of what the client did before the handler goes on.
async fn hear() {
    for _ in 0..200 {
        tokio::task::yield_now().await;
    }
}

impl Server {
    async fn outcome(&mut self) -> (Peer, DeliveryOutcome) {
        hear().await;
        self.go.notify_one();
        let outcome = patiently(self.fates.recv()).await.unwrap();
        assert_eq!(
            self.log.recv().await.as_deref(),
            Some("went on"),
            "never cancelled"
        );
        outcome
    }
}

#[tokio::test]
async fn a_client_that_stays_gets_its_answer() {
    let (mut server, mut client) = waiting().await;
    server.go.notify_one();
    assert_eq!(client.rest().await.body(), "waited");
    assert_eq!(
        server.outcome().await,
        (Peer::Open, DeliveryOutcome::Delivered)
    );
}

#[tokio::test]
async fn a_client_that_only_stopped_sending_gets_its_answer() {
    let (mut server, mut client) = waiting().await;
    client.0.shutdown().await.unwrap();
    let (outcome, answer) = tokio::join!(server.outcome(), client.rest());
    assert_eq!(answer.body(), "waited");
    assert_eq!(outcome, (Peer::HalfClosed, DeliveryOutcome::Delivered));
}

#[tokio::test]
async fn a_client_that_stopped_sending_and_closes_after_reading_got_its_answer() {
    let (mut server, mut client) = waiting().await;
    client.0.shutdown().await.unwrap();
    let read_and_close = async move { client.rest().await.status() };
    let (outcome, status) = tokio::join!(server.outcome(), read_and_close);
    assert_eq!(
        (status, outcome),
        (200, (Peer::HalfClosed, DeliveryOutcome::Delivered))
    );
}

#[tokio::test]
async fn the_answer_to_a_closed_client_is_lost() {
    let (mut server, client) = waiting().await;
    drop(client);
    assert_eq!(
        server.outcome().await,
        (Peer::HalfClosed, DeliveryOutcome::Lost)
    );
    assert_eq!(server.get("/plain").await.status(), 200);
}

#[tokio::test]
async fn the_answer_to_a_client_that_reset_is_lost() {
    let (mut server, client) = waiting().await;
    client.0.set_zero_linger().unwrap();
    drop(client);
    assert_eq!(server.outcome().await, (Peer::Gone, DeliveryOutcome::Lost));
}
