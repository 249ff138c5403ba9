//! Chatkeep
pub mod clock;
pub mod error;
pub mod http;
pub mod random;
