//! Chatkeep: a backend for a conversational assistant over chat.
pub mod app;
pub mod auth;
pub mod cli;
pub mod clock;
pub mod config;
pub mod edge;
pub mod error;
pub mod flags;
pub mod http;
pub mod ingest;
pub mod limits;
pub mod model;
pub mod outbound;
pub mod random;
pub mod reply;
pub mod routes;
pub mod store;
