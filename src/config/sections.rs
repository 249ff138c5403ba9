//! All sections of the configuration: keys with types, defaults, ranges, and the sentence that
//! `service.toml` shows. A key is described only here. Rules between keys are in `checks`;
//! `section` explains the methods on the right.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use super::mcp::McpServer;
use super::network::Network;
use super::secret::Secret;
use super::section::{Choice, choice, section};
use super::smtp_url::SmtpUrl;
use super::{log_filter, text, url};

/// The default, correct only for clients on the same machine.
pub(super) const PUBLIC_URL: &str = "http://127.0.0.1:8080";

/// The default, in the working directory.
pub const DATABASE: &str = "data/chatkeep.db";

const LISTEN: SocketAddr =
    SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 8080);

section! {
    /// Addresses, connections and timeouts of the HTTP server.
    Server {
        /// Address and port to listen on. Port 0 selects a free port.
        listen: SocketAddr = parsed(LISTEN, listen);
        /// URL at which people and relays reach the service from outside. Requests that change data
        /// are accepted from pages of this origin. In development the default has the port of
        /// listen.
        // Without a trailing slash.
        public_url: String = parsed(PUBLIC_URL, url::base);
        /// Production requires configured secrets. Also set by ENVIRONMENT.
        environment: Environment = choice(Environment::Development);
        /// Addresses and networks of reverse proxies; only these may set X-Forwarded-For.
        trusted_proxies: Vec<Network> = list(&[], Network::parse);
        /// Maximum number of simultaneous connections; a further one is answered 503 and closed.
        max_connections: u64 = number(20_000, 1..=1_000_000);
        /// Maximum number of simultaneous connections of one address (IPv6: of its /64); a further
        /// one is answered 503 and closed. Default: a quarter of max_connections. Not limited are
        /// trusted_proxies and, in development, this machine.
        // See `connections_per_address`.
        max_connections_per_address: Option<u64> = number_if_set(5_000, 1..=1_000_000);
        /// Seconds a client may take to send a request's head.
        header_timeout_s: u64 = number(10, 1..=300);
        /// Seconds a client may take to send a request's body.
        body_timeout_s: u64 = number(30, 1..=3600);
        /// Seconds after which a client that reads nothing is disconnected.
        write_timeout_s: u64 = number(20, 1..=3600);
        /// Seconds that requests under way may take at shutdown.
        shutdown_grace_s: u64 = number(30, 0..=3600);
    }
}

choice! {
    Environment {
        Development = "development";
        Production = "production";
    }
}

impl Server {
    /// How many connections one address may have.
    pub fn connections_per_address(&self) -> u64 {
        let quarter = (self.max_connections / 4).max(1);
        self.max_connections_per_address.unwrap_or(quarter)
    }

    /// The origin of `public_url`, as browsers send it.
    pub fn public_origin(&self) -> String {
        url::origin_of(&self.public_url)
    }
}

/// The URL under which this machine reaches what listens on `address`.
pub(super) fn own_url(address: SocketAddr) -> String {
    match address.ip().is_unspecified() {
        true => format!("http://127.0.0.1:{}", address.port()),
        false => format!("http://{address}"),
    }
}

fn listen(text: &str) -> Result<SocketAddr, String> {
    text.parse()
        .map_err(|_| "must be an IP address and a port, like \"0.0.0.0:8080\"".to_owned())
}

section! {
    /// The database.
    Storage {
        /// Path of the database file. A relative path starts at the working directory.
        path: PathBuf = path(DATABASE, text::file_path);
        /// What a 200 answer guarantees. "full": the data survives power loss. "normal": the data
        /// survives a crash of the process.
        durability: Durability = choice(Durability::Full);
        /// Number of connections that read the database at the same time.
        readers: u64 = number(4, 1..=64);
    }
}

choice! {
    Durability {
        /// Data that was confirmed with 200 survives power loss.
        Full = "full";
        /// Data that was confirmed with 200 survives a crash of the process.
        Normal = "normal";
    }
}

