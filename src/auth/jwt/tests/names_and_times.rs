//! Tokens by their times and names, and the profile in them.

use super::*;

#[test]
fn times_that_hold() {
    let signer = Signer::es256("e");
    let keys = set(&[signer.jwk()]);
    let now = NOW.seconds();
    let cases = [
        (json!({ "exp": now + 1 }), true),
        (json!({ "exp": now }), true),
        (json!({ "exp": now - LEEWAY_S + 1 }), true),
        (json!({ "exp": now - LEEWAY_S }), false),
        (json!({ "exp": now as f64 + 0.5 }), true),
        (json!({ "exp": null }), false),
        (json!({ "exp": (now + 60).to_string() }), false),
        (json!({ "exp": 1e300 }), false),
        (json!({ "exp": -1 }), false),
        (json!({ "exp": 0 }), false),
        (json!({ "exp": true }), false),
        (json!({ "exp": [now + 60] }), false),
        (json!({ "exp": i64::MAX }), false),
        (json!({ "exp": u64::MAX }), false),
        (json!({ "nbf": now }), true),
        (json!({ "nbf": now + LEEWAY_S }), true),
        (json!({ "nbf": now + LEEWAY_S + 1 }), false),
        (json!({ "nbf": now.to_string() }), false),
        (json!({ "nbf": -1e300 }), false),
        (json!({ "nbf": false }), false),
        (json!({ "iat": null }), true),
        (json!({ "iat": now + LEEWAY_S }), true),
        (json!({ "iat": now + LEEWAY_S + 1 }), false),
        (json!({ "iat": now.to_string() }), false),
        (json!({ "iat": 1e300 }), false),
        (json!({ "iat": {} }), false),
    ];
    for (changes, let_in) in cases {
        let token = signer.token(&claims(changes.clone()));
        assert_eq!(refusal(&token, &keys).is_none(), let_in, "{changes}");
    }
    let valid = claims(json!({})).to_string();
    let header = json!({ "alg": "ES256", "kid": "e" }).to_string();
    let without_end = valid.strip_suffix('}').unwrap();
    for more in [r#","nbf":null}"#, r#","exp":1e400}"#, r#","sub":"user-2"}"#] {
        let token = signer.token_of(&header, &format!("{without_end}{more}"));
        assert!(refusal(&token, &keys).is_some(), "{more}");
    }
}

#[test]
fn names_that_hold() {
    let signer = Signer::ed25519("d");
    let keys = set(&[signer.jwk()]);
    let cases = [
        (json!({ "iss": null }), false),
        (json!({ "iss": "https://id.example.com" }), false),
        (json!({ "iss": "https://other.example.com/" }), false),
        (json!({ "iss": [ISSUER] }), false),
        (json!({ "iss": { "iss": ISSUER } }), false),
        (json!({ "iss": "" }), false),
        (json!({ "aud": null }), false),
        (json!({ "aud": "other" }), false),
        (json!({ "aud": "chatkeep2" }), false),
        (json!({ "aud": "Chatkeep" }), false),
        (json!({ "aud": [] }), false),
        (json!({ "aud": ["other"] }), false),
        (json!({ "aud": ["other", 1, "chatkeep"] }), false),
        (json!({ "aud": ["other", "chatkeep"] }), true),
        (json!({ "aud": ["chatkeep"] }), true),
        (json!({ "aud": { "chatkeep": true } }), false),
        (json!({ "sub": null }), false),
        (json!({ "sub": "" }), false),
        (json!({ "sub": 17 }), false),
        (json!({ "sub": ["user-1"] }), false),
        (json!({ "sub": "a\u{0}b" }), false),
        (json!({ "sub": "a\nb" }), false),
        (json!({ "sub": "s".repeat(255) }), true),
        (json!({ "sub": "s".repeat(256) }), false),
        (json!({ "sub": "auth0|ünïcode ' --" }), true),
    ];
    for (changes, let_in) in cases {
        let token = signer.token(&claims(changes.clone()));
        assert_eq!(refusal(&token, &keys).is_none(), let_in, "{changes}");
    }
    let header = json!({ "alg": "EdDSA", "kid": "d" }).to_string();
    for text in ["[]", "null", "7", "{", "\"claims\""] {
        let token = signer.token_of(&header, text);
        assert!(refusal(&token, &keys).is_some(), "{text}");
    }
    // Without a provider no key of one counts.
    let alone = Rules {
        issuer: None,
        audience: None,
        ..rules()
    };
    let token = signer.token(&claims(json!({})));
    let verdict = Verifier::new(alone, Some(SECRET)).verify(&token, Some(&keys), NOW);
    assert!(verdict.is_err());
}

