//! Chatkeep: a backend for a conversational assistant over chat.
pub mod auth;
pub mod clock;
pub mod edge;
pub mod error;
pub mod flags;
pub mod http;
pub mod ingest;
pub mod limits;
pub mod model;
pub mod random;
pub mod reply;
pub mod store;
