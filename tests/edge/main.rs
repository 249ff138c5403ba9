//! Relays over the wire: the socket, its frames, and the poll.

// Clippy takes only functions marked as tests for tests.
#![allow(clippy::unwrap_used)]

#[path = "../support/mod.rs"]
mod support;

mod closing;
mod commands;
mod delivery;
mod frames;
mod older;
mod operator;
mod raw;
mod refusals;
mod sockets;
mod sync;
mod upgrades;
