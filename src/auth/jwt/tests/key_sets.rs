//! Sets of keys, and which key a token means.

use super::*;

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
    assert_eq!(verdict.unwrap_err(), TokenRefusal::UnknownKey);
}

#[test]
fn only_a_token_that_is_right_otherwise_is_worth_newer_keys() {
    let (known, unknown) = (Signer::es256("known"), Signer::es256("unknown"));
    let keys = set(&[known.jwk()]);
    let verdict = |token: &str, keys: Option<&KeySet>| verifier().verify(token, keys, NOW).err();
    let valid = unknown.token(&claims(json!({})));
    assert_eq!(verdict(&valid, Some(&keys)), Some(TokenRefusal::UnknownKey));
    assert_eq!(verdict(&valid, None), Some(TokenRefusal::UnknownKey));
    for changes in [
        json!({ "iss": "x" }),
        json!({ "aud": "x" }),
        json!({ "exp": NOW.seconds() - 60 }),
        json!({ "sub": null }),
    ] {
        let token = unknown.token(&claims(changes.clone()));
        let refusal = verdict(&token, Some(&keys));
        assert!(
            matches!(refusal, Some(TokenRefusal::Because(_))),
            "{changes}"
        );
    }
}

#[test]
fn invalid_key_sets() {
    for text in [
        "", "{}", "[]", "null", "<html>", r#"{"keys":{}}"#, r#"{"keys":1}"#,
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
