//! Chatkeep
pub mod cli {
    pub mod check;
    pub mod init;
}
pub mod clock;
pub mod config;
pub mod error;
pub mod random;
