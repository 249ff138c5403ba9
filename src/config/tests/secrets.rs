//! Secrets: their sources, the precedence of sources, and that no text contains a secret.

use super::*;

#[test]
fn secrets_from_files() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str, content: &[u8]| {
        let path = dir.path().join(name);
        std::fs::write(&path, content).unwrap();
        path.display().to_string()
    };
    for (content, expected) in [
        (&b"s3cret\n"[..], "s3cret"),
        (b"s3cret\r\n", "s3cret"),
        (b"s3cret", "s3cret"),
        (b" s3cret ", " s3cret "),
    ] {
        let text = format!("[edge]\nsecret_file = {:?}", file("good", content));
        assert_eq!(exposed(&valid(&text, &[]).edge.secret), Some(expected));
    }
    let large = "x".repeat(20_000);
    for (content, expected) in [
        (&b""[..], "is empty"),
        (b"\n", "is empty"),
        (b"s3cret\n\n", "contains a line break"),
        (b"s3cret\xff", "can't be read"),
        (large.as_bytes(), "contains more than 16384 bytes"),
    ] {
        let text = format!("[edge]\nsecret_file = {:?}", file("bad", content));
        let actual = problems(&text, &[]);
        assert_eq!(actual.len(), 1, "{actual:?}");
        assert!(
            actual[0].starts_with("edge.secret: the file ") && actual[0].contains(expected),
            "{actual:?}"
        );
        assert!(!actual[0].contains("s3cret"), "{actual:?}");
    }
}

#[test]
fn precedence_of_secret_files() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("secret");
    std::fs::write(&path, "from-file\n").unwrap();
    let path = path.display().to_string();
    let with_file = format!("[edge]\nsecret_file = {path:?}");
    let missing = "[edge]\nsecret_file = \"/nowhere/at/all\"";
    for (text, env, expected) in [
        (with_file.as_str(), &[][..], "from-file"),
        // A variable overrides both keys of the file.
        (missing, &[("EDGE_SECRET", "fixed")], "fixed"),
        (missing, &[("CHATKEEP_EDGE_SECRET", "prefixed")], "prefixed"),
        (
            "[edge]\nsecret = \"x\"",
            &[("CHATKEEP_EDGE_SECRET_FILE", path.as_str())],
            "from-file",
        ),
        (
            "",
            &[
                ("CHATKEEP_EDGE_SECRET_FILE", path.as_str()),
                ("EDGE_SECRET", "fixed"),
            ],
            "from-file",
        ),
    ] {
        assert_eq!(
            exposed(&valid(text, env).edge.secret),
            Some(expected),
            "{text} {env:?}"
        );
    }
    let both_in_file = format!("[edge]\nsecret = \"x\"\nsecret_file = {path:?}");
    let both_in_env = [
        ("CHATKEEP_EDGE_SECRET", "x"),
        ("CHATKEEP_EDGE_SECRET_FILE", path.as_str()),
    ];
    for (text, env, expected) in [
        (
            both_in_file.as_str(),
            &[][..],
            "edge.secret: both secret and secret_file are set; keep one of them",
        ),
        (
            "",
            &both_in_env,
            "edge.secret: both CHATKEEP_EDGE_SECRET and CHATKEEP_EDGE_SECRET_FILE are set; keep one of them",
        ),
        (
            missing,
            &[],
            "edge.secret: the file /nowhere/at/all can't be read",
        ),
    ] {
        let actual = problems(text, env);
        assert_eq!(actual.len(), 1, "{actual:?}");
        assert!(actual[0].starts_with(expected), "{actual:?}");
    }
    // A missing secret and its unreadable file are one problem, also in production.
    let text = VALID_PRODUCTION.replace(&format!("[edge]\nsecret = \"{LONG}\""), missing);
    assert_eq!(problems(&text, &[]).len(), 1);
}

#[test]
fn every_secret_may_be_in_a_file() {
    let keys = "edge.secret edge.previous_secret edge.legacy_secret identity.hs256_secret reply.api_key \
        billing.secret_key billing.webhook_secret billing.test_secret_key billing.test_webhook_secret \
        flags.sdk_key memory.api_key mail.smtp_url admin.token";
    for key in keys.split_whitespace() {
        let variable = format!("{}_FILE", unknown_keys::env_name(key));
        let actual = problems("", &[(&variable, "/nowhere/at/all")]);
        assert!(
            actual[0].starts_with(&format!("{key}: the file /nowhere")),
            "{actual:?}"
        );
    }
}

