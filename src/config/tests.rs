//! Tables over every rule of the configuration: what is accepted, and what is refused how.

mod secrets;
mod sources;
mod warnings;

use std::path::Path;

use super::*;

const LONG: &str = "0123456789abcdef0123456789abcdef";
const VALID_PRODUCTION: &str = "
[server]
environment = \"production\"
public_url = \"https://chat.example\"
trusted_proxies = [\"127.0.0.1\"]
[storage]
path = \"/var/lib/chatkeep/chatkeep.db\"
[edge]
secret = \"0123456789abcdef0123456789abcdef\"
[identity]
hs256_secret = \"0123456789abcdef0123456789abcdef\"
[admin]
token = \"0123456789abcdef0123456789abcdef\"
";

fn read(text: &str, env: &[(&str, &str)]) -> (Config, Report) {
    let env = env.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned()));
    let source = Source {
        path: None,
        env: env.collect(),
    };
    let table = source::parse_table(text).unwrap();
    Config::from_table(table, &source)
}

fn valid(text: &str, env: &[(&str, &str)]) -> Config {
    let (config, report) = read(text, env);
    assert_eq!(report.problems, [], "{text} {env:?}");
    config
}

/// `key: message` of each problem.
fn problems(text: &str, env: &[(&str, &str)]) -> Vec<String> {
    let (_, report) = read(text, env);
    report
        .problems
        .iter()
        .map(ConfigProblem::to_string)
        .collect()
}

fn exposed(secret: &Option<Secret>) -> Option<&str> {
    secret.as_ref().map(Secret::expose)
}

#[test]
fn defaults() {
    let c = valid("", &[]);
    assert_eq!(c.server.listen.to_string(), "127.0.0.1:8080");
    assert_eq!(c.server.public_url, "http://127.0.0.1:8080");
    assert_eq!(c.server.environment, Environment::Development);
    assert!(c.server.trusted_proxies.is_empty());
    assert_eq!(c.server.max_connections, 20_000);
    assert_eq!(
        (c.server.header_timeout_s, c.server.body_timeout_s),
        (10, 30)
    );
    assert_eq!(c.server.shutdown_grace_s, 30);
    assert_eq!(c.server.write_timeout_s, 20);
    assert_eq!(c.server.connections_per_address(), 5_000);
    assert_eq!(c.storage.path, Path::new("data/chatkeep.db"));
    assert_eq!(
        (c.storage.durability, c.storage.readers),
        (Durability::Full, 4)
    );
    assert!(c.edge.secret.is_none() && c.edge.legacy_secret.is_none());
    assert_eq!((c.edge.token_ttl_days, c.edge.command_ttl_hours), (365, 72));
    assert_eq!(
        (c.edge.heartbeat_s, c.edge.silence_s, c.edge.ack_timeout_s),
        (30, 90, 30)
    );
    assert_eq!(c.edge.max_in_flight, 64);
    let algorithms = [Algorithm::Rs256, Algorithm::Es256, Algorithm::EdDsa];
    assert_eq!(c.identity.algorithms, algorithms);
    assert_eq!(c.identity.leeway_s, 30);
    assert_eq!(c.reply.engine, Engine::Builtin);
    assert_eq!((c.reply.deadline_s, c.reply.max_concurrency), (25, 64));
    assert_eq!(c.reply.persona_name, "Juno");
    assert_eq!(c.billing.provider, BillingProvider::None);
    assert_eq!(
        (c.billing.currency.as_str(), c.billing.trial_days),
        ("usd", 7)
    );
    assert_eq!(c.flags.provider(), FlagsProvider::None);
    assert_eq!((c.flags.poll_s, c.flags.kill_switch_poll_s), (60, 5));
    assert_eq!(c.memory.provider, MemoryProvider::Local);
    assert!(c.mail.smtp_url.is_none() && c.mail.from.is_none());
    assert_eq!(c.exports.dir, Path::new("data/exports"));
    assert_eq!(c.exports.lifetime_days, 7);
    assert!(c.admin.token.is_none());
}

