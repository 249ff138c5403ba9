//! Tests of token verification: every way to forge, change and misuse a token.

#[path = "../../../tests/support/signer.rs"]
mod signer;

use serde_json::{Map, Value, json};
use signer::{Signer, b64, hmac_token};

use super::*;

const NOW: Timestamp = Timestamp::from_seconds(1_800_000_000);
const ISSUER: &str = "https://id.example.com/";
const SECRET: &str = "a-development-key-of-at-least-32-bytes";
const LEEWAY_S: i64 = 30;

fn rules() -> Rules {
    Rules {
        issuer: Some(ISSUER.to_owned()),
        audience: Some("chatkeep".to_owned()),
        algorithms: Algorithm::ALL.to_vec(),
        leeway_s: LEEWAY_S as u64,
    }
}

fn verifier() -> Verifier {
    Verifier::new(rules(), Some(SECRET))
}

fn set(keys: &[Value]) -> KeySet {
    KeySet::parse(json!({ "keys": keys }).to_string().as_bytes()).unwrap()
}

/// Good claims with changes; `null` takes one away.
fn claims(changes: Value) -> Value {
    let mut claims = json!({
        "iss": ISSUER, "aud": "chatkeep", "sub": "user-1",
        "exp": NOW.seconds() + 60, "iat": NOW.seconds(),
    });
    merge(&mut claims, changes);
    claims
}

fn merge(into: &mut Value, changes: Value) {
    let Value::Object(changes) = changes else {
        return;
    };
    let into: &mut Map<String, Value> = into.as_object_mut().unwrap();
    for (name, value) in changes {
        match value {
            Value::Null => into.remove(&name),
            value => into.insert(name, value),
        };
    }
}

fn refusal(token: &str, keys: &KeySet) -> Option<&'static str> {
    let verdict = verifier().verify(token, Some(keys), NOW);
    verdict.err().map(Refusal::reason)
}

#[test]
fn each_algorithm_works_with_its_key_and_with_no_other() {
    let signers = [Signer::rsa("r"), Signer::es256("e"), Signer::ed25519("d")];
    let keys = set(&signers.each_ref().map(Signer::jwk));
    for signer in &signers {
        let token = signer.token(&claims(json!({})));
        let claims = verifier().verify(&token, Some(&keys), NOW).unwrap();
        assert_eq!(
            (claims.issuer.as_str(), claims.subject.as_str()),
            (ISSUER, "user-1")
        );
        assert_eq!(claims.expires_at, NOW.plus_s(60));
        assert_eq!(claims.issued_at, Some(NOW));
        // The same with another's name, another's algorithm, and where it is not accepted.
        for other in &signers {
            if other.kid == signer.kid {
                continue;
            }
            for header in [
                json!({ "alg": signer.alg(), "kid": other.kid }),
                json!({ "alg": other.alg(), "kid": signer.kid }),
                json!({ "alg": other.alg(), "kid": other.kid }),
            ] {
                let token = signer.token_with(&header, &self::claims(json!({})));
                assert!(refusal(&token, &keys).is_some(), "{header}");
            }
        }
        let fewer = Rules {
            algorithms: Algorithm::ALL
                .into_iter()
                .filter(|known| known.name() != signer.alg())
                .collect(),
            ..rules()
        };
        let verdict = Verifier::new(fewer, Some(SECRET)).verify(&token, Some(&keys), NOW);
        let reason = verdict.unwrap_err().reason();
        assert_eq!(reason, "the token's algorithm is not accepted");
    }
}

/// The claims of RFC 7515's examples.
const RFC_CLAIMS: &str = "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvb\
                          S9pc19yb290Ijp0cnVlfQ";

