//! Whose account a token opens: who is tied to whom, what is filled in, and that two people
//! never end in one account.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::issuer::{Issuer, Mode};
use crate::signer::Signer;
use crate::support::{Service, direct};
use crate::{START, UUID, claims, is_let_in, started, usage};

const PHONE: &str = "+15550101";

struct Provider {
    issuer: Issuer,
    signer: Signer,
}

impl Provider {
    async fn start() -> Self {
        let signer = Signer::es256("e");
        let issuer = Issuer::start(Mode::Keys(vec![signer.jwk()])).await;
        Self { issuer, signer }
    }

    /// Signs in; whose id the token has.
    async fn sign_in(&self, service: &Service, sub: &str, more: Value) -> String {
        let token = self.signer.token(&claims(sub, more));
        assert!(is_let_in(service, &token).await);
        tied(service, sub).expect("somebody is tied")
    }
}

/// The id of the user that a subject is tied to.
fn tied(service: &Service, sub: &str) -> Option<String> {
    let rows = service.rows(&format!(
        "SELECT users.user_id FROM identities JOIN users ON users.id = identities.user_id
         WHERE subject = '{sub}'"
    ));
    assert!(rows.len() <= 1, "{rows:?}");
    rows.first().map(|row| row[0].as_str().unwrap().to_owned())
}

fn phone(verified: impl Into<Value>) -> Value {
    json!({ "phone_number": PHONE, "phone_number_verified": verified.into() })
}

async fn user_who_wrote(service: &Service) -> String {
    let answer = service.edge_message("a", &direct(PHONE, "hello")).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    service.user_id(PHONE)
}

