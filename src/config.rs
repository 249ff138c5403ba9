//! The configuration: typed sections that are read and checked at start, and again when the
//! service is told to reload. All problems are reported at once. Settings come only from
//! `service.toml` and the environment. This part opens neither the database nor the network.
//!
//! `sections` describes every key once: name, type, default, range and one sentence. Parsing,
//! environment names, the nearest known key and the commented example all come from there.

mod checks;
mod development;
mod log_filter;
mod mcp;
mod network;
mod production;
mod raw_value;
mod reader;
mod relays;
mod report;
mod sealing_key;
mod secret;
mod section;
mod sections;
mod settings;
mod smtp_url;
mod source;
mod template;
mod text;
mod unknown_keys;
mod url;

use std::path::PathBuf;

pub use mcp::McpServer;
pub use network::Network;
pub use relays::{MatrixRelay, TelegramRelay, XmppRelay};
pub use report::ConfigProblem;
pub use sealing_key::{generate_sealing_key, read_sealing_key, sealing_key_file};
pub use secret::Secret;
pub use sections::{
    Access, Admin, Algorithm, Billing, BillingProvider, DATABASE, Durability, Edge, Engine,
    Environment, Exports, Flags, FlagsProvider, Identity, Log, LogFormat, Mail, Marketplace,
    MaxTokensField, Media, Memory, MemoryProvider, Reply, Server, Services, Storage, Tools,
};
pub use settings::{Changes, MCP_KEYS, SettingValues};
pub use smtp_url::SmtpUrl;
pub use source::Source;
pub use template::{NewSecrets, SealingKey, example, production_file};
pub use unknown_keys::{intended, nearest};
pub use url::{host_of, web_parts_of};

use crate::files;
use reader::ConfigReader;
use report::Report;

const CHARGE_NOBODY: &str = "access.charge_nobody";
const PUBLIC_URL: &str = "server.public_url";

#[derive(Debug, Clone)]
pub struct Config {
    pub server: Server,
    pub storage: Storage,
    pub edge: Edge,
    pub identity: Identity,
    pub reply: Reply,
    pub billing: Billing,
    pub access: Access,
    pub flags: Flags,
    pub memory: Memory,
    pub media: Media,
    pub telegram: TelegramRelay,
    pub matrix: MatrixRelay,
    pub xmpp: XmppRelay,
    pub mail: Mail,
    pub log: Log,
    pub exports: Exports,
    pub marketplace: Marketplace,
    pub services: Services,
    pub admin: Admin,
}

/// A valid configuration, with its warnings and its origin.
#[derive(Debug, Clone)]
pub struct LoadedConfig {
    pub config: Config,
    /// Sentences for the log at start.
    pub warnings: Vec<String>,
    /// Sentences for the log at start, about what is as it should be.
    pub notes: Vec<String>,
    /// The warnings about variables of the environment that nothing reads.
    pub unknown_variables: Vec<String>,
    /// The file that was read, if there is one.
    pub file: Option<PathBuf>,
    /// The keys that are set, to compare with a later reading.
    pub settings: SettingValues,
}

impl Config {
    /// Reads and checks everything. Doesn't generate missing development secrets, because that
    /// writes a file: `fill_development_secrets` does it.
    pub fn load(source: &Source) -> Result<LoadedConfig, Vec<ConfigProblem>> {
        Self::load_and(source, |_| Vec::new())
    }

    /// Like `load`, with the problems that `inspect` finds in the files and folders named by
    /// settings. `inspect` always runs; invalid settings have their defaults then.
    pub fn load_and(
        source: &Source,
        inspect: impl FnOnce(&Self) -> Vec<ConfigProblem>,
    ) -> Result<LoadedConfig, Vec<ConfigProblem>> {
        let file = source.file();
        let table = match &file {
            Some(path) => source::read_table(path).map_err(|problem| vec![problem])?,
            None => toml::Table::new(),
        };
        let (mut config, mut report) = Self::from_table(table, source);
        let settings = std::mem::take(&mut report.settings);
        if file.is_none() && !settings.is_set(CHARGE_NOBODY) {
            config.access.charge_nobody = true;
        }
        let (is_production, listen) = (config.is_production(), config.server.listen);
        if !is_production && listen.port() != 0 && !settings.is_set(PUBLIC_URL) {
            config.server.public_url = sections::own_url(listen);
        }
        // The lock and the log are beside the file itself.
        if let Some(path) = files::linked(&config.storage.path) {
            config.storage.path = path;
        }
        checks::warn_about_free_access(&config, &mut report);
        if let Some(path) = &file {
            production::check_file(path, config.is_production(), &settings, &mut report);
        }
        for ConfigProblem { key, message } in inspect(&config) {
            report.problem(&key, message); // ignored if the key itself is invalid
        }
        let remarks = report.conclude()?;
        Ok(LoadedConfig {
            config,
            warnings: remarks.warnings,
            notes: remarks.notes,
            unknown_variables: remarks.unknown_variables,
            file,
            settings,
        })
    }

    pub fn is_production(&self) -> bool {
        self.server.environment == Environment::Production
    }

    fn from_table(table: toml::Table, source: &Source) -> (Self, Report) {
        let mut reader = ConfigReader::new(table, &source.env);
        let config = Self::read(&mut reader);
        let (_, mut report) = reader.finish();
        checks::check(&config, &mut report);
        (config, report)
    }

    fn read(reader: &mut ConfigReader) -> Self {
        Self {
            server: reader.section("server", Server::ABOUT, Server::read),
            storage: reader.section("storage", Storage::ABOUT, Storage::read),
            edge: reader.section("edge", Edge::ABOUT, Edge::read),
            identity: reader.section("identity", Identity::ABOUT, Identity::read),
            reply: reader.section("reply", Reply::ABOUT, Reply::read),
            billing: reader.section("billing", Billing::ABOUT, Billing::read),
            access: reader.section("access", Access::ABOUT, Access::read),
            flags: reader.section("flags", Flags::ABOUT, Flags::read),
            memory: reader.section("memory", Memory::ABOUT, Memory::read),
            media: reader.section("media", Media::ABOUT, Media::read),
            telegram: reader.section("relay.telegram", TelegramRelay::ABOUT, TelegramRelay::read),
            matrix: reader.section("relay.matrix", MatrixRelay::ABOUT, MatrixRelay::read),
            xmpp: reader.section("relay.xmpp", XmppRelay::ABOUT, XmppRelay::read),
            mail: reader.section("mail", Mail::ABOUT, Mail::read),
            log: reader.section("log", Log::ABOUT, Log::read),
            exports: reader.section("exports", Exports::ABOUT, Exports::read),
            marketplace: reader.section("marketplace", Marketplace::ABOUT, Marketplace::read),
            services: reader.section("services", Services::ABOUT, Services::read),
            admin: reader.section("admin", Admin::ABOUT, Admin::read),
        }
    }
}

#[cfg(test)]
mod tests;