/// Header, claims, signature and key of the examples of RFC 7515, appendix A.2 and A.3, and of
/// RFC 8037, appendix A.4.
const RFC_EXAMPLES: [(Algorithm, [&str; 3], &str); 3] = [
    (
        Algorithm::Rs256,
        [
            "eyJhbGciOiJSUzI1NiJ9",
            RFC_CLAIMS,
            "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W\
             2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkS\
             jtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnv\
             Wh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw",
        ],
        r#"{"kty": "RSA", "e": "AQAB", "n": "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"}"#,
    ),
    (
        Algorithm::Es256,
        [
            "eyJhbGciOiJFUzI1NiJ9",
            RFC_CLAIMS,
            "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q",
        ],
        r#"{"kty": "EC", "crv": "P-256", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
            "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}"#,
    ),
    (
        Algorithm::EdDsa,
        [
            "eyJhbGciOiJFZERTQSJ9",
            "RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc",
            "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg",
        ],
        r#"{"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#,
    ),
];

/// The other tests sign with the library that checks; others signed these.
#[test]
fn signatures_of_the_standards() {
    for (algorithm, [header, claims, signature], jwk) in RFC_EXAMPLES {
        let keys = set(&[serde_json::from_str(jwk).unwrap()]);
        let key = keys.find(None, algorithm).unwrap().decoding();
        let verdict = |signed: &str| {
            let token = Unverified {
                alg: algorithm.name().to_owned(),
                kid: None,
                claims: Map::new(),
                signed,
                signature,
            };
            check(&token, key, algorithm.to_library()).is_ok()
        };
        assert!(verdict(&format!("{header}.{claims}")), "{algorithm:?}");
        assert!(!verdict(&format!("{header}.{claims}A")), "{algorithm:?}");
    }
}

fn header(changes: Value) -> Value {
    let mut header = json!({ "alg": "RS256", "kid": "r", "typ": "JWT" });
    merge(&mut header, changes);
    header
}

#[test]
fn forged_signatures() {
    let signer = Signer::rsa("r");
    let keys = set(&[signer.jwk()]);
    let valid = claims(json!({}));
    let unsigned = |alg: &str| {
        let header = header(json!({ "alg": alg })).to_string();
        format!("{}.{}.", b64(header), b64(valid.to_string()))
    };
    let hmac =
        |secret: &[u8], alg: &str| hmac_token(secret, &header(json!({ "alg": alg })), &valid);
    let pem = signer.public_pem();
    let der: String = pem.lines().filter(|line| !line.starts_with('-')).collect();
    let modulus = signer.jwk()["n"].as_str().unwrap().to_owned();
    let own = Signer::rsa("own");
    let cases = [
        ("none", unsigned("none")),
        ("None", unsigned("None")),
        ("empty signature", unsigned("RS256")),
        ("empty HS256 signature", unsigned("HS256")),
        ("HS256 by the PEM", hmac(pem.as_bytes(), "HS256")),
        ("HS256 by the DER", hmac(der.as_bytes(), "HS256")),
        ("HS256 by the modulus", hmac(modulus.as_bytes(), "HS256")),
        ("HS256 by nothing", hmac(b"", "HS256")),
        ("HS384 by our key", hmac(SECRET.as_bytes(), "HS384")),
        ("HS512 by our key", hmac(SECRET.as_bytes(), "HS512")),
        ("a foreign key of that name", Signer::rsa("r").token(&valid)),
        (
            "a key of the token's own",
            own.token_with(&json!({ "alg": "RS256", "jwk": own.jwk() }), &valid),
        ),
    ];
    for (case, token) in cases {
        assert!(refusal(&token, &keys).is_some(), "{case} was accepted");
    }
}

#[test]
fn headers_that_open_nothing() {
    let signer = Signer::rsa("r");
    let keys = set(&[signer.jwk()]);
    let valid = claims(json!({}));
    for changes in [
        json!({ "alg": null }),
        json!({ "alg": "rs256" }),
        json!({ "alg": "RS384" }),
        json!({ "alg": "PS256" }),
        json!({ "alg": ["RS256"] }),
        json!({ "alg": 256 }),
        json!({ "crit": ["exp"] }),
        json!({ "crit": [] }),
        json!({ "crit": "b64", "b64": false }),
        json!({ "typ": "id+jwt" }),
        json!({ "typ": "logout+jwt" }),
        json!({ "typ": "JOSE" }),
        json!({ "typ": 1 }),
        json!({ "typ": "" }),
        json!({ "kid": "s" }),
        json!({ "kid": "R" }),
        json!({ "kid": null }),
        json!({ "kid": "" }),
        json!({ "kid": 1 }),
        json!({ "kid": "../../dev/null" }),
        json!({ "kid": "' OR 1=1 --" }),
        json!({ "kid": "k".repeat(10_000) }),
    ] {
        let token = signer.token_with(&header(changes.clone()), &valid);
        assert!(refusal(&token, &keys).is_some(), "{changes}");
    }
    for text in [
        r#"{"alg":"RS256","kid":"r","crit":null}"#,
        r#"{"alg":"RS256","kid":"r","typ":null}"#,
        r#"{"alg":"none","alg":"RS256","kid":"r"}"#,
        r#"["RS256"]"#,
        "RS256",
        "",
    ] {
        let token = signer.token_of(text, &valid.to_string());
        assert!(refusal(&token, &keys).is_some(), "{text}");
    }
}

