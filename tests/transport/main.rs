//! The transport over real sockets: what bytes come back for what bytes were sent.

mod bodies;
mod connections;
mod fate;
mod heads;
mod upgrades;
mod wire;