#[test]
fn the_development_key_goes_without_issuer_and_audience_but_not_with_others() {
    let keys = set(&[]);
    let header = json!({ "alg": "HS256", "typ": "JWT" });
    let local = |changes: Value| {
        let mut claims = json!({ "sub": "user-1", "exp": NOW.seconds() + 60 });
        merge(&mut claims, changes);
        hmac_token(SECRET.as_bytes(), &header, &claims)
    };
    let cases = [
        (json!({}), true),
        (json!({ "iss": ISSUER, "aud": ["chatkeep"] }), true),
        (json!({ "iss": "https://other.example.com/" }), false),
        (json!({ "iss": [ISSUER] }), false),
        (json!({ "aud": "other" }), false),
        (json!({ "exp": null }), false),
        (json!({ "exp": NOW.seconds() - LEEWAY_S }), false),
        (json!({ "sub": null }), false),
        (json!({ "nbf": NOW.seconds() + 60 }), false),
    ];
    for (changes, let_in) in cases {
        let token = local(changes.clone());
        assert_eq!(refusal(&token, &keys).is_none(), let_in, "{changes}");
    }
    // Where nothing is configured nothing is compared.
    let free = Rules {
        issuer: None,
        audience: None,
        ..rules()
    };
    let token = local(json!({ "iss": "anybody", "aud": "anything" }));
    let free = Verifier::new(free, Some(SECRET));
    assert_eq!(free.verify(&token, None, NOW).unwrap().issuer, LOCAL_ISSUER);
    let issued = issue(SECRET, "user-1", 60, NOW);
    assert_eq!(refusal(&issued, &keys), None);
    assert!(verifier().verify(&issued, None, NOW.plus_s(89)).is_ok());
    assert!(verifier().verify(&issued, None, NOW.plus_s(90)).is_err());
    for verifier in [
        Verifier::new(rules(), None),
        Verifier::new(rules(), Some("another")),
    ] {
        assert!(verifier.verify(&issued, Some(&keys), NOW).is_err());
    }
}

/// The profile that results from claims about a person.
fn profile(changes: Value) -> Profile {
    let signer = Signer::ed25519("d");
    let keys = set(&[signer.jwk()]);
    let token = signer.token(&claims(changes));
    verifier().verify(&token, Some(&keys), NOW).unwrap().profile
}

fn text(text: &str) -> Option<String> {
    Some(text.to_owned())
}

#[test]
fn phones_count_when_they_are_verified() {
    let verified = |number: Value| json!({ "phone_number": number, "phone_number_verified": true });
    let with_verdict =
        |verdict: Value| json!({ "phone_number": "+15550100", "phone_number_verified": verdict });
    for (sent, phone) in [
        (verified(json!("+15550100")), text("+15550100")),
        (verified(json!("+1 (555) 01-00")), text("+15550100")),
        (verified(json!(15_550_100)), None),
        (verified(json!("")), None),
        (verified(json!("ada@example.com")), None),
        (with_verdict(json!(null)), None),
        (with_verdict(json!(false)), None),
        (with_verdict(json!("true")), None),
        (with_verdict(json!(1)), None),
        (json!({ "phone_number": "+15550100" }), None),
    ] {
        assert_eq!(profile(sent.clone()).phone, phone, "{sent}");
    }
}

#[test]
fn profiles_are_read_with_care() {
    let verdict = |verdict: bool| json!({ "email": "ada@example.com", "email_verified": verdict });
    for (sent, email) in [
        (
            json!({ "email": "ada@example.com" }),
            text("ada@example.com"),
        ),
        (verdict(true), text("ada@example.com")),
        (verdict(false), None),
        (json!({ "email": "ada" }), None),
        (json!({ "email": "a@b@c" }), None),
        (
            json!({ "email": "ada@example.com\r\nBcc: x@example.com" }),
            None,
        ),
        (json!({ "email": "Ada <ada@example.com>" }), None),
        (
            json!({ "email": format!("{}@example.com", "a".repeat(250)) }),
            None,
        ),
    ] {
        assert_eq!(profile(sent.clone()).email, email, "{sent}");
    }
    let both = profile(json!({ "name": " Ada Lovelace ", "zoneinfo": "Europe/London" }));
    assert_eq!(both.name, text("Ada Lovelace"));
    assert_eq!(both.timezone, text("Europe/London"));
    let none = profile(json!({ "name": "", "zoneinfo": 1 }));
    assert_eq!((none.name, none.timezone), (None, None));
}
