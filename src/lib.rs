//! Chatkeep
pub mod clock;
pub mod error;
pub mod model;
pub mod random;
pub mod reply;