section! {
    /// Relays: authentication, limits and timeouts.
    Edge {
        /// Signs relays' tokens; at least 32 bytes in production. Development generates one. Also
        /// set by EDGE_SECRET.
        // Always set in production, and after development secrets are generated.
        secret: Option<Secret> = secret();
        /// The previous secret, while relays still use tokens signed with it; at least 32 bytes in
        /// production.
        previous_secret: Option<Secret> = secret();
        /// Days for which a relay's token is valid.
        token_ttl_days: u64 = number(365, 1..=3650);
        /// The bearer token that POST /orchestrator/message requires; at least 32 bytes in
        /// production. Without it that endpoint is open in development and answers 401 in
        /// production. Also set by RELAY_WEBHOOK_SECRET.
        // Development never generates one.
        legacy_secret: Option<Secret> = secret();
        /// Web origins whose pages may act as relays: open a WebSocket, send messages, poll.
        // In lower case, without a trailing slash.
        allowed_origins: Vec<String> = list(&[], url::origin);
        /// Seconds between pings to a relay.
        heartbeat_s: u64 = number(30, 1..=3600);
        /// Seconds without data from a relay after which its connection is closed; must exceed
        /// heartbeat_s.
        silence_s: u64 = number(90, 2..=86_400);
        /// Seconds a relay may take to acknowledge a command before it is sent again.
        ack_timeout_s: u64 = number(30, 1..=3600);
        /// Maximum number of commands sent to one relay and not yet acknowledged.
        max_in_flight: u64 = number(64, 1..=10_000);
        /// Hours a command waits for its relay before it expires.
        command_ttl_hours: u64 = number(72, 1..=8760);
        /// Maximum number of commands sent to one relay per minute, including repeated ones.
        /// Further commands wait.
        commands_per_minute: u64 = number(50, 1..=1_000_000);
    }
}

section! {
    /// Issuers of people's tokens (JWT).
    Identity {
        /// URL of the identity provider's keys (JWKS). Requires issuer and audience.
        // If set, `issuer` and `audience` are set too.
        jwks_url: Option<String> = parsed_if_set("https://id.example.com/.well-known/jwks.json", url::web);
        /// The iss claim that tokens must have, compared exactly.
        issuer: Option<String> = parsed_if_set("https://id.example.com/", text::line);
        /// The aud claim that tokens must have.
        audience: Option<String> = parsed_if_set("chatkeep", text::line);
        /// Signature algorithms accepted from the identity provider.
        algorithms: Vec<Algorithm> = list(&["RS256", "ES256", "EdDSA"], algorithm);
        /// Maximum difference between clocks, in seconds.
        leeway_s: u64 = number(30, 0..=300);
        /// Signs the tokens of `chatkeep token user`; whoever has it can sign in as anyone.
        /// Development generates one. Production needs it only without jwks_url, with at least 32
        /// bytes.
        hs256_secret: Option<Secret> = secret();
    }
}

choice! {
    /// Signature algorithms of an external issuer. HS256 is excluded on purpose: it is valid only
    /// with `hs256_secret`, never with a key from a JWKS.
    Algorithm {
        Rs256 = "RS256";
        Es256 = "ES256";
        EdDsa = "EdDSA";
    }
}

impl Algorithm {
    /// The algorithm's name, as in the field `alg` of a JWT's header.
    pub fn name(self) -> &'static str {
        self.word()
    }
}

fn algorithm(text: &str) -> Result<Algorithm, String> {
    Algorithm::from_word(text).ok_or_else(|| {
        if text.eq_ignore_ascii_case("HS256") {
            "is never accepted from an identity provider; it is valid only with hs256_secret"
                .to_owned()
        } else {
            "is not accepted; accepted are \"RS256\", \"ES256\" and \"EdDSA\"".to_owned()
        }
    })
}

