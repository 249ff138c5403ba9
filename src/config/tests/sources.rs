//! The configuration file, environment variables, and unknown names.

use super::*;

#[test]
fn the_environment_beats_the_file() {
    let file = "[server]\nenvironment = \"development\"\nmax_connections = 5\n[edge]\nsecret = \"file\"\n[flags]\npoll_s = 9";
    let c = valid(
        file,
        &[
            ("CHATKEEP_SERVER_MAX_CONNECTIONS", "7"),
            ("CHATKEEP_SERVER_TRUSTED_PROXIES", "10.0.0.0/8, ::1,"),
            ("CHATKEEP_FLAGS_POLL_S", ""),
            ("EDGE_SECRET", "fixed"),
            ("RELAY_WEBHOOK_SECRET", "legacy"),
            ("FLAGS_SDK_KEY", "sdk"),
        ],
    );
    assert_eq!(c.server.max_connections, 7);
    assert_eq!(c.server.trusted_proxies.len(), 2);
    assert_eq!(c.flags.poll_s, 9);
    assert_eq!(exposed(&c.edge.secret), Some("fixed"));
    assert_eq!(exposed(&c.edge.legacy_secret), Some("legacy"));
    assert_eq!(exposed(&c.flags.sdk_key), Some("sdk"));
    assert_eq!(c.flags.provider(), FlagsProvider::LaunchDarkly);

    let both = [
        ("EDGE_SECRET", "fixed"),
        ("CHATKEEP_EDGE_SECRET", "prefixed"),
    ];
    assert_eq!(exposed(&valid(file, &both).edge.secret), Some("prefixed"));

    let production = problems("", &[("ENVIRONMENT", "production")]);
    assert_eq!(production.len(), 3, "{production:?}");
    let both = [
        ("ENVIRONMENT", "production"),
        ("CHATKEEP_SERVER_ENVIRONMENT", "development"),
    ];
    valid("", &both);
}

#[test]
fn problems_from_the_environment_name_the_variable() {
    for (name, value, expected) in [
        (
            "ENVIRONMENT",
            "Production",
            "server.environment: must be one of \"development\", \"production\", not \"Production\" (given by ENVIRONMENT)",
        ),
        (
            "CHATKEEP_SERVER_MAX_CONNECTIONS",
            "many",
            "server.max_connections: must be a whole number from 1 to 1000000, not \"many\" (given by CHATKEEP_SERVER_MAX_CONNECTIONS)",
        ),
        (
            "EDGE_SECRET",
            "a\u{fffd}",
            "edge.secret: is not valid UTF-8 (given by EDGE_SECRET)",
        ),
    ] {
        assert_eq!(problems("", &[(name, value)]), [expected]);
    }
}

#[test]
fn unknown_names_get_the_nearest_known_one() {
    for (text, expected) in [
        (
            "[edge]\nhartbeat_s = 1",
            "edge.hartbeat_s: is not a known key; the nearest is edge.heartbeat_s",
        ),
        (
            "[edge]\nsecret_fil = \"x\"",
            "edge.secret_fil: is not a known key; the nearest is edge.secret_file",
        ),
        (
            "[edge]\npoll_s = 1",
            "edge.poll_s: is not a known key; the nearest is flags.poll_s",
        ),
        (
            "[servr]\nlisten = \"x\"",
            "servr: is not a known section; the nearest is server",
        ),
        (
            "[relay.signal]\ntoken = \"x\"",
            "relay.signal: is not a known section; known sections are relay.telegram, relay.matrix, relay.xmpp",
        ),
        (
            "[relay]\ntoken = \"x\"",
            "relay.token: is not a known key; known sections are relay.telegram",
        ),
        (
            "listen = \"x\"",
            "listen: is not a known key outside any section; the nearest is server.listen",
        ),
        (
            "[server.tls]\ncert = \"x\"",
            "server.tls: is not a known key; the nearest is server.",
        ),
    ] {
        let actual = problems(text, &[]);
        assert_eq!(actual.len(), 1, "{text}: {actual:?}");
        assert!(actual[0].starts_with(expected), "{text}: {actual:?}");
    }
    let unlike = problems("[foo]\nlisten = \"x\"", &[]);
    assert_eq!(unlike, ["foo: is not a known section"]);
}

#[test]
fn unknown_variables_are_warnings() {
    let (_, report) = read(
        "",
        &[
            ("CHATKEEP_EDGE_SECRT", "x"),
            ("CHATKEEP_CONFIG", "x"),
            ("CHATKEEP_LOG", "debug"),
            ("CHATKEEP_LOG_FORMAT", "json"),
            ("CHATKEEP_EMPTY", ""),
            ("CHATKEEP_REPLY_MCP", "[]"),
            ("CHATKEEP_REPLY_MCP_URL", "http://127.0.0.1:1"),
            ("CHATKEEP_REPLY_MCPS", ""),
            ("PATH", "x"),
            ("RELAY_WEBHOOK_SECRET", "x"),
        ],
    );
    let expected = "CHATKEEP_EDGE_SECRT: is set and has no effect; the nearest known name is CHATKEEP_EDGE_SECRET";
    let tables =
        "is set and has no effect; write sections [[reply.mcp]] into the configuration file";
    let of_tables = ["CHATKEEP_REPLY_MCP", "CHATKEEP_REPLY_MCP_URL"];
    let [one, two] = of_tables.map(|name| format!("{name}: {tables}"));
    let remarks = report.conclude().unwrap();
    assert_eq!(remarks.warnings, [expected, &one, &two]);
    assert_eq!(remarks.unknown_variables, remarks.warnings);

    // The misspelt variable is most likely the cause of a missing key.
    let env = [("ENVIRONMENT", "production"), ("CHATKEEP_EDGE_SECRT", "x")];
    let (_, report) = read("", &env);
    let problems = report.conclude().unwrap_err();
    assert_eq!(problems.last().unwrap().to_string(), expected);
}

