//! Stored data of a person's mails: an extract of each, and the bookings, parcels and the like in
//! them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::calendar::{EventDetails, EventTime};
use crate::clock::Timestamp;

/// The extract of a mail. Texts are from outside: they are data for people, and quoted where a
/// language model sees them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct MailExtract {
    /// Without angle brackets; empty: the mail has none.
    pub message_id: String,
    /// Without angle brackets: the mails that it answers, the nearest first, at most 20.
    pub replies_to: Vec<String>,
    pub from_name: String,
    /// Lower case.
    pub from_email: String,
    pub subject: String,
    /// The Date header, milliseconds since the epoch; `None`: it has none that can be read.
    pub sent_at: Option<i64>,
    /// Text without HTML and without what it quotes of others, at most 4,000 characters.
    pub text: String,
    /// The mail came through a mailing list.
    pub is_list: bool,
    /// A newsletter or another mass mail.
    pub is_bulk: bool,
    /// A program answered or notified.
    pub is_automatic: bool,
    /// The person is among those whom it is addressed to.
    pub is_to_self: bool,
    /// The mail answers one that the person sent.
    pub answers_own: bool,
    /// Why it may be urgent, as short names of the rules that say so.
    pub urgency: Vec<String>,
    /// Whether a language model took it for urgent; `None`: there is no verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judged: Option<bool>,
}

impl MailExtract {
    /// Newsletters, lists and what programs send.
    pub fn is_mass_mail(&self) -> bool {
        self.is_list || self.is_bulk || self.is_automatic
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FactKind {
    Flight,
    Train,
    Bus,
    Hotel,
    Restaurant,
    Event,
    Appointment,
    Parcel,
    Order,
    /// The moment until which something can be cancelled for free.
    FreeCancellation,
    TrialEnd,
    Renewal,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FactStatus {
    Confirmed,
    Pending,
    Cancelled,
}

/// A booking, a parcel or the like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailFact {
    pub kind: FactKind,
    /// Identifies the thing: every mail about it has this key, and a later mail changes the fact.
    pub key: String,
    pub status: FactStatus,
    /// `None`: no time is known.
    pub time: Option<EventTime>,
    /// By kind, as the module that extracts says.
    pub data: Value,
}

/// The data of an invitation, which is a fact of the kind event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InvitationData {
    /// "calendar": the text/calendar part of a mail.
    pub source: String,
    pub title: String,
    /// Without the description.
    #[serde(default)]
    pub event: EventDetails,
}

/// A new mail with where it is on the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMailItem {
    pub mailbox: String,
    pub uid_validity: u32,
    pub uid: u32,
    /// Message-ID and Date: the mail, whatever its uid.
    pub mail_key: String,
    pub received_at: Timestamp,
    pub extract: MailExtract,
    pub facts: Vec<MailFact>,
}