#[test]
fn headers_that_do_no_harm() {
    let signer = Signer::rsa("r");
    let keys = set(&[signer.jwk()]);
    for changes in [
        json!({}),
        json!({ "typ": null }),
        json!({ "typ": "jwt" }),
        json!({ "typ": "AT+JWT" }),
        json!({ "typ": "application/at+jwt" }),
        // Never fetched, never believed.
        json!({ "jku": "http://127.0.0.1:1/jwks", "x5u": "http://127.0.0.1:1/cert" }),
        json!({ "jwk": Signer::rsa("r").jwk(), "x5c": ["AA=="] }),
    ] {
        let token = signer.token_with(&header(changes.clone()), &claims(json!({})));
        assert_eq!(refusal(&token, &keys), None, "{changes}");
    }
}

#[test]
fn texts_that_are_no_token() {
    let signer = Signer::rsa("r");
    let keys = set(&[signer.jwk()]);
    let token = signer.token(&claims(json!({})));
    let (signed, signature) = token.rsplit_once('.').unwrap();
    let (first, _) = signed.split_once('.').unwrap();
    let other = b64(claims(json!({ "sub": "user-2" })).to_string());
    let cases = [
        String::new(),
        "..".to_owned(),
        format!("{token}.e30"),
        signed.to_owned(),
        format!("{token}="),
        format!("{token} "),
        format!("{first}.{other}.{signature}"),
        signer.token(&claims(json!({ "more": "x".repeat(TOKEN_BYTES_MAX) }))),
    ];
    assert_eq!(refusal(&token, &keys), None);
    for token in cases {
        assert!(refusal(&token, &keys).is_some(), "{token}");
    }
}

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

#[test]
fn no_changed_byte_is_let_in() {
    let signer = Signer::ed25519("d");
    let keys = set(&[signer.jwk()]);
    let token = signer.token(&claims(json!({})));
    for index in 0..token.len() {
        for byte in ["A", "b", "9", "-", ".", "="] {
            let mut changed = token.clone();
            changed.replace_range(index..=index, byte);
            let refused = refusal(&changed, &keys).is_some();
            assert!(refused || changed == token, "byte {index} as {byte}");
        }
    }
}

