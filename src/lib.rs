//! Chatkeep: a backend for a conversational assistant over chat. One executable, one SQLite file.
//!
//! A relay posts a message to `POST /edge/message`:
//!
//! 1. [`http`] accepts the connection, reads the head and gives the request its id.
//! 2. [`routes`] finds the row of its table, authenticates the caller ([`auth`]) and reads the body.
//! 3. [`ingest`] prepares the message: all that needs no database, also what its text means
//!    ([`assistant`]).
//! 4. It hands the store one closure. The closure checks limits and access, decides whether and
//!    how to answer, carries out what was asked for (a reminder, a superpower's action), and stores
//!    the message with its answer. [`store`] runs waiting closures in one transaction and commits;
//!    then the answer goes out.
//! 5. What comes later (reminders, late replies of a language model, webhooks) is a command:
//!    a row first, then a frame that [`edge`] sends to the relay.
//!
//! [`guide::architecture`] has an overview: the path of every kind of request, the layers, what
//! each part must not know, and the invariants. The other pages of the [`guide`] are for
//! operators, authors of relays and callers of the HTTP API.

pub mod access;
pub mod account;
pub mod app;
pub mod assistant;
pub mod auth;
pub mod billing;
pub mod cli;
pub mod clock;
pub mod config;
pub mod conformance;
pub mod edge;
pub mod engine;
pub mod error;
pub mod files;
pub mod flags;
pub mod guide;
pub mod http;
pub mod ingest;
pub mod limits;
pub mod mail;
pub mod mail_extract;
pub mod mailbox;
pub mod marketplace;
pub mod mcp;
pub mod media;
pub mod memory;
pub mod metrics;
pub mod model;
pub mod outbound;
pub mod random;
pub mod relay;
pub mod routes;
pub mod server;
pub mod services;
pub mod setting;
pub mod store;
