//! Builds the parts of the service from its configuration. This is the only place that chooses
//! concrete parts. It must not know routes: `server` serves them.

mod backups;
mod builders;
pub(crate) mod jobs;
mod relays;
mod reload;
mod sealing;

use std::collections::HashMap;
use std::sync::Arc;

use crate::account::call_limits::CallLimits;
use crate::account::confirmation::DeletionMailer;
use crate::account::erasure::{Eraser, ErasureServices};
use crate::account::exports::{self, Exports};
use crate::account::identity::Identity;
use crate::account::identity::jwks::Jwks;
use crate::assistant::persona::Persona;
use crate::auth::edge_token::{self, Verifier};
use crate::auth::jwt;
use crate::auth::shared_secret::SharedSecret;
use crate::billing::Billing;
use crate::clock::{Clock, Monotonic};
use crate::config::{BillingProvider, Config, Durability, Engine, Network, Secret, Tools};
use crate::edge::hub::{self, Hub};
use crate::engine::{self, Model};
use crate::flags::provider::Provider;
use crate::flags::{Flags, Override};
use crate::http::ServerMetrics;
use crate::ingest::replies::{self, Replies};
use crate::ingest::retries::Retries;
use crate::ingest::{Ingest, reminders};
use crate::marketplace::Marketplace;
use crate::mcp::McpServers;
use crate::media::Photos;
use crate::memory::Memories;
use crate::metrics::JobMetricsSet;
use crate::services::Services;
use crate::setting::Setting;
use crate::store::{self, Lock, SharedStore, Store};

pub use crate::media::folder_beside as photos_folder;
pub use backups::{BackupPhase, BackupStatus, Backups};

pub use builders::services_authorities;
pub use relays::{
    OwnRelay, check_relay, connect_address, relay_files, relay_problems, relay_state, run_relay,
};
pub use sealing::key_problem as sealing_key_problem;

/// All parts that a request can use.
pub struct App {
    pub config: Config,
    pub clock: Clock,
    pub store: SharedStore,
    pub flags: Arc<Flags>,
    pub hub: Arc<Hub>,
    pub ingest: Arc<Ingest>,
    pub memories: Arc<Memories>,
    pub exports: Arc<Exports>,
    pub backups: Arc<Backups>,
    pub photos: Arc<Photos>,
    /// Relays that run inside the service.
    pub relays: Vec<OwnRelay>,
    pub billing: Arc<Billing>,
    pub marketplace: Arc<Marketplace>,
    pub services: Arc<Services>,
    pub edge_tokens: Verifier,
    /// `None` when not configured: then the endpoint is open in development and closed in
    /// production.
    pub legacy_secret: Setting<Option<SharedSecret>>,
    pub admin_token: Setting<Option<SharedSecret>>,
    /// Forwarding headers of these proxies are trusted.
    pub trusted_proxies: Setting<Vec<Network>>,
    /// `None` without a provider: flags have defaults or overrides.
    pub flag_provider: Option<Arc<Provider>>,
    pub identity: Arc<Identity>,
    pub eraser: Arc<Eraser>,
    /// `None` without a mail server.
    pub deletion_mailer: Option<Arc<DeletionMailer>>,
    /// The identity provider's keys, if one is configured.
    pub jwks: Option<Arc<Jwks>>,
    pub call_limits: CallLimits,
    pub retries: Arc<Retries>,
    pub server_metrics: ServerMetrics,
    pub job_metrics: JobMetricsSet,
    pub started: Monotonic,
}