#[test]
fn keys_that_count() {
    let signer = Signer::rsa("r");
    let valid = claims(json!({}));
    let with = |changes: Value| {
        let mut jwk = signer.jwk();
        merge(&mut jwk, changes);
        jwk
    };
    let short = b64([0xffu8; 255]); // 2040 bits
    let cases = [
        (json!({}), true),
        (json!({ "use": null, "alg": null }), true),
        (json!({ "use": "enc" }), false),
        (json!({ "alg": "RSA-OAEP" }), false),
        (json!({ "alg": "PS256" }), false),
        (json!({ "key_ops": ["verify"] }), true),
        (json!({ "key_ops": ["encrypt"] }), false),
        (json!({ "key_ops": "verify" }), false),
        (json!({ "n": short }), false),
        (json!({ "n": format!("AAAA{short}") }), false),
        (json!({ "n": "" }), false),
        (json!({ "n": "%%%" }), false),
        (json!({ "n": null }), false),
        (json!({ "kty": "oct", "k": b64("secret") }), false),
        (json!({ "kty": "rsa" }), false),
        (json!({ "kid": 7 }), false),
        (json!({ "kid": "k".repeat(513) }), false),
    ];
    for (changes, counts) in cases {
        let keys = set(&[with(changes.clone())]);
        assert_eq!(keys.len(), usize::from(counts), "{changes}");
        assert_eq!(
            refusal(&signer.token(&valid), &keys).is_none(),
            counts,
            "{changes}"
        );
    }
    let secret = hmac_token(b"secret", &json!({ "alg": "HS256", "kid": "r" }), &valid);
    let oct = set(&[json!({ "kty": "oct", "k": b64("secret"), "kid": "r", "alg": "HS256" })]);
    assert!(
        refusal(&secret, &oct).is_some(),
        "HS256 by a key of the set"
    );
    let ec = Signer::es256("e").jwk();
    for changes in [
        json!({ "crv": "P-384" }),
        json!({ "crv": null }),
        json!({ "x": b64([1u8; 31]) }),
        json!({ "y": b64([1u8; 33]) }),
    ] {
        let mut jwk = ec.clone();
        merge(&mut jwk, changes.clone());
        assert!(set(&[jwk]).is_empty(), "{changes}");
    }
}

#[test]
fn a_token_without_kid_means_the_one_key_without_kid() {
    let (one, two) = (Signer::rsa("1"), Signer::rsa("2"));
    let nameless = |signer: &Signer| {
        let mut jwk = signer.jwk();
        merge(&mut jwk, json!({ "kid": null }));
        jwk
    };
    let header = json!({ "alg": "RS256" });
    let token = one.token_with(&header, &claims(json!({})));
    let ec = nameless(&Signer::es256("e"));
    let cases = [
        (vec![nameless(&one)], true),
        (vec![nameless(&one), two.jwk(), ec.clone()], true),
        (vec![nameless(&one), nameless(&two)], false),
        (vec![nameless(&two)], false),
        (vec![one.jwk()], false),
        (vec![ec], false),
        (vec![], false),
    ];
    for (keys, let_in) in cases {
        let count = keys.len();
        let refused = refusal(&token, &set(&keys));
        assert_eq!(refused.is_none(), let_in, "{count} keys: {refused:?}");
    }
    let named = one.token(&claims(json!({})));
    let verdict = verifier().verify(&named, Some(&set(&[nameless(&one)])), NOW);
    assert_eq!(verdict.unwrap_err(), Refusal::UnknownKey);
}

#[test]
fn only_a_token_that_is_right_otherwise_is_worth_newer_keys() {
    let (known, unknown) = (Signer::es256("known"), Signer::es256("unknown"));
    let keys = set(&[known.jwk()]);
    let verdict = |token: &str, keys: Option<&KeySet>| verifier().verify(token, keys, NOW).err();
    let valid = unknown.token(&claims(json!({})));
    assert_eq!(verdict(&valid, Some(&keys)), Some(Refusal::UnknownKey));
    assert_eq!(verdict(&valid, None), Some(Refusal::UnknownKey));
    for changes in [
        json!({ "iss": "x" }),
        json!({ "aud": "x" }),
        json!({ "exp": NOW.seconds() - 60 }),
        json!({ "sub": null }),
    ] {
        let token = unknown.token(&claims(changes.clone()));
        let refusal = verdict(&token, Some(&keys));
        assert!(matches!(refusal, Some(Refusal::Because(_))), "{changes}");
    }
}

#[test]
fn invalid_key_sets() {
    for text in [
        "",
        "{}",
        "[]",
        "null",
        "<html>",
        r#"{"keys":{}}"#,
        r#"{"keys":1}"#,
        r#"{"keys":[],"keys":[]}"#,
    ] {
        assert!(KeySet::parse(text.as_bytes()).is_err(), "{text}");
    }
    let odd = json!({ "keys": [1, null, {}, { "kty": "RSA" }, Signer::es256("e").jwk()] });
    let keys = KeySet::parse(odd.to_string().as_bytes()).unwrap();
    assert_eq!(keys.len(), 1);
    let many: Vec<Value> = (0..200).map(|_| odd["keys"][4].clone()).collect();
    assert_eq!(set(&many).len(), 100);
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
