//! The only caller of the system's randomness.

use uuid::Uuid;

use crate::clock::Timestamp;

/// `N` bytes from the operating system. Without a random source the service can't run safely, so
/// this panics.
pub fn bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the operating system's random source works");
    bytes
}

/// A secret of 32 random bytes as 64 hex characters.
pub fn secret() -> String {
    hex::encode(bytes::<32>())
}

/// A random identifier (UUID version 4).
pub fn uuid() -> Uuid {
    uuid::Builder::from_random_bytes(bytes()).into_uuid()
}

/// An identifier that sorts by time (UUID version 7).
pub fn ordered_uuid(now: Timestamp) -> Uuid {
    uuid::Builder::from_unix_timestamp_millis(now.0.max(0) as u64, &bytes()).into_uuid()
}

/// A number from 0 (inclusive) to 1 (exclusive), for jitter.
pub fn unit() -> f64 {
    f64::from(u32::from_le_bytes(bytes())) / (f64::from(u32::MAX) + 1.0)
}
