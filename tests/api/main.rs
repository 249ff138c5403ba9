//! The HTTP API: who may call its routes, their limits and their description, and the routes of
//! operators.

// Clippy takes only functions marked as tests for tests.
#![allow(clippy::unwrap_used)]

#[path = "../support/mod.rs"]
mod support;

mod audit;
mod console;
mod flags;
mod health;
mod limits;
mod metrics;
mod openapi;
mod reload;
mod routes;
