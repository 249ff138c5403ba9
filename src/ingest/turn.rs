//! What the handling of one message knows. The files beside this one say what is done with it.

use super::powers::request::RequestedPower;
use super::{Ingest, Message};
use crate::access::Access;
use crate::clock::{Monotonic, Timestamp};
use crate::flags::Reader;
use crate::memory::ServiceMemories;
use crate::store::{AgentId, Room, User};

/// The handling of one message.
pub(super) struct MessageTurn<'a> {
    pub(super) ingest: &'a Ingest,
    /// The user's flags.
    pub(super) flags: &'a Reader<'a>,
    pub(super) message: &'a Message,
    pub(super) user: &'a User,
    pub(super) room: &'a Room,
    /// `None` for the legacy endpoint, which has no queue.
    pub(super) agent: Option<AgentId>,
    pub(super) humans: i64,
    pub(super) access: Access,
    /// The requested superpower, if offered.
    pub(super) called: Option<RequestedPower>,
    /// The user's memories in the external service.
    pub(super) service_memories: &'a ServiceMemories,
    /// Requested by a language model on behalf of the user.
    pub(super) by_model: bool,
    /// A language model with tools understands the message.
    pub(super) left_to_model: bool,
    /// The limits have let it in before.
    pub(super) is_admitted: bool,
    pub(super) now: Timestamp,
    pub(super) mono: Monotonic,
}
