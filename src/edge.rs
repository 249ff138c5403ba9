//! Relays: the durable outbox of commands, the socket and the poll that empty it, and who is
//! connected. It knows the relay protocol and nothing of what a command is about.
//!
//! A command is a row before it is a byte on the wire, and every change of its state is
//! committed before memory follows it (`hub`), so that memory is a copy of what is kept.

mod acks;
mod delivery;
mod fragments;
mod given_up;
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
