//! The only caller of the system's randomness.

use std::cell::RefCell;

use uuid::Uuid;

use crate::clock::Timestamp;

/// The random bytes of an ordered identifier.
const ID_BYTES: usize = 10;

thread_local! {
    /// For ordered identifiers, which are no secrets: each call of the operating system takes longer
    /// than the rest of the identifier.
    static RESERVE: RefCell<Vec<[u8; ID_BYTES]>> = const { RefCell::new(Vec::new()) };
}

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
    let random = RESERVE.with_borrow_mut(|reserve| {
        if reserve.is_empty() {
            reserve.extend(bytes::<{ 64 * ID_BYTES }>().as_chunks().0);
        }
        reserve.pop().unwrap_or_else(bytes)
    });
    uuid::Builder::from_unix_timestamp_millis(now.0.max(0) as u64, &random).into_uuid()
}

/// A number from 0 (inclusive) to 1 (exclusive), for jitter.
pub fn unit() -> f64 {
    f64::from(u32::from_le_bytes(bytes())) / (f64::from(u32::MAX) + 1.0)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn ordered_identifiers_are_all_different() {
        let make = || (0..200).map(|_| ordered_uuid(Timestamp(1_700_000_000_123)));
        let threads: Vec<_> = (0..4)
            .map(|_| std::thread::spawn(move || make().collect::<Vec<_>>()))
            .collect();
        let ids = threads.into_iter().flat_map(|one| one.join().unwrap());
        let ids: HashSet<Uuid> = ids.chain(make()).collect();
        assert_eq!(ids.len(), 1_000);
        for id in ids {
            assert!(id.to_string().starts_with("018bcfe5-687b-7"), "{id}");
        }
    }
}
