//! Connection slots: a limit on all connections and one on those of each address group. The
//! caller's function maps an address to its group.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::metrics::ServerMetrics;

/// Maps an address to the group it is counted in, such as its network. `None` means not counted.
pub type AddressGroup = Arc<dyn Fn(IpAddr) -> Option<IpAddr> + Send + Sync>;

/// Why there is no free slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoSlot {
    All,
    PerAddress,
}

pub(super) struct Slots {
    all: Arc<Semaphore>,
    per_address_max: usize,
    address_group: AddressGroup,
    counts: AddressCounts,
    metrics: ServerMetrics,
}

type AddressCounts = Arc<Mutex<HashMap<IpAddr, usize>>>;

impl Slots {
    pub(super) fn new(
        max: usize,
        per_address_max: usize,
        address_group: AddressGroup,
        metrics: ServerMetrics,
    ) -> Self {
        Self {
            all: Arc::new(Semaphore::new(max.min(Semaphore::MAX_PERMITS))),
            per_address_max,
            address_group,
            counts: AddressCounts::default(),
            metrics,
        }
    }

    pub(super) fn take(&self, peer: IpAddr) -> Result<Slot, NoSlot> {
        let permit = self.all.clone().try_acquire_owned();
        let permit = permit.map_err(|_| NoSlot::All)?;
        let share = match (self.address_group)(peer) {
            None => None,
            Some(address) => Some(self.share(address).ok_or(NoSlot::PerAddress)?),
        };
        self.metrics.connection_opened();
        Ok(Slot {
            _permit: permit,
            _share: share,
            metrics: Some(self.metrics.clone()),
        })
    }

    fn share(&self, address: IpAddr) -> Option<Share> {
        let mut counts = self.counts.lock();
        let count = counts.entry(address).or_default();
        if *count >= self.per_address_max {
            return None;
        }
        *count += 1;
        Some(Share {
            counts: self.counts.clone(),
            address,
        })
    }
}

/// A slot among all connections and among those of its address. Dropping it frees both.
pub(super) struct Slot {
    _permit: OwnedSemaphorePermit,
    _share: Option<Share>,
    /// Where the connection is counted; `None` for a refused connection.
    metrics: Option<ServerMetrics>,
}

impl Slot {
    /// A slot for a refused connection, which is not counted.
    pub(super) fn uncounted(permit: OwnedSemaphorePermit) -> Self {
        Self {
            _permit: permit,
            _share: None,
            metrics: None,
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        if let Some(metrics) = &self.metrics {
            metrics.connection_closed();
        }
    }
}

/// A slot among the connections of one address.
struct Share {
    counts: AddressCounts,
    address: IpAddr,
}

impl Drop for Share {
    /// An address without connections is removed, so the map has no more entries than there are
    /// connections.
    fn drop(&mut self) {
        let mut counts = self.counts.lock();
        if let Some(count) = counts.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_its_own_limit_and_slots_are_released() {
        let group: AddressGroup = Arc::new(|peer: IpAddr| (!peer.is_loopback()).then_some(peer));
        let slots = Slots::new(5, 2, group, ServerMetrics::default());
        let address = |text: &str| text.parse::<IpAddr>().unwrap();
        let (one, other) = (address("192.0.2.1"), address("192.0.2.2"));
        let first = slots.take(one).ok().unwrap();
        let _second = slots.take(one).ok().unwrap();
        assert_eq!(slots.take(one).err(), Some(NoSlot::PerAddress));
        let _others = [
            slots.take(other).ok(),
            slots.take(address("127.0.0.1")).ok(),
        ];
        drop(first);
        let _again = slots.take(one).ok().unwrap();
        let _last = slots.take(address("127.0.0.1")).ok().unwrap();
        assert_eq!(slots.take(address("127.0.0.1")).err(), Some(NoSlot::All));
        assert_eq!(slots.take(one).err(), Some(NoSlot::All));
        drop((_second, _again));
        assert_eq!(
            slots.counts.lock().len(),
            1,
            "only the other address is left"
        );
    }
}