#[test]
fn syntax_errors_name_the_place_and_never_the_text() {
    for (text, place) in [
        ("[edge]\nsecret = hunter2\n", "line 2, column 10:"),
        ("[edge]\nsecret = \"hunter2\n", "line 2, column 18:"),
        ("[edge]\nsecret = 'hunter2' hunter2\n", "line 2, column 20:"),
        (
            "[edge]\nsecret = 98765432109876543210987654321098765432109\n",
            "line 2, column 10:",
        ),
        ("[edge\n", "line 1, column 6:"),
        (
            "[edge]\nsecret = \"hunter2\"\nsecret = \"hunter2\"\n",
            "line 3, column 1: the key secret stands twice in its section; remove one of them",
        ),
        (
            "[edge]\n[log]\n [edge] # hunter2\n",
            "line 3, column 3: the section [edge] stands twice; move its keys into the first one",
        ),
    ] {
        let message = source::parse_table(text).unwrap_err();
        assert!(message.starts_with(place), "{text}: {message}");
        assert!(
            !message.contains("hunter2") && !message.contains("987"),
            "{message}"
        );
    }
}

#[test]
fn nothing_prints_a_secret() {
    let text = VALID_PRODUCTION.replace(LONG, &"hunter2".repeat(5));
    let c = valid(
        &text,
        &[
            ("CHATKEEP_MAIL_SMTP_URL", "smtp://me:hunter2@mail.example"),
            ("CHATKEEP_MAIL_FROM", "a@b"),
        ],
    );
    assert!(!format!("{c:?}").contains("hunter2"));
    assert_eq!(Secret::new("hunter2").to_string(), "[secret]");
}

/// The problem that one more setting causes in production; empty for none.
fn in_production(key: &str, value: &str, billing: &[(&str, &str)]) -> String {
    let mut env = billing.to_vec();
    env.push((key, value));
    let problems = problems(VALID_PRODUCTION, &env);
    assert!(problems.len() < 2, "{problems:?}");
    problems.into_iter().next().unwrap_or_default()
}

#[test]
fn secrets_of_callers_are_long_in_production() {
    for (key, name) in [
        ("CHATKEEP_EDGE_SECRET", "edge.secret: "),
        ("CHATKEEP_EDGE_PREVIOUS_SECRET", "edge.previous_secret: "),
        ("CHATKEEP_EDGE_LEGACY_SECRET", "edge.legacy_secret: "),
        ("RELAY_WEBHOOK_SECRET", "edge.legacy_secret: "),
        ("CHATKEEP_ADMIN_TOKEN", "admin.token: "),
        ("CHATKEEP_IDENTITY_HS256_SECRET", "identity.hs256_secret: "),
    ] {
        for bytes in [1, 31] {
            let problem = in_production(key, &LONG[..bytes], &[]);
            assert!(problem.starts_with(name), "{key}: {problem}");
            assert!(problem.contains(&format!("has {bytes} bytes")), "{problem}");
            assert!(problem.contains("openssl"), "{problem}");
            let env = [(key, &LONG[..bytes])];
            assert_eq!(problems("", &env), [""; 0], "in development");
        }
        assert_eq!(in_production(key, LONG, &[]), "");
    }
    let legacy = in_production("RELAY_WEBHOOK_SECRET", "x", &[]);
    assert!(legacy.contains("RELAY_WEBHOOK_SECRET"), "{legacy}");
}

#[test]
fn keys_of_stripe_have_its_form_in_production() {
    let signing = format!("whsec_{LONG}");
    let settings = [
        ("CHATKEEP_BILLING_PROVIDER", "stripe"),
        ("CHATKEEP_BILLING_SECRET_KEY", "rk_live_1"),
        ("CHATKEEP_BILLING_PUBLISHABLE_KEY", "pk_live_1"),
        ("CHATKEEP_BILLING_WEBHOOK_SECRET", &signing),
        ("CHATKEEP_BILLING_PRICE_MONTHLY", "price_1"),
        ("CHATKEEP_BILLING_PRICE_ANNUAL", "price_2"),
        ("CHATKEEP_BILLING_TEST_PUBLISHABLE_KEY", "pk_test_1"),
        ("CHATKEEP_BILLING_TEST_SECRET_KEY", "sk_test_1"),
        ("CHATKEEP_BILLING_TEST_WEBHOOK_SECRET", &signing),
        ("RELAY_WEBHOOK_SECRET", LONG),
    ];
    assert_eq!(problems(VALID_PRODUCTION, &settings), [""; 0]);
    let elsewhere = [
        &settings[..],
        &[("CHATKEEP_BILLING_API_BASE", "http://127.0.0.1:1")],
    ]
    .concat();
    for (key, name, invalid) in [
        ("SECRET_KEY", "secret_key", &["x", "pk_live_1"][..]),
        ("TEST_SECRET_KEY", "test_secret_key", &["x", "pk_test_1"]),
        ("WEBHOOK_SECRET", "webhook_secret", &["x", "whsec_1", LONG]),
        ("TEST_WEBHOOK_SECRET", "test_webhook_secret", &["whsec_1"]),
    ] {
        let key = format!("CHATKEEP_BILLING_{key}");
        for invalid in invalid {
            let problem = in_production(&key, invalid, &settings);
            assert!(
                problem.starts_with(&format!("billing.{name}: ")),
                "{invalid}: {problem}"
            );
            assert!(!problem.contains(&format!("{invalid} ")), "{problem}");
            assert_eq!(
                in_production(&key, invalid, &elsewhere),
                "",
                "for a test server"
            );
        }
    }
}
