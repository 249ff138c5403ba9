//! All sections of the configuration: keys with types, defaults, ranges, and the sentence that
//! `service.toml` shows. A key is described only here. Rules between keys are in `checks`;
//! `section` explains the methods on the right.

use std::net::SocketAddr;
use std::path::PathBuf;

use super::network::Network;
use super::secret::Secret;
use super::section::{Choice, choice, section};
use super::smtp_url::SmtpUrl;
use super::{log_filter, text, url};

/// The default, correct only for clients on the same machine.
pub(super) const PUBLIC_URL: &str = "http://127.0.0.1:8080";

const LISTEN: SocketAddr =
    SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 8080);

section! {
    /// Where and how the service listens.
    Server {
        /// Address and port to listen on. Port 0 takes a free one.
        listen: SocketAddr = parsed(LISTEN, listen);
        /// Where people and relays reach the service from outside. Its pages may change things.
        // Without a trailing slash.
        public_url: String = parsed(PUBLIC_URL, url::base);
        /// Production refuses to start without secrets of its own. Also ENVIRONMENT.
        environment: Environment = choice(Environment::Development);
        /// Addresses and networks of reverse proxies; only these may set X-Forwarded-For.
        trusted_proxies: Vec<Network> = list(&[], Network::parse);
        /// Connections at once; one more is answered 503 and closed.
        max_connections: u64 = number(20_000, 1..=1_000_000);
        /// Connections of one address (IPv6: of its /64), a quarter of max_connections where it
        /// is not set; one more is answered 503 and closed. trusted_proxies are not counted, in
        /// development this machine neither.
        // See `connections_per_address`.
        max_connections_per_address: Option<u64> = number_if_set(5_000, 1..=1_000_000);
        /// Seconds a client may take to send the head of a request.
        header_timeout_s: u64 = number(10, 1..=300);
        /// Seconds a client may take to send a body.
        body_timeout_s: u64 = number(30, 1..=3600);
        /// Seconds without a byte taken after which a client that does not read is cut off.
        write_timeout_s: u64 = number(20, 1..=3600);
        /// Seconds that what is under way may take when the service is told to stop.
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

    /// Whether `public_url` is set.
    pub fn has_public_url(&self) -> bool {
        self.public_url != PUBLIC_URL
    }

    /// The origin of `public_url`, as browsers send it.
    pub fn public_origin(&self) -> String {
        url::origin_of(&self.public_url)
    }
}

fn listen(text: &str) -> Result<SocketAddr, String> {
    text.parse()
        .map_err(|_| "must be an IP address and a port, like \"0.0.0.0:8080\"".to_owned())
}

section! {
    /// The one database file.
    Storage {
        /// The database. Relative paths start at the working directory.
        path: PathBuf = path("data/chatkeep.db", text::file_path);
        /// "full": what was answered 200 survives a loss of power; "normal": a crash of the
        /// process.
        durability: Durability = choice(Durability::Full);
        /// Connections that read at the same time.
        readers: u64 = number(4, 1..=64);
    }
}

choice! {
    Durability {
        /// What was answered 200 survives power loss.
        Full = "full";
        /// What was answered 200 survives a crash of the process.
        Normal = "normal";
    }
}

section! {
    /// Relays: how they prove who they are, and how long they are waited for.
    Edge {
        /// Signs the tokens of relays; at least 32 bytes in production. Development makes one.
        /// Also EDGE_SECRET.
        // Always there once development secrets are filled in, and in production.
        secret: Option<Secret> = secret();
        /// The secret before, while relays still hold tokens signed with it; at least 32 bytes in
        /// production.
        previous_secret: Option<Secret> = secret();
        /// Days a relay's token is valid.
        token_ttl_days: u64 = number(365, 1..=3650);
        /// What POST /orchestrator/message wants as bearer token. Without it that endpoint is
        /// open in development and answers 401 in production. At least 32 bytes there. Also
        /// RELAY_WEBHOOK_SECRET.
        // Development never makes one.
        legacy_secret: Option<Secret> = secret();
        /// Web origins whose pages may be relays: open a WebSocket, send messages, poll.
        // In lower case, without a trailing slash.
        allowed_origins: Vec<String> = list(&[], url::origin);
        /// Seconds between pings to a relay.
        heartbeat_s: u64 = number(30, 1..=3600);
        /// Seconds without a word from a relay until its connection is closed; more than
        /// heartbeat_s.
        silence_s: u64 = number(90, 2..=86_400);
        /// Seconds a relay may take to acknowledge a command before it is sent again.
        ack_timeout_s: u64 = number(30, 1..=3600);
        /// Commands sent to one relay and not yet acknowledged.
        max_in_flight: u64 = number(64, 1..=10_000);
        /// Hours a command waits for its relay until it is given up.
        command_ttl_hours: u64 = number(72, 1..=8760);
        /// Commands sent to one relay in any minute, repeated ones too; the rest waits its turn.
        commands_per_minute: u64 = number(50, 1..=1_000_000);
    }
}

section! {
    /// Who issues the JWTs of people.
    Identity {
        /// Where the identity provider publishes its keys; wants issuer and audience as well.
        // With one, `issuer` and `audience` are there too.
        jwks_url: Option<String> = parsed_if_set("https://id.example.com/.well-known/jwks.json", url::web);
        /// The iss that tokens must carry, to the letter.
        issuer: Option<String> = parsed_if_set("https://id.example.com/", text::line);
        /// The aud that tokens must carry.
        audience: Option<String> = parsed_if_set("chatkeep", text::line);
        /// Signatures accepted from the identity provider.
        algorithms: Vec<Algorithm> = list(&["RS256", "ES256", "EdDSA"], algorithm);
        /// Seconds by which clocks may differ.
        leeway_s: u64 = number(30, 0..=300);
        /// The key of `chatkeep token user`; whoever holds it can be anyone. Development makes
        /// one. Production wants it only in the place of jwks_url, and at least 32 bytes.
        hs256_secret: Option<Secret> = secret();
    }
}

choice! {
    /// Signatures of an external issuer. HS256 is missing on purpose: it counts only with
    /// `hs256_secret`, never with a key from a JWKS.
    Algorithm {
        Rs256 = "RS256";
        Es256 = "ES256";
        EdDsa = "EdDSA";
    }
}

impl Algorithm {
    /// As `alg` in a JWT's header.
    pub fn name(self) -> &'static str {
        self.word()
    }
}

