//! The commands of the real binary, as somebody at a terminal meets them.

// Clippy takes only functions marked as tests for tests.
#![allow(clippy::unwrap_used)]

#[path = "../support/mod.rs"]
mod support;

mod chat;
mod check;
mod commands;
mod flags;
mod purge;
mod services;
mod terminal;
mod tokens;
mod users;