#[test]
fn precedence_of_configuration_files() {
    let dir = tempfile::tempdir().unwrap();
    let write_file = |name: &str, readers: u32| {
        let path = dir.path().join(name);
        std::fs::write(&path, format!("[storage]\nreaders = {readers}\n")).unwrap();
        path
    };
    let (first, second) = (write_file("first.toml", 1), write_file("second.toml", 2));
    let variable = [("CHATKEEP_CONFIG".to_owned(), second.display().to_string())];
    let mut source = Source {
        path: Some(first.clone()),
        env: variable.into(),
    };
    let loaded = Config::load(&source).unwrap();
    assert_eq!(
        (loaded.config.storage.readers, loaded.file),
        (1, Some(first))
    );
    source.path = None;
    let loaded = Config::load(&source).unwrap();
    assert_eq!(
        (loaded.config.storage.readers, loaded.file),
        (2, Some(second))
    );

    let missing = dir.path().join("missing.toml");
    source.path = Some(missing.clone());
    let actual = Config::load(&source).unwrap_err();
    assert_eq!(actual[0].key, missing.display().to_string());
    assert!(
        actual[0]
            .message
            .starts_with("the configuration file can't be read")
    );
}

#[test]
fn links_have_the_port_of_the_service_in_development() {
    let production = [
        ("ENVIRONMENT", "production"),
        ("CHATKEEP_EDGE_SECRET", "0123456789abcdef0123456789abcdef"),
        ("CHATKEEP_ADMIN_TOKEN", "0123456789abcdef0123456789abcde0"),
        (
            "CHATKEEP_IDENTITY_HS256_SECRET", "0123456789abcdef0123456789abcde1",
        ),
    ];
    let load = |env: &[(&str, &str)], more: (&str, &str)| {
        let env = env.iter().chain([&more]);
        let env = env.map(|(k, v)| ((*k).to_owned(), (*v).to_owned()));
        let source = Source {
            path: None,
            env: env.collect(),
        };
        Config::load(&source).unwrap().config.server
    };
    let listen = "CHATKEEP_SERVER_LISTEN";
    for (address, expected) in [
        ("127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("127.0.0.1:9000", "http://127.0.0.1:9000"),
        ("0.0.0.0:9000", "http://127.0.0.1:9000"),
        ("192.0.2.7:9000", "http://192.0.2.7:9000"),
        ("[::1]:9000", "http://[::1]:9000"),
        // The port is not known yet.
        ("127.0.0.1:0", "http://127.0.0.1:8080"),
    ] {
        let server = load(&[], (listen, address));
        assert_eq!(server.public_url, expected, "{address}");
    }
    let url = ("CHATKEEP_SERVER_PUBLIC_URL", "http://chat.example.com");
    let server = load(&[(listen, "127.0.0.1:9000")], url);
    assert_eq!(server.public_url, url.1);
    let server = load(&production, (listen, "127.0.0.1:9000"));
    assert_eq!(server.public_url, "http://127.0.0.1:8080");
}

#[test]
fn whether_people_are_charged() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("service.toml");
    let load = |text: &str, env: &[(&str, &str)]| {
        std::fs::write(&path, text).unwrap();
        let env = env.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned()));
        let source = Source {
            path: Some(path.clone()),
            env: env.collect(),
        };
        Config::load(&source).unwrap()
    };
    let variable = "CHATKEEP_ACCESS_CHARGE_NOBODY";
    let nobody = "[access]\ncharge_nobody = true\n";
    // Without a file it is true: tests/chat.rs.
    for (text, env, expected) in [
        ("", &[][..], false),
        (nobody, &[], true),
        ("", &[(variable, "true")], true),
        (nobody, &[(variable, "false")], false),
    ] {
        let loaded = load(text, env);
        assert_eq!(
            loaded.config.access.charge_nobody, expected,
            "{text} {env:?}"
        );
    }
    let stripe = "[billing]\nprovider = \"stripe\"\nsecret_key = \"x\"\npublishable_key = \"x\"\n\
                  price_monthly = \"x\"\nprice_annual = \"x\"\n";
    for (text, is_warned) in [
        (stripe.to_owned(), false),
        (stripe.to_owned() + nobody, true),
    ] {
        let warnings = load(&text, &[]).warnings;
        let warned = warnings
            .iter()
            .any(|w| w.contains("nobody has a reason to pay"));
        assert_eq!(warned, is_warned, "{warnings:?}");
    }
}
