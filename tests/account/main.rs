//! A person's account: what it shows and may do, exports, deletion and erasure.

// Clippy takes only functions marked as tests for tests.
#![allow(clippy::unwrap_used)]

#[path = "../support/stripe.rs"]
mod stripe;
#[path = "../support/mod.rs"]
mod support;

mod access;
mod exports;
mod purge;
mod restored_access;
mod status;
