//! Plain types and pure rules shared by several parts. No I/O, no clock, no store.

pub mod agent_id;
pub mod answer;
pub mod bubbles;
pub mod calendar;
pub mod calendar_change;
pub mod connected_service;
pub mod excerpt;
pub mod mail_item;
pub mod masking;
pub mod named;
pub mod payment;
pub mod power;
pub mod public_id;
pub mod recurrence;
pub mod redaction;
pub mod secret_text;
pub mod subscription;
