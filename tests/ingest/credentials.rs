//! Who may send messages: edge tokens, the raw edge secret in development, the legacy
//! relay's secret. Every failure is the same 401, and nothing is kept.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use chatkeep::auth::edge_token;
use serde_json::json;

use super::support::{ADMIN_TOKEN, EDGE_SECRET, Request, Service, direct, post, request, token};
use super::{EDGE, LEGACY, assert_no_rows, count, service_at, standing_clock};

const PREVIOUS: &str = "the-edge-secret-before-the-present-one";
const LEGACY_SECRET: &str = "the-legacy-relay's-secret-of-at-least-32-bytes";
const PRODUCTION: (&str, &str) = ("ENVIRONMENT", "production");
const IDENTITY: (&str, &str) = (
    "CHATKEEP_IDENTITY_HS256_SECRET",
    "an-identity-secret-of-at-least-32-bytes",
);

fn message() -> Request {
    post(EDGE, &direct("+15550101", "hello"))
}

const NOT_VALID: &str = "The credential in the Authorization header is not valid.";
const MISSING: &str = "A bearer token is missing; send it as \"Authorization: Bearer …\".";

/// The 401 there is, whatever was wrong; without a bearer token it says so.
async fn assert_unauthorized(service: &Service, request: Request, what: &str) {
    let answer = service.send(&request.header("X-Request-Id", "r")).await;
    assert_eq!(answer.status, 401, "{what}: {}", answer.text);
    assert_eq!(answer.code(), "unauthorized", "{what}");
    assert_eq!(answer.header("www-authenticate"), Some("Bearer"), "{what}");
    let detail = match answer.json()["detail"] == MISSING {
        true => MISSING,
        false => NOT_VALID,
    };
    let expected = json!({
        "type": "about:blank", "title": "Unauthorized", "status": 401,
        "detail": detail,
        "code": "unauthorized", "request_id": "r",
    });
    assert_eq!(answer.json(), expected, "{what}");
}

/// A relay's token is told nothing: each of its failures is the same.
#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_credential_is_not_called_a_missing_one() {
    let service = Service::with(&[("RELAY_WEBHOOK_SECRET", "legacy")]).await;
    for (method, path) in [
        ("POST", "/orchestrator/message"),
        ("GET", "/admin/edge-agents"),
        ("GET", "/account"),
    ] {
        for (given, detail) in [(None, MISSING), (Some("wrong"), NOT_VALID)] {
            let request = given.iter().fold(request(method, path), |request, given| {
                request.bearer(given)
            });
            let answer = service.send(&request).await;
            assert_eq!(answer.status, 401, "{path}");
            assert_eq!(answer.json()["detail"], detail, "{path}");
        }
    }
}

