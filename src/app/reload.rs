//! Applies the settings that may change while the service runs. A running request keeps the
//! settings it began with.

use super::{App, edge_secrets, expose, persona, shared_secret};
use crate::config::{Changes, Config, MCP_KEYS, Secret};
use crate::edge::hub::Close;
use crate::mail::Mailer;
use crate::mcp::McpServers;

/// Relays reconnect with the token they have.
const SECRETS_CHANGED: (u16, &str) = (1012, "secrets changed");

impl App {
    /// `changes` lists the settings that differ in `config`. After an error, which is a sentence
    /// for the operator, nothing has changed.
    pub fn reload(&self, config: &Config, changes: &Changes) -> Result<(), String> {
        let mailer = Mailer::new(&config.mail)?;
        self.trusted_proxies
            .set(config.server.trusted_proxies.clone());
        self.ingest.persona.set(persona(config));
        self.eraser.persona.set(config.reply.persona_name.clone());
        let (prompt, key) = (&config.reply.system_prompt, &config.reply.api_key);
        self.ingest.replies.set(prompt.clone(), expose(key));
        if changes.applied.iter().any(|key| key.starts_with(MCP_KEYS)) {
            let servers = McpServers::new(&config.reply.mcp, &self.clock);
            self.ingest.replies.set_mcp(servers);
        }
        self.billing.set_secrets(&config.billing);
        let memory_key = config.memory.api_key.as_ref();
        self.memories
            .set_service_key(memory_key.map(Secret::expose));
        if let Some(provider) = &self.flag_provider {
            provider.set_key(config.flags.sdk_key.as_ref().map(Secret::expose));
        }
        if let (Some(deletion_mailer), Some(mailer)) = (&self.deletion_mailer, mailer) {
            deletion_mailer.mailer.set(mailer);
        }
        for relay in &self.relays {
            relay.reload(config, &changes.applied);
        }
        self.apply_secrets(config, changes);
        Ok(())
    }

    /// Replaces secrets. A relay connected with a changed secret must reconnect.
    fn apply_secrets(&self, config: &Config, changes: &Changes) {
        self.legacy_secret
            .set(shared_secret(&config.edge.legacy_secret));
        if let Some(token) = shared_secret(&config.admin.token) {
            self.admin_token.set(Some(token));
        }
        let changed = |keys: &[&str]| {
            changes
                .applied
                .iter()
                .any(|key| keys.contains(&key.as_str()))
        };
        let development_secret = config.identity.hs256_secret.as_ref();
        if let (Some(secret), true) = (development_secret, changed(&["identity.hs256_secret"])) {
            self.identity.set_development_secret(secret.expose());
        }
        let secrets = edge_secrets(config);
        if let (Some(secrets), true) = (secrets, changed(&["edge.secret", "edge.previous_secret"]))
        {
            self.edge_tokens.set_secrets(secrets);
            let (code, reason) = SECRETS_CHANGED;
            self.hub.close_all(Close::new(code, reason));
        }
    }
}
