//! Settings that are accepted with a warning.

use super::*;

#[test]
fn a_flag_provider_without_its_key_is_a_warning() {
    let (_, report) = read("[flags]\nprovider = \"launchdarkly\"", &[]);
    assert_eq!(report.problems, []);
    let names_key = |warning: &&String| warning.contains("flags.sdk_key");
    assert_eq!(report.warnings.iter().filter(names_key).count(), 1);
    let (_, report) = read("[flags]\nprovider = \"launchdarkly\"\nsdk_key = \"k\"", &[]);
    assert_eq!(report.warnings.iter().filter(names_key).count(), 0);
}

#[test]
fn an_open_legacy_endpoint_is_a_warning() {
    let (_, report) = read("", &[]);
    assert!(
        report.warnings[0].contains("open to anyone"),
        "{:?}",
        report.warnings
    );
    let (_, report) = read("[server]\nlisten = \"0.0.0.0:8080\"", &[]);
    assert!(
        report.warnings[0].contains("reaches 0.0.0.0:8080 over the network"),
        "{:?}",
        report.warnings
    );
    // In production it is closed, as it should be.
    let (_, report) = read(VALID_PRODUCTION, &[]);
    assert_eq!(report.warnings, [""; 0]);
    assert!(
        report.notes[0].contains("answers 401"),
        "{:?}",
        report.notes
    );
    let (_, report) = read(VALID_PRODUCTION, &[("RELAY_WEBHOOK_SECRET", LONG)]);
    assert_eq!(report.warnings, [""; 0]);
}

#[test]
fn the_default_public_url_in_production_is_a_warning() {
    let text = VALID_PRODUCTION.replace("https://chat.example", "http://127.0.0.1:8080");
    let (_, report) = read(&text, &[("RELAY_WEBHOOK_SECRET", LONG)]);
    assert_eq!(report.problems, []);
    assert!(
        report.warnings[0].starts_with("server.public_url"),
        "{:?}",
        report.warnings
    );
}

#[test]
fn an_https_url_without_a_trusted_proxy_is_a_warning() {
    let text = VALID_PRODUCTION.replace("trusted_proxies", "# trusted_proxies");
    let (_, report) = read(&text, &[]);
    assert_eq!(report.warnings.len(), 1, "{:?}", report.warnings);
    assert!(
        report.warnings[0].contains("server.trusted_proxies is empty"),
        "{:?}",
        report.warnings
    );
    // Without a proxy the addresses are the callers' own.
    let text = text.replace("https://", "http://");
    let (_, report) = read(&text, &[]);
    assert_eq!(report.warnings, [""; 0]);
}

#[test]
fn a_relative_database_in_production_is_a_warning() {
    let text = VALID_PRODUCTION.replace("/var/lib/", "");
    let (_, report) = read(&text, &[("RELAY_WEBHOOK_SECRET", LONG)]);
    assert_eq!(report.warnings.len(), 1, "{:?}", report.warnings);
    assert!(
        report.warnings[0].starts_with("storage.path is relative"),
        "{:?}",
        report.warnings
    );
}

#[test]
fn settings_without_effect_are_warnings() {
    for (text, part) in [
        ("[reply]\nmodel = \"m\"", "set reply.engine"),
        (
            "[services]\nallow_private = true", "name the hosts of your network there",
        ),
        (
            "[reply]\nbase_url = \"http://127.0.0.1:1/v1\"",
            "set reply.engine",
        ),
        ("[relay.telegram]\nallow = \"everyone\"", "without a token"),
        (
            "[relay.xmpp]\njid = \"juno@example.com\"",
            "without a password",
        ),
        ("[relay.xmpp]\npassword = \"x\"", "without a jid,"),
        (
            "[relay.xmpp]\nallow = [\"ada@example.com\"]",
            "without a jid and password",
        ),
        (
            "[relay.xmpp]\nserver = \"xmpp.example.com:5222\"",
            "without a jid and password",
        ),
        (
            "[relay.matrix]\nuser = \"@juno:example.com\"",
            "without a homeserver, password or token",
        ),
        (
            "[relay.matrix]\nallow = [\"@ada:example.com\"]",
            "without a homeserver, password or token",
        ),
        (
            "[server]\nlisten = \"0.0.0.0:8080\"",
            "links sent to people don't lead to this service",
        ),
    ] {
        let (_, report) = read(text, &[]);
        assert_eq!(report.problems, [], "{text}");
        let count = |part: &str| report.warnings.iter().filter(|w| w.contains(part)).count();
        assert_eq!(count(part), 1, "{text}: {:?}", report.warnings);
        let (_, report) = read("", &[]);
        assert!(report.warnings.iter().all(|w| !w.contains(part)), "{part}");
    }
}

#[test]
fn half_of_the_test_keys_is_a_warning() {
    let (_, report) = read(
        "[billing]\ntest_secret_key = \"x\"",
        &[("RELAY_WEBHOOK_SECRET", "x")],
    );
    assert_eq!(report.problems, []);
    assert!(
        report.warnings[0].starts_with("billing.test_"),
        "{:?}",
        report.warnings
    );
}
