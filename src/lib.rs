//! Chatkeep
pub mod clock;
pub mod error;
pub mod random;
