//! `[edge]`: relays, how they prove who they are and how long they are waited for.

use std::ops::RangeInclusive;

use super::report::Report;
use super::secret::Secret;
use super::section::Section;
use super::url;

pub(super) const ABOUT: &str =
    "Relays: how they prove who they are, and how long they are waited for.";

const TOKEN_TTL_DAYS: RangeInclusive<u64> = 1..=3650;
const HEARTBEAT_S: RangeInclusive<u64> = 1..=3600;
const SILENCE_S: RangeInclusive<u64> = 2..=86_400;
const ACK_TIMEOUT_S: RangeInclusive<u64> = 1..=3600;
const IN_FLIGHT: RangeInclusive<u64> = 1..=10_000;
const COMMANDS_PER_MINUTE: RangeInclusive<u64> = 1..=1_000_000;
const COMMAND_TTL_HOURS: RangeInclusive<u64> = 1..=8760;

#[derive(Debug, Clone)]
pub struct Edge {
    /// Always there once development secrets are filled in, and in production.
    pub secret: Option<Secret>,
    pub previous_secret: Option<Secret>,
    pub token_ttl_days: u64,
    /// RELAY_WEBHOOK_SECRET. Never made up.
    pub legacy_secret: Option<Secret>,
    /// In lower case, without a trailing slash.
    pub allowed_origins: Vec<String>,
    pub heartbeat_s: u64,
    pub silence_s: u64,
    pub ack_timeout_s: u64,
    pub max_in_flight: u64,
    pub command_ttl_hours: u64,
    pub commands_per_minute: u64,
}

pub(super) fn read(s: &mut Section<'_>) -> Edge {
    Edge {
        secret: s.secret(
            "secret",
            "Signs the tokens of relays; at least 32 bytes in production. Development makes one. Also EDGE_SECRET.",
        ),
        previous_secret: s.secret(
            "previous_secret",
            "The secret before, while relays still hold tokens signed with it; at least 32 bytes in production.",
        ),
        token_ttl_days: s.number("token_ttl_days", 365, TOKEN_TTL_DAYS, "Days a relay's token is valid."),
        legacy_secret: s.secret(
            "legacy_secret",
            "What POST /orchestrator/message wants as bearer token. Without it that endpoint is open in \
             development and answers 401 in production. At least 32 bytes there. Also RELAY_WEBHOOK_SECRET.",
        ),
        allowed_origins: s.list(
            "allowed_origins",
            &[],
            "Web origins whose pages may be relays: open a WebSocket, send messages, poll.",
            url::origin,
        ),
        heartbeat_s: s.number("heartbeat_s", 30, HEARTBEAT_S, "Seconds between pings to a relay."),
        silence_s: s.number(
            "silence_s",
            90,
            SILENCE_S,
            "Seconds without a word from a relay until its connection is closed; more than heartbeat_s.",
        ),
        ack_timeout_s: s.number(
            "ack_timeout_s",
            30,
            ACK_TIMEOUT_S,
            "Seconds a relay may take to acknowledge a command before it is sent again.",
        ),
        max_in_flight: s.number(
            "max_in_flight",
            64,
            IN_FLIGHT,
            "Commands sent to one relay and not yet acknowledged.",
        ),
        command_ttl_hours: s.number(
            "command_ttl_hours",
            72,
            COMMAND_TTL_HOURS,
            "Hours a command waits for its relay until it is given up.",
        ),
        commands_per_minute: s.number(
            "commands_per_minute",
            50,
            COMMANDS_PER_MINUTE,
            "Commands sent to one relay in any minute, repeated ones too; the rest waits its turn.",
        ),
    }
}

pub(super) fn check(edge: &Edge, report: &mut Report) {
    if edge.heartbeat_s >= edge.silence_s {
        let message = format!(
            "must be more than edge.heartbeat_s, which is {}; a relay would be dropped between two pings",
            edge.heartbeat_s
        );
        report.problem("edge.silence_s", message);
    }
}
