//! Tools of other servers, by the Model Context Protocol over streamable HTTP: listing them and
//! calling one. A server that fails is left out for a while. It must not know messages, rooms or
//! users, and never logs a server's text.
//!
//! It asks for tools only, each request on its own: no stream is kept open, and a call is never
//! sent twice.

mod server;
mod wire;

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::assistant::tools::RemoteTool;
use crate::clock::Clock;
use crate::config;
use server::Server;
pub use wire::ToolResult;

/// Tools of all servers that are offered at once.
pub const TOOLS_MAX: usize = 64;
/// Estimated tokens of all that are offered.
const TOOLS_TOKENS_MAX: usize = 4_000;
/// Time of one call.
pub const CALL_MS_MAX: u64 = 20_000;

/// The result of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallOutcome {
    Answered(ToolResult),
    /// The server refused the request, in its own words, and did nothing.
    Refused(String),
    /// The server was not reached, or let nobody in: nothing was done.
    NotCalled,
    /// The call was sent, and its outcome is unknown.
    Unknown,
}

/// The configured servers.
#[derive(Default)]
pub struct McpServers(Vec<Arc<Server>>);

impl McpServers {
    pub fn new(servers: &[config::McpServer], clock: &Clock) -> Self {
        let servers = servers.iter();
        Self(
            servers
                .map(|server| Arc::new(Server::new(server.clone(), clock.clone())))
                .collect(),
        )
    }

    /// The tools that may be offered, in the order of the configuration. A server whose tools
    /// can't be listed is left out, and the log says why.
    pub async fn tools(&self, in_group: bool) -> Vec<Arc<RemoteTool>> {
        let servers = self
            .0
            .iter()
            .filter(|server| !in_group || server.in_groups());
        let listings: Vec<_> = servers
            .map(|server| {
                let server = server.clone();
                tokio::spawn(async move { server.tools().await })
            })
            .collect();
        let (mut tools, mut tokens) = (Vec::new(), 0);
        for listing in listings {
            let Ok(listed) = listing.await else { continue };
            tools.extend(listed.iter().cloned());
        }
        tools.truncate(TOOLS_MAX);
        tools.retain(|tool| {
            let fits = tokens + tool.tokens() <= TOOLS_TOKENS_MAX;
            tokens += if fits { tool.tokens() } else { 0 };
            fits
        });
        tools
    }

    /// Calls a tool once. It may have effects that nobody can take back.
    pub async fn call(
        &self,
        tool: &RemoteTool,
        arguments: Map<String, Value>,
        time_max: Duration,
    ) -> CallOutcome {
        let mut servers = self.0.iter();
        let Some(server) = servers.find(|server| server.name() == tool.server) else {
            return CallOutcome::NotCalled;
        };
        let (server, own_name) = (server.clone(), tool.own_name.clone());
        let time_max = time_max.min(Duration::from_millis(CALL_MS_MAX));
        let called =
            tokio::task::spawn_blocking(move || server.call(&own_name, arguments, time_max));
        called.await.unwrap_or(CallOutcome::Unknown)
    }
}
