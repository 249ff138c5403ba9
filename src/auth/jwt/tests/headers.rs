//! Tokens by their header and form.

use super::*;

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
