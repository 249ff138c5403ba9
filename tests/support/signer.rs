//! What an identity provider signs with: keys made on the spot, their public halves as JWKs,
//! and tokens with whatever header and claims a test wants.

#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

use aws_lc_rs::encoding::AsDer;
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::{KeyPair as RsaKeyPair, KeySize};
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair, RSA_PKCS1_SHA256,
};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::{Sha256, Sha384, Sha512};

pub struct Signer {
    pub kid: String,
    pair: Pair,
}

enum Pair {
    Rsa(RsaKeyPair),
    Ec(EcdsaKeyPair),
    Ed(Ed25519KeyPair),
}

impl Signer {
    pub fn rsa(kid: &str) -> Self {
        let pair = RsaKeyPair::generate(KeySize::Rsa2048).unwrap();
        Self::with(kid, Pair::Rsa(pair))
    }

    pub fn es256(kid: &str) -> Self {
        let pair = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).unwrap();
        Self::with(kid, Pair::Ec(pair))
    }

    pub fn ed25519(kid: &str) -> Self {
        Self::with(kid, Pair::Ed(Ed25519KeyPair::generate().unwrap()))
    }

    fn with(kid: &str, pair: Pair) -> Self {
        let kid = kid.to_owned();
        Self { kid, pair }
    }

    pub fn alg(&self) -> &'static str {
        match self.pair {
            Pair::Rsa(_) => "RS256",
            Pair::Ec(_) => "ES256",
            Pair::Ed(_) => "EdDSA",
        }
    }

    /// The public half.
    pub fn jwk(&self) -> Value {
        let (alg, kid) = (self.alg(), &self.kid);
        match &self.pair {
            Pair::Rsa(pair) => {
                let (n, e) = modulus_and_exponent(pair.public_key().as_ref());
                json!({ "kty": "RSA", "n": n, "e": e, "alg": alg, "kid": kid, "use": "sig" })
            }
            Pair::Ec(pair) => {
                let (x, y) = pair.public_key().as_ref()[1..].split_at(32);
                json!({ "kty": "EC", "crv": "P-256", "x": b64(x), "y": b64(y), "alg": alg, "kid": kid })
            }
            Pair::Ed(pair) => {
                let x = b64(pair.public_key().as_ref());
                json!({ "kty": "OKP", "crv": "Ed25519", "x": x, "alg": alg, "kid": kid })
            }
        }
    }

    /// The public half as a PEM file would have it: what a forger signs with HS256.
    pub fn public_pem(&self) -> String {
        let der = match &self.pair {
            Pair::Rsa(pair) => pair.public_key().as_der().unwrap().as_ref().to_vec(),
            Pair::Ec(pair) => pair.public_key().as_der().unwrap().as_ref().to_vec(),
            Pair::Ed(pair) => pair.public_key().as_ref().to_vec(),
        };
        let text = base64::engine::general_purpose::STANDARD.encode(der);
        let lines: Vec<&str> = (0..text.len())
            .step_by(64)
            .map(|at| &text[at..text.len().min(at + 64)])
            .collect();
        format!(
            "-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----\n",
            lines.join("\n")
        )
    }

    /// A token with the usual header.
    pub fn token(&self, claims: &Value) -> String {
        let header = json!({ "alg": self.alg(), "kid": self.kid, "typ": "at+jwt" });
        self.token_with(&header, claims)
    }

    pub fn token_with(&self, header: &Value, claims: &Value) -> String {
        self.token_of(&header.to_string(), &claims.to_string())
    }

    /// Of texts that need not be JSON.
    pub fn token_of(&self, header: &str, claims: &str) -> String {
        let signed = format!("{}.{}", b64(header), b64(claims));
        let signature = self.sign(signed.as_bytes());
        format!("{signed}.{}", b64(signature))
    }

    fn sign(&self, message: &[u8]) -> Vec<u8> {
        let random = SystemRandom::new();
        match &self.pair {
            Pair::Rsa(pair) => {
                let mut signature = vec![0; pair.public_modulus_len()];
                let signed = pair.sign(&RSA_PKCS1_SHA256, &random, message, &mut signature);
                signed.unwrap();
                signature
            }
            Pair::Ec(pair) => pair.sign(&random, message).unwrap().as_ref().to_vec(),
            Pair::Ed(pair) => pair.sign(message).as_ref().to_vec(),
        }
    }
}

/// A token signed with HS256, HS384 or HS512, as the header says; by another library than the
/// one that checks it.
pub fn hmac_token(secret: &[u8], header: &Value, claims: &Value) -> String {
    let signed = format!("{}.{}", b64(header.to_string()), b64(claims.to_string()));
    let tag = match header["alg"].as_str() {
        Some("HS384") => mac::<Hmac<Sha384>>(secret, &signed),
        Some("HS512") => mac::<Hmac<Sha512>>(secret, &signed),
        _ => mac::<Hmac<Sha256>>(secret, &signed),
    };
    format!("{signed}.{}", b64(tag))
}

fn mac<M: Mac + KeyInit>(secret: &[u8], text: &str) -> Vec<u8> {
    let mac = <M as KeyInit>::new_from_slice(secret).unwrap();
    mac.chain_update(text).finalize().into_bytes().to_vec()
}

pub fn b64(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Of an RSAPublicKey (RFC 8017): a sequence of two integers.
fn modulus_and_exponent(der: &[u8]) -> (String, String) {
    let (sequence, _) = element(der);
    let (n, rest) = element(sequence);
    let (e, _) = element(rest);
    let unsigned = |bytes: &[u8]| b64(bytes.strip_prefix(&[0]).unwrap_or(bytes));
    (unsigned(n), unsigned(e))
}

/// The content of the first element, and what follows it.
fn element(der: &[u8]) -> (&[u8], &[u8]) {
    let first = usize::from(der[1]);
    let (length, from) = if first < 0x80 {
        (first, 2)
    } else {
        let bytes = &der[2..2 + first - 0x80];
        let length = bytes.iter().fold(0, |n, b| n << 8 | usize::from(*b));
        (length, 2 + bytes.len())
    };
    (&der[from..from + length], &der[from + length..])
}