section! {
    /// The engine that writes the assistant's answers.
    Reply {
        /// "builtin" works offline; "openai" uses any server with the chat completions API.
        engine: Engine = choice(Engine::Builtin);
        /// Base URL of that server; /chat/completions is appended.
        // Without a trailing slash. With `Engine::OpenAi`, this and `model` are set.
        base_url: Option<String> = parsed_if_set("https://api.openai.com/v1", url::completions_base);
        /// The API key of that server, if it requires one.
        api_key: Option<Secret> = secret();
        /// The model to use.
        model: Option<String> = parsed_if_set("gpt-4o-mini", text::line);
        /// The model for messages with photos, if it differs.
        vision_model: Option<String> = parsed_if_set("gpt-4o", text::line);
        /// The request field for a reply's maximum length; older servers accept only max_tokens.
        max_tokens_field: MaxTokensField = choice(MaxTokensField::MaxCompletionTokens);
        /// "offered": the model may use superpowers, memories and reminders. "none" is for small
        /// models that call tools at random.
        tools: Tools = choice(Tools::Offered);
        /// Servers of the Model Context Protocol, by streamable HTTP, whose tools the model may
        /// call for everybody: a section [[reply.mcp]] each, with name, url, token or token_file
        /// where the server wants one, and groups = true to offer its tools in groups too.
        mcp: Vec<McpServer> = tables(McpServer::example(), McpServer::read);
        /// Seconds after which a request is answered without a reply; the reply is delivered later.
        deadline_s: u64 = number(25, 1..=300);
        /// true: the first paragraphs of a reply are delivered as commands as soon as they are
        /// complete, to relays that take commands.
        stream: bool = switch(false);
        /// Maximum number of replies generated at the same time.
        // Each reply occupies a thread while it is generated.
        max_concurrency: u64 = number(64, 1..=256);
        /// The assistant's name, by which people address it in groups.
        persona_name: String = parsed("Juno", text::name);
        /// The system prompt that describes the assistant; default: a built-in text.
        system_prompt: Option<String> = parsed_if_set("", text::prompt);
        /// The assistant's answer to a free user who has used up the day's messages.
        message_limit_text: Option<String> = parsed_if_set("", text::prompt);
        /// The assistant's answer to a free user who asks for a superpower in a direct chat.
        superpower_text: Option<String> = parsed_if_set("", text::prompt);
        /// The assistant's answer in a group that asks for a superpower and whose owner is not
        /// subscribed.
        group_owner_text: Option<String> = parsed_if_set("", text::prompt);
    }
}

choice! {
    /// What writes a reply.
    Engine {
        Builtin = "builtin";
        OpenAi = "openai";
    }
}

choice! {
    /// The request field for a reply's maximum number of tokens.
    MaxTokensField {
        MaxCompletionTokens = "max_completion_tokens";
        MaxTokens = "max_tokens";
    }
}

choice! {
    /// Whether a model may act for people.
    Tools {
        Offered = "offered";
        None = "none";
    }
}

