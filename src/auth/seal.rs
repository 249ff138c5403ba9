//! Sealing (AES-256-GCM) of secrets that the service must read again. Without the key, somebody
//! with the database can neither read them nor exchange one for another. This file must not store
//! anything.

use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::random;

/// The first byte of a sealed secret: the format's version.
const FORMAT: u8 = 1;
/// Separates this key from other keys derived from the same text.
const PURPOSE: &[u8] = b"chatkeep sealed secrets 1";

/// Seals and opens secrets with one key.
pub struct Sealer(LessSafeKey);

impl Sealer {
    /// Derives the key from a text that is hard to guess, of any length.
    pub fn new(key: &str) -> Self {
        let mac: Hmac<Sha256> =
            Hmac::new_from_slice(key.as_bytes()).expect("HMAC takes keys of any length");
        let key = mac.chain_update(PURPOSE).finalize().into_bytes();
        let key = UnboundKey::new(&AES_256_GCM, &key).expect("a SHA-256 is as long as the key");
        Self(LessSafeKey::new(key))
    }

    /// `owner` identifies what the secret belongs to; only the same owner can open it. Each call
    /// uses a random nonce.
    pub fn seal(&self, owner: &str, secret: &str) -> Vec<u8> {
        let nonce: [u8; NONCE_LEN] = random::bytes();
        let mut text = secret.as_bytes().to_vec();
        self.0
            .seal_in_place_append_tag(
                Nonce::assume_unique_for_key(nonce),
                Aad::from(owner.as_bytes()),
                &mut text,
            )
            .expect("a secret is far shorter than what one nonce may seal");
        [&[FORMAT], nonce.as_slice(), &text].concat()
    }

    /// `None` when it was sealed with another key or for another owner, or was modified.
    pub fn open(&self, owner: &str, sealed: &[u8]) -> Option<String> {
        let (&FORMAT, rest) = sealed.split_first()? else {
            return None;
        };
        let (nonce, text) = rest.split_at_checked(NONCE_LEN)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let mut text = text.to_vec();
        let opened = self
            .0
            .open_in_place(nonce, Aad::from(owner.as_bytes()), &mut text)
            .ok()?;
        String::from_utf8(opened.to_vec()).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_opens_with_the_same_key_for_the_same_owner_only() {
        let (sealer, other) = (Sealer::new("a key"), Sealer::new("another key"));
        let sealed = sealer.seal("webhook a", "the secret");
        assert_eq!(
            sealer.open("webhook a", &sealed).as_deref(),
            Some("the secret")
        );
        assert_eq!(sealer.open("webhook b", &sealed), None);
        assert_eq!(other.open("webhook a", &sealed), None);
        assert_ne!(sealer.seal("webhook a", "the secret"), sealed, "a nonce");
        let text = String::from_utf8_lossy(&sealed);
        assert!(!text.contains("secret"), "{text}");
    }

    /// A secret sealed by ring, the library used before, with the nonce "twelve bytes".
    #[test]
    fn a_secret_sealed_by_another_library_opens() {
        let sealed = "017477656c7665206279746573\
                      a4e1b1cf4e2d168f6fa09f2461a484d03b6cf0cfe6f2e5db8965";
        let opened = Sealer::new("a key").open("webhook a", &hex::decode(sealed).unwrap());
        assert_eq!(opened.as_deref(), Some("the secret"));
    }

    #[test]
    fn a_changed_secret_does_not_open() {
        let sealer = Sealer::new("a key");
        let sealed = sealer.seal("owner", "the secret");
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert_eq!(sealer.open("owner", &changed), None, "byte {at}");
            assert_eq!(sealer.open("owner", &sealed[..at]), None, "{at} bytes");
        }
    }
}
