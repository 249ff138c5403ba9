//! The transport over real sockets: what bytes come back for what bytes were sent.

// Clippy takes only functions marked as tests for tests.
#![allow(clippy::unwrap_used)]

mod bodies;
mod connections;
mod fate;
mod heads;
mod upgrades;
mod wire;