fn count(service: &Service, table: &str) -> i64 {
    let rows = service.rows(&format!("SELECT count(*) FROM {table}"));
    rows[0][0].as_i64().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_verified_phone_ties_to_the_user_of_the_chat() {
    let provider = Provider::start().await;
    let (service, _) = started(&provider.issuer).await;
    let known = user_who_wrote(&service).await;
    // Not verified: an account of its own, and the phone is not taken over.
    let stranger = provider.sign_in(&service, "stranger", phone(false)).await;
    assert_ne!(stranger, known);
    let ada = provider.sign_in(&service, "ada", phone(true)).await;
    assert_eq!(ada, known);
    // Tied once: another identity with the same phone gets an account of its own.
    let second = provider.sign_in(&service, "second", phone(true)).await;
    assert_ne!(second, known);
    assert_eq!(count(&service, "users"), 3);
    let phones = service.rows("SELECT count(*) FROM users WHERE phone IS NOT NULL");
    assert_eq!(phones[0][0], 1);
    // What counts from now on is the tie, not the phone.
    assert_eq!(provider.sign_in(&service, "ada", json!({})).await, known);
    let token = provider.signer.token(&claims("ada", json!({})));
    assert_eq!(usage(&service, &token, &known).await.status, 200);
    assert_eq!(usage(&service, &token, &second).await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sub_that_is_a_uuid_is_the_users_id_unless_it_is_taken() {
    let provider = Provider::start().await;
    let (service, _) = started(&provider.issuer).await;
    let upper = UUID.to_uppercase();
    let token = provider.signer.token(&claims(&upper, json!({})));
    assert!(is_let_in(&service, &token).await);
    for spelling in [UUID, &upper] {
        assert_eq!(usage(&service, &token, spelling).await.status, 200);
    }
    assert_eq!(tied(&service, UUID).as_deref(), Some(UUID));
    // The other spelling is the same person.
    assert_eq!(provider.sign_in(&service, UUID, json!({})).await, UUID);
    assert_eq!(count(&service, "users"), 1);

    // Somebody known from chat, by their id; then the id is taken.
    let known = user_who_wrote(&service).await;
    assert_eq!(provider.sign_in(&service, "ada", phone(true)).await, known);
    let other = provider.sign_in(&service, &known, json!({})).await;
    assert_ne!(other, known);
    assert_eq!(count(&service, "users"), 3);
    // Whoever holds the development key may be anyone.
    let local = service.user_token(&known);
    assert_eq!(usage(&service, &local, &known).await.status, 200);
    assert_eq!(count(&service, "identities"), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_development_key_makes_and_finds_users() {
    let provider = Provider::start().await;
    let (service, _) = started(&provider.issuer).await;
    let (lower, upper) = (
        service.user_token(UUID),
        service.user_token(&UUID.to_uppercase()),
    );
    for token in [&lower, &upper] {
        assert_eq!(usage(&service, token, UUID).await.status, 200);
    }
    assert_eq!(service.rows("SELECT user_id FROM users"), [[UUID]]);
    assert_eq!(count(&service, "identities"), 0);
    // Another name gets an account of its own, and keeps it.
    for _ in 0..2 {
        assert!(is_let_in(&service, &service.user_token("somebody")).await);
    }
    let somebody = tied(&service, "somebody").unwrap();
    let issuer = service.rows("SELECT issuer FROM identities");
    assert_eq!(issuer, [[""]]);
    let token = service.user_token(&somebody);
    assert_eq!(usage(&service, &token, &somebody).await.status, 200);
    assert_eq!(count(&service, "users"), 2);
    // The provider's person of that id is the same one, now tied.
    assert_eq!(provider.sign_in(&service, UUID, json!({})).await, UUID);
    assert_eq!(usage(&service, &lower, UUID).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_profile_lacks_is_filled_in_and_nothing_else() {
    let provider = Provider::start().await;
    let (service, _) = started(&provider.issuer).await;
    let all = json!({
        "phone_number": PHONE, "phone_number_verified": true, "name": "Ada",
        "email": "ada@example.com", "zoneinfo": "Europe/Berlin",
    });
    let profile = |service: &Service, user_id: &str| {
        service.rows(&format!(
            "SELECT phone, name, email, timezone FROM users WHERE user_id = '{user_id}'"
        ))[0]
            .clone()
    };
    let ada = provider.sign_in(&service, "ada", json!({})).await;
    assert_eq!(
        profile(&service, &ada),
        [Value::Null, Value::Null, Value::Null, Value::Null]
    );
    let odd = json!({ "zoneinfo": "Mars/Olympus", "email": "no address", "phone_number": PHONE });
    provider.sign_in(&service, "ada", odd).await;
    assert_eq!(
        profile(&service, &ada),
        [Value::Null, Value::Null, Value::Null, Value::Null]
    );
    provider.sign_in(&service, "ada", all).await;
    let filled = json!([PHONE, "Ada", "ada@example.com", "Europe/Berlin"]);
    assert_eq!(Value::from(profile(&service, &ada)), filled);
    let other = json!({ "name": "Eve", "email": "eve@example.com", "zoneinfo": "UTC" });
    provider.sign_in(&service, "ada", other).await;
    assert_eq!(Value::from(profile(&service, &ada)), filled);

    // Who writes from that phone is known by what was filled in.
    assert_eq!(user_who_wrote(&service).await, ada);
    let answer = service
        .edge_message("a", &direct(PHONE, "what is my name?"))
        .await;
    let reply = answer.json()["reply_text"].as_str().unwrap().to_owned();
    assert!(reply.contains("Ada"), "{reply}");
}

/// The writing thread keeps users in memory: what a sign-in fills in is there at once.
#[tokio::test(flavor = "multi_thread")]
async fn a_user_of_the_chat_is_known_by_name_after_signing_in() {
    let provider = Provider::start().await;
    let (service, _) = started(&provider.issuer).await;
    let known = user_who_wrote(&service).await;
    let mut more = phone(true);
    more["name"] = "Grace".into();
    assert_eq!(provider.sign_in(&service, "grace", more).await, known);
    let answer = service
        .edge_message("a", &direct(PHONE, "what is my name?"))
        .await;
    let reply = answer.json()["reply_text"].as_str().unwrap().to_owned();
    assert!(reply.contains("Grace"), "{reply}");
}

#[tokio::test(flavor = "multi_thread")]
async fn twenty_first_sign_ins_at_once_make_one_user() {
    let provider = Provider::start().await;
    let (service, _) = started(&provider.issuer).await;
    let service = Arc::new(service);
    for sub in ["auth0|1", UUID] {
        let signing_in: Vec<_> = (0..20)
            .map(|n| {
                let token = provider.signer.token(&claims(sub, json!({ "n": n })));
                let service = service.clone();
                tokio::spawn(async move { is_let_in(&service, &token).await })
            })
            .collect();
        for one in signing_in {
            assert!(one.await.unwrap());
        }
    }
    assert_eq!(count(&service, "users"), 2);
    assert_eq!(count(&service, "identities"), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_erased_user_comes_back_as_somebody_new_or_not_at_all() {
    let provider = Provider::start().await;
    let (service, clock) = started(&provider.issuer).await;
    let before = provider.signer.token(&claims(UUID, json!({})));
    assert!(is_let_in(&service, &before).await);
    let local = service.user_token(UUID);
    assert!(is_let_in(&service, &local).await);
    // What an erasure leaves behind.
    let erased_at = clock.now();
    let id = service.rows("SELECT id FROM users")[0][0].as_i64().unwrap();
    let app = service.app.clone();
    let erase = rusqlite::Connection::open(service.folder.path().join("chatkeep.db")).unwrap();
    erase
        .execute_batch(&format!(
            "DELETE FROM identities; DELETE FROM users;
             INSERT INTO erased_users VALUES ('{UUID}', {});",
            erased_at.0
        ))
        .unwrap();
    app.identity.forget(chatkeep::store::UserId(id));

    for token in [&before, &local] {
        assert!(!is_let_in(&service, token).await);
    }
    let without_iat = claims(UUID, json!({ "iat": null }));
    let mut without_iat = without_iat;
    without_iat.as_object_mut().unwrap().remove("iat");
    assert!(!is_let_in(&service, &provider.signer.token(&without_iat)).await);
    assert_eq!(count(&service, "users"), 0);

    clock.advance(2_000);
    let later = json!({ "iat": START.seconds() + 1 });
    let new = provider.sign_in(&service, UUID, later).await;
    assert_ne!(new, UUID);
    for token in [&before, &local] {
        assert!(
            !is_let_in(&service, token).await,
            "an old token stays refused"
        );
    }
    let local = service.user_token(UUID);
    assert!(is_let_in(&service, &local).await);
    assert_eq!(usage(&service, &local, UUID).await.status, 404);
    assert_eq!(count(&service, "users"), 2);
    assert_eq!(count(&service, "identities"), 2);
}

/// Erases everybody whose account is in the database.
async fn erase(service: &Service) {
    let database = service.folder.path().join("chatkeep.db");
    let conn = rusqlite::Connection::open(database).unwrap();
    conn.busy_timeout(crate::support::PATIENCE).unwrap();
    conn.execute_batch(
        "UPDATE users SET deletion_requested_at = 1, deletion_scheduled_for = 2
         WHERE user_id NOT LIKE 'erased-%'",
    )
    .unwrap();
    let run = chatkeep::account::erasure::PurgeRun::default();
    service.app.eraser.run(run).await.unwrap();
}

/// What a provider calls somebody need be no UUID, and need not be the id of the account.
#[tokio::test(flavor = "multi_thread")]
async fn a_token_from_before_an_erasure_brings_nobody_back() {
    let profile = json!({
        "email": "quixotic@example.com", "name": "Ada quixotic",
        "phone_number": PHONE, "phone_number_verified": true,
    });
    let with = |more: Value| {
        let mut claims = profile.clone();
        let object = claims.as_object_mut().unwrap();
        object.extend(more.as_object().unwrap().clone());
        claims
    };
    for sub in ["quixotic-17", UUID] {
        let provider = Provider::start().await;
        let (service, clock) = started(&provider.issuer).await;
        let known = user_who_wrote(&service).await;
        let before = provider.signer.token(&claims(sub, profile.clone()));
        assert!(is_let_in(&service, &before).await);
        assert_eq!(tied(&service, sub).as_deref(), Some(known.as_str()));
        clock.advance(60_000);
        erase(&service).await;
        let erased_s = clock.now().seconds();
        let mut no_iat = claims(sub, profile.clone());
        no_iat.as_object_mut().unwrap().remove("iat");
        let no_iat = provider.signer.token(&no_iat);
        let same_second = claims(sub, with(json!({"iat": erased_s})));
        let same_second = provider.signer.token(&same_second);
        let refused = async |service: &Service| {
            for token in [&before, &no_iat, &same_second] {
                assert!(!is_let_in(service, token).await, "{sub}");
            }
        };
        refused(&service).await;
        assert_eq!(count(&service, "identities"), 0);
        let people = "SELECT count(*) FROM users WHERE phone IS NOT NULL OR email IS NOT NULL";
        assert_eq!(service.rows(people), [[0]]);
        // Nor after a restart, and nothing of the file names them.
        let (_, folder) = service.stop().await;
        for entry in std::fs::read_dir(folder.path()).unwrap() {
            let path = entry.unwrap().path();
            let bytes = std::fs::read(&path).unwrap_or_default();
            for trace in ["quixotic", PHONE] {
                let found = bytes
                    .windows(trace.len())
                    .any(|part| part == trace.as_bytes());
                assert!(!found, "{trace} in {}", path.display());
            }
        }
        let service = Service::in_folder(folder, &provider.issuer.settings(), clock.clone()).await;
        refused(&service).await;
        // A later token makes a new, empty account; old ones don't lead there.
        clock.advance(2_000);
        let later = with(json!({"iat": erased_s + 1}));
        let new = provider.sign_in(&service, sub, later).await;
        assert_ne!(new, known);
        refused(&service).await;
        // Erased again, what was issued in between is old, too.
        clock.advance(60_000);
        let between = provider
            .signer
            .token(&claims(sub, with(json!({"iat": erased_s + 10}))));
        assert!(is_let_in(&service, &between).await);
        erase(&service).await;
        assert!(!is_let_in(&service, &between).await);
        refused(&service).await;
    }
}

/// A backup knows them, and so does the present database know that they are gone.
#[tokio::test(flavor = "multi_thread")]
async fn a_restore_keeps_old_tokens_out() {
    let provider = Provider::start().await;
    let (service, clock) = started(&provider.issuer).await;
    let sub = "quixotic-17";
    let before = provider.signer.token(&claims(sub, json!({})));
    assert!(is_let_in(&service, &before).await);
    let (_, folder) = service.stop().await;
    let database = folder.path().join("chatkeep.db");
    let copy = folder.path().join("copy.db");
    std::fs::copy(&database, &copy).unwrap();
    clock.advance(60_000);
    let settings = provider.issuer.settings();
    let service = Service::in_folder(folder, &settings, clock.clone()).await;
    erase(&service).await;
    let erased_s = clock.now().seconds();
    let (_, folder) = service.stop().await;
    let restored = std::process::Command::new(env!("CARGO_BIN_EXE_chatkeep"))
        .args(["restore", "--yes"])
        .arg(&copy)
        .current_dir(folder.path())
        .env_clear()
        .env("CHATKEEP_STORAGE_PATH", &database)
        .output()
        .unwrap();
    assert!(restored.status.success(), "{restored:?}");
    clock.advance(60_000);
    let service = Service::in_folder(folder, &settings, clock.clone()).await;
    assert!(!is_let_in(&service, &before).await);
    // What brings them back says so, and is as old as the first erasure wants.
    let later = provider
        .signer
        .token(&claims(sub, json!({"iat": erased_s + 1})));
    assert!(is_let_in(&service, &later).await);
    assert!(!is_let_in(&service, &before).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn odd_subjects_are_kept_to_the_letter() {
    let provider = Provider::start().await;
    let (service, _) = started(&provider.issuer).await;
    let subjects = [
        "'; DROP TABLE users; --", "%", "ünïcode ☃", "a", "A", "0b0e7a3c54d24a1e9a525d5f3c3a2b11",
    ];
    for sub in subjects {
        let token = provider.signer.token(&claims(sub, json!({})));
        assert!(is_let_in(&service, &token).await, "{sub}");
    }
    let stored = service.rows("SELECT subject FROM identities ORDER BY linked_at, user_id");
    let stored: Vec<&str> = stored.iter().map(|row| row[0].as_str().unwrap()).collect();
    assert_eq!(stored, subjects);
    assert_eq!(count(&service, "users"), subjects.len() as i64);
}