fn algorithm(text: &str) -> Result<Algorithm, String> {
    Algorithm::from_word(text).ok_or_else(|| {
        if text.eq_ignore_ascii_case("HS256") {
            "is never accepted from an identity provider; it counts only with hs256_secret"
                .to_owned()
        } else {
            "is not accepted; accepted are \"RS256\", \"ES256\" and \"EdDSA\"".to_owned()
        }
    })
}

section! {
    /// Who writes the assistant's answers.
    Reply {
        /// "builtin" works offline, "openai" asks any server that speaks chat completions.
        engine: Engine = choice(Engine::Builtin);
        /// What /chat/completions is appended to.
        // Without a trailing slash. With `Engine::OpenAi`, this and `model` are there.
        base_url: Option<String> = parsed_if_set("https://api.openai.com/v1", url::base);
        /// The key of that server, if it wants one.
        api_key: Option<Secret> = secret();
        /// The model to ask for.
        model: Option<String> = parsed_if_set("gpt-4o-mini", text::line);
        /// The model for messages with photos, if it is another one.
        vision_model: Option<String> = parsed_if_set("gpt-4o", text::line);
        /// The field in which that server is told a reply's length; older ones know the second.
        max_tokens_field: MaxTokensField = choice(MaxTokensField::MaxCompletionTokens);
        /// "offered": the model may use superpowers, memories and reminders; "none" suits small
        /// models that call them at random.
        tools: Tools = choice(Tools::Offered);
        /// Seconds until the request is answered without a reply, which then follows.
        deadline_s: u64 = number(25, 1..=300);
        /// Replies under way at once.
        // Each reply takes a thread while it is under way.
        max_concurrency: u64 = number(64, 1..=256);
        /// The assistant's name; in a group it answers to it.
        persona_name: String = parsed("Juno", text::name);
        /// Who the assistant is, in your words; otherwise a text that comes with the service.
        system_prompt: Option<String> = parsed_if_set("", text::prompt);
        /// What a free user hears when the day's messages are used up, in the assistant's voice.
        message_limit_text: Option<String> = parsed_if_set("", text::prompt);
        /// What a free user hears who asks for a superpower in a direct chat.
        superpower_text: Option<String> = parsed_if_set("", text::prompt);
        /// What a group hears that asks for a superpower and whose owner is not subscribed.
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
    /// The field that tells a model's server the most tokens of a reply.
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
        /// Another address for the provider, as for tests.
        // Without a trailing slash.
        api_base: Option<String> = parsed_if_set("https://api.stripe.com", url::base);
        /// The provider's secret key.
        // With `BillingProvider::Stripe`, both keys and both prices are there.
        secret_key: Option<Secret> = secret();
        /// The provider's publishable key, which pages get to see.
        publishable_key: Option<String> = parsed_if_set("pk_live_…", text::line);
        /// Verifies events at POST /payment/events.
        // With `BillingProvider::Stripe` in production, it is there.
        webhook_secret: Option<Secret> = secret();
        /// Id of the monthly price.
        price_monthly: Option<String> = parsed_if_set("price_…", text::line);
        /// Id of the annual price.
        price_annual: Option<String> = parsed_if_set("price_…", text::line);
        /// Currency of top-ups and paid trials.
        // In lower case.
        currency: String = parsed("usd", text::currency);
        /// Days of a trial, while trials are on.
        // The provider itself takes at most two years.
        trial_days: u64 = number(7, 1..=730);
        /// Where a checkout leads that went well, when the request names no place.
        success_url: Option<String> = parsed_if_set("https://app.example.com/welcome", url::web);
        /// Where a checkout leads that was given up.
        cancel_url: Option<String> = parsed_if_set("https://app.example.com/plans", url::web);
        /// Hosts a checkout may lead back to, besides the one of server.public_url.
        // In lower case, without ports.
        allowed_return_hosts: Vec<String> = list(&[], url::host);
        /// The secret key while the flag payment.processor_test_mode is on.
        test_secret_key: Option<Secret> = secret();
        /// The publishable key in test mode.
        test_publishable_key: Option<String> = parsed_if_set("pk_test_…", text::line);
        /// Verifies events in test mode.
        test_webhook_secret: Option<Secret> = secret();
        /// Id of the monthly price in test mode, where it has another one.
        test_price_monthly: Option<String> = parsed_if_set("price_…", text::line);
        /// The same of the annual price.
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
    /// Whether the provider is Stripe's own server, not a stand-in.
    pub(super) fn is_at_stripe(&self) -> bool {
        let base = self.api_base.as_deref();
        base.is_none_or(|base| base.starts_with("https://api.stripe.com"))
    }
}

section! {
    /// Who pays.
    Access {
        /// For limits and superpowers everybody counts as subscribed, while their status and plan
        /// stay what they are. Where there is no configuration file, the default is true.
        // See `Config::load_and`.
        charge_nobody: bool = switch(false);
    }
}

section! {
    /// Where the values of feature flags come from.
    Flags {
        /// With "none" every flag has its default. An SDK key alone means "launchdarkly";
        /// "launchdarkly" without a key is as "none", with a warning.
        // See `Flags::provider`.
        provider: Option<FlagsProvider> = choice_if_set("none");
        /// Address of the provider; "launchdarkly" has one of its own.
        // Without a trailing slash. With `FlagsProvider::Ofrep`, it is there.
        base_url: Option<String> = parsed_if_set("https://flags.example.com", url::base);
        /// The provider's key. Also FLAGS_SDK_KEY.
        // Without one, `FlagsProvider::LaunchDarkly` is never asked.
        sdk_key: Option<Secret> = secret();
        /// Seconds between two looks at all flags.
        poll_s: u64 = number(60, 1..=86_400);
        /// Seconds between two looks at the flags that switch things off in an emergency.
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
    /// Where memories of people are kept.
    Memory {
        /// "local" keeps them in the database, "mem0" in a service of that kind.
        provider: MemoryProvider = choice(MemoryProvider::Local);
        /// Address of that service.
        // Without a trailing slash. With `MemoryProvider::Mem0`, it is there.
        base_url: Option<String> = parsed_if_set("https://api.mem0.ai", url::base);
        /// The key of that service, if it wants one.
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
    /// Photos that relays upload, kept in a folder beside the database.
    Media {
        /// Days until a photo's file is removed.
        keep_days: u64 = number(7, 1..=365);
    }
}

section! {
    /// How confirmations are mailed. Without smtp_url no mail is sent, and a log line says so.
    Mail {
        /// smtp://user:password@host:port, or smtps:// for TLS from the first byte.
        smtp_url: Option<SmtpUrl> = parsed_secret(SmtpUrl::parse);
        /// The sender of mails; needed with smtp_url.
        // With `smtp_url`, it is there.
        from: Option<String> = parsed_if_set("Juno <juno@example.com>", text::mail_address);
        /// Certificates (PEM) to trust as well: of a mail server with an authority of your own.
        ca_file: Option<PathBuf> = path_if_set("/etc/ssl/our-ca.pem");
    }
}

impl Mail {
    /// What stands in `ca_file` (PEM).
    pub fn certificates(&self) -> Result<Option<String>, String> {
        let Some(path) = &self.ca_file else {
            return Ok(None);
        };
        let read = std::fs::read_to_string(path);
        read.map(Some)
            .map_err(|e| format!("mail.ca_file: can't read {}: {e}", path.display()))
    }
}

section! {
    /// What is logged, how and where.
    Log {
        /// A level (off, error, warn, info, debug, trace) for everything, and with commas for
        /// parts: "info,chatkeep::http::access=off". CHATKEEP_LOG beats it.
        // A filter as env_logger reads it.
        level: String = parsed("info", log_filter::check);
        /// "json" writes one JSON object a line. CHATKEEP_LOG_FORMAT beats it.
        format: LogFormat = choice(LogFormat::Text);
        /// The file that lines are appended to; without one they go to stderr. SIGHUP opens it
        /// anew, as after a rotation.
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
    /// Files with everything the service knows about a person, made on request.
    Exports {
        /// The directory they are kept in.
        // Relative paths start at the working directory.
        dir: PathBuf = path("data/exports", text::line);
        /// Days until an export expires.
        lifetime_days: u64 = number(7, 1..=365);
    }
}

section! {
    /// Apps that people make, and their webhooks.
    Marketplace {
        /// Seals the secrets of webhooks in the database; who loses it has to rotate them all.
        /// Without it one is made and kept in sealing.key beside the database: back that up too.
        sealing_key: Option<Secret> = secret();
    }
}

section! {
    /// Calendars and mailboxes that people connect. Their servers are asked over TLS, and never
    /// at private addresses, so that nobody gets into this network by them.
    Services {
        /// Private addresses, of this machine and its network, are asked on allowed_hosts.
        allow_private: bool = switch(false);
        /// Hosts that are asked without TLS as well, where the address says so.
        allowed_hosts: Vec<String> = list(&[], url::host);
    }
}

section! {
    /// The operator.
    Admin {
        /// Bearer token of /admin and /metrics; at least 32 bytes in production. Development
        /// makes one.
        // Always there once development secrets are filled in, and in production.
        token: Option<Secret> = secret();
    }
}