const INVALID_VALUES: &[(&str, &str)] = &[
    (
        "[server]\nlisten = \"8080\"",
        "server.listen: must be an IP address and a port",
    ),
    (
        "[server]\nlisten = 8080",
        "server.listen: must be a text in quotes, not a value of type integer",
    ),
    (
        "[server]\npublic_url = \"chat.example\"",
        "server.public_url: must be a URL",
    ),
    (
        "[server]\nenvironment = \"staging\"",
        "server.environment: must be one of \"development\", \"production\", not \"staging\"",
    ),
    (
        "[server]\ntrusted_proxies = [\"::1\", \"a\", \"b\"]",
        "server.trusted_proxies: \"a\" must be an IP address or a network, like \"10.0.0.0/8\"; \"b\" must",
    ),
    (
        "[server]\ntrusted_proxies = \"::1\"", "server.trusted_proxies: must be a list",
    ),
    (
        "[server]\ntrusted_proxies = [1]", "server.trusted_proxies: must be a list",
    ),
    (
        "[server]\nmax_connections = 0",
        "server.max_connections: must be a whole number from 1 to 1000000, not 0",
    ),
    (
        "[server]\nmax_connections = -5",
        "server.max_connections: must be a whole number from 1 to 1000000, not -5",
    ),
    (
        "[server]\nmax_connections = 1000001",
        "server.max_connections: must be a whole number",
    ),
    (
        "[server]\nheader_timeout_s = 1.5",
        "server.header_timeout_s: must be a whole number from 1 to 300, not a value of type float",
    ),
    (
        "[server]\nbody_timeout_s = \"30\"",
        "server.body_timeout_s: must be a whole number from 1 to 3600, not \"30\"",
    ),
    (
        "[storage]\npath = \"~/a.db\"", "storage.path: must be a whole path",
    ),
    (
        "[relay.xmpp]\njid = \"juno\"\npassword = \"x\"",
        "relay.xmpp.jid: must be an address",
    ),
    (
        "[storage]\npath = \"data/\"", "storage.path: must name a file",
    ),
    (
        "[storage]\ndurability = \"none\"",
        "storage.durability: must be one of \"full\", \"normal\"",
    ),
    (
        "[storage]\nreaders = 0",
        "storage.readers: must be a whole number from 1 to 64",
    ),
    (
        "[edge]\nsecret = 7", "edge.secret: must be a text in quotes",
    ),
    (
        "[edge]\nsecret = \"a\\nb\"", "edge.secret: contains a line break",
    ),
    (
        "[edge]\nallowed_origins = [\"*\"]",
        "edge.allowed_origins: \"*\" must be a URL",
    ),
    (
        "[edge]\nheartbeat_s = 90",
        "edge.silence_s: must be more than edge.heartbeat_s, which is 90",
    ),
    (
        "[identity]\njwks_url = \"x\"", "identity.jwks_url: must be a URL",
    ),
    (
        "[identity]\nalgorithms = [\"HS256\"]",
        "identity.algorithms: \"HS256\" is never accepted",
    ),
    (
        "[identity]\nalgorithms = [\"none\"]",
        "identity.algorithms: \"none\" is not accepted",
    ),
    (
        "[reply]\nengine = \"gpt\"",
        "reply.engine: must be one of \"builtin\", \"openai\"",
    ),
    (
        "[reply]\nbase_url = \"http://localhost:11434/v1/chat/completions\"",
        "reply.base_url: must end before \"/chat/completions\"",
    ),
    (
        "[reply]\npersona_name = \" \"", "reply.persona_name: must not be blank",
    ),
    (
        "[billing]\nprovider = \"paypal\"",
        "billing.provider: must be one of \"none\", \"stripe\"",
    ),
    (
        "[billing]\ncurrency = \"dollars\"",
        "billing.currency: must be a currency code",
    ),
    (
        "[billing]\ntrial_days = 0",
        "billing.trial_days: must be a whole number from 1 to 730",
    ),
    (
        "[billing]\nallowed_return_hosts = [\"https://a.example\"]",
        "billing.allowed_return_hosts: \"https://a.example\" must be a host name",
    ),
    (
        "[flags]\nprovider = \"flagd\"",
        "flags.provider: must be one of \"none\", \"launchdarkly\", \"ofrep\"",
    ),
    (
        "[memory]\nprovider = \"redis\"",
        "memory.provider: must be one of \"local\", \"mem0\"",
    ),
    (
        "[mail]\nfrom = \"juno\"", "mail.from: must be a mail address",
    ),
    (
        "[exports]\nlifetime_days = 366",
        "exports.lifetime_days: must be a whole number from 1 to 365",
    ),
    ("server = 1", "server: must be a section, [server]"),
];

