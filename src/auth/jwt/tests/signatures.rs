//! Tokens by their algorithm and signature.

use super::*;

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
            let token = UnverifiedToken {
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
