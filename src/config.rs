//! What an operator may set: typed sections, read and checked once at start, every problem
//! at once. Settings come from `service.toml` and the environment and nowhere else; nobody
//! asks for them again later. This part must not open the database or the network.
//!
//! Each section describes its keys once, where it reads them (`config/server.rs` and its
//! neighbours): name, default, range and one sentence. Parsing, environment names, the
//! nearest known key and the commented example all come from there.

mod admin;
mod billing;
mod development;
mod edge;
mod exports;
mod flags;
mod given;
mod identity;
mod log;
mod mail;
mod marketplace;
mod media;
mod memory;
mod network;
mod production;
mod reader;
mod reply;
mod report;
mod secret;
mod section;
mod server;
mod settings;
mod source;
mod storage;
mod template;
mod text;
mod unknown;
mod url;

use std::path::PathBuf;

pub use admin::Admin;
pub use billing::{Billing, BillingProvider};
pub use edge::Edge;
pub use exports::Exports;
pub use flags::{Flags, FlagsProvider};
pub use identity::{Algorithm, Identity};
pub use log::{Log, LogFormat};
pub use mail::{Mail, SmtpUrl};
pub use marketplace::{Marketplace, make_sealing_key, read_sealing_key, sealing_key_file};
pub use media::Media;
pub use memory::{Memory, MemoryProvider};
pub use network::Network;
pub use reply::{Engine, MaxTokensField, Reply, Tools};
pub use report::Problem;
pub use secret::Secret;
pub use server::{Environment, Server};
pub use settings::{Changes, Settings};
pub use source::Source;
pub use storage::{Durability, Storage};
pub use template::{example, production_file};
pub use unknown::nearest;

use reader::Reader;
use report::Report;

#[derive(Debug, Clone)]
pub struct Config {
    pub server: Server,
    pub storage: Storage,
    pub edge: Edge,
    pub identity: Identity,
    pub reply: Reply,
    pub billing: Billing,
    pub flags: Flags,
    pub memory: Memory,
    pub media: Media,
    pub mail: Mail,
    pub log: Log,
    pub exports: Exports,
    pub marketplace: Marketplace,
    pub admin: Admin,
}

/// A configuration without a problem, and what an operator should know about it.
#[derive(Debug, Clone)]
pub struct Loaded {
    pub config: Config,
    /// Sentences for the log at start.
    pub warnings: Vec<String>,
    /// The file that was read; none when there is none.
    pub file: Option<PathBuf>,
    /// What was set, to tell what a later reading changes.
    pub settings: Settings,
}

impl Config {
    /// Reads and checks everything. Secrets that only development may do without are not
    /// filled in yet: that writes a file, and `fill_development_secrets` does it.
    pub fn load(source: &Source) -> Result<Loaded, Vec<Problem>> {
        Self::load_and(source, |_| Vec::new())
    }

    /// The same, with what `look` finds wrong in the places that the settings name. It sees
    /// them also when some can't be used: those are as their defaults.
    pub fn load_and(
        source: &Source,
        look: impl FnOnce(&Self) -> Vec<Problem>,
    ) -> Result<Loaded, Vec<Problem>> {
        let file = source.file();
        let table = match &file {
            Some(path) => source::read_table(path).map_err(|problem| vec![problem])?,
            None => toml::Table::new(),
        };
        let (config, mut report) = Self::from_table(table, source);
        let settings = std::mem::take(&mut report.settings);
        if let Some(path) = &file {
            production::check_file(path, config.is_production(), &settings, &mut report);
        }
        for Problem { key, message } in look(&config) {
            report.problem(&key, message); // said of a default, it is silenced by its key's own
        }
        let warnings = report.conclude()?;
        Ok(Loaded {
            config,
            warnings,
            file,
            settings,
        })
    }

    pub fn is_production(&self) -> bool {
        self.server.environment == Environment::Production
    }

    fn from_table(table: toml::Table, source: &Source) -> (Self, Report) {
        let mut reader = Reader::new(table, &source.env);
        let config = Self::read(&mut reader);
        let (_, mut report) = reader.finish();
        identity::check(&config.identity, &mut report);
        edge::check(&config.edge, &mut report);
        reply::check(&config.reply, &mut report);
        billing::check(&config.billing, &mut report);
        flags::check(&config.flags, &mut report);
        memory::check(&config.memory, &mut report);
        mail::check(&config.mail, &mut report);
        production::check(&config, &mut report);
        (config, report)
    }

    fn read(reader: &mut Reader<'_>) -> Self {
        Self {
            server: reader.section("server", server::ABOUT, server::read),
            storage: reader.section("storage", storage::ABOUT, storage::read),
            edge: reader.section("edge", edge::ABOUT, edge::read),
            identity: reader.section("identity", identity::ABOUT, identity::read),
            reply: reader.section("reply", reply::ABOUT, reply::read),
            billing: reader.section("billing", billing::ABOUT, billing::read),
            flags: reader.section("flags", flags::ABOUT, flags::read),
            memory: reader.section("memory", memory::ABOUT, memory::read),
            media: reader.section("media", media::ABOUT, media::read),
            mail: reader.section("mail", mail::ABOUT, mail::read),
            log: reader.section("log", log::ABOUT, log::read),
            exports: reader.section("exports", exports::ABOUT, exports::read),
            marketplace: reader.section("marketplace", marketplace::ABOUT, marketplace::read),
            admin: reader.section("admin", admin::ABOUT, admin::read),
        }
    }
}

#[cfg(test)]
mod tests;
