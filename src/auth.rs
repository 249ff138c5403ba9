//! Credentials: checking tokens, secrets and signatures. Which route needs which credential is data
//! of the route table, not of this module.

pub mod edge_token;
pub mod jwt;
pub mod payment_signature;
pub mod registration_token;
pub mod seal;
pub mod shared_secret;
pub mod webhook_signature;
