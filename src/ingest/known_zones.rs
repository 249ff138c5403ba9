//! Senders' time zones as last read from the database, so that a text is understood once, before
//! its turn at the writer. A hint: whoever uses the meaning compares the zone with the user's.
//! Senders are kept as hashes only.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

use parking_lot::RwLock;

use crate::clock::Zone;

/// The map is emptied at this size; what is missing is noted again.
const SENDERS_MAX: usize = 100_000;

#[derive(Default)]
pub(super) struct KnownZones {
    hashes: RandomState,
    zones: RwLock<HashMap<u64, Zone>>,
}

impl KnownZones {
    /// `None` when the sender or their zone isn't known.
    pub(super) fn of(&self, sender: &str) -> Option<Zone> {
        let sender = self.hashes.hash_one(sender);
        self.zones.read().get(&sender).copied()
    }

    pub(super) fn note(&self, sender: &str, zone: Option<Zone>) {
        let sender = self.hashes.hash_one(sender);
        let mut zones = self.zones.write();
        if zones.len() >= SENDERS_MAX {
            zones.clear();
        }
        match zone {
            Some(zone) => zones.insert(sender, zone),
            None => zones.remove(&sender),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_noted_zone_counts() {
        let zones = KnownZones::default();
        assert_eq!(zones.of("+15550100001"), None);
        zones.note("+15550100001", Some(Zone::UTC));
        assert_eq!(zones.of("+15550100001"), Some(Zone::UTC));
        assert_eq!(zones.of("+15550100002"), None);
        zones.note("+15550100001", None);
        assert_eq!(zones.of("+15550100001"), None);
    }
}