impl App {
    /// Opens the store and builds the parts. The error is a sentence for the operator.
    pub async fn build(config: Config, clock: Clock) -> Result<Arc<Self>, String> {
        let store = Arc::new(open_store(&config)?);
        restore_clock_state(&store, &clock).await?;
        let state = load_startup_state(&store).await?;
        let flags = flags(&config, &clock, state.flag_overrides);
        let settings = edge_settings(&config);
        let hub = Hub::new(store.clone(), clock.clone(), settings, state.edge_epoch);
        let memories = builders::memories(&config, &store, &flags, &clock);
        let photos = photos(&config, &store, &clock);
        let replies = replies(&config, &clock, state.pending_replies, photos.clone())?;
        let ingest = Ingest::new(
            store.clone(),
            hub.clone(),
            flags.clone(),
            clock.clone(),
            persona(&config),
            memories.clone(),
            Replies::new(replies),
        );
        let jwks = jwks(&config, &clock);
        let sealer = sealing::sealer(&config, &store).await?;
        let marketplace =
            builders::marketplace(&config, &store, (&hub, &memories), &clock, &sealer);
        let verifier = verifier(&config);
        let identity = Identity::new(store.clone(), clock.clone(), verifier, jwks.clone());
        let identity = Arc::new(identity);
        let exports = exports(&config, &store, &memories, &clock);
        let services = ErasureServices {
            hub: hub.clone(),
            identity: identity.clone(),
            exports: exports.clone(),
            photos: photos.clone(),
            memories: memories.clone(),
            marketplace: marketplace.clone(),
        };
        let (eraser, deletion_mailer) = builders::eraser(&config, &store, &clock, services)?;
        let billing = Billing::new(&config, store.clone(), flags.clone(), clock.clone());
        Ok(Arc::new(Self {
            billing: Arc::new(billing),
            edge_tokens: edge_tokens(&config, state.revocations)?,
            legacy_secret: Setting::new(shared_secret(&config.edge.legacy_secret)),
            admin_token: Setting::new(shared_secret(&config.admin.token)),
            trusted_proxies: Setting::new(config.server.trusted_proxies.clone()),
            flag_provider: Provider::new(&config.flags).map(Arc::new),
            identity,
            eraser,
            deletion_mailer,
            jwks,
            call_limits: CallLimits::new(store.clone(), clock.clone()),
            retries: Arc::default(),
            server_metrics: ServerMetrics::new(ingest.limited.clone()),
            job_metrics: JobMetricsSet::default(),
            started: clock.monotonic(),
            ingest: Arc::new(ingest),
            backups: Backups::new(store.clone()),
            exports,
            photos,
            relays: relays::all(&config),
            memories,
            marketplace,
            services: builders::services(&config, &store, &clock, &hub, sealer)?,
            config,
            clock,
            store,
            flags,
            hub,
        }))
    }
}

/// What the parts of the service read from the database when it starts.
struct StartupState {
    edge_epoch: String,
    /// Revoked edge tokens, with the second of their revocation.
    revocations: Vec<(String, i64)>,
    flag_overrides: HashMap<&'static str, Override>,
    pending_replies: usize,
}

async fn load_startup_state(store: &SharedStore) -> Result<StartupState, String> {
    let loading = store.read(|view| {
        Ok(StartupState {
            edge_epoch: view.edge_epoch()?,
            revocations: view.revocations()?,
            flag_overrides: view.flag_overrides()?,
            pending_replies: view.count_pending_replies()?,
        })
    });
    loading.await.map_err(|e| e.to_string())
}

fn flags(config: &Config, clock: &Clock, overrides: HashMap<&'static str, Override>) -> Arc<Flags> {
    let flags = Flags::new(config.is_production(), clock.clone())
        .charging_nobody(config.access.charge_nobody);
    flags.set_overrides(overrides);
    Arc::new(flags)
}

fn edge_tokens(config: &Config, revocations: Vec<(String, i64)>) -> Result<Verifier, String> {
    let settings = edge_token::EdgeTokenSettings {
        secrets: edge_secrets(config).ok_or("edge.secret is missing; set it")?,
        ttl_days: config.edge.token_ttl_days,
        development: !config.is_production(),
    };
    Ok(Verifier::new(&settings, revocations))
}

/// `None` before development secrets are created.
fn edge_secrets(config: &Config) -> Option<edge_token::Secrets<'_>> {
    Some(edge_token::Secrets {
        secret: config.edge.secret.as_ref()?.expose(),
        previous_secret: config.edge.previous_secret.as_ref().map(Secret::expose),
    })
}

fn shared_secret(secret: &Option<Secret>) -> Option<SharedSecret> {
    secret.as_ref().map(|s| SharedSecret::new(s.expose()))
}

/// The identity provider's keys, if one is configured.
fn jwks(config: &Config, clock: &Clock) -> Option<Arc<Jwks>> {
    let url = config.identity.jwks_url.as_deref()?;
    Some(Jwks::new(url, clock.clone()))
}

fn expose(secret: &Option<Secret>) -> Option<String> {
    secret.as_ref().map(|secret| secret.expose().to_owned())
}

fn verifier(config: &Config) -> jwt::Verifier {
    let identity = &config.identity;
    let algorithms = identity.algorithms.iter();
    let rules = jwt::Rules {
        issuer: identity.issuer.clone(),
        audience: identity.audience.clone(),
        algorithms: algorithms
            .filter_map(|algorithm| jwt::Algorithm::named(algorithm.name()))
            .collect(),
        leeway_s: identity.leeway_s,
    };
    jwt::Verifier::new(rules, identity.hs256_secret.as_ref().map(Secret::expose))
}