async fn assert_taken(service: &Service, request: Request, what: &str) {
    let answer = service.send(&request).await;
    assert_eq!(answer.status, 200, "{what}: {}", answer.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_needs_a_valid_edge_token() {
    let service = Service::start().await;
    let valid = token("a");
    assert_unauthorized(&service, message(), "no header").await;
    for value in [
        "",
        "Bearer",
        "Bearer ",
        &valid,
        &format!("Basic {valid}"),
        &format!("Bearer {valid} x"),
        &format!("Bearer {valid},{valid}"),
        &format!("Bearer {ADMIN_TOKEN}"),
        "Bearer \u{e9}",
        "Bearer ====",
        &format!("Bearer {}", URL_SAFE_NO_PAD.encode("a:b")),
        &format!("Bearer {}", URL_SAFE_NO_PAD.encode(b"\xff\xfe")),
        &format!("Bearer {valid}==="),
    ] {
        assert_unauthorized(&service, message().header("Authorization", value), value).await;
    }
    let twice = message().bearer(&valid).bearer(&valid);
    assert_unauthorized(&service, twice, "two headers").await;
    assert_no_rows(&service);
    let lower = message().header("authorization", &format!("bearer {valid}"));
    assert_taken(&service, lower, "the scheme in any case").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_with_any_byte_changed_is_refused() {
    let service = Service::start().await;
    let text = URL_SAFE_NO_PAD.decode(token("a")).unwrap();
    for at in 0..text.len() {
        let mut changed = text.clone();
        changed[at] ^= 1;
        let request = message().bearer(&URL_SAFE_NO_PAD.encode(&changed));
        assert_unauthorized(&service, request, &format!("byte {at}")).await;
    }
    let text = String::from_utf8(text).unwrap();
    let (signed, mac) = text.rsplit_once(':').unwrap();
    let phone = "+15550100";
    for (what, other) in [
        ("upper case mac", format!("{signed}:{}", mac.to_uppercase())),
        ("short mac", format!("{signed}:{}", &mac[..62])),
        ("no mac", format!("{signed}:")),
        (
            "parts run together",
            signed.replacen(':', "", 1) + ":" + mac,
        ),
        ("another agent", format!("b{}:{mac}", &signed[1..])),
        (
            "another phone",
            format!("{}:{mac}", signed.replace(phone, "+15550999")),
        ),
    ] {
        let request = message().bearer(&URL_SAFE_NO_PAD.encode(&other));
        assert_unauthorized(&service, request, what).await;
    }
    let foreign = edge_token::issue(PREVIOUS, "a", phone, 1_700_000_000);
    assert_unauthorized(&service, message().bearer(&foreign), "another secret").await;
    assert_no_rows(&service);
}

#[tokio::test(flavor = "multi_thread")]
async fn both_alphabets_with_and_without_padding_are_read() {
    let service = Service::start().await;
    let text = URL_SAFE_NO_PAD
        .decode(token("a~?".trim_matches(['~', '?'])))
        .unwrap();
    for (what, encoded) in [
        ("url-safe", URL_SAFE.encode(&text)),
        ("url-safe, no padding", URL_SAFE_NO_PAD.encode(&text)),
        ("standard", STANDARD.encode(&text)),
        ("standard, no padding", STANDARD_NO_PAD.encode(&text)),
    ] {
        assert_taken(&service, message().bearer(&encoded), what).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_has_an_age() {
    let clock = standing_clock();
    let service = service_at(&clock, &[("CHATKEEP_EDGE_TOKEN_TTL_DAYS", "30")]).await;
    let now = clock.now().seconds();
    let issued = |at: i64| message().bearer(&edge_token::issue(EDGE_SECRET, "a", "p", at));
    let ttl = 30 * 86_400;
    for (age, is_accepted) in [
        (0, true),
        (ttl, true),
        (ttl + 1, false),
        (-60, true),
        (-61, false),
    ] {
        let (request, what) = (issued(now - age), format!("{age} s old"));
        if is_accepted {
            assert_taken(&service, request, &what).await;
        } else {
            assert_unauthorized(&service, request, &what).await;
        }
    }
    let answer = service
        .admin("POST", "/admin/edge-agents/a/revoke", &json!({}))
        .await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_unauthorized(&service, issued(now), "revoked").await;
    assert_unauthorized(&service, issued(now - 5), "revoked").await;
    assert_taken(&service, issued(now + 1), "issued later").await;
    let other = message().bearer(&token("b"));
    assert_taken(&service, other, "another agent's").await;
    let (_, folder) = service.stop().await;
    let service = Service::in_folder(folder, &[], clock).await;
    assert_unauthorized(&service, issued(now), "revoked, after a restart").await;
}

/// A revocation with a clock that was ahead, repeated with the right one.
#[tokio::test(flavor = "multi_thread")]
async fn a_revocation_that_lies_ahead_is_no_lock_out() {
    let clock = standing_clock();
    let service = service_at(&clock, &[]).await;
    let now = clock.now().seconds();
    let issued = |at: i64| message().bearer(&edge_token::issue(EDGE_SECRET, "a", "p", at));
    let revoke = async || {
        let path = "/admin/edge-agents/a/revoke";
        let answer = service.admin("POST", path, &json!({})).await;
        answer.json()["tokens_valid_from"].as_i64().unwrap() - now
    };
    assert_taken(&service, issued(now), "before").await;
    clock.jump(86_400_000);
    assert_eq!(revoke().await, 86_400);
    clock.jump(-86_400_000);
    assert_unauthorized(&service, issued(now + 1), "until the time comes").await;
    assert_eq!(revoke().await, 0);
    assert_unauthorized(&service, issued(now), "ended").await;
    assert_taken(&service, issued(now + 1), "issued later").await;
    // What an earlier revocation ended stays ended.
    assert_eq!(revoke().await, 1);
    assert_unauthorized(&service, issued(now + 1), "ended at once again").await;
    clock.jump(30_000);
    assert_eq!(revoke().await, 30);
    clock.jump(-30_000);
    assert_eq!(revoke().await, 31);
    assert_unauthorized(&service, issued(now + 31), "dated ahead").await;
    assert_taken(&service, issued(now + 32), "dated later").await;
    let (_, folder) = service.stop().await;
    let service = Service::in_folder(folder, &[], clock).await;
    assert_unauthorized(&service, issued(now + 31), "after a restart").await;
    assert_taken(&service, issued(now + 32), "after a restart").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_previous_secret_goes_on_in_a_rotation() {
    let service = Service::with(&[("CHATKEEP_EDGE_PREVIOUS_SECRET", PREVIOUS)]).await;
    let now = chatkeep::clock::Clock::system().now().seconds();
    let old = edge_token::issue(PREVIOUS, "a", "p", now);
    assert_taken(&service, message().bearer(&old), "the previous secret's").await;
    assert_taken(&service, message().bearer(&token("a")), "the present one's").await;
    assert_unauthorized(&service, message().bearer(PREVIOUS), "raw, previous").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_agent_named_must_be_the_tokens() {
    let service = Service::start().await;
    let to = |path: &str| post(path, &direct("+15550101", "hello")).bearer(&token("a"));
    let named = |name: &str| to(EDGE).header("X-Edge-Agent-Id", name);
    for name in ["b", "A", "", "a,b", "\u{e9}"] {
        assert_unauthorized(&service, named(name), &format!("header {name:?}")).await;
        let path = format!("{EDGE}?edge_agent_id={}", name.escape_default());
        assert_unauthorized(&service, to(&path), &path).await;
    }
    assert_unauthorized(&service, named("a").header("X-Edge-Agent-Id", "a"), "twice").await;
    let path = format!("{EDGE}?edge_agent_id=a");
    let disagree = to(&path).header("X-Edge-Agent-Id", "b");
    assert_unauthorized(&service, disagree, "header and query disagree").await;
    assert_no_rows(&service);
    assert_taken(&service, named("a"), "the same").await;
    assert_taken(&service, to(&path), "the same in the query").await;
    assert_taken(&service, to(&path).header("X-Edge-Agent-Id", "a"), "both").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_raw_secret_is_for_development() {
    let service = Service::start().await;
    let raw = || message().bearer(EDGE_SECRET);
    assert_taken(&service, raw(), "unnamed").await;
    assert_taken(
        &service,
        raw().header("X-Edge-Agent-Id", "kitchen"),
        "named",
    )
    .await;
    let path = format!("{EDGE}?edge_agent_id=hall");
    let request = post(&path, &direct("+15550101", "hello")).bearer(EDGE_SECRET);
    assert_taken(&service, request, "named in the query").await;
    let unfit = raw().header("X-Edge-Agent-Id", "no spaces");
    assert_unauthorized(&service, unfit, "no agent's name").await;
    let agents = service.rows("SELECT agent_id FROM agents ORDER BY id");
    assert_eq!(agents, [["dev"], ["kitchen"], ["hall"]]);

    let service = Service::with(&[PRODUCTION, IDENTITY]).await;
    assert_unauthorized(&service, raw(), "production").await;
    let named = raw().header("X-Edge-Agent-Id", "kitchen");
    assert_unauthorized(&service, named, "production, named").await;
    assert_no_rows(&service);
    assert_taken(
        &service,
        message().bearer(&token("a")),
        "production, a token",
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_legacy_endpoint_asks_for_its_secret_where_there_is_one() {
    let legacy = || post(LEGACY, &direct("+15550101", "hello"));
    let service = Service::start().await;
    assert_taken(&service, legacy(), "development, none configured").await;
    assert_taken(&service, legacy().bearer("anything"), "the same").await;

    for settings in [
        &[("RELAY_WEBHOOK_SECRET", LEGACY_SECRET)][..],
        &[("CHATKEEP_EDGE_LEGACY_SECRET", LEGACY_SECRET)],
        &[
            PRODUCTION,
            IDENTITY,
            ("RELAY_WEBHOOK_SECRET", LEGACY_SECRET),
        ],
    ] {
        let service = Service::with(settings).await;
        for (request, what) in [
            (legacy(), "none"),
            (legacy().bearer("wrong"), "wrong"),
            (legacy().bearer(&LEGACY_SECRET[1..]), "cut short"),
            (legacy().bearer(&token("a")), "an edge token"),
            (legacy().bearer(EDGE_SECRET), "the edge secret"),
            (legacy().bearer(ADMIN_TOKEN), "the admin token"),
            (legacy().header("Authorization", LEGACY_SECRET), "no scheme"),
        ] {
            assert_unauthorized(&service, request, what).await;
        }
        assert_no_rows(&service);
        assert_taken(&service, legacy().bearer(LEGACY_SECRET), "right").await;
        let other = message().bearer(LEGACY_SECRET);
        assert_unauthorized(&service, other, "at the other endpoint").await;
        assert_eq!(count(&service, "messages"), 1);
    }

    let service = Service::with(&[PRODUCTION, IDENTITY]).await;
    assert_unauthorized(&service, legacy(), "production, none configured").await;
    assert_unauthorized(&service, legacy().bearer("x"), "the same").await;
    assert_no_rows(&service);
}
