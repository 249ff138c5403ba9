//! Relays: the durable outbox of commands, the socket and the poll that deliver them, and which
//! relays are connected. It knows the relay protocol and must not know what a command is about.
//!
//! A command is a database row before it is sent, and memory changes only after the commit of the
//! row (`hub`), so memory is a copy of the database.

mod acks;
mod delivery;
mod failed_commands;
mod fragments;
pub mod hub;
pub mod outbox;
mod presence;
pub mod queue;
pub mod registration;
mod relay;
mod session;
pub mod socket;
pub mod sync;
#[cfg(test)]
mod tests;
mod wire;
