//! Connected calendars and mailboxes.

// Clippy takes only functions marked as tests for tests.
#![allow(clippy::unwrap_used)]

#[path = "../support/dav.rs"]
mod dav;
#[path = "../support/imap.rs"]
mod imap;
#[path = "../support/mod.rs"]
mod support;

mod calendar_changes;
mod connected;
mod mailbox;