fn exports(
    config: &Config,
    store: &SharedStore,
    memories: &Arc<Memories>,
    clock: &Clock,
) -> Arc<Exports> {
    let settings = exports::ExportSettings {
        dir: config.exports.dir.clone(),
        lifetime_days: config.exports.lifetime_days as i64,
        public_url: config.server.public_url.trim_end_matches('/').to_owned(),
    };
    Exports::new(store.clone(), memories.clone(), clock.clone(), settings)
}

fn photos(config: &Config, store: &SharedStore, clock: &Clock) -> Arc<Photos> {
    Arc::new(Photos::new(
        store.clone(),
        clock.clone(),
        &config.storage.path,
        config.server.public_url.as_str(),
        config.media.keep_days,
    ))
}

fn edge_settings(config: &Config) -> hub::HubSettings {
    let edge = &config.edge;
    hub::HubSettings {
        heartbeat_s: edge.heartbeat_s,
        silence_s: edge.silence_s,
        ack_timeout_s: edge.ack_timeout_s,
        max_in_flight: edge.max_in_flight as usize,
        commands_per_minute: edge.commands_per_minute,
        command_ttl_s: edge.command_ttl_hours * 3600,
    }
}

fn persona(config: &Config) -> Persona {
    let reply = &config.reply;
    Persona {
        name: reply.persona_name.clone(),
        message_limit: reply.message_limit_text.clone(),
        superpower: reply.superpower_text.clone(),
        group_owner: reply.group_owner_text.clone(),
        public_url: config.server.public_url.trim_end_matches('/').to_owned(),
    }
}

fn replies(
    config: &Config,
    clock: &Clock,
    pending: usize,
    photos: Arc<Photos>,
) -> Result<replies::ReplySettings, String> {
    let reply = &config.reply;
    let model = match reply.engine {
        Engine::Builtin => None,
        Engine::OpenAi => {
            let missing = |key| format!("{key} is required with reply.engine = \"openai\"");
            let model = reply.model.clone().ok_or_else(|| missing("reply.model"))?;
            let settings = engine::ModelSettings {
                base_url: reply
                    .base_url
                    .clone()
                    .ok_or_else(|| missing("reply.base_url"))?,
                api_key: Setting::new(expose(&reply.api_key)),
                vision_model: reply.vision_model.clone().unwrap_or_else(|| model.clone()),
                model,
                max_tokens_field: reply.max_tokens_field,
                tools: reply.tools == Tools::Offered,
                concurrency: reply.max_concurrency as usize,
            };
            Some(Model::new(settings, clock.clone()))
        }
    };
    Ok(replies::ReplySettings {
        model,
        mcp: Setting::new(McpServers::new(&reply.mcp, clock)),
        system_prompt: Setting::new(reply.system_prompt.clone()),
        stream: reply.stream,
        deadline_s: reply.deadline_s,
        pending,
        photos,
    })
}

/// The store's options from the configuration.
pub fn store_options(config: &Config) -> store::Options {
    store::Options {
        path: config.storage.path.clone(),
        full_durability: config.storage.durability == Durability::Full,
        readers: config.storage.readers as u32,
        payment_provider: config.billing.provider != BillingProvider::None,
    }
}

fn open_store(config: &Config) -> Result<Store, String> {
    Store::open(&store_options(config))
}

/// If the clock had jumped when the service last ran, it isn't trusted until it proves correct.
async fn restore_clock_state(store: &SharedStore, clock: &Clock) -> Result<(), String> {
    let has_jumped = store.read(|view| view.clock_has_jumped()).await;
    if has_jumped.map_err(|e| e.to_string())? {
        log::warn!(
            "the clock had jumped when the service last ran; it is not trusted until it proves correct"
        );
        clock.wait_until_steady();
    }
    Ok(())
}

/// Takes the database's lock before anything else opens it. A replaced file begins a new edge
/// epoch, because relays may have finished more than it knows.
pub fn lock(config: &Config) -> Result<Lock, String> {
    let path = &config.storage.path;
    let lock = Lock::take(path)?;
    if lock.finds_another_file() && store::begin_epoch(path)? {
        log::warn!(
            "{} was replaced since it was last in use: relays begin a new epoch",
            path.display()
        );
    }
    Ok(lock)
}