#[test]
fn an_invalid_value_is_one_problem_that_says_what_is_accepted() {
    for (text, expected) in INVALID_VALUES {
        let actual = problems(text, &[]);
        assert_eq!(actual.len(), 1, "{text}: {actual:?}");
        assert!(actual[0].starts_with(expected), "{text}: {actual:?}");
    }
}

const NEEDS: &[(&str, &[&str])] = &[
    (
        "[reply]\nengine = \"openai\"",
        &["reply.base_url", "reply.model"],
    ),
    (
        "[billing]\nprovider = \"stripe\"",
        &[
            "billing.secret_key", "billing.publishable_key", "billing.price_monthly",
            "billing.price_annual",
        ],
    ),
    ("[flags]\nprovider = \"ofrep\"", &["flags.base_url"]),
    ("[memory]\nprovider = \"mem0\"", &["memory.base_url"]),
    ("[mail]\nsmtp_url = \"smtp://mail.example\"", &["mail.from"]),
    (
        "[mail]\nfrom = \"a@b\"\nsmtp_url = \"http://mail.example\"",
        &["mail.smtp_url"],
    ),
    (
        "[identity]\njwks_url = \"https://a.example/jwks\"",
        &["identity.issuer", "identity.audience"],
    ),
    (
        "[identity]\njwks_url = \"https://a.example/jwks\"\nissuer = \"a\"\naudience = \"b\"\nalgorithms = []",
        &["identity.algorithms"],
    ),
    (
        "[server]\nenvironment = \"production\"",
        &["edge.secret", "admin.token", "identity.jwks_url"],
    ),
    (
        "[server]\nenvironment = \"production\"\n[edge]\nsecret = \"short\"\n[admin]\ntoken = \"short\"\n[identity]\nhs256_secret = \"x\"",
        &["edge.secret", "admin.token", "identity.hs256_secret"],
    ),
    (
        "[server]\nenvironment = \"production\"\n[billing]\nprovider = \"stripe\"\nsecret_key = \"a\"\npublishable_key = \"b\"\nprice_monthly = \"c\"\nprice_annual = \"d\"",
        &[
            "edge.secret", "admin.token", "identity.jwks_url", "billing.secret_key",
            "billing.webhook_secret",
        ],
    ),
];

#[test]
fn a_switch_is_true_or_false() {
    for (text, env) in [
        ("[access]\ncharge_nobody = \"yes\"", &[][..]),
        ("[access]\ncharge_nobody = 1", &[]),
        ("", &[("CHATKEEP_ACCESS_CHARGE_NOBODY", "1")]),
    ] {
        let problems = problems(text, env);
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(
            problems[0].starts_with("access.charge_nobody: must be true or false, not "),
            "{problems:?}"
        );
    }
}

#[test]
fn keys_that_other_keys_require() {
    for (text, keys) in NEEDS {
        let (_, report) = read(text, &[]);
        let mut actual: Vec<_> = report.problems.iter().map(|p| p.key.as_str()).collect();
        let mut keys = keys.to_vec();
        actual.sort_unstable();
        keys.sort_unstable();
        assert_eq!(actual, keys, "{text}");
    }
}

#[test]
fn valid_combinations() {
    for text in [
        VALID_PRODUCTION,
        "[reply]\nengine = \"openai\"\nbase_url = \"http://127.0.0.1:1/v1/\"\nmodel = \"m\"",
        "[billing]\nprovider = \"stripe\"\nsecret_key = \"a\"\npublishable_key = \"b\"\nprice_monthly = \"c\"\nprice_annual = \"d\"",
        "[flags]\nprovider = \"none\"\nsdk_key = \"k\"",
        "[memory]\nprovider = \"mem0\"\nbase_url = \"http://localhost:8000\"",
        "[mail]\nsmtp_url = \"smtps://u:p@mail.example\"\nfrom = \"Juno <a@b.example>\"",
        "[identity]\njwks_url = \"https://a.example/jwks\"\nissuer = \"a\"\naudience = \"b\"",
    ] {
        valid(text, &[]);
    }
}

#[test]
fn trailing_slashes_are_removed_and_case_is_lowered() {
    let c = valid(
        "[server]\npublic_url = \"https://chat.example/\"\n[edge]\nallowed_origins = [\"https://App.example/\"]",
        &[],
    );
    assert_eq!(c.server.public_url, "https://chat.example");
    assert_eq!(c.edge.allowed_origins, ["https://app.example"]);
}