section! {
    /// The payment provider.
    Billing {
        /// With "none" nobody can pay, and `chatkeep user grant` gives subscriptions.
        provider: BillingProvider = choice(BillingProvider::None);
        /// Base URL of the provider's API, to be changed for a test server.
        // Without a trailing slash.
        api_base: Option<String> = parsed_if_set("https://api.stripe.com", url::base);
        /// The provider's secret key.
        // With `BillingProvider::Stripe`, both keys and both prices are set.
        secret_key: Option<Secret> = secret();
        /// The provider's publishable key, which web pages receive.
        publishable_key: Option<String> = parsed_if_set("pk_live_…", text::line);
        /// Verifies events at POST /payment/events.
        // Always set with `BillingProvider::Stripe` in production.
        webhook_secret: Option<Secret> = secret();
        /// Id of the monthly price.
        price_monthly: Option<String> = parsed_if_set("price_…", text::line);
        /// Id of the annual price.
        price_annual: Option<String> = parsed_if_set("price_…", text::line);
        /// Currency of top-ups and paid trials.
        // In lower case.
        currency: String = parsed("usd", text::currency);
        /// Days of a trial, if trials are enabled.
        // The provider accepts at most two years.
        trial_days: u64 = number(7, 1..=730);
        /// Where a successful checkout leads if the request names no URL.
        success_url: Option<String> = parsed_if_set("https://app.example.com/welcome", url::web);
        /// Where a cancelled checkout leads if the request names no URL.
        cancel_url: Option<String> = parsed_if_set("https://app.example.com/plans", url::web);
        /// Hosts to which a checkout may return, besides the host of server.public_url.
        // In lower case, without ports.
        allowed_return_hosts: Vec<String> = list(&[], url::host);
        /// The secret key in test mode, which the flag payment.processor_test_mode enables.
        test_secret_key: Option<Secret> = secret();
        /// The publishable key in test mode.
        test_publishable_key: Option<String> = parsed_if_set("pk_test_…", text::line);
        /// Verifies events in test mode.
        test_webhook_secret: Option<Secret> = secret();
        /// Id of the monthly price in test mode, if it differs.
        test_price_monthly: Option<String> = parsed_if_set("price_…", text::line);
        /// Id of the annual price in test mode, if it differs.
        test_price_annual: Option<String> = parsed_if_set("price_…", text::line);
    }
}

choice! {
    BillingProvider {
        None = "none";
        Stripe = "stripe";
    }
}

impl Billing {
    /// Whether the provider is Stripe's own server, not a test server.
    pub(super) fn is_at_stripe(&self) -> bool {
        let base = self.api_base.as_deref();
        base.is_none_or(|base| base.starts_with("https://api.stripe.com"))
    }
}

section! {
    /// Whether people pay.
    Access {
        /// Treats everybody as subscribed for limits and superpowers; status and plan stay
        /// unchanged. Without a configuration file the default is true.
        // See `Config::load_and`.
        charge_nobody: bool = switch(false);
    }
}

section! {
    /// Source of feature flags.
    Flags {
        /// With "none" every flag has its default. An SDK key alone implies "launchdarkly";
        /// "launchdarkly" without a key acts like "none" and logs a warning.
        // See `Flags::provider`.
        provider: Option<FlagsProvider> = choice_if_set("none");
        /// Base URL of the provider; "launchdarkly" has a built-in default.
        // Without a trailing slash. Always set with `FlagsProvider::Ofrep`.
        base_url: Option<String> = parsed_if_set("https://flags.example.com", url::base);
        /// The provider's key. Also FLAGS_SDK_KEY.
        // Without a key, `FlagsProvider::LaunchDarkly` sends no requests.
        sdk_key: Option<Secret> = secret();
        /// Seconds between two requests for all flags.
        poll_s: u64 = number(60, 1..=86_400);
        /// Seconds between two requests for the flags that switch features off in an emergency.
        kill_switch_poll_s: u64 = number(5, 1..=3600);
    }
}

choice! {
    FlagsProvider {
        None = "none";
        LaunchDarkly = "launchdarkly";
        Ofrep = "ofrep";
    }
}

impl Flags {
    /// An SDK key alone implies `FlagsProvider::LaunchDarkly`.
    pub fn provider(&self) -> FlagsProvider {
        self.provider.unwrap_or(match self.sdk_key {
            Some(_) => FlagsProvider::LaunchDarkly,
            None => FlagsProvider::None,
        })
    }
}

section! {
    /// Where people's memories are stored.
    Memory {
        /// "local" stores memories in the database, "mem0" in a mem0 service.
        provider: MemoryProvider = choice(MemoryProvider::Local);
        /// Base URL of the mem0 service.
        // Without a trailing slash. Always set with `MemoryProvider::Mem0`.
        base_url: Option<String> = parsed_if_set("https://api.mem0.ai", url::base);
        /// The API key of the mem0 service, if it requires one.
        api_key: Option<Secret> = secret();
    }
}

