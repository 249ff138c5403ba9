//! Comparing a secret that a caller sends in full: the legacy relay's and the operator's.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::random;

/// Compares keyed digests, so that timing tells nothing about the secret.
pub struct SharedSecret {
    key: Hmac<Sha256>,
    tag: Vec<u8>,
}

impl SharedSecret {
    pub fn new(secret: &str) -> Self {
        let key: Hmac<Sha256> =
            Hmac::new_from_slice(&random::bytes::<32>()).expect("HMAC takes keys of any length");
        let tag = key.clone().chain_update(secret).finalize().into_bytes();
        Self {
            key,
            tag: tag.to_vec(),
        }
    }

    pub fn matches(&self, credential: Option<&str>) -> bool {
        credential.is_some_and(|credential| {
            self.key
                .clone()
                .chain_update(credential)
                .verify_slice(&self.tag)
                .is_ok()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_text_matches() {
        let secret = SharedSecret::new("s3cret");
        for (credential, matches) in [
            (Some("s3cret"), true),
            (Some("s3cre"), false),
            (Some("s3crett"), false),
            (Some(""), false),
            (None, false),
        ] {
            assert_eq!(secret.matches(credential), matches, "{credential:?}");
        }
    }
}
