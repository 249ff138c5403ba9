//! Who is asking. It checks credentials and nothing else: which route wants whom stands in
//! the route table.

pub mod edge_token;
pub mod jwt;
pub mod payment_signature;
pub mod registration_token;
pub mod seal;
pub mod shared_secret;
pub mod webhook_signature;