choice! {
    MemoryProvider {
        Local = "local";
        Mem0 = "mem0";
    }
}

section! {
    /// Photos that relays upload, stored in a folder beside the database.
    Media {
        /// Days until a photo's file is removed.
        keep_days: u64 = number(7, 1..=365);
    }
}

section! {
    /// The mail server for confirmations. Without smtp_url no mail is sent, and the log says so.
    Mail {
        /// smtp://user:password@host:port, or smtps:// for TLS from the first byte.
        smtp_url: Option<SmtpUrl> = parsed_secret(SmtpUrl::parse);
        /// The sender of mails; required with smtp_url.
        // Always set with `smtp_url`.
        from: Option<String> = parsed_if_set("Juno <juno@example.com>", text::mail_address);
        /// Additional trusted certificates (PEM), for a mail server with a private certificate
        /// authority.
        ca_file: Option<PathBuf> = path_if_set("/etc/ssl/our-ca.pem");
    }
}

impl Mail {
    /// The content of `ca_file` (PEM).
    pub fn certificates(&self) -> Result<Option<String>, String> {
        certificates("mail.ca_file", self.ca_file.as_deref())
    }
}

impl Services {
    /// The content of `ca_file` (PEM).
    pub fn certificates(&self) -> Result<Option<String>, String> {
        certificates("services.ca_file", self.ca_file.as_deref())
    }
}

fn certificates(key: &str, file: Option<&Path>) -> Result<Option<String>, String> {
    let read = |path: &Path| {
        let read = std::fs::read_to_string(path);
        read.map_err(|e| format!("{key}: can't read {}: {e}", path.display()))
    };
    file.map(read).transpose()
}

section! {
    /// Level, format and destination of the log.
    Log {
        /// A level (off, error, warn, info, debug, trace) for everything, and after commas levels
        /// of single parts: "info,chatkeep::http::access=off". CHATKEEP_LOG overrides it.
        // A filter as env_logger reads it.
        level: String = parsed("info", log_filter::check);
        /// "json" writes one JSON object per line. CHATKEEP_LOG_FORMAT overrides it.
        format: LogFormat = choice(LogFormat::Text);
        /// The file that lines are appended to; default: stderr. SIGHUP reopens it, for example
        /// after a rotation.
        file: Option<PathBuf> = path_if_set("/var/log/chatkeep/chatkeep.log");
    }
}

choice! {
    LogFormat {
        Text = "text";
        Json = "json";
    }
}

section! {
    /// Exports: files with all data about a person, created on request.
    Exports {
        /// The folder for exports.
        // Relative paths start at the working directory.
        dir: PathBuf = path("data/exports", text::line);
        /// Days until an export expires.
        lifetime_days: u64 = number(7, 1..=365);
    }
}

section! {
    /// Apps that people create, and their webhooks.
    Marketplace {
        /// Encrypts webhooks' secrets in the database; if the key is lost, all of them must be
        /// rotated. Default: a generated key in sealing.key beside the database, which belongs in
        /// backups.
        sealing_key: Option<Secret> = secret();
    }
}

section! {
    /// Calendars and mailboxes that people connect. The service contacts their servers only over
    /// TLS and never at private addresses, so that nobody can reach this network through it.
    Services {
        /// Allows private addresses of this machine and its network, for allowed_hosts only.
        allow_private: bool = switch(false);
        /// Hosts that may be contacted without TLS if the URL says so.
        allowed_hosts: Vec<String> = list(&[], url::host);
        /// Certificates (PEM) to trust for allowed_hosts, instead of those of the web.
        ca_file: Option<PathBuf> = path_if_set("/etc/ssl/our-ca.pem");
    }
}

section! {
    /// The operator's access.
    Admin {
        /// The bearer token of /admin and /metrics; at least 32 bytes in production. Development
        /// generates one.
        // Always set in production, and after development secrets are generated.
        token: Option<Secret> = secret();
    }
}
