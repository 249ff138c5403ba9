//! Chatkeep
pub mod auth;
pub mod clock;
pub mod edge;
pub mod error;
pub mod model;
pub mod limits;
pub mod random;
pub mod store;
